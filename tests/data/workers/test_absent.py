"""The names of the framework in a worker."""

import sys
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
import sporax.dataset as ds
from sporax import nn, ops
from sporax._src.data.workers.absent import Absent

REMEDY = "compute with NumPy there, or pass python_multiprocessing=False, which calls the function on threads"


def mapped(function: object, rows: int = 2) -> list[object]:
    """Return what a function gives for some rows in a worker."""
    data = ds.NumpySlicesDataset(np.arange(rows), ["x"], shuffle=False)
    data = data.map(function, ["x"], python_multiprocessing=True)
    return [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def test_no_jax_in_a_worker() -> None:
    loaded = mapped(
        lambda x: np.array([name for name, m in sys.modules.items() if name.startswith(("jax", "sporax")) and m])
    )
    assert loaded[0]
    others = [
        name for name in loaded[0] if not name.startswith(("sporax._src.data", "sporax._src.base", "sporax.dataset"))
    ]
    assert set(others) == {"sporax", "sporax._src"}


@pytest.mark.parametrize(("function", "error"), [
    (lambda x: ops.add(x, 1), r"RuntimeError at row 0: mindspore\.ops\.add was called in a worker; .*"),
    (lambda x: ms.Tensor(x), r"RuntimeError at row 0: mindspore\.Tensor was called in a worker; .*"),
    (lambda x: __import__("jax"), "ModuleNotFoundError at row 0: import of jax halted; .*"),
    (lambda x: __import__("sporax._src.core.tensor"), "ImportError at row 0: sporax._src.core is not there: .*"),
])  # fmt: skip
def test_operators_are_refused_with_the_remedy(function: object, error: str) -> None:
    with pytest.raises(RuntimeError, match=rf"Dataset\.map.* raised {error}{REMEDY}"):
        mapped(function)


def test_a_tensor_does_not_travel() -> None:
    held = ms.Tensor([1.0])
    with pytest.raises(RuntimeError, match=rf"(?s)could not load the function: .*{REMEDY}"):
        mapped(lambda x: held)


def test_names_may_be_mentioned() -> None:
    assert mapped(lambda x: x if isinstance(x, ms.Tensor) or nn.Cell is None else x + 1) == [1, 2]


def test_names_of_datasets_work() -> None:
    assert mapped(lambda x: ds.vision.Rescale(2.0, 0.0)(np.full((1, 1, 1), x))[0, 0, 0]) == [0.0, 2.0]

    def nested(x: np.ndarray) -> np.ndarray:
        inner = ds.NumpySlicesDataset(np.arange(3), ["y"], shuffle=False)
        inner = inner.map(lambda y: y + x, python_multiprocessing=True)
        return np.array([row[0] for row in inner.create_tuple_iterator(num_epochs=1, output_numpy=True)])

    assert mapped(nested) == [[0, 1, 2], [1, 2, 3]]
    with pytest.raises(
        RuntimeError, match=r"AttributeError at row 0: module 'mindspore.dataset' has no attribute 'Nothing'"
    ):
        mapped(lambda x: ds.Nothing)


MODULE = """
import mindspore as ms
import mindspore.dataset.vision as vision
from mindspore import nn, ops, Tensor
from mindspore.common.initializer import Normal
ms.set_context(mode=ms.PYNATIVE_MODE)
class Net(nn.Cell):
    pass
class Both(nn.Cell, ms.Parameter):
    def __init__(self):
        super().__init__(auto_prefix=False)
        self.layer = nn.Dense(2, 3)
both = Both()
@ms.jit
def compiled(x):
    return x
def flipped(x):
    return vision.HorizontalFlip()(x)
"""


def test_modules_that_import_the_framework_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "helper_of_rows.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    was_installed = ms.compat.is_installed()
    ms.compat.install()
    try:
        import helper_of_rows

        image = np.arange(6, dtype=np.uint8).reshape(1, 2, 3)
        assert mapped(lambda x: helper_of_rows.flipped(image)[0, 0, 0] + x) == [3, 4]
    finally:
        sys.modules.pop("helper_of_rows")
        if not was_installed:
            ms.compat.uninstall()


def test_an_absent_name() -> None:
    name = Absent("mindspore.x")
    assert repr(name.y.z) == "mindspore.x.y.z" and not isinstance(3, name) and isinstance(name.y, name)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        name.__wrapped__  # noqa: B018
