"""Write the calls of the op table, of `mint` and of `numpy` as data, for `record_goldens.py table`.

Run it with a Python that has sporax, before recording::

    python tools/export_table_calls.py
"""

import argparse
import inspect
import json
import sys
from pathlib import Path
from typing import Any

import sporax.ops  # noqa: F401  (fills the tables)
from sporax._src.bindings.primitive import PRIMITIVES
from sporax._src.engine.table import TABLE, Op

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from laws.arrays import taken  # noqa: E402
from mint_calls import FUNCTIONAL, FUNCTIONS, calls  # noqa: E402
from numpy_calls import CALLS  # noqa: E402

NAMESPACES = {"mint": FUNCTIONS, "mint.nn.functional": FUNCTIONAL, "numpy": CALLS}


def described(row: Op) -> dict[str, Any]:
    """Return a row's names and cases; of each Primitive class the arguments that its construction takes."""
    params = list(inspect.signature(row.public).parameters)
    return {
        "params": params,
        "cases": list(dict.fromkeys(row.cases)),
        "functions": [n.partition("(")[0] for n in (row.name, *row.aliases) if not n.startswith("_")],
        "methods": list(row.method),
        "primitives": {
            name: taken(PRIMITIVES[name], params) for name in [spec.partition("(")[0] for spec in row.primitive]
        },
    }


def written() -> str:
    """Return the text of the file."""
    rows = {row.name: described(row) for row in TABLE.values()}
    lines = [f" {json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows)]
    spaces = [f" {json.dumps(name)}: {json.dumps(calls(text))}" for name, text in NAMESPACES.items()]
    return '{"rows": {\n' + ",\n".join(lines) + '\n},\n"namespaces": {\n' + ",\n".join(spaces) + "\n}}\n"


def main() -> None:
    """Write `tests/goldens/table_calls.json`."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    (ROOT / "tests" / "goldens" / "table_calls.json").write_text(written(), encoding="utf-8")


if __name__ == "__main__":
    main()
