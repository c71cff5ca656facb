"""Optimizers that programs define by the template of the base: weights, global step and rates step by step, in both modes."""

import importlib.util
import sys
import tempfile
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.nn.optim.optimizer import opt_init_args_register

from .common import attempt, set_mode, to_numpy, write_json

STEPS = 4

# Each source defines `Own`; what is built from it stands below. Written to a file, which graph mode reads.
SOURCES = {
    "momentum": """
class Own(nn.Optimizer):
    def __init__(self, params, learning_rate, momentum=0.9, **settings):
        super().__init__(learning_rate, params, **settings)
        self.moments = self.parameters.clone(prefix="moments", init="zeros")
        self.momentum = momentum
        self.opt = ops.ApplyMomentum()

    def construct(self, gradients):
        lr = self.get_lr()
        gradients = self.flatten_gradients(gradients)
        gradients = self.decay_weight(gradients)
        gradients = self.gradients_centralization(gradients)
        gradients = self.scale_grad(gradients)
        success = None
        for param, moment, grad in zip(self.parameters, self.moments, gradients):
            success = self.opt(param, moment, lr, grad, self.momentum)
        return success
""",
    "mapped": """
_step = ops.MultitypeFuncGraph("step")


@_step.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Bool", "Bool")
def _update(beta, lr, param, moment, gradient, decay, update):
    if not update:
        return gradient
    average = beta * moment + (1.0 - beta) * gradient
    new = param - lr * average
    if decay:
        new = new - lr * 0.1 * param
    new = ops.depend(new, ops.assign(moment, average))
    return ops.depend(new, ops.assign(param, new))


class Own(nn.Optimizer):
    @opt_init_args_register
    def __init__(self, params, learning_rate=0.1, beta=0.9, weight_decay=0.0, loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta = Tensor(np.array(beta, np.float32))
        self.moments = self._parameters.clone(prefix="own_m", init="zeros")
        self.hyper_map = ops.HyperMap()

    @ms.jit
    def construct(self, gradients):
        gradients = self.flatten_gradients(gradients)
        gradients = self.scale_grad(gradients)
        gradients = self._grad_sparse_indices_deduplicate(gradients)
        lr = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        if self.is_group and self.is_group_lr:
            result = self.hyper_map(ops.partial(_step, self.beta), lr, self._parameters, self.moments, gradients,
                                    self.decay_flags, self.optim_filter)
        else:
            result = self.map_(ops.partial(_step, self.beta, lr), self._parameters, self.moments, gradients,
                               self.decay_flags, self.optim_filter)
        if self.use_parallel:
            self.broadcast_params(result)
        return result

    @nn.Optimizer.target.setter
    def target(self, value):
        self._set_base_target(value)
""",
    "counting": """
class Own(nn.Optimizer):
    def __init__(self, params, learning_rate=0.1, **settings):
        super().__init__(learning_rate, params, **settings)
        self.power = Parameter(Tensor(np.ones(1, np.float32)), name="power")
        self.beta = Tensor(np.array([0.5], np.float32))

    def construct(self, gradients):
        decay = self.get_weight_decay()
        gradients = self.decay_weight(gradients)
        gradients = self.scale_grad(gradients)
        lr = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        power = self.power * self.beta
        self.power = power
        for i in range(len(self.parameters)):
            ops.assign_sub(self.parameters[i], lr * gradients[i] / (1.0 - power))
        return decay
""",
    "derived": """
class Own(nn.Momentum):
    def __init__(self, params, learning_rate=0.1, **settings):
        super().__init__(params, learning_rate, 0.9, **settings)

    def construct(self, gradients):
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        return super().construct(gradients)
""",
}
CALLS = """
momentum: Own(params, 0.1)
momentum: Own(params, [0.1, 0.2, 0.3, 0.4])
momentum: Own(params, nn.ExponentialDecayLR(0.1, 0.5, 1))
momentum: Own(params, 0.1, weight_decay=0.1, loss_scale=4.0)
momentum: Own([{'params': [w], 'weight_decay': 0.1}, {'params': [gamma]}], 0.1)
mapped: Own(params)
mapped: Own(params, nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5), loss_scale=2.0)
mapped: Own(params, [0.1, 0.2, 0.3, 0.4])
mapped: Own([{'params': [w], 'lr': 0.2}, {'params': [gamma]}], 0.1)
mapped: Own([{'params': [w], 'lr': [0.1, 0.2, 0.3, 0.4]}, {'params': [gamma], 'weight_decay': 0.1}], 0.1)
counting: Own(params)
counting: Own(params, nn.InverseDecayLR(0.1, 0.5, 1))
counting: Own(params, nn.InverseDecayLR(0.1, 0.5, 1), weight_decay=0.1, loss_scale=4.0)
counting: Own(params, 0.1, weight_decay=nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5))
derived: Own(params)
derived: Own(params, nn.InverseDecayLR(0.1, 0.5, 1), weight_decay=0.1)
"""
LAYOUT = "steps: global step and rates before each step, then fc.weight and bn.gamma after it; state: names at the end"


def inputs() -> dict[str, np.ndarray]:
    """Return initial values and gradients, short enough to be read."""
    random = np.random.RandomState(0)
    shapes = {"fc.weight": (2, 2), "bn.gamma": (2,)}
    values = {name: random.randn(*shape) for name, shape in shapes.items()}
    values |= {f"grads/{name}": random.randn(STEPS, *shape) for name, shape in shapes.items()}
    return {name: value.astype(np.float32).round(3) for name, value in values.items()}


def own(name: str, folder: str) -> type:
    """Return the class that a source defines, of a module that graph mode can import."""
    path = Path(folder) / f"own_{name}.py"
    path.write_text(SOURCES[name], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    names = {"ms": ms, "nn": nn, "ops": ops, "np": np, "Tensor": Tensor, "Parameter": Parameter}
    vars(module).update(names, opt_init_args_register=opt_init_args_register)
    spec.loader.exec_module(module)
    return module.Own


def rates(optimizer: nn.Optimizer) -> list[float]:
    """Return the learning rate, or those of the groups, and read them twice."""
    optimizer.get_lr()
    found = optimizer.get_lr()
    return [float(rate.asnumpy()) for rate in (found if isinstance(found, tuple) else (found,))]


def run(call: str) -> dict[str, Any]:
    """Take the steps; return what is known of each."""
    source, text = call.split(": ", 1)
    arrays = inputs()
    w, gamma = (Parameter(Tensor(arrays[name]), name=name) for name in ("fc.weight", "bn.gamma"))
    with tempfile.TemporaryDirectory() as folder:
        scope = {"Own": own(source, folder), "nn": nn, "w": w, "gamma": gamma, "params": [w, gamma]}
        optimizer = eval(text, scope)
        steps = []
        for step in range(STEPS):
            before = [int(optimizer.global_step.asnumpy()[0]), rates(optimizer)]
            optimizer(tuple(Tensor(arrays[f"grads/{item.name}"][step]) for item in optimizer.parameters))
            steps.append(before + [to_numpy(item).ravel().astype(float).round(7).tolist() for item in (w, gamma)])
    return {"steps": steps, "state": [item.name for item in optimizer.get_parameters()]}


def record(out: Path) -> None:
    """Write ``user_optimizers.json``."""
    cases = {}
    for call in CALLS.strip().splitlines():
        for mode in ("pynative", "graph"):
            set_mode(mode)
            found, error = attempt(lambda: run(call))  # noqa: B023
            cases[f"{mode} {call}"] = {"error": error} if error else found
    made = nn.Optimizer(0.1, [Parameter(Tensor([1.0]), name="w")])
    plain = nn.Cell()
    own_names = (set(dir(nn.Optimizer)) | set(dir(made)) | set(made.__dict__)) - set(dir(plain)) - set(plain.__dict__)
    data = {"layout": LAYOUT, "sources": SOURCES, "cases": cases, "names": sorted(own_names)}
    write_json(out / "user_optimizers.json", data | {"inputs": {k: v.tolist() for k, v in inputs().items()}})
