"""A formula of a distribution, written over arrays, becomes the method that evaluates it on Tensors.

    class Exponential(Parametric):
        @of_value
        def _log_prob(value: Array, rate: Array) -> Array:
            return jnp.log(rate) - rate * value

`Exponential(2.0)._log_prob(x)` takes the rate from the constructor, `Exponential()._log_prob(x, rate)` from the call. One
formula is one operator: PyNative mode compiles it once per shape. Operands have one dtype when a formula sees them, and
parameters have one shape.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal
from sporax._src.ops.array.cast import cast

Formula = Callable[..., Array]
Method = Callable[..., Tensor]


def operator(formula: Formula, lone: int) -> Callable[..., Tensor]:
    """Return a formula as a function over Tensors: the first `lone` operands keep their shapes, the others share one."""
    names = _operands(formula)

    @functools.wraps(formula)
    def fn(**operands: object) -> Array:
        arrays = unify(*[operands[n] for n in names])
        arrays = (*arrays[:lone], *jnp.broadcast_arrays(*arrays[lone:]))
        return formula(**{**operands, **dict(zip(names, arrays, strict=True))})

    return internal(formula.__qualname__.replace("._", "."))(fn)


def _operands(formula: Formula) -> list[str]:
    return [name for name, kind in formula.__annotations__.items() if kind == "Array" and name != "return"]


def bind(name: str, names: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Return the arguments in the order of `names`, None where there is none.

    Raises:
        TypeError: If there are too many, or one has an unknown name or two values.
    """
    if len(args) > len(names):
        raise TypeError(f"{name}: expected at most {len(names)} arguments ({', '.join(names)}), got {len(args)}.")
    bound = dict(zip(names, args, strict=False))
    for key, value in kwargs.items():
        if key not in names or key in bound:
            wrong = "unknown" if key not in names else "given twice"
            raise TypeError(f"{name}: argument '{key}' is {wrong}; the arguments are ({', '.join(names)}).")
        bound[key] = value
    return [bound.get(n) for n in names]


def of_value(formula: Formula) -> Method:
    """Make `formula(value, *parameters)` the method `(value, *parameters)`."""
    run, names = operator(formula, 1), _operands(formula)[1:]

    @functools.wraps(formula)
    def method(self: Any, value: Tensor, *args: object, **kwargs: object) -> Tensor:
        return run(self._operand(value), *self._with_defaults(bind(formula.__qualname__, names, args, kwargs)))

    return method


def of_parameters(formula: Formula) -> Method:
    """Make `formula(*parameters)` the method `(*parameters)`."""
    run, names = operator(formula, 0), _operands(formula)

    @functools.wraps(formula)
    def method(self: Any, *args: object, **kwargs: object) -> Tensor:
        return run(*self._with_defaults(bind(formula.__qualname__, names, args, kwargs)))

    return method


def of_two(formula: Formula) -> Method:
    """Make `formula(*parameters of b, *parameters of a)` the method `(dist, *parameters of b, *parameters of a)`."""
    names = _operands(formula)
    half = len(names) // 2
    run = operator(formula, 0)

    @functools.wraps(formula)
    def method(self: Any, dist: str, *args: object, **kwargs: object) -> Tensor:
        self._same_kind(dist)
        arguments = bind(formula.__qualname__, names, args, kwargs)
        other = [self._tensor(x, n) for x, n in zip(arguments[:half], names[:half], strict=True)]
        return run(*[cast(x, self.parameter_type) for x in other], *self._with_defaults(arguments[half:]))

    method.names = names  # type: ignore[attr-defined]
    return method


def draws(formula: Formula) -> Method:
    """Make `formula(key, shape, *parameters, seed)` the method `(shape, *parameters)`; `shape` is that of all draws."""
    run, names = operator(formula, 0), ["shape", *_operands(formula)]

    @functools.wraps(formula)
    def method(self: Any, *args: object, **kwargs: object) -> Tensor:
        shape, *own = bind(formula.__qualname__, names, args, kwargs)
        own = self._with_defaults(own)
        out = run(self._sizes(() if shape is None else shape), *own, self.seed)
        return cast(out, self.dtype)

    return method
