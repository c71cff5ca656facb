"""The lines of the user's file in the code of its conversion, so that tracebacks and `inspect` show them."""

from __future__ import annotations

import ast


def move_to_source(tree: ast.Module, text: str, source: str, numbers: list[int]) -> None:
    """Give the nodes of a converted text the positions of the source.

    A node of a line that the conversion left alone keeps its columns. Any other node spans its whole line, for which Python
    prints no marks below the line.

    Args:
        tree: The tree of the converted text; it is changed.
        text, source: The texts.
        numbers: For each line of the converted text, the line of the source that it comes from.
    """
    new, old = text.split("\n"), source.split("\n")
    same = [line == old[number - 1] for line, number in zip(new, numbers, strict=False)]
    for node in ast.walk(tree):
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if first is None or last is None:
            continue
        begin, end = numbers[first - 1], numbers[last - 1]
        if not (same[first - 1] and same[last - 1] and begin <= end):
            end = max(begin, end)
            line = old[begin - 1]
            vars(node).update(col_offset=len(line) - len(line.lstrip()), end_col_offset=len(old[end - 1].encode()))
        vars(node).update(lineno=begin, end_lineno=end)
