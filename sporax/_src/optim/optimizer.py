"""The base of optimizers: it implements groups, learning rates, weight decay and loss scale; a rule is a formula.

sporax's own rules are final: a rule declares its `slots` (its state for each Parameter) and defines `update`, the formula
for one Parameter over arrays. The whole step is one graph, in PyNative mode too. Programs define their own rules by
MindSpore's template, whose names are all here: `construct` calls the helpers below and counts the step itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import jax.numpy as jnp
import numpy as np

from sporax._src.api.primitives.higher_order import HyperMap, Map
from sporax._src.base.config import get_context
from sporax._src.base.errors import describe, shown
from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine import index_checks
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.containers import CellList
from sporax._src.optim.checks import (
    check_group,
    check_lengths,
    check_names,
    check_number,
    check_parameters,
    check_twice,
)
from sporax._src.optim.schedule import LearningRateSchedule
from sporax._src.optim.update_rule import Params, UpdateRule
from sporax._src.transform.jit import Jit

__all__ = ["Optimizer"]

LearningRate: TypeAlias = float | Iterable[float] | Tensor | LearningRateSchedule
WeightDecay: TypeAlias = float | Cell


class ListedLearningRate(LearningRateSchedule):
    """A learning rate from a list, indexed by the step; a step beyond its end is an index out of range."""

    def __init__(self, values: Tensor, name: str) -> None:
        super().__init__()
        self.learning_rate = Parameter(values, name=name)

    def extend_repr(self) -> str:
        """Return the number of rates, the first one and the last one."""
        rates = np.asarray(self.learning_rate.concrete())
        return f"{rates.size} rates, {rates[0]:.7g} to {rates[-1]:.7g}"

    def construct(self, global_step: Tensor) -> Tensor:
        rates, step = self.learning_rate._data, global_step._data
        index_checks.check("Optimizer", lambda: [("the step in a list of learning rates", step, rates.size)], ())
        return wrap(rates[step])


class ConstantLearningRate(LearningRateSchedule):
    """A fixed rate among varying rates."""

    def __init__(self, rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = rate

    def extend_repr(self) -> str:
        """Return the rate."""
        return f"{_number(self.learning_rate):.7g}"

    def construct(self, global_step: Tensor) -> Tensor:
        return self.learning_rate.value()


class ScaledWeightDecay(Cell):
    """A varying weight decay times the loss scale, since gradients are divided by the loss scale later."""

    def __init__(self, weight_decay: Cell, loss_scale: float) -> None:
        super().__init__()
        self.weight_decay = weight_decay
        self.loss_scale = Tensor(loss_scale, mstype.float32)

    def construct(self, global_step: Tensor) -> Tensor:
        return self.weight_decay(global_step) * self.loss_scale


def _rate(value: Any) -> str:
    return f"learning_rate={_number(value):.7g}, " if isinstance(value, Tensor) else f"learning_rate={value!r}, "


def _decay(value: Any) -> str:
    return f"weight_decay={_number(value):.7g}, " if isinstance(value, Tensor) else f"weight_decay={value!r}, "


def _number(value: Tensor) -> float:
    return float(np.asarray(value.concrete() if isinstance(value, Parameter) else value._data).reshape(-1)[0])


class Optimizer(UpdateRule):
    """The base of optimizers, including users' own (which define `construct(gradients)` with the helpers below).

    Args:
        learning_rate: A number, a list or 1-D Tensor (one value a step), or a `LearningRateSchedule`.
        parameters: Parameters, or groups `{"params": ..., "lr": ..., "weight_decay": ..., "grad_centralization": ...}`
            (and `{"order_params": ...}`).
        weight_decay: A number or a Cell of the global step. Without groups it passes over Parameters called beta or gamma.
        loss_scale: The factor of the loss; gradients are divided by it.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range, lists of rates differ in length, or there are no parameters.
        KeyError: If a group has an unknown key.
        RuntimeError: If a Parameter occurs twice.

    Examples:
        >>> import sporax as ms
        >>> class SignDescent(ms.nn.Optimizer):
        ...     def construct(self, gradients):
        ...         rate = self.get_lr()
        ...         self.assignadd(self.global_step, self.global_step_increase_tensor)
        ...         return self.map_(lambda w, g: ms.ops.assign_sub(w, rate * g.sign()), self.parameters, gradients)
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = SignDescent(0.25, [w])((ms.Tensor([3.0]),))
        >>> w.asnumpy()
        array([0.75], dtype=float32)
    """

    decay_in_update = False  # whether `update` decays the weights rather than the gradients
    centralizes = True  # whether it applies `grad_centralization`
    # For programs that write their own `construct`.
    map_, map_reverse = Map(), Map(None, True)
    hyper_map, hyper_map_reverse = HyperMap(), HyperMap(None, True)
    assignadd = holds("AssignAdd")
    # MindSpore's values for a single process: no parameter server, nothing flattened, nothing split.
    use_parallel = _support_parallel_optimizer = _use_flattened_params = False
    enable_tuple_broaden = True
    param_rank = None
    _grad_fusion_size = 0
    _unique = True
    _target: str | None = None
    learning_rate: Any
    weight_decay: Any

    def __init__(
        self, learning_rate: LearningRate, parameters: Params, weight_decay: WeightDecay = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        parameters = self._parameters_base_check(parameters, "parameters")
        self.loss_scale = check_number(self, "loss_scale", loss_scale, positive=True)
        self.global_step = Parameter(Tensor(np.zeros(1, np.int32)), name="global_step")
        self.global_step_increase_tensor = Tensor([1], mstype.int32)
        self.is_group = isinstance(parameters[0], dict)
        self.is_group_lr = self.is_group_params_ordered = False
        self.dynamic_lr = self.dynamic_weight_decay = self.grad_centralization = False
        learning_rate = self._preprocess_single_lr(learning_rate)
        if self.is_group:
            self._init_group_params(parameters, learning_rate, weight_decay)
        self._init_opt_attrs(learning_rate, parameters, weight_decay)
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale, mstype.float32)
        self.param_length = len(self.parameters)
        self.optim_filter = (True,) * self.param_length
        self.ps_parameters = self.cache_enable = (False,) * self.param_length
        self._stepper: Jit | None = None

    # --- groups ----------------------------------------------------------------------------------------------------

    def _init_opt_attrs(
        self,
        learning_rate: LearningRate,
        parameters: list[Parameter],
        weight_decay: WeightDecay,
    ) -> None:
        """Set the attributes of the helpers: Parameters, learning rates, weight decay, in the order of checkpoints."""
        if not self.is_group_lr:
            self.learning_rate = self._build_single_lr(learning_rate, "learning_rate")
        elif self.dynamic_lr:
            self.learning_rate = CellList(self.group_lr, auto_prefix=False)
        else:
            self.learning_rate = ParameterTuple(self.group_lr)
        params = self.group_params if self.is_group else parameters
        check_names(self, params)
        self.parameters = ParameterTuple(params)
        self._parameters = self.parameters
        if self.is_group:
            decays = self.group_weight_decay
            self.decay_flags = tuple(isinstance(d, Cell) or d > 0 for d in decays)
            self.dynamic_decay_flags = tuple(isinstance(d, Cell) for d in decays)
            self.weight_decay = tuple(d if isinstance(d, Cell) else Tensor(d, mstype.float32) for d in decays)
            self.exec_weight_decay = any(self.decay_flags)
            self.grad_centralization_flags = tuple(self.group_grad_centralization)
        else:
            decay = self._preprocess_weight_decay(weight_decay)
            self.decay_flags = tuple("beta" not in p.name and "gamma" not in p.name for p in params)
            self.dynamic_decay_flags = isinstance(decay, Cell)
            self.exec_weight_decay = isinstance(decay, Cell) or decay > 0
            self.weight_decay = decay if isinstance(decay, Cell) else Tensor(decay, mstype.float32)

    def _init_group_params(
        self,
        groups: list[dict[str, Any]],
        learning_rate: LearningRate,
        weight_decay: WeightDecay,
    ) -> None:
        """Read the groups: Parameters, rates, decays and flags, one of each for every Parameter."""
        for group in groups:
            check_group(group)
        own = {i: self._preprocess_single_lr(group["lr"]) for i, group in enumerate(groups) if "lr" in group}
        self.is_group_lr = bool(own)
        check_lengths(self, [learning_rate, *own.values()])
        default = self._build_single_lr(learning_rate, "learning_rate")
        rows: list[tuple[Parameter, Any, Any, bool]] = []
        order: list[Parameter] | None = None
        for number, group in enumerate(groups):
            if "order_params" in group:
                order = list(group["order_params"])
                continue
            lr = self._build_single_lr(own[number], f"learning_rate_group_{number}") if number in own else default
            decay = self._preprocess_weight_decay(group.get("weight_decay", weight_decay))
            centralize = self._preprocess_grad_centralization(group.get("grad_centralization", False))
            params = self._parameters_base_check(group["params"], "group `params`")
            rows.extend((p, lr, decay, centralize) for p in params)
        check_twice(self, [row[0] for row in rows])
        if order is not None:
            rows = self._ordered(rows, order)
        columns = [list(column) for column in zip(*rows, strict=True)]
        self.group_params, self.group_lr, self.group_weight_decay, self.group_grad_centralization = columns

    def _ordered(self, rows: list[tuple[Parameter, Any, Any, bool]], order: list[Parameter]) -> list[Any]:
        self.is_group_params_ordered = True
        by_id = {id(r[0]): r for r in rows}
        if len(order) != len(rows) or any(id(p) not in by_id for p in order):
            raise ValueError(
                f"For '{self.cls_name}', 'order_params' must list every Parameter of the groups once: "
                f"the groups have {len(rows)}, it lists {len(order)}."
            )
        return [by_id[id(p)] for p in order]

    # --- arguments of the constructor ---------------------------------------------------------------------------------

    @staticmethod
    def _parameters_base_check(parameters: object, param_info: str) -> list[Any]:
        return check_parameters(parameters, param_info)

    @staticmethod
    def _preprocess_grad_centralization(grad_centralization: object) -> bool:
        if not isinstance(grad_centralization, bool):
            raise TypeError(
                f"For 'Optimizer', grad_centralization must be a bool, got {describe(grad_centralization)}."
            )
        return grad_centralization

    def _preprocess_single_lr(self, learning_rate: LearningRate) -> Any:
        """Return a learning rate as a number, a Tensor of one value a step, or a schedule."""
        lr = learning_rate
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

    def _build_single_lr(self, learning_rate: LearningRate, name: str) -> Any:
        """Return the Parameter or schedule of a learning rate."""
        if isinstance(learning_rate, Tensor):
            return ListedLearningRate(learning_rate, name)
        if not isinstance(learning_rate, float):
            return learning_rate
        rate = Parameter(Tensor(learning_rate, mstype.float32), name=name)
        return ConstantLearningRate(rate) if self.is_group_lr and self.dynamic_lr else rate

    def _preprocess_weight_decay(self, weight_decay: WeightDecay) -> Any:
        """Return a weight decay times the loss scale."""
        if isinstance(weight_decay, Cell):
            self.dynamic_weight_decay = True
            return ScaledWeightDecay(weight_decay, self.loss_scale)
        if isinstance(weight_decay, (int, float)) and not isinstance(weight_decay, bool):
            return check_number(self, "weight_decay", weight_decay) * self.loss_scale
        raise TypeError(
            f"For '{self.cls_name}', weight_decay must be a number or a Cell, got {describe(weight_decay)}."
        )

    def extend_repr(self) -> str:
        """Return the learning rate and the weight decay, of each group if there are groups."""
        count = len(self.parameters)
        if not self.is_group:
            return f"{_rate(self.learning_rate)}{_decay(self.weight_decay)}{count} Parameters"
        rates = self.group_lr if self.is_group_lr else [self.learning_rate] * count
        rows = [f"{_rate(lr)}{_decay(decay)}" for lr, decay in zip(rates, self.weight_decay, strict=True)]
        groups = [f"{text}{len(list(same))} Parameters" for text, same in itertools.groupby(rows)]
        return "\n".join(f"group {number}: {text}" for number, text in enumerate(groups))

    # --- settings -----------------------------------------------------------------------------------------------------

    @property
    def unique(self) -> bool:
        """Whether equal indices of sparse gradients would be summed first; sporax's gradients are dense."""
        return self._unique

    @unique.setter
    def unique(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"For 'Optimizer', the property 'unique' must be a bool, got {describe(value)}.")
        object.__setattr__(self, "_unique", value)

    @property
    def target(self) -> str:
        """The device on which MindSpore updates Parameters; sporax always uses the device of the context."""
        return self._target or get_context("device_target")

    @target.setter
    def target(self, value: str) -> None:
        raise NotImplementedError(f"{self.cls_name}: the property 'target' cannot be set, got {value!r}.")

    def _set_base_target(self, value: str) -> None:
        """Set `target`; the setter of rules with a settable `target`."""
        if not isinstance(value, str):
            raise TypeError(f"For 'Optimizer', the property 'target' must be a string, got {describe(value)}.")
        if value not in ("CPU", "Ascend", "GPU"):
            raise ValueError(f"For 'Optimizer', the property 'target' must be CPU, Ascend or GPU, got {value!r}.")
        # A program that asks for Ascend runs on the best device present.
        if value == "GPU" and get_context("device_target") != "GPU":
            device = get_context("device_target")
            raise ValueError(f"For 'Optimizer', the property 'target' cannot be GPU in the {device} environment.")
        object.__setattr__(self, "_target", value)

    @staticmethod
    def _use_distibuted_optimizer() -> bool:
        """Return False: no parameter server runs the steps (the name is MindSpore's)."""
        return False

    def _get_distributed_optimizer_list(
        self, optimizer_type: str, *args: Any, **kwargs: Any
    ) -> tuple[list[Any], tuple[bool, ...]]:
        """Return for each Parameter None, as the operator of a parameter server, and False, for its use."""
        return [None for _ in self._parameters], tuple(False for _ in self._parameters)

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        return self.dynamic_lr or self.dynamic_weight_decay

    # --- learning rate and decay --------------------------------------------------------------------------------------

    def get_lr(self) -> Any:
        """Return the learning rate of this step; with rates of groups, one for each Parameter.

        Reading does not count the step: `construct` does, by `self.assignadd(self.global_step, ...)`.
        """
        if not self.dynamic_lr:
            return self.learning_rate
        if not self.is_group_lr:
            return self.learning_rate(self.global_step).reshape(())
        rates = {id(lr): lr(self.global_step).reshape(()) for lr in self.learning_rate}
        return tuple([rates[id(lr)] for lr in self.learning_rate])

    def get_lr_parameter(self, param: Parameter | Sequence[Parameter]) -> Any:
        """Return the learning rate (Parameter or schedule) of a Parameter, or those of a list of Parameters."""
        rates = self._each(self.learning_rate)
        by_id = {id(p): lr for p, lr in zip(self.parameters, rates, strict=True)}

        def of(p: object) -> Any:
            if not isinstance(p, Parameter):
                raise TypeError(f"get_lr_parameter takes Parameters, got {describe(p)}.")
            if id(p) not in by_id:
                raise ValueError(f"get_lr_parameter: '{shown(p.name)}' is not a Parameter of this optimizer.")
            lr = by_id[id(p)]
            return lr.learning_rate if isinstance(lr, (ListedLearningRate, ConstantLearningRate)) else lr

        return [of(p) for p in param] if isinstance(param, (list, tuple)) else of(param)

    def get_weight_decay(self) -> Any:
        """Return the weight decay of this step times the loss scale; with groups, one for each Parameter."""
        if self.is_group:
            return tuple([d(self.global_step) if isinstance(d, Cell) else d for d in self.weight_decay])
        return self.weight_decay(self.global_step) if self.dynamic_weight_decay else self.weight_decay

    def _each(self, values: object) -> Sequence[Any]:
        """Return one value for each Parameter, from one rate or decay for all or one for each."""
        several = isinstance(values, (tuple, list, CellList))
        return tuple(values) if several else (values,) * self.param_length

    # --- helpers for `construct` -----------------------------------------------------------------------------------------------

    def flatten_gradients(self, gradients: Sequence[Tensor]) -> Any:
        """Return the gradients unchanged: Parameters are not flattened into chunks."""
        return gradients

    def decay_weight(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return g + weight_decay · w for every Parameter that is decayed."""
        if not self.exec_weight_decay:
            return tuple(gradients)
        decays = self._each(self.get_weight_decay())
        rows = zip(self.decay_flags, decays, self.parameters, gradients, strict=True)
        return tuple([wrap(_decayed(g._data, p._data, d._data)) if flag else g for flag, d, p, g in rows])

    def gradients_centralization(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return g - mean(g) over all axes but the first, if the group enables it and the second axis is a multiple of 16."""
        if not self.is_group:
            return tuple(gradients)
        rows = zip(self.grad_centralization_flags, gradients, strict=True)
        return tuple([wrap(_centralized(g._data)) if flag else g for flag, g in rows])

    def scale_grad(self, gradients: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return the gradients divided by the loss scale."""
        if not self.need_scale:
            return tuple(gradients)
        return tuple([wrap((g._data * self.reciprocal_scale._data).astype(g._data.dtype)) for g in gradients])

    def _grad_sparse_indices_deduplicate(self, gradients: Sequence[Tensor]) -> Any:
        """Return the gradients unchanged: they are dense."""
        return gradients

    def broadcast_params(self, optim_result: object) -> Any:
        """Return the result unchanged: Parameters are already whole on every device."""
        return optim_result

    # --- the step ----------------------------------------------------------------------------------------------------------------

    def _add_slot(self, name: str, prefix: str, values: Sequence[Any]) -> None:
        """Create a slot whose shapes differ from the Parameters': one value for each Parameter, named `prefix` + name."""
        parameters = [
            Parameter(Tensor(v), name=f"{prefix}{p.name}") for p, v in zip(self.parameters, values, strict=True)
        ]
        self.slots = {**self.slots, name: 0.0}
        setattr(self, name, ParameterTuple(parameters))

    def before_update(self) -> Any:
        """Advance the values that all Parameters share in a step (powers of beta, ...) and return them for `update`."""
        return None

    if not TYPE_CHECKING:  # checkers know it by `construct`, as of every Cell

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            if tracing() or not type(self).construct.__module__.startswith("sporax."):  # a user's own step
                return super().__call__(*args, **kwargs)
            stepper = self._stepper
            if stepper is None:
                stepper = Jit(self._sporax_entered, always=True)
                stepper.__name__ = self.cls_name
                object.__setattr__(self, "_stepper", stepper)
            return stepper(*args, **kwargs)

    def construct(self, gradients: Sequence[Tensor]) -> tuple[bool]:
        """Update every Parameter from its gradient, by the rate and decay of this step, and count the step."""
        gradients = self._prepared(gradients)
        decays = self._update_decays()
        rates = self._each(self.get_lr())
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        shared = self.before_update()
        for i, (grad, rate) in enumerate(zip(gradients, rates, strict=True)):
            self._update_one(i, grad._data, _scalar(rate._data), shared, decays[i])
        return (True,)

    def _prepared(self, gradients: Sequence[Tensor]) -> Sequence[Tensor]:
        """Return the gradients as `update` takes them."""
        self._check_gradients(gradients)
        if not self.decay_in_update:
            gradients = self.decay_weight(gradients)
        if self.centralizes:
            gradients = self.gradients_centralization(gradients)
        return self.scale_grad(gradients)

    def _update_decays(self) -> Sequence[Any]:
        if not self.decay_in_update:
            return (None,) * self.param_length
        rows = zip(self._each(self.get_weight_decay()), self.decay_flags, strict=True)
        return [_scalar(d._data) if flag else None for d, flag in rows]


def _scalar(x: Array) -> Array:
    return x.reshape(()) if x.size == 1 else x


def _decayed(g: Array, w: Array, decay: Array) -> Array:
    return g + (w * _scalar(decay).astype(w.dtype)).astype(g.dtype)


def _centralized(g: Array) -> Array:
    # MindSpore skips every Parameter whose second axis its Ascend kernel cannot tile.
    whole = g.ndim > 1 and g.shape[1] % 16 == 0
    return g - jnp.mean(g, axis=tuple(range(1, g.ndim)), keepdims=True) if whole else g
