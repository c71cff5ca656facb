"""Rewriting a function's source so that its control flow goes through `operators` (AutoGraph, as the malt library)."""

from __future__ import annotations

import ast
import functools
import importlib.util  # noqa: F401  (malt uses it without importing it)
import inspect
import types
from collections.abc import Callable
from typing import Any

from sporax._src.transform.controlflow import operators

_OURS = ("sporax", "jax", "jaxlib", "numpy", "scipy", "malt", "builtins", "functools", "collections", "math", "typing",
         "contextlib", "itertools", "torch", "operator", "copy", "logging", "warnings", "re", "os", "time")  # fmt: skip


@functools.cache
def _transpiler() -> tuple[Any, Any]:
    from malt.converters import slices
    from malt.core import converter
    from malt.impl.api import PyToPy

    class Items(slices.SliceTransformer):
        """Leaves `a = b = value` as it is; AutoGraph's pass takes one target only."""

        def visit_Assign(self, node: ast.Assign) -> Any:
            return super().visit_Assign(node) if len(node.targets) == 1 else self.generic_visit(node)

    slices.transform = lambda node, ctx: Items(ctx).visit(node)

    class Transpiler(PyToPy):
        """AutoGraph's passes over our operators."""

        def get_extra_locals(self) -> dict[str, Any]:
            extra = super().get_extra_locals()
            operators.install(extra["ag__"], rewritten)
            return extra

    options = converter.ConversionOptions(
        recursive=True, user_requested=True, optional_features=converter.Feature.LISTS
    )
    return Transpiler(), converter.ProgramContext(options=options)


def rewritten(fn: Any) -> Any:
    """Return `fn` with its control flow rewritten, or `fn` itself where that cannot be or need not be done."""
    if isinstance(fn, types.MethodType):
        inner = rewritten(fn.__func__)
        return fn if inner is fn.__func__ else types.MethodType(inner, fn.__self__)
    if isinstance(fn, functools.partial):
        return functools.partial(rewritten(fn.func), *fn.args, **fn.keywords)
    if not isinstance(fn, types.FunctionType) or not _is_users(fn):
        return fn
    return _convert(fn)


def _is_users(fn: types.FunctionType) -> bool:
    module = (fn.__module__ or "").split(".")[0]
    if module in _OURS or hasattr(fn, "__wrapped__") or hasattr(fn, "ag_module"):
        return False
    return not inspect.isgeneratorfunction(fn) and not inspect.iscoroutinefunction(fn)


def _convert(fn: types.FunctionType) -> Callable[..., Any]:
    known = _conversions.get(fn.__code__)
    if known is False:
        return fn
    transpiler, context = _transpiler()
    try:
        converted, _, source_map = transpiler.transform(fn, context)
    except (OSError, TypeError, ValueError, SyntaxError, AttributeError, KeyError, NotImplementedError, IndexError):
        _conversions[fn.__code__] = False  # no source (a REPL, exec), or syntax that AutoGraph does not take
        return fn
    _conversions[fn.__code__] = True
    _origins.update({(at.filename, at.lineno): (info.loc.filename, info.loc.lineno) for at, info in source_map.items()})
    converted.ag_module = True
    return converted


_conversions: dict[types.CodeType, bool] = {}
_origins: dict[tuple[str, int], tuple[str, int]] = {}


def origin(filename: str, line: int) -> tuple[str, int]:
    """Return the user's file and line of a line of rewritten code (of other code: the line itself)."""
    return _origins.get((filename, line), (filename, line))
