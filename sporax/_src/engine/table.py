"""The op table: an operator is one pure function over arrays, registered once as a row.

    @op(ref="numpy.square", cases=("T(2, 3)",), method="square", primitive="Square()")
    def square(input: Array) -> Array:
        \"\"\"Return input² ...\"\"\"
        return input * input

Annotations define the parameters. `Array` is a Tensor or number, `TensorArray` a Tensor but not a number, `OptArray`
may also be None, `Arrays` is a sequence of Tensors, `Key` is the random key (drawn from the Generator that `seed` or
`generator` selects; not part of the public signature). Everything else is an attribute: fixed at compile time, and part
of the cache key. The decorator returns the public function over Tensors, whose `.raw` is the function over arrays.
"""

from __future__ import annotations

import functools
import inspect
import math
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, Protocol, TypeVar, overload

import jax
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array, Key
from sporax._src.core.execution import committing
from sporax._src.core.generator import RandomState, advance, key_of, state_for
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.core.views import link
from sporax._src.engine.amp import Amp
from sporax._src.engine.dispatch import PLAIN, Kernel, Traits, run
from sporax._src.engine.index_checks import Bounds
from sporax._src.engine.lenses import Lens

_OPERANDS = ("Array", "TensorArray", "OptArray", "Arrays")

_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)
_F = TypeVar("_F", bound=Callable[..., Any])


class Operator(Protocol[_P, _R]):
    """The public function over Tensors of a row; the function over arrays is its `raw`."""

    raw: Callable[..., Any]
    __name__: str

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Run the operator."""
        ...


class _Drawing(Protocol[_P, _R]):
    def __call__(self, key: Key, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...


class Register(Protocol):
    """The type of the decorator, for type checkers: parameters stay, arrays among the results become Tensors."""

    @overload
    def __call__(self, fn: _Drawing[_P, tuple[jax.Array, jax.Array]]) -> Operator[_P, tuple[Tensor, Tensor]]: ...
    @overload
    def __call__(self, fn: _Drawing[_P, jax.Array]) -> Operator[_P, Tensor]: ...
    @overload
    def __call__(self, fn: _Drawing[_P, Any]) -> Operator[_P, Any]: ...
    @overload
    def __call__(
        self, fn: Callable[_P, tuple[jax.Array, jax.Array, jax.Array]]
    ) -> Operator[_P, tuple[Tensor, Tensor, Tensor]]: ...
    @overload
    def __call__(self, fn: Callable[_P, tuple[jax.Array, jax.Array]]) -> Operator[_P, tuple[Tensor, Tensor]]: ...
    @overload
    def __call__(self, fn: Callable[_P, tuple[jax.Array, ...]]) -> Operator[_P, tuple[Tensor, ...]]: ...
    @overload
    def __call__(self, fn: Callable[_P, jax.Array]) -> Operator[_P, Tensor]: ...
    @overload
    def __call__(self, fn: Callable[_P, Any]) -> Operator[_P, Any]: ...


@dataclass(frozen=True, kw_only=True)
class Op:
    """A row of the table.

    Args:
        name: The public name under `ops`.
        public: The function over Tensors.
        fn: The function over arrays (None: a composite of other operators).
        ref: The dotted name of the NumPy, SciPy or torch function with the same values.
        cases: Calls the laws run, as argument lists in the language of `laws.samples`.
        errors: Pairs of a bad call and a fragment of the text it must raise.
        aliases: Further public names; with parameters (`"arcsin(x)"`) if MindSpore names these differently.
        method: Name(s) of the Tensor method.
        primitive: Class view(s), e.g. `"ReduceSum(keep_dims=False)"`.
        grad: Orders of derivative that the laws check (0: not differentiable).
        tol: Relative tolerance of values, if it is not the default.
        jit: Whether the result's shape follows from the operands' shapes.
        bounds: The bounds of indices, of a row that gathers or scatters (see `index_checks`).
        traits: The properties of its kernels (see `dispatch.Traits`).
    """

    name: str
    public: Callable[..., Any]
    fn: Callable[..., Any] | None
    ref: str | None = None
    cases: tuple[str, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()
    aliases: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    primitive: tuple[str, ...] = ()
    grad: int = 1
    tol: float | None = None
    jit: bool = True
    bounds: Bounds | None = None
    traits: Traits = PLAIN
    kernels: dict[Any, Kernel] = field(default_factory=dict)


TABLE: dict[str, Op] = {}


def _names(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def op(
    *,
    ref: str | None = None,
    cases: Sequence[str] = (),
    errors: Sequence[tuple[str, str]] = (),
    aliases: str | Sequence[str] = (),
    method: str | Sequence[str] = (),
    primitive: str | Sequence[str] = (),
    grad: int = 1,
    tol: float | None = None,
    bounds: Bounds | None = None,
    amp: Amp | None = None,
    convolves: bool = False,
    view: bool | Lens = False,
    iterates: bool = False,
    name: str | None = None,
) -> Register:
    """Register a pure function over arrays as an operator and return its public function (see the module's text)."""

    def register(fn: Callable[..., Any]) -> Any:
        label = name or fn.__name__
        kernels: dict[Any, Kernel] = {}
        traits = Traits(amp, convolves, views=view, iterates=iterates)
        public = _public(fn, label, kernels, bounds, traits)
        _add(
            Op(name=label, public=public, fn=fn, ref=ref, cases=tuple(cases), errors=tuple(errors), aliases=_names(aliases),
               method=_names(method), primitive=_names(primitive), grad=grad, tol=tol, bounds=bounds, traits=traits,
               kernels=kernels)
        )  # fmt: skip
        return public

    return register


def composite(
    *,
    ref: str | None = None,
    cases: Sequence[str] = (),
    errors: Sequence[tuple[str, str]] = (),
    aliases: str | Sequence[str] = (),
    method: str | Sequence[str] = (),
    primitive: str | Sequence[str] = (),
    grad: int = 1,
    tol: float | None = None,
    jit: bool = True,
    name: str | None = None,
) -> Callable[[_F], _F]:
    """Register a function over Tensors, written with other operators, as a row.

    Use it if the arguments decide which operator runs. With `jit=False`, the shape of the result may depend on the
    values; a trace then falls back to PyNative mode.
    """

    def register(fn: _F) -> _F:
        _add(
            Op(name=name or fn.__name__, public=fn, fn=None, ref=ref, cases=tuple(cases), errors=tuple(errors),
               aliases=_names(aliases), method=_names(method), primitive=_names(primitive), grad=grad, tol=tol, jit=jit)
        )  # fmt: skip
        return fn

    return register


def internal(
    name: str,
    bounds: Bounds | None = None,
    *,
    amp: Amp | None = None,
    convolves: bool = False,
    casts: bool = False,
    view: bool | Lens = False,
    iterates: bool = False,
) -> Register:
    """Turn a pure function over arrays into a function over Tensors, called `name`, for use in composites."""

    def register(fn: Callable[..., Any]) -> Any:
        return _public(fn, name, {}, bounds, Traits(amp, convolves, casts, views=view, iterates=iterates))

    return register


def _add(row: Op) -> None:
    for label in (row.name, *[alias.partition("(")[0] for alias in row.aliases]):
        if label in TABLE:
            raise ValueError(f"two operators are called '{label}'")
        TABLE[label] = row


# --- from a function over arrays to a function over Tensors ---------------------------------------------------------


def _public(
    fn: Callable[..., Any], label: str, kernels: dict[Any, Kernel], bounds: Bounds | None, traits: Traits
) -> Callable[..., Any]:
    """Return the function over Tensors; its code is generated at the first call, so that importing costs nothing."""
    odd = [n for n, kind in fn.__annotations__.items() if "Array" in kind and kind not in _OPERANDS and n != "return"]
    if odd:
        raise TypeError(f"ops.{label}: {', '.join(odd)} must be annotated with one of {', '.join(_OPERANDS)}.")
    names: dict[str, Any] = {"__name__": fn.__module__, "__builtins__": __builtins__}
    public = types.FunctionType(_STUB, names, fn.__name__)
    functools.update_wrapper(public, fn)

    def build() -> Callable[..., Any]:
        if public.__code__ is _STUB:
            _write_code(public, names, fn, label, kernels, bounds, traits)
        return public

    names["_build"] = build
    public.raw = fn
    if "Key" in fn.__annotations__.values():
        signature = inspect.signature(fn)
        shown = [p for p in signature.parameters.values() if p.annotation != "Key"]
        public.__signature__ = signature.replace(parameters=shown)
    return public


def _stub(*args: object, **kwargs: object) -> Any:
    return _build()(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821


_STUB = _stub.__code__


def _write_code(
    public: Any,
    names: dict[str, Any],
    fn: Callable[..., Any],
    label: str,
    kernels: dict[Any, Kernel],
    bounds: Bounds | None,
    traits: Traits,
) -> None:
    params = list(inspect.signature(fn).parameters.values())
    kinds = {p.name: str(p.annotation) for p in params}
    key = next((n for n, k in kinds.items() if k == "Key"), None)
    operands = [n for n, k in kinds.items() if k in _OPERANDS]
    attrs = [n for n, k in kinds.items() if k not in _OPERANDS and k != "Key" and n not in ("seed", "generator")]
    bind = functools.partial(_bind, fn, bounds, traits, f"ops.{label}", tuple(operands), tuple(attrs), key)
    structured = any(kinds[n] in ("OptArray", "Arrays") for n in operands)
    forms = tuple([_FORMS.get(kinds[n], _ANY_FORM)[0] for n in attrs])
    shown = [p for p in params if p.name != key]
    names.update(
        _run=run,
        _link=link,
        _kernels=kernels,
        _form=_form,
        _create=functools.partial(_create, kernels, bind, forms),
        _lookup=functools.partial(_lookup, kernels, bind, forms),
        _flat=_flat,
        _draw=_draw,
        _state=state_for,
    )
    if not attrs and not structured:
        names["_kernel"] = bind((), None)
    names |= {f"_d_{p.name}": p.default for p in shown}
    body = _body(operands, attrs, key, kinds, structured, label, bool(traits.views))
    if tensors := [n for n in operands if kinds[n] == "TensorArray"]:
        names.update(_Tensor=Tensor, _refuse=functools.partial(_refuse, f"ops.{label}", tuple(tensors)))
        are_tensors = " and ".join(f"isinstance({n}, _Tensor)" for n in tensors)
        body = f"    if not ({are_tensors}):\n        _refuse({', '.join(tensors)})\n{body}"
    scope: dict[str, Any] = {}
    exec(compile(f"def function({_signature_source(shown)}):\n{body}\n", f"<op {label}>", "exec"), names, scope)
    written = scope["function"]
    public.__defaults__, public.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
    public.__code__ = written.__code__.replace(co_name=fn.__name__, co_qualname=fn.__qualname__)


def _refuse(label: str, names: tuple[str, ...], *values: object) -> None:
    name, value = next((n, v) for n, v in zip(names, values, strict=True) if not isinstance(v, Tensor))
    raise TypeError(f"{label}: {name} must be a Tensor, got {describe(value)}.")


def _body(
    operands: list[str],
    attrs: list[str],
    key: str | None,
    kinds: dict[str, str],
    structured: bool,
    label: str,
    views: bool,
) -> str:
    values = f"({''.join(n + ', ' for n in operands)})"
    fixed = f"({''.join(n + ', ' for n in attrs)})"
    if key is not None:
        chosen = next((n for n in ("generator", "seed") if n in kinds), "None")
        return f"    return _draw(_lookup, _state({label!r}, {chosen}), {values}, {fixed})"
    forms = "".join(f"{_FORMS.get(kinds[n], _ANY_FORM)[1].format(n)}, " for n in attrs)
    if structured:
        flat = f"return _flat(_lookup, {values}, {fixed})"
        if any(kinds[n] == "Arrays" for n in operands):
            return f"    {flat}"
        return f"""\
    if {" or ".join(f"isinstance({n}, (list, tuple))" for n in operands)}:
        {flat}
    _spec = ({"".join(f"None if {n} is None else -1, " for n in operands)})
    try:
        _kernel = _kernels[{"".join(f"{n}, " for n in attrs)}{forms}_spec,]
    except (KeyError, TypeError):
        _kernel = _lookup({fixed}, _spec)
    return _run(_kernel, [_o for _o in {values} if _o is not None])"""
    run = f"    return _run(_kernel, {values})"
    if views:
        run = f"    _operands = {values}\n    return _link(_run(_kernel, _operands), _kernel, _operands)"
    if not attrs:
        return run
    return f"""\
    try:
        _kernel = _kernels[{", ".join(attrs)}, {forms}None]
    except (KeyError, TypeError):
        _kernel = None
    if _kernel is None:
        _kernel = _create({fixed}, None)
{run}"""


def _signature_source(params: list[inspect.Parameter]) -> str:
    parts, starred = [], False
    for p in params:
        if p.kind is p.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        parts.append(p.name if p.default is p.empty else f"{p.name}=_d_{p.name}")
    return ", ".join(parts)


def _lookup(
    kernels: dict[Any, Kernel],
    bind: Callable[..., Kernel],
    forms: Sequence[Callable[[Any], Any]],
    attrs: tuple[Any, ...],
    spec: object,
) -> Kernel:
    try:
        return kernels[_key(forms, attrs, spec)]
    except (KeyError, TypeError):
        pass
    return _create(kernels, bind, forms, attrs, spec)


def _create(
    kernels: dict[Any, Kernel],
    bind: Callable[..., Kernel],
    forms: Sequence[Callable[[Any], Any]],
    attrs: tuple[Any, ...],
    spec: object,
) -> Kernel:
    frozen = tuple([freeze(a) for a in attrs])
    key = _key(forms, frozen, spec)
    try:
        hash(key)
    except TypeError:  # a dict or a set, which the kernel refuses by its name
        return bind(frozen, spec)
    if key not in kernels:
        kernels[key] = bind(frozen, spec)
    return kernels[key]


def _key(forms: Sequence[Callable[[Any], Any]], attrs: tuple[Any, ...], spec: object) -> tuple[Any, ...]:
    """Return the cache key of a kernel; the generated code of operators without `spec` inlines it."""
    return (*attrs, *[form(a) for form, a in zip(forms, attrs, strict=True)], spec)


# Equal attributes may differ: 1, 1.0 and True, 0.0 and -0.0. The key of a kernel tells them apart.


def _form(value: Any) -> Any:
    """Return the key that distinguishes an attribute from equal ones."""
    kind = value.__class__
    if kind is tuple:
        return tuple(map(_form, value))
    return repr(value) if kind is float and value == 0 else kind


def _form_of_whole(value: Any) -> Any:
    """Return the same key for an int or a tuple of ints."""
    return tuple(map(type, value)) if value.__class__ is tuple else value.__class__


_FORMS = {  # by annotation: the function, and the code to inline it where possible
    "Shape": (_form_of_whole, "tuple(map(type, {0})) if {0}.__class__ is tuple else {0}.__class__"),
    "Axis": (_form_of_whole, "tuple(map(type, {0})) if {0}.__class__ is tuple else {0}.__class__"),
    "int": (type, "{0}.__class__"),
    "bool": (type, "{0}.__class__"),
    "str": (type, "{0}.__class__"),
}
_ANY_FORM = _form, "{0}.__class__ if {0}.__class__ is not tuple and ({0}.__class__ is not float or {0}) else _form({0})"


def freeze(value: object) -> Any:
    """Return an attribute in hashable form: lists become tuples, integer Tensors and arrays become Python numbers."""
    if isinstance(value, Tensor):
        value = value.asnumpy()
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple([freeze(v) for v in value])
    if isinstance(value, slice):
        return ("slice", freeze(value.start), freeze(value.stop), freeze(value.step))
    if value.__class__ is float and value != value:
        return math.nan  # one NaN object, which equals itself in lookups
    return value


def _bind(
    fn: Callable[..., Any],
    bounds: Bounds | None,
    traits: Traits,
    label: str,
    operands: tuple[str, ...],
    attrs: tuple[str, ...],
    key: str | None,
    values: tuple[Any, ...],
    spec: Any,
) -> Kernel:
    fixed = dict(zip(attrs, values, strict=True))

    def flat(*arrays: Array, of: Callable[..., Any] = fn) -> Any:
        inputs = arrays if spec is None else _regroup(arrays, spec)
        return of(**dict(zip(operands, inputs, strict=True)), **fixed)

    def random(state: Array, *arrays: Array) -> Any:
        inputs = arrays if spec is None else _regroup(arrays, spec)
        out = fn(**{str(key): key_of(state)}, **dict(zip(operands, inputs, strict=True)), **fixed)
        return (*out, advance(state)) if isinstance(out, tuple) else (out, advance(state))

    checked = None if bounds is None else functools.partial(flat, of=bounds)
    return Kernel(flat if key is None else random, label, fixed, checked, traits)


def _spec(operands: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[Any]]:
    spec: list[Any] = []
    arrays: list[Any] = []
    for x in operands:
        if x is None:
            spec.append(None)
        elif isinstance(x, (list, tuple)):
            spec.append(len(x))
            arrays.extend(x)
        else:
            spec.append(-1)
            arrays.append(x)
    return tuple(spec), arrays


def _regroup(arrays: Sequence[Any], spec: tuple[Any, ...]) -> list[Any]:
    rest = iter(arrays)
    return [None if s is None else next(rest) if s == -1 else [next(rest) for _ in range(s)] for s in spec]


def _flat(lookup: Callable[..., Kernel], operands: tuple[Any, ...], attrs: tuple[Any, ...]) -> Any:
    spec, arrays = _spec(operands)
    return run(lookup(attrs, spec), arrays)


def _draw(lookup: Callable[..., Kernel], state: RandomState, operands: tuple[Any, ...], attrs: tuple[Any, ...]) -> Any:
    spec, arrays = _spec(operands)
    with committing:  # a draw of another thread starts from the state that this one leaves
        *out, new = run(lookup(attrs, spec), [wrap(state.value), *arrays])
        state.value = new._data
    return out[0] if len(out) == 1 else tuple(out)
