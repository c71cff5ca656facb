"""Inputs with open sizes, `Tensor(shape=[None, 3], dtype=...)`: an exported graph takes any size along these axes."""

from __future__ import annotations

from typing import Any

import jax
from jax import export as jax_export

from sporax._src.core import tree
from sporax._src.core.symbol import Symbol
from sporax._src.core.tensor import Tensor, is_tensor, wrap

LARGEST = 2**20  # JAX is told of each size that it is no larger, so that products of three still count elements


def with_open_sizes(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the inputs, with symbolic arrays in place of Tensors that leave sizes open.

    An open first axis is the batch axis, with one size for all inputs; a Symbol is one size wherever it occurs.
    """
    names: dict[Any, str] = {}
    constraints: list[str] = []

    def named(size: object, key: object) -> str:
        if isinstance(size, int):
            return str(size)
        if key not in names:
            names[key] = "batch" if key == "batch" else f"size{len(names)}"
            constraints.extend([f"{names[key]} >= 1", f"{names[key]} <= {LARGEST}"])
        return names[key]

    def shape(tensor: Tensor) -> str:
        sizes = enumerate(tensor._open_shape or ())
        keys = [(size, size if isinstance(size, Symbol) else (id(tensor), i) if i else "batch") for i, size in sizes]
        return ", ".join(named(size, key) for size, key in keys)

    def is_open(value: object) -> bool:
        return isinstance(value, Tensor) and value._open_shape is not None

    tensors: list[Tensor] = []
    tree.flatten(inputs, is_tensor, tensors)
    found = list(filter(is_open, tensors))
    texts = {id(tensor): shape(tensor) for tensor in found}
    scope = jax_export.SymbolicScope(constraints)

    def stand_in(tensor: Tensor) -> Tensor:
        sizes = jax_export.symbolic_shape(texts[id(tensor)], scope=scope)
        return wrap(jax.ShapeDtypeStruct(sizes, tensor._data.dtype))

    return tree.map_leaves(stand_in, inputs, is_open) if found else inputs
