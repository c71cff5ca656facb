"""The namespace `ops`: every row and every Primitive class under its public name."""

from typing import Any

from sporax._src import ops  # noqa: F401  (registers the rows)
from sporax._src.api import collectives, primitives, tensor  # noqa: F401  (registers what is more than a row)
from sporax._src.api.custom import hybrid, registration  # noqa: F401  (register their classes)
from sporax._src.api.custom.described import PrimitiveWithInfer
from sporax._src.api.primitives import gradients, higher_order
from sporax._src.bindings import primitive
from sporax._src.bindings.adapters import adapt
from sporax._src.bindings.primitive import PRIMITIVES, Primitive
from sporax._src.engine.table import TABLE

primitive.build()
gradients.build()

# Further names of rows; MindSpore gives their arguments other names.
_RENAMED = [
    f"{alias} -> {row.name}{alias[alias.index('(') :]}"
    for row in {id(row): row for row in TABLE.values()}.values()
    for alias in row.aliases
    if "(" in alias
]

PUBLIC: dict[str, Any] = (
    {name: row.public for name, row in TABLE.items() if not name.startswith("_")}
    | adapt("\n".join(_RENAMED), {name: row.public for name, row in TABLE.items()}, "ops")
    | PRIMITIVES
    | {"Primitive": Primitive, "PrimitiveWithCheck": Primitive, "PrimitiveWithInfer": PrimitiveWithInfer}
    | higher_order.PUBLIC
    | {name: getattr(collectives, name) for name in collectives.__all__}
)

globals().update(PUBLIC)

__all__ = [*sorted(PUBLIC)]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)
