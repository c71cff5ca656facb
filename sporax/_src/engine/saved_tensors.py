"""What backwards keep, and the hooks on it: a program packs each value when it is saved, and unpacks it when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.execution import running
from sporax._src.core.scope import Scope
from sporax._src.core.tensor import Tensor, is_tensor, wrap

if TYPE_CHECKING:
    from jax.extend.core import Primitive  # importing it loads Pallas

Hooks = tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]


# Primitives that the backward of an operation recomputes from its operands: saving and loading their results takes longer than
# recomputing them, and XLA duplicates the computation of a saved result for each of its users.
COMPUTED_AGAIN = frozenset(
    "abs acos acosh add add_any and asin asinh atan atan2 atanh broadcast_in_dim cbrt ceil clamp complex concatenate conj "
    "convert_element_type copy cos cosh digamma div eq erf erf_inv erfc exp exp2 expand_dims expm1 fft floor ge gt imag "
    "integer_pow iota is_finite le lgamma log log1p logistic lt max min mul ne neg not or pow real reduce_precision rem "
    "reshape round rsqrt select_n sign sin sinh slice split sqrt square squeeze stop_gradient sub tan tanh transpose "
    "xor".split()
)


def is_saved(primitive: Primitive, *operands: Array, **_: object) -> bool:
    """Return whether the backward saves a result; JAX rounds saved results, and cannot round complex numbers."""
    return primitive.name not in COMPUTED_AGAIN and not any(getattr(x.dtype, "kind", "") == "c" for x in operands)


def is_saved_by_loop(primitive: Any, *operands: Array, **params: object) -> bool:
    """Return whether the backward of a loop saves a result: also the activations, which a second loop would compute again."""
    return primitive.name in ("logistic", "tanh") or is_saved(primitive, *operands, **params)


class _Kept(NamedTuple):
    """What `pack_hook` returned for an array, and the shape and dtype that its unpacked value must have; None for any."""

    packed: Any
    like: jax.ShapeDtypeStruct | None


def pack(hooks: Hooks, arrays: Sequence[Any], alike: bool = True) -> Callable[[], list[Any]]:
    """Pack arrays, Python's numbers not among them, and return the function that unpacks them.

    Args:
        hooks: The functions of the program.
        arrays: The arrays.
        alike: Whether what is unpacked must have the same shape and dtype.
    """
    pack_hook, unpack_hook = hooks
    kept = [_Kept(_packed(pack_hook, a), _like(a, alike)) if _is_packed(a) else a for a in arrays]

    def unpack() -> list[Any]:
        return [_unpacked(unpack_hook, *of) if isinstance(of, _Kept) else of for of in kept]

    return unpack


def _like(array: Array, alike: bool) -> jax.ShapeDtypeStruct | None:
    return jax.ShapeDtypeStruct(array.shape, array.dtype) if alike else None


def _is_packed(array: object) -> bool:
    return hasattr(array, "shape") and not getattr(getattr(array, "aval", None), "weak_type", False)


def _called(hook: Callable[[Any], Any], value: object) -> Any:
    """Call a hook of the program, which is part of no gradient; its error does not belong to the operator."""
    with running(saved_hooks=None, recording=0):
        try:
            return hook(value)
        except Exception as error:
            vars(error)["_explained"] = True
            raise


def _packed(pack_hook: Callable[[Tensor], Any], array: Array) -> Any:
    tensor = wrap(array)
    packed = _called(pack_hook, tensor)
    if tensor._data is not array:
        raise RuntimeError(
            "saved_tensors_hooks: pack_hook must not change its argument in place; let it return a new Tensor."
        )
    return packed


def _unpacked(unpack_hook: Callable[[Any], Tensor], packed: object, like: jax.ShapeDtypeStruct | None) -> Any:
    tensor = _called(unpack_hook, packed)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"saved_tensors_hooks: unpack_hook must return a Tensor, got {describe(tensor)}.")
    if like is not None and (tensor._data.shape, tensor._data.dtype) != (like.shape, like.dtype):
        raise ValueError(
            f"saved_tensors_hooks: unpack_hook must return a Tensor like the packed one, {describe(like)}, "
            f"got {describe(tensor)}."
        )
    return tensor._data


def kept(operands: Sequence[Any], hooks: Hooks | None, alike: bool = True) -> Callable[[], Sequence[Any]]:
    """Return the function that returns the operands for a backward; a program's hooks pack the Tensors among them until then.

    Args:
        operands: Tensors and other values.
        hooks: The functions of the program, or None.
        alike: Whether what is unpacked must have the same shape and dtype.
    """
    if hooks is None:
        return lambda: operands
    nodes = {i: x._node for i, x in enumerate(operands) if isinstance(x, Tensor)}
    numbers: dict[int, Any] = {i: x for i, x in enumerate(operands) if i not in nodes}
    unpack = pack(hooks, [operands[i]._data for i in nodes], alike)

    def unpacked() -> list[Any]:
        tensors = dict(zip(nodes, map(wrap, unpack()), strict=True))
        for i, node in nodes.items():
            tensors[i]._node = node
        found = tensors | numbers
        return [found[i] for i in range(len(found))]

    return unpacked


class Package:
    """Arrays that hooks pack in one trace, and unpack in another one.

    Args:
        hooks: The functions of the program.
        alike: Whether what is unpacked must have the same shape and dtype.
    """

    def __init__(self, hooks: Hooks, alike: bool = True) -> None:
        self._hooks, self._alike = hooks, alike
        self._nest: Any = None
        self._likes: list[Any] = []  # for each array; False for one that is not packed

    def pack(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the arrays of what the hook makes of these."""
        tensors: list[Tensor] = []
        with Scope():
            packed = [_packed(self._hooks[0], a) if _is_packed(a) else wrap(a) for a in arrays]
            self._nest = tree.flatten(packed, is_tensor, tensors)
            saved = [t._data for t in tensors]
        self._likes = [_is_packed(a) and _like(a, self._alike) for a in arrays]
        return saved

    def unpack(self, saved: Sequence[Array]) -> list[Any]:
        """Return the arrays that were packed."""
        packed = tree.unflatten(self._nest, iter([wrap(a) for a in saved]))
        with Scope():
            return [
                p._data if like is False else _unpacked(self._hooks[1], p, like)
                for p, like in zip(packed, self._likes, strict=True)
            ]


def run_packed(fn: Callable[..., Any], hooks: Hooks, *data: Array) -> Any:
    """Run a function in a trace; what its backward needs is packed and unpacked by the hooks.

    Args:
        fn: A function of arrays that says which of its intermediate values are saved.
        hooks: The functions of the program.
        *data: Its operands.
    """
    package, structures = Package(hooks), []

    def forward(*arrays: Array) -> Any:
        out, pullback = jax.vjp(fn, *arrays)
        residuals, structure = jax.tree.flatten(pullback)
        structures[:] = [structure]
        return out, package.pack(residuals)

    def backward(saved: Sequence[Array], cotangents: object) -> Any:
        return jax.tree.unflatten(structures[0], package.unpack(saved))(cotangents)

    call = jax.custom_vjp(fn)
    call.defvjp(forward, backward)
    return call(*data)
