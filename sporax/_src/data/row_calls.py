"""Calls of a function for the rows of a task: the same on a thread and in a worker process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sporax._src.data import randomness

R = TypeVar("R")


@dataclass
class Answer(Generic[R]):
    """The results of a task: those before the first error, the error, how long the calls took, and the bytes that travelled."""

    results: list[R]
    error: BaseException | None = None
    seconds: float = 0.0
    size: int = 0


def call_rows(
    function: Callable[[int, Any], R],
    key: randomness.Key,
    first: int,
    items: Sequence[Any],
    begin: Callable[[int, Any], None] | None = None,
) -> Answer[R]:
    """Return ``function(number, item)`` for items numbered from `first`, with the draws of these rows.

    Args:
        function: What is called.
        key: The key of the draws.
        first: The number of the first item.
        items: The items.
        begin: Called before each row, also with its number and item.
    """
    results: list[R] = []
    began = time.perf_counter()
    with randomness.rows_of(key) as draws:
        for number, item in enumerate(items, first):
            draws.at(number)
            try:
                if begin is not None:
                    begin(number, item)
                results.append(function(number, item))
            except BaseException as error:  # handed over after the rows before it, so order holds
                return Answer(results, error, time.perf_counter() - began)
    return Answer(results, None, time.perf_counter() - began)
