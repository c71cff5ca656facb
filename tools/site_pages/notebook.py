"""A page as a notebook: a cell for each block of Python, and one for the text between two of them."""

from __future__ import annotations

import re
from typing import Any

_BLOCK = re.compile(r"```python\n(.*?)```\n", re.DOTALL)
_OUTPUT = re.compile(r"```text\n.*?```\n", re.DOTALL)  # cells show what they print
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")  # pages of the site are not beside a notebook


def notebook(page: str) -> dict[str, Any]:
    """Return a page in the format of notebooks, without outputs."""
    cells = []
    for place, text in enumerate(_BLOCK.split(page)):
        source = text if place % 2 else _LINK.sub(r"\1", _OUTPUT.sub("", text))
        lines = re.sub(r"\n{3,}", "\n\n", source).strip("\n").splitlines(keepends=True)
        if lines:
            cell = (
                {"cell_type": "code", "execution_count": None, "outputs": []}
                if place % 2
                else {"cell_type": "markdown"}
            )
            cells.append({"id": f"cell-{len(cells)}", "metadata": {}, "source": lines, **cell})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
