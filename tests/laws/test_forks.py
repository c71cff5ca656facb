"""What a forked process can do: read Tensors, make them of arrays, run datasets; computing is refused, for it would hang."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without forks")

HEAD = """
import multiprocessing, os, pickle, sys, time, warnings
warnings.simplefilter("ignore", RuntimeWarning)  # JAX warns of each fork
import jax, numpy as np
import sporax as ms
import sporax.dataset as ds
from sporax import nn, ops

def rows(workers):
    source = ds.GeneratorDataset(np.arange(200.0).reshape(100, 2), ["x"], shuffle=True, num_parallel_workers=workers)
    source = source.map(lambda x: x + 1, num_parallel_workers=workers).batch(10)
    return float(sum(x.sum() for (x,) in source.create_tuple_iterator(output_numpy=True, num_epochs=1)))

def expect(error, fn):
    try:
        fn()
    except error as found:
        print(type(found).__name__, str(found).partition(", because")[0])
    else:
        print("computed")
"""
BEGUN = """
x = ms.Tensor(np.ones((300, 300), np.float32))
compiled, step = ms.jit(lambda x: x @ x), jax.jit(lambda x: x * 2)
(x @ x).asnumpy(), compiled(x).asnumpy(), step(x._data).block_until_ready()
"""
REFUSED = "RuntimeError this process was forked from one that had begun to compute, and cannot compute\n"


def run(text: str, folder: Path) -> str:
    script = folder / "program.py"
    script.write_text(HEAD + text)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_child(text: str) -> str:
    """Return the code of a forked process, and of one that waits for it."""
    lines = "".join(f"    {line}\n" for line in text.strip().splitlines())
    return f"if (child := os.fork()) == 0:\n{lines}    sys.stdout.flush()\n    os._exit(0)\nassert os.waitpid(child, 0)[1] == 0\n"


def test_computing_is_refused(tmp_path: Path) -> None:
    """Compiled before or not, large or small, in PyNative mode or as a graph, also on a thread."""
    child = """
for fn in (lambda: x @ x, lambda: ops.tanh(x), lambda: x[0], lambda: compiled(x), lambda: ms.jit(lambda x: x - 1)(x),
           lambda: ms.grad(lambda x: (x * x).sum())(x), lambda: ops.rand(3), lambda: nn.Dense(2, 3)(x[:, :2]),
           lambda: step(x._data), lambda: jax.numpy.add(1, 2), lambda: step.lower(x._data).compile()):
    expect(RuntimeError, fn)
import threading
thread = threading.Thread(target=expect, args=(RuntimeError, lambda: x @ x))
thread.start()
thread.join()
"""
    after = "print((x @ x).asnumpy()[0, 0])"
    assert run(BEGUN + in_child(child) + after, tmp_path) == 12 * REFUSED + "300.0\n"


def test_the_error_says_what_to_do(tmp_path: Path) -> None:
    child = "try:\n    x @ x\nexcept RuntimeError as error:\n    print(error)"
    told = run(BEGUN + in_child(child), tmp_path)
    assert 'multiprocessing.set_start_method("spawn") (or "forkserver"), or fork before the first Tensor.' in told


def test_what_computes_nothing_goes_on(tmp_path: Path) -> None:
    child = """
assert x.asnumpy().sum() == 90000 and pickle.loads(pickle.dumps(x)).shape == (300, 300)
for count in (0, 1, 1000, 10**6):
    for dtype in (np.float32, np.int64, np.bool_):
        made = ms.Tensor(np.ones((count, 2), dtype))
        assert made.asnumpy().sum() == 2 * count and made.dtype == ms.Tensor(np.ones(1, dtype)).dtype
ms.set_seed(3)
print(rows(1), rows(2), [str(row) for row in ds.NumpySlicesDataset([1, 2]).create_tuple_iterator(num_epochs=1)])
"""
    assert run(BEGUN + in_child(child), tmp_path).startswith("20100.0 20100.0 [")


def test_processes_of_multiprocessing_load_data(tmp_path: Path) -> None:
    text = """
context = multiprocessing.get_context("fork")
with context.Pool(2) as pool:
    print(pool.map(rows, [1, 2]))
queue = context.Queue()
worker = context.Process(target=lambda: queue.put(ms.Tensor(np.ones((200, 200), np.float32)).asnumpy().sum()))
worker.start()
print(queue.get(timeout=60))
worker.join()
print(worker.exitcode)
"""
    assert run(BEGUN + text, tmp_path) == "[20100.0, 20100.0]\n40000.0\n0\n"


def test_a_result_that_is_not_ready_is_refused(tmp_path: Path) -> None:
    text = """
x = ms.Tensor(np.ones((3000, 3000), np.float32))
x.asnumpy()
y = x
for _ in range(4):
    y = y @ x / 3000
"""
    child = "expect(RuntimeError, y.asnumpy)\nassert x.asnumpy()[0, 0] == 1"
    assert run(text + in_child(child) + "print(y.asnumpy()[0, 0])", tmp_path) == REFUSED + "1.0\n"


def test_before_the_first_tensor_a_fork_computes(tmp_path: Path) -> None:
    child = "print((ms.Tensor([1.0]) + 1).asnumpy())"
    assert run(in_child(child) + "print((ms.Tensor([2.0]) + 1).asnumpy())", tmp_path) == "[2.]\n[3.]\n"


def test_it_may_end_as_processes_do(tmp_path: Path) -> None:
    text = "child = os.fork()\nassert x.asnumpy().sum() == 90000\nif child:\n    assert os.waitpid(child, 0)[1] == 0"
    assert run(BEGUN + text, tmp_path) == ""
