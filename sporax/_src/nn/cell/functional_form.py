"""A Cell as a function: the types of its call, and a pure function of arrays for JAX's transforms and for optax.

A type checker takes a call of a Cell for one of its own `construct`. It looks `__call__` up as it does every attribute, so a
descriptor can say its type for each subclass. If `construct` has no annotations, a call takes anything; its result is inferred
(pyright) or unknown (mypy).
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import shown
from sporax._src.base.typing import Array
from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.transform.functional import Traced, functional, is_operand

_P = ParamSpec("_P")
_R = TypeVar("_R")
_R_co = TypeVar("_R_co", covariant=True)


class Constructs(Protocol[_P, _R_co]):
    """Has a method `construct`."""

    def construct(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co: ...


class Call(Generic[_P, _R_co]):
    """A method that takes and returns what a `construct` does. As a `Callable`, it would send mypy round in circles."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co: ...


class AsConstruct:
    """The type of `Cell.__call__`."""

    def __get__(self, cell: Constructs[_P, _R], owner: object = None) -> Call[_P, _R]: ...

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Where a Cell is given for a function: pyright asks no descriptor there."""


class FunctionalForm:
    """The part of a Cell that gives it as a function."""

    def parameters_and_names(self) -> Iterator[tuple[str, Parameter]]:
        """Yield Parameters with their names; see `Cell`."""
        raise NotImplementedError

    def functional(self, mutable: bool = False) -> tuple[Any, ...]:
        """Return the Cell as a pure function of arrays, and the values of its Parameters by name.

        Args:
            mutable: Whether the function takes and returns the Parameters that are not trained too, such as the means of
                BatchNorm.

        Returns:
            `(pure, trained)`, where `pure(trained, *args, **kwargs)` returns the result with arrays for Tensors; with
            `mutable`, `(pure, trained, others)`, where `pure(trained, others, *args, **kwargs)` returns
            `(result, others)`.

        Raises:
            ValueError: If the function is called with other names, or writes what it does not return: Parameters that
                are not trained, without `mutable`, or the state of random numbers.

        Examples:
            >>> import jax, sporax as ms
            >>> pure, trained = ms.nn.Dense(2, 1, weight_init="ones").functional()
            >>> grads = jax.grad(lambda p, x: pure(p, x).sum())(trained, jax.numpy.ones((3, 2)))
            >>> grads["weight"].tolist(), sorted(trained)
            ([[3.0, 3.0]], ['bias', 'weight'])
        """
        every = dict(self.parameters_and_names())
        trained = {name: p for name, p in every.items() if p.requires_grad}
        others = {name: p for name, p in every.items() if not p.requires_grad}
        names = {id(p): name for name, p in every.items()}

        def pure(values: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
            return _run(self, names, trained, values, args, kwargs)[0]

        def changing(
            values: dict[str, Any], rest: dict[str, Any], *args: Any, **kwargs: Any
        ) -> tuple[Any, dict[str, Any]]:
            result, written = _run(self, names, trained | others, {**values, **rest}, args, kwargs, set(others))
            return result, {**rest, **written}

        return (changing, _values(trained), _values(others)) if mutable else (pure, _values(trained))


def _values(parameters: dict[str, Parameter]) -> dict[str, Array]:
    return {name: jnp.array(p._data) for name, p in parameters.items()}  # copies: a training step may reuse the memory


def _is_array(value: object) -> bool:
    return isinstance(value, (jax.Array, np.ndarray)) or is_operand(value)


def _run(
    cell: Any,
    names: dict[int, str],
    parameters: dict[str, Parameter],
    values: dict[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    returned: Set[str] = frozenset(),
) -> tuple[Any, dict[str, Any]]:
    """Run a Cell with values for its Parameters; return the result and the values that it has written, by name.

    Args:
        cell: The Cell.
        names: The names of all its Parameters, by their ids.
        parameters: Those that get values.
        values: The values.
        args, kwargs: The arguments of the call.
        returned: The names of Parameters that the call may write.
    """
    if set(values) != set(parameters):
        differing = sorted(set(values) ^ set(parameters))
        raise ValueError(
            f"{type(cell).__name__}.functional: the values must have the names it gave; these differ: {differing}."
        )
    leaves: list[Any] = []
    structure = tree.flatten((args, kwargs), _is_array, leaves)
    arrays = [leaf._data if isinstance(leaf, Tensor) else jnp.asarray(leaf) for leaf in leaves]
    seen, states = Traced(), list(parameters.values())
    run = functional(cell, states, structure, seen, differentiates=True)
    out, written = run([jnp.asarray(values[name]) for name in parameters], arrays)
    changed = {names.get(id(state), ""): value for state, value in zip(seen.written, written, strict=True)}
    if lost := sorted(set(changed) - returned):
        what = (
            f"writes '{shown(lost[0])}'; use functional(mutable=True) or set_train(False)"
            if lost[0]
            else "draws random numbers; use set_train(False)"
        )
        raise ValueError(f"{type(cell).__name__}.functional: a call {what}.")
    result = tree.unflatten(seen.structure, iter(map(wrap, out)))
    return jax.tree.map(lambda t: t._data if is_tensor(t) else t, result, is_leaf=is_tensor), changed
