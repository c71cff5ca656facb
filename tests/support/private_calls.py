"""Calls of functions that copies of MindSpore's files import from its private modules, by module.

A line `name: a | b` calls `name(a)` and `name(b)`; a line of names alone is their values. `T(1, 2)` is a Tensor of float32,
`P(1, 2)` a Parameter of it, `I(1, 2)` a Tensor of int32.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from behaviours import answer

CALLS = {
    "numpy.utils_const": """
_canonicalize_axis: -1, 3 | [1], 3 | (2, 0), 3 | (0, -3), 3 | 4, 3 | (1.5,), 3
_infer_out_shape: (2,), (3, 2) | (2,), (3,) | (0,), (1,) | (2, 1), (1, 3), (4, 1, 1)
_raise_value_error: "a" | "a", 3
""",
    "numpy.utils": """
_convert_64_to_32: Tensor(1, ms.int64) | Tensor(1, ms.float64) | Tensor(1, ms.int8)
_to_tensor: 1 | 1, 2.5 | [] | (1, 2) | "a" | Tensor(1, ms.float64) | True
""",
    "scipy.utils": """
_nd_transpose: T(1, 2, 3, 4).reshape(1, 2, 2) | T(1)
""",
    "dataset.core.validator_helpers": """
INT32_MAX
check_tensor_op: len, "n" | 3, "n"
check_value: 1, (1, 3) | 4, (1, 3) | 1, (1, 3), "v", True | 3, (1, 3), "v", False, True | 2, (1, 3), "v", True, True
pad_arg_name: "" | "a"
(lambda *a, **k: parse_user_args(*a, **k)[0]): lambda x, y=1: 0, 4 | lambda self, a, b=2, *, c=3: 0, 1, c=5 | lambda self, a: 0
type_check: 1, (int,), "n" | True, (int,), "n" | True, (int, bool), "n" | "", (int,), "n"
""",
    "dataset.transforms.validators": """
check_random_transform_ops(lambda self, transforms: len(transforms)): 0, [len] | 0, [] | 0, [3] | 0, [int] | 0, (len,) | 0, 3
check_random_transform_ops(lambda self, transforms, prob=0.5: prob): 0, [len] | 0, [len], 2 | 0, [len], "a"
""",
    "_checkparam": """
twice: 3 | (1, 2) | [1, 2] | True | (1, 2.0)
""",
    "nn.loss.loss": """
_check_label_dtype: ms.int32, "C" | ms.float32, "C"
""",
    "nn.wrap.loss_scale": """
_grad_scale: T(4), T(1, 2) | T(4), Tensor([1.0, 2.0], ms.float16)
""",
    "ops.function.nn_func": """
_scaled_dot_product_attention: *[T(1, 2, 3, 4).reshape(1, 2, 2)] * 3, None, 0.0, False, True, ms.float32
_scaled_dot_product_attention: *[T(1, 2, 3, 4).reshape(1, 2, 2)] * 3, T(0, -1), 0.5, False, False, ms.float32
_scaled_dot_product_attention: *[T(1, 2, 3, 4).reshape(1, 2, 2)] * 3, None, 0.0, True, False, ms.float32
""",
    "nn.layer.conv": """
_check_input_3d: (1, 2, 3), "Conv1d" | (1, 2), "Conv1d"
""",
    "train.metrics.metric": """
_check_onehot_data: np.eye(3) | np.ones((2, 2)) | np.array([1, 0]) | np.array([[0.5, 0.5]])
""",
    "train.model": """
_transfer_tensor_to_tuple: T(1) | [T(1)] | 3
_is_role_pserver: *()
""",
    "train.serialization": """
tensor_to_np_type: "Float32" | "str" | "UInt8" | "Int64" | "Int4" | "x"
np.dtype(tensor_to_np_type("Bool")).name
tensor_to_np_type("BFloat16").__name__
sorted(map(str,tensor_to_ms_type.items()))
_convert_save_obj_to_param_list: [{"name": "a", "data": T(1)}], True, {"x": 1}, None
_convert_save_obj_to_param_list: {"a": P(1), "w": P(2)}, True, None, "a".__eq__ | {"a": P(1)}, True, None, None
""",
    "common.dtype": """
int_type uint_type complex_type bool int float
isinstance(list_,List) isinstance(tuple_,Tuple)
_pytype_to_dtype: bool | float | np.int8 | 3
_dtype_to_nptype: ms.int8
""",
    "parallel._recovery_context": """
_get_recovery_context: "enable_recovery" | "latest_ckpt_epoch" | "recovery_path" | "x"
""",
}


def calls() -> Iterator[tuple[str, str]]:
    """Yield each module with each expression that is evaluated in it."""
    for path, text in CALLS.items():
        for line in text.strip().splitlines():
            name, *rest = _parts(line, ": ")
            if rest:
                yield from ((path, f"{name}({args})") for args in ": ".join(rest).split(" | "))
            else:
                yield from ((path, value) for value in _parts(line, " "))


def _parts(line: str, sign: str) -> list[str]:
    """Return the parts of a line between a sign, which counts outside of brackets alone."""
    found = [""]
    for piece in line.split(sign):
        text = f"{found[-1]}{sign if found[-1] else ''}{piece}"
        found[-1] = text
        if all(text.count(left) == text.count(right) for left, right in ("()", "[]", "{}")):
            found.append("")
    return found[:-1] if not found[-1] else found


class _Names(dict[str, Any]):
    """Names beside those of a module, some of which this makes when it is asked for them."""

    def __init__(self, module: Any, names: dict[str, Any]) -> None:
        super().__init__(names)
        self._module = module

    def __missing__(self, name: str) -> Any:
        if hasattr(self._module, name):
            return getattr(self._module, name)
        raise KeyError(name)


def evaluate(path: str, expression: str) -> Any:
    """Return what an expression gives, or the types of its error, with `mindspore` as it is served."""
    ms = importlib.import_module("mindspore")

    def tensor(*values: float) -> Any:
        return ms.Tensor(np.array(values, np.float32))

    module = importlib.import_module(f"mindspore.{path}")
    names = {
        "ms": ms, "np": np, "ops": ms.ops, "Tensor": ms.Tensor, "T": tensor, "P": lambda *v: ms.Parameter(tensor(*v), name="p"),
        "I": lambda *v: ms.Tensor(np.array(v, np.int32)),
    }  # fmt: skip
    return answer(lambda: eval(expression, {**vars(module), **names}, _Names(module, names)))
