"""The protobuf messages of MindSpore's files of strategies."""

import pytest
from google.protobuf.message import EncodeError

from sporax._src.sharding import parameter_proto


def test_the_bytes_of_a_message() -> None:
    """A field is its number and kind in one byte, and its value: MindSpore reads these."""
    message = parameter_proto.ParallelStrategyItem(node_name="m")
    message.parallel_strategys.stage = 1
    message.parallel_strategys.parallel_strategy.add(dim=[2, 4])
    data = message.SerializeToString()
    assert data == b"\x0a\x01m\x12\x08\x08\x01\x12\x04\x08\x02\x08\x04"
    assert parameter_proto.CLASSES["ParallelStrategyItem"].FromString(data) == message


def test_negative_axes_of_a_tensor_map() -> None:
    data = parameter_proto.TensorMap(dim=[-1, 0]).SerializeToString()
    assert list(parameter_proto.TensorMap.FromString(data).dim) == [-1, 0]


def test_required_fields() -> None:
    with pytest.raises(EncodeError, match="missing required fields: current_stage"):
        parameter_proto.ParallelStrategyMap().SerializeToString()


def test_other_names() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        parameter_proto.Nothing  # noqa: B018
