"""None"""

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

GOLDEN = json.loads((Path(__file__).parents[2] / "goldens" / "user_optimizers.json").read_text())
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
