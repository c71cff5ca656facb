"""Grouped convolutions by the kernels in C++: where they apply, that parts of images give the same, and what XLA divides."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from convolutions import CASES, NHWC, NONE, NWC, arrays, convolve, with_gradients, written_out
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.lowering.cpu import kernels

pytestmark = [
    pytest.mark.of_cpus("the kernels are for CPUs"),
    pytest.mark.skipif(
        shutil.which("c++") is None and not kernels.ARE_BUILT, reason="the wheel was built without a compiler"
    ),
]
GROUPED = {name: case for name, case in CASES.items() if case[0] > 1}
BY_KERNEL = {name: case for name, case in GROUPED.items() if len(case[4]) < 3}


def lowered(case: tuple[Any, ...], **options: Any) -> str:
    return jax.jit(lambda x, w: convolve(case, x, w), **options).lower(*arrays(case)).as_text()


def test_kernels_are_built_where_a_compiler_is() -> None:
    assert kernels.ARE_BUILT


@pytest.mark.parametrize("name", GROUPED)
def test_a_kernel_takes_groups_along_one_axis_or_two(name: str) -> None:
    assert lowered(GROUPED[name]).count("sporax_grouped") == (name in BY_KERNEL)


def test_large_groups_are_products_of_matrices() -> None:
    case = (2, 40, 40, (5, 5), (3, 3), (1, 1), NONE, (1, 1), (1, 1), NHWC)
    assert "sporax_grouped" not in lowered(case)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BY_KERNEL)
def test_values_and_gradients_with_and_without(monkeypatch: pytest.MonkeyPatch, name: str, dtype: str) -> None:
    by_kernel = with_gradients(convolve, BY_KERNEL[name], dtype)
    monkeypatch.setattr(kernels, "ARE_BUILT", False)
    by_xla = with_gradients(convolve, BY_KERNEL[name], dtype)
    tolerance = 1e-5 if dtype == "float32" else 1e-13
    for got, other, expected in zip(
        by_kernel, by_xla, with_gradients(written_out, BY_KERNEL[name], dtype), strict=True
    ):
        assert got.dtype == dtype
        atol = tolerance * np.abs(expected).max()
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=atol)
        np.testing.assert_allclose(other, expected, rtol=tolerance, atol=atol)


LARGE = {  # more rows or columns than a task has
    "one channel in each group": (20, 1, 1, (60, 150), (3, 5), (2, 1), ((1, 1), (2, 2)), (1, 1), (1, 2), NHWC),
    "groups in one vector": (12, 4, 4, (50, 90), (3, 3), (1, 2), ((1, 1), (1, 1)), (1, 1), (1, 1), NHWC),
    "a group over vectors": (2, 3, 32, (70, 40), (3, 2), (1, 1), ((0, 2), (1, 1)), (1, 1), (1, 1), NHWC),
    "groups that vectors cut": (5, 6, 7, (60, 40), (2, 3), (1, 1), NONE, (1, 1), (2, 1), NHWC),
    "transposed": (20, 2, 2, (40, 50), (4, 3), (1, 1), ((2, 2), (1, 1)), (2, 3), (1, 1), NHWC),
    "long rows": (3, 8, 7, (3, 1100), (2, 3), (1, 2), ((1, 0), (2, 2)), (1, 1), (1, 3), NHWC),
    "one axis": (20, 1, 1, (9001,), (5,), (1,), ((2, 3),), (1,), (1,), NWC),
    "one axis, transposed": (2, 16, 3, (1500,), (5,), (3,), ((-3, 4),), (2,), (1,), NWC),
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_parts_of_images(name: str) -> None:
    case = LARGE[name]
    for got, expected in zip(
        with_gradients(convolve, case, "float64"), with_gradients(written_out, case, "float64"), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


MEMORY = """
import resource
import jax, jax.numpy as jnp
import sporax
from jax import lax

@jax.jit
@jax.grad
def step(w, x):
    out = lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=2)
    return out.sum()

most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
w = jnp.ones((5, 16, 32))
step(w, jnp.ones((1, 8, 32))).block_until_ready()
before = most()
step(w, jnp.ones((1, 200_000, 32))).block_until_ready()
print(most() - before)
"""


def test_long_signals_take_no_large_buffers() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
    )  # fmt: skip
    assert float(done.stdout) < 250, done.stderr  # MiB; with buffers for whole signals it was 516


def test_results_are_the_same_each_time() -> None:
    case = LARGE["groups in one vector"]
    first = with_gradients(convolve, case)
    for _ in range(5):
        for got, expected in zip(with_gradients(convolve, case), first, strict=True):
            np.testing.assert_array_equal(got, expected)


def test_what_is_not_a_number_stays_so() -> None:
    case = (4, 1, 1, (4, 4), (1, 1), (1, 1), NONE, (1, 1), (1, 1), NHWC)
    x, w = arrays(case)
    out = jax.jit(lambda x, w: convolve(case, x, w))(x.at[0, 1, 2, 3].set(jnp.nan), w)
    assert np.argwhere(np.isnan(out)).tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("are_built", [True, False])
@pytest.mark.parametrize("strides", [(1, 1), (6, 6)])
@pytest.mark.parametrize("kernel", [(6, 6), (4, 2), (2, 9)])
def test_kernels_larger_than_the_image(
    monkeypatch: pytest.MonkeyPatch, are_built: bool, strides: tuple[int, int], kernel: tuple[int, int]
) -> None:
    monkeypatch.setattr(kernels, "ARE_BUILT", are_built)
    case = (4, 1, 1, (3, 3), kernel, strides, NONE, (1, 1), (1, 1), NHWC)
    out, *gradients = with_gradients(convolve, case)
    assert out.shape == jax.eval_shape(lambda x, w: convolve(case, x, w), *arrays(case)).shape
    assert out.size == 0
    assert not any(gradient.any() for gradient in gradients)


@pytest.mark.parametrize("are_built", [True, False])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_sums_are_as_wide_as_the_result(
    monkeypatch: pytest.MonkeyPatch, dtype: str, channels: int, are_built: bool
) -> None:
    monkeypatch.setattr(kernels, "ARE_BUILT", are_built)
    case = (4, channels, 1, (6, 6), (3, 3), (1, 1), NONE, (1, 1), (1, 1), NHWC)
    x, w = arrays(case, dtype)

    @jax.jit
    def run(x: Any, w: Any) -> Any:
        return lax.conv_general_dilated(
            x, w, (1, 1), "VALID", dimension_numbers=NHWC, feature_group_count=4, preferred_element_type=jnp.float64
        )

    expected = written_out(case, x.astype("float64"), w.astype("float64"))
    np.testing.assert_allclose(run(x, w), expected, rtol=1e-13, atol=1e-13)


def test_programs_that_are_divided_or_exported_have_no_calls() -> None:
    case = BY_KERNEL["channels last, strides, holes"]
    x, w = arrays(case)
    exported = jax.export.export(jax.jit(lambda x, w: convolve(case, x, w)))(x, w)
    np.testing.assert_allclose(exported.call(x, w), convolve(case, x, w), rtol=1e-5, atol=1e-5)
    if len(jax.devices()) > 1:
        mesh = jax.make_mesh((2,), ("batch",), devices=jax.devices()[:2])
        placed = jax.device_put(x, NamedSharding(mesh, PartitionSpec("batch")))
        step = jax.jit(lambda x, w: convolve(case, x, w))
        assert "sporax_grouped" not in step.lower(placed, w).as_text()
        np.testing.assert_allclose(step(placed, w), convolve(case, x, w), rtol=1e-5, atol=1e-5)


PROGRAM = """
import numpy as np, sporax as ms
from sporax import ops
net = ms.nn.Conv2d(8, 8, 3, group=8, weight_init="ones")
out = ms.jit(lambda x: net(x).sum())(ms.Tensor(np.ones((2, 8, 6, 6), np.float32)))
print(float(out))
"""


def test_a_compiled_program_on_the_disk_finds_the_kernels(tmp_path: Path) -> None:
    environ = {**os.environ, "SPORAX_CACHE_DIR": str(tmp_path), "JAX_PLATFORMS": "cpu"}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environ, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.stdout.strip() == str(float(2 * 8 * (4 * 4 + 4 * 4 * 6 + 16 * 9))), done.stderr


def test_a_library_that_does_not_load_leaves_the_kernels_to_xla(tmp_path) -> None:
    """One of another machine, or of another version."""
    library = tmp_path / "kernels.so"
    assert not kernels._register(library)
    library.write_bytes(b"no library")
    with pytest.warns(
        RuntimeWarning, match=r"the kernels of sporax do not load \(.*kernels.so.*\)\. Install sporax anew"
    ):
        assert not kernels._register(library)


OUT_OF_MEMORY = """
import resource
import numpy as np
import sporax as ms

lstm, x = ms.nn.LSTM(8, 2048), ms.Tensor(np.ones((2, 3, 8), np.float32))
lstm(x)[0].asnumpy()
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 16 * 2**20,) * 2)  # the kernel needs 64 MB for the weights
try:
    lstm(x)[0].asnumpy()
except Exception as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the size of a process is read from /proc")
def test_a_kernel_without_memory_raises() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True, timeout=300, check=True
    )
    assert "out of memory" in done.stdout.lower()
