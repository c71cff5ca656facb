"""The garbage collector waits while modules are loaded, and then goes on as before."""

import gc

from sporax._src.startup.loading import hold_collections, resume_collections


def test_collections_wait_and_go_on() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()  # Python 3.12 begins with some
    try:
        hold_collections()
        assert gc.get_threshold() == (1_000_000, *before[1:])
        resume_collections()
        assert gc.get_threshold() == before and gc.get_freeze_count() == frozen
    finally:
        gc.set_threshold(*before)
