"""Methods of torch's Tensor that MindSpore's lacks."""

import math

import sporax as mindspore
from sporax import mint, ops


def _assign(x, function, *args, **kwargs):
    """Replace the elements of a Tensor by a function of it, in the Tensor's own dtype."""
    x.copy_(function(x, *args, **kwargs))
    return x


def _become(x, function, *args):
    """Replace a Tensor by a function of it, whose result may have another shape."""
    x.assign_value(function(x, *args))
    return x


def _second(x, y):
    """Return the second of two arguments."""
    return y


def _abs(x):
    """Return absolute values, which are real for complex numbers too."""
    if not isinstance(x, mindspore.Tensor):
        return abs(x) if hasattr(x, "__abs__") else x.abs()
    return ops.real(mint.abs(x)) if x.is_complex() else mint.abs(x)


def _number(x):
    """Return the number in a Tensor of one element, so that it can be formatted, and any other value as it is."""
    return x.item() if isinstance(x, mindspore.Tensor) else x


def _text(x):
    """Return the text of a value; that of a dtype is torch's."""
    return f"torch.{str(x).lower().replace('8e', '8_e')}" if isinstance(x, mindspore.Type) else str(x)


def _address(x):
    """Return the address of the first element."""
    return _storage_address(x) + x.storage_offset() * x.itemsize


def _storage_address(x):
    """Return the address of the memory that a Tensor shares with its views; `data_ptr` of a view gives it before MindSpore 2.8."""
    probe = mindspore.Tensor([0, 1])
    is_of_view = probe[1:].data_ptr() != probe.data_ptr()
    return x.data_ptr() - x.storage_offset() * x.itemsize * is_of_view


class _Memory:
    """Where the elements of a Tensor are, and how many bytes they take."""

    def __init__(self, tensor):
        self._tensor = tensor

    def data_ptr(self):
        """Return the address."""
        return _storage_address(self._tensor)

    def nbytes(self):
        """Return the number of bytes."""
        return self._tensor.nbytes


def _left_shift(x, y):
    """Return integers with their bits shifted to the left."""
    is_of_tensors = isinstance(x, mindspore.Tensor) or isinstance(y, mindspore.Tensor)
    return ops.bitwise_left_shift(x, y) if is_of_tensors else x << y


def _right_shift(x, y):
    """Return integers with their bits shifted to the right."""
    is_of_tensors = isinstance(x, mindspore.Tensor) or isinstance(y, mindspore.Tensor)
    return ops.bitwise_right_shift(x, y) if is_of_tensors else x >> y


def _sizes(size):
    """Return sizes that are given one by one or as one tuple."""
    return tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else tuple(size)


def _dtype_or(x, dtype=None):
    """Return a dtype; if it is None, that of a Tensor."""
    return x.dtype if dtype is None else dtype


def _normal_like(x, mean=0.0, std=1.0):
    """Draw numbers from a normal distribution, in the shape of a Tensor."""
    return mean + std * ops.randn(*x.shape)


def _uniform_like(x, low=0.0, high=1.0):
    """Draw uniform numbers between two bounds, in the shape of a Tensor."""
    return low + (high - low) * ops.rand(*x.shape)


def _resized(x, *sizes):
    """Return the elements of a Tensor in order in another shape; missing elements are 0."""
    shape = sizes[0] if isinstance(sizes[0], (tuple, list)) else sizes
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    size = math.prod(shape)
    flat = mint.flatten(x)[:size]
    rest = mint.zeros((size - flat.shape[0],), dtype=x.dtype)
    return mint.reshape(mint.cat((flat, rest)), tuple(shape))


def _polygamma(x, n):
    """Return the n-th derivative of digamma."""
    return ops.polygamma(n, x)


def _frexp(x):
    """Return mantissas of [0.5, 1) and exponents with x = mantissa * 2 ** exponent."""
    exponent = mint.where(x == 0, mint.zeros_like(x), mint.floor(mint.log2(mint.abs(x))) + 1)
    mantissa = x / mint.exp2(exponent)
    large = mint.abs(mantissa) >= 1
    small = mint.logical_and(mint.abs(mantissa) < 0.5, x != 0)
    mantissa = mint.where(large, mantissa / 2, mint.where(small, mantissa * 2, mantissa))
    exponent = exponent + large.to(x.dtype) - small.to(x.dtype)
    return mantissa, exponent.to(mindspore.int32)


def _cauchy_(x, median=0, sigma=1):
    """Fill a Tensor with random numbers of a Cauchy distribution."""
    x.copy_(median + sigma * mint.tan(math.pi * (mint.rand(x.shape) - 0.5)))
    return x


def _geometric_(x, p):
    """Fill a Tensor with random numbers of a geometric distribution: the trials up to the first success."""
    x.copy_(mint.clamp(mint.ceil(mint.log1p(-mint.rand(x.shape)) / math.log1p(-p)), 1))
    return x


def _log_normal_(x, mean=1, std=2):
    """Fill a Tensor with the exponentials of normal random numbers."""
    x.copy_(mint.exp(mean + std * mint.randn(x.shape)))
    return x


def _as_tensor(data, dtype=None):
    """Return data as a Tensor; a Tensor that has the dtype already is returned itself."""
    if not isinstance(data, mindspore.Tensor):
        return mindspore.tensor(_listed(data), dtype=dtype)
    return data if dtype is None or dtype == data.dtype else data.to(dtype)


def _is_instance(x, types):
    """Return whether a value is of a class, or a Tensor of a dtype, or of one of several of these."""
    types = types if isinstance(types, tuple) else (types,)
    classes = tuple(kind for kind in types if isinstance(kind, type))
    return isinstance(x, classes) or (isinstance(x, mindspore.Tensor) and x.dtype in types)


def _new_tensor(dtype, *data):
    """Return a Tensor of the given sizes, or of the elements of the one argument."""
    if len(data) == 1 and isinstance(data[0], mindspore.Tensor):
        return data[0]
    if not data or all(isinstance(size, int) for size in data):
        return mint.empty(data or (0,), dtype=dtype)
    return mindspore.tensor(_listed(data[0]), dtype=dtype)


def _listed(data):
    """Return a range, of which MindSpore makes no Tensor, as a list, and other data as they are."""
    return list(data) if isinstance(data, range) else data


def _part(x, name):
    """Return the real or the imaginary part of a Tensor or number; what another object has under this name."""
    part = getattr(x, name)
    return part() if isinstance(x, mindspore.Tensor) else part


def _data(x):
    """Return a Tensor without its gradient; of another object, return the attribute `data`."""
    return ops.stop_gradient(x) if isinstance(x, mindspore.Tensor) else x.data


def _to(x, target):
    """Return a Tensor in the given dtype, or in that of another Tensor; a device changes nothing."""
    if isinstance(target, mindspore.Tensor):
        return x.to(target.dtype)
    return x.to(target) if hasattr(target, "itemsize") else x


def _types():
    """Return the dtypes by the prefixes of torch's names of Tensor types."""
    return {
        "Float": mindspore.float32,
        "Double": mindspore.float64,
        "Half": mindspore.float16,
        "BFloat16": mindspore.bfloat16,
        "Byte": mindspore.uint8,
        "Char": mindspore.int8,
        "Short": mindspore.int16,
        "Int": mindspore.int32,
        "Long": mindspore.int64,
        "Bool": mindspore.bool_,
        "ComplexFloat": mindspore.complex64,
        "ComplexDouble": mindspore.complex128,
    }


def _type_name(x):
    """Return torch's name for the type of a Tensor, such as torch.FloatTensor."""
    return next(f"torch.{name}Tensor" for name, dtype in _types().items() if dtype == x.dtype)


def _to_type(x, dtype):
    """Return a Tensor in a dtype, which may be given by the name of a type, such as torch.FloatTensor."""
    if isinstance(dtype, str):
        dtype = _types()[dtype.rpartition(".")[2].removesuffix("Tensor")]
    return x.to(dtype)


def _can_cast(from_, to):
    """Return whether torch casts one dtype to another by itself: bool to integers, integers to floats, floats to complex."""
    kinds = [3 if t.is_complex else 2 if t.is_floating_point else 0 if t == mindspore.bool_ else 1 for t in (from_, to)]
    return kinds[0] <= kinds[1]


def _set_requires_grad(x, requires_grad=True):
    """Set whether gradients are taken for a Parameter or Tensor, and return it."""
    x.requires_grad = requires_grad
    return x
