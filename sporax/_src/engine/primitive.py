"""Primitive classes (`ops.MatMul()(a, b)`): views of the rows, with part of the arguments given at construction."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import types
from collections.abc import Callable, Mapping
from typing import Any

from sporax._src.core.generator import streams
from sporax._src.engine.adapters import views
from sporax._src.engine.table import TABLE

PRIMITIVES: dict[str, Any] = {}


class Primitive:
    """An operator object: arguments are given in part at construction, Tensors when it is called.

    A class of one's own that has the name of an operator runs it, with the attributes it was made with.

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

    def __call__(self, *args: Any) -> Any:
        kernel = PRIMITIVES.get(self.name)
        if kernel is None:
            raise RuntimeError(f"Primitive '{self.name}' has no kernel here.")
        known = {p.name for p in _parse(kernel.spec)}
        return kernel(**{name: value for name, value in self.attrs.items() if name in known})(*args)

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Attach an attribute to the operator and return it; it does not change what is computed."""
        self.attrs[name] = value
        return self

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Set the name shown for this operator and return it."""
        self.instance_name = name
        return self

    def set_device(self, device_target: str) -> Primitive:
        """Accept a device hint: all operators run on the device of the context."""
        return self

    def shard(self, in_strategy: Any = None, out_strategy: Any = None) -> Primitive:
        """Record a parallel strategy and return the operator."""
        return self.add_prim_attr("in_strategy", in_strategy).add_prim_attr("out_strategy", out_strategy)

    def recompute(self, mode: bool = True) -> Primitive:
        """Accept a memory hint and return the operator."""
        return self.add_prim_attr("recompute", mode)

    def set_stage(self, stage: int) -> Primitive:
        """Accept a pipeline hint and return the operator."""
        return self.add_prim_attr("stage", stage)

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Accept names of inputs and outputs."""

    def __repr__(self) -> str:
        return f"Prim[{self.name}]{self.attrs or ''}"


PrimitiveWithInfer = PrimitiveWithCheck = Primitive


class Text:
    """A docstring that is written when it is read."""

    def __init__(self, write: Callable[[], str]) -> None:
        self.write = write

    def __get__(self, owner: object, kind: type | None = None) -> str:
        return self.write()


def view(spec: str, fn: Callable[..., Any]) -> Any:
    """Make the class that `spec` (`"ReduceSum(keep_dims=False)"`) describes over the function `fn`.

    Construction arguments become attributes of the object and keyword arguments of `fn`; those whose names `fn` does not
    take are accepted and kept. Call arguments are passed on by position. An object with a seed draws a sequence of its own:
    two objects of one seed draw the same.
    """
    return _view(spec, lambda: fn, fn.__doc__)


def _view(spec: str, find: Callable[[], Callable[..., Any]], doc: str | Text | None) -> Any:
    name = spec.split("(", 1)[0].strip()
    if name in PRIMITIVES:
        raise ValueError(f"two primitives are called '{name}'")

    @functools.cache
    def plan() -> tuple[inspect.Signature, list[str], bool]:
        nonlocal fn
        fn = find()
        params = _parse(spec)
        accepted = inspect.signature(fn).parameters
        open_ended = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
        draws = any("seed" in p.lower() for p in (*accepted, *(p.name for p in params)))
        return inspect.Signature(params), [p.name for p in params if open_ended or p.name in accepted], draws

    def fn(*args: Any, **fixed: Any) -> Any:  # for an object that came by pickle, before one was made here
        plan()
        return fn(*args, **fixed)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        Primitive.__init__(self, name)
        signature, self._passed, self._draws = plan()
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"ops.{name}{signature}: {error}") from None
        bound.apply_defaults()
        for key, value in bound.arguments.items():
            setattr(self, key, value)

    def __call__(self: Any, *args: Any) -> Any:
        fixed = {k: getattr(self, k) for k in self._passed}
        if not self._draws:
            return fn(*args, **fixed)
        with streams(self._streams):
            return fn(*args, **fixed)

    body = {"__init__": __init__, "__call__": __call__, "__doc__": doc, "__module__": "sporax.ops", "spec": spec}
    cls = type(name, (Primitive,), body)
    PRIMITIVES[name] = cls
    return cls


def primitive(*specs: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a two-line adapter as Primitive class(es), where the signature is not that of a row."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        for spec in specs:
            view(spec, fn)
        return fn

    return register


def primitives(lines: str, scope: Mapping[str, Any]) -> None:
    """Make the classes that lines describe: arguments of the construction, those of a call, and what the call returns.

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
    def made() -> Any:  # when it is first needed: all operators exist by then
        words = {*re.findall(r"[A-Za-z_]\w*", f"{called} {expression}")}
        known = {n: scope[n] if n in scope else TABLE[n].public for n in words if n in scope or n in TABLE}
        rows = {n: value for n, value in known.items() if isinstance(value, types.FunctionType) and n != "cast"}
        kinds = {kind[1]: f"{kind[1]}: {kind[2]}" for kind in _KIND.finditer(constructed)}
        fixed = [kinds.get(p.name, p.name) for p in _parse(spec)]
        parameters = ", ".join([*filter(None, [called]), *(["*", *fixed] if fixed else [])])
        text = f"{name}({parameters}) -> {expression}\n{_joined(*notes, parameters)}"
        helpers = {n: value for n, value in known.items() if n not in rows}
        return next(views(text, rows, "ops", helpers)).function

    _view(spec, made, Text(lambda: made().__doc__))


def _joined(shared: str, own: str, parameters: str) -> str:
    """Return the notes of a class: its own, after those for all that are about its arguments, or errors, and not its own."""
    said = {name for label, _ in _NOTE.findall(own) for name in label.split(", ")}
    taken = {*re.findall(r"\w+", parameters)}
    kept = []
    for label, text in _NOTE.findall(shared):
        names = [n for n in label.split(", ") if n not in said and (n in taken or n.endswith("Error"))]
        kept += [f"    {', '.join(names)}: {text}"] if names else []
    return "\n".join([*kept, own])


def build() -> None:
    """Make the classes of all rows that name one."""
    for row in {id(r): r for r in TABLE.values()}.values():
        for spec in row.primitive:
            view(spec, row.public)


@functools.cache
def _parse(spec: str) -> tuple[inspect.Parameter, ...]:
    call = ast.parse(f"def {spec}: pass" if "(" in spec else f"def {spec}(): pass").body[0]
    assert isinstance(call, ast.FunctionDef)
    args = call.args
    names = [a.arg for a in args.args]
    defaults = [inspect.Parameter.empty] * (len(names) - len(args.defaults)) + [
        ast.literal_eval(d) for d in args.defaults
    ]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return tuple([inspect.Parameter(n, kind, default=d) for n, d in zip(names, defaults, strict=True)])
