"""The protobuf messages of MindSpore's files of strategies: the layouts of Parameters over devices."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "sporax.strategies"
_MESSAGES = """
ParallelStrategy: repeated uint32 dim
ParallelStrategys: required uint32 stage, repeated ParallelStrategy parallel_strategy
ParallelStrategyItem: required string node_name, required ParallelStrategys parallel_strategys
DevMatrix: repeated uint32 dim
TensorMap: repeated int32 dim
ParamSplitShape: repeated int64 dim
IndicesOffset: repeated int64 dim
ParallelLayouts: repeated DevMatrix dev_matrix, repeated TensorMap tensor_map, repeated ParamSplitShape param_split_shape, repeated IndicesOffset indices_offset, required int32 field, required int32 opt_weight_shard_step, required int32 opt_weight_shard_size
ParallelLayoutItem: required string param_name, required ParallelLayouts parallel_layouts
ParallelGroupRanks: repeated uint32 dim
ParallelGroupItem: required string group_name, required ParallelGroupRanks parallel_group_ranks
ParallelGroupMap: repeated ParallelGroupItem parallel_group_item, required ParallelGroupRanks ckpt_restore_rank_list
ParallelStrategyMap: required uint32 current_stage, repeated ParallelStrategyItem parallel_strategy_item, repeated ParallelLayoutItem parallel_layout_item
"""  # noqa: E501
"""Message by message, its fields in the order of their numbers."""


def _classes() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="sporax/strategies.proto", package=_PACKAGE, syntax="proto2")
    kinds = descriptor_pb2.FieldDescriptorProto
    for line in _MESSAGES.split("\n")[1:-1]:
        name, fields = line.split(": ")
        message = file.message_type.add(name=name)
        for number, field in enumerate(fields.split(", "), 1):
            label, kind, field_name = field.split()
            added = message.field.add(name=field_name, number=number, label=f"LABEL_{label.upper()}")
            if kind[0].isupper():
                added.type, added.type_name = kinds.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
            else:
                added.type = kinds.Type.Value(f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    names = [message.name for message in file.message_type]
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in names}


CLASSES = _classes()


def __getattr__(name: str) -> Any:
    if name not in CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return CLASSES[name]
