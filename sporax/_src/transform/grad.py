"""`grad`: the gradient of a function of Tensors as another function of Tensors, compiled as a whole in GRAPH_MODE."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeAlias, TypeVar, overload

from sporax._src.core.parameter import Parameter
from sporax._src.core.stateful import Stateful
from sporax._src.core.tensor import Tensor
from sporax._src.transform.differentiate import Plan, split_sens
from sporax._src.transform.jit import Jit, compiles
from sporax._src.transform.recorded_forward import counts

_P = ParamSpec("_P")
_R = TypeVar("_R")
Weights: TypeAlias = Parameter | Sequence[Parameter] | None


def positions(grad_position: object) -> tuple[int, ...] | None:
    """Return the positions that `grad_position` names, checked."""
    if grad_position is None:
        return None
    indices = (
        (grad_position,) if isinstance(grad_position, int) and not isinstance(grad_position, bool) else grad_position
    )
    if not isinstance(indices, tuple) or not all(isinstance(p, int) and not isinstance(p, bool) for p in indices):
        raise TypeError(f"grad: grad_position must be None, an int or a tuple of ints, got {grad_position!r}.")
    for p in indices:
        if p < 0:
            raise ValueError(f"grad: grad_position must not be negative, got {grad_position}.")
    if len(set(indices)) != len(indices):
        raise ValueError(f"grad: grad_position must not name a position twice, got {grad_position}.")
    return indices


def weights_of(weights: object) -> tuple[list[Parameter] | None, bool]:
    """Return the weights as a list, and whether a single Parameter was given."""
    if weights is None:
        return None, False
    if isinstance(weights, Parameter):
        return [weights], True
    if not isinstance(weights, (tuple, list)) or not all(isinstance(w, Parameter) for w in weights):
        raise TypeError(
            f"grad: weights must be None, a Parameter, or a tuple or list of Parameters, got {weights!r:.80}."
        )
    return list(weights), False


def check_arguments(fn: object, grad_position: object, weights: object, **flags: object) -> None:
    """Raise unless there is a function, something with respect to which it is differentiated, and flags are bools."""
    if grad_position is None and weights is None:
        raise ValueError("`grad_position` and `weight` can not be None at the same time.")
    if not callable(fn):
        raise TypeError(f"grad: fn must be a function or a Cell, got {type(fn).__name__}.")
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(f"grad: {name} must be a bool, got {type(value).__name__}.")


def one(values: tuple[Any, ...]) -> Any:
    """Return the only item of a tuple, or the tuple."""
    return values[0] if len(values) == 1 else values


def _name_of(fn: Callable[..., Any]) -> str:
    return getattr(fn, "__name__", type(fn).__name__)


def _derived(
    fn: Callable[..., Any], body: Callable[..., Any], weights: Sequence[Parameter] | None
) -> Callable[..., Any]:
    """Return the function a user calls: compiled as a whole in GRAPH_MODE, step by step in PyNative mode."""
    functools.update_wrapper(body, fn, assigned=("__doc__",), updated=())
    body.__name__ = body.__qualname__ = f"grad({_name_of(fn)})"
    body.reaches = [fn, *(weights or ())]
    compiled = Jit(body)

    def after_grad(*args: object, **kwargs: object) -> Any:
        return compiled(*args, **kwargs) if compiles() else body(*args, **kwargs)

    functools.update_wrapper(after_grad, body, assigned=("__doc__", "__name__", "__qualname__"), updated=())
    after_grad.reaches = body.reaches
    after_grad.compiled = compiled
    return after_grad


@overload
def value_and_grad(
    fn: Callable[_P, _R], grad_position: int = 0, weights: None = None, has_aux: bool = False
) -> Callable[_P, tuple[_R, Tensor]]: ...


@overload
def value_and_grad(
    fn: Callable[_P, _R], grad_position: tuple[int, ...], weights: None = None, has_aux: bool = False
) -> Callable[_P, tuple[_R, tuple[Tensor, ...]]]: ...


@overload
def value_and_grad(
    fn: Callable[_P, _R], grad_position: None, weights: Parameter, has_aux: bool = False
) -> Callable[_P, tuple[_R, Tensor]]: ...


@overload
def value_and_grad(
    fn: Callable[_P, _R], grad_position: None, weights: Sequence[Parameter], has_aux: bool = False
) -> Callable[_P, tuple[_R, tuple[Tensor, ...]]]: ...


@overload
def value_and_grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]: ...


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes `fn` and its gradient: `(fn(*args), gradients)`.

    Args:
        fn: A function or Cell. Several outputs are differentiated as their sum, a non-scalar as the sum of its elements.
        grad_position: The index, or a tuple of indices, of positional arguments; None: no arguments.
        weights: A Parameter, a ParameterTuple or a list of Parameters to differentiate.
        has_aux: Differentiate the first output only and return the others along with it.
        return_ids: Pair each gradient with its position or Parameter name.
        sens_param: Take the sensitivity (cotangent of the output that is differentiated) as the last argument, or as the
            keyword `sens`.

    Returns:
        A function. Gradients nest as MindSpore's do: one position gives a Tensor, several a tuple; with weights,
        `(gradients of positions, gradients of weights)`.

    Raises:
        ValueError: If both `grad_position` and `weights` are None.
        TypeError: If an argument has an unexpected type.

    Examples:
        >>> import sporax as ms
        >>> ms.value_and_grad(lambda x: x * x)(ms.Tensor(3.0))
        (Tensor(shape=[], dtype=Float32, value= 9), Tensor(shape=[], dtype=Float32, value= 6))
    """
    check_arguments(fn, grad_position, weights, has_aux=has_aux, return_ids=return_ids, sens_param=sens_param)
    params, single = weights_of(weights)
    plan = Plan(positions(grad_position), params, has_aux, sens_param)
    return _derived(fn, _both(fn, plan, single, return_ids), params)


def _both(fn: Callable[..., Any], plan: Plan, single: bool, return_ids: bool) -> Callable[..., Any]:
    """Return the function that computes `fn` and its gradient, in the current mode."""

    def body(*args: object, **kwargs: object) -> Any:
        out, by_position, by_weight = plan.differentiate(fn, args, kwargs)
        inputs, named = split_sens(args, kwargs)[:2] if plan.sens else (args, kwargs)
        return out, _arrange(plan, (*inputs, *named.values()), by_position, by_weight, single, return_ids)

    return body


def _arrange(
    plan: Plan,
    values: Sequence[Any],
    by_position: tuple[Any, ...] | None,
    by_weight: tuple[Any, ...] | None,
    single: bool,
    return_ids: bool,
) -> Any:
    if return_ids:
        by_position = None if by_position is None else tuple(zip(plan.counted(values) or (), by_position, strict=True))
        by_weight = (
            None
            if by_weight is None
            else tuple([(w.name, g) for w, g in zip(plan.weights or (), by_weight, strict=True)])
        )
    first = None if by_position is None else one(by_position)
    second = None if by_weight is None else (by_weight[0] if single else by_weight)
    if second is None:
        return first
    return second if first is None else (first, second)


@overload
def grad(fn: Callable[_P, _R], grad_position: int = 0, weights: None = None) -> Callable[_P, Tensor]: ...


@overload
def grad(
    fn: Callable[_P, _R], grad_position: tuple[int, ...], weights: None = None
) -> Callable[_P, tuple[Tensor, ...]]: ...


@overload
def grad(fn: Callable[_P, _R], grad_position: None, weights: Parameter) -> Callable[_P, Tensor]: ...


@overload
def grad(
    fn: Callable[_P, _R], grad_position: None, weights: Sequence[Parameter]
) -> Callable[_P, tuple[Tensor, ...]]: ...


@overload
def grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]: ...


def grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Weights = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the gradient of `fn`.

    With respect to a complex z it is ∂L/∂Re z + i·∂L/∂Im z (PyTorch's convention, for every operator). With respect to
    integers it is a whole number of their dtype, or float32 if a function of integers alone returns floats (a / b).
    With respect to bools it is False.

    Args:
        fn: A function or Cell. Several outputs are differentiated as their sum, a non-scalar as the sum of its elements.
        grad_position: The index, or a tuple of indices, of positional arguments; None: no arguments.
        weights: A Parameter, a ParameterTuple or a list of Parameters to differentiate.
        has_aux: Differentiate the first output only; the function then returns `(gradients, other outputs)`.
        return_ids: Pair each gradient with its position or Parameter name.
        sens_param: Take the sensitivity (cotangent of the output that is differentiated) as the last argument, or as the
            keyword `sens`.

    Raises:
        ValueError: If both `grad_position` and `weights` are None.
        TypeError: If an argument has an unexpected type.

    Examples:
        >>> import sporax as ms
        >>> ms.grad(lambda x: x * x)(ms.Tensor(3.0))
        Tensor(shape=[], dtype=Float32, value= 6)
    """
    check_arguments(fn, grad_position, weights, has_aux=has_aux, return_ids=return_ids, sens_param=sens_param)
    params, single = weights_of(weights)
    plan = Plan(positions(grad_position), params, has_aux, sens_param, resumes=not has_aux)
    both = _both(fn, plan, single, return_ids)

    def body(*args: object, **kwargs: object) -> Any:
        out, grads = both(*args, **kwargs)
        return (grads, tuple(out[1:])) if has_aux else grads

    return _derived(fn, body, params)


class GradOperation:
    """The older form of `grad`: `GradOperation(...)(fn, weights)(*args)`.

    Args:
        get_all: Return the gradients of all Tensor arguments as a tuple (otherwise of the first).
        get_by_list: Return the gradients of `weights`.
        sens_param: Take the sensitivity (cotangent of the output) as the last argument, or as the keyword `sens`.

    Raises:
        TypeError: If an option is no bool.

    Examples:
        >>> import sporax as ms
        >>> ms.ops.GradOperation(get_all=True)(lambda x, y: x * y)(ms.Tensor(2.0), ms.Tensor(3.0))
        (Tensor(shape=[], dtype=Float32, value= 3), Tensor(shape=[], dtype=Float32, value= 2))
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(value, bool):
                raise TypeError(f"GradOperation: {name} must be a bool, got {type(value).__name__}.")
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param
        self._functions: dict[Any, Callable[..., Any]] = {}

    def __call__(self, fn: Callable[..., Any], weights: Weights = None) -> Callable[..., Any]:
        if not callable(fn):
            raise TypeError(f"GradOperation: fn must be a function or a Cell, got {type(fn).__name__}.")
        if self.get_by_list and weights is None:
            weights = list(fn.trainable_params()) if isinstance(fn, Stateful) else None
            if weights is None:
                raise ValueError("GradOperation: get_by_list=True needs weights.")
        key = (fn, tuple(map(id, weights)) if isinstance(weights, (list, tuple)) else id(weights))
        if key not in self._functions:
            self._functions[key] = self._make(fn, weights)
        return self._functions[key]

    def _make(self, fn: Any, weights: Weights) -> Callable[..., Any]:
        params, single = weights_of(weights if self.get_by_list else None)

        def body(*args: object, **kwargs: object) -> Any:
            inputs, named = split_sens(args, kwargs)[:2] if self.sens_param else (args, kwargs)
            plan = Plan(self._wanted([*inputs, *named.values()]), params, False, self.sens_param, resumes=True)
            _, by_position, by_weight = plan.differentiate(fn, args, kwargs)
            if by_weight is not None:
                by_weight = by_weight[0] if single else by_weight
                return (by_position, by_weight) if self.get_all else by_weight
            return by_position if self.get_all else by_position[0] if by_position else ()

        return _derived(fn, body, params)

    def _wanted(self, values: Sequence[Any]) -> tuple[int, ...] | None:
        if self.get_by_list and not self.get_all:
            return None
        differentiable = tuple([i for i, v in enumerate(values) if counts(v)])
        return differentiable if self.get_all else differentiable[:1]
