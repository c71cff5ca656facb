"""Graphs of eight devices, of which one is there: their operators are checked, and nothing is sharded."""

from collections.abc import Iterator

import pytest

import sporax as ms


@pytest.fixture
def eight_devices() -> Iterator[None]:
    """Make graphs those of eight devices during a test."""
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=8, full_batch=True)
    yield
    ms.reset_auto_parallel_context()
    ms.set_context(mode=mode)
