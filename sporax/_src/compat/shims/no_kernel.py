"""Primitives of which MindSpore has no kernel on a CPU, and sporax none: programs make them beside what runs.

They are made with the arguments that MindSpore takes, and one that is called raises RuntimeError, as its CPU does.
"""

from __future__ import annotations

import inspect
from typing import Any

from sporax.ops import Primitive

_LINES = """
AdamW()
CudnnGRU(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)
DiscountedReturn(gamma)
EnvCreate(name, **kwargs)
EnvReset(handle, state_shape, state_dtype)
EnvStep(handle, state_shape, state_dtype, reward_shape, reward_dtype)
GroupedMatmul(split_item=0, group_type=-1, transpose_a=False, transpose_b=False)
InstanceNorm(epsilon=1e-5, momentum=0.1)
MapTensorGet(insert_default_value)
MoeComputeExpertTokens()
MoeDistributeCombine()
MoeDistributeDispatch()
MoeFinalizeRouting()
MoeGatingTopKSoftmax()
MoeInitRouting()
MuxReceive(shape, dtype, group="hccl_world_group")
MuxSend(dest_rank, group="hccl_world_group")
NPUClearFloatStatusV2()
NPUGetFloatStatusV2()
RotaryPositionEmbedding()
Scatter()
"""


def _signature(parameters: str) -> inspect.Signature:
    return inspect.signature(eval(f"lambda {parameters}: None"))


def _made(name: str, parameters: str) -> type[Primitive]:
    signature = _signature(parameters)

    def __init__(self: Primitive, *args: Any, **kwargs: Any) -> None:
        Primitive.__init__(self, name)
        for key, value in signature.bind(*args, **kwargs).arguments.items():
            self.add_prim_attr(key, value)

    text = f"{name}({parameters}): MindSpore's operator, which can be made and not called here."
    return type(name, (Primitive,), {"__init__": __init__, "__doc__": text, "__module__": __name__})


for _line in _LINES.split("\n")[1:-1]:
    _name, _, _parameters = _line[:-1].partition("(")
    globals()[_name] = _made(_name, _parameters)

__all__ = [line.partition("(")[0] for line in _LINES.split("\n")[1:-1]]  # pyright: ignore[reportUnsupportedDunderAll]
