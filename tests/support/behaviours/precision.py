"""Mixed precision: the lists, what each level casts, and names of Parameters."""

from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

X = np.array([[1.0001, 2.0003, -0.5]], np.float32)  # rounded by float16


class ByPrimitive(nn.Cell):
    """A Primitive as an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.relu = ops.ReLU()

    def construct(self, x: Tensor) -> Tensor:
        return self.relu(x)


class ByLayer(nn.Cell):
    """A layer, and a sequence of a layer and a Cell with a Primitive."""

    def __init__(self) -> None:
        super().__init__()
        self.cells_ = nn.SequentialCell(nn.ReLU(), ByPrimitive())

    def construct(self, x: Tensor) -> Tensor:
        return self.cells_(x)


class ByFunction(nn.Cell):
    """A function."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.relu(x)


class Product(nn.Cell):
    """A product by a Primitive."""

    def __init__(self) -> None:
        super().__init__()
        self.product = ops.MatMul(transpose_b=True)
        self.w = Parameter(Tensor(X), name="w")

    def construct(self, x: Tensor) -> Tensor:
        return self.product(x, self.w)


class ProductByFunction(Product):
    """A product by a function."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.matmul(x, self.w.T)


class Linear(nn.Dense):
    """A class of one's own over a class of the list."""


class Layers(nn.Cell):
    """A layer of the list."""

    def __init__(self, kind: type = nn.Dense) -> None:
        super().__init__()
        self.dense = kind(3, 1, weight_init=Tensor(X), has_bias=False)

    def construct(self, x: Tensor) -> Tensor:
        return self.dense(x)


class Slope(nn.Cell):
    """PReLU."""

    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.PReLU()

    def construct(self, x: Tensor) -> Tensor:
        return self.relu(x)


class Norms(nn.Cell):
    """Norms among other layers."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.relu = ops.ReLU()
        self.rest = nn.SequentialCell(nn.LayerNorm((3,)), nn.Dense(3, 3, weight_init="ones"))

    def construct(self, x: Tensor) -> Tensor:
        return self.rest(self.relu(self.norm(x) + x))


def the_lists() -> Any:
    """The white list has Cells and Primitives, the black list Cells; both are copies."""
    white, black = ms.amp.get_white_list(), ms.amp.get_black_list()
    names = [c.__name__ for c in white], [c.__name__ for c in black]
    white.clear()
    return (
        names,
        len(ms.amp.get_white_list()),
        ops.MatMul in ms.amp.get_white_list(),
        nn.Dense in ms.amp.get_white_list(),
    )


def _run(network: nn.Cell) -> Any:
    return network(Tensor(X))


def o1_casts_around_primitives() -> Any:
    """O1 casts around the Primitives of the list that Cells have as attributes, and returns float32."""
    return [_run(ms.amp.auto_mixed_precision(cell(), "O1")) for cell in (ByPrimitive, ByLayer, Product, Slope)]


def o1_casts_layers() -> Any:
    """O1 casts in the Cells of the list, by their exact class."""
    return [_run(ms.amp.auto_mixed_precision(Layers(kind), "O1")) for kind in (nn.Dense, Linear)]


def o1_leaves_functions_of_products() -> Any:
    """O1 leaves `ops.matmul`, a function, alone."""
    return _run(ms.amp.auto_mixed_precision(ProductByFunction(), "O1"))


def o1_casts_relu_as_a_function() -> Any:
    """O1 casts around `ops.relu`, which is a Primitive in MindSpore's source."""
    return _run(ms.amp.auto_mixed_precision(ByFunction(), "O1"))


def levels() -> Any:
    """Results of the levels O0 to O3, the names of Parameters, and their dtypes."""
    found = []
    for level in ("O0", "O1", "O2", "O3"):
        net = ms.amp.auto_mixed_precision(Norms(), level)
        found.append((_run(net).dtype, [(p.name, p.dtype) for p in net.get_parameters()]))
    return found


def own_white_list() -> Any:
    """A white list of one's own may name Primitives."""
    lists = [[ops.ReLU], [ops.MatMul], [ops.MatMul, nn.Dense]]
    cells = (ByPrimitive, Product, Layers)
    return [[_run(ms.amp.custom_mixed_precision(cell(), white_list=white)) for cell in cells] for white in lists]


def a_black_list_of_primitives() -> Any:
    """A black list may not."""
    return ms.amp.custom_mixed_precision(ByPrimitive(), black_list=[ops.ReLU])


def a_white_list_of_numbers() -> Any:
    """A white list holds classes."""
    return ms.amp.custom_mixed_precision(ByPrimitive(), white_list=[3])


class Casts(nn.Cell):
    """Casts in a Cell of half precision."""

    def __init__(self) -> None:
        super().__init__()
        self.to_float(ms.float16)

    def construct(self, x: Tensor) -> Any:
        return ops.cast(x, ms.float32) * 3.0, ops.cast(x, ms.float32) * Tensor([2.0, 1.0, 1.0]), ops.cast(x, ms.float32)


def casts_in_a_cell_of_half_precision() -> Any:
    """What `ops.cast(x, float32) * constant` has in a Cell with `to_float(float16)`."""
    return [y.dtype for y in Casts()(Tensor(X))]


def to_float_and_a_level() -> Any:
    """A Cell with `to_float` in a network with a level: its own precision wins in O1 and is lost in O2 and O3."""
    found = []
    for level in ("O1", "O2", "O3"):
        net = Layers()
        net.dense.to_float(ms.float32)
        found.append(_run(ms.amp.auto_mixed_precision(net, level)))
    return found


class Widened(nn.Cell):
    """What `construct` itself brings to float32, beside a Parameter and a Tensor from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(X), name="w")
        self.t = Tensor(X)
        self.dense = nn.Dense(3, 2)

    def construct(self, x: Tensor) -> Any:
        wide = x.astype(ms.float32)
        made = (ops.softmax(wide), x * ops.ones(x.shape, ms.float32), x * (x > 0).astype(ms.float32), ops.mean(wide))
        given = (x * 1.0, self.w * 1.0, self.t * 1.0, self.w + x, self.w.astype(ms.float32) * 2)
        return *made, *given, self.dense(x).astype(ms.float32) * 2, self.dense(wide), ops.cast(x, ms.float32)


class Pairs(nn.Cell):
    """Inputs in a tuple, and by keyword."""

    def construct(self, pair: tuple[Tensor, Tensor], y: Tensor | None = None) -> Any:
        return pair[0] + pair[1], pair[0] if y is None else y * 2


class Made(nn.Cell):
    """A Tensor that `construct` makes."""

    def construct(self, x: Tensor) -> Tensor:
        return x * Tensor(np.ones(3, np.float32))


class Jitted(nn.Cell):
    """A `construct` that is a graph in PyNative mode too."""

    @ms.jit
    def construct(self, x: Tensor) -> Any:
        return x, x.astype(ms.float32) * 2, x * 2


def what_to_float_casts() -> Any:
    """A graph casts the inputs of Cells and what it reads from outside, PyNative mode the operands of each operator."""
    net, pairs, x = Widened().to_float(ms.float16), Pairs().to_float(ms.float16), Tensor(X)
    jitted = Jitted().to_float(ms.float16)
    results = (
        *net(x),
        *pairs((x, x), x),
        *pairs((x, x), y=x),
        *pairs((x, x)),
        Made().to_float(ms.float16)(x),
        *jitted(x),
    )
    return [str(t.dtype) for t in results]


@ms.jit
def _doubled(x: Tensor) -> Any:
    return x * 2.0, ops.softmax(x), x


class Caller(nn.Cell):
    """A function under `jit`, called in a Cell."""

    def construct(self, x: Tensor) -> Any:
        return _doubled(x)


def what_to_float_casts_in_a_function() -> Any:
    """In PyNative mode a function under `jit` takes what it is given; a Cell in one has its own precision."""
    inner = Pairs().to_float(ms.float16)

    @ms.jit
    def outer(x: Tensor) -> Any:
        return inner((x, x), x)[1], x * 1.0

    return [str(t.dtype) for t in (*Caller().to_float(ms.float16)(Tensor(X)), *outer(Tensor(X)))]
