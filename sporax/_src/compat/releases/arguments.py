"""Changes of arguments: their names and order, and which options there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.api.tensor.storage import read_as
from sporax._src.compat.releases.table import Newer, alike, changed
from sporax._src.core.dtype import Type
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
    "ops.transpose",
    what="`ops.transpose(input, dims)`: the second parameter was `input_perm`.",
    examples=("ops.transpose(T([[1, 2]]), dims=(1, 0))", "ops.transpose(T([[1, 2]]), input_perm=(1, 0))"),
)
def _transpose(older: Callable[..., Any]) -> Any:
    def transpose(input: Tensor, dims: object) -> Tensor:
        return older(input, dims)

    transpose.__doc__ = (older.__doc__ or "").replace("input_perm", "dims")
    return transpose


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


@changed(
    "2.8.0",
    "Tensor.view",
    what="`Tensor.view` takes a dtype too: the result has the bytes of the Tensor, read as that dtype. A shape may be given as "
    "`shape=`.",
    examples=(
        "T([[1.0, 2.0]], 'float32').view(ms.int32)",
        "T([[1.0, 2.0]], 'float32').view(dtype=ms.float16)",
        "T([1, 2, 3], 'int8').view(ms.int16)",
        "T(1.0, 'float32').view(ms.int8)",
        "T([1.0, 2.0]).view(shape=(2, 1))",
    ),
)
def _view(older: Callable[..., Any]) -> Any:
    @alike(older)
    def view(self: Tensor, *shape: object, **given: object) -> Tensor:
        wanted = (*shape, *_only("view", given, "shape", "dtype").values())
        if len(given) > (not shape):
            raise TypeError("view() takes a shape or a dtype")
        return read_as(self, wanted[0]) if len(wanted) == 1 and isinstance(wanted[0], Type) else older(self, *wanted)

    return view


@changed(
    "2.8.0",
    "nn.EmbeddingLookup.__init__",
    what="`nn.EmbeddingLookup` has no `vocab_cache_size`.",
    examples=("nn.EmbeddingLookup(4, 2, vocab_cache_size=0)", "nn.EmbeddingLookup(4, 2).vocab_cache_size"),
)
def _embedding(older: Callable[..., Any]) -> Any:
    def __init__(
        self: Any,
        vocab_size: int,
        embedding_size: int,
        param_init: object = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: tuple[int, ...] | None = None,
        max_norm: float | None = None,
        sparse: bool = True,
        **dtype: Any,
    ) -> None:
        places = (vocab_size, embedding_size, param_init, target, slice_mode, manual_shapes, max_norm, sparse)
        older(self, *places, **_only("EmbeddingLookup", dtype, "dtype"))
        del self.vocab_cache_size

    return __init__


def _only(function: str, given: dict[str, Any], *known: str) -> dict[str, Any]:
    """Return keyword arguments, all of which must be known."""
    for name in given:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
    return given


@changed(
    "2.8.0",
    "dataset.Dataset.map",
    what="`Dataset.map` has no `column_order`: its fourth parameter is `num_parallel_workers`.",
    examples=(
        "data = ds.NumpySlicesDataset([1], ['a']).map(lambda a: a + 1, 'a', 'b', 1)\n"
        "list(data.create_tuple_iterator(output_numpy=True))",
    ),
)
def _map(older: Callable[..., Any]) -> Any:
    @alike(older)
    def map(
        self: object,
        operations: object,
        input_columns: object = None,
        output_columns: object = None,
        num_parallel_workers: int | None = None,
        **options: object,
    ) -> Any:
        return older(self, operations, input_columns, output_columns, None, num_parallel_workers, **options)

    return map


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
    "2.9.0",
    "nn.Cell.register_forward_hook",
    "nn.Cell.register_forward_pre_hook",
    what="The options of `register_forward_hook` and `register_forward_pre_hook` are given by keyword.",
    examples=("type(nn.ReLU().register_forward_hook(lambda *a: None, False)).__name__",),
)
def _hook(older: Callable[..., Any]) -> Any:
    @alike(older)
    def register(self: object, hook_fn: object, **options: object) -> Any:
        return older(self, hook_fn, **options)

    return register
