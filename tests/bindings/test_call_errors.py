"""What a Tensor method says when its arguments fit no way to call it, and that other errors pass as they are."""

import pytest

import sporax as ms
from sporax import Tensor

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
    (
        lambda: X.add(X, 1),
        '"Tensor.add(other=<number>, *, alpha=<number>)"\n'
        "    match failed because invalid types: (Tensor, int)\n"
        "                                         ~~~~~~~~~~~~~\n"
        "    add() takes 1 positional argument but 2 were given.\n"
        '"Tensor.add(other=<number,Tensor>, *, alpha=<number>)"\n',
    ),
    (lambda: X.sub(1, 2, 3), "sub() takes 1 positional argument but 3 were given."),
    (lambda: X.max(0, True, initial=[1]), "max(): argument 'initial' must be Number but got list of Any."),
    (lambda: X.min(0, True, initial="a"), "min(): argument 'initial' must be Number but got str."),
    (lambda: X.min(axis=0, return_indices=1), "min(): argument 'return_indices' must be bool, not int."),
    (lambda: X.max(axis=0, keepdims=1), "max(): argument 'keepdims' must be bool, not int."),
    (lambda: X.min(axis=0, initial=9, where=None), "min(): argument 'where' must be bool or Tensor, not None."),
    (lambda: X.expand_as(), '"Tensor.expand_as(other=<Tensor>)"'),
    (lambda: X.index_select(0), '"Tensor.index_select(dim=<int>, index=<Tensor>)"'),
    (lambda: X.select(X, "a"), '"Tensor.select(condition=<Tensor>, y=<number,Tensor>)"'),
    (lambda: X.remainder(y=2), '"Tensor.remainder(divisor=<number,Tensor>)"'),
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
    with pytest.raises(TypeError, match=r"Tensor\.add is a method of Tensors, got \[1\]"):
        Tensor.add([1], [2])


@pytest.mark.parametrize("clamp", [Tensor.clamp, Tensor.clip, ms.ops.clamp, ms.ops.clip, ms.mint.clamp])
@pytest.mark.parametrize("limits", [(Tensor(1.0), 4), (1, Tensor(4.0))])
def test_limits_of_two_kinds(clamp, limits) -> None:
    """The limits are two numbers or two Tensors, as in MindSpore; `clip_by_value` takes any."""
    for fn in (clamp, ms.jit(lambda *args: clamp(*args))):
        with pytest.raises(TypeError, match="Failed calling clamp with"):
            fn(X, *limits)
    assert ms.ops.clip_by_value(X, *limits).asnumpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("product", [Tensor.matmul, Tensor.mm, Tensor.bmm, ms.ops.matmul, ms.ops.outer])
def test_products_with_a_number(product) -> None:
    for fn in (product, ms.jit(lambda x: product(x, 3))):
        with pytest.raises(TypeError, match="must be a Tensor, got a number"):
            fn(*((Tensor([1.0]) if product is ms.ops.outer else Tensor([[1.0]])), 3)[: 2 if fn is product else 1])


@pytest.mark.parametrize("name", ["other", "divisor"])
def test_names_of_the_divisor(name: str) -> None:
    assert Tensor([-3.0, 3.0]).remainder(**{name: 2.0}).asnumpy().tolist() == [1.0, 1.0]


def test_errors_of_values_pass() -> None:
    """Arguments of the right kinds with wrong values: the operator's own error, as its function raises it."""
    with pytest.raises(ValueError) as function:
        ms.ops.reshape(X, (3, 5))
    with pytest.raises(ValueError) as method:
        X.reshape(3, 5)
    assert str(method.value) == str(function.value)


@pytest.mark.parametrize("name", ["max", "min"])
def test_forms_of_the_extremes(name: str) -> None:
    """A position is `dim`, with values and indices; beside a keyword of the other form it is `axis`, with values alone."""
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    extreme = getattr(x, name)
    want = getattr(x.asnumpy(), name)(0)
    for options in ({"keepdims": True}, {"initial": 2.5}, {"where": True}, {"return_indices": False}):
        found = extreme(0, **options)
        reference = getattr(x.asnumpy(), name)(0, **{k: v for k, v in options.items() if k != "return_indices"})
        assert found.asnumpy().tolist() == reference.tolist()
    for values, indices in (extreme(0), extreme(0, True), extreme(0, return_indices=True), extreme(0, keepdim=True)):
        assert values.asnumpy().reshape(-1).tolist() == want.tolist() and indices.dtype == ms.int64
