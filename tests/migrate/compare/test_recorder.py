"""What a run of a network leaves behind, and the plain data that describe its layers."""

import functools
import json
import zipfile
from collections import namedtuple

import numpy as np
import pytest
import torch
from compared_networks import MLP, MLPCell

from sporax import nn
from sporax._src.migrate.compare import recorder
from sporax._src.migrate.compare.recorder import (
    Calls,
    Recording,
    describe,
    leaves,
    plain,
    replaced,
    source_of,
    split_labels,
)

Pair = namedtuple("Pair", "a b")


def is_number(value: object) -> bool:
    return isinstance(value, int)


def test_nested_values_are_flattened_and_changed_in_order() -> None:
    nested = {"x": (1, [2, "text"]), "y": Pair(3, None)}
    assert leaves(nested, is_number) == [1, 2, 3]
    assert replaced(nested, is_number, lambda n: n * 10) == {"x": (10, [20, "text"]), "y": Pair(30, None)}


def test_calls_are_kept_in_the_order_in_which_they_end() -> None:
    calls = Calls()
    for path in ("", "a", "a.b"):
        calls.start(path, [])
    calls.end("a.b", [1])
    calls.end("a", [2])
    calls.start("a", [])
    calls.start("a.c", [])  # fails, and the network catches it
    calls.end("a", [3])
    calls.end("", [4])
    assert [(c["path"], c["call"], c["depth"], c["outputs"]) for c in calls.ended] == [
        ("a.b", 1, 2, [1]), ("a", 1, 1, [2]), ("a", 2, 1, [3]), ("", 1, 0, [4])
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("loss", "labels"),
    [
        (None, 0),
        (lambda out: out, 0),
        (lambda out, y, scale=1: out, 1),
        (nn.CrossEntropyLoss(), 1),
        (torch.nn.TripletMarginLoss(), 2),
    ],
)
def test_labels_are_the_last_inputs(loss: object, labels: int) -> None:
    inputs = [np.array(i) for i in range(3)]
    assert split_labels(inputs, loss) == (inputs[: 3 - labels], inputs[3 - labels :])


def test_too_few_inputs_for_the_labels() -> None:
    text = (
        "the loss takes 1 of the inputs as labels and the network needs at least one, got 1 inputs: give the network's"
    )
    with pytest.raises(ValueError, match=text):
        split_labels([np.ones(2)], nn.CrossEntropyLoss())


def test_a_layer_of_the_library_is_described_by_its_settings() -> None:
    about = describe(torch.nn.Conv2d(3, 4, 3, padding=1), "forward")
    assert (about["kind"], about["library"], about["source"]) == ("Conv2d", True, [])
    assert about["settings"]["kernel_size"] == [3, 3] and about["settings"]["padding"] == [1, 1]
    assert "training" not in about["settings"]
    assert json.loads(json.dumps(about)) == about


def test_a_layer_of_the_program_is_described_by_its_code() -> None:
    ours, theirs = describe(MLP(), "forward"), describe(MLPCell(), "construct")
    assert (ours["kind"], ours["library"]) == ("MLP", False) and theirs["settings"]["wrong"] is False
    assert ours["source"] == ["return self.output(F.dropout(torch.tanh(self.hidden(x)), 0.5, self.training))"]
    assert theirs["source"][0] == "h = ops.tanh(self.hidden(x))"
    assert describe(functools.partial(max, default=3), "")["settings"] == {"default": 3}


def test_settings_are_plain_data() -> None:
    assert plain((1, [2.5, None]), False) == [1, [2.5, None]]
    assert plain(torch.tensor(3), True) == 3
    for value, tensors in ((torch.tensor(3), False), (torch.ones(2), True), (object(), True), ([0] * 17, True)):
        with pytest.raises(TypeError):
            plain(value, tensors)


def test_statements_stand_after_the_heads_they_are_in() -> None:
    def call(x):
        """Docstrings are left out."""
        if x:
            x = x + 1
        else:
            x = 2
        return x

    assert source_of(call, "") == ["if x:", "x = x + 1", "x = 2", "return x"]
    assert source_of(3, "") == []


def test_two_runs_agree_and_arrays_are_near() -> None:
    run = [(np.array([1.0, np.nan]), "float32")]
    assert recorder.agree(run, [(np.array([1.0, np.nan]), "float32")])
    assert not recorder.agree(run, [(np.array([1.0, 2.0]), "float32")]) and not recorder.agree(run, [])
    assert recorder.near(np.array([1.0, 2.0]), np.array([1.0, 2.001]))
    assert not recorder.near(np.array([1.0, 2.0]), np.array([1.0, 2.01]))
    assert not recorder.near(np.ones(2), np.ones(3))


def test_a_file_that_exists_is_not_replaced(tmp_path) -> None:
    recording = Recording({"schema": 1}, {"loss": np.ones(2)})
    recording.save(tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        assert json.loads(file.read("recording.json")) == {"schema": 1}
    with pytest.raises(FileExistsError, match=r"a\.zip exists: name another, or delete it\."):
        recording.save(tmp_path / "a.zip")
    assert [p.name for p in tmp_path.iterdir()] == ["a.zip"]
