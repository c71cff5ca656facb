"""Operators of the user's own: Python functions and C libraries, in both modes."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops

X = np.array([0.0, 1.0, 2.0, 3.0], np.float32)


def same(*shapes):
    return shapes[0]


def add(x, y):
    return x + y


def test_python_function(run):
    op = ops.Custom(add, same, same, "pyfunc")
    np.testing.assert_array_equal(run(lambda a, b: op(a, b) * 2, Tensor(X), Tensor(X)).asnumpy(), 4 * X)


def test_several_results(run):
    op = ops.Custom(lambda x: (x, x.sum(keepdims=True).astype(np.int32)), lambda s: (s, (1,)), lambda t: (t, ms.int32))
    first, second = run(op, Tensor(X))
    np.testing.assert_array_equal(first.asnumpy(), X)
    assert second.asnumpy().tolist() == [6] and second.dtype == ms.int32


def test_numbers_reach_the_function_and_its_arrays_may_be_written(run):
    def scaled(x, factor):
        x *= factor
        return x

    op = ops.Custom(scaled, (4,), ms.float32)
    x = Tensor(X)
    np.testing.assert_array_equal(run(lambda a: op(a, 3), x).asnumpy(), 3 * X)
    np.testing.assert_array_equal(x.asnumpy(), X)


def test_backward(run):
    op = ops.Custom(add, same, same, bprop=lambda x, y, out, dout: (dout * 2, dout * out))
    da, db = run(ms.grad(lambda a, b: op(a, b).sum(), (0, 1)), Tensor(X), Tensor(X))
    np.testing.assert_array_equal(da.asnumpy(), np.full(4, 2, np.float32))
    np.testing.assert_array_equal(db.asnumpy(), 2 * X)


def test_vmap():
    op = ops.Custom(add, same, same)
    out = ms.vmap(lambda v: op(v, v))(Tensor(np.stack([X, X + 1])))
    np.testing.assert_array_equal(out.asnumpy(), 2 * np.stack([X, X + 1]))


BAD = [
    (lambda: ops.Custom(add), TypeError, "out_shape must be given"),
    (lambda: ops.Custom(add, same), TypeError, "out_dtype must be given"),
    (lambda: ops.Custom(add, same, same, "fortran"), ValueError, "func_type must be one of hybrid, aot, pyfunc"),
    (lambda: ops.Custom(3, same, same), TypeError, "func must be a function"),
    (lambda: ops.Custom(add, same, same, "aot"), TypeError, "func must be a str"),
    (lambda: ops.Custom(lambda x: x, (5,), ms.float32)(Tensor(X)), RuntimeError, r"shape \(4,\), expected \(5,\)"),
    (lambda: ops.Custom(lambda x: (x, x), (4,), ms.float32)(Tensor(X)), RuntimeError, "gave 2 results, expected 1"),
    (lambda: ops.Custom("none.so:f", same, same, "aot")(Tensor(X)), RuntimeError, "no library 'none.so'"),
    (lambda: ops.Custom("none.so", same, same, "aot")(Tensor(X)), RuntimeError, "must be 'library.so:name'"),
    (
        lambda: ms.grad(lambda a: ops.Custom(add, same, same)(a, a).sum())(Tensor(X)),
        RuntimeError,
        "needs the argument bprop",
    ),
    (
        lambda: ops.PyFunc(add, [ms.float32] * 2, [(4,)] * 2, [ms.float32], [(4,)])((Tensor(X),)),
        TypeError,
        "expected 2 inputs, got 1",
    ),
    (lambda: ops.kernel(3), TypeError, "expected a function"),
    (lambda: ops.kernel(add, compile_attrs=3), TypeError, "compile_attrs must be a dict"),
]


@pytest.mark.parametrize(("call", "kind", "match"), BAD)
def test_errors(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


def test_py_func(run):
    op = ops.PyFunc(lambda x, y: (x + y, x - y), [ms.float32] * 2, [(4,)] * 2, [ms.float32] * 2, [(4,)] * 2)
    for args in ((Tensor(X), Tensor(X)), ((Tensor(X), Tensor(X)),)):
        total, difference = run(op, *args)
        np.testing.assert_array_equal(total.asnumpy(), 2 * X)
        np.testing.assert_array_equal(difference.asnumpy(), 0 * X)


SOURCE = """
#include <stdint.h>
#include <string.h>
int LeakyRelu(int n, void **params, int *ndims, int64_t **shapes, const char **dtypes, void *stream, void *extra) {
  if (n != 2 || ndims[0] != ndims[1] || strcmp(dtypes[0], "float32")) return 7;
  int64_t size = 1;
  for (int i = 0; i < ndims[0]; ++i) size *= shapes[0][i];
  const float *x = (const float *)params[0];
  float *y = (float *)params[1];
  for (int64_t i = 0; i < size; ++i) y[i] = x[i] < 0 ? 0.001f * x[i] : x[i];
  return 0;
}
"""


COMPILER = shutil.which("cc")


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("aot")
    (folder / "relu.c").write_text(SOURCE)
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", folder / "relu.so", folder / "relu.c"], check=True)
    return folder / "relu.so"


if COMPILER:  # a machine that runs programs with such libraries has the compiler that made them

    def test_c_library(run, library):
        op = ops.Custom(f"{library}:LeakyRelu", same, same, "aot")
        x = Tensor(np.array([[0.0, -1.0], [-2.0, 1.0]], np.float32))
        np.testing.assert_allclose(run(op, x).asnumpy(), [[0, -0.001], [-0.002, 1]], rtol=1e-6)

    def test_c_library_errors(library):
        with pytest.raises(RuntimeError, match="failed with the code 7"):
            ops.Custom(f"{library}:LeakyRelu", same, same, "aot")(Tensor(np.ones(2, np.float64)))
        with pytest.raises(RuntimeError, match="has no function 'Relu'"):
            ops.Custom(f"{library}:Relu", same, same, "aot")(Tensor(X))
