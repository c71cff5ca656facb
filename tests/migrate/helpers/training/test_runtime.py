"""Devices, mixed precision and switches: the rows of the torch map that use these helpers, and what else programs ask of them."""

import math

import numpy as np
import pytest
import torch
from torch_map_rows import check, rows_of

import sporax as ms
from sporax import nn
from sporax._src.migrate.helpers.training import runtime

TestRows = rows_of("sporax._src.migrate.helpers.training.runtime")


@pytest.mark.parametrize("given", [("cpu",), ("cuda:1",), ("cuda", 2), ("mps",)])
def test_a_device_is_named_as_torchs(given):
    ours, theirs = runtime._Device(*given), torch.device(*given)
    assert (ours.type, ours.index, str(ours), repr(ours)) == (theirs.type, theirs.index, str(theirs), repr(theirs))
    assert (
        ours == runtime._Device(ours) and hash(ours) == hash(runtime._Device(ours)) and ours != runtime._Device("meta")
    )


def test_the_default_device_is_what_was_set(monkeypatch):
    monkeypatch.setattr(runtime._Settings, "default_device", None)
    assert str(runtime._default_device()) == "cpu"
    runtime._set("default_device", "cuda:1")
    assert runtime._default_device() == runtime._Device("cuda", 1)


def test_precision_of_products_and_equal_runs_are_those_of_the_context(monkeypatch):
    before = ms.get_context("matmul_allow_tf32"), ms.get_context("deterministic")
    monkeypatch.setattr(runtime._Settings, "matmul_precision", "highest")
    monkeypatch.setattr(runtime._Settings, "deterministic", False)
    try:
        for precision, rounded in (("medium", True), ("highest", False)):
            runtime._set_matmul_precision(precision)
            assert (runtime._Settings.matmul_precision, ms.get_context("matmul_allow_tf32")) == (precision, rounded)
        for mode, of_context in ((True, "ON"), (0, "OFF")):
            runtime._use_deterministic_algorithms(mode)
            assert (runtime._Settings.deterministic, ms.get_context("deterministic")) == (bool(mode), of_context)
    finally:
        ms.set_context(matmul_allow_tf32=before[0], deterministic=before[1])


def test_a_scale_grows_and_shrinks_as_torchs():
    """A step along a gradient that is infinite is left out, and the scale becomes smaller."""
    options = {"init_scale": 4.0, "growth_interval": 2, "device": "cpu"}
    scaler, expected = runtime._GradScaler(**options), torch.amp.GradScaler(**options)
    w, v = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w"), torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer, theirs = nn.SGD([w], 0.1), torch.optim.SGD([v], 0.1)
    for factor in (1.0, 2.0, math.inf, 0.5, 0.25):
        w.grad = scaler.scale(w * factor)
        v.grad = expected.scale(v.detach() * factor)
        scaler.step(optimizer)
        expected.step(theirs)
        scaler.update()
        expected.update()
        np.testing.assert_allclose(w.asnumpy(), v.detach().numpy(), rtol=1e-6)
        assert scaler.state_dict() == expected.state_dict()


@pytest.mark.parametrize(
    "example",
    [
        "torch.jit.script(torch.nn.ReLU())(X)",
        "torch.jit.trace(torch.nn.ReLU(), X)(X)",
        "L = torch.nn.ReLU(); torch.utils.set_module(L, 'here'); [L.__module__, L(X)]",
    ],
)
def test_what_is_compiled_or_named_otherwise_computes_the_same(example):
    check("torch.jit", example, "mint")


def test_checkpoints_run_within_contexts_that_change_nothing():
    first, second = runtime._checkpoint_contexts([])
    with first, second:
        assert runtime._checkpoint(lambda a, b: a + b, 1, b=2, use_reentrant=False) == 3
    assert runtime._checkpoint_sequential([lambda x: x + 1, lambda x: x * 2], 2, 3) == 8
