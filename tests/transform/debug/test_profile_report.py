"""Texts of the profiler's report."""

import os

from sporax._src.transform.debug.profile_report import milliseconds, relative


def test_texts() -> None:
    assert [milliseconds(s) for s in (0.0001, 0.5, 3.0)] == ["0.100 ms", "500.0 ms", "3,000.0 ms"]
    assert relative(f"{os.getcwd()}/a/b.py:3") == "a/b.py:3"
    assert (
        relative("/elsewhere/b.py:3") == "/elsewhere/b.py:3" and relative("Cell In[2], line 4") == "Cell In[2], line 4"
    )
