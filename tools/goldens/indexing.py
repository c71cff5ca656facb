"""Reading and writing tensors through index expressions."""

from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor

from .common import DTYPES, attempt, dtype_name, set_mode, to_numpy, write_json

READ_2D = """
x[0] | x[-1] | x[2] | x[3] | x[-4] | x[0, 0] | x[-1, -1] | x[0][1] | x[:] | x[...] | x[None] | x[:, None] | x[..., None]
x[None, ..., None] | x[1:] | x[:-1] | x[::2] | x[1:3] | x[:, 1:3] | x[:, ::2] | x[:, ::3] | x[0:10] | x[2:1] | x[5:]
x[-2:] | x[:, -2:] | x[:, -3:-1] | x[::-1] | x[:, ::-2] | x[2::-1] | x[1, :] | x[:, 1] | x[..., 1] | x[0, ...] | x[1:2, 1]
x[True] | x[False] | x[None, True] | x[[0, 2]] | x[[0, 2], [1, 3]] | x[[0, 2], :] | x[:, [0, 2]] | x[[-1, 0]] | x[[]] | x[[[0, 1], [1, 2]]]
x[(0, 1)] | x[(0, 1), ] | x[[True, False, True]] | x[:, [True, False, True, False]] | x[[True, False]]
x[Tensor(1)] | x[Tensor(1, ms.int32)] | x[Tensor(-1)] | x[Tensor([0, 2])] | x[Tensor([2, 0, 1], ms.int32)] | x[Tensor([-1, 0])]
x[Tensor([[0, 1], [1, 2]])] | x[Tensor([0, 2]), Tensor([1, 3])] | x[Tensor([[0], [2]]), Tensor([1, 3])] | x[:, Tensor([0, 3])]
x[..., Tensor([0, 3])] | x[Tensor([0, 2]), 1] | x[1, Tensor([0, 2])] | x[Tensor([0, 2]), 1:3] | x[1:3, Tensor([0, 2])] | x[Tensor([0, 2]), None]
x[Tensor([0, 2], ms.int8)] | x[Tensor([0, 2], ms.uint8)] | x[Tensor([0, 2], ms.int16)] | x[Tensor([0.0, 2.0])] | x[Tensor([5])] | x[Tensor([-5])]
x[Tensor([], ms.int32)] | x[Tensor([True, False, True])] | x[Tensor([False, False, False])] | x[:, Tensor([True, False, True, False])]
x[x > 5] | x[x > 100] | x[x < 100] | x[x % 2 == 0] | x[Tensor([True, False])] | x[Tensor(True)] | x[Tensor([True, False, True]), 1]
x[Tensor([True, False, True]), 1:3] | x[Tensor([True, False, True]), Tensor([0, 1])] | x[np.array([0, 2])] | x[np.array([True, False, True])]
x[np.int64(1)] | x[np.array(1)] | x[1.0] | x['a'] | x[0, 0, 0] | x[..., 0, ...] | x[{}] | x[slice(None)] | x[slice(0, 2), 1] | x[range(2)]
x[Tensor(0):Tensor(2)] | x[:Tensor(2, ms.int32)] | x[::0] | x[0:2, 0:2][1] | x[0:2][:, 1] | x[None, 0] | x[0, None] | x[0, None, 1] | x[:, None, 1]
x[[0, 1], None] | x[None, [0, 1]] | x[[0, 1], ..., None] | x[0, [0, 1]] | x[[0, 1], 0] | x[()] | x[None, None] | x[1:, None, ::2]
"""  # noqa: E501
READ_3D = """
x[0] | x[0, 1] | x[0, 1, 2] | x[..., 0] | x[0, ..., 0] | x[:, 0] | x[:, :, 0] | x[:, 1:, ::2] | x[..., 1:3] | x[1, ..., None] | x[:, ..., 1]
x[[0, 1], [0, 2], [1, 3]] | x[[0, 1], :, [1, 3]] | x[:, [0, 2], [1, 3]] | x[0, [0, 2], [1, 3]] | x[[0, 1], 0, [1, 3]] | x[0, :, [0, 1]]
x[[0, 1], 0, :] | x[:, [0, 1], 0] | x[:, 0, [0, 1]] | x[[0, 1], 1:, 0] | x[0, 1:, [0, 1]] | x[None, [0, 1], :, [1, 3]] | x[[[0, 1], [1, 0]], :, 0]
x[Tensor([0, 1]), :, Tensor([1, 3])] | x[Tensor([[0], [1]]), Tensor([0, 2])] | x[..., Tensor([0, 1])] | x[:, Tensor([[0, 1]])] | x[Tensor([0, 1]), ..., 0]
x[x > 11] | x[Tensor([True, False])] | x[x[:, :, 0] > 4] | x[:, Tensor([True, False, True])] | x[0, Tensor([True, False, True])] | x[1:, Tensor([True, False, True]), 0]
x[Tensor([True, False]), :, 0] | x[:, x[0] > 5] | x[Tensor([True, False]), Tensor([True, False, True])] | x[-1, -1, -1] | x[2] | x[0, 3] | x[:, :, 4]
x[::2, ::2, ::2] | x[:, ::-1] | x[0:1] | x[0:0] | x[:, 1:1] | x[..., None, :] | x[:, None, :, None] | x[None, None, 0] | x[1, 1:, 1:][0] | x[:][0][1:][:, 2]
"""  # noqa: E501
READ_OTHER = """
x0[...] | x0[None] | x0[()] | x0[0] | x0[True] | x0[Tensor(True)] | x0[None, ...] | x1[3] | x1[-1] | x1[::2] | x1[[1, 2]] | x1[None, 1:] | x1[Tensor([0, 0, 1])]
x1[x1 > 2] | xb[0] | xb[xb] | xe[0] | xe[:] | xe[:, 0] | xe[None] | xe[:0]
"""  # noqa: E501
WRITE = """
x[0] = 9 | x[0] = 9.5 | x[0] = True | x[-1] = -1 | x[0, 1] = 9 | x[3] = 1 | x[:] = 0 | x[...] = 7 | x[1:] = 9 | x[::2] = 9 | x[:, 1] = 9 | x[:, 1:3] = 9
x[:, ::2] = 9 | x[..., 1] = 9 | x[0, ...] = 9 | x[None] = 9 | x[5:] = 9 | x[2:1] = 9 | x[::-1] = 9 | x[-2:, -2:] = 9
x[0] = v[0] | x[0] = v | x[:] = v | x[0] = [1, 2, 3, 4] | x[0] = (1, 2, 3, 4) | x[:, 0] = [7, 8, 9] | x[:, 0] = Tensor([7, 8, 9]) | x[0:2] = [1, 2, 3, 4]
x[0:2] = [[1, 2, 3, 4], [5, 6, 7, 8]] | x[0:2] = Tensor([5.0]) | x[0] = Tensor(5) | x[0] = Tensor([1, 2]) | x[:, 0:2] = Tensor([1.5, 2.5]) | x[0] = np.ones(4)
x[[0, 2]] = 9 | x[[0, 2]] = v[0:2] | x[[0, 2]] = Tensor([1, 2, 3, 4]) | x[[0, 2], [1, 3]] = 9 | x[[0, 2], [1, 3]] = Tensor([7, 8]) | x[:, [0, 2]] = 9
x[:, [0, 2]] = Tensor([7, 8]) | x[[0, 0]] = Tensor([[1, 1, 1, 1], [2, 2, 2, 2]]) | x[[True, False, True]] = 9 | x[[]] = 9
x[Tensor(1)] = 9 | x[Tensor([0, 2])] = 9 | x[Tensor([0, 2])] = 9.5 | x[Tensor([0, 2])] = v[1:3] | x[Tensor([0, 2]), Tensor([1, 3])] = 9
x[Tensor([0, 2]), Tensor([1, 3])] = Tensor([7, 8]) | x[Tensor([0, 2]), 1] = 9 | x[1, Tensor([0, 2])] = Tensor([7, 8]) | x[:, Tensor([0, 2])] = 9 | x[Tensor([0, 2]), 1:3] = 9
x[1:3, Tensor([0, 2])] = 9 | x[Tensor([5])] = 9 | x[Tensor([0.0])] = 9 | x[Tensor([True, False, True])] = 9 | x[Tensor([True, False, True])] = v[0]
x[Tensor([True, False, True])] = v[0:2] | x[x > 5] = 0 | x[x > 5] = -1.5 | x[x > 100] = 1 | x[x > 5] = Tensor(3) | x[x > 9] = Tensor([7, 8]) | x[x > 5] = Tensor([7, 8])
x[:, Tensor([True, False, True, False])] = 9 | x[np.array([0, 2])] = 9 | x[True] = 9 | x[False] = 9 | x[1.0] = 9 | x['a'] = 9 | x[0] = 'a' | x[0] = None
x[0] = Tensor([1.7, 2.7, 3.7, 4.7]) | x[0] = 1e10 | x[0] = 1 + 2j | x[Tensor(0):Tensor(2)] = 9 | x[0][1] = 9 | x[0:2][1] = 9 | x[[0, 2]][0] = 9 | x[0, 0, 0] = 9
x[0] += 1 | x[:, 1] *= 2 | x[x > 5] -= 10 | x[[0, 2]] += 1 | x[1:2] //= 2 | x[None, 0] = 9 | x[0, None] = 9 | x[()] = 9 | x[range(2)] = 9
"""  # noqa: E501
WRITE_DTYPES = ("int32", "float32")
READ_DTYPES = ("int32",)


def split(text: str) -> list[str]:
    """Return the expressions of a block of text."""
    return [part.strip() for line in text.strip().splitlines() for part in line.split("|") if part.strip()]


def names(dtype: str) -> dict[str, Any]:
    """Return fresh tensors and the modules that an expression may use."""
    kind = DTYPES[dtype]
    return {
        "ms": ms,
        "np": np,
        "Tensor": Tensor,
        "v": Tensor(-np.arange(12).reshape(3, 4) - 1, kind),
        "x0": Tensor(5, kind),
        "x1": Tensor(np.arange(6), kind),
        "xb": Tensor([True, False, True]),
        "xe": Tensor(np.zeros((0, 3)), kind),
    }


def described(value: Any) -> dict[str, Any]:
    """Return a result's shape, dtype and values."""
    if not isinstance(value, Tensor):
        return {"python": type(value).__name__, "repr": repr(value)}
    return {
        "shape": list(value.shape),
        "dtype": dtype_name(value),
        "values": [item.item() for item in to_numpy(value).ravel()],
    }


def read(expression: str, shape: tuple[int, ...], dtype: str = "int32") -> dict[str, Any]:
    """Evaluate an expression; describe its value, or give its error."""
    scope = names(dtype) | {"x": Tensor(np.arange(np.prod(shape)).reshape(shape), DTYPES[dtype])}
    value, error = attempt(lambda: described(eval(expression, scope)))
    return {"error": error} if error is not None else value


def write(statement: str, dtype: str) -> dict[str, Any]:
    """Execute an assignment; describe x after it, or give its error."""
    scope = names(dtype) | {"x": Tensor(np.arange(12).reshape(3, 4), DTYPES[dtype])}

    def run() -> dict[str, Any]:
        exec(statement, scope)
        return described(scope["x"])

    value, error = attempt(run)
    return {"error": error} if error is not None else value


def aliasing(index: Any) -> dict[str, Any]:
    """Return x after writing 99 into what an expression read from it."""
    expressions = split(
        "x[0] | x[0, 1] | x[1:] | x[:, 1] | x[::2] | x[...] | x[:] | x[None] | x[[0]] | x[Tensor([0])] | x[x > -1] | "
        "x.view(12) | x.reshape(12) | x.reshape(4, 3) | x.T | x.transpose(1, 0) | x.swapaxes(0, 1) | x.flatten() | "
        "x.ravel() | x.squeeze() | x.expand_dims(0) | x.copy() | x.broadcast_to((2, 3, 4)) | x.astype(ms.int32) | "
        "x[0:3, 0:4]"
    )
    result = {}
    for expression in expressions:
        scope = names("int32") | {"x": Tensor(np.arange(12).reshape(3, 4), ms.int32)}

        def run() -> list[int]:
            scope["y"] = eval(expression, scope)  # noqa: B023
            scope["y"][index] = 99  # noqa: B023
            return to_numpy(scope["x"]).ravel().tolist()  # noqa: B023

        value, error = attempt(run)
        result[expression] = {"error": error} if error is not None else {"x": value}
    return result


def record(out: Path) -> None:
    """Write ``indexing.json``: x is arange(12).reshape(3, 4) or arange(24).reshape(2, 3, 4)."""
    set_mode("pynative")
    data = {
        "read_2d": {text: read(text, (3, 4)) for text in split(READ_2D)},
        "read_3d": {text: read(text, (2, 3, 4)) for text in split(READ_3D)},
        "read_other": {text: read(text, (3, 4)) for text in split(READ_OTHER)},
        "after_writing_99_to_all_of": aliasing(...),
        "after_writing_99_to_item_0_of": aliasing(0),
    }
    for dtype in WRITE_DTYPES:
        data[f"write_{dtype}"] = {text: write(text, dtype) for text in split(WRITE)}
    write_json(out / "indexing.json", data)
