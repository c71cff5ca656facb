"""Every name of `mint` is called by a test."""

from types import ModuleType

from mint_calls import FUNCTIONAL, FUNCTIONS, LAYERS, SHAPES, calls

from sporax import mint

OURS_ONLY = {"linalg", "nn", "optim", "special", "functional", "Cell"}


def test_every_name_is_called() -> None:
    """The tables above hold every public name."""
    used = {c.split("(")[0].split(".")[-1] for c in calls(FUNCTIONS + FUNCTIONAL + LAYERS + SHAPES)}
    used |= {"randperm", "batch_norm_stats", "batch_norm_elemt", "batch_norm_gather_stats_with_counts", "SyncBatchNorm"}
    for module in (mint, mint.nn, mint.nn.functional, mint.linalg, mint.special):
        names = {n for n in module.__all__ if not isinstance(getattr(module, n), ModuleType)}
        assert names - used - OURS_ONLY == set(), module.__name__
        assert all(hasattr(module, name) for name in module.__all__)
