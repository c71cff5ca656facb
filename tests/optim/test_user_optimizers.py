"""Optimizers that programs define by MindSpore's template step as in MindSpore, in both modes; reading a rate counts nothing."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax.nn.optim.optimizer import opt_init_args_register

GOLDEN = json.loads((Path(__file__).parent.parent / "goldens" / "user_optimizers.json").read_text())
CASES = {text: case for text, case in GOLDEN["cases"].items() if "error" not in case}
INPUTS = {name: np.asarray(value, np.float32) for name, value in GOLDEN["inputs"].items()}

# Steps of MindSpore's own constructor, and of what it does in several processes.
LEFT_OUT = {
    "_check_group_params", "_func_graph_flags", "_get_flattened_params",
    "_get_parameter_group_id", "_order_and_adjust_group_params", "_parse_group_params", "_use_parallel_optimizer",
    "skip_auto_parallel_compile",
}  # fmt: skip


@pytest.fixture
def module(request: pytest.FixtureRequest, tmp_path: Path):
    """Return the module of the source that a case names, read from a file as programs are."""
    name = request.node.callspec.params["text"].split(" ", 1)[1].split(":")[0]
    path = tmp_path / f"own_{name}.py"
    path.write_text(GOLDEN["sources"][name], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    names = {"ms": ms, "nn": nn, "ops": ops, "np": np, "Tensor": Tensor, "Parameter": Parameter}
    vars(made).update(names, opt_init_args_register=opt_init_args_register)
    spec.loader.exec_module(made)
    yield made
    del sys.modules[path.stem]


@pytest.mark.parametrize("text", CASES)
def test_own_optimizers(text: str, module: ModuleType) -> None:
    """The global step, the rates (read twice) and the weights of each step, and the names of the state at the end."""
    mode, call = text.split(" ", 1)
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    w, gamma = (Parameter(Tensor(INPUTS[name]), name=name) for name in ("fc.weight", "bn.gamma"))
    optimizer = eval(
        call.split(": ", 1)[1], {"Own": module.Own, "nn": nn, "w": w, "gamma": gamma, "params": [w, gamma]}
    )
    for step, (count, rates, *weights) in enumerate(CASES[text]["steps"]):
        optimizer.get_lr()
        found = optimizer.get_lr()
        assert optimizer.global_step.asnumpy().tolist() == [count]
        found = [rate.asnumpy() for rate in (found if isinstance(found, tuple) else (found,))]
        np.testing.assert_allclose(found, rates, rtol=1e-6)
        optimizer(tuple(Tensor(INPUTS[f"grads/{p.name}"][step]) for p in optimizer.parameters))
        for p, want in zip((w, gamma), weights, strict=True):
            np.testing.assert_allclose(p.asnumpy().ravel(), want, rtol=1e-5, atol=2e-6)
    assert [p.name for p in optimizer.get_parameters()] == CASES[text]["state"]


def test_all_cases_are_there() -> None:
    assert sorted(CASES) == sorted(GOLDEN["cases"])


def test_names_of_the_base() -> None:
    """What a program may use of the base is here under MindSpore's names."""
    optimizer = nn.Optimizer(0.1, [Parameter(Tensor([1.0]), name="w")])
    assert {name for name in GOLDEN["names"] if not hasattr(optimizer, name)} == LEFT_OUT


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


def test_reading_the_rate_counts_nothing(mode: int) -> None:
    """A program that logs the rate of each step has the schedule that it asked for."""
    w = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.Momentum([w], [0.5, 0.25, 0.125], 0.0)
    seen = []
    for _ in range(3):
        seen.append([float(optimizer.get_lr()), float(optimizer.get_lr())])
        optimizer((Tensor([1.0]),))
    assert seen == [[0.5, 0.5], [0.25, 0.25], [0.125, 0.125]]
    assert w.asnumpy() == [0.125] and optimizer.global_step.asnumpy().tolist() == [3]
    rate = nn.Momentum([w], 0.1, 0.0)
    assert rate.get_lr() is rate.learning_rate


@pytest.mark.of_cpus("other devices do not look at indices")
def test_a_list_of_rates_that_ends(mode: int) -> None:
    w = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.Momentum([w], [0.5, 0.25], 0.0)
    for _ in range(2):
        optimizer((Tensor([1.0]),))
    text = r"For 'Optimizer', the step in a list of learning rates should be in the range \[-2, 2\), but got 2"
    with pytest.raises(RuntimeError, match=text):
        optimizer.get_lr()
    with pytest.raises(RuntimeError, match=text):
        optimizer((Tensor([1.0]),))


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


def test_weight_decay_of_sgd_is_not_scaled(mode: int) -> None:
    """Under a loss scale the decay is the one that was asked for (recorded: 0.89 and 1.88)."""
    w = Parameter(Tensor([1.0, 2.0]), name="w")
    nn.SGD([w], 0.1, weight_decay=0.1, loss_scale=8.0)((Tensor([8.0, 8.0]),))
    np.testing.assert_allclose(w.asnumpy(), [0.89, 1.88], rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "shape", "centred"),
    [
        ("nn.Momentum(group, 1.0, 0.0)", (2, 3), False),  # recorded: as it is
        ("nn.Momentum(group, 1.0, 0.0)", (16,), False),  # recorded: as it is
        ("nn.Momentum(group, 1.0, 0.0)", (2, 16), True),  # from here on MindSpore's CPU has no kernel
        ("nn.Momentum(group, 1.0, 0.0)", (2, 32, 3), True),
        ("nn.SGD(group, 1.0)", (2, 16), True),
        ("nn.Adam(group, 1.0)", (2, 16), True),
        ("nn.Adam(group, 1.0, use_offload=True)", (2, 16), False),
        ("nn.AdamWeightDecay(group, 1.0)", (2, 16), False),  # recorded: as it is
        ("nn.AdamOffload(group, 1.0)", (2, 16), False),  # recorded: as it is
    ],
)
def test_where_gradients_are_centralized(call: str, shape: tuple[int, ...], centred: bool) -> None:
    """Where the second axis is a multiple of 16, unless the optimizer leaves it out: steps then have both signs."""
    w = Parameter(Tensor(np.zeros(shape, np.float32)), name="w")
    group = [{"params": [w], "grad_centralization": True}]
    gradient = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
    eval(call, {"nn": nn, "group": group})((Tensor(gradient),))
    assert (w.asnumpy() > 0).any() == centred
    with pytest.raises(TypeError, match="grad_centralization must be a bool, got 1"):
        nn.SGD([{"params": [w], "grad_centralization": 1}])


@pytest.mark.parametrize(
    ("call", "states"),
    [
        ("nn.AdamWeightDecay([w])", {"moments1": "adam_m.w", "moments2": "adam_v.w"}),
        ("nn.RMSProp([w])", {"ms": "mean_square.w", "moment": "moment.w"}),
        ("nn.RMSProp([w], centered=True)", {"ms": "mean_square.w", "mg": "mean_grad.w", "moment": "moment.w"}),
    ],
)
def test_states_have_the_attributes_that_they_have_in_mindspore(call: str, states: dict[str, str]) -> None:
    """Some are called otherwise than their Parameters, which are in the optimizer once."""
    optimizer = eval(call, {"nn": nn, "w": Parameter(Tensor([1.0, 2.0]), name="w")})
    assert {name: getattr(optimizer, name)[0].name for name in states} == states
    names = [param.name for param in optimizer.get_parameters()]
    assert sorted(names) == sorted(["global_step", "learning_rate", "w", *states.values()])
