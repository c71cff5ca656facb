"""What mindformers (`wrapper/wrapper.py`) imports from `mindspore.ops._grad_experimental.grad_comm_ops`."""

from __future__ import annotations

from typing import Any


def get_squared_device_local_norm_param() -> Any:
    """Raise ValueError, as MindSpore does unless norms of the gradients of a device are dumped, which they never are here."""
    raise ValueError("get_squared_device_local_norm_param: the parallel option 'dump_device_local_norm' is not on.")
