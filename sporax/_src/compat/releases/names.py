"""Names that newer releases have no longer."""

from __future__ import annotations

from sporax._src.compat.releases.table import gone

gone(
    "2.8.0",
    "ops.BufferAppend",
    "ops.BufferGetItem",
    "ops.BufferSample",
    instead="keep samples in arrays of NumPy or Parameters",
)
gone("2.8.0", "nn.TensorArray", instead="keep Tensors in a list")
gone("2.8.0", "check_checkpoint", "train.check_checkpoint", instead="call load_checkpoint, which checks the file")
gone(
    "2.8.0",
    "nn.Cell.set_param_ps",
    "Parameter.set_param_ps",
    "nn.Cell.place",
    instead="train with several processes; there are no parameter servers",
)
gone("2.8.0", "nn.Cell.flatten_weights", instead="leave the layout in memory to the compiler")
gone("2.8.0", "set_offload_context", "get_offload_context", instead="call runtime.set_memory")
