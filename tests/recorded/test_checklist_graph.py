"""Rows 83 to 92 of `docs/checklist.md`, graph mode, each in both modes; expected values are NumPy's, torch's or the guide's."""

import contextlib
import functools
import inspect
import math
import operator
import re
import subprocess
import sys
import traceback
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.special
import torch
from checklist import falls_back, listening, plain
from training import model, printed, rows

import sporax as ms
from sporax import GRAPH_MODE, PYNATIVE_MODE, Parameter, Tensor, amp, nn, ops
from sporax._src.base.errors import CompileFallback
from sporax._src.transform import capture

HERE = __file__.replace(".", r"\.")


def run(mode: int, fn: Any, *args: Any) -> Any:
    """Call a function: in PyNative mode as it is, in GRAPH_MODE as one graph or not at all."""
    return (ms.jit(fn, fullgraph=True) if mode == GRAPH_MODE else fn)(*args)


def line_of(fn: Any, text: str) -> int:
    """Return the number of the line of a function that holds a text."""
    lines, first = inspect.getsourcelines(fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


# --- row 83: the two modes ------------------------------------------------------------------------------------------------


class Small(nn.Cell):
    """tanh(x·w), with w = 0.5."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(3, 2, weight_init=0.5, has_bias=False)

    def construct(self, x):
        return ops.tanh(self.fc(x))


X = np.array([[1.0, 2.0, 3.0]], np.float32)


def test_row83_mode_switch(mode) -> None:
    """One net, one result, whatever the mode and however often it changes; `jit` compiles functions, methods and Cells."""
    net, want = Small(), np.tanh(X @ np.full((3, 2), 0.5))
    other = GRAPH_MODE + PYNATIVE_MODE - mode
    for chosen in (mode, other, mode):
        ms.set_context(mode=chosen)
        assert ms.get_context("mode") == chosen
        np.testing.assert_allclose(net(Tensor(X)).asnumpy(), want, rtol=1e-6)
        loss, grads = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(Tensor(X))
        np.testing.assert_allclose(loss.asnumpy(), want.sum(), rtol=1e-6)
        np.testing.assert_allclose(grads[0].asnumpy(), (1 - want.T**2) * X, rtol=1e-4)

    class Compiled(Small):
        @ms.jit
        def construct(self, x):
            return ops.tanh(self.fc(x))

    for compiled in (ms.jit(net), ms.jit(lambda x: net(x)), ms.jit(net.construct), Compiled()):
        np.testing.assert_allclose(compiled(Tensor(X)).asnumpy(), want, rtol=1e-6)


class Sorting(nn.Cell):
    """Runs in PyNative mode only: NumPy sorts its input."""

    def construct(self, x):
        return Tensor(np.sort(x.asnumpy()))


def test_row83_what_cannot_compile_names_line_and_remedy(mode) -> None:
    """A net that PyNative mode takes and a graph does not still answers, and says where and what to do."""
    number = line_of(Sorting, "np.sort")
    with falls_back(mode, rf"{HERE}:{number}: .*Use the function of ops in place of NumPy's\."):
        assert plain(Sorting()(Tensor([2.0, 1.0]))) == [1.0, 2.0]


# --- row 84: conditions on data -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("score", "want"), [(0.0, -1.0), (2.0, 20.0)])
def test_row84_early_return(score, want, mode) -> None:
    """`if response == 0: return ...` inside a compiled function, in one graph for both answers."""

    def rated(response, x):
        if response == 0:
            return -ops.ones_like(x)
        scaled = x * response
        return scaled * 5

    assert run(mode, rated, Tensor(score), Tensor(2.0)).item() == want


@pytest.mark.filterwarnings("error::sporax._src.base.errors.CompileFallback")
def test_row84_update_skipped_on_overflow(mode) -> None:
    """`if all_finite(grads): optimizer(grads)` inside `jit`: an overflow changes neither weights nor moments."""
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    optimizer = nn.Momentum([w], 0.5, 0.5)
    gradient = ms.value_and_grad(lambda x: (w * x).sum(), None, [w])

    @ms.jit
    def step(x):
        loss, grads = gradient(x)
        finite = amp.all_finite(grads)
        if finite:
            optimizer(grads)
        return loss, finite

    assert plain(step(Tensor([1.0, 1.0]))) == (3.0, True)
    kept = [plain(p.value()) for p in optimizer.get_parameters()]
    assert plain(w.value()) == [0.5, 1.5]
    for bad in (np.inf, np.nan):
        assert plain(step(Tensor([1.0, bad])))[1] is False
        assert [plain(p.value()) for p in optimizer.get_parameters()] == kept
    step(Tensor([1.0, 1.0]))
    assert plain(w.value()) == [-0.25, 0.75]  # the moment is 1.5: of two updates, not of four


@pytest.mark.filterwarnings("error::sporax._src.base.errors.CompileFallback")
def test_row84_what_an_optimizer_returns_beside_false(mode) -> None:
    """`succ = False` on one path and `succ = optimizer(grads)` on the other tell whether the update was made."""
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    optimizer = nn.SGD([w], 0.5)

    @ms.jit
    def step(x):
        if x.sum() > 10:
            succ = False
        else:
            succ = optimizer((x,))
        return ops.depend(x.sum(), succ), succ

    assert plain(step(Tensor([1.0, 1.0])))[0] == 2.0 and plain(w.value()) == [0.5, 1.5]
    loss, made = step(Tensor([10.0, 1.0]))
    assert plain(loss) == 11.0 and not made and plain(w.value()) == [0.5, 1.5]


# --- row 85: other libraries in a graph -----------------------------------------------------------------------------------


def test_row85_libraries_on_constants(mode) -> None:
    """What NumPy, SciPy and math compute of constants is a constant of the graph."""

    def weighted(x):
        table = np.cumsum(np.arange(3, dtype=np.float32)) * math.pi
        return x * Tensor(table) + float(scipy.special.gamma(5.0)) + x.shape[0]

    want = X[0] * np.array([0, 1, 3], np.float32) * np.float32(math.pi) + 24 + 3
    np.testing.assert_allclose(run(mode, weighted, Tensor(X[0])).asnumpy(), want, rtol=1e-6)


def through_asnumpy(x):
    return Tensor(np.linalg.norm(x.asnumpy()))


def through_array(x):
    return x * 0 + Tensor(np.linalg.norm(x))


def through_scipy(x):
    return ops.sqrt(Tensor(scipy.special.gamma(x.asnumpy()) * 0 + 14))[:1].sum()


def through_item(x):
    return ops.sqrt(x * 0 + math.fsum([v * v for v in x.tolist()])).max()


NUMPYS, CONVERTED = (
    r"Use the function of ops in place of NumPy's\.",
    r"Return the Tensor, and convert it outside of the graph\.",
)
OTHERS = {through_asnumpy: NUMPYS, through_array: NUMPYS, through_scipy: NUMPYS, through_item: CONVERTED}


def notice(program: Any) -> str:
    """Return the pattern of what is said of a program: its name, the file and line that asked for a value, the remedy."""
    number = program.__code__.co_firstlineno + 1
    return rf"(?s){program.__name__} .*{HERE}:{number}: .*{OTHERS[program]}"


@pytest.mark.parametrize("program", OTHERS, ids=lambda p: p.__name__)
def test_row85_libraries_on_traced_values(program, mode) -> None:
    """On traced values the call runs in PyNative mode, with one warning that names function, file, line and remedy."""
    x, compiled = Tensor([1.0, 2.0, 3.0]), ms.jit(program)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(2):
            np.testing.assert_allclose(compiled(x).asnumpy(), math.sqrt(14), rtol=1e-6)
    assert [w.category for w in seen] == [CompileFallback] and seen[0].filename == __file__
    assert re.match(notice(program), str(seen[0].message))


@pytest.mark.parametrize("program", OTHERS, ids=lambda p: p.__name__)
def test_row85_fullgraph(program, mode) -> None:
    """With `fullgraph=True` the text of the warning is raised instead."""
    with pytest.raises(Exception, match=notice(program)):
        ms.jit(program, fullgraph=True)(Tensor([1.0, 2.0, 3.0]))


# --- row 86: Python in a graph --------------------------------------------------------------------------------------------


def loops(x):
    """for, while, break and continue, with plain and with traced conditions."""
    total = x * 0
    for i in range(10):
        if i == 2:
            continue
        if i > 4:
            break
        total = total + i * x
    n = 0
    while True:
        n += 1
        if n >= 3:
            break
    total = total + n
    while total < 100:
        total = total * 2
        if total > 60:
            break
    return total


def comprehensions(x):
    """List, dict, set and generator forms, nested and filtered."""
    squares = {k: x**k for k in (1, 2) if k}
    return (
        sum([x * i for i in range(4) if i != 1]) + squares[2] + len({k % 2 for k in (1, 2, 3)}) + sum(v for v in [x, x])
    )


def containers(x):
    """dict, list, tuple, None; unpacking; methods of containers."""
    d = {"a": x, "none": None}
    d["b"] = d["a"] * 2
    d.update(c=x + 1)
    first, *rest = [d[k] for k in ("a", "b", "c")]
    rest.append(first)
    rest.insert(0, x)
    last = rest.pop()
    (p, q), r = (first, last), rest[-1]
    p += q
    return p + r + (0 if d.get("none") is None and "zz" not in d else 1000)


def strings(x):
    """f-strings and methods of strings choose what is computed."""
    name = f"{x.ndim}-{x.dtype}-{'a,b'.split(',')[1].upper():>2}"
    return x if name == "0-Float32- B" else x * 0


def called(x, *numbers, k=1, **more):
    """*args and **kwargs."""
    return x + sum(numbers) * k + more.get("z", 0)


def arguments(x):
    """Calls with *args, **kwargs and defaults."""
    options = {"z": 5}
    return called(x, 1, *[2, 3], k=2, **options)


def functions(x):
    """Closures, nonlocal, partial, lambda, map, zip, recursion."""
    factor, count = 5, 0

    def scaled(v, by=factor):
        nonlocal count
        count += 1
        return v * by

    def power(v, n):
        return v if n == 1 else v * power(v, n - 1)

    mapped = [a + b for a, b in zip(map(scaled, [x, x]), (1, 2), strict=True)]
    return functools.partial(operator.add, 1)(mapped[1]) + (lambda v, w=2: v * w)(x) + power(x, 3) + count


def checks(x):
    """assert and raise on what is known while the graph is built; try and with."""
    assert x.shape == (), "scalar"
    if x.ndim != 0:
        raise ValueError("rank")
    try:
        {}["missing"]
    except KeyError:
        x = x + 1
    finally:
        x = x * 2
    with contextlib.nullcontext(3) as three:
        return x * three


def choices(x):
    """Conditional expressions, and, or, not, chained comparison, in, is, walrus."""
    y = x + 1 if x > 0 and not x > 100 else x - 1
    y = y + (10 if 0 < x < 5 or x > 50 else 20)
    if (rank := x.ndim) in (0, 1):
        y = y + rank
    if x is not None and isinstance(x, Tensor):
        y = y + 0
    return y * 2


def nested_choices(x):
    """A conditional expression in another."""
    return x * 5 if x > 10 else (x * 2 if x > 2 else x * 3)


def updates(x):
    """Items of a Tensor updated in place, under a condition and beside one."""
    y = ops.zeros((3,), ms.float32)
    y[0] += x
    if x > 0:
        y[1] = x
        y[1:] *= 4
    return y.sum()


@ms.jit_class
class Line:
    """A class of the program's own, with attributes, methods and operators."""

    def __init__(self, slope: float) -> None:
        self.slope = slope

    def at(self, x):
        return self.slope * x

    def __call__(self, x):
        return self.at(x) + 1

    def __add__(self, other):
        return Line(self.slope + other.slope)


LINE = Line(4.0)


def classes(x):
    """Objects made outside and inside of the graph."""
    return LINE(x) + (LINE + Line(2.0)).at(x)


PROGRAMS = {loops: 108.0, comprehensions: 32.0, containers: 10.0, strings: 3.0, arguments: 20.0, functions: 53.0, checks: 24.0,
            choices: 28.0, nested_choices: 6.0, updates: 15.0, classes: 31.0}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_row86_python_in_a_graph(program, mode) -> None:
    """The forms of Python that programs use give in one graph what they give in Python, here by hand at x = 3."""
    assert run(mode, program, Tensor(3.0)).item() == PROGRAMS[program]


def matched(x):
    """`match` beside a condition on data."""
    match x.ndim:
        case 0:
            y = x * 2
        case _:
            y = x * 100
    return y + 1 if y > 0 else y


def loop_else(x):
    """`else` of a loop beside a condition on data."""
    for _ in range(2):
        x = x + 1
    else:
        x = x * 2
    return x if x > 0 else -x


@pytest.mark.filterwarnings("ignore::sporax._src.base.errors.CompileFallback")
@pytest.mark.parametrize(("program", "want"), [(matched, 7.0), (loop_else, 10.0)], ids=["match", "loop else"])
def test_row86_what_is_not_rewritten_still_answers(program, want, mode) -> None:
    """Forms that keep a function from being rewritten for conditions on data give their answer in PyNative mode."""
    assert ms.jit(program)(Tensor(3.0)).item() == want


@pytest.mark.filterwarnings("ignore::sporax._src.base.errors.CompileFallback")
def test_row86_assert_and_raise(mode) -> None:
    """What a program raises is raised: at once on what is known, on data when the condition holds."""

    def positive(x):
        assert x > 0, "must be positive"
        return x

    def small(x):
        if x > 10:
            raise OverflowError(f"too large for {x.ndim} axes")
        return x

    def scalar(x):
        if x.ndim:
            raise ValueError("must be a scalar")
        return x

    wrap = ms.jit if mode == GRAPH_MODE else lambda fn: fn
    for fn, good, bad, error, text in (
        (positive, 1.0, -1.0, AssertionError, "must be positive"),
        (small, 1.0, 11.0, OverflowError, "too large for 0 axes"),
        (scalar, 1.0, [1.0], ValueError, "must be a scalar"),
    ):
        checked = wrap(fn)
        assert checked(Tensor(good)).item() == good
        with pytest.raises(error, match=text):
            checked(Tensor(bad))


# --- row 87: errors, graphs, recompiles -----------------------------------------------------------------------------------


class Faulty(nn.Cell):
    """Multiplies shapes that do not fit."""

    def construct(self, x):
        y = x + 1
        return ops.matmul(y, y)


class FaultyBesideCondition(nn.Cell):
    """The same after a condition on data, for which a graph rewrites the code."""

    def construct(self, x):
        y = x + 1 if x.sum() > 0 else x
        return ops.matmul(y, y)


@pytest.mark.parametrize("net", [Faulty, FaultyBesideCondition])
def test_row87_error_names_the_line(net, mode) -> None:
    """An error of an operator names it and its operands, and leads to the line of the program that called it."""
    with pytest.raises(ValueError, match=r"ops\.matmul\(float32\[2, 3\], float32\[2, 3\]\): the last axis") as raised:
        net()(Tensor(np.ones((2, 3), np.float32)))
    where = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(raised.tb)]
    told = "\n".join([*where, *getattr(raised.value, "__notes__", ())])
    assert f"{__file__}:{line_of(net, 'ops.matmul')}" in told


def test_row87_graph_as_text(mode) -> None:
    """The captured graph and what XLA is given can be read."""
    graph = ms.jit(lambda x: ops.sin(x) * 2).graph(Tensor([1.0]))
    assert "sin" in str(graph.jaxpr) and "stablehlo.sine" in graph.lower().as_text()


def test_row87_graphs_as_files(mode, tmp_path) -> None:
    """`save_graphs` writes what was captured and what XLA is given, once for each graph."""
    ms.set_context(save_graphs=True, save_graphs_path=str(tmp_path))
    try:
        ms.jit(lambda x: ops.sin(x) * 2)(Tensor([1.0]))
    finally:
        ms.set_context(save_graphs=False)
    texts = [file.read_text() for file in sorted(tmp_path.iterdir())]
    assert any("sin(" in text for text in texts) and sum("stablehlo.sine" in text for text in texts) == 1


def test_row87_recompiles_are_logged(mode) -> None:
    """The log `sporax.recompile` tells what made another graph necessary: shapes and dtypes, before and after."""
    fn = ms.jit(lambda x: x * 2)
    with listening("sporax.recompile") as lines:
        fn(Tensor([1.0, 2.0]))
        before = len(lines)
        fn(Tensor([3.0, 4.0]))
        assert len(lines) == before  # the same graph
        fn(Tensor([1.0, 2.0, 3.0]))
        assert len(lines) == before + 1 and "lambda" in lines[-1] and "(3,)" in lines[-1]
        fn(Tensor([1, 2, 3]))
        assert len(lines) == before + 2 and "int64" in lines[-1]


# --- row 88: compile time -------------------------------------------------------------------------------------------------


def test_row88_first_step_is_told_apart(mode) -> None:
    """TimeMonitor shows the first step, which compiles, on its own, once."""
    lines = printed(lambda: model().train(2, rows(), callbacks=[ms.train.TimeMonitor()], dataset_sink_mode=False))
    assert lines == [
        "Train epoch time: T ms, per step time: T ms (first step, with compilation: T ms)",
        "Train epoch time: T ms, per step time: T ms",
    ]


RESTART = """
import jax
counts = {"hits": 0, "misses": 0}
def listen(event, **_):
    for kind in counts:
        counts[kind] += event == f"/jax/compilation_cache/cache_{kind}"
jax.monitoring.register_event_listener(listen)
import sporax as ms
ms.set_context(mode=int(__import__("sys").argv[1]))
fn = ms.jit(lambda x: ms.ops.tanh(x) * 3)
assert abs(fn(ms.Tensor(0.5)).item() - 1.3863515) < 1e-5
print("counts", counts["hits"], counts["misses"])
"""


def test_row88_cache_survives_a_restart(mode, tmp_path, monkeypatch) -> None:
    """A second start of a program finds on disk everything that the first one compiled."""
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path))
    found = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", RESTART, str(mode)], capture_output=True, text=True, check=True)
        found.append([int(n) for n in done.stdout.split("counts")[1].split()])
    (cold_hits, cold_misses), (warm_hits, warm_misses) = found
    assert cold_hits == 0 and cold_misses > 0 and warm_misses == 0 and warm_hits == cold_misses


def test_row88_synchronous_stack(mode) -> None:
    """`pynative_synchronize` is accepted and kept, and an error shows the operator that raised it, not a later one."""

    def program(x):
        y = ops.reshape(x, (2, 2))
        return y + 1

    ms.set_context(pynative_synchronize=True)
    try:
        assert ms.get_context("pynative_synchronize") is True
        assert plain(program(Tensor([1.0, 2.0, 3.0, 4.0]))) == [[2.0, 3.0], [4.0, 5.0]]
        with pytest.raises(ValueError, match=r"ops\.reshape\(float32\[3\]") as raised:
            program(Tensor([1.0, 2.0, 3.0]))
    finally:
        ms.set_context(pynative_synchronize=False)
    assert [f.name for f in traceback.extract_tb(raised.tb) if f.filename == __file__][-1] == "program"


# --- row 89: indexing -----------------------------------------------------------------------------------------------------

TABLE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
MASK = TABLE[:, :, 0] % 8 == 0
INDICES = {
    "int": 1,
    "negative": -1,
    "ints": (1, 2, 3),
    "slice": slice(None, 1),
    "step": (slice(None), slice(None, None, -2)),
    "ellipsis": (..., 2),
    "none": (None, 1, ..., None),
    "true": True,
    "list": [1, 0, 1],
    "tensor": np.array([1, 0]),
    "pair": (np.array([0, 1]), np.array([2, 0])),
    "mixed": (slice(None), [2, 0], slice(1, 3)),
    "apart": (np.array([0, 1]), slice(None), np.array([3, 1])),
    "column": (np.array([[0], [1]]), np.array([2, 0])),
    "mask": MASK,
    "full mask": TABLE > 11,
}


def as_tensors(index: Any) -> Any:
    """Return an index with its arrays as Tensors."""
    if isinstance(index, np.ndarray):
        return Tensor(index)
    return tuple(map(as_tensors, index)) if isinstance(index, tuple) else index


@pytest.mark.parametrize("case", INDICES)
def test_row89_read(case, mode) -> None:
    """Every kind of index reads what NumPy reads; indices are constants of the graph."""
    index = INDICES[case]
    constant = as_tensors(index)
    got = run(mode, lambda x: x[constant], Tensor(TABLE))
    np.testing.assert_array_equal(got.asnumpy(), TABLE[index])


@pytest.mark.parametrize("case", INDICES)
def test_row89_assign(case, mode) -> None:
    """Every kind of index is assigned to as NumPy does, plainly and augmented; the argument itself stays as it was."""
    at = as_tensors(INDICES[case])

    def assigned(x, at):
        a, b, c = x * 1, x * 1, x * 1
        a[at] = -1.0
        b[at] += 10
        c[at] *= 2.0
        return a, b, c

    x = Tensor(TABLE)
    got = run(mode, lambda x: assigned(x, at), x)
    for g, want in zip(got, assigned(TABLE, INDICES[case]), strict=True):
        np.testing.assert_array_equal(g.asnumpy(), want)
    np.testing.assert_array_equal(x.asnumpy(), TABLE)


def test_row89_traced_indices(mode) -> None:
    """Indices and masks that are arguments stay in the graph wherever the result's shape does not depend on them."""

    def program(x, i, rows, mask):
        y = x * 1
        y[mask] = 0.0
        y[i] += 100.0
        return y, x[i], x[rows], x[:, i]

    arguments = Tensor(TABLE), Tensor(1), Tensor([1, 0, 1]), Tensor(MASK)
    want = TABLE.copy()
    want[MASK] = 0
    want[1] += 100
    got = run(mode, program, *arguments)
    for g, w in zip(got, (want, TABLE[1], TABLE[[1, 0, 1]], TABLE[:, 1]), strict=True):
        np.testing.assert_array_equal(g.asnumpy(), w)


def test_row89_variable_slice_bound(mode) -> None:
    """A slice bound that is a Tensor works in PyNative mode; a graph falls back and says so, or masks instead."""
    x, k = Tensor(TABLE[0, 0]), Tensor(2)

    def head(x, k):
        return x[:k]

    def masked(x, k):
        return ops.where(ops.arange(4) < k, x, Tensor(0.0))

    fn = ms.jit(head) if mode == GRAPH_MODE else head
    with falls_back(mode, rf"head runs in PyNative mode: {HERE}:{line_of(head, 'x[:k]')}.*masks"):
        assert plain(fn(x, k)) == [0.0, 1.0]
    assert plain(fn(x, Tensor(3))) == [0.0, 1.0, 2.0]
    assert plain(run(mode, masked, x, k)) == [0.0, 1.0, 0.0, 0.0]


# --- row 90: shapes that depend on data -----------------------------------------------------------------------------------

M = Tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
TOP = ([[3.0, 2.0], [5.0, 4.0]], [[0, 2], [1, 2]])
SUMS = Tensor([1.0, 2.0, 4.0]), Tensor([0, 2, 0])
LOWEST = float(np.finfo(np.float32).min)  # of an empty segment, as in MindSpore
STAYS = {  # the shape is known: one graph
    "gather": (lambda x, i: ops.gather(x, i, 1), (M, Tensor([2, 0])), [[2.0, 3.0], [4.0, 0.0]]),
    "unsorted_segment_sum": (lambda v, s: ops.unsorted_segment_sum(v, s, 3), SUMS, [5.0, 0.0, 2.0]),
    "unsorted_segment_max": (lambda v, s: ops.unsorted_segment_max(v, s, 3), SUMS, [4.0, LOWEST, 2.0]),
    "where": (lambda x: ops.where(x > 2, x, Tensor(0.0)), (M,), [[3.0, 0.0, 0.0], [0.0, 5.0, 4.0]]),
    "topk": (lambda x: ops.topk(x, 2), (M,), TOP),
    "reduce": (lambda x: ops.reduce_sum(x, 1), (M,), [6.0, 9.0]),
    "transpose": (lambda x: ops.transpose(x, (1, 0)), (M,), [[3.0, 0.0], [1.0, 5.0], [2.0, 4.0]]),
}
FALLS_BACK = {  # a Tensor decides on the shape
    "slice": (lambda x, k: x[:, :k], (M, Tensor(2)), [[3.0, 1.0], [0.0, 5.0]]),
    "topk k": (lambda x, k: ops.topk(x, k), (M, Tensor(2)), TOP),
    "TopK k": (lambda x, k: ops.TopK()(x, k), (M, Tensor(2)), TOP),
    "gather length": (lambda x, i, k: ops.gather(x, i[:k], 1), (M, Tensor([2, 0, 1]), Tensor(1)), [[2.0], [4.0]]),
    "segment count": (lambda v, s, n: ops.unsorted_segment_sum(v, s, n), (*SUMS, Tensor(3)), [5.0, 0.0, 2.0]),
    "reduce axis": (lambda x, a: ops.reduce_sum(x, a), (M, Tensor(1)), [6.0, 9.0]),
    "ReduceMean axis": (lambda x, a: ops.ReduceMean()(x, a), (M, Tensor([0])), [1.5, 3.0, 3.0]),
    "transpose axes": (lambda x, a: ops.transpose(x, a), (M, Tensor([1, 0])), [[3.0, 0.0], [1.0, 5.0], [2.0, 4.0]]),
    "unique": (lambda x: ops.unique(x), (Tensor([3, 1, 2, 1]),), ([3, 1, 2], [0, 1, 2, 1])),
    "masked_select": (lambda x: ops.masked_select(x, x > 2), (M,), [3.0, 5.0, 4.0]),
    "mask as index": (lambda x: x[x > 2], (M,), [3.0, 5.0, 4.0]),
    "nonzero": (lambda x: ops.nonzero(x > 2), (M,), [[0, 0], [1, 1], [1, 2]]),
}


@pytest.mark.parametrize("case", STAYS)
def test_row90_known_shapes_stay_in_the_graph(case, mode) -> None:
    """Where only values vary the families are exact, and a graph keeps them."""
    fn, arguments, want = STAYS[case]
    assert plain(run(mode, fn, *arguments)) == want


@pytest.mark.parametrize("case", FALLS_BACK)
def test_row90_dynamic_shapes_fall_back(case, mode) -> None:
    """Where values decide on a shape they are exact in PyNative mode; a graph falls back, and says what keeps shapes."""
    fn, arguments, want = FALLS_BACK[case]
    call = ms.jit(fn) if mode == GRAPH_MODE else fn
    with falls_back(mode, rf"{HERE}:{fn.__code__.co_firstlineno}: .*[Uu]se ops\.(cond|where)\b"):
        assert plain(call(*arguments)) == want


def test_row90_sampler(mode) -> None:
    """Drawing a fixed number of places keeps its shape: places above 2 in any order, then padding."""
    wanted = {(0, 0), (1, 1), (1, 2)}
    places, valid = run(mode, lambda x: ops.choice_with_mask(x > 2, 5), M)
    assert plain(valid) == [True, True, True, False, False]
    assert set(map(tuple, plain(places)[:3])) == wanted and places.shape == (5, 2)
    places, valid = run(mode, lambda x: ops.RandomChoiceWithMask(2)(x > 2), M)
    assert plain(valid) == [True, True] and set(map(tuple, plain(places))) < wanted


# --- row 91: masks instead of shapes --------------------------------------------------------------------------------------


def test_row91_boxes(mode) -> None:
    """`masked_select` picks torch's boxes; multiplied by the mask they keep their shape, in one graph."""
    rng = np.random.default_rng(0)
    box, score = rng.uniform(0, 1, (6, 4)).astype(np.float32), rng.permutation(6).astype(np.float32) / 6
    want = torch.from_numpy(box)[torch.from_numpy(score) > 0.3].numpy()
    assert 0 < len(want) < 6

    def selected(box, score):
        return ops.masked_select(box, (score > 0.3).expand_dims(1))

    def masked(box, score):
        mask = (score > 0.3).expand_dims(1)
        return box * mask, mask

    call = ms.jit(selected) if mode == GRAPH_MODE else selected
    with falls_back(mode, "use ops.where or ops.masked_fill, which keep the shape"):
        np.testing.assert_array_equal(call(Tensor(box), Tensor(score)).asnumpy().reshape(-1, 4), want)
    kept, mask = run(mode, masked, Tensor(box), Tensor(score))
    np.testing.assert_array_equal(kept.asnumpy()[mask.asnumpy()[:, 0]], want)
    np.testing.assert_allclose(
        run(mode, lambda b, m: b.sum() / m.sum(), kept, mask).asnumpy(), want.sum() / len(want), rtol=1e-6
    )


@pytest.mark.parametrize("objects", [[0.0, 0.0], [1.0, 2.0]])
def test_row91_select_instead_of_a_branch(objects, mode) -> None:
    """`select` on `equal` stands for an `if` that empties a loss; a mask for branches of two shapes."""

    def loss(objects, value):
        return ops.select(ops.equal(ops.reduce_sum(objects), 0), ops.zeros_like(value), value)

    assert run(mode, loss, Tensor(objects), Tensor([5.0, 6.0])).sum().item() == (11.0 if any(objects) else 0.0)

    def chosen(x):
        if (x > 0.5).any():
            mask = (x > 0.5).astype(x.dtype)
        else:
            mask = ops.zeros_like(x)
        return x * mask

    x = np.asarray(objects, np.float32)
    np.testing.assert_array_equal(run(mode, chosen, Tensor(x)).asnumpy(), np.where(x > 0.5, x, 0))


class HardestTorch(torch.nn.Module):
    """The mean cross entropy of the hardest 70 % of the positive samples."""

    def forward(self, pred, label):
        mask = label > 0
        each = torch.nn.functional.cross_entropy(pred, (label * mask).long(), reduction="none") * mask
        return torch.topk(each, k=int(torch.clamp(mask.sum() * 0.7, 1)))[0].mean()


class Hardest(nn.Cell):
    """The same with a mask: those that are at least the k-th largest."""

    def __init__(self) -> None:
        super().__init__()
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="none")
        self.sort = ops.Sort(descending=True)

    def construct(self, pred, label):
        mask = label > 0
        count = ops.maximum(mask.sum() * 0.7, 1).astype(ms.int32)
        each = self.loss(pred, (label * mask).astype(ms.int32)) * mask
        hardest = (each >= self.sort(each)[0][count - 1]).astype(each.dtype)
        return (each * hardest).sum() / hardest.sum()


@pytest.mark.filterwarnings("error::sporax._src.base.errors.CompileFallback")
def test_row91_loss_of_the_hardest(mode) -> None:
    """On the guide's five samples the loss is 0.7207; on more, torch's; one graph for every count of positives."""
    ms.set_seed(1)
    pred = np.random.uniform(0, 1, (5, 2)).astype(np.float32)
    label = np.array([-1, 0, 1, 1, 0], np.int32)
    net = Hardest()
    assert round(net(Tensor(pred), Tensor(label)).item(), 4) == 0.7207
    rng = np.random.default_rng(0)
    before = capture.compilations
    for _ in range(4):
        pred, label = rng.standard_normal((5, 2)).astype(np.float32), rng.integers(0, 2, 5).astype(np.int32)
        want = HardestTorch()(torch.from_numpy(pred), torch.from_numpy(label)).item()
        np.testing.assert_allclose(net(Tensor(pred), Tensor(label)).asnumpy(), want, rtol=1e-5)
    assert capture.compilations == before


# --- row 92: inputs of several shapes -------------------------------------------------------------------------------------


class MeanOfWords(nn.Cell):
    """A score for each sequence of words: the mean over its words, those of padding (0) left out."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(10, 4)
        self.score = nn.Dense(4, 1)

    def construct(self, words):
        mask = (words > 0).astype(ms.float32).expand_dims(-1)
        return self.score((self.table(words) * mask).sum(axis=1) / mask.sum(axis=1))


def step_of(net: nn.Cell) -> Any:
    """Return a training step of the net."""
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))


def padded(words: np.ndarray, sizes: tuple[int, ...]) -> Tensor:
    """Return words, filled up with 0 to the least size that holds them."""
    return Tensor(np.pad(words, ((0, 0), (0, next(s for s in sizes if s >= words.shape[1]) - words.shape[1]))))


def torch_losses(net: MeanOfWords, batches: list[np.ndarray], target: np.ndarray) -> list[float]:
    """Return the losses of the same steps in torch, without padding."""
    table, weight, bias = [torch.tensor(p.asnumpy(), requires_grad=True) for p in net.get_parameters()]
    optimizer = torch.optim.SGD([table, weight, bias], 0.1)
    found = []
    for words in batches:
        out = table[torch.from_numpy(words).long()].mean(1) @ weight.T + bias
        loss = torch.nn.functional.mse_loss(out, torch.from_numpy(target))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@pytest.mark.parametrize(("sizes", "graphs"), [((8,), 1), ((4, 8), 2), ((2, 3, 8), 3)])
def test_row92_one_graph_for_each_size(sizes, graphs, mode) -> None:
    """Padded to one size a step compiles once, to fixed sizes once for each; losses are torch's, without padding."""
    rng = np.random.default_rng(0)
    batches = [rng.integers(1, 10, (2, n)).astype(np.int32) for n in (3, 8, 3, 2, 7, 8, 1, 3)]
    target = np.array([[1.0], [-1.0]], np.float32)
    net = MeanOfWords()
    assert [p.name for p in net.get_parameters()] == ["table.embedding_table", "score.weight", "score.bias"]
    want = torch_losses(net, batches, target)
    step, before = step_of(net), capture.compilations
    got = [step(padded(words, sizes), Tensor(target)).item() for words in batches]
    in_pynative = 1  # the update of the optimizer, whatever the sizes
    assert capture.compilations - before == (graphs if mode == GRAPH_MODE else in_pynative)
    np.testing.assert_allclose(got, want, rtol=1e-5)
