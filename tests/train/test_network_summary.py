"""sporax.summary: what it says of networks, and that they stay as they are."""

import io
import subprocess
import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from rich.console import Console

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.train.network_summary import NetworkSummary, short, size
from sporax._src.transform.graph import flops


def ones(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


class Branches(nn.Cell):
    """Two inputs, two results, a layer used twice, one that draws, one that counts, one that is never called."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
        self.shared = nn.Dense(8, 8)
        self.drop = nn.Dropout(p=0.5)
        self.head = nn.Dense(8, 2)
        self.unused = nn.Dense(3, 3)
        self.plain = [nn.Dense(8, 8)]

    def construct(self, image, scale, times=1):
        x = self.features(image).mean((2, 3)) * scale
        if x.sum() > 0:
            x = x * times
        x = self.plain[0](self.shared(self.shared(x)))
        return self.head(self.drop(x)), {"features": x}


@pytest.fixture
def branches() -> NetworkSummary:
    net = Branches().set_train()
    net.unused.weight.requires_grad = False
    return ms.summary(net, ones(2, 3, 16, 16), ones(2, 8), times=2)


def test_rows(branches: NetworkSummary) -> None:
    rows = {row.name: row for row in branches.rows}
    assert list(rows) == [
        "",
        "features",
        "features.0",
        "features.1",
        "features.2",
        "shared",
        "drop",
        "head",
        "unused",
        "Dense",
    ]
    assert [row.kind for row in branches.rows[:3]] == ["Branches", "SequentialCell", "Conv2d"]
    assert rows[""].outputs == ((2, 2), (2, 8)) and rows["features.1"].outputs == ((2, 8, 16, 16),)
    assert [rows[n].calls for n in ("", "shared", "unused", "Dense")] == [1, 2, 0, 1]
    assert (rows["features.1"].parameters, rows["features.1"].trainable) == (32, 16)
    assert (rows["unused"].parameters, rows["unused"].trainable) == (12, 3)
    assert rows["features.0"].flops == 2 * (2 * 8 * 16 * 16) * (3 * 3 * 3)
    assert rows["shared"].flops == 2 * (2 * 2 * 8 * 8 + 2 * 8) and rows["unused"].flops == 0
    assert rows["features"].flops == sum(rows[f"features.{i}"].flops for i in range(3))
    assert rows["features.2"].memory == 4 * 2 * 8 * 16 * 16
    assert rows["shared"].memory == 4 * (72 + 2 * 16)


def test_totals(branches: NetworkSummary) -> None:
    net = Branches()
    assert branches.parameters == sum(p.size for p in net.get_parameters())
    assert branches.trainable == sum(p.size for p in net.trainable_params()) - 9
    assert branches.input_bytes == 4 * (2 * 3 * 16 * 16 + 16)
    assert branches.memory == branches.rows[0].memory + branches.input_bytes
    assert branches.flops == branches.rows[0].flops > 2 * (2 * 8 * 16 * 16) * 27


def test_shown(branches: NetworkSummary) -> None:
    text, html = str(branches), branches._repr_html_()
    assert "features.0" in text and "(2, 2), (2, 8)" in text and "Dense ×2" in text and "not called" in text
    assert "350 numbers in Parameters (325 train)" in text
    assert html.count("<tr>") == 11 and "<td>features.0</td>" in html and "350 numbers" in html
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(branches)
    assert "features.0" in console.export_text()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_network_stays_as_it_is(mode: int) -> None:
    ms.set_context(mode=mode)
    net, x = Branches(), ones(2, 3, 16, 16)
    net.set_train()
    net.head.set_train(False)
    flags = [cell.training for _, cell in net.cells_and_names()]
    before = {name: p.asnumpy().copy() for name, p in net.parameters_and_names()}
    state = ms.get_rng_state().asnumpy().copy()
    ms.summary(net, x, ones(2, 8))
    assert flags == [cell.training for _, cell in net.cells_and_names()]
    assert all((before[name] == p.asnumpy()).all() for name, p in net.parameters_and_names())
    assert (state == ms.get_rng_state().asnumpy()).all()


class ByValue(nn.Cell):
    """As many layers as the input says: no graph, but a summary."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(4, 4)
        self.norm = nn.BatchNorm1d(4)

    def construct(self, x):
        for _ in range(int(x.sum().asnumpy())):
            x = self.norm(self.dense(x))
        return x


def test_a_network_that_asks_for_values() -> None:
    net = ByValue().set_train()
    before = [p.asnumpy().copy() for p in net.get_parameters()]
    found = ms.summary(net, ones(2, 4))
    assert [(row.name, row.calls) for row in found.rows] == [("", 1), ("dense", 8), ("norm", 8)]
    assert found.flops is None and "an unknown number of FLOPs" in str(found)
    assert all((a == p.asnumpy()).all() for a, p in zip(before, net.get_parameters(), strict=True))


def counted(fn, *shapes: tuple[int, ...]) -> int:
    return flops.count(jax.make_jaxpr(fn)(*[jnp.ones(shape) for shape in shapes])).total()


def test_what_an_operation_counts() -> None:
    assert counted(lambda x: x.T.reshape(2, 8)[:, :3] > 0, (4, 4)) == 0
    assert counted(lambda x: jnp.tanh(x) + x, (4, 4)) == 32
    assert counted(lambda x: x.astype(jnp.int32) * 2, (4, 4)) == 0
    assert counted(lambda x: x.sum(0), (4, 4)) == 16
    assert counted(lambda x, y: x.at[0].add(y), (4, 4), (4,)) == 4
    assert counted(lambda a, b: a @ b, (3, 4), (4, 5)) == 2 * 3 * 4 * 5
    grouped = partial(lax.conv_general_dilated, window_strides=(1, 1), padding="SAME", feature_group_count=2)
    assert counted(grouped, (2, 4, 8, 8), (6, 2, 3, 3)) == 2 * (2 * 6 * 8 * 8) * (2 * 9)
    window = partial(lax.reduce_window, init_value=0.0, computation=lax.add, padding="VALID")
    assert counted(lambda x: window(x, window_dimensions=(2, 2), window_strides=(2, 2)), (4, 4)) == 16


def test_operations_are_counted_where_they_repeat() -> None:
    assert counted(lambda x: lax.scan(lambda c, _: (c @ c, None), x, None, 5)[0], (4, 4)) == 5 * 128
    assert counted(lambda x: lax.cond(x[0, 0] > 0, lambda: x @ x, lambda: x + x), (4, 4)) == 128
    assert counted(lambda x: lax.while_loop(lambda c: c[0, 0] > 0, lambda c: c + c, x), (4, 4)) == 16
    assert counted(lambda x: lax.map(jnp.sin, x), (4, 4)) == 16
    doubled = ms.jit(ms.grad(lambda x: ops.matmul(x, x).sum())).graph(ones(4, 4)).jaxpr
    assert flops.products(doubled) == 3 * 128


def test_numbers_with_units() -> None:
    assert [short(n) for n in (0, 999, 1820, 1.82e9, 4e15)] == ["0", "999", "1.82 k", "1.82 G", "4e+03 T"]
    assert [size(n) for n in (12, 44_700_000)] == ["12 B", "44.7 MB"]


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match=r"summary: net must be a Cell, got "):
        ms.summary(lambda x: x, ones(1))  # type: ignore[arg-type]


def test_it_is_no_name_of_mindspore() -> None:
    code = (
        "import sporax; sporax.compat.install(); import mindspore; names = {}; exec('from mindspore import *', names); "
        "print('summary' in dir(mindspore), 'summary' in names, 'summary' in dir(sporax), 'Model' in names)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True", "True"]
