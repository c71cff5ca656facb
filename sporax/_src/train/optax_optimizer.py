"""OptaxOptimizer: a transformation of optax as an optimizer of sporax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.errors import describe
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.optim.optimizer import LearningRate, Optimizer
from sporax._src.optim.update_rule import Params

__all__ = ["OptaxOptimizer"]


class OptaxOptimizer(Optimizer):
    r"""Updates Parameters by a gradient transformation of optax, in `Model`, `nn.TrainOneStepCell` and one's own loops.

    u, state ← transformation.update(g, state, w); w ← w + learning_rate · u. The transformation sees lists, in the order of the
    Parameters. Its state is in Parameters `optax.0.…`, so checkpoints have it.

    Args:
        params: The Parameters.
        transformation: What functions of optax return: an object with `init` and `update`.
        learning_rate: A factor of the updates, for schedules and callbacks. Default: 1.0; transformations have rates of their own.
        loss_scale: Gradients are divided by it first. Default: 1.0.

    Raises:
        TypeError: If `transformation` lacks `init` or `update`.

    Examples:
        >>> from typing import NamedTuple
        >>> import sporax as ms
        >>> class Descent(NamedTuple):  # as optax.sgd(0.5)
        ...     init = lambda self, params: ()
        ...     update = lambda self, grads, state, params: ([-0.5 * g for g in grads], state)
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.train.OptaxOptimizer([w], Descent())((ms.Tensor([2.0]),))
        >>> w.item()
        0.0

    See `optax's transformations <https://optax.readthedocs.io>`_.
    """

    def __init__(
        self, params: Params, transformation: Any, learning_rate: LearningRate = 1.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(learning_rate, params, loss_scale=loss_scale)
        if not callable(getattr(transformation, "init", None)) or not callable(getattr(transformation, "update", None)):
            raise TypeError(
                f"OptaxOptimizer: transformation must have init and update, as optax.adam(0.001) has, got "
                f"{describe(transformation)}."
            )
        self.transformation = transformation
        weights = self._weights()
        state = transformation.init(weights)
        jax.eval_shape(transformation.update, weights, state, weights)  # schedules change their own numbers at first
        leaves, self._structure = jax.tree_util.tree_flatten_with_path(state)
        self.state = ParameterTuple(
            Parameter(wrap(jnp.asarray(leaf)), f"optax.{number}{jax.tree_util.keystr(path)}", requires_grad=False)
            for number, (path, leaf) in enumerate(leaves)
        )

    def _weights(self) -> list[jax.Array]:
        return [param._data for param in self.parameters]

    def construct(self, gradients: Sequence[Tensor]) -> tuple[bool]:
        """Update every Parameter from its gradient, and count the step."""
        self._check_gradients(gradients)
        rates = self._each(self.get_lr())
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        scaled = [gradient._data for gradient in self.scale_grad(gradients)]
        state = jax.tree.unflatten(self._structure, [part._data for part in self.state])
        updates, state = self.transformation.update(scaled, state, self._weights())
        for param, update, rate in zip(self.parameters, updates, rates, strict=True):
            param.adopt((param._data + rate._data.reshape(()) * update).astype(param._data.dtype))
        for part, value in zip(self.state, jax.tree.leaves(state), strict=True):
            part.adopt(jnp.asarray(value).astype(part._data.dtype))
        return (True,)
