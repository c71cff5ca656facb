"""Optimizers by torch's formulas, where MindSpore has others or none."""

import itertools
import math

import numpy as np

import sporax as mindspore
from sporax import mint, ops
from sporax._src.migrate.helpers.tensors.creation import _view_as_complex

_HOW = ("foreach", "fused", "capturable", "differentiable")  # choose how torch computes a step, not what it computes


def _optimizer_options(options):
    """Return arguments of an optimizer without those that only choose how torch computes the step."""
    return {name: value for name, value in options.items() if name not in _HOW}


def _distinct(params):
    """Return an optimizer's Parameters or groups, with distinct names, which MindSpore requires."""
    params = list(params)
    is_grouped = bool(params) and isinstance(params[0], dict)
    groups, used = [], set()
    for group in params if is_grouped else [{"params": params}]:
        inner = group["params"]
        inner = [inner] if isinstance(inner, mindspore.Tensor) else list(inner)
        inner = [p[1] if isinstance(p, tuple) else p for p in inner]  # Parameters may come with their names
        for parameter in inner:
            if not isinstance(parameter, mindspore.Parameter):
                raise TypeError(
                    "an optimizer changes Parameters: write mindspore.Parameter(x) where the Tensor is made"
                )
            names = itertools.chain([parameter.name], (f"{parameter.name}_{i}" for i in itertools.count(2)))
            parameter.name = next(name for name in names if name not in used)
            used.add(parameter.name)
        groups.append({**group, "params": inner})
    return groups if is_grouped else groups[0]["params"]


class _StateByParameter(dict):
    """The state of an optimizer for each Parameter; it is empty at first."""

    def __missing__(self, parameter):
        self[parameter] = {}
        return self[parameter]


class _Optimizer:
    """The base of a program's own optimizers, whose `step` reads the attribute `grad` of Parameters."""

    def __init__(self, params, defaults):
        self.defaults = defaults
        self.state = _StateByParameter()
        self.param_groups = []
        params = list(params)
        if not params:
            raise ValueError("optimizer got an empty parameter list")
        for group in params if isinstance(params[0], dict) else [{"params": params}]:
            self.add_param_group(group)

    @property
    def parameters(self):
        return tuple(p for group in self.param_groups for p in group["params"])

    def __call__(self, gradients):
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = gradient
        return self.step()

    def add_param_group(self, param_group):
        params = param_group["params"]
        params = [params] if isinstance(params, mindspore.Tensor) else list(params)
        self.param_groups.append({**param_group, "params": params, **self._missing_options(param_group)})

    def _missing_options(self, group):
        return {name: value for name, value in self.defaults.items() if name not in group}

    def zero_grad(self, set_to_none=True):
        for parameter in self.parameters:
            parameter.grad = None

    def step(self, closure=None):
        raise NotImplementedError

    def state_dict(self):
        index = {id(p): i for i, p in enumerate(self.parameters)}
        state = {index[id(p)]: entry for p, entry in self.state.items()}
        groups = [
            {**{k: v for k, v in group.items() if k != "params"}, "params": [index[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        parameters = self.parameters
        self.state.update({parameters[i]: entry for i, entry in state_dict["state"].items()})
        for group, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            group.update({name: value for name, value in saved.items() if name != "params"})


class _RuleOptimizer(mindspore.experimental.optim.Optimizer):
    """An optimizer whose subclass defines the step of one Parameter."""

    def __init__(self, params, **defaults):
        super().__init__(params, defaults)

    def step(self, closure=None):
        """Take a step along the gradients that the Parameters have."""
        loss = closure() if closure is not None else None
        self.construct([getattr(parameter, "grad", None) for parameter in self.parameters])
        return loss

    def zero_grad(self, set_to_none=True):
        for parameter in self.parameters:
            parameter.grad = None

    def construct(self, gradients):
        groups = [group for group in self.param_groups for _ in group["params"]]
        for parameter, gradient, group in zip(self.parameters, gradients, groups, strict=True):
            if gradient is None:
                continue
            state = self.state[parameter]
            state["step"] = state.get("step", 0) + 1
            w, g = ops.stop_gradient(parameter * 1), -gradient if group.get("maximize") else gradient
            if w.is_complex():  # the real and the imaginary part are updated as two numbers
                value = _view_as_complex(self._updated(ops.view_as_real(w), ops.view_as_real(g), group, state))
            else:
                value = self._updated(w, g, group, state)
            ops.assign(parameter, value.astype(parameter.dtype))
        return True

    def state_dict(self, *args, **kwargs):
        index = {id(parameter): at for at, parameter in enumerate(self.parameters)}
        groups = []
        for group in self.param_groups:
            settings = {name: value for name, value in group.items() if name != "params"}
            positions = [index[id(parameter)] for parameter in group["params"]]
            groups.append({**settings, "lr": float(group["lr"]), "params": positions})
        state = {index[id(parameter)]: dict(entry) for parameter, entry in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict, strict=True):
        self.state.clear()
        self.state.update({self.parameters[at]: dict(entry) for at, entry in state_dict["state"].items()})
        for group, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            ops.assign(group["lr"], mindspore.Tensor(saved["lr"], mindspore.float32))
            group.update({name: value for name, value in saved.items() if name not in ("lr", "initial_lr", "params")})


class _SGD(_RuleOptimizer):
    """Gradient descent with momentum."""

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False):
        super().__init__(
            params,
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            weight_decay=float(weight_decay),
            nesterov=nesterov,
            maximize=maximize,
        )

    def _updated(self, w, g, group, state):
        g = g + group["weight_decay"] * w if group["weight_decay"] else g
        if group["momentum"]:
            before = state.get("momentum_buffer")
            average = g if before is None else group["momentum"] * before + (1 - group["dampening"]) * g
            state["momentum_buffer"] = average
            g = g + group["momentum"] * average if group["nesterov"] else average
        return w - group["lr"] * g


class _RMSprop(_RuleOptimizer):
    """Gradients over the root of the average of their squares."""

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, maximize=False
    ):
        super().__init__(
            params,
            lr=lr,
            alpha=alpha,
            eps=eps,
            weight_decay=float(weight_decay),
            momentum=momentum,
            centered=centered,
            maximize=maximize,
        )

    def _average(self, state, name, value, alpha):
        state[name] = alpha * state.get(name, mint.zeros_like(value)) + (1 - alpha) * value
        return state[name]

    def _updated(self, w, g, group, state):
        g = g + group["weight_decay"] * w if group["weight_decay"] else g
        variance = self._average(state, "square_avg", g * g, group["alpha"])
        if group["centered"]:
            mean = self._average(state, "grad_avg", g, group["alpha"])
            variance = variance - mean * mean
        step = g / (mint.sqrt(variance) + group["eps"])
        if group["momentum"]:
            step = state["momentum_buffer"] = group["momentum"] * state.get("momentum_buffer", 0.0) + step
        return w - group["lr"] * step


class _Adagrad(_RuleOptimizer):
    """Gradients over the root of the sum of their squares."""

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, maximize=False
    ):
        super().__init__(
            params,
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=float(weight_decay),
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
            maximize=maximize,
        )

    def _updated(self, w, g, group, state):
        g = g + group["weight_decay"] * w if group["weight_decay"] else g
        first = mint.full_like(w, group["initial_accumulator_value"])
        state["sum"] = state.get("sum", first) + g * g
        rate = group["lr"] / (1 + (state["step"] - 1) * group["lr_decay"])
        return w - rate * g / (mint.sqrt(state["sum"]) + group["eps"])


class _MomentRule(_RuleOptimizer):
    """The base of the variants of Adam."""

    def _decayed(self, w, g, group):
        """Return the weight and the gradient after weight decay."""
        if not group["weight_decay"]:
            return w, g
        if group.get("decoupled_weight_decay"):
            return w * (1 - group["lr"] * group["weight_decay"]), g
        return w, g + group["weight_decay"] * w

    def _moments(self, g, group, state):
        """Return the averages of the gradients and of their squares."""
        beta1, beta2 = group["betas"]
        state["exp_avg"] = beta1 * state.get("exp_avg", mint.zeros_like(g)) + (1 - beta1) * g
        state["exp_avg_sq"] = beta2 * state.get("exp_avg_sq", mint.zeros_like(g)) + (1 - beta2) * g * g
        return state["exp_avg"], state["exp_avg_sq"]


class _Adam(_MomentRule):
    """Adam."""

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        maximize=False,
        decoupled_weight_decay=False,
    ):
        super().__init__(
            params,
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=float(weight_decay),
            amsgrad=amsgrad,
            maximize=maximize,
            decoupled_weight_decay=decoupled_weight_decay,
        )

    def _updated(self, w, g, group, state):
        w, g = self._decayed(w, g, group)
        mean, square = self._moments(g, group, state)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"] = mint.maximum(state.get("max_exp_avg_sq", square), square)
        beta1, beta2 = group["betas"]
        root = mint.sqrt(square) / math.sqrt(1 - beta2 ** state["step"])
        return w - group["lr"] / (1 - beta1 ** state["step"]) * mean / (root + group["eps"])


class _AdamW(_Adam):
    """Adam with a weight decay apart from the gradient."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, maximize=False):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize, decoupled_weight_decay=True)


class _NAdam(_MomentRule):
    """Adam with Nesterov's momentum."""

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        momentum_decay=4e-3,
        decoupled_weight_decay=False,
        maximize=False,
    ):
        super().__init__(
            params,
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=float(weight_decay),
            momentum_decay=momentum_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            maximize=maximize,
        )

    def _updated(self, w, g, group, state):
        w, g = self._decayed(w, g, group)
        (beta1, beta2), t = group["betas"], state["step"]
        now, after = (beta1 * (1 - 0.5 * 0.96 ** (k * group["momentum_decay"])) for k in (t, t + 1))
        product = state["mu_product"] = state.get("mu_product", 1.0) * now
        mean, square = self._moments(g, group, state)
        root = mint.sqrt(square / (1 - beta2**t)) + group["eps"]
        lr = group["lr"]
        return w - lr * (1 - now) / (1 - product) * g / root - lr * after / (1 - product * after) * mean / root


class _RAdam(_MomentRule):
    """Adam with a rectified variance."""

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        decoupled_weight_decay=False,
        maximize=False,
    ):
        super().__init__(
            params,
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=float(weight_decay),
            decoupled_weight_decay=decoupled_weight_decay,
            maximize=maximize,
        )

    def _updated(self, w, g, group, state):
        w, g = self._decayed(w, g, group)
        (beta1, beta2), t = group["betas"], state["step"]
        mean, square = self._moments(g, group, state)
        mean = mean / (1 - beta1**t)
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * t * beta2**t / (1 - beta2**t)
        if length <= 5:
            return w - group["lr"] * mean
        above = (length - 4) * (length - 2) * longest
        rectified = math.sqrt(above / ((longest - 4) * (longest - 2) * length))
        return w - group["lr"] * rectified * math.sqrt(1 - beta2**t) * mean / (mint.sqrt(square) + group["eps"])


class _Adafactor(_RuleOptimizer):
    """Adafactor."""

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, maximize=False):
        super().__init__(
            params,
            lr=lr,
            beta2_decay=beta2_decay,
            eps=eps,
            d=d,
            weight_decay=float(weight_decay),
            maximize=maximize,
        )

    def _updated(self, w, g, group, state):
        t, lr = state["step"], group["lr"]
        eps1, eps2 = group["eps"]
        eps1 = float(np.finfo(mindspore.dtype_to_nptype(w.dtype)).eps) if eps1 is None else eps1
        beta = t ** group["beta2_decay"]
        rho = mint.minimum(lr, mindspore.Tensor(1 / math.sqrt(t), mindspore.float32))
        size = ops.sqrt((w * w).sum()) / math.sqrt(w.size)
        alpha = mint.maximum(mindspore.Tensor(eps2, w.dtype), size) * rho
        if w.ndim > 1:
            row = (g * g).mean(-1, keep_dims=True)
            column = (g * g).mean(-2, keep_dims=True)
            state["row_var"] = row = state.get("row_var", mint.zeros_like(row)) * (1 - beta) + row * beta
            state["col_var"] = column = state.get("col_var", mint.zeros_like(column)) * (1 - beta) + column * beta
            average = ops.clamp(row.mean(-2, keep_dims=True), min=eps1)
            variance = row * column / average
        else:
            variance = state.get("variance", mint.zeros_like(g)) * (1 - beta) + g * g * beta
            state["variance"] = variance
        update = g * ops.rsqrt(ops.clamp(variance, min=eps1 * eps1))
        norm = ops.sqrt((update * update).sum()) / (math.sqrt(w.size) * group["d"])
        one = mint.ones_like(norm)
        return w * (1 - lr * group["weight_decay"]) - alpha / mint.maximum(one, norm) * update


class _LBFGS(_Optimizer):
    """L-BFGS without a line search: `step` calls the closure at each point."""

    def __init__(
        self,
        params,
        lr=1,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-7,
        tolerance_change=1e-9,
        history_size=100,
    ):
        super().__init__(params, {"lr": lr})
        self.max_iter, self.max_eval = max_iter, max_iter * 5 // 4 if max_eval is None else max_eval
        self.tolerance_grad, self.tolerance_change = tolerance_grad, tolerance_change
        self.history_size, self.history, self.iterations = history_size, [], 0
        self.direction = self.gradient = None
        self.length, self.scale = 0.0, np.float32(1)

    def _flat_gradient(self):
        parts = [mint.zeros_like(p) if getattr(p, "grad", None) is None else p.grad for p in self.parameters]
        return np.concatenate([part.asnumpy().reshape(-1) for part in parts])

    def _move(self, step):
        at = 0
        for p in self.parameters:
            part = step[at : at + p.size].reshape(p.shape)
            ops.assign(p, p + mindspore.Tensor(part.astype(p.asnumpy().dtype)))
            at += p.size

    def _towards(self, gradient):
        """Return the direction of descent, after an update of the curvature by the last step."""
        if self.iterations == 1:
            return -gradient
        change, step = gradient - self.gradient, self.direction * np.float32(self.length)
        curvature = change.dot(step)
        if curvature > 1e-10:
            self.history = [*self.history[-(self.history_size - 1) :], (change, step, 1 / curvature)]
            self.scale = curvature / change.dot(change)
        q, weights = -gradient, []
        for y, s, rho in reversed(self.history):
            weights.append(s.dot(q) * rho)
            q = q - weights[-1] * y
        direction = q * self.scale
        for (y, s, rho), weight in zip(self.history, reversed(weights), strict=True):
            direction = direction + s * (weight - y.dot(direction) * rho)
        return direction

    def step(self, closure):
        first = closure()
        loss, gradient, calls = float(first), self._flat_gradient(), 1
        lr = float(self.param_groups[0]["lr"])
        if np.abs(gradient).max() <= self.tolerance_grad:
            return first
        for iteration in range(1, self.max_iter + 1):
            self.iterations += 1
            self.direction = self._towards(gradient)
            self.gradient, before = gradient, loss
            self.length = min(1.0, 1.0 / float(np.abs(gradient).sum())) * lr if self.iterations == 1 else lr
            if gradient.dot(self.direction) > -self.tolerance_change:
                break
            self._move(self.direction * np.float32(self.length))
            calls += 1
            if iteration == self.max_iter:
                break
            loss, gradient = float(closure()), self._flat_gradient()
            moved = np.abs(self.direction * self.length).max()
            if (
                calls >= self.max_eval
                or np.abs(gradient).max() <= self.tolerance_grad
                or moved <= self.tolerance_change
                or abs(loss - before) < self.tolerance_change
            ):
                break
        return first
