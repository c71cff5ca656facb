"""Layers and checks below the transformer of MindSpore 1.x."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from sporax import Parameter, Tensor, float16, float32, nn
from sporax._src.compat.operators import ops
from sporax._src.compat.shims.checkparam import check_type_name
from sporax.common.initializer import initializer

__all__ = [
    "_Dropout",
    "_LayerInputCheck",
    "_LayerNorm",
    "_Linear",
    "_args_type_validator_check",
    "_check_input_dtype",
    "_check_past_none_input_none",
    "_valid_type_checks",
    "_valid_value_checks",
]


class _Dropout(nn.Cell):
    """Drops elements in training, keeping each with probability `keep_prob`."""

    def __init__(self, keep_prob: float = 0.5, dtype: object = float32) -> None:
        super().__init__()
        self.dropout = nn.Dropout(p=1.0 - keep_prob)

    def construct(self, x: Tensor) -> Tensor:
        return self.dropout(x)

    def shard(self, strategy: object) -> None:
        """Accept a strategy of parallel training."""


class _LayerNorm(nn.Cell):
    """(x − mean) / √(variance + eps) · gamma + beta along the last axis.

    Args:
        normalized_shape: The shape of gamma and beta.
        eps: Added to the variance. Default 1e-5.
        param_init_type: float32 or float16.
        is_self_defined: Accepted; it chooses between two ways to one result.

    Raises:
        TypeError: If `param_init_type` is another type.
    """

    def __init__(
        self,
        normalized_shape: Sequence[int],
        eps: float = 1e-5,
        param_init_type: Any = float32,
        is_self_defined: bool = False,
    ) -> None:
        super().__init__()
        if param_init_type not in (float32, float16):
            raise TypeError(f"_LayerNorm: param_init_type must be float32 or float16, got {param_init_type}.")
        self.gamma = Parameter(initializer("ones", normalized_shape, param_init_type), name="gamma")
        self.beta = Parameter(initializer("zeros", normalized_shape, param_init_type), name="beta")
        self.layer_norm = ops.LayerNorm(begin_norm_axis=-1, begin_params_axis=-1, epsilon=eps)

    def construct(self, x: Tensor) -> Tensor:
        return self.layer_norm(x, self.gamma, self.beta)[0]

    def shard(self, strategy: object) -> _LayerNorm:
        """Accept a strategy of parallel training and return the layer."""
        return self


class _Linear(nn.Cell):
    """activation(x · weight + bias) in `compute_dtype`, cast back to the type of x.

    Args:
        in_channels, out_channels: The sizes of the last axis before and after.
        weight_init, bias_init: Initializers.
        has_bias: Whether there is a bias.
        activation: The name of an activation, its class, or None.
        transpose_b: Whether the weight is (out_channels, in_channels). Default True.
        expert_num: 1; layers of several experts are not offered.
        param_init_type, compute_dtype: The types of the Parameters and of the product.

    Raises:
        ValueError: If `expert_num` is not 1.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        activation: Any = None,
        transpose_b: bool = True,
        expert_num: int = 1,
        outer_batch: int = 1,
        expert_group_size: int | None = None,
        param_init_type: Any = float32,
        compute_dtype: Any = float16,
    ) -> None:
        super().__init__()
        if expert_num != 1:
            raise ValueError(f"_Linear: layers of several experts are not offered, got expert_num={expert_num}.")
        shape = (out_channels, in_channels) if transpose_b else (in_channels, out_channels)
        self.in_channels, self.out_channels, self.dtype = in_channels, out_channels, compute_dtype
        self.weight = Parameter(initializer(weight_init, shape, param_init_type), name="weight")
        self.bias = (
            Parameter(initializer(bias_init, (out_channels,), param_init_type), name="bias") if has_bias else None
        )
        self.matmul = ops.MatMul(False, transpose_b)
        self.activation = nn.get_activation(activation) if isinstance(activation, str) else activation and activation()

    def construct(self, x: Tensor) -> Tensor:
        shape = (*x.shape[:-1], self.out_channels)
        out = self.matmul(x.reshape(-1, self.in_channels).astype(self.dtype), self.weight.astype(self.dtype))
        if self.bias is not None:
            out = out + self.bias.astype(self.dtype)
        if self.activation is not None:
            out = self.activation(out)
        return out.astype(x.dtype).reshape(shape)

    def shard(
        self, strategy_matmul: object = None, strategy_bias: object = None, strategy_activation: object = None
    ) -> _Linear:
        """Accept strategies of parallel training and return the layer."""
        return self


# --- checks -----------------------------------------------------------------------------------------------------------


def _args_type_validator_check(*type_args: object, **type_kwargs: object) -> Callable[..., Any]:
    """Return a decorator that calls, for each argument named, a check with its value and its name."""

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(fn)
        bound = signature.bind_partial(*type_args, **type_kwargs).arguments
        checks = bound.get("kwargs", bound)

        @functools.wraps(fn)
        def checked(*args: object, **kwargs: object) -> Any:
            arguments = signature.bind(*args, **kwargs).arguments
            for name, value in arguments.get("kwargs", arguments).items():
                if name in checks:
                    checks[name](value, name)
            return fn(*args, **kwargs)

        return checked

    return decorate


def _valid_type_checks(types: Sequence[Any], class_name: str) -> Callable[[Any, str], Any]:
    """Return a check that a value is an instance of one of some types."""
    return lambda value, name: check_type_name(name, type(value), types, class_name)


def _valid_value_checks(types: Sequence[Any], class_name: str) -> Callable[[Any, str], Any]:
    """Return a check that a value is one of some types."""
    return lambda value, name: check_type_name(name, value, types, class_name)


def _check_input_dtype(input_dtype: object, param_name: str, allow_dtypes: Sequence[Any], cls_name: str) -> None:
    """Check the type of an input."""
    check_type_name(param_name, input_dtype, allow_dtypes, cls_name)


def _check_past_none_input_none(
    use_past: bool, param_name: str, func_name: str, default_value: object, is_tensor: bool, is_default: bool
) -> bool:
    """Check that an input which belongs to `use_past` comes with it only.

    Raises:
        TypeError: If it is missing with `use_past`, or comes without.
    """
    if use_past and not is_tensor:
        raise TypeError(f"{func_name} {param_name} must be a tensor if use_past is True.")
    if not use_past and (is_tensor or not is_default):
        raise TypeError(f"{func_name} {param_name} must be {default_value} if use_past is False.")
    return True


class _LayerInputCheck:
    """Checks of the shapes of a transformer's inputs; each returns True or raises ValueError."""

    @staticmethod
    def check_shape_length(input_shape: Sequence[int], param_name: str, func_name: str, target_len: object) -> bool:
        """Check how many axes a shape has."""
        lengths = target_len if isinstance(target_len, list) else [target_len]
        if len(input_shape) not in lengths:
            raise ValueError(
                f"{func_name} {param_name} shape length must be one of {lengths} dimension, but got shape {input_shape}"
            )
        return True

    @staticmethod
    def check_shape_equal(input_shape: Sequence[int], param_name: str, func_name: str, target_shape: Any) -> bool:
        """Check for one of some shapes."""
        shapes = target_shape if isinstance(target_shape[0], list) else [target_shape]
        if list(input_shape) not in [list(shape) for shape in shapes]:
            raise ValueError(f"{func_name} {param_name} shape must be one of {shapes}, but got {list(input_shape)}")
        return True

    @staticmethod
    def check_shape_value_on_axis(
        input_shape: Sequence[int], dim: int, param_name: str, cls_name: str, target_value: int
    ) -> bool:
        """Check one size of a shape."""
        if input_shape[dim] != target_value:
            raise ValueError(
                f"{cls_name} {param_name} at {dim} shape must be {target_value}, but got {input_shape[dim]}"
            )
        return True

    @staticmethod
    def check_shape_equal_without_batch(
        input_shape: Sequence[int], param_name: str, func_name: str, target_shape: Sequence[int]
    ) -> bool:
        """Check a shape, (B · S, H) or (B, S, H), apart from the batch."""
        target = list(target_shape)
        fits = (
            list(input_shape)[1:] == target[1:]
            if len(input_shape) == len(target)
            else (len(input_shape) == 2 and input_shape[1] == target[-1] and input_shape[0] % target[-2] == 0)
        )
        if not fits:
            raise ValueError(
                f"{func_name} {param_name} shape must be {target} apart from the batch, got {list(input_shape)}"
            )
        return True
