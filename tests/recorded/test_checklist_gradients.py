"""Rows 71 to 82 of `docs/checklist.md`, gradients, each in both modes; numbers are the migration guide's or MindSpore 2.7.0's."""

import gc

import jax
import numpy as np
import pytest
from checklist import falls_back, listening, plain
from training import losses, model

import sporax as ms
from sporax import GRAPH_MODE, Parameter, ParameterTuple, Tensor, amp, nn, ops

X, Y = Tensor([[1.0, 2.0, 3.0]]), Tensor(19.0)


class Regression(nn.Cell):
    """The loss (wx - y)² and the prediction wx = 20, with w = [2, 3, 4]."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(3, 1, has_bias=False)
        self.fc.weight.set_data(Tensor([[2.0, 3.0, 4.0]]))
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        return self.loss(logits, y), logits


class Scaled(nn.Cell):
    """The sum of w·x, with w = 1."""

    def __init__(self, size: int = 1) -> None:
        super().__init__()
        self.w = Parameter(Tensor(np.ones(size, np.float32)), name="w")

    def construct(self, x):
        return (self.w * x).sum()


# --- row 71: positions and weights --------------------------------------------------------------------------------------

BY_X, BY_Y, BY_W = [[4.0, 6.0, 8.0]], -2.0, [[2.0, 4.0, 6.0]]
NONE, ALL, ONE = (lambda net: None), (lambda net: ParameterTuple(net.trainable_params())), (lambda net: net.fc.weight)
POSITIONS = {
    "0": (0, NONE, BY_X),
    "(0,)": ((0,), NONE, BY_X),
    "1": (1, NONE, BY_Y),
    "(0,1)": ((0, 1), NONE, (BY_X, BY_Y)),
    "(1,0)": ((1, 0), NONE, (BY_Y, BY_X)),
    "None+weights": (None, ALL, (BY_W,)),
    "None+weight": (None, ONE, BY_W),
    "0+weights": (0, ALL, (BY_X, (BY_W,))),
    "(0,)+weights": ((0,), ALL, (BY_X, (BY_W,))),
    "1+weights": (1, ALL, (BY_Y, (BY_W,))),
    "(0,1)+weights": ((0, 1), ALL, ((BY_X, BY_Y), (BY_W,))),
}


@pytest.mark.parametrize("case", POSITIONS)
def test_row71_grad_positions(case, mode) -> None:
    """Each way to ask gives its own nesting, a tuple only where several things were asked for."""
    position, weights, want = POSITIONS[case]
    net = Regression()
    gradient, aux = ms.grad(net, position, weights(net), has_aux=True)(X, Y)
    assert plain(gradient) == want and plain(aux) == (20.0,)


# --- row 72: has_aux ------------------------------------------------------------------------------------------------------


def test_row72_has_aux(mode) -> None:
    """With `has_aux` the first output alone counts and the rest come as a tuple; without it outputs are summed."""
    assert plain(ms.grad(Regression())(X, Y)) == [[6.0, 9.0, 12.0]]
    assert plain(ms.grad(Regression(), has_aux=True)(X, Y)) == (BY_X, (20.0,))

    def two(x, y):
        return x**2 + y, x

    one, five = Tensor(1.0), Tensor(5.0)
    assert plain(ms.grad(two, (0, 1))(one, five)) == (3.0, 1.0)
    assert plain(ms.grad(two, (0, 1), has_aux=True)(one, five)) == ((2.0, 1.0), (1.0,))
    three = ms.grad(lambda x: (x * x, x + 1, (x, {"k": x})), has_aux=True)(five)
    assert plain(three[:1]) == (10.0,) and plain(three[1][0]) == 6.0 and plain(three[1][1][1]["k"]) == 5.0
    with pytest.raises(ValueError, match="has_aux=True needs a function with at least two outputs"):
        ms.grad(lambda x: x * x, has_aux=True)(one)


# --- row 73: nothing to differentiate by --------------------------------------------------------------------------------


@pytest.mark.parametrize("transform", [ms.grad, ms.value_and_grad])
def test_row73_both_none(transform, mode) -> None:
    """The text is MindSpore's own, and comes when the gradient function is made."""
    with pytest.raises(ValueError, match="`grad_position` and `weight` can not be None at the same time"):
        transform(Regression(), None, None)


# --- row 74: value_and_grad -----------------------------------------------------------------------------------------------


def test_row74_value_and_grad(mode) -> None:
    """((loss, logits), (gradients of inputs, gradients of weights))."""
    net = Regression()
    weights = net.trainable_params()
    assert plain(ms.value_and_grad(net, 0, weights, has_aux=True)(X, Y)) == ((1.0, 20.0), (BY_X, (BY_W,)))
    got = plain(ms.value_and_grad(net, (0, 1), weights, has_aux=True)(X, Y))
    assert got == ((1.0, 20.0), ((BY_X, BY_Y), (BY_W,)))
    assert plain(ms.value_and_grad(lambda x: x * x)(Tensor(3.0))) == (9.0, 6.0)


# --- row 75: no state between calls ---------------------------------------------------------------------------------------


def test_row75_no_tape_state(mode) -> None:
    """A gradient function gives the same answer at every call; neither it nor a forward keeps anything behind."""
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
    gradient = ms.value_and_grad(net, 0, net.trainable_params())
    first = plain(gradient(X))
    net(X)
    gc.collect()
    live = len(jax.live_arrays())
    for _ in range(3):
        assert plain(gradient(X)) == first
        out = net(X)
        assert out._node is None  # the output of a forward leads back to nothing
        del out
    gc.collect()
    assert len(jax.live_arrays()) == live
    assert plain(ms.grad(ms.grad(lambda x: x * x * x))(Tensor(3.0))) == 18.0


# --- row 76: NumPy in the forward -----------------------------------------------------------------------------------------


class Detour(nn.Cell):
    """2x, computed by NumPy."""

    def construct(self, x):
        return Tensor(x.asnumpy() * 2)


class DetourWithBackward(Detour):
    """2x, computed by NumPy, with its derivative."""

    def bprop(self, x, out, dout):
        return (dout * 2,)


class Around(nn.Cell):
    """v · inner(w · x)."""

    def __init__(self, inner: nn.Cell) -> None:
        super().__init__()
        self.w, self.v = (Parameter(Tensor([3.0, 3.0]), name=n) for n in "wv")
        self.inner = inner

    def construct(self, x):
        return self.v * self.inner(self.w * x)


def test_row76_numpy_break(mode) -> None:
    """What went through NumPy is a constant: zeros before it, the right gradient after it, and no error."""
    x = Tensor([1.0, 2.0])
    with falls_back(mode):
        assert plain(ms.grad(Detour())(x)) == [0.0, 0.0]
    net = Around(Detour())
    with falls_back(mode):
        assert plain(ms.grad(net, 0, [net.w, net.v])(x)) == ([0.0, 0.0], ([0.0, 0.0], [6.0, 12.0]))
    with falls_back(mode):
        assert plain(ms.grad(lambda x: x * Tensor(x.asnumpy()))(x)) == [1.0, 2.0]


@pytest.mark.filterwarnings("ignore::sporax._src.base.errors.CompileFallback")
def test_row76_numpy_break_told_on_request(mode) -> None:
    """The log `sporax.grad` names what nothing flows back to; where all is well it is silent."""
    net, x = Around(Detour()), Tensor([1.0, 2.0])
    with listening("sporax.grad") as lines:
        ms.grad(net, 0, [net.w, net.v])(x)
        assert len(lines) == 1 and "from 'Around' to argument 0, weight 'w': the gradient is zeros" in lines[0]
        assert "asnumpy()" in lines[0] and "define bprop" in lines[0]
        ms.grad(Around(DetourWithBackward()))(x)
        ms.grad(lambda x, y: x * y, (0, 1))(x, x)
    assert len(lines) == 1


def test_row76_numpy_break_mended_by_bprop(mode) -> None:
    """A `bprop` carries the gradient across NumPy, to inputs and to weights before it."""
    x, net = Tensor([1.0, 2.0]), Around(DetourWithBackward())
    with falls_back(mode):
        assert plain(ms.grad(net, 0, [net.w, net.v])(x)) == ([18.0, 18.0], ([6.0, 12.0], [6.0, 12.0]))


# --- row 77: one forward a step -------------------------------------------------------------------------------------------


class Normalized(nn.Cell):
    """BatchNorm, and a count of the forwards that ran."""

    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(2)
        self.count = Parameter(Tensor(0.0), name="count", requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.count, Tensor(1.0))
        return self.bn(x)


@pytest.mark.parametrize("marked", [True, False])
def test_row77_set_grad(marked, mode) -> None:
    """A gradient step runs the forward once: moving statistics are updated once (values of MindSpore 2.7.0)."""
    net = Normalized().set_train()
    assert net.set_grad(marked) is net and net.requires_grad is marked
    step = ms.value_and_grad(net, 0, net.trainable_params())
    x = Tensor([[1.0, 2.0], [3.0, 6.0]])
    step(x)
    assert net.count.item() == 1.0
    np.testing.assert_allclose(net.bn.moving_mean.asnumpy(), [0.2, 0.4], rtol=1e-6)
    np.testing.assert_allclose(net.bn.moving_variance.asnumpy(), [1.1, 1.7], rtol=1e-6)
    step(x)
    assert net.count.item() == 2.0
    np.testing.assert_allclose(net.bn.moving_mean.asnumpy(), [0.38, 0.76], rtol=1e-6)
    with pytest.raises(TypeError, match="set_grad: requires_grad must be a bool, got 1"):
        net.set_grad(1)


# --- row 78: a backward of one's own --------------------------------------------------------------------------------------


class Sampler(nn.Cell):
    """Draws `count` values above one half from each row, by NumPy and with repetition."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def construct(self, x):
        values, places = [], []
        for i in range(x.shape[0]):
            row = x[i].asnumpy()
            drawn = np.random.choice(np.where(row > 0.5)[0], self.count)
            values.append(Tensor(row[drawn], ms.float32))
            places.append(Tensor(drawn, ms.int32))
        return ops.stack(values, axis=0), ops.stack(places, axis=0)


class SamplerWithBackward(Sampler):
    """Carries each drawn value's gradient back to the place it was drawn from."""

    def bprop(self, x, out, dout):
        size = x.shape[1]
        rows = [ops.UnsortedSegmentSum()(dout[0][i], out[1][i], size) for i in range(x.shape[0])]
        return ops.stack(rows, axis=0)


def test_row78_sampler(mode) -> None:
    """With seed 1 places 3, 1, 3 and 1, 4, 1 are drawn: dx counts them; without `bprop` it is zeros."""
    ms.set_seed(1)
    x = Tensor(np.random.uniform(0, 3, (2, 5)), ms.float32)
    with falls_back(mode):
        (_, places), dx = ms.value_and_grad(SamplerWithBackward(3).set_grad())(x)
    assert plain(places) == [[3, 1, 3], [1, 4, 1]]
    assert plain(dx) == [[0.0, 1.0, 0.0, 2.0, 0.0], [0.0, 2.0, 0.0, 0.0, 1.0]]
    with falls_back(mode):
        assert not np.any(ops.GradOperation(get_all=True)(Sampler(3))(x)[0].asnumpy())


class Product(nn.Cell):
    """x·y·w with a backward that is easy to recognise."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")

    def construct(self, x, y):
        return x * y * self.w

    def bprop(self, x, y, out, dout):
        return dout * y * self.w * 10, dout * out * 100


@pytest.mark.filterwarnings("error::sporax._src.base.errors.CompileFallback")
def test_row78_bprop(mode) -> None:
    """`bprop(self, *inputs, out, dout)`: its answers are the gradients, those of the Cell's own weights are zero."""
    net, x = Product(), Tensor([3.0])
    assert plain(ms.grad(net, (0, 1), [net.w])(x, Tensor([5.0]))) == (([100.0], [3000.0]), ([0.0],))
    outer = Parameter(Tensor([5.0]), name="outer")  # a Parameter as an input is an input like another
    assert plain(ms.grad(lambda x: net(x, outer) * net.w, 0, [outer, net.w])(x)) == ([200.0], ([6000.0], [30.0]))


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (lambda dout: (dout,), TypeError, "bprop must return a gradient for each of the 2 inputs, got 1"),
        (lambda dout: None, TypeError, "bprop must return a gradient for each of the 2 inputs, got None"),
        (lambda dout: (dout, dout.sum()), RuntimeError, r"bprop: the gradient of input 1\."),
    ],
)
def test_row78_bprop_misuse(answer, error, text, mode) -> None:
    """Too few gradients and gradients of another shape are refused, in the same words in both modes."""

    class Wrong(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return answer(dout)

    x = Tensor([1.0, 2.0])
    with pytest.raises(error, match=f"Wrong.{text}"):
        ms.grad(Wrong(), (0, 1))(x, x)


# --- row 79: loss scaling of functions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scaler", [lambda: amp.StaticLossScaler(1024), lambda: amp.DynamicLossScaler(1024, 2, 2)])
def test_row79_scaled_gradients(scaler, mode) -> None:
    """Under a scale of 1024 the loss 1 becomes 1024, gradients 1024 times as large, and `unscale` restores both."""
    scaler, net = scaler(), Regression()

    def forward(x, y):
        loss, logits = net(x, y)
        return scaler.scale(loss), logits

    (loss, logits), (by_x, by_w) = ms.value_and_grad(forward, 0, net.trainable_params(), has_aux=True)(X, Y)
    assert plain((loss, logits)) == (1024.0, 20.0)
    assert plain(by_x) == [[4096.0, 6144.0, 8192.0]] and plain(by_w) == ([[2048.0, 4096.0, 6144.0]],)
    assert plain(scaler.unscale((loss, by_x, by_w))) == (1.0, BY_X, (BY_W,))
    assert amp.all_finite(by_w).item() is True
    for bad in (np.inf, -np.inf, np.nan):
        assert amp.all_finite((by_x, [Tensor([1.0, bad])])).item() is False


def test_row79_adjust(mode) -> None:
    """A static scale stays; a dynamic one halves on overflow and doubles after its window (values of MindSpore 2.7.0)."""
    static, dynamic = amp.StaticLossScaler(1024), amp.DynamicLossScaler(1024, 2, 2)
    adjust = ms.jit(lambda finite: dynamic.adjust(finite)) if mode == GRAPH_MODE else dynamic.adjust
    seen = []
    for finite in (True, False, True, True, True, True):
        assert static.adjust(Tensor(finite)) is False and adjust(Tensor(finite)) is True
        seen.append((dynamic.scale_value.item(), dynamic.counter.item()))
    assert seen == [(1024, 1), (512, 0), (512, 1), (1024, 0), (1024, 1), (2048, 0)]
    assert static.scale_value.item() == 1024


# --- row 80: managers and the step under a scale --------------------------------------------------------------------------


def test_row80_managers_in_model(mode) -> None:
    """Both managers train `Model` as it trains without; the dynamic one has grown by its windows."""
    want = losses(model())
    fixed, dynamic = ms.FixedLossScaleManager(1024), ms.DynamicLossScaleManager(64, 2, 5)
    kept = ms.FixedLossScaleManager(1024, drop_overflow_update=False)  # here the optimizer undoes the scale
    for manager, options in ((fixed, {}), (dynamic, {}), (kept, {"loss_scale": 1024.0})):
        got = losses(model(loss_scale_manager=manager, **options))
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-7)
    assert (fixed.get_loss_scale(), dynamic.get_loss_scale()) == (1024, 256)


@pytest.mark.parametrize(
    ("sense", "scales"),
    [
        (lambda: nn.FixedLossScaleUpdateCell(1024), [1024] * 5),
        (lambda: Tensor(1024.0), [1024] * 5),
        (lambda: nn.DynamicLossScaleUpdateCell(1024, 2, 2), [1024, 1024, 512, 512, 1024]),
    ],
)
def test_row80_step_with_loss_scale(sense, scales, mode) -> None:
    """The step returns (loss, overflow, scale); a step that overflows updates nothing but the scale."""
    net = Scaled()
    step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params(), 0.125), sense())
    seen = []
    for x in (2.0, np.inf, 1.0, 1.0, 1.0):
        triple = step(Tensor([x]))
        assert isinstance(triple, tuple) and len(triple) == 3
        loss, overflow, scale = triple
        seen.append((loss.item(), overflow.item(), net.w.item()))
        assert scale.item() == scales[len(seen) - 1]
    assert seen[:3] == [(2.0, False, 0.75), (np.inf, True, 0.75), (0.75, False, 0.625)]
    assert seen[3:] == [(0.625, False, 0.5), (0.5, False, 0.375)]


# --- row 81: clipping and accumulating ------------------------------------------------------------------------------------


def test_row81_clip_by_global_norm(mode) -> None:
    """Gradients are scaled to the norm if theirs is larger: here 13, of (3, 4) and (12)."""
    clip = ms.jit(ops.clip_by_global_norm) if mode == GRAPH_MODE else ops.clip_by_global_norm
    grads = (Tensor([3.0, 4.0]), Tensor([12.0]))
    for limit in (1.0, 6.5):
        got = clip(grads, limit)
        for g, want in zip(got, grads, strict=True):
            np.testing.assert_allclose(g.asnumpy(), want.asnumpy() * limit / 13, rtol=1e-6)
    assert plain(ops.clip_by_global_norm(grads)) == plain(clip(grads, 1.0))
    np.testing.assert_allclose(clip((Tensor([0.3, 0.4]),), 1.0)[0].asnumpy(), [0.3, 0.4], rtol=1e-6)


class Accumulating(nn.Cell):
    """Adds the gradients of `parts` batches up, then updates by their mean."""

    def __init__(self, net: nn.Cell, optimizer: nn.Cell, parts: int) -> None:
        super().__init__(auto_prefix=False)
        self.optimizer, self.parts = optimizer, parts
        self.step = ms.value_and_grad(net, None, optimizer.parameters)
        self.sums = ParameterTuple(
            [Parameter(ops.zeros_like(p), name=f"sum.{p.name}", requires_grad=False) for p in optimizer.parameters]
        )
        self.seen = Parameter(Tensor(0, ms.int32), name="seen", requires_grad=False)

    def construct(self, x, y):
        loss, grads = self.step(x, y)
        for total, g in zip(self.sums, grads, strict=True):
            ops.assign_add(total, g / self.parts)
        ops.assign_add(self.seen, Tensor(1, ms.int32))
        if self.seen % self.parts == 0:
            self.optimizer(tuple([total.value() for total in self.sums]))
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
        return loss


@pytest.mark.filterwarnings("error::sporax._src.base.errors.CompileFallback")
def test_row81_accumulation_is_the_large_batch(mode) -> None:
    """Four batches of two, accumulated, move the weights as one batch of eight does, step after step."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((8, 3)).astype(np.float32), rng.standard_normal((8, 1)).astype(np.float32)
    nets = [nn.Dense(3, 1, weight_init=0.5, bias_init="zeros") for _ in range(2)]
    with_loss = [nn.WithLossCell(net, nn.MSELoss()) for net in nets]
    optimizers = [nn.Momentum(net.trainable_params(), 0.1, 0.9) for net in nets]
    large, small = nn.TrainOneStepCell(with_loss[0], optimizers[0]), Accumulating(with_loss[1], optimizers[1], 4)
    for _ in range(3):
        want = large(Tensor(x), Tensor(y)).item()
        got = [small(Tensor(x[i : i + 2]), Tensor(y[i : i + 2])).item() for i in range(0, 8, 2)]
        np.testing.assert_allclose(np.mean(got), want, rtol=1e-5)
        for a, b in zip(nets[1].get_parameters(), nets[0].get_parameters(), strict=True):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)


# --- row 82: wrapper cells ------------------------------------------------------------------------------------------------


def test_row82_with_loss_and_train_one_step(mode) -> None:
    """WithLossCell gives the loss; TrainOneStepCell the loss before its update, `sens` times the gradients; names stay."""
    for sens, after in ((None, [[1.5, 2.0, 2.5]]), (0.5, [[1.75, 2.5, 3.25]])):
        net = nn.Dense(3, 1, has_bias=False)
        net.weight.set_data(Tensor([[2.0, 3.0, 4.0]]))
        with_loss = nn.WithLossCell(net, nn.MSELoss())
        assert with_loss.backbone_network is net
        assert with_loss(X, Tensor([[19.0]])).item() == 1.0
        step = nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.25), sens=sens, return_grad=True)
        loss, grads = step(X, Tensor([[19.0]]))
        scale = 1.0 if sens is None else sens
        assert loss.item() == 1.0 and list(grads) == ["weight"]
        assert plain(grads["weight"]) == [[2 * scale, 4 * scale, 6 * scale]]
        assert plain(net.weight.value()) == after
        assert [p.name for p in net.get_parameters()] == ["weight"]
        assert "weight" in step.parameters_dict() and with_loss(X, Tensor([[19.0]])).item() != 1.0


def test_row82_grad_operation(mode) -> None:
    """Every form of the older interface, on a function and on a Cell, called with and without weights."""
    net = Regression()
    weights = ParameterTuple(net.trainable_params())
    of = ops.GradOperation
    summed = ([[6.0, 9.0, 12.0]], -2.0, [[3.0, 6.0, 9.0]])  # outputs are summed: (2 + 1) times wx's
    assert plain(of()(net)(X, Y)) == summed[0]
    assert plain(of(get_all=True)(net)(X, Y)) == summed[:2]
    assert plain(of(get_by_list=True)(net, weights)(X, Y)) == (summed[2],)
    assert plain(of(get_by_list=True)(net)(X, Y)) == (summed[2],)
    assert plain(of(get_all=True, get_by_list=True)(net, weights)(X, Y)) == (summed[:2], (summed[2],))
    sens = (Tensor(1.0), Tensor(0.0))
    assert plain(of(sens_param=True)(net)(X, Y, sens)) == BY_X
    product = lambda x, y: x * x * y
    assert plain(of(get_all=True, sens_param=True)(product)(Tensor(3.0), Tensor(4.0), Tensor(10.0))) == (240.0, 90.0)
