"""One of two training processes is killed, the run goes on with 1, 2 and 4; what was compiled once is not compiled again."""

import random

from rank_kills import dispatched, killed


def test_a_killed_run_goes_on_with_any_number_of_processes(tmp_path):
    told = killed(tmp_path, 2, random.Random(1), others={1: 1, 2: 4})
    assert told["resumed on"] == {2: 2, 1: 1, 4: 1}
    assert told["largest relative difference of a loss"] < 1e-5


def test_many_steps_are_dispatched_and_a_second_start_compiles_nothing(tmp_path):
    told = dispatched(tmp_path, 200)
    assert told["graphs compiled by each process at the first start"] == [1, 1]  # no state is copied before a step
    assert told["at the second"] == [0, 0]
