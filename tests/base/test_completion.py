"""Waiting for what JAX computes."""

import atexit

import jax
import jax.numpy as jnp
from launching import PROGRAMS, launched

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


def test_a_process_of_several_waits_for_what_is_begun_but_not_for_ever(monkeypatch):
    class Begun:
        looked = 0

        def is_deleted(self):
            return False

        def is_ready(self):
            self.looked += 1
            return self.looked == 3

    begun, never = Begun(), Begun()
    never.looked = 3
    monkeypatch.setattr(completion, "is_connected", lambda: True)
    monkeypatch.setattr(completion, "_AT_END", 0.1)
    monkeypatch.setattr(jax, "live_arrays", lambda: [begun])
    completion._finish()
    assert begun.looked == 3
    monkeypatch.setattr(jax, "live_arrays", lambda: [never])
    completion._finish()
    assert never.looked > 5


def test_a_process_that_ends_first_takes_part_in_what_it_has_begun():
    run = launched(PROGRAMS / "ends_first.py")
    assert run.returncode == 0 and "the first element is 1.0" in run.stdout, run.stdout + run.stderr
