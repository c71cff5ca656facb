"""Looking at graphs: their stages, the files of `save_graphs`, and why a function was compiled again."""

import logging
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.transform import capture
from sporax._src.transform.graph.provenance import source_now

HERE = str(Path(__file__))
ROOT = str(Path(ms.__file__).parents[1])


def line_of(text: str) -> str:
    """Return `file:line` of the only line of this file that ends with a mark."""
    (number,) = [i for i, line in enumerate(Path(HERE).read_text().splitlines(), 1) if line.endswith(f"# {text}")]
    return f"{HERE}:{number}"


class Block(nn.Cell):
    """A Cell with a branch on a Tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(4, 4)

    def construct(self, x):
        x = self.fc(x)  # the dense layer
        if x.sum() > 0:
            x = ops.tanh(x)  # in the branch
        return x


class Net(nn.Cell):
    """Two Blocks in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.CellList([Block(), Block()])

    def construct(self, x, scale=1):
        for block in self.blocks:
            x = block(x)
        return ops.log(x * scale).sum()  # the end


X = Tensor(np.ones((2, 4), np.float32))


def rows(text: str, primitive: str) -> list[str]:
    return [line for line in text.splitlines() if re.search(rf"= {primitive}\(", line)]


# --- stages -------------------------------------------------------------------------------------------------------------


def test_captured_graph_names_operators_cells_and_lines() -> None:
    """Rewritten control flow too has the lines of the program, and each Cell its path."""
    graph = Net().graph(X)
    dense = rows(graph.captured, "dot_general")
    assert [d.split("# ")[1] for d in dense] == [
        f"ops.dense  Net.blocks.{i}.fc  {line_of('the dense layer')}" for i in (0, 1)
    ]
    assert all(f"ops.tanh  Net.blocks.{i}  {line_of('in the branch')}" in graph.captured for i in (0, 1))
    (log,) = rows(graph.captured, "log")
    assert log.endswith(f"# ops.log  Net  {line_of('the end')}")
    assert "float32[2, 4] = dot_general(x: float32[2, 4], " in graph.captured
    assert "\nblocks.0.fc.weight: float32[4, 4]\n" in graph.captured
    assert "autograph" not in graph.captured and "sporax/_src" not in graph.captured
    assert str(graph) == graph.captured


def test_every_value_is_defined_before_it_is_used() -> None:
    """Names of values are the same in a graph and in the graphs inside it."""
    text = ms.jit(ms.grad(lambda x: Net()(x)), fullgraph=True).graph(X).captured
    known = set()
    for line in text.splitlines():
        left, _, right = line.split("  #")[0].partition(" = ")
        if line.strip().endswith(":"):
            continue
        assert set(re.findall(r"%\d+", right or left)) <= known, line
        known |= set(re.findall(r"%\d+", left)) if right else set()
    assert len(known) > 20


def test_gradient_is_the_part_that_a_gradient_added() -> None:
    """The numbers are those of the captured graph; there is none where no gradient is taken."""
    net = Net()
    assert net.graph(X).gradient is None
    graph = ms.jit(ms.value_and_grad(net, None, net.trainable_params())).graph(X)
    assert graph.name == "grad(Net)"
    lines = graph.gradient.splitlines()
    assert re.fullmatch(r"gradient in grad\(Net\), backward: cotangents: \d+ of \d+ operations", lines[0])
    assert set(filter(None, lines[1:])) <= set(graph.captured.splitlines())
    assert len(rows(graph.gradient, "dot_general")) == 3  # of both weights, and of what goes into the second layer
    assert all(f"gradient of ops.dense  Net.blocks.{i}.fc" in graph.gradient for i in (0, 1))
    assert all("gradient" in line for line in lines if re.search(r" = \w+\(", line))


def test_forward_mode_is_a_gradient_too() -> None:
    """Where only tangents are carried, the operations of the forward derivative are shown."""
    text = ms.jit(lambda x: ops.jvp(ops.sin, x, x)).graph(X).gradient
    assert text.startswith("gradient in <lambda>, forward: values and tangents")
    assert rows(text, "cos")


def test_later_stages_and_cost() -> None:
    """A matrix product of 2×4 and 4×4 takes 2·2·4·4 operations, and there are two."""
    graph = Net().graph(X)
    assert "stablehlo.dot_general" in graph.stablehlo and "stablehlo.dot_general" in graph.lowered.as_text()
    assert graph.hlo.startswith("HloModule") and graph.compiled.as_text() == graph.hlo
    assert graph.cost.flops >= 2 * 2 * 2 * 4 * 4
    assert graph.cost.argument_bytes >= 4 * (2 * (16 + 4) + 8) and graph.cost.output_bytes >= 4
    assert re.search(r"^argument bytes +\d+$", str(graph.cost), re.MULTILINE)


def test_looking_runs_nothing() -> None:
    """`graph` leaves Parameters as they are, also where a step would write them."""

    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.total = ms.Parameter(Tensor([0.0]), name="total")

        def construct(self, x):
            return ops.assign_add(self.total, x)

    net = Counter()
    assert [s.name for s in net.graph(Tensor([1.0])).written] == ["total"]
    assert float(net.total) == 0.0


def test_arguments_have_the_names_of_the_function() -> None:
    """Nested arguments have the path that leads to them."""
    graph = ms.jit(lambda x, pair, *rest, **named: x + pair[1] + rest[0] + named["k"]).graph(X, (1, X), X, k=X)
    assert graph.inputs[1:] == ["x", "pair[1]", "rest[0]", "k"]


def test_names_cost_nothing_outside_of_traces() -> None:
    """PyNative mode opens no scopes."""
    seen = []
    cell = nn.Dense(4, 4)
    cell.register_forward_hook(lambda *_: seen.append(source_now()))
    cell(X)
    assert seen[0].cells == "Dense" and seen[0].line.startswith(HERE)


def test_scopes_do_not_change_what_is_compiled() -> None:
    """The path of a Cell is a note on the graph: equal networks under different names share the compiled program."""

    class Other(Net):
        pass

    assert "Other.blocks.0.fc" in Other().graph(X).captured
    first, second = ms.jit(lambda x: Net()(x)), ms.jit(lambda x: Other()(x))
    texts = [re.sub(r'"[^"]*"', "", fn.graph(X).stablehlo.replace("_lambda_", "")) for fn in (first, second)]
    assert texts[0].count("dot_general") == texts[1].count("dot_general") == 2


# --- save_graphs ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path):
    """Save graphs below a folder that does not exist yet, and return a function that lists what was written."""
    folder = tmp_path / "new" / "graphs"
    ms.set_context(save_graphs=True, save_graphs_path=str(folder))
    yield lambda: {re.sub(r"^\d+_", "", p.name): p.read_text() for p in sorted(folder.glob("*"))}
    ms.set_context(save_graphs=0, save_graphs_path=".")


STAGES = ["captured.txt", "cost.txt", "hlo_optimised.txt", "stablehlo.txt"]


def test_save_graphs_writes_each_graph_once(saved) -> None:
    """A file for each stage of each graph; a second call of the same graph writes nothing."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    net(X)  # the first call
    files = saved()
    assert sorted(files) == [f"Net_{stage}" for stage in STAGES]
    assert files["Net_captured.txt"].startswith(f"# Net, called at {line_of('the first call')}\ngraph Net: ")
    assert "stablehlo.dot_general" in files["Net_stablehlo.txt"] and "HloModule" in files["Net_hlo_optimised.txt"]
    net(X)
    assert saved() == files
    ms.value_and_grad(net, None, net.trainable_params())(X)
    assert sorted(set(saved()) - set(files)) == [f"grad_Net_{stage}" for stage in sorted([*STAGES, "gradient.txt"])]


def test_save_graphs_3_draws(saved) -> None:
    """Level 3 adds a drawing: each operand of each operation is an arrow."""
    ms.set_context(save_graphs=3)
    ms.jit(lambda x: ops.sin(x) + x)(X)
    drawing = saved()["lambda_captured.dot"]
    assert drawing.startswith('digraph "<lambda>" {') and drawing.endswith("}\n")
    assert re.search(r'\[label="sin", tooltip="ops.sin  ', drawing)
    assert drawing.count("->") == 4  # x to sin, sin and x to add, add to the result


def test_save_graphs_off(saved) -> None:
    ms.set_context(save_graphs=0)
    ms.jit(lambda x: ops.sin(x))(X)
    assert saved() == {}


def test_save_graphs_by_the_environment(tmp_path: Path) -> None:
    """MindSpore's variables for the same."""
    program = "import sporax as ms; ms.jit(lambda x: x + 1)(ms.Tensor([1.0]))"
    env = {
        "MS_DEV_SAVE_GRAPHS": "3",
        "MS_DEV_SAVE_GRAPHS_PATH": str(tmp_path),
        "PATH": "/usr/bin",
        "SPORAX_CACHE_DIR": "off",
    }
    subprocess.run([sys.executable, "-c", program], env=env, cwd=ROOT, check=True)
    assert {p.name for p in tmp_path.iterdir()} >= {"00_lambda_captured.txt", "00_lambda_captured.dot"}


def test_save_graphs_counts_levels() -> None:
    """True is level 2, as MindSpore 2.7 has it."""
    ms.set_context(save_graphs=True)
    assert ms.get_context("save_graphs") == 2
    ms.set_context(save_graphs=False)
    assert ms.get_context("save_graphs") == 0


# --- compiled again -----------------------------------------------------------------------------------------------------


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
    assert told == [f"test_stages.py train_step recompiled: {text}"]


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
    assert told == ["test_stages.py <lambda> recompiled: mixed precision None -> float16"]


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


def test_looking_does_not_add_a_graph_to_the_function() -> None:
    """What `graph` returned is the caller's; the first call builds its own."""
    fn = ms.jit(lambda x: x + 1)
    fn.graph(X)
    before = capture.compilations
    fn(X)
    assert capture.compilations == before + 1
