"""Convolutions in groups, without the kernels: what XLA gets has none, and long sums keep no moved images."""

import re

import jax
import jax.numpy as jnp
import pytest
from convolutions import CASES, arrays, convolve

from sporax._src.lowering.cpu import kernels


@pytest.fixture(autouse=True)
def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "ARE_BUILT", False)


@pytest.mark.of_cpus("convolutions are lowered so for CPUs")
def test_long_sums_are_loops_that_keep_no_moved_images() -> None:
    case = CASES["a long kernel of a channel"]
    gradients = jax.jit(jax.grad(lambda x, w: jnp.square(convolve(case, x, w)).sum(), (0, 1)))
    text = gradients.lower(*arrays(case)).as_text()
    assert text.count("stablehlo.while") == 3
    assert not re.search(r"tensor<8[01]x2x2x2x2xf32>", text)


@pytest.mark.of_cpus("convolutions are lowered so for CPUs")
def test_what_is_captured_has_groups_and_what_xla_gets_has_none() -> None:
    case = CASES["two axes, in blocks"]
    step = jax.jit(jax.grad(lambda x, w: convolve(case, x, w).sum(), (0, 1)))
    assert "feature_group_count=6" in str(step.trace(*arrays(case)).jaxpr)
    lowered = step.lower(*arrays(case)).as_text()
    assert "stablehlo.convolution" in lowered
    assert "group_count = 6" not in lowered
