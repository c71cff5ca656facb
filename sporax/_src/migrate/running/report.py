"""The report of a run: the code of the loaded modules that was not converted, and how results differ."""

from __future__ import annotations

from collections.abc import Mapping

from sporax._src.migrate.running.compilation import Module


def report(modules: Mapping[str, Module]) -> str:
    """Return a line for each piece of code that was left, and for each difference, by file.

    Args:
        modules: The converted modules, by file name.
    """
    lines = []
    left = sum(len(module.left) for module in modules.values())
    for file, module in modules.items():
        lines += [f"{file}:{line}: not converted: {reason}" for line, reason in module.left]
        lines += [f"{file}:{line}: {name}: {text}" for line, name, text in module.notes]
    ran = f"{len(modules)} module{'s' * (len(modules) != 1)} ran converted"
    uses = "1 use of torch in them was" if left == 1 else f"{left} uses of torch in them were"
    return "\n".join([*lines, f"{ran}; {uses} not converted."])
