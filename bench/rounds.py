"""Rounds of training steps that several processes time together."""

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

FEWEST = 5  # steps a round: the first ones after another's turn find neither caches nor memory as they left them


def write_rounds(
    step: Callable[[int], Any],
    wait: Callable[[Any], Any],
    slowest: Callable[[float], float],
    rounds: int,
    seconds: float,
    file: Path | None,
) -> None:
    """Time rounds of about so many seconds each and write the seconds of a step in each of them.

    Args:
        step: Takes the number of a batch and returns the loss.
        wait: Waits for a loss.
        slowest: Returns the largest of the numbers that the processes give.
        rounds, seconds: How many rounds, and how long each.
        file: Where they are written; None in all processes but one.
    """

    def timed(count: int) -> float:
        start = perf_counter()
        for i in range(count):
            loss = step(i)
        wait(loss)
        return (perf_counter() - start) / count

    timed(FEWEST)
    count = max(FEWEST, int(seconds / slowest(timed(FEWEST))))
    found = [timed(count) for _ in range(rounds)]
    if file is not None:
        file.write_text(json.dumps(found))
