"""Five steps of every optimizer under several settings, on a weight and on a parameter named like a norm's."""

from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, nn
from mindspore.experimental import optim

from .common import attempt, dtype_name, set_mode, to_numpy, write_json, write_npz

STEPS = 5
CASES = """
nn.SGD(params)
nn.SGD(params, 0.05)
nn.SGD(params, 0.1, momentum=0.9)
nn.SGD(params, 0.1, momentum=0.9, dampening=0.5)
nn.SGD(params, 0.1, momentum=0.9, nesterov=True)
nn.SGD(params, 0.1, weight_decay=0.1)
nn.SGD(params, 0.1, momentum=0.9, weight_decay=0.1, nesterov=True)
nn.SGD(params, 0.1, loss_scale=8.0)
nn.SGD(params, [0.1, 0.05, 0.02, 0.01, 0.005])
nn.SGD(params, Tensor([0.1, 0.05, 0.02, 0.01, 0.005], ms.float32))
nn.SGD(params, nn.ExponentialDecayLR(0.1, 0.5, 2))
nn.SGD([{'params': [w], 'weight_decay': 0.1}, {'params': [gamma], 'lr': 0.01}], 0.1, momentum=0.9)
nn.SGD([{'params': [gamma], 'weight_decay': 0.1}, {'params': [w]}], 0.1)
nn.SGD([{'params': [w], 'lr': 0.05}, {'params': [gamma]}, {'order_params': [gamma, w]}], 0.1)
nn.Momentum(params, 0.1, 0.9)
nn.Momentum(params, 0.1, 0.9, use_nesterov=True)
nn.Momentum(params, 0.1, 0.9, weight_decay=0.1)
nn.Momentum(params, 0.1, 0.9, loss_scale=4.0)
nn.Momentum(params, 0.1, 0.9, weight_decay=0.1, loss_scale=4.0)
nn.Momentum(params, [0.1, 0.05, 0.02, 0.01, 0.005], 0.9)
nn.Momentum(params, nn.CosineDecayLR(0.01, 0.1, 4), 0.9)
nn.Momentum([{'params': [w], 'lr': nn.CosineDecayLR(0.01, 0.1, 4), 'weight_decay': 0.01}, {'params': [gamma]}], 0.1, 0.9)
nn.Momentum([{'params': [w], 'lr': [0.1, 0.2, 0.3, 0.4, 0.5]}, {'params': [gamma], 'lr': 0.05}], 0.1, 0.9, 0.01)
nn.Adam(params)
nn.Adam(params, 0.1)
nn.Adam(params, 0.1, beta1=0.8, beta2=0.9, eps=1e-4)
nn.Adam(params, 0.1, use_nesterov=True)
nn.Adam(params, 0.1, use_amsgrad=True)
nn.Adam(params, 0.1, use_lazy=True)
nn.Adam(params, 0.1, use_offload=True)
nn.Adam(params, 0.1, weight_decay=0.1)
nn.Adam(params, 0.1, loss_scale=8.0)
nn.Adam(params, 0.1, use_nesterov=True, weight_decay=0.1, loss_scale=8.0)
nn.Adam(params, [0.1, 0.05, 0.02, 0.01, 0.005])
nn.Adam(params, nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5))
nn.Adam([{'params': [w], 'lr': 0.05, 'weight_decay': 0.01}, {'params': [gamma]}], 0.1)
nn.AdamWeightDecay(params)
nn.AdamWeightDecay(params, 0.1)
nn.AdamWeightDecay(params, 0.1, weight_decay=0.1)
nn.AdamWeightDecay(params, 0.1, 0.8, 0.9, 1e-4, 0.01)
nn.AdamWeightDecay(params, [0.1, 0.05, 0.02, 0.01, 0.005], weight_decay=0.1)
nn.AdamWeightDecay([{'params': [w], 'weight_decay': 0.1}, {'params': [gamma], 'weight_decay': 0.0}], 0.1)
nn.AdamOffload(params, 0.1)
nn.LazyAdam(params, 0.1)
nn.LazyAdam(params, 0.1, use_nesterov=True, weight_decay=0.1)
nn.AdaMax(params)
nn.AdaMax(params, 0.1, 0.8, 0.9, 1e-4)
nn.AdaMax(params, 0.1, weight_decay=0.1)
nn.RMSProp(params)
nn.RMSProp(params, 0.1, 0.9, 0.5, 1e-3)
nn.RMSProp(params, 0.1, centered=True)
nn.RMSProp(params, 0.1, momentum=0.9, centered=True, epsilon=1e-3)
nn.RMSProp(params, 0.1, momentum=0.9, weight_decay=0.1, loss_scale=4.0)
nn.Adagrad(params)
nn.Adagrad(params, 0.5, 0.1)
nn.Adagrad(params, accum=0.5, learning_rate=0.1, weight_decay=0.1)
nn.Adagrad(params, 0.1, update_slots=False)
nn.Adagrad(params, 0.1, loss_scale=4.0)
nn.Adadelta(params)
nn.Adadelta(params, 0.5, 0.8, 1e-4)
nn.Adadelta(params, weight_decay=0.1)
nn.ASGD(params)
nn.ASGD(params, 0.05, 0.01, 0.5, 2.0, 0.1)
nn.Rprop(params)
nn.Rprop(params, 0.05, (0.4, 1.3), (1e-3, 1.0), 0.1)
nn.Lamb(params, 0.1)
nn.Lamb(params, 0.1, 0.8, 0.9, 1e-4, 0.1)
nn.Lamb(params, nn.ExponentialDecayLR(0.1, 0.5, 2))
nn.LARS(nn.Momentum(params, 0.1, 0.9))
nn.LARS(nn.Momentum(params, 0.1, 0.9), epsilon=1e-8, coefficient=0.02, use_clip=True)
nn.LARS(nn.Momentum(params, 0.1, 0.9, weight_decay=0.1), lars_filter=lambda x: 'gamma' not in x.name)
nn.FTRL(params)
nn.FTRL(params, 0.2, 0.1, -0.5, 0.01, 0.02)
nn.FTRL(params, weight_decay=0.1, loss_scale=4.0)
nn.ProximalAdagrad(params)
nn.ProximalAdagrad(params, 0.2, 0.1, 0.01, 0.02)
nn.ProximalAdagrad(params, weight_decay=0.1, loss_scale=4.0)
nn.AdaFactor(params)
nn.AdaFactor(params, learning_rate=0.1, scale_parameter=False, relative_step=False, beta1=0.9)
nn.SGD(params, learning_rate=-0.1)
nn.Adam(params, beta1=1.0)
nn.Adam([])
nn.Adam(params, weight_decay=-1.0)
nn.Momentum(params, 0.1, -0.9)
nn.SGD(params, 0.1, nesterov=True)
optim.SGD(params, lr=0.1)
optim.SGD(params, lr=0.1, momentum=0.9, dampening=0.5, weight_decay=0.1)
optim.SGD(params, lr=0.1, momentum=0.9, nesterov=True)
optim.SGD(params, lr=0.1, momentum=0.9, maximize=True)
optim.SGD([{'params': [w], 'lr': 0.05}, {'params': [gamma], 'weight_decay': 0.1}], lr=0.1)
optim.Adam(params)
optim.Adam(params, lr=0.1, betas=(0.8, 0.9), eps=1e-4, weight_decay=0.1)
optim.Adam(params, lr=0.1, amsgrad=True)
optim.Adam(params, lr=0.1, maximize=True)
optim.AdamW(params)
optim.AdamW(params, lr=0.1, weight_decay=0.1, amsgrad=True)
optim.Adadelta(params)
optim.Adagrad(params, lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.1)
optim.ASGD(params, lr=0.1)
optim.Adamax(params, lr=0.1, weight_decay=0.1)
optim.RMSprop(params, lr=0.1)
optim.RMSprop(params, lr=0.1, momentum=0.9, centered=True, weight_decay=0.1)
optim.Rprop(params, lr=0.1)
optim.RAdam(params, lr=0.1)
optim.NAdam(params, lr=0.1, weight_decay=0.1)
mint.optim.SGD(params, lr=0.1, momentum=0.9)
mint.optim.Adam(params, lr=0.1)
mint.optim.AdamW(params, lr=0.1)
"""
LAYOUT = (
    "values/<case> has a row per step: fc.weight (3, 4), then bn.gamma (4,); state/<case> is the last state, in order"
)


def inputs() -> dict[str, np.ndarray]:
    """Return initial values and gradients."""
    random = np.random.RandomState(0)
    return {
        "fc.weight": random.randn(3, 4).astype(np.float32),
        "bn.gamma": random.randn(4).astype(np.float32),
        "grads/fc.weight": random.randn(STEPS, 3, 4).astype(np.float32),
        "grads/bn.gamma": random.randn(STEPS, 4).astype(np.float32),
    }


def names(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return what an optimizer's expression may use."""
    w = Parameter(Tensor(arrays["fc.weight"]), name="fc.weight")
    gamma = Parameter(Tensor(arrays["bn.gamma"]), name="bn.gamma")
    modules = {"nn": nn, "optim": optim, "mint": mint, "ms": ms, "Tensor": Tensor}
    return modules | {"w": w, "gamma": gamma, "params": [w, gamma]}


def run(text: str, arrays: dict[str, np.ndarray]) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Take five steps; return a description, the values after each step, and the last state."""
    scope = names(arrays)
    optimizer = eval(text, scope)
    order = [item.name for item in getattr(optimizer, "parameters", scope["params"])]
    rows = []
    for step in range(STEPS):
        grads = tuple(Tensor(arrays[f"grads/{name}"][step]) for name in order)
        optimizer(grads)
        rows.append(np.concatenate([to_numpy(scope["w"]).ravel(), to_numpy(scope["gamma"])]))
    state = [item for item in optimizer.get_parameters() if item.name not in ("fc.weight", "bn.gamma")]
    values = [to_numpy(item).astype(np.float64).ravel() for item in state]
    described = {
        "gradient_order": order,
        "parameters": [item.name for item in optimizer.get_parameters()],
        "state": [[item.name, dtype_name(item), list(item.shape), bool(item.requires_grad)] for item in state],
    }
    return described, np.stack(rows), np.concatenate(values) if values else np.zeros(0)


def record(out: Path) -> None:
    """Write ``optimizers.json`` and ``optimizers.npz``."""
    arrays = inputs()
    cases = {}
    stored = dict(arrays)
    for number, text in enumerate(line for line in CASES.splitlines() if line):
        set_mode("pynative")
        found, error = attempt(lambda: run(text, arrays))  # noqa: B023
        if error is not None:
            cases[text] = {"error": error}
            continue
        case, values, state = found
        stored[f"values/{number}"], stored[f"state/{number}"] = values, state
        cases[text] = case | {"case": number}
        if text.startswith("nn.") and "use_offload" not in text:
            cases[text] |= in_graph(text, arrays, values)
    data = {"layout": LAYOUT, "cases": cases}
    write_json(out / "optimizers.json", data)
    write_npz(out / "optimizers.npz", stored)


def in_graph(text: str, arrays: dict[str, np.ndarray], expected: np.ndarray) -> dict[str, Any]:
    """Return how far graph mode is from PyNative, where it differs by more than rounding."""
    set_mode("graph")
    found, error = attempt(lambda: run(text, arrays))
    if error is not None:
        return {"graph_error": error}
    distance = float(np.abs(found[1] - expected).max())
    return {"graph_differs_by": distance} if distance > 2e-6 else {}
