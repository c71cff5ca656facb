"""The writes of a Cell's forward run are undone when a gradient runs the Cell again."""

from sporax._src.core.forward_rollback import ForwardRollback


class Trace:
    """The values and writes of the states of a trace, by number."""

    def __init__(self, counted: frozenset[int] = frozenset()) -> None:
        self.rollback = ForwardRollback(counted)
        self.values: dict[int, object] = {}
        self.writes: dict[int, object] = {}

    def write(self, key: int, value: object) -> None:
        self.rollback.note_write(key, self.values, self.writes)
        self.values[key] = self.writes[key] = value

    def forward(self, cell: object, arrays: list[object], **states: object) -> None:
        start = self.rollback.position()
        for name, value in states.items():
            self.write(int(name[1:]), value)
        self.rollback.note_forward(cell, "structure", arrays, start)

    def roll_back(self, cell: object, arrays: list[object], structure: str = "structure") -> None:
        self.rollback.roll_back(cell, structure, arrays, self.values, self.writes)


CELL, ARRAY = object(), object()


def test_values_from_before_the_run_return() -> None:
    trace = Trace()
    trace.write(1, "old")
    trace.forward(CELL, [ARRAY], s1="new", s2="first", s3="first")
    trace.roll_back(CELL, [ARRAY])
    assert trace.values == trace.writes == {1: "old"}
    assert trace.rollback.position() == 1
    assert trace.rollback.repeated == set()


def test_nothing_is_undone_for_other_arguments() -> None:
    for arrays, structure in (([object()], "structure"), ([ARRAY], "another")):
        trace = Trace()
        trace.forward(CELL, [ARRAY], s1="new")
        trace.roll_back(CELL, arrays, structure)
        assert trace.values == {1: "new"}


def test_nothing_is_undone_after_another_write_or_run() -> None:
    written = Trace()
    written.forward(CELL, [ARRAY], s1="new")
    written.write(2, "later")
    twice = Trace()
    twice.forward(CELL, [ARRAY], s1="new")
    twice.forward(CELL, [ARRAY], s2="later")
    for trace in (written, twice):
        trace.roll_back(CELL, [ARRAY])
        assert trace.values == {1: "new", 2: "later"}


def test_a_cell_that_runs_once_more_is_repeated() -> None:
    trace = Trace()
    trace.forward(CELL, [ARRAY], s1="new")
    trace.roll_back(CELL, [ARRAY])
    trace.forward(CELL, [ARRAY], s1="again")
    assert trace.rollback.repeated == {id(CELL)}
    trace.rollback.clear()
    assert trace.rollback.position() == 0 and trace.rollback.repeated == {id(CELL)}


def test_every_run_of_a_counted_cell_stays() -> None:
    trace = Trace(frozenset({id(CELL)}))
    trace.forward(CELL, [ARRAY], s1="new")
    trace.roll_back(CELL, [ARRAY])
    assert trace.values == {1: "new"}
