"""`saved_tensors_hooks`. Unless a test says otherwise, its values are those of MindSpore 2.10.0."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops

A, B = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


class Scaled(nn.Cell):
    """The input times a Parameter."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x):
        return x * self.w


def larger(x):
    return x + 1


def same(x):
    return x


def logging(log, name=""):
    """Return hooks that write what they get into a list."""

    def pack(x):
        log.append((f"{name}pack", x.asnumpy().tolist()))
        return x

    def unpack(x):
        log.append((f"{name}unpack", x.asnumpy().tolist()))
        return x

    return pack, unpack


def gradient(fn, *args, by=0, pack=larger, unpack=same):
    """Return the gradient of a function that runs within the hooks."""

    def hooked(*xs):
        with ms.saved_tensors_hooks(pack, unpack):
            return fn(*xs)

    return ms.grad(hooked, by)(*args)


def test_what_a_backward_saves_passes_through_the_hooks():
    log: list = []
    pack, unpack = logging(log)
    grads = gradient(lambda x, y: x * y, A, B, by=(0, 1), pack=pack, unpack=unpack)
    assert [g.asnumpy().tolist() for g in grads] == [[3.0, 4.0], [1.0, 2.0]]
    assert log == [("pack", [1.0, 2.0]), ("pack", [3.0, 4.0]), ("unpack", [1.0, 2.0]), ("unpack", [3.0, 4.0])]
    log.clear()
    gradient(lambda x, y: x + y * 3, A, B, pack=pack, unpack=unpack)
    assert not log
    grads = gradient(lambda x, y: x * y, A, B, by=(0, 1))
    assert [g.asnumpy().tolist() for g in grads] == [[4.0, 5.0], [2.0, 3.0]]
    kept = gradient(lambda x, y: ops.exp(x) * y, A, B, pack=lambda x: x.asnumpy(), unpack=Tensor)
    assert np.allclose(kept.asnumpy(), np.exp(A.asnumpy()) * B.asnumpy(), rtol=1e-5)


def test_the_innermost_hooks_count_until_the_block_ends():
    log: list = []

    def nested(x):
        with ms.saved_tensors_hooks(*logging(log)):
            y = x * x
            with ms.saved_tensors_hooks(*logging(log, "inner ")):
                z = ops.exp(y)
            z = z * 2
        return z * z * 0 + z

    grad = ms.grad(nested)(A)
    x = A.asnumpy()
    assert np.allclose(grad.asnumpy(), 4 * x * np.exp(x * x), rtol=1e-5)
    assert [kind for kind, _ in log] == ["pack", "pack", "inner pack", "inner unpack", "unpack", "unpack"]


def test_nothing_is_packed_outside_of_a_gradient():
    log: list = []
    with ms.saved_tensors_hooks(*logging(log)):
        A * A
    assert not log


def test_second_derivatives():
    log: list = []

    def f(x):
        with ms.saved_tensors_hooks(*logging(log)):
            return ops.exp(x * x)

    x = A.asnumpy()
    second = ms.grad(ms.grad(f))(A)
    assert np.allclose(second.asnumpy(), (2 + 4 * x * x) * np.exp(x * x), rtol=1e-5)
    assert ("pack", [1.0, 2.0]) in log
    host = ms.grad(ms.grad(lambda x: gradient_free(x)))(A)
    assert np.allclose(host.asnumpy(), second.asnumpy())


def gradient_free(x):
    """The function whose values are kept on the host."""
    with ms.saved_tensors_hooks(lambda t: t.asnumpy(), Tensor):
        return ops.exp(x * x)


def test_hooks_of_a_cell():
    log: list = []
    net = Scaled()
    net.register_saved_tensors_hooks(*logging(log))
    _, (grads,) = ms.value_and_grad(net, 0, net.trainable_params())(A)[1]
    assert grads.asnumpy().tolist() == [1.0, 2.0]
    assert [value for _, value in log] == [[1.0, 2.0], [2.0, 3.0], [1.0, 2.0], [2.0, 3.0]]
    net.register_saved_tensors_hooks(larger, same)
    for wrapped in (lambda f: f, ms.jit):
        by_x, (by_w,) = wrapped(ms.grad(net, 0, net.trainable_params()))(A)
        assert by_x.asnumpy().tolist() == [3.0, 4.0] and by_w.asnumpy().tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match="saved_tensors_hooks: pack_hook must be callable, got 3"):
        net.register_saved_tensors_hooks(3, same)


def test_the_decorator_counts_in_graphs_only():
    @ms.register_saved_tensors_hooks(larger, same)
    def f(x, y):
        return x * y

    assert f.__name__ == "f"
    assert [g.asnumpy().tolist() for g in ms.grad(f, (0, 1))(A, B)] == [[3.0, 4.0], [1.0, 2.0]]
    assert [g.asnumpy().tolist() for g in ms.jit(ms.grad(f, (0, 1)))(A, B)] == [[4.0, 5.0], [2.0, 3.0]]
    assert ms.jit(f)(A, B).asnumpy().tolist() == [3.0, 8.0]

    @ms.register_saved_tensors_hooks(larger, same)
    def g(x):
        y = ops.sin(x)
        return y * y

    assert np.allclose(ms.jit(ms.grad(g))(A).asnumpy(), [-1.53264463, -3.78038025])
    with pytest.raises(TypeError, match="saved_tensors_hooks: unpack_hook must be callable, got None"):
        ms.register_saved_tensors_hooks(larger, None)


def test_hooks_within_graphs():
    """Expected: the derivatives of these functions with the saved values as the hooks change them."""

    def f(x, n):
        with ms.saved_tensors_hooks(larger, same):
            for _ in range(2):
                x = x * n
            return (x * x).sum()

    x, n = Tensor([1.0, 2.0]), Tensor(3)
    for wrapped in (lambda f: ms.jit(ms.grad(f)), lambda f: ms.grad(ms.jit(f)), ms.grad):
        # the factors 9 x of the square are saved as 9 x + 1, and n as 4
        assert wrapped(f)(x, n).asnumpy().tolist() == [2 * (9 * v + 1) * 16 for v in (1, 2)]


def test_hooks_in_the_branches_of_a_graph():
    def f(x, condition):
        with ms.saved_tensors_hooks(larger, same):
            if condition:
                y = x * x
            else:
                y = x * 3
            return y.sum()

    run = ms.jit(ms.grad(f))
    assert run(A, Tensor(True)).asnumpy().tolist() == [4.0, 6.0]
    assert run(A, Tensor(False)).asnumpy().tolist() == [3.0, 3.0]


def test_a_graph_does_not_keep_the_hooks_of_its_caller():
    log: list = []
    f = ms.jit(lambda x: ops.exp(x) * x)

    def hooked(x):
        with ms.saved_tensors_hooks(*logging(log)):
            return f(x)

    def cleared(x):
        return f(x)

    expected = (1 + A.asnumpy()) * np.exp(A.asnumpy())
    assert np.allclose(ms.grad(hooked)(A).asnumpy(), expected, rtol=1e-5)
    count = len(log)
    assert np.allclose(ms.grad(cleared)(A).asnumpy(), expected, rtol=1e-5)
    assert len(log) == count


class OwnBackward(nn.Cell):
    """Three times the product of its inputs, so says its backward."""

    def construct(self, x, y, k):
        return x * y, y * k

    def bprop(self, x, y, k, out, dout):
        return dout[0] * y * 3, dout[1] * out[0], 0


class Saving(ms._Function):
    """A function that saves an input, its result, and a Tensor that is neither."""

    @staticmethod
    def forward(ctx, x):
        result = x * x
        ctx.save_for_backward(x, None, x * 2, result)
        return result

    @staticmethod
    def backward(ctx, dout):
        x, nothing, twice, _ = ctx.saved_tensors
        assert nothing is None
        return dout * (x + twice)


def test_a_cell_with_its_own_backward():
    """Its Tensors are packed, then its results; all are unpacked before the backward."""
    log: list = []
    cell = OwnBackward()
    grads = gradient(lambda x, y: cell(x, y, 3), A, B, by=(0, 1), pack=logging(log)[0], unpack=logging(log)[1])
    assert [g.tolist() for g in grads] == [[9.0, 12.0], [3.0, 8.0]]
    values = [[1.0, 2.0], [3.0, 4.0], [3.0, 8.0], [9.0, 12.0]]
    assert log == [("pack", value) for value in values] + [("unpack", value) for value in values]


def test_a_function_that_saves_tensors():
    """What it saves is packed, and unpacked each time it is read."""
    log: list = []
    pack, unpack = logging(log)
    assert gradient(Saving.apply, A, pack=pack, unpack=unpack).tolist() == [3.0, 6.0]
    values = [[1.0, 2.0], [2.0, 4.0], [1.0, 4.0]]
    assert log == [("pack", value) for value in values] + [("unpack", value) for value in values]
    log.clear()
    with ms.saved_tensors_hooks(pack, unpack):
        Saving.apply(A)
    assert log == []


@pytest.mark.parametrize("fn", [Saving.apply, lambda x: OwnBackward()(x, x, 3)[0]])
def test_own_backwards_use_what_is_unpacked(fn, mode):
    """In a graph, MindSpore takes hooks of a Cell alone, with the same result."""
    want = ms.grad(fn)(A).asnumpy()
    assert gradient(fn, A, pack=lambda x: x * 2).asnumpy().tolist() == (2 * want).tolist()
    assert gradient(fn, A, pack=lambda x: x.half()).asnumpy().tolist() == want.tolist()
    assert gradient(fn, A, unpack=lambda x: x.sum()).dtype == ms.float32
    assert gradient(fn, A, unpack=lambda x: x.sum()).shape == (2,)


def test_hooks_of_a_cell_with_its_own_backward(mode):
    cell = OwnBackward()
    cell.register_saved_tensors_hooks(lambda x: x * 2, same)
    assert ms.grad(lambda x: cell(x, B, 3)[0])(A).tolist() == [18.0, 24.0]


def test_second_derivatives_of_own_backwards(mode):
    """What is unpacked has the gradient of what was packed."""

    def hooked(fn):
        def call(x):
            with ms.saved_tensors_hooks(lambda x: x, same):
                return fn(x)

        return call

    cell = OwnBackward()
    for fn in (Saving.apply, lambda x: cell(x, x, 3)[0]):
        plain, with_hooks = (ms.grad(ms.grad(f))(A).tolist() for f in (fn, hooked(fn)))
        assert with_hooks == plain


def test_wrong_hooks():
    with pytest.raises(TypeError, match="saved_tensors_hooks: pack_hook must be callable, got 3"):
        ms.saved_tensors_hooks(3, same)
    with pytest.raises(TypeError, match="unpack_hook must return a Tensor, got 3"):
        gradient(lambda x: x * x, A, unpack=lambda x: 3)
    with pytest.raises(
        ValueError, match=r"unpack_hook must return a Tensor like the packed one, float32\[2\], got float32\[1\]"
    ):
        gradient(lambda x: x * x, A, unpack=lambda x: Tensor([1.0]))
    with pytest.raises(RuntimeError, match="pack_hook must not change its argument in place"):
        gradient(lambda x: x * x, A, pack=lambda x: x.add_(1))
    for broken in ({"pack": lambda x: 1 / 0}, {"unpack": lambda x: 1 / 0}):
        with pytest.raises(ZeroDivisionError, match=r"^division by zero$"):
            gradient(lambda x: x * x, A, **broken)
