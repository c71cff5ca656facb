"""What the goldens do not say of losses."""

import warnings

import numpy as np
import pytest

import sporax as ms
from sporax import mint, nn, ops

RNG = np.random.default_rng(0)


def test_ctc_gradient_of_the_logits_is_that_of_torch(mode: int) -> None:
    torch = pytest.importorskip("torch")
    logits = RNG.standard_normal((5, 2, 4)).astype(np.float32)
    targets, inputs, lengths = np.array([[1, 2], [3, 1]]), np.array([5, 4]), np.array([2, 1])
    x = torch.tensor(logits, requires_grad=True)
    torch.nn.CTCLoss()(x.log_softmax(-1), *map(torch.tensor, (targets, inputs, lengths))).backward()
    rest = [ms.Tensor(v, ms.int32) for v in (targets, inputs, lengths)]
    loss = nn.CTCLoss()
    got = ms.grad(lambda v: loss(ops.log_softmax(v, -1), *rest))(ms.Tensor(logits))
    np.testing.assert_allclose(got.asnumpy(), x.grad.numpy(), rtol=1e-4, atol=1e-6)


def test_ctc_takes_a_single_sequence() -> None:
    log_probs = np.log(RNG.dirichlet(np.ones(4), 5)).astype(np.float32)
    target, lengths = ms.Tensor([1, 2], ms.int32), (ms.Tensor([5], ms.int32), ms.Tensor([2], ms.int32))
    single = nn.CTCLoss(reduction="none")(ms.Tensor(log_probs), target, *lengths)
    batch = nn.CTCLoss(reduction="none")(ms.Tensor(log_probs[:, None]), ms.Tensor([[1, 2]], ms.int32), *lengths)
    assert single.shape == () and single.item() == pytest.approx(batch.item())


def test_get_loss_weighs_and_reduces(mode: int) -> None:
    class Own(nn.LossBase):
        def construct(self, x: ms.Tensor, weights: ms.Tensor) -> ms.Tensor:
            return self.get_loss(x, weights)

    x, weights = ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1.0, 0.0, 2.0])
    assert Own("sum")(x, weights).item() == 7
    assert Own()(x, weights).item() == pytest.approx(7 / 3)
    assert Own("none")(x, weights).asnumpy().tolist() == [1, 0, 6]


def test_operators_of_the_base_serve_subclasses() -> None:
    base = nn.LossBase()
    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert base.reduce_mean(x, base.get_axis(x)).item() == 2.5
    assert base.reduce_sum(base.mul(x, x)).item() == 30
    assert base.cast(x, ms.float16).dtype == ms.float16


def test_labels_that_do_not_add_up_to_one_have_the_gradient_of_mindspore() -> None:
    logits, labels = RNG.standard_normal((2, 3)).astype(np.float32), np.array([[1, 1, 0], [0, 0, 0]], np.float32)
    got = ms.grad(nn.SoftmaxCrossEntropyWithLogits(reduction="sum"))(ms.Tensor(logits), ms.Tensor(labels)).asnumpy()
    probabilities = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    np.testing.assert_allclose(got, probabilities - labels, rtol=1e-5)


def test_sampled_softmax_draws_anew_and_avoids_the_labels() -> None:
    loss = nn.SampledSoftmaxLoss(3, 4)
    arguments = [ms.Tensor(RNG.standard_normal(s).astype(np.float32)) for s in ((4, 5), (4,))]
    labels, x = ms.Tensor([[1], [1]], ms.int32), ms.Tensor(np.ones((2, 5), np.float32))
    first = loss(*arguments, labels, x).asnumpy()
    # The classes drawn are all but class 1, whatever the draw: the loss is the full one up to the expected counts.
    np.testing.assert_allclose(loss(*arguments, labels, x).asnumpy(), first, rtol=1e-5)
    scores = arguments[0].asnumpy().sum(1) + arguments[1].asnumpy() - np.log(0.75)
    np.testing.assert_allclose(first, np.log(np.exp(scores).sum()) - scores[1], rtol=1e-5)


LOSSES = {
    "MSELoss": nn.MSELoss(), "RMSELoss": nn.RMSELoss(), "MAELoss": nn.MAELoss(), "l1_loss": nn.L1Loss(),
    "smooth_l1_loss": nn.SmoothL1Loss(), "huber_loss": nn.HuberLoss(), "mse_loss": mint.nn.MSELoss(),
    "PoissonNLLLoss": nn.PoissonNLLLoss(),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_shapes_that_differ_are_told_where_the_program_calls(name: str, mode: int) -> None:
    column, row = ms.Tensor(np.ones((4, 1), np.float32)), ms.Tensor(np.ones(4, np.float32))
    run = ms.jit(lambda x, y: LOSSES[name](x, y)) if mode == ms.GRAPH_MODE else LOSSES[name]
    text = rf"^{name}: the shapes \[4, 1\] and \[4\] differ, and are broadcast to \[4, 4\]; reshape one of the two"
    with pytest.warns(UserWarning, match=text) as caught:
        run(column, row)
    assert [w.filename for w in caught] == [__file__]
    run(column, column)


def test_shapes_that_differ_are_told_of_other_names() -> None:
    column, row = ms.Tensor(np.ones((4, 1), np.float32)), ms.Tensor(np.ones(4, np.float32))
    for loss in (mint.nn.L1Loss(), mint.nn.SmoothL1Loss(), mint.nn.functional.mse_loss, ops.huber_loss):
        with pytest.warns(UserWarning, match="differ, and are broadcast"):
            loss(column, row)
    with pytest.warns(UserWarning, match="gaussian_nll_loss: the shapes"):
        ops.gaussian_nll_loss(column, row, column)
    ops.mse_loss(column, 0.5)
    with pytest.warns(UserWarning, match="differ") as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            ops.mse_loss(column, row)
    assert len(caught) == 1
