"""Reading of pickles that runs none of the functions they name."""

import collections
import pickle

import numpy as np


def _plain_values(file, encoding="ASCII"):
    """Return the plain values and arrays of a pickle; a pickle that names anything else to call is refused."""

    class PlainValues(pickle.Unpickler):
        def find_class(self, module, name):
            functions = (np.zeros(0).__reduce__()[0], np.float32(0).__reduce__()[0], np.zeros(1).__reduce_ex__(5)[0])
            plain = (bytearray, complex, dict, float, frozenset, int, list, range, set, slice)
            known = {
                "builtins": plain,
                "__builtin__": plain,
                "collections": (collections.Counter, collections.OrderedDict, collections.defaultdict),
                "numpy": (np.ndarray, np.dtype, *functions),
            }
            for value in known.get(module.partition(".")[0], ()):
                if value.__name__ == name:
                    return value
            raise pickle.UnpicklingError(f"it names {module}.{name}, which is not a plain value")

    return PlainValues(file, encoding=encoding).load()
