"""Files of operator strategies: the numbers of pieces along the axes of the inputs, as JSON by name.

The name of an operator is that of its class and of its first Parameter, such as `MatMul_weight`; operators without a
Parameter are not in the file.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from sporax._src.base.atomic import replacing
from sporax._src.base.errors import shown
from sporax._src.base.json_text import parse_json
from sporax._src.processes.parallel_context import operator_strategy_file

Rows = list[list[int]]
_written: dict[str, dict[str, Rows]] = {}  # what this process wrote, by file: graphs of a run share it


def loaded_strategy(operator: str) -> tuple[tuple[int, ...], ...] | None:
    """Return the strategy of an operator from the file set by `set_op_strategy_config`; None if there is none.

    Raises:
        ValueError: If there is no such file, or it holds something else.
    """
    file = operator_strategy_file("LOAD")
    if not file:
        return None
    if not os.path.isfile(file):
        raise ValueError(f"set_op_strategy_config: there is no file of strategies {shown(file)}.")
    rows = _read(file, os.path.getmtime(file)).get(operator)
    return None if rows is None else tuple(map(tuple, rows))


@functools.lru_cache(4)
def _read(file: str, changed: float) -> dict[str, Rows]:
    try:
        strategies = parse_json(Path(file).read_bytes())
        rows = [row for strategy in strategies.values() for row in strategy]
        fits = all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for row in rows for n in row)
    except (ValueError, AttributeError, TypeError):
        fits = False
    if not fits:
        raise ValueError(
            f'set_op_strategy_config: {shown(file)} must be JSON like {{"MatMul_weight": [[2, 1], [1, 4]]}}.'
        )
    return strategies


def save_strategies(strategies: Mapping[str, Sequence[Sequence[int]]]) -> None:
    """Add the strategies of operators to the file set by `set_op_strategy_config`, if there is one.

    Raises:
        OSError: If it cannot be written.
    """
    file = operator_strategy_file("SAVE")
    if not file or not strategies:
        return
    known = _written.setdefault(file, {})
    known |= {name: [list(row) for row in rows] for name, rows in strategies.items()}
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as temporary:
        temporary.write_text(json.dumps(known, indent=1))
