"""Options of `sporax plan`. `transform/parallel/test_plan.py` has plans of programs."""

import pytest
from click.testing import CliRunner

from sporax._src.cli.commands.plan import plan


def test_options_stand_before_or_behind_the_program() -> None:
    given = ["train.py", "--devices", "8,64", "--lr", "0.1", "--json", "--", "--devices", "3"]
    params = plan.make_context("plan", given).params
    assert params["devices"] == [8, 64] and params["as_json"] is True
    assert params["program"] == ("train.py", "--lr", "0.1", "--devices", "3")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--devices", "8,x", "train.py"], "'8,x' must be numbers of devices with commas between, such as 8,64,1024."),
        (["--devices", "0", "train.py"], "'0' must be numbers of devices"),
        (["--sim_level=4", "train.py"], "4 is not in the range 0<=x<=3"),
        ([], "Missing argument"),
    ],
)
def test_options_that_cannot_be(words: list[str], text: str) -> None:
    done = CliRunner().invoke(plan, words)
    assert done.exit_code == 2 and text in done.output
