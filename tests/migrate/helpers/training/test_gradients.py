"""The attribute `grad` and steps along it, against torch."""

import numpy as np
import pytest
import torch

import sporax as ms
from sporax import nn
from sporax._src.migrate.helpers.training.gradients import _accumulate, _step, _zero_grad
from sporax._src.migrate.helpers.training.optimizers import _LBFGS

VALUES, GRADIENTS = [1.0, -2.0, 3.0], ([0.5, 0.25, -1.0], [-1.0, 2.0, 0.5])


def ours():
    return ms.Parameter(ms.Tensor(VALUES), name="w")


def theirs():
    return torch.nn.Parameter(torch.tensor(VALUES))


def assert_same(parameter, expected):
    np.testing.assert_allclose(parameter.asnumpy(), expected.detach().numpy(), rtol=1e-6)


def test_gradients_add_up_until_they_are_taken_away():
    w, v = ours(), theirs()
    optimizer, expected = nn.SGD([w], 0.1), torch.optim.SGD([v], 0.1)
    for gradient in GRADIENTS:
        _accumulate([w], [ms.Tensor(gradient)])
        (v * torch.tensor(gradient)).sum().backward()
    assert_same(w.grad, v.grad)
    _step(optimizer)
    expected.step()
    assert_same(w, v)
    _zero_grad(optimizer)
    expected.zero_grad()
    assert w.grad is None and v.grad is None


def test_as_many_gradients_as_parameters_are_taken():
    with pytest.raises(ValueError, match="zip"):
        _accumulate([ours()], [])


def test_a_parameter_without_a_gradient_stays():
    w, other, v, rest = (
        ours(),
        ms.Parameter(ms.Tensor([4.0]), name="other"),
        theirs(),
        torch.nn.Parameter(torch.ones(1) * 4),
    )
    _accumulate([w], [ms.Tensor(GRADIENTS[0])])
    (v * torch.tensor(GRADIENTS[0])).sum().backward()
    _step(nn.SGD([w, other], 0.1))
    torch.optim.SGD([v, rest], 0.1).step()
    assert_same(w, v)
    assert_same(other, rest)


def test_a_closure_is_called_before_the_step_and_its_loss_returned():
    w, v = ours(), theirs()

    def closure():
        _accumulate([w], [2 * w])
        return (w * w).sum()

    def expected():
        loss = (v * v).sum()
        loss.backward()
        return loss

    assert_same(_step(nn.SGD([w], 0.1), closure), torch.optim.SGD([v], 0.1).step(expected))
    assert_same(w, v)


def test_an_optimizer_that_has_a_step_takes_it():
    w, v = ours(), theirs()
    optimizer, expected = _LBFGS([w], lr=0.5, max_iter=3), torch.optim.LBFGS([v], lr=0.5, max_iter=3)

    def closure():
        _zero_grad(optimizer)
        _accumulate([w], [2 * w])
        return (w * w).sum()

    def loss():
        expected.zero_grad()
        loss = (v * v).sum()
        loss.backward()
        return loss

    assert_same(_step(optimizer, closure), expected.step(loss))
    assert_same(w, v)
