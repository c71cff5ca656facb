"""Hooks on Tensors, Parameters and Cells: what they see and replace, in PyNative mode, in graphs, and after changes."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.base.errors import CompileFallback
from sporax._src.transform import capture

X, Y = Tensor([2.0, 2.0]), Tensor([3.0, 3.0])


def tenfold(gradient):
    """A hook."""
    return gradient * 10


def by_size(gradient):
    """A hook that branches on the gradient."""
    if gradient.sum() > 5:
        return gradient * 10
    return gradient * 100


def values(tensor) -> list[float]:
    """Return a Tensor as a list."""
    return tensor.asnumpy().tolist()


class Twice(nn.Cell):
    """2·x·k."""

    def construct(self, x, k=1.0):
        return x * 2 * k


class Both(nn.Cell):
    """Two inputs, two outputs."""

    def construct(self, x, y):
        return x * 2, y * 3


# --- Tensors ----------------------------------------------------------------------------------------------------------------


def test_a_hook_sees_the_whole_gradient() -> None:
    """In PyNative mode a hook is called once, with the sum over all uses, earlier ones too."""
    seen = []

    def late(x):
        y = x * 2
        z = y * 3
        y.register_hook(lambda g: seen.append(values(g)))
        return z + y

    assert values(ms.grad(late)(X)) == [8.0, 8.0]
    assert seen == [[4.0, 4.0]]


@pytest.mark.parametrize("hook", [tenfold, by_size])
def test_a_hook_of_an_argument(hook, mode) -> None:
    """A Tensor that a gradient is taken by keeps its hooks; another Tensor at its place has none."""
    x = Tensor([3.0, 3.0])
    handle = x.register_hook(hook)
    assert x.hooks() == [hook]
    found = ms.grad(lambda x: x * x)
    assert values(found(x)) == values(found(x)) == [60.0, 60.0]
    assert values(found(Tensor([3.0, 3.0]))) == [6.0, 6.0]
    second = x.register_hook(lambda g: g + 1)
    assert values(found(x)) == [61.0, 61.0]
    handle.remove()
    handle.remove()
    assert values(found(x)) == [7.0, 7.0]
    second.remove()
    assert values(found(x)) == [6.0, 6.0]
    assert x.hooks() == []


def test_a_hook_of_an_argument_of_a_compiled_function() -> None:
    """The gradient is taken around a graph."""
    x = Tensor([3.0, 3.0])
    x.register_hook(by_size)
    assert values(ms.grad(ms.jit(lambda x: x * x))(x)) == [60.0, 60.0]
    assert values(ms.jit(ms.grad(lambda x: x * x))(x)) == [60.0, 60.0]


def test_a_hook_in_nested_gradients(mode) -> None:
    """Each gradient by the Tensor goes through its hook once."""
    z = Tensor([1.0, 1.0])
    z.register_hook(tenfold)
    assert values(ms.grad(lambda y: ms.grad(lambda x: x * x * x)(y))(z)) == [600.0, 600.0]


def test_a_hook_of_a_parameter(mode) -> None:
    """Hooks of Parameters are noticed by graphs that are already compiled."""
    net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    found = ms.grad(net, None, net.trainable_params())
    x = Tensor([[2.0, 3.0]])
    assert values(found(x)[0]) == [[2.0, 3.0]]
    handle = net.weight.register_hook(by_size)
    assert values(found(x)[0]) == [[200.0, 300.0]]
    net.weight.register_hook(lambda g: g + 1)
    assert values(found(x)[0]) == [[201.0, 301.0]]
    handle.remove()
    before = capture.compilations
    assert values(found(x)[0]) == [[3.0, 4.0]]
    assert values(found(x)[0]) == [[3.0, 4.0]]
    assert capture.compilations - before == (1 if mode == ms.GRAPH_MODE else 0)


def test_a_hook_inside_a_function_may_branch(mode) -> None:
    """The backward of a hook is rewritten: in a graph, and in one that a gradient is taken around."""

    def hooked(x):
        y = x * 2
        y.register_hook(by_size)
        return y * 3

    assert values(ms.grad(hooked)(X)) == [60.0, 60.0]
    assert values(ms.jit(ms.grad(hooked), fullgraph=True)(X)) == [60.0, 60.0]
    assert values(ms.grad(ms.jit(hooked, fullgraph=True))(X)) == [60.0, 60.0]
    operator = ops.HookBackward(lambda gradients: by_size(gradients[0]))
    assert values(ms.grad(ms.jit(lambda x: operator(x) * 2, fullgraph=True))(X)) == [200.0, 200.0]


def test_a_hook_that_returns_no_tensor(mode) -> None:
    """A hook returns a Tensor or None."""
    x = Tensor([1.0])
    x.register_hook(lambda g: 3)
    with pytest.raises(RuntimeError, match="Tensor hook should be return Tensor, but get type: int"):
        ms.grad(lambda x: x * x)(x)


# --- what cannot be a hook -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "register",
    [
        X.register_hook,
        Twice().register_forward_pre_hook,
        Twice().register_forward_hook,
        Twice().register_backward_hook,
        Twice().register_backward_pre_hook,
        ops.HookBackward,
    ],
)
def test_what_is_no_hook(register, mode) -> None:
    """A hook is a function that is not compiled by itself."""

    @ms.jit
    def compiled(*args):
        return args[0]

    with pytest.raises(TypeError, match="Decorating hook function compiled with '@jit' is not supported"):
        register(compiled)
    with pytest.raises(TypeError, match="hook_fn must be a function, got 3"):
        register(3)


# --- Cells -------------------------------------------------------------------------------------------------------------------


def test_hooks_with_keyword_arguments(mode) -> None:
    """With `with_kwargs` a forward hook gets the keyword arguments, and a pre-hook may replace them."""
    net = Twice()
    net.register_forward_pre_hook(
        lambda cell, args, kwargs: ((args[0] + 1,), {"k": kwargs["k"] * 10}), with_kwargs=True
    )
    net.register_forward_hook(lambda cell, args, kwargs, out: out + kwargs["k"], with_kwargs=True)
    assert values(net(X, k=2.0)) == [140.0, 140.0]


def test_hooks_change_after_the_graph_is_compiled(mode) -> None:
    """A hook that is registered or removed takes effect in the next call, for the Cell and for Cells around it."""

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Twice()

        def construct(self, x):
            return self.inner(x) + 1

    net = Outer()
    found = ms.grad(net)
    assert (values(net(X)), values(found(X))) == ([5.0, 5.0], [2.0, 2.0])
    forward = net.inner.register_forward_hook(lambda cell, args, out: out * 10)
    assert (values(net(X)), values(found(X))) == ([41.0, 41.0], [20.0, 20.0])
    backward = net.inner.register_backward_hook(lambda cell, grad_in, grad_out: by_size(grad_in[0]))
    assert values(found(X)) == [200.0, 200.0]
    before = net.inner.register_backward_pre_hook(lambda cell, grad_out: (grad_out[0] * 0.1,))
    np.testing.assert_allclose(found(X).asnumpy(), [200.0, 200.0], rtol=1e-6)
    for handle in (forward, backward, before):
        handle.remove()
        handle.remove()
    assert (values(net(X)), values(found(X))) == ([5.0, 5.0], [2.0, 2.0])


def test_forward_hooks_may_branch(mode) -> None:
    """In a graph hooks are rewritten as the Cell itself is."""
    net = Twice()

    def clip(cell, args, out):
        if out.sum() > 5:
            return out * 0
        return out

    net.register_forward_hook(clip)
    assert values(net(X)) == [0.0, 0.0]
    assert values(net(X / 4)) == [1.0, 1.0]


def test_a_hook_registered_within_a_graph() -> None:
    """Registering one hook more in each call is left to PyNative mode."""

    class Registers(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Twice()

        def construct(self, x):
            self.inner.register_forward_hook(lambda cell, args, out: out * 10)
            return self.inner(x)

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Registers()
    with pytest.warns(CompileFallback, match="a hook of a Cell is registered or removed"):
        assert values(net(X)) == [40.0, 40.0]
    assert values(net(X)) == [400.0, 400.0]


@pytest.mark.parametrize(
    ("cell", "kind", "hook", "error", "text"),
    [
        (
            Twice,
            "backward",
            lambda c, i, o: (i[0], i[0]),
            TypeError,
            "value size is 2 not equal to expect grad input size 1",
        ),
        (Both, "backward", lambda c, i, o: i[0], TypeError, "value size is 1 not equal to expect grad input size 2"),
        (Both, "backward_pre", lambda c, o: o[0], TypeError, "value size is 1 not equal to expect output size 2"),
        (Twice, "backward", lambda c, i, o: 3, TypeError, "<lambda> should be a tensor but got int"),
        (Twice, "backward_pre", lambda c, o: [o[0]], TypeError, "<lambda> should be a tensor but got list"),
    ],
)
def test_what_backward_hooks_return(cell, kind, hook, error, text, mode) -> None:
    """A backward hook returns as many Tensors as it got."""
    net = cell()
    getattr(net, f"register_{kind}_hook")(hook)
    with pytest.raises(error, match=text):
        ops.GradOperation(get_all=True)(net)(*(X, Y)[: 1 if cell is Twice else 2])


def test_backward_hooks_see_what_forward_hooks_returned() -> None:
    """As in MindSpore 2.7.0: of an output that a forward hook replaces they get the gradient of the new one."""
    net, seen = Twice(), []
    net.register_forward_hook(lambda cell, inputs, output: output + output)
    net.register_backward_pre_hook(lambda cell, output: seen.append(("pre", values(output[0]))))
    net.register_backward_hook(lambda cell, inputs, output: seen.append(("all", values(inputs[0]), values(output[0]))))
    assert values(ms.grad(net)(X)) == [4.0, 4.0]
    assert seen == [("pre", [1.0, 1.0]), ("all", [4.0, 4.0], [1.0, 1.0])]


def test_what_a_pre_hook_with_keywords_returns(mode) -> None:
    """It returns None, or both kinds of arguments."""
    net = Twice()
    net.register_forward_pre_hook(lambda cell, args, kwargs: args[0], with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"must return None or a tuple of \(new_args, new_kwargs\), but got float32"):
        net(X)


def test_parameters_with_hooks_are_arguments(mode) -> None:
    """A Parameter may stand at a position that a gradient is taken by."""
    weight = Parameter(Tensor([2.0]), name="w")
    weight.register_hook(tenfold)
    assert values(ms.grad(lambda w: w * w)(weight)) == [40.0]


def test_a_hook_of_a_weight_that_nothing_flows_to(mode) -> None:
    """It sees zeros, and what it returns is the gradient."""
    weights = [Parameter(Tensor([1.0]), name="used"), Parameter(Tensor([1.0]), name="unused")]
    for w in weights:
        w.register_hook(lambda gradient: gradient + 10)
    x = Tensor([3.0])
    assert [values(g) for g in ms.grad(lambda x: x * weights[0], None, weights)(x)] == [[13.0], [10.0]]


def test_in_a_graph_a_tensor_has_one_hook_and_a_parameter_none() -> None:
    """What MindSpore refuses; a result of the hooked Tensor may have a hook of its own."""

    def twice(x):
        y = x * 2
        y.register_hook(tenfold)
        y.register_hook(by_size)
        return y

    def each(x):
        y = x * 2
        y.register_hook(tenfold)
        z = y * 1
        z.register_hook(tenfold)
        return z

    weight = Parameter(Tensor([1.0]), name="w")

    def of_weight(x):
        weight.register_hook(tenfold)
        return x * weight

    with pytest.raises(RuntimeError, match="not supported to register multiple hooks for a Tensor"):
        ms.jit(ms.grad(twice))(X)
    with pytest.raises(ValueError, match="Register hook for Parameter inside graph is not supported"):
        ms.jit(ms.grad(of_weight))(X)
    assert values(ms.jit(ms.grad(each))(X)) == [200.0] * X.size
    assert values(ms.grad(of_weight, None, weight)(X)) == [10 * sum(values(X))]


def test_hooks_are_listed() -> None:
    """`Tensor.hooks()` has those of results, arguments and Parameters that were not removed."""

    def fn(x):
        first, second = ops.split(x, 1)
        handle = first.register_hook(tenfold)
        first.register_hook(by_size)
        second.register_hook(tenfold)
        assert first.hooks() == [tenfold, by_size] and second.hooks() == [tenfold]
        handle.remove()
        assert first.hooks() == [by_size]
        return first + second

    assert values(ms.grad(fn)(X)) == [100.0, 10.0]
    weight = Parameter(Tensor([1.0]), name="w")
    weight.register_hook(tenfold)
    assert weight.hooks() == [tenfold]


def test_no_hook_of_a_parameter_without_gradient() -> None:
    """As in MindSpore."""
    with pytest.raises(RuntimeError, match="The tensor requires grad is false, which can not register tensor hook"):
        Parameter(Tensor([1.0]), requires_grad=False).register_hook(tenfold)


# --- Parameters that a backward assigns -------------------------------------------------------------------------------------


class Noting(nn.Cell):
    """x·w, whose backward keeps the gradient of the product."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")
        self.seen = Parameter(Tensor([0.0, 0.0]), name="seen", requires_grad=False)
        self.keep = ops.InsertGradientOf(self.note)

    def note(self, gradient):
        self.seen = gradient + self.seen
        return gradient

    def construct(self, x):
        return self.keep(x * self.w)


def test_a_backward_assigns_a_parameter(mode) -> None:
    net = Noting()
    grad = ms.value_and_grad(lambda x: (net(x) * Tensor([5.0, 7.0])).sum(), None, net.trainable_params())
    for times in (1, 2):
        grad(X)
        assert values(net.seen) == [5.0 * times, 7.0 * times]


def test_what_follows_the_gradient_sees_what_the_backward_assigned(mode) -> None:
    net = Noting()

    @ms.jit
    def step(x):
        gradient = ms.grad(lambda x: (net(x) * 5).sum())(x)
        return gradient + net.seen

    assert values(step(X)) == [15.0, 20.0] and values(net.seen) == [5.0, 5.0]


def test_a_backward_that_is_no_part_of_the_graph() -> None:
    """What JAX traces apart could not leave its values anywhere."""
    net = Noting()
    compiled = ms.jit(lambda x: net(x).sum())
    with pytest.raises(RuntimeError, match="'seen' is assigned in a backward that is not part of the outer graph"):
        ms.grad(compiled)(X)
    net.recompute()
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(RuntimeError, match=r"'seen' is assigned in a backward .* within recompute"):
        ms.grad(lambda x: net(x).sum())(X)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert values(net.seen) == [0.0, 0.0]


MATRIX = Tensor([1.0, 2.0, 3.0])


def test_hooks_on_tensors_and_operators(mode) -> None:
    """A hook sees the gradient and may replace it; a removed one does neither."""

    def fn(a, keep=True):
        b = a * 2
        handle = b.register_hook(lambda g: g * 10)
        if not keep:
            handle.remove()
        return b * b

    np.testing.assert_array_equal(ms.grad(fn)(MATRIX).asnumpy(), 80 * MATRIX.asnumpy())
    np.testing.assert_array_equal(ms.grad(lambda a: fn(a, False))(MATRIX).asnumpy(), 8 * MATRIX.asnumpy())
    insert = ops.InsertGradientOf(lambda g: g * 3)
    np.testing.assert_array_equal(ms.grad(lambda a: insert(a) * 1)(MATRIX).asnumpy(), [3.0, 3.0, 3.0])
    hook = ops.HookBackward(lambda gs: (gs[0] * 5,))
    np.testing.assert_array_equal(ms.grad(lambda a: hook(a) * 1)(MATRIX).asnumpy(), [5.0, 5.0, 5.0])


def test_hooks_on_cells(mode) -> None:
    """Forward hooks replace inputs and outputs, backward hooks gradients; handles remove them."""
    net = nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    x = Tensor([[2.0]])
    pre = net.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 10,))
    post = net.register_forward_hook(lambda cell, inputs, output: output + 1)
    assert float(net(x)) == 21.0
    pre.remove()
    post.remove()
    if mode == ms.GRAPH_MODE:
        net = nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    assert float(net(x)) == 2.0
    net.register_backward_hook(lambda cell, grad_input, grad_output: (grad_input[0] * 7,))
    assert float(ms.grad(net)(x)) == 7.0
