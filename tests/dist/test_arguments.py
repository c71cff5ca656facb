"""The types of arguments are checked by the names of the arguments."""

import pytest

from sporax import Tensor
from sporax._src.dist.arguments import check_arguments, checked

X = Tensor([1.0])


def test_arguments_that_are_right() -> None:
    check_arguments(
        "f", tensor=X, group=None, async_op=True, op="avg", src=1, tensor_list=(X, X), gather_list=None, other=1
    )


def test_a_function_is_checked_by_position_and_by_name() -> None:
    @checked
    def f(tensor: Tensor, src: int = 0, *, group: str | None = None) -> int:
        return src

    assert f(X, 2, group="a") == 2 and f.__name__ == "f"
    for call in (lambda: f(1), lambda: f(tensor=1)):
        with pytest.raises(TypeError, match="f: tensor must be a Tensor, got int"):
            call()
    for call in (lambda: f(X, tensor=X), lambda: f(X, 1, None, 2), lambda: f(X, what=1)):
        with pytest.raises(TypeError, match=r"f\(\) (got|takes)"):
            call()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"output": None}, "f: output must be a Tensor, got NoneType"),
        ({"tensor_list": X}, "f: tensor_list must be a list, got Tensor"),
        ({"input_list": None}, "f: input_list must be a list, got NoneType"),
        ({"gather_list": [X, 1]}, "an element of f: gather_list must be a Tensor, got int"),
        ({"scatter_list": [X, Tensor([1])]}, "f: scatter_list must have Tensors of one dtype, got Float32, Int64"),
        ({"op": "mean"}, "f: op must be one of sum, max, min, prod, avg, got 'mean'"),
        ({"op": 1}, "f: op must be one of sum, max, min, prod, avg, got 1"),
        ({"group": 1}, "f: group must be the name of a group or None, got 1"),
        ({"async_op": 1}, "f: async_op must be a bool, got 1"),
        ({"dst": 1.0}, "f: dst must be an int, got 1.0"),
        ({"object_list": (1,)}, r"f: object_list must be a list, got \(1,\)"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        check_arguments("f", **arguments)
