"""The names of torch as the map has them."""

import pytest

from sporax._src.migrate.torch_map.names import (
    asks_itself,
    canonical,
    is_known,
    is_namespace,
    is_value,
    namespaces,
    public_names,
)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("torch.cat", "torch.cat"),
        ("torch.torch.cat", "torch.cat"),
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.optim.adam.Adam", "torch.optim.Adam"),
        ("torch.utils.data.dataset.Dataset", "torch.utils.data.Dataset"),
        ("torch.nn.modules.linear.NoSuch", "torch.nn.modules.linear.NoSuch"),
    ],
)
def test_names_of_inner_modules_are_found(path: str, name: str) -> None:
    assert canonical(path) == name


def test_a_namespace_has_parts_and_no_row() -> None:
    assert {"torch", "torch.nn", "torch.nn.functional"} <= namespaces()
    assert is_namespace("torch.nn") and not is_namespace("torch.Tensor") and not is_namespace("torch.cat")
    assert "torch.Tensor" in namespaces()  # its methods are below it


def test_values_are_told_from_functions_and_classes() -> None:
    assert is_value("torch.float32")
    assert not any(map(is_value, ("torch.cat", "torch.nn.Linear", "torch.nn", "torch.no_such")))


def test_names_that_a_star_gives() -> None:
    names = public_names("torch.nn.init")
    assert names == sorted(names) and {"xavier_uniform_", "zeros_"} <= {*names}
    assert {"functional", "Linear"} <= {*public_names("torch.nn")}


def test_what_has_a_counterpart() -> None:
    assert is_known("torch.cat") and is_known("torch.nn") and not is_known("torch.no_such")


def test_methods_whose_helper_asks_what_the_object_is() -> None:
    assert asks_itself("to") and not asks_itself("unsqueeze")
