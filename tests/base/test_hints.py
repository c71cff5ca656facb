"""What is written in place of a name that does not exist."""

import pytest

import sporax as ms
from sporax import dataset, mint, nn, ops, train  # noqa: F401  (where names are looked for)
from sporax._src.base import hints


@pytest.mark.parametrize(
    ("owner", "name", "want"),
    [
        (ops, "rellu", "Did you mean 'relu'?"),
        (nn, "Module", "Write nn.Cell, with construct in place of forward."),
        (ms, "relu", "Write ops.relu."),
        (ms.Tensor(1.0), "detach", "Write ops.stop_gradient(x)."),
        (nn.Dense, "evel", ""),
        (nn.ReLU(), "forwrd", ""),
        (nn.ReLU(), "construc", "Did you mean 'construct'?"),
        (pytest, "rellu", ""),
        ([1], "shap", ""),
    ],
)
def test_of_attribute(owner: object, name: str, want: str) -> None:
    assert hints.of_attribute(owner, name) == want


def test_habits_are_of_names_that_do_not_exist() -> None:
    """A hint in a table is never hidden by an attribute."""
    kinds = {"Tensor": ms.Tensor(1.0), "Cell": nn.ReLU(), "Optimizer": nn.SGD([ms.Parameter(1.0, name="w")]),
             "Model": train.Model(nn.ReLU()), "Dataset": dataset.NumpySlicesDataset([1])}  # fmt: skip
    modules = {"sporax": ms, "sporax.nn": nn, "sporax.ops": ops, "sporax.dataset": dataset}
    for table, owners in ((hints.ATTRIBUTES, kinds), (hints.NAMES, modules)):
        assert table.keys() == owners.keys()
        assert [name for owner in table for name in table[owner] if hasattr(owners[owner], name)] == []


@pytest.mark.parametrize(
    ("function", "name", "want"),
    [
        ("Dense", "bias", "Write has_bias in place of bias."),
        ("Conv2d", "kernel_sise", "Did you mean 'kernel_size'?"),
        ("Flatten", "zzz", "Flatten takes start_dim, end_dim."),
        ("no_such_function", "bias", ""),
    ],
)
def test_of_keyword(function: str, name: str, want: str) -> None:
    assert hints.of_keyword(function, name) == want


def test_a_hint_is_added_once() -> None:
    error = TypeError("Dense.__init__() got an unexpected keyword argument 'bias'")
    hints.add_hint(error)
    text = str(error)
    hints.add_hint(error)
    assert (
        str(error)
        == text
        == "Dense.__init__() got an unexpected keyword argument 'bias'. Write has_bias in place of bias."
    )


OTHERS = [
    "Net.construct() takes 2 positional arguments but 3 were given",
    "an error",
    "",
    "mode must be in [0, 1], got 7.",
]


@pytest.mark.parametrize("text", OTHERS)
def test_other_messages_stay(text: str) -> None:
    error = TypeError(text)
    hints.add_hint(error)
    assert str(error) == text
