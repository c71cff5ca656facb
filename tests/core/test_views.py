"""Views: what is written into one reaches what it is a view of, and the other way round."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import view_runs

import sporax as ms
from sporax import Parameter, Tensor, mint, nn, ops


def tensor(*shape: int) -> Tensor:
    return Tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


# --- the law ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(4))
def test_writes_through_views_are_those_of_pytorch(part: int) -> None:
    """Every view, write, mode, Tensors and Parameters, values and gradients; `tools/views.py` runs all of them."""
    found = [(what, said) for what, verdict, said in view_runs.verdicts(241, 60 * part) if verdict == "different"]
    assert found == []


# --- what the law does not have -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view", [lambda t: t.real(), lambda t: t.imag(), lambda t: t.H, lambda t: t.mH.imag(), lambda t: t[0].real()]
)
def test_parts_of_complex_tensors(view: Callable[[Any], Any]) -> None:
    values = np.array([[1 + 2j, 3 - 1j], [2j, 5]], np.complex64)
    x = Tensor(values)
    v = view(x)
    v[0] = 7.0
    v.mul_(2.0)

    class Like(torch.Tensor):
        real = lambda self: torch.real(self.as_subclass(torch.Tensor)).as_subclass(Like)  # type: ignore[assignment]
        imag = lambda self: torch.imag(self.as_subclass(torch.Tensor)).as_subclass(Like)  # type: ignore[assignment]

    y = torch.tensor(values).as_subclass(Like)
    u = view(y)
    u[0] = 7.0
    u.mul_(2.0)
    assert np.array_equal(x.asnumpy(), y.as_subclass(torch.Tensor).numpy())
    assert np.array_equal(v.asnumpy(), u.as_subclass(torch.Tensor).resolve_conj().resolve_neg().numpy())


@pytest.mark.parametrize("run", [lambda fn: fn, ms.jit], ids=["pynative", "graph"])
@pytest.mark.parametrize(
    ("here", "there"),
    [
        (np.s_[1:], np.s_[:-1]),
        (np.s_[:-1], np.s_[1:]),
        (np.s_[:, 1:], np.s_[:, :-1]),
        (np.s_[1:, :2], np.s_[:-1, 1:3]),
    ],
)
def test_a_value_that_shares_the_memory_is_read_first(run: Callable[[Any], Any], here: Any, there: Any) -> None:
    def shift(x: Tensor) -> Tensor:
        x[here] = x[there]
        return x

    expected = tensor(4, 5).asnumpy().copy()
    expected[here] = expected[there].copy()
    assert np.array_equal(run(shift)(tensor(4, 5)).asnumpy(), expected)


def test_a_view_of_what_cannot_be_viewed_is_a_copy() -> None:
    """PyTorch refuses `view` where `reshape` copies; MindSpore copies in both."""
    x = tensor(3, 4)
    for copied in (
        x.T.view(-1),
        x.T.reshape(-1),
        x.T.flatten(),
        x.broadcast_to((2, 3, 4)).reshape(-1),
        x.T.contiguous(),
    ):
        copied[0] = 77.0
        copied.add_(1.0)
    assert np.array_equal(x.asnumpy(), tensor(3, 4).asnumpy())


def test_how_elements_lie_in_memory() -> None:
    x, y = tensor(3, 4), torch.arange(12.0).reshape(3, 4)
    for view in (
        lambda t: t, lambda t: t.T, lambda t: t[1:, ::2], lambda t: t[2], lambda t: t.T[1:], lambda t: t.diagonal(1),
        lambda t: t[:, None].broadcast_to((3, 5, 4)), lambda t: t.split(1)[1], lambda t: t.T.reshape(-1),
    ):  # fmt: skip
        mine, theirs = view(x), view(y)
        assert tuple(mine.stride()) == theirs.stride() and mine.storage_offset() == theirs.storage_offset()
        assert mine.is_contiguous() == theirs.is_contiguous()
    assert x.contiguous() is x and x.T.stride(0) == 1 and Tensor(np.zeros((0, 3))).T.is_contiguous()


def test_an_item_of_expanded_memory_can_be_written() -> None:
    for mode in (lambda f: f, ms.jit):
        x = mode(_write_an_item)(tensor(2, 1))
        assert x.asnumpy().tolist() == [[0], [9]]


def _write_an_item(x: Tensor) -> Tensor:
    wide = x.expand(2, 3)
    wide[1, 2] = 9.0
    return x


@pytest.mark.parametrize("mode", [lambda f: f, ms.jit])
@pytest.mark.parametrize(
    ("write", "what"),
    [
        (lambda v: v.add_(1.0), "Tensor.add_"),
        (lambda v: v.__setitem__(0, 1.0), "Tensor.__setitem__"),
        (lambda v: ops.assign(v, v + 1), "ops.assign"),
        (lambda v: ops.relu(v, inplace=True), "ops.relu"),
        (mint.nn.functional.relu_, "an operator that works in place"),
        (nn.Dropout2d(0.5), None),
        (mint.nn.Dropout(0.5, inplace=True).set_train(), "DropoutExt"),
    ],
)
def test_expanded_memory_is_not_written(mode: Any, write: Callable[[Any], Any], what: str | None) -> None:
    def run(x: Tensor) -> Tensor:
        write(x.expand(2, 3, 4, 4))
        return x

    if what is None:
        mode(run)(tensor(4, 4))
        return
    with pytest.raises(
        RuntimeError, match=rf"{what}: float32\[.*3, 4, 4\] is a view of which several elements are one"
    ):
        mode(run)(tensor(4, 4))


def test_what_a_gradient_is_taken_by_is_not_written() -> None:
    """As in MindSpore and PyTorch, in PyNative mode; graphs write into what stands for it, and Parameters may be written."""

    def item(x: Tensor) -> Tensor:
        x[0] = 5.0
        return (x * x).sum()

    def method(x: Tensor) -> Tensor:
        x.mul_(3.0)
        return (x * x).sum()

    def view(x: Tensor) -> Tensor:
        x.view(-1)[1:].exp_()
        return x.sum()

    for fn, of, what in (
        (item, "an input", "__setitem__"),
        (method, "an input", "mul_"),
        (view, "a view of an input", "exp_"),
    ):
        with pytest.raises(
            RuntimeError, match=rf"Tensor.{what}: float32\[.\] is {of} by which a gradient is being taken"
        ):
            ms.grad(fn)(tensor(3))
    assert ms.jit(ms.grad(item))(tensor(3) + 1).asnumpy().tolist() == [0, 4, 6]
    weight = Parameter(tensor(3), name="weight")

    def of_weight(x: Tensor) -> Tensor:
        weight[0] = 5.0
        return (weight * x).sum()

    assert ms.grad(of_weight, None, [weight])(tensor(3) + 1)[0].asnumpy().tolist() == [1, 2, 3]


def test_a_view_that_was_looked_at_still_has_its_gradient() -> None:
    def loss(x: Tensor) -> Tensor:
        y = x * 1
        v = y[0]
        y.mul_(3.0)
        with ms._no_grad():
            v.asnumpy()
        return (v * v).sum()

    assert ms.grad(loss)(tensor(2, 2) + 1).asnumpy().tolist() == [[18, 36], [0, 0]]


def test_writes_of_graphs_and_optimizers_show_in_views() -> None:
    weight = Parameter(tensor(4), name="weight")
    whole, first = weight.view(2, 2), weight[0:2]

    @ms.jit
    def step(x: Tensor) -> Tensor:
        ops.assign_add(weight, x)
        return weight.sum()

    step(Tensor(np.ones(4, np.float32)))
    assert whole.asnumpy().tolist() == [[1, 2], [3, 4]] and first.asnumpy().tolist() == [1, 2]
    nn.SGD([weight], 1.0)((Tensor(np.ones(4, np.float32)),))
    assert whole.asnumpy().tolist() == [[0, 1], [2, 3]] and first.asnumpy().tolist() == [0, 1]
    ops.assign(weight, Tensor(np.full(4, 9, np.float32)))
    assert first.asnumpy().tolist() == [9, 9]
    whole[1] = 5.0
    assert weight.asnumpy().tolist() == [9, 9, 5, 5]


def test_another_shape_or_dtype_leaves_views_as_they_are() -> None:
    weight = Parameter(tensor(4), name="weight")
    view = weight[1:]
    weight[1] = 7.0
    weight.set_data(tensor(2, 2))
    assert view.asnumpy().tolist() == [7, 2, 3] and view._view is None
    x = tensor(4)
    view = x[1:]
    x.set_dtype(ms.float16)
    view[0] = 5.0
    assert x.asnumpy().tolist() == [0, 1, 2, 3] and view.dtype == ms.float32


def test_copies_share_nothing() -> None:
    """Nor do arrays of NumPy: `asnumpy` and `from_numpy` copy."""
    array = np.zeros(3, np.float32)
    x = Tensor.from_numpy(array)
    seen = x.asnumpy()
    for other in (x.copy(), x.clone(), Tensor(x), x + 0, x.value() + 0, Parameter(x, name="x")):
        other[0] = 5.0
    seen[1], array[2] = 5.0, 5.0
    assert not x.asnumpy().any()


def test_no_memory_is_held_for_views_that_are_gone() -> None:
    x = tensor(8, 8)
    kept = [x[i] for i in range(8)]
    for i in range(10_000):
        x[i % 8]
    assert len(x._views or ()) < 100
    source = weakref.ref(x)
    del x
    assert source() is not None  # as in PyTorch: a view keeps what it is a view of
    kept[0][0] = 5.0
    del kept
    gc.collect()
    assert source() is None


def test_threads_read_and_make_views_of_one_tensor() -> None:
    x = tensor(16, 4)
    made: list[Tensor] = []

    def work(n: int) -> None:
        for i in range(200):
            made.append(x[(n + i) % 16])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    x.fill_(3.0)
    assert all((v.asnumpy() == 3).all() for v in made)


def test_a_graph_that_fails_leaves_views_as_they_were() -> None:
    x = tensor(4)
    v = x[1:]

    @ms.jit
    def fails() -> Tensor:
        x[1] = 9.0
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fails()
    assert v.asnumpy().tolist() == [1, 2, 3] and x.asnumpy().tolist() == [0, 1, 2, 3]


def test_branches_and_loops_of_graphs_write_through_views() -> None:
    @ms.jit
    def run(x: Tensor) -> tuple[Tensor, Tensor]:
        x = x * 1
        row, column = x[0], x.T[1]
        if x.sum() > 0:
            row[1] = 50.0
        else:
            column.zero_()
        while row[0] < 3:
            row.add_(1.0)
        return x, column

    x, column = run(tensor(2, 2))
    assert x.asnumpy().tolist() == [[3, 53], [2, 3]] and column.asnumpy().tolist() == [53, 3]
    x, column = run(-tensor(2, 2))
    assert x.asnumpy().tolist() == [[3, 3], [-2, 0]] and column.asnumpy().tolist() == [3, 0]


# --- where a graph cannot follow --------------------------------------------------------------------------------------


def _chosen_item(x: Tensor) -> tuple[Tensor, Tensor]:
    x = x * 1
    y = x[0] if x.sum() > 0 else x[1]
    y[0] = 50.0
    return x, y


def _other_name(x: Tensor) -> tuple[Tensor, Tensor]:
    x = x * 1
    if x.sum() > 0:
        y = x
    else:
        y = x * 2
    y[0] = 50.0
    return x, y


def _two_of_a_branch(x: Tensor) -> tuple[Tensor, Tensor]:
    if x.sum() > 0:
        y = x * 3
        v = y[0]
    else:
        y = x * 2
        v = y[1]
    v[0] = 9.0
    return y, v


def _carried(x: Tensor) -> tuple[Tensor, Tensor]:
    x = x * 1
    last = x[0]
    while (last.sum() < 10) & (x.sum() < 30):
        x[1] = last + x[1] + 1
        last = x[1]
    last[0] = 7.0
    return x, last


def _read_after_a_write(x: Tensor) -> tuple[Tensor, Tensor]:
    x = x * 1
    row = x[0]
    while x.sum() < 20:
        before = row
        x[0] = x[0] + 1
        row = before * 1
    return x, row


@pytest.mark.parametrize(
    ("program", "sign"),
    [
        *[(program, sign) for program in (_chosen_item, _other_name, _two_of_a_branch) for sign in (1, -1)],
        (_carried, 1),
        (_read_after_a_write, 1),
    ],
)
def test_what_a_graph_does_not_know_runs_uncompiled(program: Callable[[Any], Any], sign: int) -> None:
    """One warning says at which line; the numbers are right."""
    want = program(tensor(2, 2) * sign)
    with pytest.warns(UserWarning, match=r"test_views\.py:\d+: .*that a branch or a loop selected.* copy\(\) it first"):
        got = ms.jit(program)(tensor(2, 2) * sign)
    for w, g in zip(want, got, strict=True):
        assert np.array_equal(w.asnumpy(), g.asnumpy())
    with pytest.raises(Exception, match="that a branch or a loop selected"):
        ms.jit(program, fullgraph=True)(tensor(2, 2) * sign)


def test_what_a_branch_makes_itself_is_written_in_the_graph() -> None:
    @ms.jit(fullgraph=True)
    def run(x: Tensor) -> Tensor:
        x = x * 1
        if x.sum() > 0:
            x = x * 2
        x[0] = 50.0
        out = ops.zeros((2, 2))
        for i in range(2):
            if x.sum() > i:
                row = x[0] * i
            else:
                row = x[1]
            out[i] = row
        return x + out

    assert run(tensor(2, 2)).asnumpy().tolist() == [[50, 50], [54, 56]]


class _ViewOfParameter(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), name="weight")
        self.row = self.weight[0]


class _Reads(_ViewOfParameter):
    def construct(self, x: Any) -> Any:
        return (self.row * x).sum()


class _Writes(_ViewOfParameter):
    def construct(self, x: Any) -> Any:
        self.row.add_(x)
        return self.weight.sum() + self.row.sum()


class _WritesWithBuffers(_ViewOfParameter):
    def __init__(self) -> None:
        super().__init__()
        self.total = Tensor(0.0)
        self.buffer = Tensor(np.zeros((2, 3), np.float32))
        self.inner = self.buffer[0][1:]

    def construct(self, x: Any) -> Any:
        self.weight.add_(x)
        self.total = self.total + x
        self.inner.add_(x)
        self.buffer[0] = self.buffer.sum() + self.total
        return self.weight.sum() + self.row.sum() + self.inner.sum()


@pytest.mark.parametrize("keeps_memory", [True, False])
@pytest.mark.parametrize("make", [_Reads, _Writes, _WritesWithBuffers])
def test_views_that_cells_hold(make: Callable[[], Any], keeps_memory: bool) -> None:
    answers = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        net = make()
        found = [float(net(Tensor(1.0))) for _ in range(3)]
        if keeps_memory:
            ops.assign(net.weight, net.weight * 2)
        else:
            net.weight.set_data(net.weight * 2)
        found += [float(net(Tensor(1.0))) for _ in range(3)]
        answers.append((found, net.row.asnumpy().tolist(), net.weight.asnumpy().tolist()))
    assert answers[0] == answers[1]
    assert (answers[0][1] == answers[0][2][0]) is keeps_memory


@pytest.mark.parametrize(
    "write",
    [
        lambda x, value: x.set_data(value) if isinstance(x, ms.Parameter) else x.assign_value(value),
        lambda x, value: x.assign_value(value),
    ],
)
@pytest.mark.parametrize("kind", [Tensor, ms.Parameter])
def test_other_memory_leaves_views_as_they_are(write, kind):
    x = kind(Tensor([1.0, 2.0, 3.0]))
    part, whole = x[1:], ops.stop_gradient(x)
    x[2] = 4.0
    write(x, Tensor([7.0, 8.0, 9.0]))
    assert part.asnumpy().tolist() == [2.0, 4.0]
    assert whole.asnumpy().tolist() == [1.0, 2.0, 4.0]
    x[0] = 5.0
    assert whole.asnumpy().tolist() == [1.0, 2.0, 4.0]
    whole[1] = 0.0
    assert x.asnumpy().tolist() == [5.0, 8.0, 9.0]


def test_a_view_with_other_memory_is_a_tensor_of_its_own():
    x = Tensor([1.0, 2.0])
    x.view(2, 1).assign_value(Tensor([[3.0], [4.0]]))
    assert x.asnumpy().tolist() == [1.0, 2.0]
