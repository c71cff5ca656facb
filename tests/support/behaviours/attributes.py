"""What programs attach to operators and Parameters, and read from them."""

from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, ops


def names_of_an_operator() -> Any:
    """The names of inputs and outputs, and the device, are attributes of an operator."""
    add = ops.Add()
    add.init_prim_io_names(["x", "y"], ["sum"])
    return add.input_names, add.output_names, add.set_device("CPU").primitive_target


def an_attribute_of_an_operator() -> Any:
    """What is attached to an operator can be read as an attribute, and taken away."""
    add = ops.Add().add_prim_attr("level", 2)
    found = add.level, add.attrs["level"]
    add.del_prim_attr("level")
    return found, hasattr(add, "level"), "level" in add.attrs


def shuffled_channels() -> Any:
    """ChannelShuffle takes its number of groups when it is made."""
    return ops.ChannelShuffle(2)(ms.Tensor(np.arange(8, dtype=np.float32).reshape(1, 4, 2, 1)))


def keys_of_parameters() -> Any:
    """`key` and `unique` can be set, and a Parameter that has its values has no other one."""
    p = Parameter(ms.Tensor([1.0]), name="p")
    first = p.key, p.unique, p.inited_param
    p.key, p.unique = 2, True
    return first, p.key, p.unique
