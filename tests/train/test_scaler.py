"""Loss scalers, and what is finite."""

import numpy as np
from training import GOLDEN, rows

import sporax as ms
from sporax import Parameter, Tensor, amp, nn


def test_static_scaler() -> None:
    """Loss 1 becomes 1024, gradients grow as much, unscaling restores them."""
    scaler = amp.StaticLossScaler(1024)
    w = Parameter(Tensor([2.0, 3.0]), name="w")

    def forward(x: Tensor) -> Tensor:
        return scaler.scale((x * w).sum())

    value, grads = ms.value_and_grad(forward, None, [w])(Tensor([1.0, 2.0]))
    assert value.item() == 8 * 1024
    np.testing.assert_array_equal(grads[0].asnumpy(), [1024, 2048])
    np.testing.assert_array_equal(scaler.unscale(grads)[0].asnumpy(), [1, 2])
    nested = scaler.unscale({"a": (Tensor(2048.0, ms.float16), [Tensor(1024.0)])})
    assert nested["a"][0].dtype == ms.float16 and nested["a"][1][0].item() == 1.0
    assert scaler.adjust(Tensor(False)) is False and scaler.scale_value.item() == 1024


def test_dynamic_scaler() -> None:
    """The scale follows MindSpore's over finite and overflowing steps."""
    scaler = amp.DynamicLossScaler(scale_value=8, scale_factor=2, scale_window=2)
    got = []
    for finite in (True, True, True, False, False, False, False, True, True):
        assert scaler.adjust(Tensor(finite)) is True
        got.append([scaler.scale_value.item(), scaler.counter.item()])
    assert got == GOLDEN["scaler"]
    huge = amp.DynamicLossScaler(2.0**127, 2, 1)
    huge.adjust(Tensor(True))
    assert huge.scale_value.item() == 2.0**127


def test_functional_step(mode: int) -> None:
    """A jitted step of a function: scale, gradients, `all_finite`, update unless they overflow, adjust."""
    net = nn.Dense(3, 1, weight_init=0.5, bias_init="zeros")
    opt, loss_fn = nn.Momentum(net.trainable_params(), 0.1, 0.9), nn.MSELoss()
    scaler = amp.DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=5)

    def forward(x: Tensor, y: Tensor) -> Tensor:
        return scaler.scale(loss_fn(net(x), y))

    grad_fn = ms.value_and_grad(forward, None, opt.parameters)

    @ms.jit
    def step(x: Tensor, y: Tensor) -> Tensor:
        loss, grads = grad_fn(x, y)
        grads = scaler.unscale(grads)
        finite = amp.all_finite(grads)
        if finite:
            opt(grads)
        loss = scaler.unscale(loss)
        scaler.adjust(finite)
        return loss

    batches = [tuple(row) for row in rows().create_tuple_iterator(num_epochs=1)]
    got = [step(*batch).item() for _ in range(3) for batch in batches]
    np.testing.assert_allclose(got, GOLDEN["losses"]["plain"], rtol=2e-5, atol=1e-7)
    assert scaler.scale_value.item() == 4096
    before = net.weight.asnumpy()
    step(Tensor(np.full((2, 3), np.inf, np.float32)), batches[0][1])
    np.testing.assert_array_equal(net.weight.asnumpy(), before)
    assert scaler.scale_value.item() == 2048


def test_all_finite() -> None:
    assert amp.all_finite(()).item() is True
    assert amp.all_finite([Tensor([1.0]), {"a": (Tensor(2.0, ms.float16), Tensor(3))}]).item() is True
    assert amp.all_finite([Tensor([1.0]), {"a": Tensor([np.nan])}]).item() is False
