"""What graphs give and raise: Python's own functions inside them, exceptions, and what stays outside."""

from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.ops import constexpr

X = Tensor(np.array([1.0, 2.0], np.float32))


@ms.jit
def _zipped(x: Tensor) -> Any:
    return zip((1, 2), (3, 4)), zip([1, 2], [3, 4]), zip((x, x + 1), (1, 2))


@ms.jit
def _mapped(x: Tensor) -> Any:
    return map(lambda v: v + 1, (1, 2)), map(lambda v: v + 1, [1, 2]), map(lambda v: v * 2, (x, x))


@ms.jit
def _filtered(x: Tensor) -> Any:
    return filter(lambda v: v > 1, (1, 2, 3)), filter(lambda v: v > 1, [1, 2, 3])


@ms.jit
def _enumerated(x: Tensor) -> Any:
    return enumerate((5, 6)), enumerate([5, 6]), enumerate((x, x), 2)


@ms.jit
def _dictionaries(x: Tensor) -> Any:
    named = {"a": x, "b": 1}
    return dict(u=x), dict([("a", 1)]), named.keys(), named.values(), named.items()


@ms.jit
def _sequences(x: Tensor) -> Any:
    return range(3), sorted([2, 1]), list(zip((1, 2), (3, 4))), tuple(map(lambda v: v + 1, [1, 2]))


@ms.jit
def _looped(x: Tensor) -> Any:
    for i, (a, b) in enumerate(zip((1, 2), [x, x + 1])):
        x = x + i * a * b
    for key, value in {"a": x, "b": 2}.items():
        if key == "b":
            x = x * value
    return x


def zip_in_a_graph() -> Any:
    """`zip` gives tuples."""
    return _zipped(X)


def map_in_a_graph() -> Any:
    """`map` gives a tuple of a tuple and a list of a list."""
    return _mapped(X)


def filter_in_a_graph() -> Any:
    """`filter` gives lists."""
    return _filtered(X)


def enumerate_in_a_graph() -> Any:
    """`enumerate` gives tuples."""
    return _enumerated(X)


def dict_in_a_graph() -> Any:
    """`dict` and the views of a dictionary."""
    return _dictionaries(X)


def sequences_in_a_graph() -> Any:
    """`range`, `sorted`, `list`, `tuple`, lists and tuples of iterators."""
    return _sequences(X)


def loops_in_a_graph() -> Any:
    """Loops over `enumerate`, `zip` and a dictionary."""
    return _looped(X)


@ms.jit
def _again(x: Tensor) -> Any:
    pairs = zip((1, 2), (x, x + 1))
    total = x * 0
    for a, b in pairs:
        total = total + a * b
    for a, b in pairs:
        total = total + a * b
    return total


def a_zip_that_is_walked_twice() -> Any:
    """What `zip` gave can be walked twice."""
    return _again(X)


@ms.jit
def _indexed(x: Tensor) -> Any:
    pairs = zip((1, 2), (x, x + 1))
    return pairs[1], len(pairs)


def a_zip_that_is_indexed() -> Any:
    """What `zip` gave has items and a length."""
    return _indexed(X)


def _raising(error: str) -> Any:
    @ms.jit
    def by_shape(x: Tensor) -> Tensor:
        if x.shape[0] == 2:
            if error == "value":
                raise ValueError("of the shape")
            if error == "type":
                raise TypeError("of the shape")
            if error == "key":
                raise KeyError("of the shape")
            if error == "index":
                raise IndexError("of the shape")
            if error == "runtime":
                raise RuntimeError("of the shape")
            if error == "attribute":
                raise AttributeError("of the shape")
            if error == "not implemented":
                raise NotImplementedError("of the shape")
            if error == "assertion":
                raise AssertionError("of the shape")
        return x

    return by_shape(X)


def a_value_error_is_raised() -> Any:
    """`raise ValueError` in a graph."""
    return _raising("value")


def a_type_error_is_raised() -> Any:
    """`raise TypeError` in a graph."""
    return _raising("type")


def a_key_error_is_raised() -> Any:
    """`raise KeyError` in a graph."""
    return _raising("key")


def an_index_error_is_raised() -> Any:
    """`raise IndexError` in a graph."""
    return _raising("index")


def a_runtime_error_is_raised() -> Any:
    """`raise RuntimeError` in a graph."""
    return _raising("runtime")


def an_attribute_error_is_raised() -> Any:
    """`raise AttributeError` in a graph."""
    return _raising("attribute")


def a_not_implemented_error_is_raised() -> Any:
    """`raise NotImplementedError` in a graph."""
    return _raising("not implemented")


@ms.jit
def _by_value(x: Tensor) -> Tensor:
    if x.sum() > 2:
        raise ValueError("of the value")
    return x


def an_error_by_a_value_is_raised() -> Any:
    """`raise ValueError` under a condition on a Tensor's value."""
    return _by_value(X).asnumpy()


@ms.jit
def _asserting(x: Tensor) -> Tensor:
    assert x.shape[0] == 3, "of the shape"
    return x


def an_assertion_fails() -> Any:
    """`assert` in a graph."""
    return _asserting(X)


@ms.jit
def _missing_item(x: Tensor) -> Any:
    return {"a": x}["b"]


def a_key_is_missing() -> Any:
    """A key that a dictionary has not."""
    return _missing_item(X)


@ms.jit
def _far_item(x: Tensor) -> Any:
    return (x, x)[2]


def an_item_is_missing() -> Any:
    """An index that a tuple has not."""
    return _far_item(X)


@ms.jit
def _missing_attribute(x: Tensor) -> Any:
    return x.no_such_attribute


def an_attribute_is_missing() -> Any:
    """An attribute that a Tensor has not."""
    return _missing_attribute(X)


@ms.jit
def _missing_name(x: Tensor) -> Any:
    return x + no_such_name  # noqa: F821


def a_name_is_missing() -> Any:
    """A name that is bound nowhere."""
    return _missing_name(X)


@ms.jit
def _mismatched(x: Tensor) -> Any:
    return ops.matmul(x, ops.ones((3, 2), ms.float32))


def shapes_do_not_fit() -> Any:
    """Operands whose shapes do not fit."""
    return _mismatched(X)


@ms.jit
def _too_many(x: Tensor) -> Tensor:
    return x


def too_many_arguments() -> Any:
    """An argument too many."""
    return _too_many(X, X)


class _Plain(nn.Cell):
    def __init__(self, kind: type) -> None:
        super().__init__()
        self.layers = kind([nn.Dense(2, 2, weight_init="ones"), nn.ReLU()])

    def construct(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def a_plain_list_of_cells() -> Any:
    """A list of Cells as an attribute: its Parameters belong to nothing."""
    net = _Plain(list)
    found = len(net.trainable_params()), [name for name, _ in net.cells_and_names()]
    net(Tensor(np.ones((1, 2), np.float32)))
    return found


def a_plain_tuple_of_cells() -> Any:
    """A tuple of Cells as an attribute."""
    net = _Plain(tuple)
    found = len(net.trainable_params()), [name for name, _ in net.cells_and_names()]
    net(Tensor(np.ones((1, 2), np.float32)))
    return found


class _Weights(nn.Cell):
    def __init__(self, kind: type) -> None:
        super().__init__()
        self.weights = kind(
            [Parameter(Tensor([2.0], ms.float32), name="a"), Parameter(Tensor([1.0], ms.float32), name="b")]
        )

    def construct(self, x: Tensor) -> Tensor:
        return x * self.weights[0] + self.weights[1]


def a_plain_list_of_parameters() -> Any:
    """A list of Parameters as an attribute: they are not the Cell's."""
    net = _Weights(list)
    return len(net.trainable_params()), net(X)


def a_plain_tuple_of_parameters() -> Any:
    """A tuple of Parameters as an attribute."""
    net = _Weights(tuple)
    return len(net.trainable_params()), net(X)


class _Sets(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.p = Parameter(Tensor([1.0, 2.0], ms.float32), name="p")

    def construct(self, x: Tensor) -> Tensor:
        self.p.set_data(x)
        return self.p + 1


def set_data_in_construct() -> Any:
    """`set_data` in `construct`."""
    return _Sets()(X + 2)


def ties_of_topk() -> Any:
    """The values of `topk`, and which of equal elements it takes."""
    found = []
    for values, k in (([1.0, 3.0, 3.0, 1.0, 3.0, 3.0], 2), ([1.0] * 7, 3), ([2.0, 1.0, 2.0], 1)):
        found.append(ops.topk(Tensor(values, ms.float32), k))
    return found


@constexpr(check=False)
def _kind(value: Any) -> int:
    return 1 if value is None else 2 if isinstance(value, Tensor) else 3


@constexpr(check=False)
def _first_kind(values: Any) -> int:
    return 1 if values is None else 2 if values[0] is None else 3


class _Kinds(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.known = Tensor(np.ones(2, np.float32))
        self.weight = Parameter(Tensor(np.ones(2, np.float32)), name="weight")

    def construct(self, x: Tensor) -> Any:
        return _kind(x), _kind(self.weight), _kind(x.shape), _first_kind((x, 1)), _first_kind(x.shape), x + 1


def arguments_of_constexpr() -> Any:
    """A function of constants gets None for a Tensor that only a run knows."""
    return _Kinds()(Tensor(np.ones(2, np.float32)))[:-1]


class _Items(nn.Cell):
    """Writes into items of a Tensor, in one statement and by a name."""

    def construct(self, x: Any) -> Any:
        x = x + 0
        x[0][0] = 2
        x[1][1:] += 3
        x[0, 1:][1] = 4
        row = x[1]
        row[0] = 7
        return x, row


class _ItemsInBranches(nn.Cell):
    def construct(self, x: Any, i: Any) -> Any:
        x = x * 1
        if x.sum() > 0:
            x[0][1] = 5
        while i < 2:
            x[1][i] = 8
            i = i + 1
        return x


def items_written_in_a_cell() -> Any:
    """`x[0][0] = 2` changes x in both modes; a name's item is a view in PyNative mode alone."""
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    return _Items()(x), x, _ItemsInBranches()(x, Tensor(0))


def gradients_by_written_items() -> Any:
    """Gradients go by what was written."""

    def loss(x: Any) -> Any:
        y = x * 1
        y[0][0] = x[1][1] * 3
        return (y * y).sum()

    return ms.grad(loss)(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)))


def items_written_outside_of_cells() -> Any:
    """Items are views: of items too, of Parameters, in loops, and whatever the index."""
    found = []

    def told(write: Any) -> None:
        x = Tensor(np.zeros((2, 3), np.float32))
        write(x)
        found.append(x)

    def by_name(x: Any) -> None:
        row = x[1]
        part = row[1:]
        part[0] = 8
        found.append(row)

    def after_a_change(x: Any) -> None:
        row = x[0]
        x[0] = 5
        row[1] = 7

    def in_a_loop(x: Any) -> None:
        for row in x:
            row[0] = 4

    def by_an_index_tensor(x: Any) -> None:
        x[Tensor([0])][0] = 3

    told(by_name)
    told(after_a_change)
    told(in_a_loop)
    told(by_an_index_tensor)
    weight = ms.Parameter(Tensor(np.zeros((2, 3), np.float32)), name="w")
    weight[0][1] = 2
    copied = weight[1].copy()
    copied[0] = 3
    return found, weight, copied
