"""Beginners' mistakes: `mistakes.txt` has each one's code, the last line of its traceback, and a grade.

A: the message names the cause, and what to do or which values are right. B: it names the cause. A `...` in a message stands
for any text.
"""

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sporax as ms
import sporax.dataset as ds
from sporax import Tensor, mint, nn, ops, train
from sporax._src.base import tracebacks

FILE = Path(__file__).with_name("mistakes.txt")


class Mistake(NamedTuple):
    """A program that is wrong, the last line of its traceback, and the grade of this line."""

    title: str
    grade: str
    code: str
    message: str

    def is_message(self, line: str) -> bool:
        """Return whether a line is the message."""
        return re.fullmatch(".*".join(map(re.escape, self.message.split("..."))), line) is not None


def mistakes() -> list[Mistake]:
    """Return the mistakes of the table."""
    found = []
    for block in FILE.read_text().strip().split("\n\n"):
        if not block.startswith("#"):
            head, *code, message = block.split("\n")
            found.append(Mistake(head[2:], head[0], "\n".join(line[4:] for line in code), message))
    return found


def shown(code: str, file: Path) -> list[str]:
    """Run a program in the folder of a file, and return the lines of the traceback that is shown; none without an error."""
    file.write_text(f"{code}\n")
    before = os.getcwd()
    os.chdir(file.parent)
    try:
        exec(compile(code, str(file), "exec"), names())
    except Exception as error:
        assert error.__traceback__ is not None
        return tracebacks.text(error.with_traceback(error.__traceback__.tb_next)).splitlines()
    finally:
        os.chdir(before)
    return []


def names() -> dict[str, Any]:
    """Return the names that the programs use."""
    return {"__name__": "__main__", "np": np, "ms": ms, "nn": nn, "ops": ops, "mint": mint, "train": train, "ds": ds,
            "Tensor": Tensor, "ones": ones, "rows": rows, "model": model}  # fmt: skip


def ones(*shape: int) -> Tensor:
    """Return a Tensor of ones."""
    return Tensor(np.ones(shape, np.float32))


def rows() -> Any:
    """Return a dataset of two batches of two rows."""
    columns = np.ones((4, 4), np.float32), np.ones((4, 2), np.float32)
    return ds.NumpySlicesDataset(columns, ["x", "y"]).batch(2)


def model() -> train.Model:
    """Return a Model that fits the dataset."""
    net = nn.Dense(4, 2)
    return train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
