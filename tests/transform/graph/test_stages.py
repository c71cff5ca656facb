"""Looking at graphs: their stages, the files of `save_graphs`, and why a function was compiled again."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from block_net import Net, X, line_of, rows

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.transform import capture

ROOT = str(Path(ms.__file__).parents[1])


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
    assert files["Net_captured.txt"].startswith(f"# Net, called at {line_of('the first call', __file__)}\ngraph Net: ")
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


def test_looking_does_not_add_a_graph_to_the_function() -> None:
    """What `graph` returned is the caller's; the first call builds its own."""
    fn = ms.jit(lambda x: x + 1)
    fn.graph(X)
    before = capture.compilations
    fn(X)
    assert capture.compilations == before + 1
