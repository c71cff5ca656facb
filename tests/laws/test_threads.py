"""Threads and tasks: what one does has no effect on another (the law of `thread_laws`, a few rounds of it)."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thread_laws import Law, Shared, beside

import sporax as ms
from sporax import nn, ops
from sporax._src.core.execution import Execution, current, running


def test_threads_do_not_see_each_other():
    law = Law(seed=1)
    assert [text for number in range(40) for text in law.round(number)] == []


def in_thread(run: Callable[[], Any]) -> Any:
    """Return what a function returns in a thread of its own."""
    (found,) = beside([run])
    if isinstance(found, BaseException):
        raise found
    return found


def product() -> str:
    return str(ops.matmul(ms.Tensor(np.ones((2, 2), np.float32)), ms.Tensor(np.ones((2, 2), np.float32))).dtype)


class Asks(nn.Cell):
    """A Cell that has another thread compute while it runs."""

    def construct(self, x: ms.Tensor) -> str:
        return in_thread(product)


def test_a_thread_started_within_a_cell_of_half_precision_computes_in_float32():
    assert Asks().to_float(ms.float16)(ms.Tensor([1.0])) == "Float32"


def test_a_thread_started_within_no_grad_takes_gradients():
    with ms.no_grad():
        assert in_thread(lambda: ms.grad(lambda x: x * x)(ms.Tensor(3.0)).item()) == 6.0
        with pytest.raises(RuntimeError, match="In no_grad context"):
            ms.grad(lambda x: x * x)(ms.Tensor(3.0))


def test_a_thread_started_within_a_trace_runs_its_own_operations():
    @ms.jit
    def traced(x: ms.Tensor) -> ms.Tensor:
        return x + in_thread(lambda: (ms.Tensor(2.0) * 2).item())

    assert traced(ms.Tensor([1.0])).asnumpy().tolist() == [5.0]


def test_tasks_of_asyncio_do_not_see_each_other():
    order: list[str] = []

    async def without() -> None:
        with ms.no_grad():
            order.append("no_grad")
            await asyncio.sleep(0)
            order.append("after")
            with pytest.raises(RuntimeError, match="In no_grad context"):
                ms.grad(lambda x: x * x)(ms.Tensor(3.0))

    async def within() -> float:
        await asyncio.sleep(0)
        order.append("grad")
        return ms.grad(lambda x: x * x)(ms.Tensor(3.0)).item()

    async def both() -> list[Any]:
        return await asyncio.gather(without(), within())

    assert asyncio.run(both())[1] == 6.0
    assert order[0] == "no_grad" and set(order[1:]) == {"after", "grad"}


def test_a_block_gives_back_what_it_changed_and_no_more():
    """As a generator does whose caller leaves its own block in between."""
    outer, inner = running(recording=1), running(fallback_depth=2)
    outer.__enter__()
    inner.__enter__()
    outer.__exit__()
    assert current.get() == Execution(fallback_depth=2)
    inner.__exit__()
    assert current.get() == Execution()


def test_a_call_that_is_interrupted_leaves_its_states(monkeypatch: pytest.MonkeyPatch):
    count = ms.Parameter(ms.Tensor([5.0]), name="count")

    @ms.jit
    def step(x: ms.Tensor) -> ms.Tensor:
        ops.assign_add(count, x)
        return count + 0

    step(ms.Tensor([1.0]))
    graph = step.graph(ms.Tensor([1.0]))

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(graph, "_launch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        graph([ms.Tensor([1.0])])
    assert count.asnumpy().tolist() == [6.0]
    assert in_thread(lambda: step(ms.Tensor([1.0])).asnumpy().tolist()) == [7.0]


def test_a_reader_waits_for_a_step_that_has_taken_the_value(monkeypatch: pytest.MonkeyPatch):
    count = ms.Parameter(ms.Tensor([5.0]), name="count")

    @ms.jit
    def step(x: ms.Tensor) -> ms.Tensor:
        ops.assign_add(count, x)
        return x

    graph = step.graph(ms.Tensor([1.0]))
    launch, read = graph._launch, []

    def slow(*operands: Any) -> Any:
        reader = threading.Thread(target=lambda: read.append(count.asnumpy().tolist()))
        reader.start()
        out = launch(*operands)
        readers.append(reader)
        return out

    readers: list[threading.Thread] = []
    monkeypatch.setattr(graph, "_launch", slow)
    graph([ms.Tensor([1.0])])
    readers[0].join()
    assert read == [[6.0]]


def test_shared_states_are_counted():
    shared = Shared()
    before = shared.totals()
    beside([lambda: [shared.run() for _ in range(10)]] * 3)
    changes = {name: total - before[name] for name, total in shared.totals().items()}
    assert changes == {
        "the counter": 30,
        "training steps": 30.0,
        "steps of a Cell": 30.0,
        "an attribute": 30.0,
        "draws": 60,
    }
