"""The script that records a Cell on a machine without sporax."""

import ast

import pytest

from sporax._src.migrate.compare.dump_script import own_lines, script


def test_the_script_is_one_program_of_both_modules() -> None:
    tree = ast.parse(script())
    defined = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert {"Recording", "Recorder", "CellRecorder", "load_function", "main"} <= defined
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [node.module for node in imported if node.module.startswith("sporax")]
    assert isinstance(tree.body[1], ast.ImportFrom) and tree.body[1].module == "__future__"
    assert ast.unparse(tree.body[-1]).startswith("if __name__ == '__main__':")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"""Doc."""\n\nfrom __future__ import annotations\n\nimport os\nfrom sporax.a import (\n    b,\n)\n\nx = 1\n',
         "import os\n\nx = 1\n"),
        ("from sporaxes import a\nfrom . import b\n", "from sporaxes import a\nfrom . import b\n"),
    ],
)  # fmt: skip
def test_docstring_and_imports_of_sporax_are_left_out(text: str, expected: str) -> None:
    assert own_lines(text) == expected
