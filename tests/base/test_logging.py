"""The logger: levels by name and by number, and lines at the place of the call."""

import logging
from collections.abc import Iterator

import pytest

from sporax import log


@pytest.fixture(autouse=True)
def _level() -> Iterator[None]:
    before = log.get_level()
    yield
    log.set_level(before)


@pytest.mark.parametrize(
    ("level", "number", "python"), [("debug", "0", 10), ("ERROR", "3", 40), ("1", "1", 20), (4, "4", 50)]
)
def test_levels(level, number: str, python: int) -> None:
    log.set_level(level)
    assert (log.get_level(), log.get_log_config(), logging.getLogger("sporax").level) == (
        number,
        {"GLOG_v": number},
        python,
    )


def test_a_level_that_is_none() -> None:
    with pytest.raises(ValueError, match=r"log\.set_level: level must be one of DEBUG, .* or 0 to 4, got 'loud'"):
        log.set_level("loud")


def test_lines_are_those_of_the_caller(told: list[str]) -> None:
    log.set_level("INFO")
    log.debug("nothing")
    log.info("one %s", 1)
    log.warning("two")
    log.error("three")
    log.critical("four")
    assert told == [f"test_logging.py: {text}" for text in ("one 1", "two", "three", "four")]
