"""Changes of arguments: their names and order, and which options there are."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from sporax._src.compat.releases.table import Newer, alike, changed
from sporax._src.core.tensor import Tensor

_CONVERSIONS = "to astype type float double half bfloat16 int long short byte bool".split()


@changed(
    "2.8.0",
    *[f"Tensor.{name}" for name in _CONVERSIONS],
    what="Conversions return a new Tensor that shares the elements if the dtype is the same. Before, they returned the Tensor "
    "itself.",
    examples=("x = T([1.0, 2.0])\nx.to(x.dtype) is x", "x = T([1.0, 2.0], 'float32')\nx.float() is x"),
)
def _another(older: Callable[..., Any]) -> Any:
    @alike(older)
    def convert(self: Tensor, *args: object, **options: object) -> Tensor:
        result = older(self, *args, **options)
        return result.view_as(result) if result is self else result

    return convert


@changed(
    "2.8.0",
    "Parameter.data",
    what="`Parameter.data` is a Tensor that shares the elements, through which no gradient passes. Before, it was the Parameter "
    "itself.",
    examples=(
        "ms.Parameter(T([1.0, 2.0], 'float32'), name='w').data.name",
        "ms.Parameter(T([1.0, 2.0], 'float32'), name='w').data.set_data(T([3.0, 4.0], 'float32')).asnumpy().tolist()",
    ),
)
def _data_of_a_parameter(_: Any) -> Any:
    return inspect.getattr_static(Tensor, "data")


def _renamed(**older_names: str) -> Newer:
    """Return what makes a newer function, with other names of parameters: each newer name of an older one."""
    newer_names = {old: new for new, old in older_names.items()}

    def newer(older: Callable[..., Any]) -> Any:
        before = inspect.signature(older)
        named = [p.replace(name=newer_names.get(p.name, p.name)) for p in before.parameters.values()]

        @alike(older)
        def function(*operands: object, **options: object) -> Any:
            for name in options:
                if name in newer_names and name not in older_names:
                    raise TypeError(f"{older.__name__}() got an unexpected keyword argument {name!r}")
            return older(*operands, **{older_names.get(name, name): value for name, value in options.items()})

        function.__dict__["__signature__"] = before.replace(parameters=named)
        function.__doc__ = older.__doc__
        for old, new in newer_names.items():
            function.__doc__ = re.sub(rf"\b{old}\b", new, function.__doc__ or "")
        return function

    return newer


changed(
    "2.8.0",
    "ops.transpose",
    "ops.Transpose.__call__",
    what="`ops.transpose(input, dims)`, `ops.Transpose()(input, dims)`: the second parameter was `input_perm`.",
    examples=(
        "ops.transpose(T([[1, 2]]), dims=(1, 0))",
        "ops.transpose(T([[1, 2]]), input_perm=(1, 0))",
        "ops.Transpose()(input=T([[1, 2]]), dims=(1, 0))",
    ),
)(_renamed(dims="input_perm"))
changed(
    "2.8.0",
    "ops.Zeros.__call__",
    what="`ops.Zeros()(size, dtype)`: the second parameter was `type`.",
    examples=("ops.Zeros()(size=(2,), dtype=ms.int32)", "ops.Zeros()(size=(2,), type=ms.int32)"),
)(_renamed(dtype="type"))
changed(
    "2.8.0",
    "ops.Ones.__call__",
    what="`ops.Ones()(shape, dtype)`: the parameters were `size` and `type`.",
    examples=("ops.Ones()(shape=(2,), dtype=ms.int32)", "ops.Ones()(size=(2,), type=ms.int32)"),
)(_renamed(shape="size", dtype="type"))
changed(
    "2.9.0",
    "ops.LeftShift.__call__",
    what="`ops.LeftShift()(x1, x2)` takes its operands by these names too.",
    examples=("ops.LeftShift()(x1=T([1, 2]), x2=T([1, 1]))",),
)(_renamed(x1="input", x2="other"))


@changed(
    "2.8.0",
    "Tensor.permute",
    what="`Tensor.permute` takes `dims=` too.",
    examples=("T([[1, 2]]).permute(dims=(1, 0))", "T([[1, 2]]).permute(1, 0)"),
)
def _permute(older: Callable[..., Any]) -> Any:
    @alike(older)
    def permute(self: Tensor, *axis: object, dims: object = None) -> Tensor:
        return older(self, *axis) if dims is None else older(self, *axis, dims)

    return permute


def _without_cache(older: Callable[..., Any]) -> Any:
    """Return the `__init__` of an embedding that has neither the parameter nor the attribute `vocab_cache_size`."""
    before = inspect.signature(older)
    signature = before.replace(parameters=[p for p in before.parameters.values() if p.name != "vocab_cache_size"])

    @alike(older)
    def __init__(self: Any, *args: object, **options: object) -> None:
        try:
            given = signature.bind(self, *args, **options)
        except TypeError as error:
            raise TypeError(f"{older.__qualname__}() {error}") from None
        older(**given.arguments)
        vars(self).pop("vocab_cache_size", None)

    __init__.__dict__["__signature__"] = signature
    return __init__


changed(
    "2.8.0",
    "nn.EmbeddingLookup.__init__",
    what="`nn.EmbeddingLookup` has no `vocab_cache_size`: its ninth parameter is `dtype`.",
    examples=(
        "nn.EmbeddingLookup(4, 2, vocab_cache_size=0)",
        "nn.EmbeddingLookup(4, 2, 'ones', 'CPU', 'batch_slice', None, None, True, ms.float16).embedding_table.dtype",
        "nn.EmbeddingLookup(4, 2).vocab_cache_size",
    ),
)(_without_cache)
changed(
    "2.8.0",
    "nn.EmbeddingLookupThor.__init__",
    what="`nn.EmbeddingLookupThor` has no `vocab_cache_size`.",
    examples=("nn.EmbeddingLookupThor(4, 2, vocab_cache_size=0)",),
)(_without_cache)


@changed(
    "2.8.0",
    "Tensor.expand",
    what="`Tensor.expand` takes no `size=`: sizes are given by position.",
    examples=("T([1, 2]).expand(size=(2, 2))",),
)
def _expand(older: Callable[..., Any]) -> Any:
    @alike(older)
    def expand(self: Tensor, *size: object) -> Tensor:
        return older(self, *size)

    return expand


def _without_options(*gone: str) -> Newer:
    """Return what makes a newer `set_context` or `get_context`, without some options."""

    def newer(older: Callable[..., Any]) -> Any:
        @alike(older)
        def context(*names: object, **options: object) -> Any:
            for name in (*names, *options):
                if name in gone:
                    raise ValueError(f"{older.__name__}: there is no option {name!r}.")
            return older(*names, **options)

        return context

    return newer


_CONTEXT = ("get_context", "set_context", "context.get_context", "context.set_context")
changed(
    "2.8.0",
    *_CONTEXT,
    what="The context has no option `memory_offload`.",
    examples=("ms.set_context(memory_offload='OFF')",),
)(_without_options("memory_offload"))
changed(
    "2.10.0",
    *_CONTEXT,
    what="The context has no options `grad_for_scalar` and `precompile_only`.",
    examples=("ms.get_context('grad_for_scalar')", "ms.set_context(precompile_only=False)"),
)(_without_options("grad_for_scalar", "precompile_only"))


@changed(
    "2.8.0",
    "dataset.Dataset.map",
    what="`map` of datasets has no `column_order`: its fourth parameter is `num_parallel_workers`, its last by position.",
    examples=(
        "ds.NumpySlicesDataset([1], ['a']).map(abs, ['a'], ['b'], 1).get_col_names()",
        "ds.NumpySlicesDataset([1], ['a']).map(abs, ['a'], column_order=['a'])",
    ),
)
def _map(older: Callable[..., Any]) -> Any:
    before = inspect.signature(older)

    @alike(older)
    def map(
        self: object,
        operations: object,
        input_columns: object = None,
        output_columns: object = None,
        num_parallel_workers: int | None = None,
        **options: Any,
    ) -> Any:
        if options.pop("column_order", None) is not None:  # programs that run with all releases pass None
            raise TypeError(
                "Dataset.map() got an unexpected keyword argument 'column_order'; call .project(columns) after it"
            )
        return older(
            self, operations, input_columns, output_columns, num_parallel_workers=num_parallel_workers, **options
        )

    named = [p for p in before.parameters.values() if p.name != "column_order"]
    last = [p if p.kind is p.VAR_KEYWORD else p.replace(kind=p.KEYWORD_ONLY) for p in named[5:]]
    map.__dict__["__signature__"] = before.replace(parameters=[*named[:5], *last])
    return map


@changed(
    "2.8.0",
    "jit",
    what="`jit` takes any name as `backend`, and a call refuses a backend that is not registered. Before, `jit` refused it.",
    examples=("callable(ms.jit(lambda x: x, backend='mine'))",),
)
def _jit(older: Callable[..., Any]) -> Any:
    @alike(older)
    def jit(function: Callable[..., Any] | None = None, *, backend: object = "", **options: Any) -> Any:
        if backend in ("", "ms_backend", "GE"):
            return older(function, backend=backend, **options)
        older(**options)
        if function is None:
            return partial(jit, backend=backend, **options)

        @wraps(function)
        def call(*args: object, **kwargs: object) -> Any:
            raise RuntimeError(f"jit: there is no backend {backend!r}; leave it out, or choose 'ms_backend' or 'GE'.")

        return call

    return jit


@changed(
    "2.9.0",
    "nn.Cell.register_forward_hook",
    "nn.Cell.register_forward_pre_hook",
    what="The options of `register_forward_hook` and `register_forward_pre_hook` are given by keyword.",
    examples=("type(nn.ReLU().register_forward_hook(lambda *a: None, False)).__name__",),
)
def _hook(older: Callable[..., Any]) -> Any:
    of_hook, *options = list(inspect.signature(older).parameters.values())[1:]
    by_keyword = [p.replace(kind=p.KEYWORD_ONLY) for p in options]

    @alike(older)
    def register(self: object, hook_fn: object, **options: object) -> Any:
        return older(self, hook_fn, **options)

    self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    register.__dict__["__signature__"] = inspect.Signature([self, of_hook, *by_keyword])
    return register
