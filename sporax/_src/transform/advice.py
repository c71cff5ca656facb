"""What to write in place of the code that a graph could not take, for the warning of a fallback and for `fullgraph=True`."""

from __future__ import annotations

import re
from collections.abc import Iterable

_GENERAL = "Use ops.cond, ops.where or masks to keep it in the graph."
_BY_REASON = (  # a part of the reason, and the advice
    (r"from .* to .* at each call", "Keep the count in a Parameter: self.n = ms.Parameter(ms.Tensor(0), requires_grad=False)."),
    ("outside of the function is changed|was kept outside", "Return the value, and keep it outside of the graph."),
    ("is assigned a number that the graph computes", "Keep it in a Parameter or in a Tensor, and return it."),
    ("has another structure on each path|do not keep one structure", "Write into a Tensor of the full size: y[i] = value."),
    ("has shape .* on the other", "Give both paths one shape: fill up with zeros, and mask them."),
    ("has a value on one path only", "Give it a value before the branch."),
    ("on one path and .* on the other", "Give both paths a value of one type and dtype."),
    ("within a try statement|every path raises", "Leave the try statement outside of the graph, or use ops.where."),
    ("a number that the graph computes is needed", "Sizes in a graph are fixed: take them from x.shape, or pass Python numbers."),
    ("the text of a traced Tensor", "Return the Tensor and make the text outside of the graph, or print it by ops.Print."),
    ("each call creates a new", "Make it once, outside of the function or in __init__."),
    (r"range\(\) of a Tensor", "Write for i in range(n), with this range in the statement itself."),
    ("a function calls itself", "Write the recursion as a while loop."),
    ("a hook of a Cell", "Register hooks before the call."),
    (r"copy\(\) it first", ""),
)  # fmt: skip
_BY_CODE = (  # a part of the program's line, if a conversion to NumPy needs the values there
    (r"\b(np|numpy|scipy)\.", "Use the function of ops in place of NumPy's."),
    (r"\.(item|tolist|numpy|asnumpy)\(", "Return the Tensor, and convert it outside of the graph."),
    (r"\b(nonzero|unique\w*|masked_select|argwhere)\(|\[[^\]]*[<>=]=?[^\]]*\]",
     "Its shape depends on values: use ops.where or ops.masked_fill, which keep the shape."),
    (r"\b(range|arange)\(", "Sizes in a graph are fixed: take them from x.shape, or pass Python numbers."),
)  # fmt: skip


def advice(reason: str, code: str) -> str:
    """Return what to write in place of a line of the program, empty if the reason says it.

    Args:
        reason: Why the graph could not take it.
        code: The program's line, empty if it is not known.

    Examples:
        >>> advice("__array__() was called on traced array", "y = np.sqrt(x)")
        "Use the function of ops in place of NumPy's."
    """
    found = _first(_BY_REASON, reason)
    if found is None and "traced array" in reason:
        found = _first(_BY_CODE, code)
    return _GENERAL if found is None else found


def _first(table: Iterable[tuple[str, str]], text: str) -> str | None:
    return next((written for pattern, written in table if re.search(pattern, text)), None)
