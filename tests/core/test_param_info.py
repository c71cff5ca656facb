"""What a Parameter says about itself, apart from its values."""

import copy

import pytest

from sporax import Parameter, Tensor


def test_the_name_is_that_of_the_information() -> None:
    w = Parameter(Tensor([1.0]))
    assert not w.named and w.param_info.name == w.name
    w.param_info.name = "w"
    assert w.name == "w" and w.named
    assert Parameter(Tensor([1.0]), name="b").param_info.name == "b"
    twin = copy.deepcopy(w)
    twin.name = "twin"
    assert (w.name, twin.param_info.name) == ("w", "twin") and twin.param_info.cloned_obj == []
    with pytest.raises(ValueError, match="Parameter: name must be a non-empty string, got ''"):
        w.param_info.name = ""
