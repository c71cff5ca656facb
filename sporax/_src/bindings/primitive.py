"""Primitive classes (`ops.MatMul()(a, b)`): views of the rows, with part of the arguments given at construction."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import operator
import re
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sporax._src.base.settings.parameter_server import check_role
from sporax._src.bindings.adapters import views
from sporax._src.core.generator import streams
from sporax._src.engine.table import TABLE
from sporax._src.sharding.primitive import check_strategy, sharded
from sporax._src.sharding.strategies import BY_HAND

PRIMITIVES: dict[str, Any] = {}

_Parameter = inspect.Parameter
_BY_POSITION = (_Parameter.POSITIONAL_ONLY, _Parameter.POSITIONAL_OR_KEYWORD, _Parameter.VAR_POSITIONAL)


class Primitive:
    """An operator object: arguments are given in part at construction, Tensors when it is called.

    A user's subclass with the name of an operator runs that operator, with the attributes of its construction.

    Args:
        name: The name of the operator.

    Raises:
        RuntimeError: When it is called and no operator has its name.

    Examples:
        >>> ops.Primitive("Mine").add_prim_attr("level", 2).attrs
        {'level': 2}
    """

    spec = "Primitive(name)"

    def __init__(self, name: str) -> None:
        self.name = name
        self.attrs: dict[str, Any] = {}
        self.instance_name = name
        self._streams: dict[Any, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        kernel = PRIMITIVES.get(self.name)
        if kernel is None:
            raise RuntimeError(f"Primitive '{self.name}' has no kernel here.")
        known = {p.name for p in _parse(kernel.spec)[0]}
        return kernel(**{name: value for name, value in self.attrs.items() if name in known})(*args, **kwargs)

    def add_prim_attr(self, name: str, value: object) -> Primitive:
        """Attach an attribute to the operator and return it; a method of that name is not replaced."""
        self.attrs[name] = value
        if not hasattr(type(self), name):
            setattr(self, name, value)
        if name in BY_HAND:
            self.__class__ = sharded(type(self))
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Remove an attribute, if it was attached, and return the operator."""
        if name in self.attrs:
            del self.attrs[name]
            vars(self).pop(name, None)
        return self

    def add_attr(self, name: str, value: object) -> None:
        """Attach an attribute, as `add_prim_attr` does."""
        self.add_prim_attr(name, value)

    def del_attr(self, name: str) -> None:
        """Remove an attribute, as `del_prim_attr` does."""
        self.del_prim_attr(name)

    def get_attr_dict(self) -> dict[str, Any]:
        """Return the attributes that were attached."""
        return dict(self.attrs)

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Set the name shown for this operator and return it."""
        self.instance_name = name
        return self

    def set_device(self, device_target: str) -> Primitive:
        """Store a device hint as `primitive_target`; all operators run on the device of the context."""
        return self.add_prim_attr("primitive_target", device_target)

    def place(self, role: str, rank_id: int) -> None:
        """Accept the hint of which process of a cluster runs the operator: there is one.

        Raises:
            ValueError: If `role` is not `"MS_WORKER"`.
            TypeError: If `rank_id` is no int.
        """
        check_role(f"{self.name}.place", role, rank_id)

    def set_user_data(self, key: str, value: object) -> None:
        """Store a value with the operator under a name."""
        self.__dict__.setdefault("_user_data", {})[key] = value

    def get_user_data(self, key: str) -> Any:
        """Return the value that `set_user_data` stored under a name.

        Raises:
            RuntimeError: If there is nothing.
        """
        data = self.__dict__.get("_user_data", {})
        if key not in data:
            raise RuntimeError(f"{self.name}.get_user_data: nothing is stored under '{key}'.")
        return data[key]

    def shard(self, in_strategy: object = None, out_strategy: object = None) -> Primitive:
        """Set the numbers of pieces into which the axes of the operands are sharded in a graph of all devices; return the operator.

        It counts where `set_auto_parallel_context(parallel_mode="semi_auto_parallel")` (or `"auto_parallel"`) is set.

        Args:
            in_strategy: A tuple with a strategy for each input: a tuple of the number of pieces of each axis, or a Layout.
            out_strategy: The same for outputs; they follow from the inputs if None.

        Raises:
            TypeError: If a strategy is neither.
            ValueError: If there is one for outputs alone, or one is of numbers and the other of Layouts.

        Examples:
            >>> ops.MatMul().shard(((2, 4), (4, 1))).attrs["in_strategy"]
            ((2, 4), (4, 1))
        """
        if in_strategy is None and out_strategy is None:
            return self
        if in_strategy is None:
            raise ValueError(f"{self.name}.shard: out_strategy {out_strategy} needs an in_strategy beside it.")
        by_names = check_strategy(f"{self.name}.shard", "in_strategy", in_strategy)
        by_out = out_strategy is not None and check_strategy(f"{self.name}.shard", "out_strategy", out_strategy)
        if in_strategy and out_strategy is not None and by_out != by_names:
            raise ValueError(f"{self.name}.shard: both strategies must be of numbers, or both of Layouts.")
        self.add_prim_attr("in_strategy", in_strategy).add_prim_attr("out_strategy", out_strategy)
        self.__class__ = sharded(type(self))
        return self

    def recompute(self, mode: bool = True) -> Primitive:
        """Accept a memory hint and return the operator."""
        return self.add_prim_attr("recompute", mode)

    def set_stage(self, stage: int) -> Primitive:
        """Accept a pipeline hint and return the operator."""
        return self.add_prim_attr("stage", stage)

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Store names of inputs and outputs as `input_names` and `output_names`."""
        self.add_prim_attr("input_names", inputs).add_prim_attr("output_names", outputs)

    def __repr__(self) -> str:
        return f"Prim[{self.name}]{self.attrs or ''}"


class Text:
    """A docstring that is generated when it is first read."""

    def __init__(self, write: Callable[[], str]) -> None:
        self.write = write

    def __get__(self, owner: object, kind: type | None = None) -> str:
        return self.write()


_WAITING: dict[type, list[Callable[[], None]]] = {}


class Written:
    """A method whose code is generated at its first use, so that creating a thousand classes costs nothing."""

    def __init__(self, write: Callable[[], dict[str, Any]]) -> None:
        self.write = write

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def then(self, follow: Callable[[], None]) -> None:
        """Call a function once the methods of the class are there."""
        _WAITING.setdefault(self.owner, []).append(follow)

    def __get__(self, instance: object, kind: type | None = None) -> Any:
        for name, method in self.write().items():
            setattr(self.owner, name, method)
        for follow in _WAITING.pop(self.owner, ()):
            follow()
        return vars(self.owner)[self.name].__get__(instance, kind)


def view(spec: str, fn: Callable[..., Any]) -> Any:
    """Create the class for `spec` (`"ReduceSum(keep_dims=False)(x, axis=())"`) over the function `fn`.

    Construction arguments become attributes of the object and keyword arguments of `fn`; those whose names `fn` does not take are
    accepted and stored. Call arguments are passed on by position (by name to what is keyword-only), with the names
    and defaults of `fn` where `spec` has none. An object with a seed draws a sequence of its own: two of one seed draw the same.
    """
    return _view(spec, lambda: fn, fn.__doc__)


def _view(spec: str, find: Callable[[], Callable[..., Any]], doc: str | Text | None) -> Any:
    name = spec.split("(", 1)[0].strip()
    if name in PRIMITIVES:
        raise ValueError(f"two primitives are called '{name}'")

    def write() -> dict[str, Any]:
        return _methods(name, *_parse(spec), find())

    body = {
        "__init__": Written(write),
        "__call__": Written(write),
        "__doc__": doc,
        "__module__": "sporax.ops",
        "spec": spec,
    }
    cls = type(name, (Primitive,), body)
    PRIMITIVES[name] = cls
    return cls


def _methods(
    name: str, constructed: Sequence[_Parameter], called: Sequence[_Parameter] | None, fn: Callable[..., Any]
) -> dict[str, Any]:
    """Generate `__init__` and `__call__` of a class, with signatures of their own."""
    signature = inspect.signature(fn)
    accepted = signature.parameters
    attributes = [p.name for p in constructed]
    positional = [p for p in accepted.values() if p.kind in _BY_POSITION]
    operands = takes = [p for p in positional if p.name not in attributes]
    if called is not None:
        kinds = [*[p.annotation for p in operands], *[_Parameter.empty] * len(called)]
        operands = [p.replace(annotation=kind) for p, kind in zip(called, kinds, strict=False)]
    open_ended = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
    passed = [f"{n}=self.{n}" for n in attributes if open_ended or n in accepted]
    by_name = {p.name: p.name for p in accepted.values() if p.kind is p.KEYWORD_ONLY}
    behind = {
        p.name
        for p in itertools.dropwhile(lambda p: p.name not in attributes, positional)
        if p.kind is not p.VAR_POSITIONAL
    }
    by_name |= {p.name: own.name for p, own in zip(operands, takes, strict=False) if own.name in behind}
    operands_passed = [
        f"{by_name[n]}={n}" if (n := p.name) in by_name else "*" * (p.kind is p.VAR_POSITIONAL) + n for p in operands
    ]
    values = ", ".join([*operands_passed, *passed])
    draws = any("seed" in n.lower() for n in (*accepted, *attributes))
    defaults = {f"_d_{p.name}": p.default for p in (*constructed, *operands)}
    scope = {
        "__name__": "sporax.ops",
        "_begin": Primitive.__init__,
        "_name": name,
        "_fn": fn,
        "_streams": streams,
        **defaults,
    }
    lines = [
        f"def __init__(self{_listed(constructed)}):",
        " _begin(self, _name)",
        *[f" self.{n} = {n}" for n in attributes],
        f"def __call__(self{_listed(operands)}):",
        f"{' with _streams(self._streams):' if draws else ''} return _fn({values})",
    ]
    exec(compile("\n".join(lines), f"<primitive {name}>", "exec"), scope, created := {})
    kinds = {n: accepted[n].annotation for n in attributes if n in accepted}
    _annotate(created["__init__"], name, kinds | {"return": "None"})
    _annotate(
        created["__call__"], name, {p.name: p.annotation for p in operands} | {"return": signature.return_annotation}
    )
    return created


def _listed(parameters: Sequence[_Parameter]) -> str:
    return "".join(
        f", *{p.name}" if p.kind is p.VAR_POSITIONAL else f", {p.name}" + (f"=_d_{p.name}" * (p.default is not p.empty))
        for p in parameters
    )


def _annotate(method: Any, owner: str, kinds: Mapping[str, Any]) -> None:
    method.__qualname__ = f"{owner}.{method.__name__}"
    method.__annotations__ = {n: kind for n, kind in kinds.items() if kind is not _Parameter.empty}


def primitive(*specs: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a two-line adapter as Primitive class(es), where the signature is not that of a row."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        for spec in specs:
            view(spec, fn)
        return fn

    return register


def primitives(lines: str, scope: Mapping[str, Any]) -> None:
    """Create the classes of lines: arguments of the construction, those of a call, and what the call returns.

        keep_dims: Whether the axis stays with size 1.
    ArgMaxWithValue(axis: int = 0, keep_dims=False)(x) -> max(x, axis, keep_dims)[::-1]
        Return index and value of the largest element along an axis.

    Lines are those of `adapters`, with names of `scope` and all operators on the right. Notes before the first line are for
    all classes that have such arguments. A line is read when its class, or the text of it, is first needed.
    """
    shared, *entries = re.split(r"^(?=\w)", lines, flags=re.MULTILINE)
    for entry in entries:
        line, _, notes = entry.partition("\n")
        head, expression = line.split(" -> ")
        names, _, parameters = head[:-1].partition("(")
        constructed, _, called = parameters.partition(")(")
        for name in names.split(", "):
            _line(name, constructed, called, expression, (shared, notes), scope)


_KIND = re.compile(r"(\w+): ([\w |]+?)(?:( = )|(?=,|$))")
_NOTE = re.compile(r"^ +(\w+(?:, \w+)*): (.*)", re.MULTILINE)


def _line(
    name: str, constructed: str, called: str, expression: str, notes: tuple[str, str], scope: Mapping[str, Any]
) -> None:
    spec = f"{name}({_KIND.sub(lambda kind: f'{kind[1]}=' if kind[3] else kind[1], constructed)})"

    @functools.cache
    def build() -> Any:  # when it is first needed: all operators exist by then
        words = {*re.findall(r"[A-Za-z_]\w*", f"{called} {expression}")}
        known = {n: scope[n] if n in scope else TABLE[n].public for n in words if n in scope or n in TABLE}
        rows = {n: value for n, value in known.items() if isinstance(value, types.FunctionType) and n != "cast"}
        kinds = {kind[1]: f"{kind[1]}: {kind[2]}" for kind in _KIND.finditer(constructed)}
        fixed = [kinds.get(p.name, p.name) for p in _parse(spec)[0]]
        parameters = ", ".join([*filter(None, [called]), *(["*", *fixed] if fixed else [])])
        text = f"{name}({parameters}) -> {expression}\n{_joined(*notes, parameters)}"
        helpers = {n: value for n, value in known.items() if n not in rows}
        return next(views(text, rows, "ops", helpers)).function

    _view(spec, build, Text(lambda: build().__doc__))


def _joined(shared: str, own: str, parameters: str) -> str:
    """Return the notes of a class: first the shared ones about its arguments or errors that it does not override, then its own."""
    said = {name for label, _ in _NOTE.findall(own) for name in label.split(", ")}
    arguments = {*re.findall(r"\w+", parameters)}
    notes = []
    for label, text in _NOTE.findall(shared):
        names = [n for n in label.split(", ") if n not in said and (n in arguments or n.endswith("Error"))]
        notes += [f"    {', '.join(names)}: {text}"] if names else []
    return "\n".join([*notes, own])


class _Own:
    """`own.eps` stands for the attribute `eps` of the object that owns a Primitive (see `holds`)."""

    def __getattr__(self, name: str) -> operator.attrgetter[Any]:
        return operator.attrgetter(name)


own = _Own()


def holds(kind: str | Callable[[Any], str], *args: object, **kwargs: object) -> functools.cached_property[Any]:
    """Return a class attribute: a Primitive that each object creates when it is first read.

    Programs that derive from MindSpore's layers and optimizers use the Primitives of their base classes, shard them over devices or
    replace them: `squeeze = holds("Squeeze", 2)`, `bias_add = holds("BiasAdd", own.data_format)`.

    Args:
        kind: The name of the Primitive.
        *args, **kwargs: The arguments of its construction. `own` and functions, here and for `kind`, are evaluated on the object.
    """

    def build(owner: object) -> Any:
        def of(value: object) -> Any:
            return value(owner) if isinstance(value, (types.FunctionType, operator.attrgetter)) else value

        return PRIMITIVES[of(kind)](*map(of, args), **{name: of(value) for name, value in kwargs.items()})

    return functools.cached_property(build)


def build() -> None:
    """Create the classes of all rows that name one."""
    for row in {id(r): r for r in TABLE.values()}.values():
        for spec in row.primitive:
            view(spec, row.public)


@functools.cache
def _parse(spec: str) -> tuple[tuple[_Parameter, ...], tuple[_Parameter, ...] | None]:
    """Return the parameters of the construction, and those of the call if there are any."""
    node = ast.parse(spec, mode="eval").body
    match node:
        case ast.Call(ast.Call() as construction):
            return _parameters(construction), _parameters(node)
        case ast.Call():
            return _parameters(node), None
    return (), None


def _parameters(call: ast.Call) -> tuple[_Parameter, ...]:
    parameters = [
        _Parameter(ast.unparse(a.value), _Parameter.VAR_POSITIONAL)
        if isinstance(a, ast.Starred)
        else _Parameter(ast.unparse(a), _Parameter.POSITIONAL_OR_KEYWORD)
        for a in call.args
    ]
    named = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    parameters += [_Parameter(n, _Parameter.POSITIONAL_OR_KEYWORD, default=value) for n, value in named.items()]
    return tuple(parameters)
