"""Safe loading of pickles: only plain values and arrays are read, and no function is called."""

from __future__ import annotations

import pickle
from typing import IO, Any

import numpy as np

_RECONSTRUCT = np.zeros(0).__reduce__()[0]
_KNOWN: dict[tuple[str, str], Any] = {
    ("numpy.core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy._core.multiarray", "_reconstruct"): _RECONSTRUCT,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
}


def plain_values(file: IO[bytes], encoding: str = "ASCII") -> Any:
    """Return the plain values and arrays of a pickle.

    Args:
        file: The pickle.
        encoding: How the strings of Python 2 are read.

    Raises:
        UnpicklingError: If it names anything else: a pickle may name any function to be called.
    """
    return _ArraysOnly(file, encoding=encoding).load()


class _ArraysOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which no data set needs")
        return _KNOWN[module, name]
