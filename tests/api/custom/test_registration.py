"""What programs register about operators of their own."""

import numpy as np
import pytest

from sporax import Tensor, ops
from sporax.ops import CustomRegOp, DataType

X = np.array([0.0, 1.0, 2.0, 3.0], np.float32)


def same(*shapes):
    return shapes[0]


def add(x, y):
    return x + y


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
