"""Graphs with images stored channels last compute what the program's order computes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from laws.operators import close

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.base.jax_compat import jaxpr_as_fun
from sporax._src.lowering.normalization import batch_norm_alone
from sporax._src.ops.nn import sliding_window
from sporax._src.transform.graph import channels_last


class Net(nn.Cell):
    """Every kind of operation that follows the order of images, and some that do not."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, has_bias=True)
        self.norm = nn.BatchNorm2d(8)
        self.down = nn.Conv2d(8, 8, 3, stride=2)
        self.short = nn.Conv2d(8, 8, 1, stride=2)
        self.grouped = nn.Conv2d(8, 8, 3, group=4)
        self.up = nn.Conv2dTranspose(8, 8, 3, stride=2)
        self.pool = nn.MaxPool2d(2, 2)
        self.mean = nn.AvgPool2d(3, 1)
        self.scale = Parameter(np.linspace(0.5, 1.5, 8 * 16 * 12).reshape(1, 8, 16, 12).astype(np.float32))
        self.dense = nn.Dense(8, 5)

    def construct(self, x):
        x = ops.relu(self.norm(self.conv(x)) * self.scale)
        y = ops.gelu(self.down(x) + self.short(x))
        y = ops.concat((self.grouped(y), ops.sigmoid(y)[:, :6]), 1)[:, 2:10]
        y = self.mean(self.pool(ops.pad(self.up(y), (1, 1, 0, 2))))
        y = ops.transpose(ops.flip(y, (2,)), (0, 2, 3, 1)) * 2
        y = ops.softmax(y.transpose(0, 3, 1, 2), 1)
        y = y * y.mean((2, 3), True) + ops.amax(y, 1, keepdims=True) - y.argmax(1, keepdims=True).astype(ms.float32)
        return self.dense(y.reshape(4, 8, -1).mean(2))


def losses(monkeypatch, run):
    """Three losses of a compiled step, and the Parameters after it, with graphs run by `run`."""
    monkeypatch.setattr("sporax._src.transform.capture.channels_last", run)
    ms.set_seed(3)
    rng = np.random.default_rng(0)
    net = Net()
    opt = nn.Momentum(net.trainable_params(), 0.003, 0.9)
    criterion = nn.CrossEntropyLoss()
    forward = ms.value_and_grad(lambda x, y: criterion(net(x), y), None, opt.parameters)

    @ms.jit(fullgraph=True)
    def step(x, y):
        loss, grads = forward(x, y)
        opt(grads)
        return loss

    x = Tensor(rng.standard_normal((4, 3, 16, 12)).astype(np.float32))
    y = Tensor(rng.integers(0, 5, 4).astype(np.int32))
    return [float(step(x, y)) for _ in range(3)], [p.asnumpy() for p in net.get_parameters()]


def test_a_step_computes_the_same(monkeypatch):
    got, parameters = losses(monkeypatch, channels_last.channels_last)
    want, expected = losses(monkeypatch, jaxpr_as_fun)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    assert got[2] < got[0]
    for p, q in zip(parameters, expected, strict=True):
        close(p, q, 1e-5, "a Parameter after three steps")


def transposes(closed, size: int) -> int:
    """Count the moves of whole images in a graph."""
    return sum(e.primitive.name == "transpose" and e.outvars[0].aval.size == size for e in closed.jaxpr.eqns)


@pytest.mark.parametrize("rank", [3, 4, 5])
def test_images_are_turned_once(rank):
    """A chain of convolutions, each with what follows it, moves the images where they come in and where they go out."""
    space = "DHW"[5 - rank :]
    numbers = ("NC" + space, "OI" + space, "NC" + space)

    def chain(x, w, scale):
        for _ in range(3):
            x = jax.lax.conv_general_dilated(x, w, (1,) * (rank - 2), "SAME", dimension_numbers=numbers)
            x = jax.nn.relu(x * scale - x.mean((0, *range(2, rank)), keepdims=True))
        return x

    x, w = jnp.ones((2, 4) + (6,) * (rank - 2)), jnp.ones((4, 4) + (3,) * (rank - 2))
    args = x, w, jnp.ones((4,) + (1,) * (rank - 2))
    closed = jax.make_jaxpr(chain)(*args)
    turned = jax.make_jaxpr(channels_last.channels_last(closed))(*args)
    assert transposes(closed, x.size) == 0
    assert transposes(turned, x.size) == (2 if jax.default_backend() == "cpu" else 0)
    got, want = channels_last.channels_last(closed)(*args)[0], chain(*args)
    left = 0 if jax.default_backend() == "cpu" else 1e-9  # of 846 - 846, elsewhere
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=left)


def _image(x):
    """An image stored channels last, when the pass has run: what a convolution gives."""
    return jax.lax.conv_general_dilated(x, jnp.ones((6, x.shape[1], 1, 1), x.dtype), (1, 1), "SAME")


@pytest.mark.of_cpus("images are turned for CPUs")
def test_normalization_stays_channels_last():
    """The images of convolutions and norms are turned where they come in and where their gradients go out."""

    def loss(x, weight, bias):
        for _ in range(2):
            fixed = {"axes": (0, 2, 3), "eps": 1e-5, "momentum": 0.1}
            x, mean, *_ = batch_norm_alone(_image(x), weight, bias, bias, weight, **fixed)
            x = jax.nn.relu(x) + jax.lax.stop_gradient(mean).sum()
        return (_image(x) ** 3).sum()

    x = np.random.default_rng(0).standard_normal((2, 6, 8, 8)).astype(np.float32)
    args = jnp.asarray(x), jnp.ones(6, jnp.float32), jnp.zeros(6, jnp.float32)
    closed = jax.make_jaxpr(jax.grad(loss, (0, 1, 2)))(*args)
    turned = jax.make_jaxpr(channels_last.channels_last(closed))(*args)
    assert str(turned).count("batch_norm_factors") == str(turned).count("batch_norm_gradient_factors") == 2
    assert transposes(turned, args[0].size) == 2
    for got, want in zip(channels_last.channels_last(closed)(*args), jax.grad(loss, (0, 1, 2))(*args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * float(jnp.abs(want).max()))


def test_pooling_stays_channels_last():
    """Windows that do not overlap are axes that are split, and their gradients axes that are joined."""

    def loss(x):
        boxes = [sliding_window.box(8, 2, 2, 1, (0, 0))] * 2
        return (_image(sliding_window.window_max(_image(x), boxes)[:, :4]) ** 2).sum()

    x = jnp.asarray(np.random.default_rng(0).standard_normal((2, 4, 8, 8)), jnp.float32)
    closed = jax.make_jaxpr(jax.grad(loss))(x)
    turned = jax.make_jaxpr(channels_last.channels_last(closed))(x)
    sizes = [e.outvars[0].aval.size for e in turned.jaxpr.eqns if e.primitive.name == "transpose"]
    assert [size for size in sizes if size > 64] == [512, 512]  # the images that come in and go out
    np.testing.assert_allclose(channels_last.channels_last(closed)(x)[0], jax.grad(loss)(x), rtol=1e-5)


RESHAPES = [
    [(2, 3, 2, 4, 5)], [(2, 6, 2, 2, 5)], [(2, 6, 20)], [(2, 120)], [(12, 4, 5)], [(2, 6, 4, 5, 1), (2, 6, 4, 5)],
    [(1, 2, 6, 1, 20)], [(2, 6, 2, 2, 5), (2, 6, 4, 5)], [(2, 3, 2, 20), (2, 6, 20)], [(2, 3, 40)], [(6, 2, 4, 5)], [(240,)],
    [(2, 6, 2, 10)], [(2, 1, 6, 4, 5)],
]  # fmt: skip


@pytest.mark.parametrize("shapes", RESHAPES, ids=str)
def test_axes_that_are_split_and_joined(shapes):
    def run(x):
        y = _image(x)
        for shape in shapes:
            y = jnp.flip(jnp.exp(y).reshape(shape), 1 % len(shape))
        return jnp.squeeze(y.transpose(range(y.ndim)[::-1]))

    x = jnp.asarray(np.random.default_rng(0).standard_normal((2, 4, 4, 5)), jnp.float32)
    closed = jax.make_jaxpr(run)(x)
    np.testing.assert_allclose(channels_last.channels_last(closed)(x)[0], run(x), rtol=1e-5)


@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (4,), (0, 3), (1, 2), (4, 5)], ids=str)
def test_axes_that_are_added(axes):
    run = lambda x: jnp.exp(jnp.broadcast_to(jnp.expand_dims(_image(x), axes), _expanded(axes)))
    x = jnp.asarray(np.random.default_rng(0).standard_normal((2, 4, 4, 5)), jnp.float32)
    closed = jax.make_jaxpr(run)(x)
    np.testing.assert_allclose(channels_last.channels_last(closed)(x)[0], run(x), rtol=1e-5)


def _expanded(axes: tuple[int, ...]) -> tuple[int, ...]:
    rest = iter((2, 6, 4, 5))
    return tuple(3 if i in axes else next(rest) for i in range(4 + len(axes)))


def test_a_graph_without_images_is_left_alone():
    closed = jax.make_jaxpr(lambda x: jnp.tanh(x) @ x)(jnp.ones((3, 3)))
    assert not channels_last.has_images(closed.jaxpr)
    same = jax.make_jaxpr(channels_last.channels_last(closed))(jnp.ones((3, 3)))
    assert str(same) == str(closed)


def test_a_gradient_through_a_compiled_function_keeps_its_custom_derivative():
    """The pass is for running: what differentiates a graph sees the operations with their own derivatives."""

    class Doubled(nn.Cell):
        def construct(self, x):
            return x * 1

        def bprop(self, x, out, dout):
            return (dout * 2,)

    conv, doubled = nn.Conv2d(1, 1, 1, weight_init="ones"), Doubled()
    compiled = ms.jit(lambda x: doubled(conv(x)))
    x = Tensor(np.ones((1, 1, 2, 2), np.float32))
    compiled(x)
    assert ms.grad(compiled)(x).asnumpy().tolist() == [[[[2.0, 2.0], [2.0, 2.0]]]]


def test_a_product_with_a_constant_is_right_when_compiled():
    """Of YNNPACK's products the fused ones are wrong where an operand is a constant of equal elements."""
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    compiled = ms.jit(lambda t: ops.matmul(t, ops.ones((4, 4), ms.float32)), fullgraph=True)
    np.testing.assert_allclose(compiled(Tensor(x)).asnumpy(), x @ np.ones((4, 4), np.float32), rtol=1e-6)


def test_convolutions_within_a_trace_of_jax():
    """What XLA is told about convolutions is told outermost; inside of another trace they are part of its graph."""
    conv = nn.Conv2d(2, 3, 3)
    x = np.linspace(-1, 1, 2 * 2 * 5 * 5).reshape(2, 2, 5, 5).astype(np.float32)
    want = conv(Tensor(x)).asnumpy()
    step = ms.jit(lambda t: conv(t), fullgraph=True)
    for fn in (lambda t: ops.conv2d(t, conv.weight, pad_mode="same"), step):
        fn(Tensor(x))
        got = jax.jit(lambda a, fn=fn: fn(Tensor(a))._data)(x)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_images_in_a_loop_are_seen():
    """XLA is told about convolutions inside of loops too."""

    def body(i, x):
        return jax.lax.conv_general_dilated(x, jnp.ones((2, 2, 3, 3)), (1, 1), "SAME")

    x = jnp.ones((1, 2, 4, 4))
    closed = jax.make_jaxpr(lambda x: jax.lax.fori_loop(0, 2, body, x))(x)
    assert channels_last.has_images(closed.jaxpr)
    np.testing.assert_allclose(channels_last.channels_last(closed)(x)[0], body(0, body(0, x)), rtol=1e-6)
