"""How modules are loaded fast: many are, which make functions and next to no garbage, so the garbage collector waits."""

import gc

_before = gc.get_threshold()


def hold_collections() -> None:
    """Have collections wait for a million new objects: an import that fails in between leaves a collector that works."""
    global _before
    _before = gc.get_threshold()
    gc.set_threshold(1_000_000, *_before[1:])


def resume_collections() -> None:
    """Collect as often as before. What was loaded counts as old at once, unlooked at: the next full collection sees it."""
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
    gc.set_threshold(*_before)
