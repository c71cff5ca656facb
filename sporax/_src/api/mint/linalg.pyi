"""The namespace `mint.linalg`: views of the op table with torch's signatures.

Written by `python tools/stubs.py`.
"""

import builtins
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from sporax._src.core.dtype import Type
from sporax._src.core.tensor import Tensor

_Operand: TypeAlias = Tensor | complex
_Axis: TypeAlias = int | Sequence[int] | None
_Shape: TypeAlias = int | Sequence[Any] | Tensor
_Dtype: TypeAlias = Type | type | np.dtype[Any] | str | None

__all__ = ['inv', 'matrix_norm', 'norm', 'qr', 'vector_norm']

def inv(input: _Operand) -> Tensor: ...
def matrix_norm(A: _Operand, ord: Any = 'fro', dim: _Axis = ..., keepdim: bool = False, *, dtype: _Dtype = None) -> Tensor: ...
def norm(A: _Operand, ord: Any = None, dim: _Axis = None, keepdim: bool = False, *, dtype: _Dtype = None) -> Tensor: ...
def qr(A: _Operand, mode: str = 'reduced') -> tuple[Tensor, Tensor]: ...
def vector_norm(x: _Operand, ord: Any = 2, dim: _Axis = None, keepdim: bool = False, *, dtype: _Dtype = None) -> Tensor: ...
LINALG: dict[str, Any]
