"""Names of libraries of collective operators."""

import pytest

from sporax._src.compat.shims.communication.comm_helper import Backend


def test_names() -> None:
    assert Backend("NCCL") == Backend.NCCL == "nccl" and type(Backend("hccl")) is str
    with pytest.raises(ValueError, match="Backend: name must be 'hccl', 'nccl' or 'mccl', got 'x'"):
        Backend("x")
    with pytest.raises(TypeError, match="Backend: name must be a string, got 3"):
        Backend(3)  # type: ignore[arg-type]
