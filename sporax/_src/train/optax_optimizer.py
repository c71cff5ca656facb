"""OptaxOptimizer: a transformation of optax as an optimizer of sporax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.optim.optimizer import LearningRate, Optimizer
from sporax._src.optim.update_rule import Params

__all__ = ["OptaxOptimizer"]


class OptaxOptimizer(Optimizer):
    r"""Updates Parameters by a gradient transformation of optax, in `Model`, `nn.TrainOneStepCell` and one's own loops.

    u, state ← transformation.update(g, state, w); w ← w + learning_rate · u. The transformation sees dicts with the names of the
    Parameters, so masks and labels may be such dicts. Its state is in Parameters, so checkpoints have it. It begins with the
    weights that the Parameters have now; load a checkpoint of the network before.

    Args:
        params: Parameters or groups (see `Optimizer`).
        transformation: What functions of optax return: an object with `init` and `update`.
        learning_rate: A factor of the updates, for schedules and callbacks. Default: 1.0; transformations have rates of their own.
        loss_scale: Gradients are divided by it first. Default: 1.0.

    Raises:
        TypeError: If `transformation` lacks `init` or `update`, needs more than gradients (the loss, or a function of it),
            or changes the structure or the dtypes of its state.

    Examples:
        >>> from typing import NamedTuple
        >>> import sporax as ms
        >>> class Descent(NamedTuple):  # as optax.sgd(0.5)
        ...     init = lambda self, params: ()
        ...     update = lambda self, grads, state, params: ({name: -0.5 * g for name, g in grads.items()}, state)
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
        state = jax.tree.map(jnp.asarray, transformation.init(self._weights()))
        self._check(state)
        leaves, self._structure = jax.tree_util.tree_flatten_with_path(state)
        # Keys of random numbers are of no dtype that a Parameter has; their data are.
        self._keys = {k: jax.random.key_impl(leaf) for k, (_, leaf) in enumerate(leaves) if _is_key(leaf)}
        self.state = ParameterTuple(
            Parameter(wrap(_data(leaf)), f"optax{jax.tree_util.keystr(path)}", requires_grad=False)
            for path, leaf in leaves
        )

    def _check(self, state: Any) -> None:
        """Refuse a transformation that cannot be updated from gradients alone. Schedules change their own numbers at first."""
        weights = self._weights()
        try:
            found = jax.eval_shape(self.transformation.update, weights, state, weights)
        except TypeError as error:
            raise TypeError(f"OptaxOptimizer: the transformation does not take gradients alone: {error}") from error
        _compare("updates", weights, found[0])
        _compare("a state", state, found[1])

    def _weights(self) -> dict[str, Array]:
        return {param.name: param._data for param in self.parameters}

    def construct(self, gradients: Sequence[Tensor]) -> tuple[bool]:
        """Update every Parameter from its gradient, and count the step."""
        gradients = self._prepared(gradients)
        rates = self._each(self.get_lr())
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        weights = self._weights()
        parts = [self._leaf(k, part._data) for k, part in enumerate(self.state)]
        updates, state = self.transformation.update(
            dict(zip(weights, [gradient._data for gradient in gradients], strict=True)),
            jax.tree.unflatten(self._structure, parts),
            weights,
        )
        for param, rate in zip(self.parameters, rates, strict=True):
            update = rate._data.reshape(()) * updates[param.name]
            param.adopt((param._data + update).astype(param._data.dtype))
        for part, value in zip(self.state, jax.tree.leaves(state), strict=True):
            part.adopt(_data(value).astype(part._data.dtype))
        return (True,)

    def _leaf(self, number: int, data: Array) -> Array:
        return jax.random.wrap_key_data(data, impl=self._keys[number]) if number in self._keys else data


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _data(leaf: Any) -> Array:
    return jax.random.key_data(leaf) if _is_key(leaf) else jnp.asarray(leaf)


def _kind(leaf: Any) -> str:
    kinds = {"float": jnp.floating, "int": jnp.integer, "complex": jnp.complexfloating, "key": jax.dtypes.prng_key}
    found = [name for name, kind in kinds.items() if jnp.issubdtype(leaf.dtype, kind)]
    return f"{(found or [leaf.dtype])[0]}{list(leaf.shape)}"


def _compare(what: str, expected: Any, got: Any) -> None:
    """Refuse results of another structure, or whose leaves have other shapes or are numbers of another kind."""
    before, after = jax.tree.map(_kind, expected), jax.tree.map(_kind, got)
    if before != after:
        raise TypeError(
            f"OptaxOptimizer: update of the transformation must return {what} like what it takes, {before}, got {after}."
        )
