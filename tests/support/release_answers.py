"""What MindSpore, or sporax, answers to an example of the table of changes, as text; both are asked by this function."""

import warnings
from types import ModuleType
from typing import Any

import numpy as np


def answer(example: str, ms: ModuleType) -> str:
    """Return the text of an example's value, or the type of its error.

    Args:
        example: An expression, after lines of statements if there are any. `T(values, dtype)` makes a Tensor.
        ms: The module `mindspore` or `sporax`.
    """

    def tensor(values: Any, dtype: str | None = None) -> Any:
        return ms.Tensor(np.array(values), getattr(ms, dtype) if dtype else None)

    scope = {"ms": ms, "np": np, "nn": ms.nn, "ops": ms.ops, "mint": ms.mint, "ds": ms.dataset, "T": tensor}
    *before, last = example.split("\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("\n".join(before), scope)
            return text(eval(last, scope), ms)
    except Exception as error:
        return type(error).__name__


def text(value: Any, ms: ModuleType) -> str:
    """Return the text of a value: of a Tensor its dtype, shape and elements, to six digits."""
    if isinstance(value, ms.Tensor):
        array = (value.astype(ms.float32) if value.dtype == ms.bfloat16 else value).asnumpy()
        shown = np.array2string(array, precision=6, separator=",").replace("\n", "")
        return f"{value.dtype}{list(array.shape)} {shown}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)} {value.tolist()}"
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(text(item, ms) for item in value) + ")"
    if callable(value):
        return "there"
    return f"{value!r}"
