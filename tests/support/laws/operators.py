"""Laws: what every row of a table must satisfy; a new row is tested by existing."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from laws.arrays import SPARSE, emptied, walk
from laws.samples import moved, parse, to_tensor, to_tensors, values_of
from sporax._src.base import config
from sporax._src.base.jax_compat import UNTRACEABLE, is_tracer
from sporax._src.core import tree
from sporax._src.core.execution import Execution, current
from sporax._src.core.generator import Generator, RandomState, default_generator, set_seed
from sporax._src.core.scope import Scope, tracing
from sporax._src.core.stateful import Stateful
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.core.views import root_of
from sporax._src.engine.table import Op
from sporax._src.transform import capture
from sporax._src.transform.differentiate import Plan
from sporax._src.transform.jit import jit

RTOL = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-12, "complex64": 1e-5, "complex128": 1e-12}
FLOATS = ("float16", "bfloat16", "float64")
OTHERS = ("int32", "int64", "uint8", "bool")
# What JAX says of LAPACK's kernels, which take float32 and float64 alone: the newest when it traces, others when they run.
FULL_PRECISION = ("does not accept dtype float16", "does not accept dtype bfloat16")
ERRORS = (TypeError, ValueError, RuntimeError, IndexError, KeyError, NotImplementedError)


class Findings(NamedTuple):
    """What the laws saw of a case.

    Attributes:
        value: The result.
        gradient: The gradients in float64 by the float operands.
        outlines: Dtypes and shapes of the results where the operands have another dtype, or none of their elements ("empty").
    """

    value: Any
    gradient: tuple[Tensor, ...]
    outlines: dict[str, str]


def leaves(value: Any) -> list[Tensor]:
    """Return the Tensors of a nested result."""
    found: list[Tensor] = []
    tree.flatten(value, is_tensor, found)
    return found


def assert_equal(got: Any, want: Any, *, rtol: float | None = None, label: str = "") -> None:
    """Compare two nested results of Tensors or NumPy arrays: shapes, dtypes and values."""
    got_leaves = leaves(got)
    want_leaves: list[Any] = []
    tree.flatten(want, lambda v: isinstance(v, (np.ndarray, np.generic, Tensor)), want_leaves)
    assert len(got_leaves) == len(want_leaves), f"{label}: {len(got_leaves)} results, expected {len(want_leaves)}"
    for g, w in zip(got_leaves, want_leaves, strict=True):
        w = np.asarray(w)
        assert g.shape == w.shape, f"{label}: shape {g.shape}, expected {w.shape}"
        close(g.asnumpy(), w, rtol or RTOL.get(g.asnumpy().dtype.name, 0), label)


def close(got: np.ndarray, want: np.ndarray, rtol: float, label: str) -> None:
    """Compare values relative to the largest of them."""
    if got.dtype.kind in "biu" and want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want, err_msg=label)
        return
    wide = np.complex128 if got.dtype.kind == "c" or want.dtype.kind == "c" else np.float64
    got, want = got.astype(wide), want.astype(wide)
    finite = want[np.isfinite(want)]
    scale = float(np.max(np.abs(finite))) if finite.size else 1.0
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * max(scale, 1e-3), err_msg=label)


def oracle(ref: str) -> Callable[..., Any]:
    """Return the NumPy, SciPy or torch function of a dotted name; torch functions take and give NumPy arrays."""
    parts = ref.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return _torch(found) if parts[0] == "torch" else found
    raise ModuleNotFoundError(ref)


def _torch(fn: Callable[..., Any]) -> Callable[..., Any]:
    import torch

    def convert(value: Any, to: Callable[[Any], Any], kind: type) -> Any:
        if isinstance(value, kind):
            return to(value)
        if isinstance(value, (tuple, list)):
            return tuple(convert(v, to, kind) for v in value)
        return value

    def call(*args: Any, **kwargs: Any) -> Any:
        args = tuple(convert(a, torch.from_numpy, np.ndarray) for a in args)
        return convert(
            fn(*args, **{k: convert(v, torch.from_numpy, np.ndarray) for k, v in kwargs.items()}),
            lambda t: t.numpy(),
            torch.Tensor,
        )

    return call


# The operators whose results are views of their operands, and those that return an operand itself.
SHARING = frozenset(
    "_flatten adjoint broadcast_to chunk diagonal dsplit expand expand_as expand_dims flatten hsplit imag inplace_sigmoid movedim "
    "narrow permute ravel real reshape split squeeze swapaxes swapdims t tensor_split transpose unbind unsqueeze unstack view_as "
    "vsplit coalesce csr_to_coo depend dropout dropout1d mixed_precision_cast stop_gradient".split()
)


def check_value(row: Op, case: str) -> tuple[Any, bool]:
    """The row's value is its reference's; return it, and whether writing into it would change an operand."""
    args, kwargs = parse(case)
    tensors, named = to_tensors(args), to_tensors(kwargs)
    got = row.public(*tensors, **named)
    if row.ref is not None:
        want = oracle(row.ref)(*args, **kwargs)
        assert_equal(got, want, rtol=row.tol, label=f"{row.name}({case})")
    else:
        assert all(np.isfinite(t.asnumpy().astype(np.complex128)).all() for t in leaves(got)), (
            f"{row.name}({case}) is not finite"
        )
    given = leaves((tensors, named))
    return got, any(root_of(result) is operand for result in leaves(got) for operand in given)


def check_modes(row: Op, case: str) -> None:
    """PyNative and graph agree, and the second call of the graph does not compile."""
    args, kwargs = parse(case)
    tensors, named = to_tensors(args), to_tensors(kwargs)
    set_seed(1)  # random operators draw the same in both modes
    eager = row.public(*tensors, **named)
    compiled = jit(lambda *a: row.public(*a, **named), fullgraph=True)
    set_seed(1)
    assert_equal(compiled(*tensors), _host(eager), rtol=row.tol or 2e-6, label=f"{row.name}({case}) in graph mode")
    before = capture.compilations
    compiled(*tensors)
    assert capture.compilations == before, f"{row.name}({case}) compiled again"


def _host(value: Any) -> Any:
    return tree.map_leaves(lambda t: t.asnumpy(), value, is_tensor)


def float_positions(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the positions of non-empty float arrays, and sparse matrices of floats, among the arguments."""
    return tuple(
        i for i, a in enumerate(args) if isinstance(a, (np.ndarray, *SPARSE)) and a.dtype.kind == "f" and a.size
    )


def check_gradient(row: Op, case: str, value: Any) -> tuple[Any, ...]:
    """The gradient is that of central differences in float64 along a random direction, in both modes; return it.

    `value` is the call's result, which says how many results there are and of which shapes.
    """
    args, kwargs = parse(case)
    where = float_positions(args)
    if not where or not row.grad:
        return ()
    rng = np.random.default_rng(0)
    drawn = [(rng.standard_normal(t.shape), t._data.dtype.kind == "f") for t in leaves(value)]
    weights = [w for w, is_float in drawn if is_float]
    if not weights:
        return ()
    wide = [a.astype(np.float64) if i in where else a for i, a in enumerate(args)]
    steps = {i: rng.standard_normal(values_of(args[i]).shape) for i in where}
    named, plan = to_tensors(kwargs), Plan(where, None, False, sens=True)

    def floats(*xs: Any) -> tuple[Tensor, ...]:
        return tuple([t for t in leaves(row.public(*xs, **named)) if t._data.dtype.kind == "f"])

    def pulled(*xs: Any) -> tuple[Any, Any]:
        return plan.differentiate(floats, xs, {})[:2]

    def operands(distance: float) -> tuple[Any, ...]:
        near = (moved(a, distance * steps[i]) if i in where else a for i, a in enumerate(wide))
        return to_tensors((*near, tuple(weights)))

    got = pulled(*operands(0.0))[1]
    slope = sum(float((leaves(g)[-1].asnumpy() * steps[i]).sum()) for g, i in zip(got, where, strict=True))
    graph = jit(pulled, fullgraph=True)

    def at(distance: float) -> float:
        return sum(float((t.asnumpy() * w).sum()) for t, w in zip(graph(*operands(distance))[0], weights, strict=True))

    h = 1e-5
    want = (at(h) - at(-h)) / (2 * h)
    label = f"gradient of {row.name}({case})"
    np.testing.assert_allclose(slope, want, rtol=2e-4, atol=2e-5, err_msg=label)
    assert_equal(graph(*operands(0.0))[1], _host(got), rtol=1e-8, label=f"{label} in a graph")
    return got


def check_error(row: Op, case: str, fragment: str) -> None:
    """A bad call raises one clear error that contains the fragment."""
    args, kwargs = parse(case)
    try:
        row.public(*to_tensors(args), **to_tensors(kwargs))
    except ERRORS as error:
        assert fragment in str(error), f"{row.name}({case}) raised {error!r}, expected '{fragment}'"
        return
    raise AssertionError(f"{row.name}({case}) raised nothing, expected '{fragment}'")


def outline(value: Any) -> str:
    """Return dtype and shape of each Tensor of a result, or the types of other values."""
    found = leaves(value)
    return " ".join(f"{t._data.dtype}{list(t.shape)}".replace(" ", "") for t in found) or _types(value)


def _types(value: Any) -> str:
    return " ".join(map(_types, value)) if isinstance(value, (tuple, list)) else type(value).__name__


def outline_in(row: Op, case: str, dtype: str) -> str | None:
    """Return the outline of a call whose operands of float32 are of another dtype; None if it has none.

    It is traced with these operands unknown, so that nothing is compiled, or run where that cannot be.
    """
    args, kwargs = parse(case)
    changed: list[Tensor] = []

    def convert(value: Any) -> Any:
        tensor = to_tensor(value)
        for t in leaves(tensor) if isinstance(value, (np.ndarray, *SPARSE)) else ():
            if t._data.dtype == np.float32:
                t._data = jnp.asarray(np.asarray(t._data).astype(dtype))  # by NumPy: nothing is compiled
                changed.append(t)
        return tensor

    tensors, named = walk(args, convert), walk(kwargs, convert)
    if not changed:
        return None
    given = [t._data for t in changed]

    def traced(*arrays: Any) -> Any:
        nonlocal found
        for t, array in zip(changed, arrays, strict=True):
            t._data = array
        with Scope():  # keeps what is drawn from leaving a trace behind
            found = outline(row.public(*tensors, **named))
        return ()

    found = ""
    try:
        if row.jit:
            jax.eval_shape(traced, *given)
            return found
    except UNTRACEABLE:
        pass
    for t, array in zip(changed, given, strict=True):
        t._data = array
    return outline(row.public(*tensors, **named))


def check_dtypes(row: Op, case: str) -> dict[str, str]:
    """A row that takes float32 takes every float; return the outlines of results by dtype, integers where it takes them."""
    found = {}
    for dtype in (*FLOATS, *OTHERS):
        try:
            text = outline_in(row, case, dtype)
        except ERRORS as error:
            needs_more = any(text in str(error) for text in FULL_PRECISION)
            assert dtype in OTHERS or needs_more, f"{row.name}({case}) does not take {dtype}"
            continue
        if text is not None:
            found[dtype] = text
    return found


def check_empty(row: Op, case: str) -> dict[str, str]:
    """A call with operands of no elements gives what its reference gives, or raises one clear error; return its outline."""
    args, kwargs = parse(case)
    empty = emptied(args)
    if empty is None:
        return {}
    try:
        got = row.public(*to_tensors(empty), **to_tensors(kwargs))
    except ERRORS as error:
        assert str(error).strip(), f"{row.name}({case}) with empty operands raised {error!r}"
        return {}
    return {"empty": outline(got)}


def check_op(row: Op) -> dict[str, Findings]:
    """Run every law on every case of a row, in PyNative mode; return by case what was found."""
    config.set_context(mode=config.PYNATIVE_MODE)
    assert row.cases, f"{row.name} has no cases"
    found, shares = {}, False
    for case in row.cases:
        value, is_shared = check_value(row, case)
        shares |= is_shared
        gradient: tuple[Tensor, ...] = ()
        if row.jit:
            check_modes(row, case)
            gradient = check_gradient(row, case, value)
        found[case] = Findings(value, gradient, check_dtypes(row, case) | check_empty(row, case))
    for case, fragment in row.errors:
        check_error(row, case, fragment)
    assert shares == (row.name in SHARING), f"{row.name}: a result shares elements with an operand: {shares}"
    return found


# --- transforms -----------------------------------------------------------------------------------------------------


def held(value: Any) -> dict[str, Any]:
    """Return the arrays that an object and what it contains hold, by path: Parameters, Tensors, random state."""
    found: dict[str, Any] = {"random state": default_generator.state.concrete()}
    seen: set[int] = set()

    def visit(item: Any, path: str) -> None:
        if id(item) in seen:
            return
        seen.add(id(item))
        if isinstance(item, Tensor):
            found[path] = item.concrete()
        elif isinstance(item, (list, tuple)):
            for i, v in enumerate(item):
                visit(v, tree.path(path, i))
        elif isinstance(item, dict):
            for k, v in item.items():
                visit(v, tree.path(path, k))
        elif isinstance(item, (Stateful, Generator)):
            visit(vars(item), path)
        elif isinstance(item, RandomState):
            found[path] = item.concrete()

    visit(value, "")
    return found


def check_no_trace(value: Any, label: str) -> None:
    """No trace or gradient is open, and nothing that an object holds belongs to one."""
    for path, array in held(value).items():
        assert not is_tracer(array), f"{label} left a traced value in '{path}'"
    assert not tracing(), f"{label} left a trace open"
    assert current.get() == Execution(), f"{label} left something running: {current.get()}"


def check_transform(build: Callable[[], Any], call: Callable[[Any], Any], *, atomic: bool, label: str) -> None:
    """A transform leaves nothing traced behind, neither after a call nor after an error within it.

    Args:
        build: Returns a new object with states. It has an attribute `fail`: whether it raises KeyError after writing them.
        call: Calls the transform of the object.
        atomic: Whether a call that fails must leave every value as it was.
        label: How messages call it.
    """
    subject = build()
    call(subject)
    check_no_trace(subject, label)
    after = {k: np.asarray(v) for k, v in held(subject).items()}

    subject = build()
    before = {k: np.asarray(v) for k, v in held(subject).items()}
    subject.fail = True
    try:
        call(subject)
    except KeyError:
        pass
    else:
        raise AssertionError(f"{label} swallowed an error")
    check_no_trace(subject, f"{label} after an error")
    if atomic:
        for path, value in held(subject).items():
            np.testing.assert_array_equal(np.asarray(value), before[path], err_msg=f"{label}: '{path}' after an error")
    subject.fail = False
    if atomic:
        call(subject)
        for path, value in held(subject).items():
            np.testing.assert_allclose(
                np.asarray(value), after[path], rtol=1e-6, err_msg=f"{label}: '{path}' at a second try"
            )
    check_no_trace(subject, label)
