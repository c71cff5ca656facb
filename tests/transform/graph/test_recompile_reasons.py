"""Why a function was compiled again: the argument, the Cell or the setting that changed."""

import logging
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from block_net import Block, Net, X

import sporax as ms
from sporax import Tensor, nn

ROOT = str(Path(ms.__file__).parents[1])


@pytest.fixture
def told():
    """Return the lines that `SPORAX_LOG=recompile` writes."""
    lines: list[str] = []
    logger, handler = logging.getLogger("sporax.recompile"), logging.Handler()
    handler.emit = lambda record: lines.append(f"{record.filename} {record.getMessage()}")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield lines
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def train_step(x, k=1, options=None):
    return x * k


CAUSES = {
    "shape": (lambda f: f(Tensor(np.ones((3, 4), np.float32))), "argument 'x' shape (2, 4) -> (3, 4)"),
    "dtype": (lambda f: f(Tensor(np.ones((2, 4), np.float16))), "argument 'x' dtype float32 -> float16"),
    "both": (
        lambda f: f(Tensor(np.ones(4, np.int32))),
        "argument 'x' shape (2, 4) -> (4,) and dtype float32 -> int32",
    ),
    "value": (lambda f: f(X, 4), "argument 'k': 3 -> 4"),
    "type of value": (lambda f: f(X, 3.0), "argument 'k': 3 -> 3.0"),
    "Tensor for value": (lambda f: f(X, Tensor([1.0])), "argument 'k': 3 -> float32[1]"),
    "structure": (
        lambda f: f(X, 3, [X, X]),
        "argument 'options': left out -> list of 2",
    ),
    "by name": (lambda f: f(X, 3, options={"a": 1}), "argument 'options': left out -> dict with keys ['a']"),
}


@pytest.mark.parametrize("name", CAUSES)
def test_the_argument_that_made_a_graph_necessary(name: str, told: list[str]) -> None:
    call, text = CAUSES[name]
    fn = ms.jit(train_step)
    fn(X, 3)
    assert told == []
    call(lambda x, k=3, *rest, **named: fn(x, k, *rest, **named))
    assert told == [f"test_recompile_reasons.py train_step recompiled: {text}"]


def test_nested_arguments_and_several(told: list[str]) -> None:
    """The nearest of the graphs is what the new one is compared with; three differences are named."""
    fn = ms.jit(lambda a, b: a["x"][0])
    one, two = Tensor([1.0]), Tensor([1.0, 2.0])
    fn({"x": [one], "k": 1}, 2)
    fn({"x": [two], "k": 1}, 2)
    fn({"x": [two], "k": 1}, 3)
    fn({"x": [one, one]}, 2)
    fn({"x": [Tensor([1])] * 5}, 2)
    assert [line.split("recompiled: ")[1] for line in told] == [
        "argument 'a['x'][0]' shape (1,) -> (2,)",
        "argument 'b': 2 -> 3",
        "argument 'a' structure: dict with keys ['x', 'k'] -> dict with keys ['x']",
        "argument 'a['x']' structure: list of 2 -> list of 5",
    ]


def test_more_than_three_differences_are_counted(told: list[str]) -> None:
    fn = ms.jit(lambda *xs: xs[0])
    fn(*[Tensor([1.0])] * 5)
    fn(*[Tensor([1])] * 5)
    assert told[0].endswith("argument 'xs[2]' dtype float32 -> int64 and 2 more")


def test_changed_cells_are_named(told: list[str]) -> None:
    """The flag, the attribute, the precision, and the Cell they belong to."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    net(X)
    net.set_train()
    net(X)
    net.blocks[0].depth = 3
    net(X)
    net.blocks[1].fc.to_float(ms.float16)
    net(X)
    net.blocks.append(Block())
    net(X)
    assert [line.split(" ", 1)[1] for line in told] == [
        "Net recompiled: Net.set_train(True)",
        "Net recompiled: Block: attribute 'depth' was assigned",
        "Net recompiled: Dense: to_float(Float16)",
        "Net recompiled: CellList: its Cells changed",
    ]


def test_arguments_of_cells_gradients_and_methods(told: list[str]) -> None:
    """Names are those of `construct` and of the function that is differentiated."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    for scale in (1, 2):
        net(X, scale)
    for scale in (1, 2):
        ms.grad(net)(X, scale)
    fn = ms.grad(train_step)
    for k in (1, 2):
        fn(X, k)

    class Owner:
        @ms.jit
        def method(self, x, k):
            return x * k

    owner = Owner()
    for k in (1, 2):
        owner.method(X, k)
    assert [line.split(" ", 1)[1] for line in told] == [
        "Net recompiled: argument 'scale': 1 -> 2",
        "grad(train_step) recompiled: argument 'k': 1 -> 2",
        "method recompiled: argument 'k': 1 -> 2",
    ]


def test_mixed_precision_is_named(told: list[str]) -> None:
    """A function compiled inside a Cell that computes in float16 is another graph, with the inputs it is given."""
    inner = ms.jit(lambda x: x * 2.0)

    class Caller(nn.Cell):
        def construct(self, x):
            return inner(x)

    net = Caller()
    net(X)
    net.to_float(ms.float16)
    assert net(X).dtype == ms.float32
    assert told == ["test_recompile_reasons.py <lambda> recompiled: mixed precision None -> float16"]


@pytest.mark.usefixtures("graphs_of_xla")
def test_many_graphs_of_one_function_are_warned_of_once() -> None:
    """After 16 graphs one warning, with the remedy that fits the cause."""
    fn = ms.jit(lambda x: x + 1)
    for n in range(1, 17):
        fn(Tensor(np.ones(n, np.float32)))
    with pytest.warns(UserWarning, match=r"<lambda> has been compiled 17 times.*shape \(16,\) -> \(17,\).*pad inputs"):
        fn(Tensor(np.ones(17, np.float32)))
    fn(Tensor(np.ones(18, np.float32)))
    by_value = ms.jit(lambda x, k: x + k if k >= 0 else x)
    with pytest.warns(UserWarning, match=r"argument 'k': 15 -> 16.*pass what varies as a Tensor"):
        for k in range(17):
            by_value(X, k)


def test_many_changes_of_a_cell_are_warned_of() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Block()
    with pytest.warns(UserWarning, match=r"Block has been compiled 17 times.*attribute 'depth'.*before the loop"):
        for depth in range(17):
            net.depth = depth
            net(X)


def test_the_environment_turns_the_log_on(tmp_path: Path) -> None:
    """`SPORAX_LOG=recompile` writes the line to standard error, with the line of the program."""
    script = tmp_path / "train.py"
    script.write_text(
        "import sporax as ms\n@ms.jit\ndef f(x):\n    return x + 1\nf(ms.Tensor([1.0]))\nf(ms.Tensor([1.0, 2.0]))\n"
    )
    env = {"SPORAX_LOG": "recompile,nonsense", "PATH": "/usr/bin", "SPORAX_CACHE_DIR": "off", "PYTHONPATH": ROOT}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env)
    lines = done.stderr.splitlines()
    assert done.returncode == 0, done.stderr
    assert lines[0].endswith("SPORAX_LOG: unknown topic 'nonsense'; known are recompile.")
    assert re.fullmatch(r"\[INFO\] .* \[train.py:6\] f recompiled: argument 'x' shape \(1,\) -> \(2,\)", lines[1])
    assert len(lines) == 2


def test_nothing_is_told_by_default(capsys: pytest.CaptureFixture) -> None:
    fn = ms.jit(lambda x: x + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (1, 2):
            fn(Tensor(np.ones(n, np.float32)))
    assert capsys.readouterr().err == ""
