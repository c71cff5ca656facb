"""Rows of a dataset between processes: what the only process of a run may do; `dist/programs/messages.py` sends to others."""

import pytest

import sporax as ms
import sporax.dataset as ds
from sporax import Tensor


def rows() -> ds.Dataset:
    return ds.GeneratorDataset([(1, 2), (3, 4)], ["a", "b"], shuffle=False)


def test_a_process_receives_its_own_rows_over_epochs() -> None:
    data = rows()
    assert [[int(x) for x in data.recv(0)] for _ in range(3)] == [[1, 2], [3, 4], [1, 2]]
    assert [[int(x) for x in row] for row in data.recv([0, 0])] == [[3, 4], [1, 2]]
    single = ds.NumpySlicesDataset([5, 6], ["a"], shuffle=False)
    first = single.recv()
    assert isinstance(first, Tensor) and int(first) == 5
    assert [[int(x) for x in row] for row in single.recv([0, 0])] == [[6], [5]]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda d: d.send(), ValueError, "Dataset.send: dst must name other processes than this one, 0"),
        (lambda d: d.send(dst="a"), TypeError, "Dataset.send: dst must be an int or a list of ints, got 'a'"),
        (lambda d: d.send(dst=[1]), ValueError, r"Dataset.send: dst must be processes of the group, \[0\], got \[1\]"),
        (lambda d: d.recv(True), TypeError, "Dataset.recv: src must be an int or a list of ints, got True"),
        (lambda d: d.recv(group=3), TypeError, "Dataset.recv: group must be a string, got 3"),
        (lambda d: d.filter(lambda a, b: False).recv(), RuntimeError, "Dataset.recv: the dataset has no rows"),
    ],
)
def test_what_is_refused(call: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(rows())


def test_what_is_sent_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sporax._src.api.dataset_messages.get_rank", lambda: 1)
    for wrong in (3, [3], (Tensor(1),)):
        with pytest.raises(TypeError, match=r"Dataset\.send: tensor must be a Tensor or a list of Tensors, got"):
            rows().send(wrong)
    with pytest.raises(
        RuntimeError, match=r"Dataset\.send: column 0 is no Tensor of numbers; leave it out with `project`"
    ):
        ds.NumpySlicesDataset(["x"], ["a"]).send()
    data = rows()
    data.send(), data.send(Tensor([1.0], ms.bfloat16))
    monkeypatch.undo()
    taken = [ms._src.dist.messages.take("recv", 0, "rows of a dataset") for _ in range(2)]
    assert [int(x) for x in taken[0]] == [1, 2] and taken[1][0].dtype.name == "bfloat16"
