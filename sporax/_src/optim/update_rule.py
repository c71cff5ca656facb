"""The base of every optimizer: Parameters, slots of state for each of them, and `update`, the formula of one Parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.typing import Array
from sporax._src.core.parameter import ParameterTuple
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell

Params: TypeAlias = Iterable[Any]  # Parameters, or groups of them: dicts, which checkers may take for `list[object]`
Update = Callable[..., tuple[Array, dict[str, Array]]]


class UpdateRule(Cell):
    """The common base of both families of optimizers.

    Attributes:
        slots: The state of a rule for each Parameter: names and initial values.
        attributes: Other attribute names of some slots.
        update: The formula of one Parameter's step over arrays: `update(w, g, lr, state, ...)` returns the new w and the
            new values of the slots that change.
    """

    slots: dict[str, float] = {}
    attributes: dict[str, str] = {}
    update: Update | None = None
    parameters: Any = ()

    def _sporax_fingerprint(self) -> Any:
        """Return the state that graphs depend on (see `Stateful`), including the pipeline stages of the Parameters."""
        return super()._sporax_fingerprint(), [p.is_elsewhere for p in self.parameters]

    def _sporax_changed_since(self, fingerprint: Any) -> str:
        """Describe the change since `fingerprint` was taken (see `Stateful`)."""
        return super()._sporax_changed_since(fingerprint[0]) or "the stage of a pipeline that Parameters are in"

    def _make_slots(self) -> None:
        """Create the slots of Parameters that have none yet, called `moment1.fc.weight`."""
        for name, value in self.slots.items():
            have = getattr(self, name, ())
            new = ParameterTuple(self.parameters[len(have) :]).clone(prefix=name, init=value)
            setattr(self, name, ParameterTuple([*have, *new]))
        for name, slot in self.attributes.items():
            if slot in self.slots:
                setattr(self, name, getattr(self, slot))

    def _check_gradients(self, gradients: object) -> None:
        if not isinstance(gradients, (tuple, list)) or len(gradients) != len(self.parameters):
            got = len(gradients) if isinstance(gradients, (tuple, list)) else describe(gradients)
            raise ValueError(f"{self.cls_name}: expected a tuple of {len(self.parameters)} gradients, got {got}.")
        for param, grad in zip(self.parameters, gradients, strict=True):
            if not isinstance(grad, Tensor) or grad.shape != param.shape:
                want = f"the gradient of '{shown(param.name)}' must be a Tensor of shape {list(param.shape)}"
                raise ValueError(f"{self.cls_name}: {want}, got {describe(grad)}.")

    def _update_one(self, i: int, grad: Array, rate: Array, *rest: object) -> None:
        """Write the results of `update` for the i-th Parameter and its slots in their dtypes; skip those of other pipeline stages.

        Half precision is computed in float32: 0.999 and 1e-8 are 1 and 0 there.
        """
        assert self.update is not None
        param = self.parameters[i]
        if param.is_elsewhere:
            return
        states = {name: getattr(self, name)[i] for name in self.slots}
        dtype = max(param._data.dtype, np.dtype(np.float32), key=lambda d: d.itemsize)
        w, g, lr = (x.astype(dtype) for x in (param._data, grad, rate))
        new, changed = self.update(w, g, lr, {name: s._data.astype(dtype) for name, s in states.items()}, *rest)
        param.adopt(new.astype(param._data.dtype))
        for name, value in changed.items():
            states[name].adopt(jnp.asarray(value).astype(states[name]._data.dtype))


def numbers(w: Array, *values: Array | Tensor) -> list[Any]:
    """Return numbers in the dtype that a Parameter is computed in; those of Tensors of one element too."""
    return [np.asarray(_number(v), w.dtype) for v in values]


def float32(value: float | Tensor) -> Any:
    """Return a number, or that of a Tensor of one element, in float32."""
    return np.float32(_number(value))


def _number(value: object) -> Any:
    return np.asarray(value._data).reshape(()) if isinstance(value, Tensor) else value


def distinct(values: Sequence[Any]) -> list[Any]:
    """Return the objects among `values`, each once."""
    return list({id(v): v for v in values}.values())
