"""Which optimizer of the table remembers what."""

import pytest

from sporax._src.migrate.weights.optimizer_rows import OPTIMIZERS, SCALARS, WORDS, row_for_torch, row_for_words


@pytest.mark.parametrize(
    ("keys", "words", "row"),
    [
        (["step", "exp_avg", "exp_avg_sq"], None, 0),
        (["step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"], {"moment1", "moment2", "vhat"}, 0),
        (["exp_avg", "exp_avg_sq"], {"adam_m", "adam_v"}, 1),
        (["exp_avg", "exp_avg_sq"], {"exp_avg", "exp_avg_sq"}, 2),
        (["momentum_buffer"], None, 4),
        (["momentum_buffer"], {"accum", "stat"}, 5),
        (["momentum_buffer"], {"momentum_buf"}, 6),
        (["square_avg"], {"mean_square", "moment", "mean_grad"}, 7),
        (["sum"], {"accum"}, 8),
    ],
)
def test_an_optimizer_is_known_by_what_torchs_remembers(keys: list[str], words: set[str] | None, row: int) -> None:
    assert row_for_torch(keys, words) is OPTIMIZERS[row]


@pytest.mark.parametrize(
    ("keys", "words"), [(["step"], None), ([], None), (["mu_product"], None), (["exp_avg"], {"accum"})]
)
def test_what_no_optimizer_of_the_table_remembers(keys: list[str], words: set[str] | None) -> None:
    assert row_for_torch(keys, words) is None


@pytest.mark.parametrize(
    ("words", "scalars", "row"),
    [
        ({"moment1", "moment2"}, {"beta1_power", "beta2_power"}, 0),
        ({"moment1", "moment2"}, {"beta1_power"}, 3),
        ({"adam_m", "adam_v"}, set(), 1),
        ({"accum", "stat"}, {"learning_rate"}, 5),
        ({"accum"}, set(), 8),
        ({"accum", "accum_update"}, set(), 9),
        ({"moment1", "moment2"}, set(), None),
        ({"linear"}, set(), None),
        (set(), set(), None),
    ],
)
def test_an_optimizer_is_known_by_the_words_before_names(words: set[str], scalars: set[str], row: int | None) -> None:
    assert row_for_words(words, scalars) is (None if row is None else OPTIMIZERS[row])


def test_words_and_scalars_are_those_of_all_rows() -> None:
    assert {"moment1", "stat", "prev", "adam_m"} <= WORDS and not WORDS & SCALARS
    assert {"learning_rate", "momentum", "global_step", "state_step", "step_t", "beta1_power"} <= SCALARS
