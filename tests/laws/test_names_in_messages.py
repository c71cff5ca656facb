"""Names out of files as messages show them: nothing that a terminal obeys, and no more than a line of them."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax as ms
import sporax.dataset as ds
from sporax import Parameter, Tensor, nn

NAMES = {"controls": "w\x1b[31m\x07\r\u202e", "long": "x" * 100_000}


class Net(nn.Cell):
    def __init__(self, name: str, size: int) -> None:
        super().__init__()
        self.p = Parameter(Tensor(np.ones(size, np.float32)), name=name)


def _twice(name: str, folder: Path) -> None:
    nn.Adam([Parameter(Tensor([1.0]), name=name), Parameter(Tensor([1.0]), name=name)])


def _other_shape(name: str, folder: Path) -> None:
    ms.save_checkpoint({name: Tensor(np.ones(3, np.float32))}, str(folder / "n.ckpt"))
    ms.load_param_into_net(Net(name, 5), ms.load_checkpoint(str(folder / "n.ckpt")))


def _unknown(name: str, folder: Path) -> None:
    ms.save_checkpoint({name: Tensor(np.ones(3, np.float32))}, str(folder / "n.ckpt"))
    ms.load_checkpoint(str(folder / "n.ckpt"), nn.Dense(2, 3))


def _appended(name: str, folder: Path) -> None:
    ms.save_checkpoint(nn.Dense(2, 3), str(folder / "n.ckpt"), append_dict={name: object()})


CALLS: dict[str, Callable[[str, Path], Any]] = {
    "a name twice": _twice,
    "a shape": _other_shape,
    "what a net lacks": _unknown,
    "append_dict": _appended,
    "set_data": lambda name, _: Parameter(Tensor([1.0]), name=name).set_data("3"),
    "ParameterTuple": lambda name, _: ms.ParameterTuple([Parameter(Tensor([1.0]), name=name) for _ in "ab"]),
    "MindDataset": lambda name, _: ds.MindDataset(name[:200]),
    "a file": lambda name, _: ms.load_checkpoint(name[:200] + ".ckpt"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", NAMES)
def test_messages_hold_one_short_line(kind: str, call: str, tmp_path: Path) -> None:
    texts = []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            CALLS[call](NAMES[kind], tmp_path)
        except (ValueError, TypeError, RuntimeError) as error:
            texts.append(str(error))
    texts += [str(warning.message) for warning in found]
    assert texts and all(text.isprintable() and len(text) < 1000 for text in texts), texts
    assert any(("w\\x1b[31m\\x07\\r\\u202e" if kind == "controls" else "x" * 50) in text for text in texts)


@pytest.mark.parametrize("kind", NAMES)
def test_parameters_are_shown_so_too(kind: str) -> None:
    shown = str(Parameter(Tensor([1.0]), name=NAMES[kind]))
    assert shown.isprintable() and len(shown) < 1000
    assert str(Parameter(Tensor([1.0]), name="a.b")).startswith("Parameter (name=a.b, shape=(1,)")


@pytest.mark.parametrize("level", [1, 3])
def test_texts_of_graphs_hold_none(level: int, tmp_path: Path) -> None:
    net = Net(NAMES["controls"], 3)
    net.construct = lambda x: x * net.p
    ms.set_context(save_graphs=level, save_graphs_path=str(tmp_path))
    try:
        ms.jit(net.construct)(Tensor(np.ones(3, np.float32))).asnumpy()
    finally:
        ms.set_context(save_graphs=0)
    files = list(tmp_path.iterdir())
    assert len(files) > 3
    for file in files:
        assert all(line.isprintable() for line in file.read_text().split("\n")), file
