"""Fast imports: they create many objects and almost no garbage, so the garbage collector is delayed."""

import gc

_before = gc.get_threshold()


def hold_collections() -> None:
    """Delay garbage collections until there are a million new objects; if an import fails, collections still happen."""
    global _before
    _before = gc.get_threshold()
    gc.set_threshold(1_000_000, *_before[1:])


def resume_collections() -> None:
    """Restore the garbage collector's settings. Loaded objects move to the oldest generation, which a full collection examines."""
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
    gc.set_threshold(*_before)
