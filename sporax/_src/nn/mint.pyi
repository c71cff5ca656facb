"""The layers of `mint.nn` that hold nothing but their arguments: each calls its function of `mint.nn.functional`.

Written by `python tools/stubs.py`.
"""

import builtins
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.core.dtype import Type
from sporax._src.core.parameter import Parameter
from sporax._src.core.sparse import COOTensor, CSRTensor
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell import Cell
from sporax._src.ops.primitive import Primitive

_Operand: TypeAlias = Tensor | complex
_Axis: TypeAlias = int | Sequence[int] | None
_Shape: TypeAlias = int | Sequence[Any] | Tensor
_Dtype: TypeAlias = Type | type | np.dtype[Any] | str | None
from sporax.mint.nn import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from sporax.mint.nn import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from sporax.mint.nn import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from sporax.mint.nn import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from sporax.mint.nn import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from sporax.mint.nn import AvgPool1d as AvgPool1d
from sporax.mint.nn import AvgPool2d as AvgPool2d
from sporax.mint.nn import AvgPool3d as AvgPool3d
from sporax.mint.nn import BCELoss as BCELoss
from sporax.mint.nn import BCEWithLogitsLoss as BCEWithLogitsLoss
from sporax.mint.nn import ConstantPad1d as ConstantPad1d
from sporax.mint.nn import ConstantPad2d as ConstantPad2d
from sporax.mint.nn import ConstantPad3d as ConstantPad3d
from sporax.mint.nn import CrossEntropyLoss as CrossEntropyLoss
from sporax.mint.nn import ELU as ELU
from sporax.mint.nn import Flatten as Flatten
from sporax.mint.nn import Fold as Fold
from sporax.mint.nn import GELU as GELU
from sporax.mint.nn import GLU as GLU
from sporax.mint.nn import Hardshrink as Hardshrink
from sporax.mint.nn import Hardsigmoid as Hardsigmoid
from sporax.mint.nn import Hardswish as Hardswish
from sporax.mint.nn import Hardtanh as Hardtanh
from sporax.mint.nn import KLDivLoss as KLDivLoss
from sporax.mint.nn import L1Loss as L1Loss
from sporax.mint.nn import LogSigmoid as LogSigmoid
from sporax.mint.nn import LogSoftmax as LogSoftmax
from sporax.mint.nn import MSELoss as MSELoss
from sporax.mint.nn import MaxUnpool2d as MaxUnpool2d
from sporax.mint.nn import Mish as Mish
from sporax.mint.nn import NLLLoss as NLLLoss
from sporax.mint.nn import PixelShuffle as PixelShuffle
from sporax.mint.nn import ReLU as ReLU
from sporax.mint.nn import ReLU6 as ReLU6
from sporax.mint.nn import ReflectionPad1d as ReflectionPad1d
from sporax.mint.nn import ReflectionPad2d as ReflectionPad2d
from sporax.mint.nn import ReflectionPad3d as ReflectionPad3d
from sporax.mint.nn import ReplicationPad1d as ReplicationPad1d
from sporax.mint.nn import ReplicationPad2d as ReplicationPad2d
from sporax.mint.nn import ReplicationPad3d as ReplicationPad3d
from sporax.mint.nn import SELU as SELU
from sporax.mint.nn import SiLU as SiLU
from sporax.mint.nn import Sigmoid as Sigmoid
from sporax.mint.nn import SmoothL1Loss as SmoothL1Loss
from sporax.mint.nn import SoftMarginLoss as SoftMarginLoss
from sporax.mint.nn import Softmax as Softmax
from sporax.mint.nn import Softshrink as Softshrink
from sporax.mint.nn import Tanh as Tanh
from sporax.mint.nn import Threshold as Threshold
from sporax.mint.nn import Unfold as Unfold
from sporax.mint.nn import Upsample as Upsample
from sporax.mint.nn import UpsamplingBilinear2d as UpsamplingBilinear2d
from sporax.mint.nn import UpsamplingNearest2d as UpsamplingNearest2d
from sporax.mint.nn import ZeroPad1d as ZeroPad1d
from sporax.mint.nn import ZeroPad2d as ZeroPad2d
from sporax.mint.nn import ZeroPad3d as ZeroPad3d

__all__ = ['AdaptiveAvgPool1d', 'AdaptiveAvgPool2d', 'AdaptiveAvgPool3d', 'AdaptiveMaxPool1d', 'AdaptiveMaxPool2d', 'AvgPool1d', 'AvgPool2d', 'AvgPool3d', 'BCELoss', 'BCEWithLogitsLoss', 'ConstantPad1d', 'ConstantPad2d', 'ConstantPad3d', 'CrossEntropyLoss', 'Dropout2d', 'ELU', 'Flatten', 'Fold', 'GELU', 'GLU', 'Hardshrink', 'Hardsigmoid', 'Hardswish', 'Hardtanh', 'Identity', 'KLDivLoss', 'L1Loss', 'LogSigmoid', 'LogSoftmax', 'MSELoss', 'MaxUnpool2d', 'Mish', 'NLLLoss', 'PixelShuffle', 'ReLU', 'ReLU6', 'ReflectionPad1d', 'ReflectionPad2d', 'ReflectionPad3d', 'ReplicationPad1d', 'ReplicationPad2d', 'ReplicationPad3d', 'SELU', 'SiLU', 'Sigmoid', 'SmoothL1Loss', 'SoftMarginLoss', 'Softmax', 'Softshrink', 'Tanh', 'Threshold', 'Unfold', 'Upsample', 'UpsamplingBilinear2d', 'UpsamplingNearest2d', 'ZeroPad1d', 'ZeroPad2d', 'ZeroPad3d']

class Dropout2d(Cell):
    def __init__(self, p: float = 0.5) -> None: ...
    def construct(self, input: _Operand) -> Tensor: ...
class Identity(Cell):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def construct(self, input: Any) -> Any: ...
