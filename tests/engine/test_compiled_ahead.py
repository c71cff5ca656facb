"""Backwards are compiled on another thread while the forward pass goes on."""

import subprocess
import sys
import threading
from concurrent.futures import CancelledError

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.engine import compiled_ahead
from sporax._src.engine.compiled_ahead import CompiledAhead

pytestmark = pytest.mark.skipif(not compiled_ahead.idle_processors(), reason="the process has one processor")


@pytest.fixture
def ahead(monkeypatch):
    """Return the names of the threads that compile ahead, one for each compilation."""
    seen = []

    def noted(compiled, args):
        lowered = compiled.lower(*args)

        def task():
            lowered.compile()
            seen.append(threading.current_thread().name)

        return compiled_ahead._threads().submit(task)

    monkeypatch.setattr(compiled_ahead, "compile_elsewhere", noted)
    return seen


@pytest.fixture
def compilations():
    """Return the list of all compilations of the test."""
    seen = []

    def note(event, *_, **__):
        if event == "/jax/core/compile/backend_compile_duration":
            seen.append(event)

    jax.monitoring.register_event_duration_secs_listener(note)
    yield seen
    jax.monitoring.unregister_event_duration_listener(note)


def test_backwards_of_one_result_are_compiled_ahead_and_once(ahead, compilations):
    """A batch norm returns statistics, too, through which no gradient passes: its backward has one cotangent."""
    net = nn.SequentialCell(nn.Dense(3, 5), nn.BatchNorm1d(5), nn.Tanh()).set_train()
    step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    x = Tensor(np.random.default_rng(0).standard_normal((7, 3)).astype(np.float32))
    first = step(x)
    assert ahead  # those that are needed at once are compiled where they are needed
    assert set(ahead) == {"sporax-compiler"}
    count = len(compilations)
    again = step(x)
    assert len(compilations) == count
    np.testing.assert_array_equal(again[1][0].asnumpy(), first[1][0].asnumpy())


def test_the_first_call_does_not_wait_for_what_has_not_begun():
    """Compilations that wait are cancelled by a call, which then compiles."""
    begun, go_on = threading.Event(), threading.Event()

    def block():
        begun.set()
        go_on.wait()

    busy = [compiled_ahead._threads().submit(block) for _ in compiled_ahead._threads()._threads]
    begun.wait()
    put = []
    run = CompiledAhead(jax.jit(lambda x: x + 1), (jnp.ones(3),), put.append)
    assert run(jnp.ones(3)).tolist() == [2.0, 2.0, 2.0]
    assert put == [run._compiled]
    with pytest.raises(CancelledError):
        run._pending.result(timeout=60)
    go_on.set()
    for future in busy:
        future.result(timeout=60)


def test_an_error_of_the_other_thread_appears_at_the_call():
    class Broken:
        def lower(self, *_):
            return self

        def compile(self):
            raise RuntimeError("no memory")

        def __call__(self, *_):
            return self.compile()

    run = CompiledAhead(Broken(), (), lambda _: None)
    with pytest.raises(RuntimeError, match="no memory"):
        run()


def test_a_program_that_fails_in_its_forward_pass_ends():
    """Compilations that wait do not keep the process, and none is broken off."""
    text = (
        "import sporax as ms\nfrom sporax import ops\n"
        "def loss(x):\n    for n in range(12):\n        x = ops.tanh(x[: 20 - n]) * 2.0\n    raise ValueError('mine')\n"
        "ms.grad(loss)(ms.Tensor([1.0] * 21))\n"
    )
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 1
    assert ended.stderr.strip().splitlines()[-1] == "ValueError: mine"


def test_results_that_depend_on_nothing_have_no_cotangent():
    """A gradient of a result without a derivative is zero, not an error."""
    x = Tensor([[1.0, 2.0], [3.0, 5.0]])
    statistics = [ops.zeros((2,)), ops.ones((2,))]

    def loss(x):
        return ops.batch_norm(x, *statistics, training=True).sum() + statistics[0].sum()

    np.testing.assert_allclose(ms.grad(loss)(x).asnumpy(), np.zeros((2, 2)), atol=1e-6)
