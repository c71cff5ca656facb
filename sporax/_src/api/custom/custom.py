"""User-defined operators that run on the host: Python functions of NumPy arrays, and functions of a C library."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.api.custom.hybrid import automatic
from sporax._src.bindings.primitive import Primitive, view
from sporax._src.core import dtype as mstype
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.transform.custom import custom_backward, materialized

_KINDS = ("hybrid", "aot", "pyfunc")
Specs = tuple[tuple[tuple[int, ...], Any], ...]


def _on_host(tensors: Sequence[Tensor], call: Callable[..., Any], specs: Specs) -> tuple[Tensor, ...]:
    """Run a function of NumPy arrays now, or in a compiled graph each time it runs."""
    if tracing():
        shapes = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in specs]
        out = jax.pure_callback(call, shapes, *[t._data for t in tensors], vmap_method="sequential")
    else:
        out = [jnp.asarray(o) for o in call(*[t._data for t in tensors])]
    return tuple([wrap(o) for o in out])


class Custom(Primitive):
    """An operator that a Python function of NumPy arrays computes, or a function of a C library.

    Args:
        func: A function of NumPy arrays, or for "aot" `"library.so:name"`, where `name` is
            `int name(int n, void **params, int *ndims, int64_t **shapes, const char **dtypes, void *stream, void *extra)`:
            n counts inputs and outputs, whose addresses, shapes and dtypes ("float32", ...) the arrays hold; 0 is success.
        out_shape: The shape of the result, or a function of the inputs' shapes; of several results, a tuple of shapes.
        out_dtype: The dtype of the result, or a function of the inputs' dtypes; of several results, a tuple of dtypes.
            A function that `ops.kernel` decorates needs neither.
        func_type: "pyfunc", "aot" or "hybrid".
        bprop: A function `(*inputs, out, dout)` that returns the gradient of each input; without it there is none.
        reg_info: Accepted: what dtypes and layouts an accelerator's kernel takes.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If `func_type` is unknown.
        RuntimeError: If the library or the function is not there, the function fails, or a gradient is asked without `bprop`.

    Examples:
        >>> double = ops.Custom(lambda x: 2 * x, lambda x: x, lambda x: x, "pyfunc")
        >>> double(ms.Tensor([1.0, 2.0])).asnumpy()
        array([2., 4.], dtype=float32)
    """

    def __init__(
        self,
        func: Any,
        out_shape: object = None,
        out_dtype: object = None,
        func_type: str = "pyfunc",
        bprop: Callable[..., Any] | None = None,
        reg_info: Any = None,
    ) -> None:
        super().__init__("Custom")
        if func_type not in _KINDS:
            raise ValueError(f"ops.Custom: func_type must be one of {', '.join(_KINDS)}, got {func_type!r}.")
        if not (isinstance(func, str) if func_type == "aot" else callable(func)):
            kind = "a str" if func_type == "aot" else "a function"
            raise TypeError(f"ops.Custom: func must be {kind} for func_type '{func_type}', got {type(func).__name__}.")
        if not (func_type == "hybrid" or automatic(func)):
            for name, value in (("out_shape", out_shape), ("out_dtype", out_dtype)):
                if value is None:
                    raise TypeError(f"ops.Custom: {name} must be given for func_type '{func_type}', got None.")
        self.func, self.func_type, self.bprop, self.reg_info = func, func_type, bprop, reg_info
        self.out_shape, self.out_dtype = out_shape, out_dtype
        self._single = True

    def __call__(self, *args: Any) -> Any:
        """Run the operator on Tensors; other arguments are passed to the function unchanged."""
        positions = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        tensors = [args[i] for i in positions]
        specs = self._specs(args)
        foreign = self.func_type == "aot"
        call = functools.partial(
            _foreign if foreign else _python, self.func if foreign else _filled(self.func, args), specs
        )

        def backward(inputs: Any, outs: Any, cts: Any) -> tuple[Any, ...]:
            if self.bprop is None:
                raise RuntimeError("ops.Custom: a gradient needs the argument bprop, which was not given.")
            operands = list(args)
            for i, x in zip(positions, inputs, strict=True):
                operands[i] = x
            cts = materialized(outs, cts)
            grads = self.bprop(*operands, outs[0] if self._single else outs, cts[0] if self._single else cts)
            grads = grads if isinstance(grads, tuple) else (grads,)
            return tuple([grads[i] for i in positions])

        outs = custom_backward(lambda *xs: _on_host(xs, call, specs), backward, tensors)
        return outs[0] if self._single else tuple(outs)

    def _specs(self, args: Sequence[Any]) -> Specs:
        """Return the shape and dtype of each result."""
        if self.out_shape is None or self.out_dtype is None:
            zeros = [np.zeros(a.shape, a._data.dtype) if isinstance(a, Tensor) else a for a in args]
            out = self.func(*zeros)
            self._single = not isinstance(out, (tuple, list))
            outs = [np.asarray(o) for o in ((out,) if self._single else out)]
            return tuple([(o.shape, o.dtype) for o in outs])
        shapes: Any = self.out_shape
        dtypes: Any = self.out_dtype
        if callable(shapes):
            shapes = shapes(*[list(a.shape) if isinstance(a, Tensor) else a for a in args])
        if callable(dtypes) and not isinstance(dtypes, mstype.Type):
            dtypes = dtypes(*[a.dtype if isinstance(a, Tensor) else a for a in args])
        self._single = not isinstance(dtypes, (tuple, list))
        each = zip(shapes, dtypes, strict=True) if isinstance(dtypes, (tuple, list)) else ((shapes, dtypes),)
        return tuple([(tuple(shape), mstype.to_numpy(dtype)) for shape, dtype in each])


def _filled(func: Callable[..., Any], args: Sequence[Any]) -> Callable[..., Any]:
    """Return the function of the arrays alone, with the arguments that are not Tensors filled in."""
    fixed = [None if isinstance(a, Tensor) else (a,) for a in args]

    def call(arrays: Sequence[Any]) -> Any:
        remaining = iter(arrays)
        return func(*[next(remaining) if f is None else f[0] for f in fixed])

    return call


def _python(call: Callable[..., Any], specs: Specs, *arrays: np.ndarray) -> list[np.ndarray]:
    """Run a Python function on copies of the arrays, which it may write to, and check its results."""
    out = call([np.array(a) for a in arrays])
    outs = out if isinstance(out, (tuple, list)) else (out,)
    if len(outs) != len(specs):
        raise RuntimeError(f"ops.Custom: the function gave {len(outs)} results, expected {len(specs)}.")
    results = []
    for o, (shape, dtype) in zip(outs, specs, strict=True):
        o = np.asarray(o, dtype)
        if o.shape != shape:
            raise RuntimeError(f"ops.Custom: the function gave a result of shape {o.shape}, expected {shape}.")
        results.append(o)
    return results


# --- functions of a C library ----------------------------------------------------------------------------------------


@functools.cache
def _function(path: str, name: str) -> Any:
    if not os.path.isfile(path):
        raise RuntimeError(f"ops.Custom: there is no library {path!r}.")
    try:
        function = getattr(ctypes.CDLL(os.path.abspath(path)), name)
    except (OSError, AttributeError) as error:
        raise RuntimeError(f"ops.Custom: {path!r} has no function {name!r}: {error}.") from None
    function.restype = ctypes.c_int
    return function


def _foreign(func: str, specs: Specs, *arrays: np.ndarray) -> list[np.ndarray]:
    """Call a C function with the addresses, shapes and dtypes of inputs and outputs."""
    path, colon, name = func.rpartition(":")
    if not colon:
        raise RuntimeError(f"ops.Custom: func must be 'library.so:name', got {func!r}.")
    inputs = [np.ascontiguousarray(a) for a in arrays]
    outputs = [np.empty(shape, dtype) for shape, dtype in specs]
    params = [*inputs, *outputs]
    n = len(params)
    addresses = (ctypes.c_void_p * n)(*[p.ctypes.data for p in params])
    ndims = (ctypes.c_int * n)(*[p.ndim for p in params])
    sizes = [(ctypes.c_int64 * max(p.ndim, 1))(*p.shape) for p in params]
    shapes = (ctypes.POINTER(ctypes.c_int64) * n)(*[ctypes.cast(s, ctypes.POINTER(ctypes.c_int64)) for s in sizes])
    dtypes = (ctypes.c_char_p * n)(*[p.dtype.name.encode() for p in params])
    code = _function(path, name)(n, addresses, ndims, shapes, dtypes, None, None)
    if code:
        raise RuntimeError(f"ops.Custom: {func} failed with the code {code}.")
    return outputs


# --- PyFunc ----------------------------------------------------------------------------------------------------------


def _py_func(
    *inputs: Any, fn: Any, in_types: Any, in_shapes: object, out_types: Any, out_shapes: Any, stateful: bool
) -> tuple[Tensor, ...]:
    """Return the results of a Python function of NumPy arrays as a tuple; the constructor fixed their shapes and dtypes."""
    tensors = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)) else inputs
    if len(tensors) != len(in_types):
        raise TypeError(f"ops.PyFunc: expected {len(in_types)} inputs, got {len(tensors)}.")
    specs = tuple([(tuple(s), mstype.to_numpy(t)) for s, t in zip(out_shapes, out_types, strict=True)])
    return _on_host(tensors, functools.partial(_python, _filled(fn, tensors), specs), specs)


PyFunc = view("PyFunc(fn, in_types, in_shapes, out_types, out_shapes, stateful=True)", _py_func)
