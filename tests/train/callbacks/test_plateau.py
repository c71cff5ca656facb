"""Callbacks that watch a metric: they stop training, or lower the rate."""

import numpy as np
import pytest
from training import GOLDEN, model, printed, rows

from sporax import train


def test_early_stopping() -> None:
    """Training ends at the epoch, and with the text, that it ends with in MindSpore."""
    runs = {
        "patience 2": {"monitor": "loss", "patience": 2, "min_delta": 0.05},
        "patience 0": {"monitor": "loss", "patience": 0},
        "max": {"monitor": "loss", "mode": "max", "patience": 1},
        "baseline": {"monitor": "loss", "patience": 3, "baseline": 1e-9, "restore_best_weights": True},
        "absent": {"monitor": "nonsense"},
    }
    for name, options in runs.items():
        seen: list[int] = []
        watch = train.LambdaCallback(on_train_epoch_end=lambda c: seen.append(c.original_args().cur_epoch_num))  # noqa: B023
        stop = train.EarlyStopping(verbose=True, **options)
        built = model({"loss"}, 0.3)
        lines = printed(lambda: built.fit(8, rows(), rows(), callbacks=[stop, watch]))  # noqa: B023
        assert {"epochs": seen, "lines": lines} == GOLDEN["early"][name], name


def test_early_stopping_restores_the_best_weights() -> None:
    best: dict[float, np.ndarray] = {}

    def note(run_context: train.RunContext) -> None:
        args = run_context.original_args()
        best[args.eval_results["eval_loss"]] = args.network.weight.asnumpy()

    built = model({"mae"}, 0.5)
    stop = train.EarlyStopping(patience=2, restore_best_weights=True)
    built.fit(8, rows(), rows(), callbacks=[train.LambdaCallback(on_train_epoch_end=note), stop])
    assert stop.stopped_epoch and len(best) > 2
    np.testing.assert_array_equal(built.predict_network.weight.asnumpy(), best[min(best)])


def test_reduce_learning_rate() -> None:
    built, rates = model({"loss"}, 0.2), []
    watch = train.LambdaCallback(
        on_train_epoch_end=lambda c: rates.append(float(c.original_args().optimizer.learning_rate.asnumpy()))
    )
    reduce = train.ReduceLROnPlateau("loss", 0.5, 1, True, min_delta=0.3, cooldown=1, min_lr=0.05)
    lines = printed(lambda: built.fit(7, rows(), rows(), callbacks=[reduce, watch]))
    assert {"rates": rates, "lines": lines} == GOLDEN["plateau"]


def test_reduce_learning_rate_needs_one_rate() -> None:
    with pytest.raises(ValueError, match="the learning rate must be one number, not a list, schedule or groups"):
        model({"loss"}, [0.1] * 8).fit(1, rows(), rows(), callbacks=train.ReduceLROnPlateau("loss"))
