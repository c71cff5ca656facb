"""Operators that MindSpore has for other devices: they can be made, and raise RuntimeError when they run, as on its CPU."""

from __future__ import annotations

import inspect
from typing import Any

from sporax._src.compat.operators import ops
from sporax._src.core.tensor import Tensor
from sporax.ops import Primitive, PrimitiveWithInfer


def without_kernel(name: str, parameters: str = "") -> type[Primitive]:
    """Return the class of an operator that can be made and not called.

    Args:
        name: The name of the operator.
        parameters: The parameters of its constructor, as Python writes them: `"dest_rank, group='hccl_world_group'"`.
    """
    signature = inspect.signature(eval(f"lambda {parameters}: None"))

    def __init__(self: Primitive, *args: object, **kwargs: object) -> None:
        Primitive.__init__(self, name)
        for key, value in signature.bind(*args, **kwargs).arguments.items():
            self.add_prim_attr(key, value)

    text = f"{name}({parameters}): MindSpore's operator, which can be made and not called here."
    return type(name, (Primitive,), {"__init__": __init__, "__doc__": text, "__module__": __name__})


class DescribedOperator(PrimitiveWithInfer):
    """An operator whose results graphs can describe: like its first input, unless a subclass says otherwise."""

    def __init__(self) -> None:
        super().__init__(type(self).__name__)

    def infer_shape(self, *shapes: object) -> Any:
        return shapes[0]

    def infer_dtype(self, *dtypes: object) -> Any:
        return dtypes[0]

    def get_bprop(self) -> Any:
        return lambda *args: tuple(ops.zeros_like(x) if isinstance(x, Tensor) else x for x in args[:-2])
