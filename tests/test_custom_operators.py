"""Operators of the user's own: Python functions, C libraries, hybrid kernels, and what programs register about them."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax.ops import CustomRegOp, DataType

X = np.array([0.0, 1.0, 2.0, 3.0], np.float32)


def same(*shapes):
    return shapes[0]


def add(x, y):
    return x + y


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def run(request):
    return (lambda f, *a: f(*a)) if request.param == ms.PYNATIVE_MODE else (lambda f, *a: ms.jit(f, fullgraph=True)(*a))


# --- Python functions ------------------------------------------------------------------------------------------------


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


# --- hybrid kernels --------------------------------------------------------------------------------------------------


@ops.kernel
def outer(a, b):
    c = output_tensor((a.shape[0], b.shape[0]), a.dtype)  # noqa: F821 (a word of the hybrid language)
    with block_realize(c):  # noqa: F821
        for i, j in grid((a.shape[0], b.shape[0])):  # noqa: F821
            c[i, j] = sqrt(a[i]) * b[j]  # noqa: F821
    return c


def test_hybrid_kernel(run):
    want = np.outer(np.sqrt(X), X)
    np.testing.assert_allclose(outer(X, X), want, rtol=1e-6)
    np.testing.assert_allclose(
        run(ops.Custom(outer, func_type="hybrid"), Tensor(X), Tensor(X)).asnumpy(), want, rtol=1e-6
    )
    decorated = ops.ms_kernel(compile_attrs={"unroll": 2})(lambda a: a + 1)
    np.testing.assert_array_equal(ops.Custom(decorated)(Tensor(X)).asnumpy(), X + 1)


# --- functions of a C library ----------------------------------------------------------------------------------------

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


# --- descriptions ----------------------------------------------------------------------------------------------------


def test_data_types():
    assert DataType.F16_Default == ("float16", "DefaultFormat") and DataType.I8_5HD == ("int8", "NC1HWC0")
    assert DataType.None_None == ("", "") and DataType.BF16_FRACTAL_Z_3D == ("bfloat16", "FRACTAL_Z_3D")
    assert DataType.U32_Default_Tuple == ("uint32", "DefaultFormat", "tuple")


def test_custom_description():
    pair = DataType.F16_Default
    info = CustomRegOp("Mine").input(0, "x", "dynamic").input(1, "z").output(0, "y").dtype_format(pair, pair, pair)
    info = info.attr("a", "required", "int", default_value="3").target("Ascend").get_op_info()
    assert info == {
        "op_name": "Mine",
        "inputs": [
            {"index": 0, "name": "x", "paramType": "dynamic"},
            {"index": 1, "name": "z", "paramType": "required"},
        ],
        "outputs": [{"index": 0, "name": "y", "paramType": "required"}],
        "attr": [{"name": "a", "paramType": "required", "type": "int", "defaultValue": "3"}],
        "fusion_type": "",
        "dtype_format": [(pair, pair, pair)],
        "target": "Ascend",
    }

    @ops.custom_info_register(info)
    def twice(x):
        return 2 * x

    assert twice(3) == 6 and twice.reg_info == [info]
    np.testing.assert_array_equal(ops.Custom(twice, same, same, "pyfunc")(Tensor(X)).asnumpy(), 2 * X)


def test_kernel_descriptions():
    pair = DataType.F32_None
    tbe = ops.TBERegOp("Abs").fusion_type("ELEMWISE").binfile_name("abs.so").kernel_name("abs").compute_cost(3)
    tbe = tbe.input(0, "x", None, "required", None).output(0, "y", True, "required", "all").dtype_format(pair, pair)
    info = tbe.partial_flag().op_pattern("formatAgnostic").get_op_info()
    assert (info["kernel"], info["binfile"], info["compute_cost"], info["partial_flag"]) == ("abs", "abs.so", 3, True)
    assert info["outputs"] == [{"index": 0, "name": "y", "need_compile": True, "paramType": "required", "shape": "all"}]
    ai = ops.AiCPURegOp("Abs").input(0, "x", "required").attr("a", "int", "3").dtype_format(pair).get_op_info()
    assert ai["imply_type"] == "AiCPU" and ai["attr"] == [{"name": "a", "type": "int", "value": "3"}]
    assert ops.op_info_register('{"op_name": "Abs"}')(lambda x: -x)(2) == -2


DESCRIPTION_ERRORS = [
    (lambda: CustomRegOp(""), ValueError, "op_name must be a str, and not empty"),
    (lambda: CustomRegOp().input("0", "x"), TypeError, "index of inputs must be of type int, got str"),
    (
        lambda: CustomRegOp().input(0, "x").dtype_format(),
        ValueError,
        "one pair for each of 1 inputs and outputs, got 0",
    ),
    (lambda: CustomRegOp().input(0, "x").dtype_format("F16"), ValueError, "takes pairs of DataType, got 'F16'"),
    (lambda: CustomRegOp().target(3), TypeError, "target must be of type str"),
    (lambda: ops.op_info_register("{")(add), ValueError, "expected a dict or a JSON text"),
    (lambda: ops.tensor_operator_registry.get(3), TypeError, "the name must be a str"),
    (lambda: ops.tensor_operator_registry.get("nothing"), AttributeError, "no operator 'nothing'"),
]


@pytest.mark.parametrize(("call", "kind", "match"), DESCRIPTION_ERRORS)
def test_description_errors(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


def test_registries():
    assert ops.tensor_operator_registry.get("add") is ops.add
    assert ops.get_vm_impl_fn("NoSuchOperator") is None

    @ops.vm_impl_registry.register("MyOperator")
    def implementation(prim):
        return lambda x: (prim, x)

    assert ops.get_vm_impl_fn("MyOperator")(1) == ("MyOperator", 1)
    assert ops.get_vm_impl_fn(ops.Primitive("MyOperator"))(1)[1] == 1
