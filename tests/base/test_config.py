"""Settings that change what is computed, and where: devices, depth of calls, determinism, precision."""

import os
import subprocess
import sys

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.base import config

pytestmark = pytest.mark.usefixtures("settings_as_before")


def test_device_that_is_not_there_is_told_of(told: list[str]) -> None:
    """`device_id=63` of a machine with fewer devices computes on the first."""
    ms.set_context(device_id=63)
    ms.set_context(device_id=63)
    target = ms.get_context("device_target")
    assert told == [f"test_config.py: device_id 63 is not present here: running on {target} 0 of 1."]
    assert next(iter((Tensor([1.0]) + 1)._data.devices())) == jax.local_devices()[0]


def test_device_target_is_the_best_present_until_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(config._settings, "device_target", "")
    assert ms.get_context("device_target") == {"cpu": "CPU", "gpu": "GPU", "tpu": "TPU"}[jax.default_backend()]


def test_max_call_depth_lets_functions_call_deeper(mode: int) -> None:
    """A recursion that Python's own limit stops; deeper than some 150 calls, Python 3.12 stops it for its own stack's sake."""
    sys.setrecursionlimit(300)  # whoever ran before may have raised it

    class Down(nn.Cell):
        def construct(self, x, n):
            return x if n == 0 else self(x + 1, n - 1)

    net = Down()
    with pytest.raises(RecursionError):
        net(Tensor(0.0), 150)
    ms.set_context(max_call_depth=10000)
    assert float(net(Tensor(0.0), 150)) == 150.0
    limit = sys.getrecursionlimit()
    ms.set_context(max_call_depth=100)
    assert sys.getrecursionlimit() == limit  # never lowered: Python itself and JAX need their share


def test_deterministic_is_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA on a CPU repeats its results in any case; on a GPU every graph is compiled for it."""
    plain = config.compiler_options(False)
    ms.set_deterministic(True)
    assert ms.get_context("deterministic") == "ON"
    assert config.compiler_options(False) == plain or jax.default_backend() == "gpu"
    with monkeypatch.context() as patch:
        patch.setattr(jax, "default_backend", lambda: "gpu")
        given = config.compiler_options(False)
    assert given == {"xla_gpu_deterministic_ops": True}
    assert float(jax.jit(lambda x: x + 1, compiler_options=given)(np.float32(1))) == 2.0  # XLA knows the option


def _precision(fn, *shapes: tuple[int, ...]) -> str:
    """Return what an operator tells XLA of the precision of float32."""
    given = [np.ones(shape, np.float32) for shape in shapes]
    return str(jax.make_jaxpr(lambda *arrays: fn(*map(Tensor, arrays))._data)(*given)).partition("precision=")[2]


@pytest.mark.parametrize("allow", [False, True])
def test_float32_is_rounded_where_that_is_allowed(allow: bool) -> None:
    """TensorFloat-32 is JAX's `HIGH`; gradients are as their operators."""
    product, image = lambda x, w: ops.matmul(x, w), lambda x, w: ops.conv2d(x, w)
    sizes = ((3, 4), (4, 5)) if allow else ((2, 3), (3, 4))
    images = ((1, 2, 4, 4), (3, 2, 2, 2)) if allow else ((1, 2, 3, 3), (3, 2, 2, 2))
    ms.set_context(matmul_allow_tf32=allow, conv_allow_tf32=allow)
    expected = "(Precision.HIGH, Precision.HIGH)" if allow else "(Precision.HIGHEST, Precision.HIGHEST)"
    assert _precision(product, *sizes).startswith(expected)
    assert _precision(ms.grad(product), *sizes).startswith(expected)
    assert _precision(image, *images).startswith(expected)


def test_what_jax_was_told_of_precision_holds() -> None:
    program = """
import jax, numpy as np, sporax as ms
from sporax import ops, Tensor
ms.set_context(matmul_allow_tf32=True, conv_allow_tf32=True)
x, w = np.ones((1, 2, 4, 4), np.float32), np.ones((3, 2, 2, 2), np.float32)
print(jax.config.jax_default_matmul_precision)
print("HIGHEST" in str(jax.make_jaxpr(lambda x, w: ops.conv2d(Tensor(x), Tensor(w))._data)(x, w)))
"""
    env = config.environment({"JAX_DEFAULT_MATMUL_PRECISION": "highest"})
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
    assert done.stdout.split() == ["highest", "True"], done.stderr


def test_a_process_that_plans_for_a_card_is_on_its_platform():
    program = "from sporax._src.base import config; print(config.platform(), config.on_cpu())"
    env = os.environ | {config.CARD: "H200", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
    assert done.stdout.split() == ["gpu", "False"], done.stderr
