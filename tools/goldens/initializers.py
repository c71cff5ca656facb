"""Values of deterministic initializers, and statistics of random ones."""

from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore.common.initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)

from .common import attempt, dtype_name, set_mode, to_numpy, write_json

CLASSES = (
    Constant, Dirac, HeNormal, HeUniform, Identity, Normal, One, Orthogonal, Sparse, TruncatedNormal, Uniform,
    VarianceScaling, XavierNormal, XavierUniform, Zero,
)  # fmt: skip
NAMES = {cls.__name__: cls for cls in CLASSES} | {"ms": ms, "np": np, "initializer": initializer}

EXACT = """
initializer('zeros', (2, 3))
initializer('zero', (2,))
initializer('ones', [2, 3], ms.float16)
initializer('one', (2,), ms.int32)
initializer('identity', (3, 3))
initializer('identity', (2, 4))
initializer('identity', (2, 2, 2))
initializer('dirac', (3, 2, 3))
initializer('dirac', (4, 2, 3, 3))
initializer('dirac', (2, 2, 1, 2, 3))
initializer(Dirac(groups=2), (4, 2, 3))
initializer(Dirac(groups=3), (4, 2, 3))
initializer('dirac', (2, 2))
initializer(Constant(2.5), (2, 2))
initializer(Constant(3), (2, 2), ms.int32)
initializer(Constant(-1), ())
initializer(Constant(np.array([1.0, 2.0])), (2, 2))
initializer(0.5, (2, 2))
initializer(7, (1,))
initializer(True, (2,))
initializer(ms.Tensor([1.0, 2.0]), (2,))
initializer(ms.Tensor([1.0, 2.0]), (3,))
initializer(Zero(), (0, 3))
initializer(One(), 3)
initializer('Zeros', (2,))
initializer('ONES', (2,))
initializer('nope', (2,))
initializer('zeros', (-1, 2))
initializer('zeros', (2.0, 2))
initializer('zeros', None)
initializer('zeros', (2,), ms.bfloat16)
initializer('zeros', (2,), ms.bool_)
initializer('xavier_uniform', (3,))
initializer('he_normal', ())
initializer('orthogonal', (3,))
initializer(None, (3,))
initializer(np.ones(2), (2,))
initializer([1, 2], (2,))
initializer(Normal, (2,))
"""
RANDOM = """
'normal'|(400, 500)
'uniform'|(400, 500)
'truncatednormal'|(400, 500)
'xavier_uniform'|(400, 500)
'xavier_uniform'|(50, 40, 10, 10)
'xavier_normal'|(400, 500)
'xavier_normal'|(50, 40, 10, 10)
'he_uniform'|(400, 500)
'he_uniform'|(50, 40, 10, 10)
'he_normal'|(400, 500)
'he_normal'|(50, 40, 10, 10)
'variancescaling'|(400, 500)
'orthogonal'|(200, 300)
'xaviernormal'|(400, 500)
'heuniform'|(400, 500)
Normal(0.5, 2.0)|(400, 500)
Normal(sigma=0.1)|(200, 1000)
Uniform(0.3)|(400, 500)
Uniform(scale=2)|(400, 500)
TruncatedNormal(0.5)|(400, 500)
TruncatedNormal(2.0, 1.0, -1.0, 3.0)|(400, 500)
TruncatedNormal(sigma=0.02, mean=0.0, a=-0.04, b=0.04)|(400, 500)
XavierUniform(gain=2)|(400, 500)
XavierUniform(gain=0.5)|(100, 20, 10, 10)
XavierNormal(gain=2)|(400, 500)
HeUniform(negative_slope=5 ** 0.5)|(400, 500)
HeUniform(negative_slope=0.2, mode='fan_out')|(400, 500)
HeUniform(nonlinearity='relu')|(400, 500)
HeUniform(nonlinearity='tanh')|(400, 500)
HeUniform(nonlinearity='sigmoid')|(400, 500)
HeUniform(mode='fan_out', nonlinearity='relu')|(50, 40, 10, 10)
HeNormal(negative_slope=0.1)|(400, 500)
HeNormal(mode='fan_out', nonlinearity='relu')|(400, 500)
HeNormal(mode='fan_out', nonlinearity='relu')|(50, 40, 10, 10)
VarianceScaling(2.0, 'fan_in', 'untruncated_normal')|(400, 500)
VarianceScaling(2.0, 'fan_out', 'truncated_normal')|(400, 500)
VarianceScaling(1.0, 'fan_avg', 'uniform')|(400, 500)
VarianceScaling(1.0, 'fan_in', 'uniform')|(50, 40, 10, 10)
VarianceScaling(2.0, 'fan_in', 'truncated_normal')|(50, 40, 10, 10)
Orthogonal(gain=2.0)|(300, 200)
Orthogonal()|(20, 10, 3, 3)
Sparse(0.1, 0.5)|(400, 500)
Sparse(sparsity=0.5)|(400, 500)
Sparse(0.33)|(10, 500)
Sparse(0.1)|(4, 5, 6)
HeUniform(mode='nope')|(4, 5)
HeUniform(nonlinearity='nope')|(4, 5)
VarianceScaling(-1.0)|(4, 5)
VarianceScaling(1.0, 'nope')|(4, 5)
"""


def exact(expression: str) -> dict[str, Any]:
    """Return the values that an initializer gives, or its error."""

    def run() -> dict[str, Any]:
        value = eval(expression, dict(NAMES)).init_data()
        return {"shape": list(value.shape), "dtype": dtype_name(value), "values": to_numpy(value).ravel().tolist()}

    value, error = attempt(run)
    return {"error": error} if error is not None else value


def statistics(text: str) -> dict[str, Any]:
    """Return bounds and moments of a large sample, to six digits."""
    how, shape = text.split("|")

    def run() -> dict[str, Any]:
        ms.set_seed(1)
        value = eval(f"initializer({how}, {shape})", dict(NAMES)).init_data()
        array = to_numpy(value).astype(np.float64)
        found = {
            "min": array.min(),
            "max": array.max(),
            "mean": array.mean(),
            "std": array.std(),
            "zeros": (array == 0).mean(),
        }
        if "orthogonal" in how.lower():
            rows = array.reshape(array.shape[0], -1)
            gram = rows @ rows.T if rows.shape[0] < rows.shape[1] else rows.T @ rows
            found["gram_diagonal"] = np.diag(gram).mean()
            found["gram_error"] = np.abs(gram - np.diag(np.diag(gram))).max()
        if "Sparse" in how:
            found["zeros_per_column"] = (array == 0).sum(0).max()
        return {key: float(f"{number:.6g}") for key, number in found.items()} | {"dtype": dtype_name(value)}

    value, error = attempt(run)
    return {"error": error} if error is not None else value


def record(out: Path) -> None:
    """Write ``initializers.json``."""
    set_mode("pynative")
    data = {
        "exact": {line: exact(line) for line in EXACT.split("\n") if line},
        "random": {line: statistics(line) for line in RANDOM.split("\n") if line},
    }
    write_json(out / "initializers.json", data)
