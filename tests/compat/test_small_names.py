"""MindSpore's import paths lead somewhere, and the small names below its private ones do what programs ask of them."""

import subprocess
import sys

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._c_expression import MSContext
from sporax._extends import cell_attr_register
from sporax.common.initializer import (
    _assignment,
    _calculate_correct_fan,
    _calculate_fan_in_and_fan_out,
    _calculate_gain,
)
from sporax.nn.optim.optimizer import opt_init_args_register
from sporax.train._utils import _make_directory


def test_paths_under_the_name_of_mindspore() -> None:
    """A program finds them below `mindspore`, where classes are the same."""
    code = (
        "from sporax._src.compat import finder; finder.install()\n"
        "from mindspore.nn.wrap.grad_reducer import DistributedGradReducer\n"
        "from mindspore._checkparam import Validator as validator\n"
        "from mindspore.version import __version__\n"
        "from mindspore.log import logging\n"
        "import mindspore, sporax\n"
        "assert mindspore.nn.DistributedGradReducer is DistributedGradReducer is sporax.nn.DistributedGradReducer\n"
        "assert __version__ == mindspore.__version__ == '2.7.0'\n"
        "assert mindspore.set_device is sporax.set_device\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_context_object() -> None:
    context = MSContext.get_instance()
    assert context is MSContext.get_instance()
    context.set_param("mode", ms.GRAPH_MODE)
    assert context.get_param("mode") == ms.get_context("mode") == ms.GRAPH_MODE
    assert context.get_ascend_soc_version() == "" and not context.is_ascend_plugin_loaded()


def test_registers(tmp_path) -> None:
    class Plain(nn.Optimizer):
        @opt_init_args_register
        def __init__(self, params: list, learning_rate: float = 0.1, momentum: float = 0.9) -> None:
            super().__init__(learning_rate, params)

    w = [Parameter(Tensor([1.0]), name="w")]
    opt = Plain(w, momentum=0.5)
    assert (opt.init_params, opt.init_learning_rate, opt.init_args) == ({"params": w}, 0.1, {"momentum": 0.5})

    class Layer(nn.Cell):
        @cell_attr_register(attrs=["size"])
        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size

    assert Layer(3).size == 3
    folder = _make_directory(str(tmp_path / "a" / "b"))
    assert (tmp_path / "a" / "b").is_dir() and folder == str(tmp_path / "a" / "b")
    with pytest.raises(TypeError, match="The argument 'path' must be a non-empty string, got 3"):
        _make_directory(3)


def test_helpers_of_initializers() -> None:
    assert _calculate_fan_in_and_fan_out((4, 3)) == (3, 4)
    assert _calculate_fan_in_and_fan_out((4, 3, 5, 5)) == (75, 100)
    assert _calculate_correct_fan((4, 3), "fan_out") == 4
    assert _calculate_gain("relu") == pytest.approx(2**0.5)
    assert _calculate_gain("leaky_relu", 1.0) == 1.0 and _calculate_gain("sigmoid") == 1.0
    arr = np.zeros((2, 2))
    assert _assignment(arr, 3.0) is arr and arr.sum() == 12
    assert _assignment(arr, np.arange(4)).tolist() == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match=r"fewer than 2 axes, got \[3\]"):
        _calculate_fan_in_and_fan_out((3,))
    with pytest.raises(ValueError, match="mode must be one of"):
        _calculate_correct_fan((4, 3), "fan")
    with pytest.raises(ValueError, match="unknown nonlinearity 'wave'"):
        _calculate_gain("wave")


def test_status_of_older_programs() -> None:
    status = ms.amp.init_status()
    assert ms.amp.all_finite((Tensor([1.0]),), status).item() is True
