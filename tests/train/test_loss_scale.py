"""Steps under a loss scale, and managers of it."""

import numpy as np
import pytest
from scaled_steps import scaled_step
from training import GOLDEN, losses, model, rows

import sporax as ms
from sporax import Tensor, nn
from sporax._src.transform import capture


@pytest.mark.parametrize(
    "sense",
    [
        lambda: nn.FixedLossScaleUpdateCell(64),
        lambda: nn.DynamicLossScaleUpdateCell(64, 2, 5),
        lambda: Tensor(64.0),
        lambda: Tensor([64.0]),
    ],
)
def test_step_under_a_loss_scale(mode: int, sense: object) -> None:
    """The step returns (loss, overflow, scale) and trains as without a scale."""
    _, step = scaled_step(sense())
    batches = [tuple(row) for row in rows().create_tuple_iterator(num_epochs=1)]
    got, scales = [], []
    for n, batch in enumerate(batches * 3):
        before = capture.compilations
        loss, overflow, scale = step(*batch)
        assert n == 0 or capture.compilations == before
        assert overflow.item() is False
        got.append(loss.item())
        scales.append(scale.item())
    np.testing.assert_allclose(got, GOLDEN["losses"]["plain"], rtol=2e-5, atol=1e-7)
    dynamic = isinstance(sense(), nn.DynamicLossScaleUpdateCell)
    assert scales == ([64.0] * 5 + [128.0] * 5 + [256.0] * 2 if dynamic else [64.0] * 12)


def test_a_scale_that_cannot_be_raised_stays():
    scale, update = ms.Parameter(ms.Tensor(2.0**126), name="scale"), nn.DynamicLossScaleUpdateCell(2.0**126, 2, 1)
    seen = []
    for overflow in (False, False, False, True):
        update(scale, ms.Tensor(overflow))
        seen.append(scale.item())
    assert seen == [2.0**127, 2.0**127, 2.0**127, 2.0**126]


def test_overflow_leaves_everything_as_it_was(mode: int) -> None:
    """A step that overflows changes no Parameter and no state of the optimizer, only the scale."""
    _, step = scaled_step(nn.DynamicLossScaleUpdateCell(64, 2, 5))
    batches = [tuple(row) for row in rows().create_tuple_iterator(num_epochs=1)]
    step(*batches[0])
    kept = {p.name: p.asnumpy() for p in step.optimizer.get_parameters()}
    bad = Tensor(np.full((2, 3), 1e30, np.float32))
    for want in (64.0, 32.0):
        _, overflow, scale = step(bad, batches[0][1])
        assert overflow.item() is True and scale.item() == want
    assert step.scale_sense.item() == 16.0
    for p in step.optimizer.get_parameters():
        np.testing.assert_array_equal(p.asnumpy(), kept[p.name], err_msg=p.name)


def test_set_sense_scale() -> None:
    _, step = scaled_step(Tensor(64.0))
    step.set_sense_scale(Tensor(8.0))
    assert step.scale_sense.item() == 8.0
    with pytest.raises(TypeError, match="the scale must be a Tensor, and there must be no update Cell"):
        step.set_sense_scale(8.0)
    with pytest.raises(TypeError, match="the scale must be a Tensor, and there must be no update Cell"):
        scaled_step(nn.FixedLossScaleUpdateCell(64))[1].set_sense_scale(Tensor(8.0))


def test_managers_in_model(mode: int) -> None:
    """Model keeps a dynamic manager in step; the losses are those without."""
    manager = ms.DynamicLossScaleManager(init_loss_scale=64, scale_factor=2, scale_window=5)
    built = model(loss_scale_manager=manager)
    np.testing.assert_allclose(losses(built), GOLDEN["losses"]["plain"], rtol=2e-5, atol=1e-7)
    assert manager.get_loss_scale() == built.train_network.scale_sense.item() == 256
    fixed = model(loss_scale_manager=ms.FixedLossScaleManager(64))
    np.testing.assert_allclose(losses(fixed), GOLDEN["losses"]["plain"], rtol=2e-5, atol=1e-7)


def test_managers() -> None:
    fixed = ms.FixedLossScaleManager(8, False)
    fixed.update_loss_scale(True)
    assert (fixed.get_loss_scale(), fixed.get_drop_overflow_update(), fixed.get_update_cell()) == (8, False, None)
    assert ms.FixedLossScaleManager().get_update_cell().get_loss_scale() == 128.0
    dynamic = ms.DynamicLossScaleManager(8, 2, 2)
    scales = []
    for overflow in (False, False, True, False, False, True, True, True, True, True, True):
        dynamic.update_loss_scale(overflow)
        scales.append(dynamic.get_loss_scale())
    assert scales == [8, 16, 8, 8, 16, 8, 4, 2, 1, 1, 1]
    assert dynamic.get_drop_overflow_update() and dynamic.get_update_cell().get_loss_scale() == 1
    with pytest.raises(RuntimeError, match="1001 steps in a row overflowed"):
        for _ in range(1001):
            dynamic.update_loss_scale(True)
    with pytest.raises(NotImplementedError, match=r"Own must implement get_loss_scale\(\)"):
        type("Own", (ms.train.LossScaleManager,), {})().get_loss_scale()
