"""Classes of `ops.auto_generate` that take the arguments of PyTorch, or those of a function."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import floating
from sporax._src.engine.table import internal
from sporax._src.ops.array.cast import cast
from sporax._src.ops.array.sorting import sort
from sporax._src.ops.nn.convolution import conv2d, conv3d
from sporax._src.ops.nn.convolution_transpose import conv_transpose2d

_STATISTICS = {
    "gels": ("residue",),
    "gelsy": ("rank",),
    "gelsd": ("residue", "rank", "singular"),
    "gelss": ("residue", "rank", "singular"),
}


@primitive("SortExt()")
def _sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> tuple[Tensor, Tensor]:
    """Return the elements in order along an axis, and their indices; the order is always stable."""
    values, indices = sort(input, dim, descending)
    return values, cast(indices, mstype.int64)


@primitive("Index()")
def _index(input: Tensor, indices: Any) -> Tensor:
    """Return the elements that Tensors of indices name, one for each of the first axes."""
    return input[tuple(indices)]


@primitive("Convolution()")
def _convolution(
    input: Tensor,
    weight: Tensor,
    bias: object = None,
    stride: object = 1,
    padding: object = 0,
    dilation: object = 1,
    transposed: bool = False,
    output_padding: object = 0,
    groups: int = 1,
) -> Tensor:
    """Return the convolution of two or three axes, or with `transposed` its transpose (of two)."""
    if transposed:
        return conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation)
    convolve = conv2d if input.ndim == 4 else conv3d
    return convolve(input, weight, bias, stride, "pad", padding, dilation, groups)


@primitive("LstsqV2()")
@internal("LstsqV2")
def _lstsq(A: Array, B: Array, driver: Static = None) -> tuple[Array, Array, Array, Array]:
    """Return the least squares solution of A · x = B, and the statistics that LAPACK's driver computes; others are empty.

    No gradient flows through the statistics: the squared residuals (by `gels`, `gelsd`, `gelss`, where A has more
    rows than columns), the rank (not by `gels`), the singular values (by `gelsd`, `gelss`). The default is `gelsy`.
    """
    method = "gelsy" if driver is None else driver.lower()
    if method not in _STATISTICS:
        raise ValueError(f"ops.LstsqV2: driver must be one of {', '.join(_STATISTICS)}, got {driver!r}.")
    columns = B if B.ndim == A.ndim else B[..., None]
    solve = jnp.linalg.lstsq
    for _ in A.shape[:-2]:
        solve = jax.vmap(solve)
    x, _, rank, singular = solve(floating(A, "A"), columns)
    residue = jax.lax.stop_gradient(jnp.sum((columns - A @ x) ** 2, axis=-2))
    x = x.reshape(*x.shape[:-1], *B.shape[A.ndim - 1 :])
    nothing = jnp.zeros(0, A.dtype)
    return (
        x,
        residue if "residue" in _STATISTICS[method] and A.shape[-2] > A.shape[-1] else nothing,
        rank.astype(jnp.int64) if "rank" in _STATISTICS[method] else nothing.astype(jnp.int64),
        jax.lax.stop_gradient(singular) if "singular" in _STATISTICS[method] else nothing,
    )


@primitive("SolveTriangular()")
@internal("SolveTriangular")
def _solve_triangular(
    a: Array, b: Array, trans: Static = 0, lower: Static = False, unit_diagonal: Static = False
) -> Array:
    """Return x with a · x = b for a triangular matrix; `trans` 1 or 2 solves with its (conjugate) transpose."""
    columns = b if b.ndim == a.ndim else b[..., None]
    return jax.scipy.linalg.solve_triangular(
        floating(a, "a"), columns, trans=trans, lower=lower, unit_diagonal=unit_diagonal
    ).reshape(b.shape)


def _cosines(name: str, transform: Any, x: Array, type: int, norm: Any, **along: Any) -> Array:
    """Return a cosine transform of real Tensors, or of the parts of complex ones."""
    if type != 2:
        raise ValueError(f"ops.{name}: type must be 2, got {type!r}.")
    if norm not in (None, "ortho"):
        raise ValueError(f"ops.{name}: norm must be 'ortho' or None, which is the same, got {norm!r}.")
    if jnp.iscomplexobj(x):
        return jax.lax.complex(*[transform(part, norm="ortho", **along) for part in (x.real, x.imag)])
    return transform(x if x.dtype == jnp.float64 else x.astype(jnp.float32), norm="ortho", **along)


@primitive("DCT()")
@internal("DCT")
def _dct(x: Array, type: Static = 2, n: Static = None, axis: Static = -1, norm: Static = None) -> Array:
    """Return the orthonormal cosine transform of type 2 along an axis, which is cut or filled with zeros to length `n`."""
    return _cosines("DCT", jax.scipy.fft.dct, x, type, norm, n=n, axis=axis)


@primitive("IDCT()")
@internal("IDCT")
def _idct(x: Array, type: Static = 2, n: Static = None, axis: Static = -1, norm: Static = None) -> Array:
    """Return the inverse of `DCT`."""
    return _cosines("IDCT", jax.scipy.fft.idct, x, type, norm, n=n, axis=axis)


@primitive("DCTN()")
@internal("DCTN")
def _dctn(x: Array, type: Static = 2, s: Static = None, axes: Static = None, norm: Static = None) -> Array:
    """Return the orthonormal cosine transform of type 2 along some axes, all by default, of lengths `s`."""
    return _cosines("DCTN", jax.scipy.fft.dctn, x, type, norm, s=s, axes=axes)


@primitive("IDCTN()")
@internal("IDCTN")
def _idctn(x: Array, type: Static = 2, s: Static = None, axes: Static = None, norm: Static = None) -> Array:
    """Return the inverse of `DCTN`."""
    return _cosines("IDCTN", jax.scipy.fft.idctn, x, type, norm, s=s, axes=axes)


primitives(
    """\
CumsumExt()(input, dim, dtype=None) -> cumsum(input, dim, dtype)
EluExt(alpha=1.0)(input) -> elu(input, alpha)
LeakyReLUExt()(input, negative_slope=0.01) -> leaky_relu(input, negative_slope)
SoftplusExt()(input, beta=1, threshold=20) -> softplus(input, beta, threshold)
RemainderTensorTensor, RemainderTensorScalar, RemainderScalarTensor()(input, other) -> remainder(input, other)
FmodTensor, FmodScalar()(input, other) -> fmod(input, other)
AddcmulExt()(input, tensor1, tensor2, value=1) -> addcmul(input, tensor1, tensor2, value)
Max()(input) -> max(input)[0]
    Return the largest element.
Min()(input) -> min(input)[0]
    Return the smallest element.
MaxDim()(input, dim, keepdim=False) -> max(input, dim, keepdim)
MinDim()(input, dim, keepdim=False) -> min(input, dim, keepdim)
Arange()(start, end, step, dtype=None) -> arange(start, end, step, dtype=dtype)
LinSpaceExt()(start, end, steps, dtype=None) -> linspace(start, end, steps).astype(float32 if dtype is None else dtype)
    Return evenly spaced numbers.
    dtype: The dtype of the result, float32 by default.
    >>> ops.auto_generate.LinSpaceExt()(0, 1, 3).asnumpy()
    array([0. , 0.5, 1. ], dtype=float32)
RepeatInterleaveInt, RepeatInterleaveTensor()(input, repeats, dim=None, output_size=None) -> repeat_interleave(input, repeats, dim)
    output_size: Accepted: the size of the result follows from the rest.
SplitTensor()(input, split_size, dim=0) -> split(input, split_size, dim)
InplaceCopy()(input, src, non_blocking=False) -> assign(input, src.astype(input.dtype).broadcast_to(input.shape))
    Write a Tensor to another, which it broadcasts to, and return that.
    src: The Tensor.
    non_blocking: Accepted: it is an order for devices.
    >>> ops.auto_generate.InplaceCopy()(Tensor([1.0, 2.0]), Tensor(3.0)).asnumpy()
    array([3., 3.], dtype=float32)
TraceV2()(input, offset=0, axis1=1, axis2=0, dtype=None) -> sum(diagonal(input, offset, axis1, axis2), -1, dtype=dtype)
    Return the sum of the diagonal of two axes.
FFT()(input, n=None, dim=-1, norm=None) -> fft(input, n, dim, norm)
IFFT()(input, n=None, dim=-1, norm=None) -> ifft(input, n, dim, norm)
RFFT()(input, n=None, dim=-1, norm=None) -> rfft(input, n, dim, norm)
IRFFT()(input, n=None, dim=-1, norm=None) -> irfft(input, n, dim, norm)
HFFT()(input, n=None, dim=-1, norm=None) -> hfft(input, n, dim, norm)
IHFFT()(input, n=None, dim=-1, norm=None) -> ihfft(input, n, dim, norm)
FFTN()(input, s=None, dim=None, norm=None) -> fftn(input, s, dim, norm)
IFFTN()(input, s=None, dim=None, norm=None) -> ifftn(input, s, dim, norm)
RFFTN()(input, s=None, dim=None, norm=None) -> rfftn(input, s, dim, norm)
IRFFTN()(input, s=None, dim=None, norm=None) -> irfftn(input, s, dim, norm)
HFFTN()(input, s=None, dim=None, norm=None) -> hfftn(input, s, dim, norm)
IHFFTN()(input, s=None, dim=None, norm=None) -> ihfftn(input, s, dim, norm)
FFT2()(input, s=None, dim=(-2, -1), norm=None) -> fft2(input, s, dim, norm)
IFFT2()(input, s=None, dim=(-2, -1), norm=None) -> ifft2(input, s, dim, norm)
RFFT2()(input, s=None, dim=(-2, -1), norm=None) -> rfft2(input, s, dim, norm)
IRFFT2()(input, s=None, dim=(-2, -1), norm=None) -> irfft2(input, s, dim, norm)
HFFT2()(input, s=None, dim=(-2, -1), norm=None) -> hfft2(input, s, dim, norm)
IHFFT2()(input, s=None, dim=(-2, -1), norm=None) -> ihfft2(input, s, dim, norm)
FFTShift()(input, dim=None) -> fftshift(input, dim)
IFFTShift()(input, dim=None) -> ifftshift(input, dim)
IncreFlashAttention(num_heads=1, input_layout='BSH', scale_value=1.0, num_key_value_heads=0, block_size=0, inner_precise=1)\
(query, key, value, attn_mask=None, actual_seq_lengths=None, pse_shift=None, dequant_scale1=None, quant_scale1=None, \
dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None, antiquant_offset=None, block_table=None, \
kv_padding_size=None) -> incre_flash_attention(query, key, value, attn_mask, actual_seq_lengths, pse_shift, dequant_scale1, \
quant_scale1, dequant_scale2, quant_scale2, quant_offset2, antiquant_scale, antiquant_offset, block_table, num_heads, \
input_layout, scale_value, num_key_value_heads, block_size, inner_precise, kv_padding_size)
FusedInferAttentionScore(num_heads=1, scale_value=1.0, pre_tokens=2147483647, next_tokens=2147483647, input_layout='BSH', \
num_key_value_heads=0, sparse_mode=0, inner_precise=1, block_size=0, antiquant_mode=0, softmax_lse_flag=False, \
key_antiquant_mode=0, value_antiquant_mode=0)\
(query, key, value, pse_shift=None, attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None, dequant_scale1=None, \
quant_scale1=None, dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None, antiquant_offset=None, \
block_table=None, query_padding_size=None, kv_padding_size=None, key_antiquant_scale=None, key_antiquant_offset=None, \
value_antiquant_scale=None, value_antiquant_offset=None, key_shared_prefix=None, value_shared_prefix=None, \
actual_shared_prefix_len=None) -> fused_infer_attention_score(query, key, value, pse_shift=pse_shift, atten_mask=attn_mask, \
actual_seq_lengths=actual_seq_lengths, actual_seq_lengths_kv=actual_seq_lengths_kv, dequant_scale1=dequant_scale1, \
quant_scale1=quant_scale1, dequant_scale2=dequant_scale2, quant_scale2=quant_scale2, quant_offset2=quant_offset2, \
antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset, key_antiquant_scale=key_antiquant_scale, \
key_antiquant_offset=key_antiquant_offset, value_antiquant_scale=value_antiquant_scale, \
value_antiquant_offset=value_antiquant_offset, block_table=block_table, query_padding_size=query_padding_size, \
kv_padding_size=kv_padding_size, key_shared_prefix=key_shared_prefix, value_shared_prefix=value_shared_prefix, \
actual_shared_prefix_len=actual_shared_prefix_len, num_heads=num_heads, scale=scale_value, pre_tokens=pre_tokens, \
next_tokens=next_tokens, input_layout=input_layout, num_key_value_heads=num_key_value_heads, sparse_mode=sparse_mode, \
inner_precise=inner_precise, block_size=block_size, antiquant_mode=antiquant_mode, key_antiquant_mode=key_antiquant_mode, \
value_antiquant_mode=value_antiquant_mode, softmax_lse_flag=softmax_lse_flag)
""",
    {"float32": mstype.float32},
)
