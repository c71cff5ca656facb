"""The garbage collector waits while modules are loaded, and then goes on as before."""

import gc

from sporax._src.startup.loading import hold_collections, resume_collections


def test_collections_wait_and_go_on() -> None:
    before = gc.get_threshold()
    try:
        hold_collections()
        assert gc.get_threshold() == (1_000_000, *before[1:])
        resume_collections()
        assert gc.get_threshold() == before and gc.get_freeze_count() == 0
    finally:
        gc.set_threshold(*before)
