"""Rewrites a function's source so that its control flow calls `operators` (AutoGraph, from the malt library)."""

from __future__ import annotations

import ast
import functools
import importlib.util  # noqa: F401  (malt uses it without importing it)
import inspect
import types
from collections.abc import Callable
from typing import Any

from sporax._src.base.tracebacks import lines_come_from
from sporax._src.transform.controlflow import operators, syntax, undo_log

_OURS = ("sporax", "mindspore", "jax", "jaxlib", "numpy", "scipy", "malt", "builtins", "functools", "collections", "math", "typing",
         "contextlib", "itertools", "torch", "operator", "copy", "logging", "warnings", "re", "os", "time", "dataclasses",
         "abc", "enum", "inspect", "threading")  # fmt: skip


@functools.cache
def _transpiler() -> tuple[Any, Any]:
    from malt.converters import (
        break_statements,
        call_trees,
        conditional_expressions,
        continue_statements,
        control_flow,
        functions,
        logical_expressions,
        return_statements,
        variables,
    )
    from malt.core import converter
    from malt.impl.api import PyToPy
    from malt.pyct import anno, cfg, origin_info, qual_names, templates
    from malt.pyct.static_analysis import activity, liveness, reaching_definitions, reaching_fndefs

    class Blocks(control_flow.ControlFlowTransformer):
        """The pass over `if`, `while` and `for`. Its variables are names; the undo log covers attributes and items."""

        def _get_block_composite_vars(self, modified: object, live_in: object) -> frozenset[Any]:
            return frozenset()

    class Choices(conditional_expressions.ConditionalExpressionTransformer):
        """The pass over conditional expressions, including nested ones."""

        def visit_IfExp(self, node: Any) -> Any:
            visited: Any = self.generic_visit(node)
            return super().visit_IfExp(visited)

    class Names(variables.VariableAccessTransformer):
        """The pass over names that are read or deleted; later passes generate no reads of the program's names."""

        _bound: tuple[set[str], ...] = ()  # the names each function binds, innermost last

        def visit_FunctionDef(self, node: Any) -> Any:
            scope: Any = anno.getanno(node, activity.NodeAnno.ARGS_AND_BODY_SCOPE, default=None)
            outer = self._bound
            self._bound = outer if scope is None else (*outer, set(map(str, scope.bound)))
            node = self.generic_visit(node)
            self._bound = outer
            return node

        visit_Lambda = visit_FunctionDef

        def visit_Name(self, node: Any) -> Any:
            if not isinstance(node.ctx, ast.Load) or not anno.hasanno(node, anno.Static.ORIG_DEFINITIONS):
                return node
            *outer, inner = self._bound
            is_free = node.id not in inner and any(node.id in bound for bound in outer)
            read = f"ag__.{'load_free' if is_free else 'load'}(name, text)"
            return templates.replace_as_expression(read, name=node, text=ast.Constant(node.id))

        def visit_Delete(self, node: Any) -> Any:
            read = "ag__.load(name, text)\nname = ag__.Undefined(text)"
            new: list[Any] = []
            for target in node.targets:
                statements = templates.replace(read, name=target, text=ast.Constant(target.id))
                for statement in statements:
                    origin_info.copy_origin(target, statement)
                new += statements
            return new

    class Transpiler(PyToPy):
        """AutoGraph's passes and sporax's, with sporax's operators."""

        def get_extra_locals(self) -> dict[str, Any]:
            extra = super().get_extra_locals()
            operators.install(extra["ag__"], rewritten)
            return extra

        def transform_ast(self, node: Any, ctx: Any) -> Any:
            node = syntax.Before(ctx.user.owner, syntax.known_conditions(ctx.info.source_code)).visit(node)
            node = self.initial_analysis(node, ctx)
            node = functions.transform(node, ctx)
            node = break_statements.transform(node, ctx)
            node = continue_statements.transform(node, ctx)
            node = return_statements.transform(node, ctx)
            node = call_trees.transform(node, ctx)
            graphs = cfg.build(node)
            node = activity.resolve(qual_names.resolve(node), ctx, None)
            for analysis in (reaching_definitions, reaching_fndefs, liveness):
                node = analysis.resolve(node, ctx, graphs)
            node = Blocks(ctx).visit(node)
            node = syntax.After().visit(node)
            node = Choices(ctx).visit(node)
            node = logical_expressions.transform(node, ctx)
            return Names(ctx).visit(node)

    none: Any = ()  # of the optional features
    options = converter.ConversionOptions(recursive=True, user_requested=True, optional_features=none)
    return Transpiler(), converter.ProgramContext(options=options)


def rewritten(fn: Callable[..., Any]) -> Any:
    """Return `fn` with its control flow rewritten, or `fn` itself if that is impossible or unnecessary."""
    if isinstance(fn, types.MethodType):
        inner = rewritten(fn.__func__)
        return fn if inner is fn.__func__ else types.MethodType(inner, fn.__self__)
    if isinstance(fn, functools.partial):
        return functools.partial(rewritten(fn.func), *fn.args, **fn.keywords)
    if not isinstance(fn, types.FunctionType):
        return fn
    if is_of_program(fn.__globals__.get("__name__", "")):
        undo_log.calls(fn)
    return _convert(fn) if _is_users(fn) else fn


def is_of_program(module: str) -> bool:
    """Return whether a module belongs to the program, not to sporax or to a library without traced code."""
    return module.split(".")[0] not in _OURS


def _is_users(fn: types.FunctionType) -> bool:
    if (
        hasattr(fn, "ag_module")
        or hasattr(fn, "autograph_info__")
        or not is_of_program(fn.__globals__.get("__name__", ""))
    ):
        return False
    return not inspect.isgeneratorfunction(fn) and not inspect.iscoroutinefunction(fn)


def _convert(fn: types.FunctionType) -> Callable[..., Any]:
    known = _conversions.get(fn.__code__)
    if known is False:
        return fn
    transpiler, context = _transpiler()
    *_, owner = ["", *fn.__qualname__.split(".")[:-1]]
    context.owner = owner if owner.isidentifier() else None
    try:
        converted, _, source_map = transpiler.transform(fn, context)
    except Exception:
        _conversions[fn.__code__] = False  # no source (a REPL, exec), or syntax that AutoGraph does not support
        return fn
    _conversions[fn.__code__] = True
    _origins.update({(at.filename, at.lineno): (info.loc.filename, info.loc.lineno) for at, info in source_map.items()})
    converted.ag_module = True
    return converted


_conversions: dict[types.CodeType, bool] = {}
_origins: dict[tuple[str, int], tuple[str, int]] = {}


def origin(filename: str, line: int) -> tuple[str, int]:
    """Return the user's file and line for a line of rewritten code; other lines are returned unchanged."""
    return _origins.get((filename, line), (filename, line))


lines_come_from(origin)
