"""The report of a run."""

from sporax._src.migrate.running.compilation import Module
from sporax._src.migrate.running.report import report

CODE = compile("", "a", "exec")


def test_what_was_left_and_how_results_differ() -> None:
    modules = {"a.py": Module(CODE, [(3, "torch.x: why")], [(2, "torch.y", "rounds")]), "b.py": Module(CODE, [], [])}
    assert report(modules).splitlines() == [
        "a.py:3: not converted: torch.x: why",
        "a.py:2: torch.y: rounds",
        "2 modules ran converted; 1 use of torch in them was not converted.",
    ]
    assert report({}) == "0 modules ran converted; 0 uses of torch in them were not converted."


def test_a_difference_at_several_places_is_one_line() -> None:
    notes = [(2, "torch.y", "rounds"), (7, "torch.y", "rounds"), (7, "torch.z", "rounds")]
    modules = {"a.py": Module(CODE, [], notes), "b.py": Module(CODE, [], notes[:1])}
    assert report(modules).splitlines()[:-1] == ["a.py:2: torch.y: rounds (3 places)", "a.py:7: torch.z: rounds"]
