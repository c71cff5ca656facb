"""Distribution: the common methods of probability distributions, derived from the rules of a subclass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import Type
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.ops.array.cast import cast
from sporax._src.ops.array.shape import broadcast_to
from sporax._src.ops.math.arithmetic import sqrt, square
from sporax._src.ops.math.elementwise import exp, log

FLOATS = (mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16)
INTEGERS = tuple(mstype.by_name(f"{kind}{bits}") for kind in ("Int", "UInt") for bits in (8, 16, 32, 64))


def _same(x: Tensor) -> Tensor:
    return x


def _rest(x: Tensor) -> Tensor:
    return 1.0 - x


# How each quantity follows from the rules that a subclass may state, best first.
_WAYS: dict[str, tuple[tuple[str, Callable[[Tensor], Tensor]], ...]] = {
    "prob": (("_prob", _same), ("_log_prob", exp)),
    "log_prob": (("_log_prob", _same), ("_prob", log)),
    "cdf": (
        ("_cdf", _same),
        ("_log_cdf", exp),
        ("_survival_function", _rest),
        ("_log_survival", lambda x: 1.0 - exp(x)),
    ),
    "survival_function": (
        ("_survival_function", _same),
        ("_log_survival", exp),
        ("_cdf", _rest),
        ("_log_cdf", lambda x: 1.0 - exp(x)),
    ),
    "log_cdf": (
        ("_log_cdf", _same),
        ("_cdf", log),
        ("_survival_function", lambda x: log(1.0 - x)),
        ("_log_survival", lambda x: log(1.0 - exp(x))),
    ),
    "log_survival": (
        ("_log_survival", _same),
        ("_survival_function", log),
        ("_cdf", lambda x: log(1.0 - x)),
        ("_log_cdf", lambda x: log(1.0 - exp(x))),
    ),
    "mean": (("_mean", _same),),
    "mode": (("_mode", _same),),
    "sd": (("_sd", _same), ("_var", sqrt)),
    "var": (("_var", _same), ("_sd", square)),
    "entropy": (("_entropy", _same),),
    "kl_loss": (("_kl_loss", _same),),
    "cross_entropy": (("_cross_entropy", _same),),
    "sample": (("_sample", _same),),
    "get_dist_args": (("_get_dist_args", _same),),
    "get_dist_type": (("_get_dist_type", _same),),
}


class Distribution(Cell):
    """The base of probability distributions.

    A subclass defines rules, from which the methods follow: one of `_log_prob` and `_prob`; one of `_cdf`, `_log_cdf`,
    `_survival_function` and `_log_survival`; one of `_sd` and `_var`; and `_mean`, `_mode`, `_entropy`, `_kl_loss`,
    `_cross_entropy`, `_sample`. A rule takes the value (if it has one) and then the parameters, each None unless it was
    passed at the call; `_check_param_type` then inserts the constructor's parameters.

    Args:
        seed: Selects a generator of random numbers for `sample`; 0 or None is the default one.
        dtype: The dtype of samples (and, if it is a float dtype, of values).
        name: The name in messages.
        param: The arguments of the constructor; `param["param_dict"]` holds the parameters of the distribution.

    Raises:
        TypeError: If `name` is not a string, or the parameters have different dtypes.
        ValueError: If `seed` is no integer >= 0.

    Examples:
        >>> import sporax as ms
        >>> class Triangle(ms.nn.probability.distribution.Distribution):
        ...     def __init__(self):
        ...         super().__init__(0, ms.float32, "Triangle", {"param_dict": {}})
        ...     def _cdf(self, value):
        ...         return value * value
        >>> Triangle().survival_function(ms.Tensor([0.5])).asnumpy()
        array([0.75], dtype=float32)
    """

    # What rules written after MindSpore's compute with.
    exp_base, log_base = staticmethod(exp), staticmethod(log)
    sq_base, sqrt_base = staticmethod(square), staticmethod(sqrt)
    cast_base, dtype_base, shape_base = holds("Cast"), holds("DType"), holds("Shape")
    broadcast = staticmethod(lambda x, target: broadcast_to(x, target.shape))

    def __init__(self, seed: int | None, dtype: Type, name: str, param: dict[str, Any]) -> None:
        super().__init__()
        if not isinstance(name, str):
            raise TypeError(f"{type(self).__name__}: name must be a string, got {name!r}.")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise ValueError(f"For '{name}', the 'seed' must be int and must >= 0, but got {seed!r}.")
        parameters = param.get("param_dict", {})
        self._name, self._dtype, self._seed = name, dtype, seed or 0
        self._parameters = {k: v for k, v in param.items() if k != "self" and not k.startswith("_")}
        self.parameter_type = _dtype_of(parameters, dtype)
        self._batch_shape = shape_of(parameters)
        self._broadcast_shape = self._batch_shape
        self._is_scalar_batch = all(v is None or isinstance(v, (int, float)) for v in parameters.values())
        self._reset_parameters()

    name = property(lambda self: self._name, doc="The name in messages.")
    dtype = property(lambda self: self._dtype, doc="The dtype of samples.")
    seed = property(lambda self: self._seed, doc="The seed of samples.")
    parameters = property(lambda self: self._parameters, doc="The arguments of the constructor.")
    is_scalar_batch = property(lambda self: self._is_scalar_batch, doc="Whether all parameters are Python numbers.")
    batch_shape = property(lambda self: self._batch_shape, doc="The shape of the parameters; None if one is missing.")
    broadcast_shape = property(lambda self: self._broadcast_shape, doc="The shape of one draw; None if unknown.")

    # --- parameters ---------------------------------------------------------------------------------------------------

    def _reset_parameters(self) -> None:
        self.default_parameters: list[Tensor | None] = []
        self.parameter_names: list[str] = []

    def _add_parameter(self, value: Tensor | ArrayLike | None, name: str) -> Tensor | None:
        """Store a parameter (None: each call passes it) and return it as a Tensor."""
        tensor = None if value is None else _as_tensor(value, self.parameter_type)
        self.default_parameters.append(tensor)
        self.parameter_names.append(name)
        return tensor

    def _with_defaults(self, values: list[Any]) -> list[Tensor]:
        """Return the parameters of a call, with the constructor's in place of None."""
        chosen = []
        for value, name, default in zip(values, self.parameter_names, self.default_parameters, strict=True):
            parameter = default if value is None else self._tensor(value, name)
            if parameter is None:
                raise TypeError(
                    f"the type {name} must be subclass of Tensor. "
                    "It can not be None since it is not specified during initialization."
                )
            chosen.append(cast(parameter, self.parameter_type))
        return chosen

    def _check_param_type(self, *args: Tensor | None) -> Any:
        """Return the parameters of a call, in one shape and dtype; a single one without a tuple."""
        chosen = self._with_defaults(list(args))
        shape = np.broadcast_shapes(*[x.shape for x in chosen])
        out = tuple([x if x.shape == shape else broadcast_to(x, shape) for x in chosen])
        return out[0] if len(out) == 1 else out

    def _tensor(self, value: object, name: str) -> Tensor:
        if not isinstance(value, Tensor):
            raise TypeError(f"For {name}, input type must be a Tensor or Parameter.")
        return value

    _check_value = _tensor

    def checktuple(self, x: object, name: str) -> tuple[Any, ...]:
        """Return a tuple; TypeError for everything else."""
        if not isinstance(x, tuple):
            raise TypeError(f"For {name}, the input must be a tuple, got {describe(x)}.")
        return x

    def checktensor(self, x: object, name: str) -> Tensor | None:
        """Return a Tensor or None; TypeError for everything else."""
        return None if x is None else self._tensor(x, name)

    def _operand(self, value: object) -> Tensor:
        """Return a value in the dtype in which it is compared with the parameters."""
        dtype = self._dtype if self._dtype in FLOATS else self.parameter_type
        return cast(self._tensor(value, "value"), dtype)

    def _sizes(self, shape: object) -> tuple[int, ...]:
        if not isinstance(shape, tuple):
            raise TypeError("For shape, input type must be a tuple.")
        return shape

    def _same_kind(self, dist: str) -> None:
        if dist is None:
            raise ValueError("Input dist must be a constant which is not None.")
        if dist != self.get_dist_type():
            raise ValueError(f"Expected dist input is {self.get_dist_type()}, but got {dist}.")

    # --- quantities ---------------------------------------------------------------------------------------------------

    def _find(self, quantity: str, *args: Any, **kwargs: Any) -> Any:
        for rule, then in _WAYS.get(quantity, ()):
            if (method := getattr(self, rule, None)) is not None:
                return then(method(*args, **kwargs))
        raise NotImplementedError(f"{quantity} is not implemented for {self.name} distribution.")

    def prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the density, or the probability, of a value."""
        return self._find("prob", value, *args, **kwargs)

    def log_prob(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the logarithm of `prob`."""
        return self._find("log_prob", value, *args, **kwargs)

    def cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the probability of at most `value`."""
        return self._find("cdf", value, *args, **kwargs)

    def log_cdf(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the logarithm of `cdf`."""
        return self._find("log_cdf", value, *args, **kwargs)

    def survival_function(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the probability of more than `value`."""
        return self._find("survival_function", value, *args, **kwargs)

    def log_survival(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the logarithm of `survival_function`."""
        return self._find("log_survival", value, *args, **kwargs)

    def mean(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the mean."""
        return self._find("mean", *args, **kwargs)

    def mode(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the most probable value."""
        return self._find("mode", *args, **kwargs)

    def sd(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the standard deviation."""
        return self._find("sd", *args, **kwargs)

    def var(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the variance."""
        return self._find("var", *args, **kwargs)

    def entropy(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the entropy H(a)."""
        return self._find("entropy", *args, **kwargs)

    def kl_loss(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """Return KL(a‖b) of this distribution a and the distribution b, of the kind `dist` and parameters `args`."""
        return self._find("kl_loss", dist, *args, **kwargs)

    def cross_entropy(self, dist: str, *args: Any, **kwargs: Any) -> Tensor:
        """Return H(a, b) = H(a) + KL(a‖b)."""
        return self._find("cross_entropy", dist, *args, **kwargs)

    def sample(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return draws of shape `shape + broadcast_shape`."""
        return self._find("sample", *args, **kwargs)

    def get_dist_args(self, *args: Any, **kwargs: Any) -> Any:
        """Return the parameters, with the constructor's in place of missing ones."""
        return self._find("get_dist_args", *args, **kwargs)

    def get_dist_type(self) -> str:
        """Return the kind of distribution, as `kl_loss` takes it."""
        return self._find("get_dist_type")

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Return the quantity called `name`: `dist("log_prob", value)` is `dist.log_prob(value)`."""
        return self._find(name, *args, **kwargs)


def _as_tensor(value: Tensor | ArrayLike, dtype: Type) -> Tensor:
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool):
        raise TypeError("Input cannot be Type Bool")
    if isinstance(value, (Tensor, np.ndarray, list, int, float)):
        return Tensor(value, dtype)
    raise TypeError(f"Unable to convert input of type {type(value)} to a Tensor of type {dtype}")


def _dtype_of(parameters: dict[str, Any], hint: Type | None) -> Type:
    """Return the dtype of the parameters: that of the arrays among them, else `hint`; float32 for other than floats."""
    common = None
    for name, value in parameters.items():
        if hasattr(value, "dtype"):
            dtype = mstype.from_numpy(value.dtype) if isinstance(value, np.ndarray) else value.dtype
            if common is not None and dtype != common:
                raise TypeError(f"{name} should have the same dtype as other arguments.")
            common = dtype
    if common is None:
        return hint if hint is not None and hint in FLOATS else mstype.float32
    return mstype.float32 if common in INTEGERS or common == mstype.float64 else common


def shape_of(parameters: dict[str, Any]) -> tuple[int, ...] | None:
    """Return the common shape of parameters; None if one is missing."""
    if any(v is None for v in parameters.values()):
        return None
    return np.broadcast_shapes(*[np.shape(v) if not isinstance(v, Tensor) else v.shape for v in parameters.values()])
