"""The report of a run: the code of the loaded modules that was not converted, and how results differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sporax._src.migrate.running.compilation import Module


def report(modules: Mapping[str, Module]) -> str:
    """Return a line for each piece of code that was left, by file, and then a line for each difference.

    Args:
        modules: The converted modules, by file name.
    """
    lines, places = [], defaultdict(list)
    left = sum(len(module.left) for module in modules.values())
    for file, module in modules.items():
        lines += [f"{file}:{line}: not converted: {reason}" for line, reason in module.left]
        for line, name, text in module.notes:
            places[name, text].append(f"{file}:{line}")
    for (name, text), found in places.items():
        more = f" ({len(found)} places)" if len(found) > 1 else ""
        lines.append(f"{found[0]}: {name}: {text}{more}")
    ran = f"{len(modules)} module{'s' * (len(modules) != 1)} ran converted"
    uses = "1 use of torch in them was" if left == 1 else f"{left} uses of torch in them were"
    return "\n".join([*lines, f"{ran}; {uses} not converted."])
