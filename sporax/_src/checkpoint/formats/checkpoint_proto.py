"""The protobuf messages of a MindSpore checkpoint.

A file is a `Checkpoint { repeated Value value = 1; }`, whose values are read and written one by one.
"""

from __future__ import annotations

from sporax._src.base.protobuf_messages import message_classes

_classes = message_classes(
    "sporax.checkpoint",
    """
    message TensorProto { repeated int64 dims = 1; required string tensor_type = 2; required bytes tensor_content = 3; }
    message MapTensorProto { repeated TensorProto tensor = 1; }
    message Value { required string tag = 1; optional TensorProto tensor = 2; optional MapTensorProto maptensor = 3; }
    """,
)
Value = _classes["Value"]
TensorProto = _classes["TensorProto"]
