"""The base of optimizers: groups, learning rates, weight decay and loss scale live here, once; a rule is a formula.

A rule of ours is final: it states its `slots` (what it remembers for each Parameter) and defines `update`, the formula
for one Parameter over arrays. The whole step is one graph, in PyNative mode too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from sporax._src.api.primitives.higher_order import HyperMap, Map
from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.nn.cell.cell import Cell
from sporax._src.optim.checks import check_group, check_names, check_number, check_parameters, check_twice
from sporax._src.optim.schedule import LearningRateSchedule
from sporax._src.transform.jit import Jit

Update = Callable[..., tuple[Any, dict[str, Any]]]


class ListedLearningRate(LearningRateSchedule):
    """A learning rate read off a list by step."""

    def __init__(self, values: Tensor, name: str) -> None:
        super().__init__()
        self.learning_rate = Parameter(values, name=name)

    def construct(self, global_step: Tensor) -> Tensor:
        step = jnp.minimum(global_step._data.reshape(()), self.learning_rate.size - 1)
        return wrap(self.learning_rate._data[step])


class Optimizer(Cell):
    """The base of optimizers, and of users' own (which define `construct(gradients)` with the helpers below).

    Args:
        learning_rate: A number, a list or 1-D Tensor (one value a step), or a `LearningRateSchedule`.
        parameters: Parameters, or groups `{"params": ..., "lr": ..., "weight_decay": ..., "grad_centralization": ...}`
            (and `{"order_params": ...}`).
        weight_decay: A number or a Cell of the global step. Without groups it passes over Parameters called beta or gamma.
        loss_scale: What the loss was multiplied with; gradients are divided by it.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range, or there are no parameters.
        KeyError: If a group has an unknown key.
        RuntimeError: If a Parameter is given twice.
    """

    slots: dict[str, float] = {}
    update: Update | None = None
    decay_in_update: ClassVar[bool] = False
    # What programs that write their own `construct` apply to the Parameters one by one.
    map_, map_reverse = Map(), Map(None, True)
    hyper_map, hyper_map_reverse = HyperMap(), HyperMap(None, True)
    target = "CPU"  # where MindSpore updates the Parameters; here it is the device of the context

    def __init__(self, learning_rate: Any, parameters: Any, weight_decay: Any = 0.0, loss_scale: Any = 1.0) -> None:
        super().__init__(auto_prefix=False)
        parameters = check_parameters(parameters, "parameters")
        self.loss_scale = check_number(self, "loss_scale", loss_scale, positive=True)
        self.global_step = Parameter(Tensor(np.zeros(1, np.int32)), name="global_step")
        self.is_group = isinstance(parameters[0], dict)
        self.is_group_lr = False
        self.is_group_params_ordered = False
        self.dynamic_lr = False
        self.unique = True
        learning_rate = self._read_lr(learning_rate)
        if self.is_group:
            self._set_groups(parameters, learning_rate, weight_decay)
        else:
            self._set_single(parameters, learning_rate, weight_decay)
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale, mstype.float32)
        self.param_length = len(self.parameters)
        self._stepper: Jit | None = None

    # --- groups ----------------------------------------------------------------------------------------------------

    def _set_single(self, parameters: list[Any], learning_rate: Any, weight_decay: Any) -> None:
        decay = self._read_decay(weight_decay)
        self.learning_rate = self._as_state(learning_rate, "learning_rate")
        self._set_parameters(parameters)
        self.dynamic_weight_decay = isinstance(decay, Cell)
        self.dynamic_decay_flags = isinstance(decay, Cell)
        self.decay_flags = tuple("beta" not in p.name and "gamma" not in p.name for p in parameters)
        self.exec_weight_decay = isinstance(decay, Cell) or decay > 0
        self.weight_decay = decay if isinstance(decay, Cell) else Tensor(decay, mstype.float32)
        self.grad_centralization_flags = (False,) * len(parameters)
        self._lrs: list[Any] = [self.learning_rate] * len(parameters)
        self._decays: list[Any] = [decay] * len(parameters)

    def _set_groups(self, groups: list[dict[str, Any]], learning_rate: Any, weight_decay: Any) -> None:
        default = self._as_state(learning_rate, "learning_rate")
        rows: list[tuple[Parameter, Any, Any, bool]] = []
        order: list[Parameter] | None = None
        for number, group in enumerate(groups):
            check_group(group)
            if "order_params" in group:
                order = list(group["order_params"])
                continue
            lr = default
            if "lr" in group:
                self.is_group_lr = True
                lr = self._as_state(self._read_lr(group["lr"]), f"learning_rate_group_{number}")
            decay = self._read_decay(group.get("weight_decay", weight_decay))
            centre = group.get("grad_centralization", False)
            if not isinstance(centre, bool):
                raise TypeError(f"For '{self.cls_name}', grad_centralization must be a bool, got {describe(centre)}.")
            params = check_parameters(group["params"], "group `params`")
            rows.extend((p, lr, decay, centre) for p in params)
        check_twice(self, [r[0] for r in rows])
        if order is not None:
            rows = self._ordered(rows, order)
        self._finish_groups(rows, default)

    def _finish_groups(self, rows: list[Any], default: Any) -> None:
        params, lrs, decays, centres = (list(c) for c in zip(*rows, strict=True))
        if self.is_group_lr and self.dynamic_lr:
            # Parameters of the rates belong to the optimizer through their Cells only.
            lrs = [lr if isinstance(lr, Cell) else _ConstantLearningRate(lr) for lr in lrs]
        if self.is_group_lr:
            self.learning_rate = lrs if self.dynamic_lr else ParameterTuple(_distinct(lrs))
        else:
            self.learning_rate = default
        self._set_parameters(params)
        self.group_params, self.group_lr, self.group_weight_decay = params, lrs, decays
        self.decay_flags = tuple(isinstance(d, Cell) or d > 0 for d in decays)
        self.dynamic_decay_flags = tuple(isinstance(d, Cell) for d in decays)
        self.dynamic_weight_decay = any(self.dynamic_decay_flags)
        self.weight_decay = tuple(d if isinstance(d, Cell) else Tensor(d, mstype.float32) for d in decays)
        self.exec_weight_decay = any(self.decay_flags)
        self.grad_centralization_flags = tuple(centres)
        self._lrs, self._decays = lrs, decays
        for number, lr in enumerate(_distinct(lrs)):
            if isinstance(lr, Cell) and lr is not default:
                self._cells[f"learning_rate_{number}"] = lr

    def _ordered(self, rows: list[Any], order: list[Parameter]) -> list[Any]:
        self.is_group_params_ordered = True
        by_id = {id(r[0]): r for r in rows}
        if len(order) != len(rows) or any(id(p) not in by_id for p in order):
            raise ValueError(
                f"For '{self.cls_name}', 'order_params' must list every Parameter of the groups once: "
                f"the groups have {len(rows)}, it lists {len(order)}."
            )
        return [by_id[id(p)] for p in order]

    def _set_parameters(self, params: list[Parameter]) -> None:
        check_names(self, params)
        self.parameters = ParameterTuple(params)
        self._parameters = self.parameters

    # --- learning rate and decay -----------------------------------------------------------------------------------------

    def _read_lr(self, lr: Any) -> Any:
        if isinstance(lr, LearningRateSchedule):
            self.dynamic_lr = True
            return lr
        if isinstance(lr, (int, float)) and not isinstance(lr, bool):
            return check_number(self, "learning rate", lr)
        if isinstance(lr, Tensor) and lr.ndim > 1:
            raise ValueError(
                f"For '{self.cls_name}', a learning_rate Tensor must have at most 1 axis, got {describe(lr)}."
            )
        if isinstance(lr, Tensor) and lr.ndim == 0:
            return check_number(self, "learning rate", float(lr))
        if isinstance(lr, Iterable) and not isinstance(lr, (str, dict)):
            self.dynamic_lr = True
            values = np.asarray(lr.asnumpy() if isinstance(lr, Tensor) else list(lr), np.float32)
            for v in values.tolist():
                check_number(self, "learning rate", v)
            if not values.size:
                raise ValueError(f"For '{self.cls_name}', a learning_rate list must not be empty.")
            return Tensor(values)
        raise TypeError(
            f"For '{self.cls_name}', learning_rate must be a number, Tensor, list or LearningRateSchedule, got {describe(lr)}."
        )

    def _as_state(self, lr: Any, name: str) -> Any:
        if isinstance(lr, float):
            return Parameter(Tensor(lr, mstype.float32), name=name)
        return ListedLearningRate(lr, name) if isinstance(lr, Tensor) else lr

    def _read_decay(self, decay: Any) -> Any:
        if isinstance(decay, Cell):
            return decay
        if isinstance(decay, (int, float)) and not isinstance(decay, bool):
            return check_number(self, "weight_decay", decay) * self.loss_scale
        raise TypeError(f"For '{self.cls_name}', weight_decay must be a number or a Cell, got {describe(decay)}.")

    def _rate(self, lr: Any) -> Any:
        rate = lr(self.global_step)._data if isinstance(lr, Cell) else lr._data
        return wrap(rate.reshape(()) if rate.size == 1 else rate)

    def get_lr(self) -> Any:
        """Return the learning rate of this step (one per Parameter if groups have their own) and count the step."""
        rates = {id(lr): self._rate(lr) for lr in self._lrs}
        out = tuple(rates[id(lr)] for lr in self._lrs) if self.is_group_lr else rates[id(self._lrs[0])]
        self.global_step.adopt(self.global_step._data + jnp.int32(1))
        return out

    def get_lr_parameter(self, param: Any) -> Any:
        """Return the learning rate (Parameter or schedule) of a Parameter, or those of a list of Parameters."""
        by_id = {id(p): lr for p, lr in zip(self.parameters, self._lrs, strict=True)}

        def of(p: Any) -> Any:
            if not isinstance(p, Parameter):
                raise TypeError(f"get_lr_parameter takes Parameters, got {describe(p)}.")
            if id(p) not in by_id:
                raise ValueError(f"get_lr_parameter: '{p.name}' is not a Parameter of this optimizer.")
            return by_id[id(p)]

        return [of(p) for p in param] if isinstance(param, (list, tuple)) else of(param)

    def get_weight_decay(self) -> Any:
        """Return the weight decay of this step (a tuple with groups)."""
        if self.is_group:
            return tuple([self._decay_now(d) for d in self._decays])
        return self._decay_now(self._decays[0])

    def _decay_now(self, decay: Any) -> Tensor:
        if isinstance(decay, Cell):
            return wrap(decay(self.global_step)._data.astype(jnp.float32).reshape(()) * np.float32(self.loss_scale))
        return Tensor(decay, mstype.float32)

    # --- helpers for `construct` -----------------------------------------------------------------------------------------------

    def flatten_gradients(self, gradients: Any) -> Any:
        """Return the gradients as they are: Parameters are not flattened into chunks here."""
        return gradients

    def decay_weight(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return g + weight_decay · w for every Parameter that is decayed."""
        if not self.exec_weight_decay:
            return tuple(gradients)
        decays = self.get_weight_decay() if self.is_group else [self.get_weight_decay()] * self.param_length
        rows = zip(self.decay_flags, decays, self.parameters, gradients, strict=True)
        return tuple([wrap(_decayed(g._data, p._data, d._data)) if flag else g for flag, d, p, g in rows])

    def gradients_centralization(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return g - mean(g) over all axes but the first, where a group asks for it."""
        rows = zip(self.grad_centralization_flags, gradients, strict=True)
        return tuple([wrap(_centred(g._data)) if flag else g for flag, g in rows])

    def scale_grad(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return the gradients divided by the loss scale."""
        if not self.need_scale:
            return tuple(gradients)
        return tuple([wrap((g._data * self.reciprocal_scale._data).astype(g._data.dtype)) for g in gradients])

    # --- the step ----------------------------------------------------------------------------------------------------------------

    def _make_slots(self) -> None:
        """Create what the rule remembers: for each slot one Parameter per Parameter, `moment1.fc.weight`."""
        for name, value in self.slots.items():
            setattr(self, name, self.parameters.clone(prefix=name, init=value))

    def _add_slot(self, name: str, prefix: str, values: Sequence[Any]) -> None:
        """Create a slot of other shapes than the Parameters': one value for each, named `prefix` + name."""
        made = [Parameter(Tensor(v), name=f"{prefix}{p.name}") for p, v in zip(self.parameters, values, strict=True)]
        self.slots = {**self.slots, name: 0.0}  # type: ignore[misc]
        setattr(self, name, ParameterTuple(made))

    def before_update(self) -> Any:
        """Advance what all Parameters share in a step (powers of beta, ...) and return it to `update`."""
        return None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if tracing() or not type(self).construct.__module__.startswith("sporax."):  # a user's own step
            return super().__call__(*args, **kwargs)
        if self._stepper is None:
            object.__setattr__(self, "_stepper", Jit(self._entered, always=True))
            self._stepper.__name__ = self.cls_name  # type: ignore[union-attr]
        return self._stepper(*args, **kwargs)  # type: ignore[misc]

    def construct(self, gradients: Sequence[Tensor]) -> tuple[bool]:
        """Update every Parameter from its gradient."""
        self._check_gradients(gradients)
        if not self.decay_in_update:
            gradients = self.decay_weight(gradients)
        gradients = self.scale_grad(self.gradients_centralization(gradients))
        decays = self._update_decays()  # of this step: the learning rate counts it
        rates = self.get_lr()
        rates = rates if isinstance(rates, tuple) else (rates,) * self.param_length
        shared = self.before_update()
        for i, (param, grad, rate) in enumerate(zip(self.parameters, gradients, rates, strict=True)):
            self._update_one(i, param, grad._data, rate._data, shared, decays[i])
        return (True,)

    def _update_one(self, i: int, param: Parameter, grad: Any, rate: Any, shared: Any, decay: Any) -> None:
        w = param._data
        assert self.update is not None
        state = {name: getattr(self, name)[i] for name in self.slots}
        g, lr = grad.astype(w.dtype), rate.astype(w.dtype)
        new, kept = self.update(w, g, lr, {n: p._data for n, p in state.items()}, shared, decay)
        param.adopt(new.astype(w.dtype))
        for name, value in kept.items():
            state[name].adopt(value.astype(state[name]._data.dtype))

    def _update_decays(self) -> list[Any]:
        if not self.decay_in_update:
            return [None] * self.param_length
        decays = self.get_weight_decay() if self.is_group else (self.get_weight_decay(),) * self.param_length
        return [d._data if flag else None for d, flag in zip(decays, self.decay_flags, strict=True)]

    def _check_gradients(self, gradients: Any) -> None:
        if not isinstance(gradients, (tuple, list)) or len(gradients) != self.param_length:
            got = len(gradients) if isinstance(gradients, (tuple, list)) else describe(gradients)
            raise ValueError(
                f"{self.cls_name}: expected a tuple of {self.param_length} gradients, one per Parameter, got {got}."
            )
        for param, grad in zip(self.parameters, gradients, strict=True):
            if not isinstance(grad, Tensor) or grad.shape != param.shape:
                raise ValueError(
                    f"{self.cls_name}: the gradient of '{param.name}' must be a Tensor of shape {list(param.shape)}, "
                    f"got {describe(grad)}."
                )

    def broadcast_params(self, optim_result: Any) -> Any:
        """Return the result as it is: Parameters are already whole on every device."""
        return optim_result


class _ConstantLearningRate(LearningRateSchedule):
    """A fixed rate among rates that change."""

    def __init__(self, rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = rate

    def construct(self, global_step: Tensor) -> Tensor:
        return self.learning_rate.value()


def _decayed(g: Any, w: Any, decay: Any) -> Any:
    return g + (w * decay.astype(w.dtype)).astype(g.dtype)


def _centred(g: Any) -> Any:
    return g - jnp.mean(g, axis=tuple(range(1, g.ndim)), keepdims=True) if g.ndim > 1 else g


def _distinct(values: Sequence[Any]) -> list[Any]:
    return list({id(v): v for v in values}.values())
