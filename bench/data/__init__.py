"""Data pipelines, timed by turns against MindSpore and torch; the results are parts of DATA.md.

Modules:
    turns: child processes that are asked by turns, and the parts of DATA.md.
    vision: single image operations: ``python -m bench.data.vision --mindspore-python PY``.
    jpeg: a whole pipeline of JPEG files: ``python -m bench.data.jpeg --mindspore-python PY``.
    waiting: how long training waits for JPEG files: ``python -m bench.data.waiting``.
    workers: functions in worker processes, and MindRecord files: ``python -m bench.data.workers``.
"""
