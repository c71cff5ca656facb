"""What a Tensor method says when its arguments fit no way to call it, and that other errors pass as they are."""

import inspect

import pytest

import sporax as ms
from sporax import Tensor
from sporax._src.ops.callings import FORMS
from sporax._src.ops.methods import METHODS

X = Tensor([1.0, 2.0])

CALLS = [
    (
        lambda: X.abs(1),
        'Failed calling abs with "abs(int)".\n'
        "The valid calling should be:\n"
        '"Tensor.abs()"\n'
        "    abs() takes 0 positional arguments but 1 was given.",
    ),
    (
        lambda: X.max(a=1, b=2),
        'Failed calling max with "max(a=int, b=int)".\n'
        "The valid calling should be:\n"
        '"Tensor.max()"\n'
        "    match failed because incorrect keyword name: a, b\n"
        '"Tensor.max(dim=<int>, keepdim=<bool>)"\n'
        "    match failed because incorrect keyword name: a, b\n"
        '"Tensor.max(axis=<int,Tuple,None,List>, keepdims=<bool>, *, initial=<number,None>, where=<bool,Tensor>, '
        'return_indices=<bool>)"\n'
        "    match failed because incorrect keyword name: a, b",
    ),
    (
        lambda: Tensor(1.0).max(1, [1]),
        '"Tensor.max(dim=<int>, keepdim=<bool>)"\n'
        "    match failed because invalid types: (int, list<int>)\n"
        "                                              ~~~~~~~~~~~\n"
        "    max(): argument 'keepdim' (position 2) must be bool, not list<int>.\n",
    ),
    (
        lambda: X.roll(shifts=2, dims=1.1),
        "    match failed because invalid types: (shifts=int, dims=float)\n"
        "                                         ~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "    roll(): argument 'dims' must be int, Tuple, None or List, not float.",
    ),
    (
        lambda: X.reshape(1, 1.1),
        "reshape(): argument 'shape' (position 2) must be tuple of int, not float.",
    ),
    (lambda: X.min(None, False, None), "min() takes 2 positional arguments but 3 were given."),
    (lambda: X.less(), "less() missing 1 required positional argument: other."),
    (lambda: X.add(X, other=X), "add() got multiple values for argument 'other'."),
    (lambda: X.add(X, alpha="a"), '"Tensor.add(other=<number,Tensor>, *, alpha=<number>)"'),
    (lambda: X.clamp(1, [1], 1), '"Tensor.clamp(min=<number,None>, max=<number,None>)"'),
    (lambda: X.clamp(1, (None, "a"), 1), 'with "clamp(int, tuple<None, string>, int)".'),
]


@pytest.mark.parametrize(("call", "text"), CALLS)
@pytest.mark.parametrize("compiled", [False, True])
def test_texts(call, text: str, compiled: bool) -> None:
    with pytest.raises(TypeError) as error:
        (ms.jit(call) if compiled else call)()
    assert text in str(error.value)
    assert str(error.value).startswith("Failed calling ")


def test_a_method_of_something_else() -> None:
    with pytest.raises(TypeError, match=r"Tensor\.abs is a method of Tensors, got 'a'"):
        Tensor.abs("a")


def test_errors_of_values_pass() -> None:
    """Arguments of the right kinds with wrong values: the operator's own error, as its function raises it."""
    with pytest.raises(ValueError) as function:
        ms.ops.reshape(X, (3, 5))
    with pytest.raises(ValueError) as method:
        X.reshape(3, 5)
    assert str(method.value) == str(function.value)


def test_methods_keep_their_signature() -> None:
    assert inspect.signature(Tensor.abs) == inspect.signature(ms.ops.abs)
    assert Tensor.abs.__doc__ == ms.ops.abs.__doc__
    assert sorted(set(FORMS) - set(METHODS)) == []
