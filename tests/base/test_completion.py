"""Waiting for what JAX computes."""

import atexit

import jax
import jax.numpy as jnp

from sporax._src.base import completion


def test_synchronize_waits_for_all_arrays():
    y = jax.jit(lambda x: jax.lax.fori_loop(0, 50, lambda _, v: v @ x / 300, x))(jnp.ones((300, 300)))
    completion.synchronize()
    assert y.is_ready()


def test_a_process_waits_at_its_end(monkeypatch):
    registered = []
    monkeypatch.setattr(atexit, "register", registered.append)
    completion.wait_at_exit()
    waited = []
    monkeypatch.setattr(completion, "synchronize", lambda: waited.append(1))
    registered[0]()
    assert waited == [1]
    monkeypatch.setattr(completion, "is_connected", lambda: True)  # others may never take part in a collective
    registered[0]()
    assert waited == [1]
