"""What `print`, notebooks and `Dataset.summary` show of a pipeline, and the times of pipelines of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from sporax._src.data import iterator
from sporax._src.data.dataset import Dataset, as_method
from sporax._src.data.iteration import Run
from sporax._src.data.look.lines import Line, drawn, lines
from sporax._src.data.look.watch import times_of, watch


@dataclass(frozen=True)
class PipelineSummary:
    """What `Dataset.summary` returns: `print` shows it, and so does a notebook.

    Args:
        lines: A `Line` for each dataset, the last one of the pipeline first.
    """

    lines: tuple[Line, ...]

    def __str__(self) -> str:
        return _joined(list(self.lines), str)

    def _repr_html_(self) -> str:
        return _html(str(self))


def _joined(of: list[Line], text: Callable[[Line], str]) -> str:
    return "\n".join(f"{head}{text(line)}" for head, line in zip(drawn(of), of, strict=True))


def _html(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


@as_method
def __repr__(self: Dataset) -> str:
    return _joined(list(lines(self)), str)


@as_method
def _repr_html_(self: Dataset) -> str:
    return _html(repr(self))


@as_method
def summary(self: Dataset) -> PipelineSummary:
    """Return the pipeline as a tree, with types and shapes of the columns of each dataset; the first row is read for them.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.GeneratorDataset([(1, 2.0), (3, 4.0)], ["a", "b"], shuffle=False).map(lambda a: [a, a], "a").batch(2)
        >>> print(data.summary())
        batch(batch_size=2): 1 row; a int64[2, 2], b float64[2]
        └─ map(<lambda> ..., input_columns=['a']): 2 rows; a int64[2], b float64[]
           └─ GeneratorDataset(source=[(1, 2.0), (3, 4.0)], column_names=['a', 'b'], shuffle=False): 2 rows; a int64[], b float64[]
    """
    with_times = _copy(self)
    watch(with_times)
    next(with_times._rows(Run(with_times, 0), 0), None)
    return PipelineSummary(tuple(lines(with_times)))


def _copy(node: Dataset) -> Dataset:
    """Return a pipeline of the same datasets that can be watched without a change of these."""
    made = object.__new__(type(node))
    vars(made).update(vars(node))
    made.children = [_copy(child) for child in node.children]
    return made


class PipelineProfiler:
    """Measures every pipeline that an iterator reads inside a `with` block: rows and seconds of each dataset.

    The seconds are those in a dataset alone, without the datasets below it; of a `map` on threads, those in which no row was ready.
    After the name of an operation are its seconds on all threads. `sporax run --profile-data` uses this class.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["a"], shuffle=False).map(lambda a: a + 1, "a")
        >>> with ds.PipelineProfiler() as profiler:
        ...     rows = list(data)
        >>> print(profiler.report())
        map(<lambda> ..., input_columns=['a']): 3 rows, ... s (...%); <lambda> ... s
        └─ NumpySlicesDataset(column_names=['a'], shuffle=False): 3 rows, ... s (...%)
        Reading took ... s.
    """

    def __init__(self) -> None:
        self.datasets: list[Dataset] = []

    def __enter__(self) -> PipelineProfiler:
        iterator.watchers.append(self._see)
        return self

    def __exit__(self, *error: object) -> None:
        iterator.watchers.remove(self._see)

    def start(self) -> None:
        """Begin to measure, without a `with` block."""
        self.__enter__()

    def _see(self, dataset: Dataset) -> None:
        watch(dataset)
        if not any(known is dataset for known in self.datasets):
            self.datasets.append(dataset)

    def report(self) -> str:
        """Return the trees of the pipelines, with the rows and seconds of each dataset."""
        return "\n\n".join(_report(dataset) for dataset in self.datasets) or "No dataset was read."


def _report(dataset: Dataset) -> str:
    of = list(lines(dataset))
    every = [times for line in of if (times := times_of(line.dataset)) is not None]
    total = sum(times.seconds for times in every)

    def text(line: Line) -> str:
        times = times_of(line.dataset)
        assert times is not None
        share = times.seconds / total if total else 0.0
        inside = "".join(f"; {name} {seconds:.3f} s" for name, seconds in times.operations.items())
        return f"{line.text}: {times.rows:,} rows, {times.seconds:.3f} s ({share:.0%}){inside}"

    return f"{_joined(of, text)}\nReading took {total:.3f} s."
