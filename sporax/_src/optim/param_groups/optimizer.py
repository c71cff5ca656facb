"""The base of optimizers with `param_groups`: it implements groups, maximisation and weight decay; a rule is a formula.

A rule of sporax declares its `slots` (its state for each Parameter), the name of its `counter` of steps, and
`update`, the formula for one Parameter over arrays. The whole step is one graph, in PyNative mode too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from sporax._src.api.primitives.higher_order import HyperMap, Map
from sporax._src.base.errors import describe, shown
from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.optim.update_rule import Params, UpdateRule
from sporax._src.transform.jit import Jit

__all__ = ["Optimizer"]


class Optimizer(UpdateRule):
    """The base of optimizers with `param_groups`; users' own define `construct(gradients)`.

    Args:
        params: Parameters, or groups `{"params": ..., "lr": ..., ...}`.
        defaults: The default options of groups.

    Attributes:
        param_groups: One dict for each group: its Parameters under `"params"`, its options; `"lr"` is a Parameter, so
            that a scheduler's change needs no new graph.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If there are no Parameters, one is in two groups, or a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> net = ms.nn.Dense(2, 1)
        >>> opt = optim.SGD([{"params": [net.weight], "lr": 0.1}, {"params": [net.bias]}], lr=0.01)
        >>> [round(group["lr"].item(), 4) for group in opt.param_groups]
        [0.1, 0.01]
    """

    # For programs that write their own `construct`.
    map_, hyper_map = Map(), HyperMap()
    enable_tuple_broaden = True
    counter: ClassVar[str | None] = None
    decoupled: ClassVar[bool] = False

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        if params is None:
            raise ValueError(f"{self.cls_name}: params must be Parameters or groups, got None.")
        if isinstance(params, (str, Tensor)) or not isinstance(params, Iterable):
            raise TypeError(
                f"{self.cls_name}: params must be a list of Parameters or of groups, got {describe(params)}."
            )
        entries: list[Any] = list(params)
        if not entries:
            raise ValueError(f"{self.cls_name}: params must not be empty.")
        self.defaults = defaults
        self.state: dict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self.lrs: list[Parameter] = []
        self.group_start_id = [0]
        self.parameters = ()
        for group in entries if isinstance(entries[0], dict) else [{"params": entries}]:
            self.add_param_group(group)
        self._stepper = Jit(self._step, always=True)
        self._stepper.__name__ = self.cls_name

    # --- groups -------------------------------------------------------------------------------------------------------

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of Parameters.

        Args:
            param_group: A dict with `"params"` and options; missing options are the defaults.

        Raises:
            TypeError: If the group or an option has an unexpected type.
            ValueError: If a Parameter is in a group already, or a number is out of range.
        """
        if not isinstance(param_group, dict) or "params" not in param_group:
            raise TypeError(f"{self.cls_name}: a group must be a dict with 'params', got {describe(param_group)}.")
        group = {**self.defaults, **param_group, "params": self._listed(param_group["params"])}
        group["lr"] = self._rate(group["lr"], f"learning_rate_group_{len(self.param_groups)}")
        group["weight_decay"] = self._decay(group.get("weight_decay", 0.0))
        self.lrs.append(group["lr"])
        self.param_groups.append(group)
        self.group_start_id.append(self.group_start_id[-1] + len(group["params"]))
        self.parameters = ParameterTuple([*self.parameters, *group["params"]])
        if len(self.group_start_id) > 2 and hasattr(self, "_stepper"):
            self._make_slots()

    def _listed(self, params: Parameter | Iterable[Parameter]) -> list[Parameter]:
        if isinstance(params, set):
            raise TypeError(f"{self.cls_name}: the Parameters of a group must be in an ordered collection, got a set.")
        parameters = [params] if isinstance(params, Parameter) else list(params)
        known = {id(p) for p in self.parameters}
        for p in parameters:
            if not isinstance(p, Parameter):
                raise TypeError(f"{self.cls_name}: only Parameters can be optimized, got {describe(p)}.")
            if id(p) in known:
                raise ValueError(f"{self.cls_name}: the Parameter '{shown(p.name)}' is in more than one group.")
        return parameters

    def _rate(self, lr: float | Tensor, name: str) -> Parameter:
        if isinstance(lr, bool) or not isinstance(lr, (int, float, Tensor)):
            raise TypeError(f"{self.cls_name}: lr must be a number or a Tensor, got {describe(lr)}.")
        if isinstance(lr, Tensor) and lr.ndim:
            raise ValueError(f"{self.cls_name}: an lr Tensor must be a scalar, got {describe(lr)}.")
        value = float(lr.asnumpy()) if isinstance(lr, Tensor) else float(lr)
        self._at_least("lr", value)
        return Parameter(Tensor(value, mstype.float32), name=name)

    def _decay(self, decay: float) -> float:
        if isinstance(decay, bool) or not isinstance(decay, (int, float)):
            raise TypeError(f"{self.cls_name}: weight_decay must be a number, got {describe(decay)}.")
        return self._at_least("weight_decay", float(decay))

    def _at_least(self, name: str, value: Any, low: float = 0.0, *, strict: bool = False) -> Any:
        if not np.isfinite(value) or value < low or (strict and value == low):
            raise ValueError(f"{self.cls_name}: {name} must be {'>' if strict else '>='} {low:g}, got {value}.")
        return value

    def _check_betas(self, betas: Sequence[float]) -> None:
        if not isinstance(betas, (tuple, list)) or len(betas) != 2:
            raise TypeError(f"{self.cls_name}: betas must be two numbers, got {describe(betas)}.")
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"{self.cls_name}: betas[{i}] must be in [0, 1), got {beta}.")

    # --- the step -----------------------------------------------------------------------------------------------------

    def _make_slots(self) -> None:
        """Create the counter of steps, and the slots of Parameters that have none yet."""
        if self.counter and not hasattr(self, self.counter):
            setattr(self, self.counter, Parameter(Tensor(0, mstype.int32), name=self.counter))
        super()._make_slots()

    def _add_scalars(self, name: str, value: float) -> None:
        """Create a slot of one number for each Parameter, which checkpoints do not contain, as in MindSpore."""
        self.slots = {**self.slots, name: value}
        setattr(
            self, name, [Parameter(Tensor(value, mstype.float32), name=f"{name}_{p.name}") for p in self.parameters]
        )

    def construct(self, gradients: Sequence[Tensor]) -> bool:
        """Update every Parameter from its gradient."""
        self._check_gradients(gradients)
        rates = tuple([self._rate_now(group["lr"]) for group in self.param_groups])
        options = [
            {k: v for k, v in group.items() if k not in ("params", "lr", "initial_lr")} for group in self.param_groups
        ]
        return self._stepper(tuple(gradients), rates, options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if tracing() or type(self).construct is not Optimizer.construct:
            return super().__call__(*args, **kwargs)
        # This is no graph itself: the graph is `_step`, which depends on the options of the groups.
        return self.construct(*args, **kwargs)

    def _rate_now(self, lr: float | Tensor) -> Tensor:
        return wrap(lr._data) if isinstance(lr, Tensor) else Tensor(float(lr), mstype.float32)

    def _step(self, gradients: tuple[Tensor, ...], rates: tuple[Tensor, ...], options: list[dict[str, Any]]) -> bool:
        step = None
        if self.counter:
            step = getattr(self, self.counter)._data + np.int32(1)
            getattr(self, self.counter).adopt(step)
        for number, (rate, option) in enumerate(zip(rates, options, strict=True)):
            for i in range(self.group_start_id[number], self.group_start_id[number + 1]):
                g = self._ascent_and_decay(self.parameters[i]._data, gradients[i]._data, option)
                self._update_one(i, g, rate._data, option, step)
        return True

    def _ascent_and_decay(self, w: Array, g: Array, option: dict[str, Any]) -> Array:
        """Return the gradient of the step: -g to maximize, plus weight_decay · w unless the rule applies the decay itself."""
        g = (-g if option.get("maximize") else g).astype(w.dtype)
        if option["weight_decay"] and not self.decoupled:
            g = g + np.asarray(option["weight_decay"], w.dtype) * w
        return g

    def _decay_weight(self, weight_decay: float, params: Sequence[Parameter], gradients: Sequence[Tensor]) -> Any:
        """Return g + weight_decay · w for each Parameter, for users' own optimizers."""
        if not weight_decay:
            return gradients
        pairs = zip(params, gradients, strict=True)
        return tuple(
            [wrap(g._data + np.asarray(weight_decay, g._data.dtype) * p._data.astype(g._data.dtype)) for p, g in pairs]
        )

    def __repr__(self) -> str:
        lines = [f"{self.cls_name} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            shown = {k: v.value() if isinstance(v, Parameter) else v for k, v in group.items() if k != "params"}
            lines.extend(f"    {key}: {shown[key]}" for key in sorted(shown))
        return "\n".join(lines) + ")"
