"""vmap, jvp, vjp, Jacobians, custom backwards, hooks, loops as functions, recompute: in both modes."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.transform import capture

X = Tensor([1.0, 2.0, 3.0])


def test_vmap_axes(mode) -> None:
    """Axes in and out, whole arguments, nested arguments."""
    rows = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(ms.vmap(lambda a, b: (a * b).sum(), (0, None))(rows, X).asnumpy(), [8.0, 26.0])
    np.testing.assert_array_equal(ms.vmap(lambda a: a.sum(), 1)(rows).asnumpy(), [3.0, 5.0, 7.0])
    assert ms.vmap(lambda a: a * 2, 0, 1)(rows).shape == (3, 2)
    first, second = ms.vmap(lambda p: (p[0] + p[1], p[0]), ((0, 0),))((rows, rows))
    assert first.shape == second.shape == (2, 3)


def test_vmap_of_numbers(mode) -> None:
    """A number among the results is the same for every sample, or stays a number."""
    y, n, m = ms.vmap(lambda a: (a * 2, 3, 1.5), 0, (0, 0, None))(X)
    assert n.dtype == ms.int64 and n.asnumpy().tolist() == [3, 3, 3]
    assert m == 1.5 and y.shape == (3,)


def test_vmap_nests_and_is_differentiable(mode) -> None:
    """vmap of vmap, gradient of vmap, vmap of gradient."""
    m = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(ms.vmap(ms.vmap(lambda v: v * v))(m).asnumpy(), m.asnumpy() ** 2)
    np.testing.assert_array_equal(ms.grad(lambda a: ms.vmap(lambda b: b * b)(a).sum())(X).asnumpy(), [2.0, 4.0, 6.0])
    np.testing.assert_array_equal(ms.vmap(ms.grad(lambda b: b * b * b))(X).asnumpy(), [3.0, 12.0, 27.0])


def test_vmap_compiles_once() -> None:
    """The second call reuses the graph."""
    fn = ms.vmap(lambda a: a + 1)
    fn(X)
    before = capture.compilations
    fn(X)
    assert capture.compilations == before


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ms.vmap(3), RuntimeError, "must be a function"),
        (lambda: ms.vmap(lambda x: x, "a"), TypeError, "in_axes must be"),
        (lambda: ms.vmap(lambda x: x, None)(X), ValueError, "None for every argument"),
        (lambda: ms.vmap(lambda x: x, 3)(X), ValueError, "out of range"),
        (lambda: ms.vmap(lambda x, y: x, (0,))(X, X), ValueError, "1 entries for 2"),
        (lambda: ms.vmap(lambda x, y: x)(X, Tensor([1.0])), ValueError, "one size"),
        (lambda: ms.jvp(lambda x: x, X, Tensor([1.0])), ValueError, "its input's shape"),
        (lambda: ops.cond(Tensor(True), 1, 2), TypeError, "true_func must be a function"),
        (lambda: ops.scan(lambda c, x: (c, x), X, None), ValueError, "length"),
        (lambda: ms.mutable("x"), TypeError, "mutable"),
        (lambda: X.register_hook(1), TypeError, "hook_fn must be a function"),
    ],
)
def test_errors(call, error, text) -> None:
    """Each misuse has one clear message."""
    with pytest.raises(error, match=text):
        call()


def test_jvp_and_vjp(mode) -> None:
    """Directional derivatives both ways, with aux outputs and weights."""
    _, tangent = ms.jvp(lambda a, b: a * b, (X, X), (X, X))
    np.testing.assert_array_equal(tangent.asnumpy(), 2 * X.asnumpy() ** 2)
    _, pull = ms.vjp(lambda a, b: a * b, X, Tensor(X.asnumpy()))
    by_a, by_b = pull(Tensor([1.0, 0.0, 2.0]))
    np.testing.assert_array_equal(by_a.asnumpy(), [1.0, 0.0, 6.0])
    np.testing.assert_array_equal(by_b.asnumpy(), [1.0, 0.0, 6.0])
    _, pull, _ = ms.vjp(lambda a: (a * a, a), X, has_aux=True)
    np.testing.assert_array_equal(pull(X)[0].asnumpy(), 2 * X.asnumpy() ** 2)
    w = Parameter(Tensor(2.0), name="w")
    by_input, by_weight = ms.vjp(lambda a: a * w, X, weights=w)[1](X)
    assert float(by_weight) == 14.0 and by_input[0].shape == (3,)


def test_linearize(mode) -> None:
    """The derivative along any direction, of a function that runs once."""
    runs, kept = [], Parameter(Tensor(0.0), name="kept")

    def fn(a, b):
        kept.set_data(a.sum())
        return a * b, a.sum()

    def counted(a, b):
        runs.append(1)
        return fn(a, b)

    (product, total), along = ops.linearize(counted, (X, X))
    for v in (X, Tensor([1.0, 0.0, 2.0])):
        _, (want, by_sum) = ms.jvp(fn, (X, X), (v, v))
        got = along((v, v))
        np.testing.assert_array_equal(got[0].asnumpy(), want.asnumpy())
        assert float(got[1]) == float(by_sum)
    assert product.asnumpy().tolist() == [1.0, 4.0, 9.0] and float(total) == float(kept) == 6.0
    before = len(runs)
    along((X, X))
    assert len(runs) == before
    with pytest.raises(ValueError, match="linearize: 2 inputs need as many directions, got 1"):
        along(X)


@pytest.mark.parametrize("jacobian", [ms.jacfwd, ms.jacrev])
def test_jacobians(jacobian, mode) -> None:
    """The Jacobian of x² is diagonal; positions and several outputs nest."""
    np.testing.assert_array_equal(jacobian(lambda a: a * a)(X).asnumpy(), np.diag([2.0, 4.0, 6.0]))
    one, two = jacobian(lambda a, b: a * b, (0, 1))(X, X * 2)
    np.testing.assert_array_equal(one.asnumpy(), np.diag([2.0, 4.0, 6.0]))
    np.testing.assert_array_equal(two.asnumpy(), np.diag([1.0, 2.0, 3.0]))
    rows, aux = jacobian(lambda a: (a * a, a + 1), has_aux=True)(X)
    assert rows.shape == (3, 3) and aux.shape == (3,)


def test_hessian(mode) -> None:
    """Forward over reverse."""
    hessian = ms.jacfwd(ms.grad(lambda a: (a * a * a).sum()))
    np.testing.assert_array_equal(hessian(X).asnumpy(), np.diag([6.0, 12.0, 18.0]))


def test_get_grad(mode) -> None:
    """A gradient by position, name or Parameter."""
    w = Parameter(Tensor(2.0), name="w")
    found = ms.grad(lambda a: a * w, 0, [w], return_ids=True)(Tensor(3.0))
    assert float(ms.get_grad(found, 0)) == 2.0
    assert float(ms.get_grad(found, "w")) == float(ms.get_grad(found, w)) == 3.0
    with pytest.raises(RuntimeError, match="no gradient of 'q'"):
        ms.get_grad(found, "q")


def test_the_same_tensor_twice(mode) -> None:
    """In PyNative mode it is one variable; a graph tells the positions apart, as in MindSpore."""
    pull = ms.vjp(lambda a, b: a * a * b, X, X)[1]
    for by_a, by_b in (ms.grad(lambda a, b: a * a * b, (0, 1))(X, X), pull(Tensor([1.0, 1.0, 1.0]))):
        one, other = (3, 3) if mode == ms.PYNATIVE_MODE else (2, 1)
        np.testing.assert_array_equal(by_a.asnumpy(), one * X.asnumpy() ** 2)
        np.testing.assert_array_equal(by_b.asnumpy(), other * X.asnumpy() ** 2)


class Doubled(nn.Cell):
    """x·y with a backward of its own."""

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * y * 10, out * 0


def test_custom_bprop(mode) -> None:
    """The Cell's own backward is used, inputs, output and cotangent in hand."""
    by_x, by_y = ms.grad(Doubled(), (0, 1))(X, Tensor(X.asnumpy()))
    np.testing.assert_array_equal(by_x.asnumpy(), 10 * X.asnumpy())
    np.testing.assert_array_equal(by_y.asnumpy(), [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(Doubled()(X, X).asnumpy(), X.asnumpy() ** 2)


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

    np.testing.assert_array_equal(ms.grad(lambda a: Square.apply(a, 2))(X).asnumpy(), 100 * X.asnumpy())


def test_hooks_on_tensors_and_operators(mode) -> None:
    """A hook sees the gradient and may replace it; a removed one does neither."""

    def fn(a, keep=True):
        b = a * 2
        handle = b.register_hook(lambda g: g * 10)
        if not keep:
            handle.remove()
        return b * b

    np.testing.assert_array_equal(ms.grad(fn)(X).asnumpy(), 80 * X.asnumpy())
    np.testing.assert_array_equal(ms.grad(lambda a: fn(a, False))(X).asnumpy(), 8 * X.asnumpy())
    insert = ops.InsertGradientOf(lambda g: g * 3)
    np.testing.assert_array_equal(ms.grad(lambda a: insert(a) * 1)(X).asnumpy(), [3.0, 3.0, 3.0])
    hook = ops.HookBackward(lambda gs: (gs[0] * 5,))
    np.testing.assert_array_equal(ms.grad(lambda a: hook(a) * 1)(X).asnumpy(), [5.0, 5.0, 5.0])


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


def test_no_grad() -> None:
    """Nothing is recorded in the context, or in a decorated function."""

    def fn(x):
        with ms.no_grad():
            y = x * x
        return x * y

    assert float(ms.grad(fn)(Tensor(3.0))) == 9.0
    constant = ms.no_grad()(lambda x: x * x)
    assert float(ms.grad(lambda x: x * constant(x))(Tensor(3.0))) == 9.0


def test_recompute_changes_no_gradient(mode) -> None:
    """Recomputation is a matter of memory only."""
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
    x = Tensor(np.ones((2, 3), np.float32))
    want = ms.grad(net, None, net.trainable_params())(x)
    net[0].recompute()
    got = ms.grad(net, None, net.trainable_params())(x)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g.asnumpy(), w.asnumpy(), rtol=1e-6)


def test_loops_as_functions(mode) -> None:
    """cond, while_loop, fori_loop and scan, in a graph and out of it."""

    def program(x):
        y = ops.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, x)
        z = ops.while_loop(lambda v: v.sum() < 100, lambda v: v * 2, y)
        w = ops.fori_loop(0, 3, lambda i, v: v + i, z)
        carry, ys = ops.scan(lambda c, s: (c + s, c * s), Tensor(0.0), w)
        return carry + ys.sum()

    want = program(X)
    got = ms.jit(program, fullgraph=True)(X)
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)


def test_vmap_of_a_list_of_cells(mode) -> None:
    """An ensemble: every Cell of the list gets a slice, with its own Parameters, which it may write and be differentiated by."""

    class Counting(nn.Cell):
        def __init__(self, w):
            super().__init__()
            self.w = Parameter(Tensor([w, w]), name="w")
            self.calls = Parameter(Tensor(0.0), name="calls", requires_grad=False)

        def construct(self, x):
            self.calls += x.sum()
            return self.w * x

    models = nn.CellList([Counting(1.0), Counting(10.0), Counting(100.0)])
    batch = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    run = ms.vmap(models)
    want = [[1, 2], [30, 40], [500, 600]]
    assert run(batch).asnumpy().tolist() == want
    assert [float(m.calls) for m in models] == [3, 7, 11]
    assert ms.vmap(models, None)(batch[0]).asnumpy().tolist() == [[1, 2], [10, 20], [100, 200]]
    assert ms.grad(lambda x: run(x).sum())(batch).asnumpy().tolist() == [[1, 1], [10, 10], [100, 100]]
    weights = [m.w for m in models]
    by_weight = ms.grad(lambda x: run(x).sum(), None, weights)(batch)
    assert [g.asnumpy().tolist() for g in by_weight] == batch.asnumpy().tolist()
    with pytest.raises(ValueError, match="one size"):
        run(batch[:2])
    with pytest.raises(ValueError, match="Cells of a CellList must be of one class, with Parameters of equal shapes"):
        ms.vmap(nn.CellList([nn.Dense(2, 1), nn.Dense(2, 2)]))(batch)
