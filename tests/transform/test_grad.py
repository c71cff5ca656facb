"""Gradients: positions, weights, aux outputs, higher orders; what the migration guide prints, in both modes."""

import numpy as np
import pytest

import sporax as ms
from sporax import GRAPH_MODE, Parameter, ParameterTuple, Tensor, nn, ops
from sporax._src.transform import capture


def product(x, y):
    """x²y, so that ∂x = 2xy and ∂y = x²."""
    return x * x * y


X, Y = Tensor(3.0), Tensor(4.0)


class Affine(nn.Cell):
    """z = p·x + b with a Parameter each."""

    def __init__(self, p: float = 2.0, b: float = 1.0) -> None:
        super().__init__()
        self.p = Parameter(Tensor([p]), name="p")
        self.b = Parameter(Tensor([b]), name="b")

    def construct(self, x):
        return x * self.p + self.b


@pytest.mark.parametrize(
    ("position", "want"), [(0, 24.0), (1, 9.0), ((0,), 24.0), ((0, 1), (24.0, 9.0)), ((1, 0), (9.0, 24.0))]
)
def test_positions(position, want, mode) -> None:
    """One position gives a Tensor (also as a 1-tuple), several give a tuple in the order asked for."""
    got = ms.grad(product, position)(X, Y)
    assert (tuple(map(float, got)) if isinstance(got, tuple) else float(got)) == want


def test_weights_and_nesting(mode) -> None:
    """Every combination of positions and weights nests as MindSpore's does."""
    net, x = Affine(), Tensor([5.0])
    w = ParameterTuple(net.trainable_params())
    assert [float(g) for g in ms.grad(net, None, w)(x)] == [5.0, 1.0]
    assert float(ms.grad(net, None, net.p)(x)) == 5.0
    by_input, by_weight = ms.grad(net, 0, w)(x)
    assert float(by_input) == 2.0 and [float(g) for g in by_weight] == [5.0, 1.0]
    value, (by_input, by_weight) = ms.value_and_grad(net, (0,), w)(x)
    assert float(value) == 11.0 and float(by_input) == 2.0 and len(by_weight) == 2
    with_ids = ms.grad(net, 0, w, return_ids=True)(x)
    assert with_ids[0][0] == 0 and [name for name, _ in with_ids[1]] == ["p", "b"]


def test_has_aux(mode) -> None:
    """With aux only the first output counts; without, outputs are summed."""
    x = Tensor([3.0])

    def two(x):
        return x * x, x

    assert float(ms.grad(two)(x)) == 7.0
    gradient, aux = ms.grad(two, has_aux=True)(x)
    assert float(gradient) == 6.0 and float(aux[0]) == 3.0
    value, gradient = ms.value_and_grad(two, has_aux=True)(x)
    assert [float(v) for v in value] == [9.0, 3.0] and float(gradient) == 6.0
    with pytest.raises(ValueError, match="at least two outputs"):
        ms.grad(lambda x: x * x, has_aux=True)(x)


def test_frozen_parameter_has_zero_gradient_and_lets_others_through(mode) -> None:
    """requires_grad=False makes the gradient 0 without cutting the chain."""
    net = Affine()
    net.p.requires_grad = False
    by_input, by_weight = ms.grad(net, 0, [net.p, net.b])(Tensor([5.0]))
    assert float(by_input) == 2.0 and [float(g) for g in by_weight] == [0.0, 1.0]


def test_unused_input_and_numbers(mode) -> None:
    """An unused Tensor has gradient zero; a Python number is no position, as in MindSpore."""
    assert float(ms.grad(product, 1)(X, Y)) == 9.0
    assert float(ms.grad(lambda x, y: x * x, 1)(X, Y)) == 0.0
    assert float(ms.grad(lambda x, k: x * k, (0, 1))(X, 2.0)) == 2.0
    assert ms.grad(lambda x, k: x * k, 1)(X, 2.0) == ()


def test_nested_arguments(mode) -> None:
    """The gradient of a container marked `mutable` has its structure; unmarked it is a constant."""
    got = ms.grad(lambda pair: pair[0] * pair[1])(ms.mutable((X, Y)))
    assert [float(g) for g in got] == [4.0, 3.0]
    assert float(ms.grad(lambda d: d["a"] * d["b"])(ms.mutable({"a": X, "b": Y}))["a"]) == 4.0
    assert ms.grad(lambda pair: pair[0] * pair[1])((X, Y)) == ()
    both = ops.GradOperation(get_all=True)
    assert [float(g) for g in both(lambda x, pair: x * pair[0])(X, (Y, Y))] == [4.0]
    assert [[float(h) for h in g] for g in both(lambda p, q: p[0] * q[0])(ms.mutable([X]), ms.mutable((Y,)))] == [
        [4.0],
        [3.0],
    ]


def test_numbers_in_marked_containers(mode) -> None:
    """Gradients by them are zeros of their kind, whatever their values are."""
    by_pair = ms.grad(lambda pair: pair[0] * pair[1])
    for k in (2, 3, 4):
        by_x, by_k = by_pair(ms.mutable((X, k)))
        assert (float(by_x), by_k, type(by_k)) == (float(k), 0, int)
    by_k, by_list = ms.grad(lambda d: d["k"] * d["xs"][1])(ms.mutable({"k": 2.5, "xs": [1, Y]})).values()
    assert (by_k, by_list[0], float(by_list[1])) == (0.0, 0, 2.5)
    assert ms.mutable((X, 1)).__ms_origin_object__ == (X, 1)


def test_keyword_arguments_are_further_positions(mode) -> None:
    """Gradients go by Tensors given by keyword, after the positional ones, in the order of the call."""
    fn = lambda x, y: x * x * y
    assert [float(g) for g in ops.GradOperation(get_all=True)(fn)(X, y=Y)] == [24.0, 9.0]
    assert [float(g) for g in ops.GradOperation(get_all=True)(fn)(y=Y, x=X)] == [9.0, 24.0]
    assert float(ops.GradOperation()(fn)(y=Y, x=X)) == 9.0
    assert [float(g) for g in ms.grad(fn, (0, 1))(X, y=Y)] == [24.0, 9.0]


def test_weight_as_a_result(mode) -> None:
    """A weight that is returned as it is has gradient one from that."""
    net = Affine()
    assert float(ms.grad(lambda x: (x * net.p, net.p), None, net.p)(X)) == 4.0


def test_stop_gradient(mode) -> None:
    """`stop_gradient` cuts the chain."""
    assert float(ms.grad(lambda x: x * ops.stop_gradient(x))(X)) == 3.0


@pytest.mark.parametrize(("order", "want"), [(1, 108.0), (2, 108.0), (3, 72.0), (4, 24.0)])
def test_higher_orders(order, want, mode) -> None:
    """x⁴ at 3, derived one to four times."""
    fn = lambda x: x * x * x * x
    for _ in range(order):
        fn = ms.grad(fn)
    assert float(fn(X)) == want


def test_gradient_within_a_gradient_reaches_closed_over_values(mode) -> None:
    """d/dx [x · ∂(x²y)/∂x] = 4xy."""
    assert float(ms.grad(lambda x: x * ms.grad(product)(x, Y))(X)) == 48.0


def test_grad_operation(mode) -> None:
    """All forms of the older interface."""
    net, x = Affine(), Tensor([5.0])
    w = ParameterTuple(net.trainable_params())
    grad = ops.GradOperation
    assert float(grad()(product)(X, Y)) == 24.0
    assert [float(g) for g in grad(get_all=True)(product)(X, Y)] == [24.0, 9.0]
    assert [float(g) for g in grad(get_by_list=True)(net, w)(x)] == [5.0, 1.0]
    inputs, weights = grad(get_all=True, get_by_list=True)(net, w)(x)
    assert [float(g) for g in inputs] == [2.0] and [float(g) for g in weights] == [5.0, 1.0]
    assert float(grad(sens_param=True)(product)(X, Y, Tensor(10.0))) == 240.0


def test_one_tensor_given_twice(mode) -> None:
    """In PyNative mode a Tensor is itself wherever it is given; in a graph each argument is a variable of its own."""

    class Weighted(nn.Cell):
        def __init__(self, w):
            super().__init__()
            self.w = w

        def construct(self, x):
            return self.w * x * x

    graph = mode == GRAPH_MODE
    compiled = ms.jit if graph else (lambda fn: fn)
    line = lambda x, y: 2 * x + 3 * y
    one = Tensor([1.0])
    both = compiled(lambda x, y: ms.grad(line, (0, 1))(x, y))(one, one)
    assert [float(g) for g in both] == ([2, 3] if graph else [5, 5])
    assert float(compiled(lambda x, y: ms.grad(line)(x, y))(one, one)) == (2 if graph else 5)
    p = Parameter(Tensor([2.0]), name="p")
    net = Weighted(p)
    by_x, (by_p,) = compiled(lambda: ms.grad(net, 0, net.trainable_params())(p))()
    assert (float(by_x), float(by_p)) == ((8, 4) if graph else (12, 12))
    assert float(compiled(lambda: ms.grad(net)(p))()) == (8 if graph else 12)
    assert float(compiled(lambda: ms.grad(net)(Tensor([2.0])))()) == 8


def test_a_list_that_is_an_argument_is_the_callers() -> None:
    """What a function appends to it in a PyNative forward is there afterwards."""
    log = []
    ms.grad(lambda x, log: log.append(1) or x * x)(X, log)
    assert log == [1]


def test_integers_have_no_gradient_but_pass(mode) -> None:
    """An integer operand is a constant of the derivative."""
    assert float(ms.grad(lambda x, n: x * n)(X, Tensor(2))) == 2.0


def test_numpy_in_the_middle_detaches() -> None:
    """NumPy in a PyNative forward cuts the chain without an error."""
    assert float(ms.grad(lambda x: x * Tensor(x.asnumpy()))(X)) == 3.0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ms.grad(product, None), ValueError, "can not be None at the same time"),
        (lambda: ms.grad(product, 2)(X, Y), RuntimeError, "grad_position 2 is out of range"),
        (lambda: ms.grad(product, "x"), TypeError, "must be None, an int or a tuple of ints"),
        (lambda: ms.grad(product, (0, 0)), ValueError, "twice"),
        (lambda: ms.grad(product, 0, [X]), TypeError, "weights must be None"),
        (lambda: ms.grad(3), TypeError, "must be a function or a Cell"),
        (lambda: ms.grad(product, has_aux=1), TypeError, "has_aux must be a bool, got int"),
        (lambda: ms.value_and_grad(product, return_ids="x"), TypeError, "return_ids must be a bool, got str"),
        (lambda: ops.GradOperation(get_all=1), TypeError, "get_all must be a bool"),
        (lambda: ops.GradOperation(sens_param=True)(product)(X, Y, Tensor([1.0, 2.0])), ValueError, "output's shape"),
    ],
)
def test_errors(call, error, text) -> None:
    """Each misuse has one clear message."""
    with pytest.raises(error, match=text):
        call()


def test_moving_statistics_update_once_a_step(mode) -> None:
    """The forward of a gradient runs once: state written by it changes once."""

    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = Parameter(Tensor(0.0), name="count", requires_grad=False)
            self.w = Parameter(Tensor(2.0), name="w")

        def construct(self, x):
            ops.assign_add(self.count, Tensor(1.0))
            return x * self.w

    net = Counting()
    step = ms.value_and_grad(net, None, net.trainable_params())
    for n in (1.0, 2.0, 3.0):
        step(X)
        assert float(net.count) == n


def test_an_assigned_parameter_has_no_history(mode) -> None:
    """What is assigned to a Parameter inside the function is not differentiated through."""

    class Assigning(nn.Cell):
        def __init__(self):
            super().__init__()
            self.s = Parameter(Tensor(0.0), name="s")

        def construct(self, x):
            ops.assign(self.s, x * x)
            return self.s * x

    assert float(ms.grad(Assigning())(X)) == 9.0


class Writing(nn.Cell):
    """A Cell that writes its state, and uses the state or what the write returned."""

    def __init__(self, write, uses_result):
        super().__init__()
        self.p = Parameter(Tensor(3.0), name="p")
        self.state = Parameter(Tensor(1.0), name="state", requires_grad=False)
        self.write = write
        self.uses_result = uses_result

    def construct(self, x):
        result = self.write(self.state, x * self.state * self.p)
        return self.p * x * (result if self.uses_result else self.state)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("write", "uses_result", "expected"), [
    (ops.assign, False, (36.0, 18.0, 12.0)),
    (ops.assign, True, (36.0, 18.0, 12.0)),
    (ops.assign_add, False, (42.0, 21.0, 14.0)),
    (ops.assign_add, True, (42.0, 39.0, 26.0)),
    (ops.assign_sub, False, (-30.0, -15.0, -10.0)),
    (ops.assign_sub, True, (-30.0, -33.0, -22.0)),
])  # fmt: skip
def test_gradients_pass_through_the_sum_that_a_write_returns(mode, compiled, write, uses_result, expected) -> None:
    """As in MindSpore's graph mode: not through the Parameter that is written, also where `jit` captured the write before."""
    net = Writing(write, uses_result)
    called = ms.jit(lambda x: net(x)) if compiled else net
    start = net.state.asnumpy()
    called(Tensor(2.0))
    net.state.set_data(Tensor(start))
    value, (of_input, (of_weight,)) = ms.value_and_grad(called, 0, [net.p])(Tensor(2.0))
    assert (float(value), float(of_input), float(of_weight)) == expected


def test_a_graph_that_does_not_read_what_it_wrote_is_captured_once() -> None:
    """Statistics that a network keeps while it trains cost no second capture when a gradient is taken."""
    net = nn.BatchNorm1d(2).set_train()
    called = ms.jit(lambda x: net(x).sum())
    x = Tensor(np.arange(8.0).reshape(4, 2))
    called(x)
    before = capture.compilations
    ms.value_and_grad(called, 0, net.trainable_params())(x)
    assert capture.compilations == before


def test_mode_constant() -> None:
    """The names of modes keep MindSpore's numbers."""
    assert (GRAPH_MODE, ms.PYNATIVE_MODE) == (0, 1)


def test_gradient_matches_differences_on_a_small_network(mode) -> None:
    """A two-layer network against central differences."""
    rng = np.random.default_rng(0)
    w1, w2 = (Parameter(Tensor(rng.standard_normal(s)), name=n) for n, s in (("w1", (3, 4)), ("w2", (4, 1))))
    x = Tensor(rng.standard_normal((5, 3)))

    def loss(x):
        return ops.tanh(ops.matmul(x, w1)).matmul(w2).sum()

    got = ms.grad(loss, None, [w1, w2])(x)[0].asnumpy()
    base, step = w1.asnumpy(), 1e-6
    moved = base.copy()
    moved[1, 2] += step
    w1.set_data(Tensor(moved))
    up = float(loss(x))
    moved[1, 2] -= 2 * step
    w1.set_data(Tensor(moved))
    assert abs((up - float(loss(x))) / (2 * step) - got[1, 2]) < 1e-6


def test_sensitivities_as_the_last_argument(mode) -> None:
    """Numbers of MindSpore 2.10."""
    x, s = Tensor([3.0]), Tensor([2.0])
    assert ms.grad(lambda x: x * x, sens_param=True)(x, s).asnumpy().tolist() == [12.0]
    assert ms.grad(lambda x: x * x, 0, None, False, False, True)(x, sens=s).asnumpy().tolist() == [12.0]
    assert ms.grad(lambda x: (x * x, x), sens_param=True)(x, (s, Tensor([1.0]))).asnumpy().tolist() == [13.0]
    gradient, (aux,) = ms.grad(lambda x: (x * x, x), 0, None, True, sens_param=True)(x, s)
    assert (gradient.asnumpy().item(), aux.asnumpy().item()) == (12.0, 3.0)
    w = Parameter(Tensor([2.0]), name="w")
    of_x, of_w = ms.grad(lambda x: x * w, 0, w, sens_param=True)(x, Tensor([5.0]))
    assert (of_x.asnumpy().item(), of_w.asnumpy().item()) == (10.0, 15.0)
    value, gradient = ms.value_and_grad(lambda x: x * x, sens_param=True)(x, s)
    assert (value.asnumpy().item(), gradient.asnumpy().item()) == (9.0, 12.0)
    named = ms.grad(lambda x, y: x * y, (0, 1), return_ids=True, sens_param=True)(x, s, Tensor([5.0]))
    assert [(i, g.asnumpy().item()) for i, g in named] == [(0, 10.0), (1, 15.0)]
    with pytest.raises(TypeError, match=r"grad: sens_param must be a bool, got int\."):
        ms.grad(lambda x: x, sens_param=1)
