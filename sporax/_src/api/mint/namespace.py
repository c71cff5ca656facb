"""The namespace `mint`: views of the op table with torch's signatures."""

from __future__ import annotations

from sporax._src.api.mint import functions, random
from sporax._src.api.mint.functional import FUNCTIONAL
from sporax._src.api.numpy.creation import diag
from sporax._src.api.numpy.elementwise import larger, smaller
from sporax._src.api.ops import PUBLIC
from sporax._src.bindings.adapters import adapt
from sporax._src.core import dtype as mstype
from sporax._src.engine import axes
from sporax._src.ops.linalg.products import vdot
from sporax._src.ops.nn.convolution import conv_tbc

_SAME = """
abs acos acosh addbmm addmm addmv arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax asin asinh atan atan2
atanh bitwise_and bitwise_or bitwise_xor broadcast_to ceil clamp cos cosh cross cumprod div divide dot dstack
einsum eq erf erfc erfinv exp exp2 expm1 eye flip float_power floor fmod full_like gcd greater greater_equal gt
hstack imag inverse isclose isfinite isinf isneginf le lerp less less_equal log log10 log1p log2 logaddexp logaddexp2
logical_and logical_not logical_or logical_xor logsumexp lt masked_select matmul mm mul nan_to_num ne neg
negative nonzero not_equal ones_like outer polar pow ravel real reciprocal reshape roll round rsqrt searchsorted sign sin sinc
sinh square sum swapaxes take tan tanh tile trace tril triu trunc unbind unique_consecutive where xlogy zeros_like
"""

_ADAPTED = """
add(input, other, *, alpha=1) -> add(input, other if alpha == 1 else mul(other, alpha))
    alpha: A number that `other` is multiplied by.
t(input) -> t(input) if input.ndim < 3 else swapaxes(input, 0, 1)
    Return the transpose of a matrix; of a Tensor with more axes, the first two are exchanged.
sub(input, other, *, alpha=1) -> sub(input, other if alpha == 1 else mul(other, alpha))
    alpha: A number that `other` is multiplied by.
amax(input, dim=(), keepdim=False) -> amax(input, dim if dim != () else None, keepdim)
amin(input, dim=(), keepdim=False) -> amin(input, dim if dim != () else None, keepdim)
argmin(input, dim=None, keepdim=False) -> cast(argmin(input, dim, keepdim), int64)
bincount(input, weights=None, minlength=0) -> \
cast(bincount(input, weights, minlength), int64 if weights is None else weights.dtype)
baddbmm(input, batch1, batch2, *, beta=1, alpha=1) -> baddbmm(input, batch1, batch2, beta, alpha)
bitwise_not(input) -> invert(input)
bmm(input, mat2) -> bmm(input, mat2)
cat(tensors, dim=0) -> concat(tensors, dim)
cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary") -> cdist(x1, x2, p)
    compute_mode: Accepted: distances are always computed in one way.
chunk(input, chunks, dim=0) -> chunk(input, chunks, dim)
concat(tensors, dim=0) -> concat(tensors, dim)
conv_tbc(input, weight, bias, pad=0) -> conv_tbc(input, weight, bias, pad)
count_nonzero(input, dim=None) -> count_nonzero(input, () if dim is None else dim, dtype=int64)
cummax(input, dim) -> cummax(input, dim)
cumsum(input, dim, dtype=None) -> cumsum(input, dim, dtype)
diag(input, diagonal=0) -> numpy_diag(input, diagonal)
diff(input, n=1, dim=-1, prepend=None, append=None) -> diff(input, n, dim, prepend, append)
fix(input) -> trunc(input)
flatten(input, start_dim=0, end_dim=-1) -> flatten(input, start_dim=start_dim, end_dim=end_dim)
floor_divide(input, other) -> floor_divide(input, other)
frac(input) -> frac(input)
gather(input, dim, index) -> gather_elements(input, dim, index)
histc(input, bins=100, min: float = 0, max: float = 0) -> histc(input, bins, float(min), float(max))
index_select(input, dim, index) -> index_select(input, dim, index)
isnan(tensor) -> isnan(tensor)
kthvalue(input, k, dim=-1, keepdim=False) -> kthvalue(input, k, dim, keepdim)
linspace(start, end, steps, *, dtype=None) -> cast(linspace(start, end, steps), float32 if dtype is None else dtype)
    dtype: The dtype; float32 if None.
maximum(input, other) -> larger(input, other)
    Return the larger of each pair of elements; NaN if either is.
    input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.
minimum(input, other) -> smaller(input, other)
    Return the smaller of each pair of elements; NaN if either is.
    input, other: Tensors or numbers; shapes broadcast, dtypes are promoted.
mv(input, vec) -> mv(input, vec)
nansum(input, dim=None, keepdim=False, *, dtype=None) -> nansum(input, dim, keepdim, dtype=dtype)
narrow(input, dim, start, length) -> narrow(input, dim, start, length)
npu_gelu(input, approximate="none") -> gelu(input, approximate)
ones(size, *, dtype=None) -> ones(size, dtype)
prod(input, dim=None, keepdim=False, *, dtype=None) -> prod(input, dim, keepdim, dtype)
remainder(input, other) -> remainder(input, other)
repeat_interleave(input, repeats, dim=None, *, output_size=None) -> repeat_interleave(input, repeats, dim)
    output_size: Accepted: it follows from `repeats`.
scatter(input, dim, index, src) -> scatter(input, dim, index, src)
scatter_add(input, dim, index, src) -> tensor_scatter_elements(input, index, src, dim, "add")
softmax(input, dim, *, dtype=None) -> softmax(input, implicit(dim, input), dtype=dtype)
    dim: The axis; None for 0 if there are 0, 1 or 3 axes, else 1.
split(tensor, split_size_or_sections, dim=0) -> split(tensor, split_size_or_sections, dim)
sqrt(input) -> sqrt(input)
permute(input, dims) -> permute(input, dims)
squeeze(input, dim) -> squeeze(input, dim)
stack(tensors, dim=0) -> stack(tensors, dim)
std(input, dim=None, *, correction=1, keepdim=False) -> std(input, dim, correction, keepdim)
std_mean(input, dim=None, *, correction=1, keepdim=False) -> std_mean(input, dim, correction, keepdim)
transpose(input, dim0, dim1) -> swapaxes(input, dim0, dim1)
unsqueeze(input, dim) -> expand_dims(input, dim)
var(input, dim=None, *, correction=1, keepdim=False) -> var(input, dim, correction, keepdim)
var_mean(input, dim=None, *, correction=1, keepdim=False) -> var_mean(input, dim, correction, keepdim)
vdot(input, other) -> vdot(input, other)
zeros(size, *, dtype=None) -> zeros(size, dtype)
"""

_EXTRA = """
addcdiv addr_ all allclose any argsort batch_norm_elemt batch_norm_gather_stats_with_counts batch_norm_stats clone cummin
empty equal full empty_like index_add max mean median meshgrid min norm select sort topk triangular_solve
unique
"""

_RANDOM = "bernoulli multinomial normal rand rand_like randint randint_like randn randn_like randperm"

_ROWS = {**PUBLIC, "numpy_diag": diag, "larger": larger, "smaller": smaller, "vdot": vdot, "conv_tbc": conv_tbc}
_HELPERS = {"cast": PUBLIC["cast"], "int64": mstype.int64, "float32": mstype.float32, "implicit": axes.implicit}

_DEFINED = vars(functions) | vars(random)

MINT = {n: PUBLIC[n] for n in _SAME.split()} | adapt(_ADAPTED, _ROWS, "mint", helpers=_HELPERS)
MINT |= {n: _DEFINED[n] for n in (_EXTRA + _RANDOM).split()}
MINT |= {"arcsin": PUBLIC["arcsin"]}

MINT |= {name: FUNCTIONAL[name] for name in ("conv2d", "sigmoid")}

globals().update(MINT)

__all__ = [*sorted(MINT)]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)
