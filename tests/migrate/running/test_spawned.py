"""Processes that `multiprocessing` spawns get the import hook before they run the main module."""

import pickle
from multiprocessing import spawn

import pytest

from sporax._src.migrate.running import spawned


@pytest.fixture(autouse=True)
def _prepared(monkeypatch):
    monkeypatch.setattr(
        spawn, "get_preparation_data", lambda name: {"name": name, "init_main_from_path": "/a/train.py"}
    )


def test_a_script_is_found_as_a_module_by_the_hook() -> None:
    spawned.hook_workers()
    data = spawn.get_preparation_data("worker")
    assert list(data) == ["sporax", "name", "init_main_from_name"]
    install, arguments = data["sporax"].__reduce__()
    assert (install.__module__, arguments) == (spawned.__name__, ("/a/train.py",))
    assert pickle.dumps(data)


def test_a_module_stays_a_module(monkeypatch) -> None:
    monkeypatch.setattr(spawn, "get_preparation_data", lambda name: {"init_main_from_name": "pkg.train"})
    spawned.hook_workers()
    assert spawn.get_preparation_data("worker")["init_main_from_name"] == "pkg.train"
