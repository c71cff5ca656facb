"""Distributions of a location and a scale: the rows of the tables, Parameters, gradients, draws."""

import numpy as np
from probability_tables import distributions_of

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax.nn.probability import distribution as msd

TestRows = distributions_of("sporax._src.nn.probability.location_scale")


def test_draws_differ_and_repeat_after_set_seed(mode: int) -> None:
    dist = msd.Normal(0.0, 1.0, seed=3)
    first, second = dist.sample((3,)).asnumpy(), dist.sample((3,)).asnumpy()
    assert not np.array_equal(first, second)
    ms.set_seed(0)
    np.testing.assert_array_equal(dist.sample((3,)).asnumpy(), first)


def test_parameters_are_trained(mode: int) -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.mean = Parameter(Tensor([0.5, 1.5]), name="mean")
            self.dist = msd.Normal(self.mean, Tensor([1.0, 2.0]))

        def construct(self, x: Tensor) -> Tensor:
            return -self.dist.log_prob(x).sum()

    net = Net()
    assert [p.name for p in net.trainable_params()] == ["dist._mean_value"]
    (gradient,) = ms.value_and_grad(net, None, net.trainable_params())(Tensor([1.0, 1.0]))[1]
    np.testing.assert_allclose(gradient.asnumpy(), [-0.5, 0.125], rtol=1e-6)


def test_gradient_through_samples() -> None:
    def loss(mean: Tensor, sd: Tensor) -> Tensor:
        ms.set_seed(1)
        return msd.Normal().sample((1000,), mean, sd).mean()

    by_mean, by_sd = ms.grad(loss, (0, 1))(Tensor(1.0), Tensor(2.0))
    ms.set_seed(1)
    np.testing.assert_allclose(by_mean.asnumpy(), 1.0, rtol=1e-5)
    np.testing.assert_allclose(by_sd.asnumpy(), msd.Normal(0.0, 1.0).sample((1000,)).mean().asnumpy(), rtol=1e-4)
