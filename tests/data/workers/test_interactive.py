"""Worker processes of programs without a file, as in an interpreter or a notebook: names of `__main__` that may change."""

import subprocess
import sys

from house import ROOT

START = """
import os, signal, threading, time
import numpy as np
import sporax.dataset as ds

class Source:
    def __len__(self): return 5
    def __getitem__(self, number): return twice(np.array(number)), np.array(os.getpid())

def twice(x): return x * 2

scale = 3
data = ds.GeneratorDataset(Source(), ["a", "process"], num_parallel_workers=2, shuffle=False)
data = data.map(lambda a: a * scale, ["a"], num_parallel_workers=2, python_multiprocessing=True)

def rows(): return [[int(value) for value in row] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]

found = rows()
print([a for a, _ in found], os.getpid() in {process for _, process in found})
"""
CHANGED = """
def twice(x): return x * 10

scale = 1
print([a for a, _ in rows()])
"""
TWO_READERS = """
one, two = (data.create_tuple_iterator(output_numpy=True) for _ in range(2))
print([int(next(one)[0]) for _ in range(3)], [int(next(two)[0]) for _ in range(2)], [int(row[0]) for row in one])
"""
INNER = """
class Outer:
    def __len__(self): return 3
    def __getitem__(self, number):
        inner = ds.NumpySlicesDataset([1, 2, int(number)], shuffle=False)
        inner = inner.map(lambda x: x + 1, num_parallel_workers=2, python_multiprocessing=True)
        return np.array(sum(int(row[0]) for row in inner.create_tuple_iterator(num_epochs=1, output_numpy=True)))

print([int(row[0]) for row in ds.GeneratorDataset(Outer(), ["a"], num_parallel_workers=2, shuffle=False)])
"""
INTERRUPTED = """
class Slow:
    def __len__(self): return 50
    def __getitem__(self, number): time.sleep(0.1); return np.array(number)

slow = ds.GeneratorDataset(Slow(), ["a"], num_parallel_workers=2, shuffle=False)
slow = slow.create_tuple_iterator(num_epochs=1, output_numpy=True)
try:
    for row in slow:
        last = int(row[0])
        if last == 3: threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
except KeyboardInterrupt:
    print("interrupted", last > 2, int(next(slow)[0]) == last + 1)

print([a for a, _ in rows()])
"""


def test_an_interpreter() -> None:
    done = subprocess.run(
        [sys.executable, "-"], input=START + CHANGED + TWO_READERS + INNER + INTERRUPTED, cwd=ROOT, text=True,
        capture_output=True, timeout=100,
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "[0, 6, 12, 18, 24] False", "[0, 10, 20, 30, 40]", "[0, 10, 20] [0, 10] [30, 40]", "[6, 7, 8]", "interrupted True True",
        "[0, 10, 20, 30, 40]",
    ], done.stderr  # fmt: skip
    assert done.returncode == 0 and done.stderr == ""
