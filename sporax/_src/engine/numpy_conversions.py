"""Conversions between dtypes as NumPy operations, for `numpy_programs`."""

from __future__ import annotations

import numpy as np

from sporax._src.engine.numpy_equations import Equation, Factory, NotInNumPy, Step


def convert(eqn: Equation) -> Step:
    """Return the step that converts to another dtype, as XLA does."""
    source, to = eqn.invars[0].aval.dtype, np.dtype(eqn.params["new_dtype"])
    if source.kind != "f" or to.kind not in "iu":
        return lambda x: (np.asarray(x).astype(to),)
    if to.itemsize > 4:
        raise NotInNumPy
    bounds = np.iinfo(to)

    def cut(x: np.ndarray) -> tuple[np.ndarray]:  # saturates, and NaN becomes 0
        return (np.nan_to_num(np.clip(np.trunc(x.astype(np.float64)), bounds.min, bounds.max), nan=0.0).astype(to),)

    return cut


def bitcast(eqn: Equation) -> Step:
    """Return the step that reads the bits of elements as elements of another dtype."""
    to = np.dtype(eqn.params["new_dtype"])
    if to.itemsize != eqn.invars[0].aval.dtype.itemsize:
        raise NotInNumPy("bitcast_convert_type")
    return lambda x: (np.ascontiguousarray(x).view(to).reshape(x.shape),)


def reduce_precision(eqn: Equation) -> Step:
    """Return the step that rounds floats to fewer bits; only for as many bits as they have."""
    bits, dtype = (eqn.params["exponent_bits"], eqn.params["mantissa_bits"]), eqn.outvars[0].aval.dtype
    if bits != (np.finfo(dtype).iexp, np.finfo(dtype).nmant):
        raise NotInNumPy("reduce_precision")
    return lambda x: (x,)


FACTORIES: dict[str, Factory] = {
    "bitcast_convert_type": bitcast,
    "convert_element_type": convert,
    "reduce_precision": reduce_precision,
}
