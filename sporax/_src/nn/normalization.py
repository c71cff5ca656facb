"""Normalisation layers with moving statistics: over the batch, and over single images."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.execution import current
from sporax._src.core.initializer import Initializer, InitializerLike
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.cell.precision import casting
from sporax._src.nn.checks import (
    bad_input,
    choice,
    flag,
    integer,
    label,
    of_type,
    parameter,
    positive,
    rank_input,
    within,
)
from sporax._src.nn.parallel.marked_operators import cut_as
from sporax._src.ops.array.cast import cast
from sporax._src.ops.nn import layer_kernels
from sporax._src.ops.nn.normalization import batch_norm_infer
from sporax._src.processes.parallel_context import get_auto_parallel_context

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    "SyncBatchNorm",
]  # fmt: skip


def _take(param: Parameter, value: Tensor) -> None:
    """Set a moving statistic to its new value, without its gradient history."""
    param._data = value._data


class _Moving(Cell):
    """A layer with moving statistics, which keep their precision under `to_float`."""

    _ranks: tuple[int, ...] = (4,)
    num_features: int
    eps: float

    def construct(self, x: Tensor) -> Tensor:
        rank_input(self, self._ranks, x=x)
        axis = 3 if getattr(self, "format", "") == "NHWC" else 1
        if x.shape[axis] != self.num_features:
            raise bad_input(
                self, f"axis {axis} of x must be num_features={self.num_features}, got {x.shape[axis]}.", x=x
            )
        dtype = current.get().compute_dtype
        if not isinstance(dtype, np.dtype):
            return self._normalize(x)
        x = cast(x, mstype.from_numpy(dtype))
        with casting(None):
            return self._normalize(x)

    def _normalize(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _moving(
        self,
        dtype: mstype.TypeLike,
        gamma_init: InitializerLike,
        beta_init: InitializerLike,
        mean_init: InitializerLike,
        var_init: InitializerLike,
        affine: bool,
    ) -> None:
        shape = (self.num_features,)
        self.moving_mean = parameter(mean_init, shape, dtype, "mean", False)
        self.moving_variance = parameter(var_init, shape, dtype, "variance", False)
        self.gamma = parameter(gamma_init, shape, dtype, "gamma", affine)
        self.beta = parameter(beta_init, shape, dtype, "beta", affine)

    def _shown(self, momentum: float) -> str:
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={momentum}, gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


class _BatchNorm(_Moving):
    """The base of batch normalisations."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: InitializerLike = "ones",
        beta_init: InitializerLike = "zeros",
        moving_mean_init: InitializerLike = "zeros",
        moving_var_init: InitializerLike = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.num_features = positive(self, "num_features", num_features)
        self.eps = eps
        self.momentum = 1.0 - within(self, "momentum", momentum, 0, 1)
        self.format = choice(self, "data_format", data_format, ("NCHW", "NHWC"))
        if use_batch_statistics is not None and not isinstance(use_batch_statistics, bool):
            raise ValueError(
                f"{label(self)}: use_batch_statistics must be a bool or None, got {describe(use_batch_statistics)}."
            )
        self.use_batch_statistics = use_batch_statistics
        self.gamma_init, self.beta_init = gamma_init, beta_init
        self.moving_mean_init, self.moving_var_init = moving_mean_init, moving_var_init
        self._moving(dtype, gamma_init, beta_init, moving_mean_init, moving_var_init, flag(self, "affine", affine))

    # This layer computes by one operator; MindSpore's layer computes it step by step.
    bn_train = holds("BatchNorm", True, own.eps, own.momentum, own.format)
    bn_infer = holds("BatchNorm", False, own.eps, data_format=own.format)
    shape, reshape, cast, dtype = holds("Shape"), holds("Reshape"), holds("Cast"), holds("DType")
    reduce_mean, square, sqrt = holds("ReduceMean", True), holds("Square"), holds("Sqrt")
    sub_mean, sub_var, mul_mean, mul_var = holds("Sub"), holds("Sub"), holds("Mul"), holds("Mul")
    assign_sub_mean, assign_sub_var = holds("AssignSub"), holds("AssignSub")
    parallel_mode = cached_property(lambda self: get_auto_parallel_context("parallel_mode"))

    def _normalize(self, x: Tensor) -> Tensor:
        from_batch = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        operands = x, self.gamma, self.beta, self.moving_mean, self.moving_variance
        if not from_batch:
            return cut_as(
                self,
                "bn_infer",
                lambda x, gamma, beta, mean, var: batch_norm_infer(x, mean, var, gamma, beta, self.eps, self.format),
                *operands,
            )
        y, mean, variance = cut_as(
            self,
            "bn_train",
            lambda x, gamma, beta, mean, var: layer_kernels.batch_norm_train(
                x, gamma, beta, mean, var, self.momentum, self.eps, self.format
            ),
            *operands,
        )
        _take(self.moving_mean, mean)
        _take(self.moving_variance, variance)
        return y

    def extend_repr(self) -> str:
        return self._shown(1.0 - self.momentum)


class BatchNorm2d(_BatchNorm):
    """Computes (x - E[x]) / √(Var[x] + eps) · gamma + beta, mean and variance taken per channel.

    In training they are those of the batch, and `moving_mean` and `moving_variance` become momentum · moving + (1 -
    momentum) · batch (with the unbiased variance). In inference they are the moving statistics.

    Args:
        num_features: The number of channels C.
        eps: Added to the variance.
        momentum: The share of the old moving statistics in the new ones, in [0, 1].
        affine: Whether `gamma` and `beta` need gradients.
        gamma_init, beta_init, moving_mean_init, moving_var_init: Initial values of the Parameters, shape (C,).
        use_batch_statistics: True: always those of the batch. False: always the moving ones. None: as described above.
        data_format: `"NCHW"` or `"NHWC"`.
        dtype: The dtype of the Parameters.

    Inputs:
        - **x** (Tensor) - Shape (N, C, H, W).

    Outputs:
        A Tensor of the same shape and dtype.

    Raises:
        TypeError: If `num_features` is not an integer.
        ValueError: If a value is out of range.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> ms.nn.BatchNorm2d(3)(ms.Tensor(np.ones((2, 3, 4, 4), np.float32))).shape
        (2, 3, 4, 4)
    """


class BatchNorm1d(_BatchNorm):
    """Computes batch normalisation of x, shape (N, C) or (N, C, L); see `BatchNorm2d`.

    Args:
        num_features: The number of channels C.
        eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init: As for `BatchNorm2d`.
        use_batch_statistics, data_format, dtype: As for `BatchNorm2d`.
    """

    _ranks = (2, 3)


class BatchNorm3d(Cell):
    """Computes batch normalisation of x, shape (N, C, D, H, W); its Parameters are those of its child `bn2d`.

    Args:
        num_features: The number of channels C.
        eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init: As for `BatchNorm2d`.
        use_batch_statistics, dtype: As for `BatchNorm2d`.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: InitializerLike = "ones",
        beta_init: InitializerLike = "zeros",
        moving_mean_init: InitializerLike = "zeros",
        moving_var_init: InitializerLike = "ones",
        use_batch_statistics: bool | None = None,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            "NCHW",
            dtype,
        )
        object.__setattr__(self.bn2d, "_ranks", (4, 5))

    shape, reshape = holds("Shape"), holds("Reshape")

    def construct(self, x: Tensor) -> Tensor:
        rank_input(self, (5,), x=x)
        return self.bn2d(x)


class SyncBatchNorm(_BatchNorm):
    """Computes batch normalisation of x, shape (N, C) or (N, C, H, W), over all devices; see `BatchNorm2d`.

    Args:
        num_features: The number of channels C.
        eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init: As for `BatchNorm2d`.
        use_batch_statistics, dtype: As for `BatchNorm2d`.
        process_groups: Lists of ranks that share their statistics; None: all ranks.
    """

    _ranks = (2, 4)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: InitializerLike = "ones",
        beta_init: InitializerLike = "zeros",
        moving_mean_init: InitializerLike = "zeros",
        moving_var_init: InitializerLike = "ones",
        use_batch_statistics: bool | None = None,
        process_groups: list[list[int]] | None = None,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            dtype=dtype,
        )
        for group in of_type(self, "process_groups", process_groups or [], list):
            for rank in of_type(self, "each element of process_groups", group, list):
                integer(self, "a rank in process_groups", rank, 0)
        self.process_groups = process_groups


class _InstanceNorm(_Moving):
    """The base of instance normalisations."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: InitializerLike = "ones",
        beta_init: InitializerLike = "zeros",
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.num_features = positive(self, "num_features", num_features)
        self.eps = of_type(self, "eps", eps, float)
        self.momentum = within(self, "momentum", of_type(self, "momentum", momentum, float), 0, 1)
        for name, init in (("gamma_init", gamma_init), ("beta_init", beta_init)):
            of_type(self, name, init, (Tensor, int, float, str, Initializer))
            if isinstance(init, Tensor) and init.dtype != mstype.float32:
                raise TypeError(f"{label(self)}: {name} must be of dtype float32, got {describe(init)}.")
        self._moving(dtype, gamma_init, beta_init, "zeros", "ones", flag(self, "affine", affine))

    def _normalize(self, x: Tensor) -> Tensor:
        y, mean, variance = layer_kernels.instance_norm(
            x, self.gamma, self.beta, self.moving_mean, self.moving_variance, self.momentum, self.eps
        )
        if self.training:
            _take(self.moving_mean, mean)
            _take(self.moving_variance, variance)
        return y

    def extend_repr(self) -> str:
        return self._shown(self.momentum)


class InstanceNorm1d(_InstanceNorm):
    """Computes instance normalisation of x, shape (N, C, L); see `InstanceNorm2d`.

    Args:
        num_features: The number of channels C.
        eps, momentum, affine, gamma_init, beta_init, dtype: As for `InstanceNorm2d`.
    """

    _ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Computes (x - E[x]) / √(Var[x] + eps) · gamma + beta, mean and variance taken per image and channel.

    In training `moving_mean` and `moving_variance` become (1 - momentum) · moving + momentum · batch average.

    Args:
        num_features: The number of channels C.
        eps: Added to the variance.
        momentum: The share of the batch in the new moving statistics, in [0, 1].
        affine: Whether `gamma` and `beta` need gradients.
        gamma_init, beta_init: Initial values of the Parameters, shape (C,).
        dtype: The dtype of the Parameters.

    Inputs:
        - **x** (Tensor) - Shape (N, C, H, W).

    Outputs:
        A Tensor of the same shape and dtype.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range.
    """


class InstanceNorm3d(_InstanceNorm):
    """Computes instance normalisation of x, shape (N, C, D, H, W); see `InstanceNorm2d`.

    Args:
        num_features: The number of channels C.
        eps, momentum, affine, gamma_init, beta_init, dtype: As for `InstanceNorm2d`.
    """

    _ranks = (5,)
