"""The base of optimizers: groups, gradients, learning rates, steps that a program defines."""

import numpy as np
import pytest
from optimizer_tables.steps import DATA, build

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._src.transform import capture


def test_groups_with_a_parameter_twice() -> None:
    """One Parameter in two groups, and two Parameters of one name, are the errors that MindSpore makes of them."""
    first, second = nn.Dense(2, 2), nn.Dense(2, 2)
    for other, kind, match in ((first, RuntimeError, "is in the groups twice"), (second, ValueError, "have the name")):
        with pytest.raises(kind, match=f"For 'SGD', .*'weight'.* {match}|For 'SGD', .* {match} 'weight'"):
            nn.SGD([{"params": net.trainable_params()} for net in (first, other)], 0.1)


def test_gradient_of_another_shape_names_the_parameter() -> None:
    """The error names the Parameter, its shape and what came; nothing is updated."""
    made = build("nn.SGD(params, 0.1)")
    with pytest.raises(
        ValueError, match=r"the gradient of 'fc.weight' must be a Tensor of shape \[3, 4\], got float32\[4\]"
    ):
        made.opt((Tensor(np.ones(4, np.float32)), Tensor(np.ones(4, np.float32))))
    np.testing.assert_array_equal(made.w.asnumpy(), DATA["fc.weight"])
    with pytest.raises(ValueError, match="expected a tuple of 2 gradients"):
        made.opt((Tensor(np.ones((3, 4), np.float32)),))


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), -1.0, True, "fast"])
def test_learning_rate_must_be_a_finite_number(rate: object) -> None:
    """NaN, infinite, negative and non-numeric rates are refused."""
    with pytest.raises((ValueError, TypeError), match=r"learning.rate"):
        ms.nn.SGD([Parameter(Tensor([1.0]), name="w")], rate)


def test_learning_rate_can_be_assigned() -> None:
    """A static rate is a Parameter: the next step uses what was assigned, without compiling again."""
    made = build("nn.SGD(params, 0.1)")
    grads = (Tensor(np.ones((3, 4), np.float32)), Tensor(np.ones(4, np.float32)))
    made.opt(grads)
    before, count = made.w.asnumpy(), capture.compilations
    made.opt.learning_rate.set_data(Tensor(0.01, ms.float32))
    made.opt(grads)
    np.testing.assert_allclose(before - made.w.asnumpy(), 0.01, rtol=1e-4)
    assert capture.compilations == count


def test_a_users_own_step_is_left_alone() -> None:
    """A subclass with a `construct` of its own runs as written, with the helpers of the base."""

    class Sign(ms.nn.Optimizer):
        def construct(self, gradients: tuple[Tensor, ...]) -> bool:
            rate = self.get_lr()
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            for param, grad in zip(self.parameters, self.scale_grad(self.decay_weight(gradients)), strict=True):
                param.set_data(param - rate * grad.sign())
            return True

    w = Parameter(Tensor([1.0, -1.0]), name="w")
    opt = Sign(0.5, [w], loss_scale=2.0)
    before = capture.compilations
    opt((Tensor([3.0, -0.1]),))
    np.testing.assert_allclose(w.asnumpy(), [0.5, -0.5])
    assert capture.compilations == before and opt.global_step.asnumpy().tolist() == [1]


def test_a_users_own_step_with_the_maps_of_the_base() -> None:
    class Scaled(ms.nn.Optimizer):
        def construct(self, gradients: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            steps = self.hyper_map(lambda g: g * 2, gradients), self.hyper_map_reverse(lambda g: g * 3, gradients)
            self.map_reverse(lambda p, g: p.set_data(p - g), self.parameters, steps[0])
            return self.map_(lambda p, g: p - g, self.parameters, steps[1])

    w, v = Parameter(Tensor([1.0]), name="w"), Parameter(Tensor([2.0]), name="v")
    got = Scaled(0.5, [w, v])((Tensor([3.0]), Tensor([4.0])))
    assert [w.asnumpy(), v.asnumpy()] == [-5.0, -6.0]
    assert [t.asnumpy() for t in got] == [-14.0, -18.0]


@pytest.mark.parametrize("optimizer", ["AdamWeightDecay", "Lamb", "Momentum"])
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_weight_decay_that_varies_is_that_of_the_step(optimizer, mode):
    """The first step gets the decay of step 0: as many values as steps are enough."""

    class Decay(nn.Cell):
        def __init__(self):
            super().__init__()
            self.values = Tensor([0.1, 0.0], ms.float32)

        def construct(self, global_step):
            return self.values[global_step]

    ms.set_context(mode=mode)
    kind = getattr(nn, optimizer)
    settings = {"momentum": 0.0} if optimizer == "Momentum" else {}

    def stepped(weight_decay, steps):
        weight = ms.Parameter(Tensor([1.0, 2.0]), name="w")
        step = kind([weight], learning_rate=0.1, weight_decay=weight_decay, **settings)
        for _ in range(steps):
            step((Tensor([0.3, 0.1]),))
        return weight.asnumpy()

    np.testing.assert_array_equal(stepped(Decay(), 1), stepped(0.1, 1))
    assert (stepped(Decay(), 1) != stepped(0.0, 1)).any()
    assert np.isfinite(stepped(Decay(), 2)).all()


def test_target_and_unique() -> None:
    """`target` can be set where a subclass says so; `unique` is a bool."""

    class Own(nn.Optimizer):
        @nn.Optimizer.target.setter
        def target(self, value: str) -> None:
            self._set_base_target(value)

    w = Parameter(Tensor([1.0]), name="w")
    optimizer = Own(0.1, [w])
    assert optimizer.target == ms.get_context("device_target")
    optimizer.target = "CPU"
    assert optimizer.target == "CPU"
    with pytest.raises(TypeError, match="the property 'target' must be a string, got 1"):
        optimizer.target = 1
    with pytest.raises(ValueError, match="the property 'target' must be CPU, Ascend or GPU, got 'TPU'"):
        optimizer.target = "TPU"
    if ms.get_context("device_target") != "GPU":
        with pytest.raises(ValueError, match="the property 'target' cannot be GPU in the CPU environment"):
            optimizer.target = "GPU"
    with pytest.raises(NotImplementedError, match="Momentum: the property 'target' cannot be set, got 'CPU'"):
        nn.Momentum([w], 0.1, 0.9).target = "CPU"
    nn.LazyAdam([w], 0.1).target = "CPU"
    optimizer.unique = False
    assert not optimizer.unique and nn.SGD([w]).unique
    with pytest.raises(TypeError, match="the property 'unique' must be a bool, got 1"):
        optimizer.unique = 1


def test_lists_of_rates_have_one_length() -> None:
    w, v = Parameter(Tensor([1.0]), name="w"), Parameter(Tensor([1.0]), name="v")
    with pytest.raises(ValueError, match=r"lists of learning rates must have one length, got lengths \[2, 3\]"):
        nn.SGD([{"params": [w], "lr": [0.1, 0.2]}, {"params": [v], "lr": [0.1, 0.2, 0.3]}])
    with pytest.raises(ValueError, match=r"lists of learning rates must have one length, got lengths \[1, 2\]"):
        nn.SGD([{"params": [w], "lr": [0.1, 0.2]}, {"params": [v]}], [0.1])


def test_rates_of_groups() -> None:
    """Rates of groups that change are Cells; each Parameter has its own, or the Parameter behind it."""
    w, v = Parameter(Tensor([1.0]), name="w"), Parameter(Tensor([1.0]), name="v")
    schedule = nn.ExponentialDecayLR(0.1, 0.5, 2)
    optimizer = nn.SGD([{"params": [w], "lr": schedule}, {"params": [v]}], 0.3)
    assert isinstance(optimizer.learning_rate, nn.CellList) and optimizer.get_lr_parameter(w) is schedule
    assert [p.item() for p in optimizer.get_lr_parameter([v])] == pytest.approx([0.3])
    fixed = nn.SGD([{"params": [w, v], "lr": 0.2}], 0.3)
    assert isinstance(fixed.get_lr(), ms.ParameterTuple) and len(fixed.get_lr()) == 2
