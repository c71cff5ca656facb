"""Public names are found by any of their paths, and by names like them."""

import pytest

from sporax._src.cli import public_api


@pytest.mark.parametrize("name", ["ops.relu", "mindspore.ops.relu", "sporax.ops.relu", "ms.ops.relu"])
def test_a_name_by_its_paths(name: str) -> None:
    (found,) = public_api.described(name)
    assert (found.name, found.signature) == ("ops.relu", "(input, inplace=False)")
    assert found.summary


def test_a_word_that_several_modules_have() -> None:
    assert {"Tensor.sum", "ops.sum", "mint.sum"} <= {found.name for found in public_api.described("sum")}
    assert public_api.described("no_such_name") == public_api.described("ops._src") == []


def test_names_like_a_name() -> None:
    assert public_api.close_public("Dens")[0] == "nn.Dense"
    assert public_api.close_public("mindspore.ops.rellu")[0] == "ops.relu"
    assert public_api.close_public("qqqqqqqq") == []
