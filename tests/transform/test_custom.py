"""`_Function`: a differentiable function as a class, in PyNative mode, in a compiled graph and in one around it."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.transform import capture

X, Y = Tensor([2.0, 2.0]), Tensor([3.0, 3.0])


def function(forward, backward):
    """Return `apply` of a `_Function` made of two functions."""
    return type("Made", (ms._Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}).apply


def product(ctx, x, y):
    """The forward of most tests."""
    return x * x + y


def gradients(apply, *args):
    """Return the gradients by all Tensors among the arguments."""
    return ops.GradOperation(get_all=True)(apply)(*args)


def same(found, *expected) -> None:
    """Check a tuple of Tensors."""
    assert [g.asnumpy().tolist() for g in found] == [np.asarray(e).tolist() for e in expected]


class Cube(ms._Function):
    """x³, whose backward needs the input."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


class Exponential(ms._Function):
    """eˣ, whose backward needs the output and a number."""

    @staticmethod
    def forward(ctx, x):
        ctx.out = [ops.exp(x)]
        ctx.factor = 1.0
        return ctx.out[0]

    @staticmethod
    def backward(ctx, g):
        return g * ctx.out[0] * ctx.factor


def test_extra_gradients_are_ignored(mode) -> None:
    """A backward may return more gradients than there are inputs."""
    same(gradients(function(product, lambda ctx, g: (g * 3, g * 4, g)), X, Y), [3, 3], [4, 4])


def test_one_gradient_for_each_output(mode) -> None:
    """The backward gets an argument per output, None for one that is no Tensor."""
    seen = []

    def backward(ctx, first, number, second):
        seen.append(number)
        return first * 3, second * 4

    apply = function(lambda ctx, x, y: (x * x, 4, y * y), backward)
    assert apply(X, Y)[1] == 4
    same(gradients(apply, X, Y), [3, 3], [4, 4])
    assert seen == [None]


def test_none_is_a_gradient_of_zeros(mode) -> None:
    """None stands for zeros, and for the gradient of what is no Tensor."""
    same(gradients(function(product, lambda ctx, g: (g * 3, None)), X, Y), [3, 3], [0, 0])
    same(gradients(function(lambda ctx, x, n: x * n, lambda ctx, g: (g * 3, None)), X, 7), [3, 3])


@pytest.mark.parametrize(
    ("backward", "y", "text"),
    [
        (lambda ctx, g: g * 3, Y, "return a wrong number of gradients, expect: 2, but: 1"),
        (lambda ctx, g: [g, g], Y, "return a wrong number of gradients, expect: 2, but: 1"),
        (lambda ctx, g: (g, g), 3, "Input is not tensor, but gradient is not none, position: 1 type: <class"),
        (lambda ctx, g: (g, 4), Y, "Gradient should be none or tensor, position: 1 type: <class 'int'>"),
        (lambda ctx, g: (ops.ones((3, 4)), g), Y, r"should be broadcast to input shape, but got \[3, 4\] vs \[2\]"),
        (lambda ctx, g: (ops.ones(1), g), Y, r"should be broadcast to input shape, but got \[1\] vs \[2\]"),
    ],
)
def test_wrong_gradients(backward, y, text, mode) -> None:
    """Each wrong return has one message."""
    with pytest.raises(RuntimeError, match=text):
        gradients(function(product, backward), X, y)


def test_gradients_are_cast_and_summed(mode) -> None:
    """A gradient takes the dtype and the shape of its input."""
    rows = Tensor(np.arange(6).reshape(3, 2))
    by_x, by_y = gradients(function(product, lambda ctx, g: (rows, rows.astype(ms.float16))), X, ops.ones((1, 2)))
    assert by_x.dtype == by_y.dtype == ms.float32
    same((by_x, by_y), [6, 9], [[6, 9]])
    same(gradients(function(product, lambda ctx, g: (ops.ones((1, 8)), g)), Tensor(1.0), Tensor(2.0)), 8, 1)


def test_outputs_marked_non_differentiable(mode) -> None:
    """No gradient passes through them, also where one is an input; their cotangent is zeros."""

    def marked(ctx, x, y):
        out = x * x
        ctx.mark_non_differentiable(out)
        return out

    def is_input(ctx, x, y):
        ctx.mark_non_differentiable(x)
        return x

    def second(ctx, x, y):
        a, b = x * x, y * y
        ctx.mark_non_differentiable(b)
        return a, b

    same(gradients(function(marked, lambda ctx, g: (g, g)), X, Y), [0, 0], [0, 0])
    same(gradients(function(is_input, lambda ctx, g: (g, g)), X, Y), [0, 0], [0, 0])
    same(gradients(function(second, lambda ctx, g, h: (g * 5, h + 2)), X, Y), [5, 5], [2, 2])


@pytest.mark.parametrize("materialize", [True, False])
def test_materialized_gradients(materialize, mode) -> None:
    """The gradient of an output that nothing depends on is zeros, or None on request."""
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 2, x * 3

    def backward(ctx, g, h):
        seen.append(h is None)
        return g

    apply = function(forward, backward)
    same(gradients(lambda x: apply(x)[0], X), [1, 1])
    assert seen == [not materialize]


@pytest.mark.parametrize(
    ("apply", "first", "second"), [(Cube.apply, 12.0, 12.0), (Exponential.apply, np.e**2, np.e**2)]
)
def test_what_the_context_keeps(apply, first, second, mode) -> None:
    """Inputs, outputs and attributes reach the backward; a gradient of the gradient sees them as what they are."""
    np.testing.assert_allclose(ms.grad(apply)(X).asnumpy(), [first] * 2, rtol=1e-6)
    np.testing.assert_allclose(ms.grad(ms.grad(apply))(X).asnumpy(), [second] * 2, rtol=1e-6)


def test_parameters_are_inputs(mode) -> None:
    """A Parameter that is an argument has a gradient."""
    weight = Parameter(Tensor([2.0, 3.0]), name="w")
    (found,) = ms.grad(lambda x: Cube.apply(weight) * x, None, [weight])(Y)
    np.testing.assert_array_equal(found.asnumpy(), [36.0, 81.0])


def test_an_input_changed_in_place(mode) -> None:
    """A dirty input takes part in the gradient as the output it is."""

    def forward(ctx, x):
        x.add_(1.0)
        ctx.mark_dirty(x)
        return x

    apply = function(forward, lambda ctx, g: g * 5)

    def used(x):
        x = x * 1
        return apply(x) * 2 + x

    np.testing.assert_array_equal(used(X).asnumpy(), [9.0, 9.0])
    np.testing.assert_array_equal(ms.grad(used)(X).asnumpy(), [15.0, 15.0])


def test_control_flow_compiles() -> None:
    """In a graph both methods may branch on values; nothing falls back to PyNative mode."""

    def forward(ctx, x):
        ctx.save_for_backward(x)
        if x.sum() > 0:
            return x * 2
        return x * 3

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if x.sum() > 0:
            g = g * 10
        return g * 2

    apply = function(forward, backward)
    compiled = ms.jit(apply, fullgraph=True)
    np.testing.assert_array_equal(compiled(X).asnumpy(), [4.0, 4.0])
    np.testing.assert_array_equal(compiled(-X).asnumpy(), [-6.0, -6.0])
    np.testing.assert_array_equal(ms.grad(compiled)(X).asnumpy(), [20.0, 20.0])  # a graph within a gradient
    whole = ms.jit(ms.grad(apply), fullgraph=True)
    np.testing.assert_array_equal(whole(X).asnumpy(), [20.0, 20.0])
    before = capture.compilations
    np.testing.assert_array_equal(whole(-X).asnumpy(), [2.0, 2.0])
    assert capture.compilations == before


class Guarded(nn.Cell):
    """A Cell with a backward of its own; both branch on values."""

    def construct(self, x):
        if x.sum() > 0:
            return x * 2
        return x * 3

    def bprop(self, x, out, dout):
        if out.sum() > 0:
            return dout * 10
        return dout


def test_control_flow_in_bprop(mode) -> None:
    """A Cell's own backward may branch on values."""
    found = ms.jit(ms.grad(Guarded()), fullgraph=True)
    np.testing.assert_array_equal(found(X).asnumpy(), [10.0, 10.0])
    np.testing.assert_array_equal(found(-X).asnumpy(), [1.0, 1.0])
    np.testing.assert_array_equal(ms.grad(Guarded())(X).asnumpy(), [10.0, 10.0])


@pytest.mark.parametrize("form", ["flat", "dict"])
def test_bprop_with_gradients_of_parameters(form, mode) -> None:
    """`internal_params` names the Parameters whose gradients `bprop` returns after those of the inputs."""

    class Scaled(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w, self.b = Parameter(Tensor([2.0]), name="w"), Parameter(Tensor([5.0]), name="b")
            self.internal_params = [self.w]

        def construct(self, x):
            return x * self.w + self.b

        def bprop(self, x, out, dout):
            by_x, by_w = dout * self.w, dout * x * 10
            return (by_x, by_w) if form == "flat" else ((by_x,), {self.w: by_w})

    net = Scaled()
    both = ops.GradOperation(get_all=True, get_by_list=True)(net, net.trainable_params())
    by_inputs, by_weights = both(Tensor([3.0]))
    same(by_inputs, [2.0])
    same(by_weights, [30.0], [0.0])
    net.internal_params = [net.w, net.b]
    message = "Scaled.bprop must return a gradient for each of the 1 inputs and 2 internal_params, got 2"
    with pytest.raises(RuntimeError, match=message):
        both(Tensor([3.0]))


MATRIX = Tensor([1.0, 2.0, 3.0])


class Doubled(nn.Cell):
    """x·y with a backward of its own."""

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * y * 10, out * 0


def test_custom_bprop(mode) -> None:
    """The Cell's own backward is used, inputs, output and cotangent in hand."""
    by_x, by_y = ms.grad(Doubled(), (0, 1))(MATRIX, Tensor(MATRIX.asnumpy()))
    np.testing.assert_array_equal(by_x.asnumpy(), 10 * MATRIX.asnumpy())
    np.testing.assert_array_equal(by_y.asnumpy(), [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(Doubled()(MATRIX, MATRIX).asnumpy(), MATRIX.asnumpy() ** 2)


def test_custom_bprop_of_jit() -> None:
    """A backward may not be compiled for itself, as in MindSpore; in a graph it is a part of that."""

    class Scaled(nn.Cell):
        def construct(self, x):
            return x * 2

        @ms.jit
        def bprop(self, x, out, dout):
            return dout * 5

    x = Tensor([1.0, 2.0])
    for call in (Scaled(), ms.grad(Scaled())):
        with pytest.raises(RuntimeError, match="Decorating bprop with '@jit' is not supported: Scaled"):
            call(x)
    assert ms.jit(ms.grad(Scaled()), fullgraph=True)(x).tolist() == [5.0, 5.0]


def test_custom_function() -> None:
    """A `_Function` keeps what its backward needs."""

    class Square(ms._Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.save_for_backward(x)
            return x * x * k

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0] * 100, None

    np.testing.assert_array_equal(ms.grad(lambda a: Square.apply(a, 2))(MATRIX).asnumpy(), 100 * MATRIX.asnumpy())
