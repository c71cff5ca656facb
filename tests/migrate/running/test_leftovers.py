"""What the converter leaves raises its reason when it runs, and not before."""

import ast
from typing import Any

import pytest
from converted_programs import answering_mindspore

from sporax._src.migrate.running.leftovers import make_raise
from sporax._src.migrate.running.unconverted import NotConverted
from sporax._src.migrate.source.convert import convert

REASON = "load a MINDIR file"


def run(text: str, is_main: bool = False) -> dict[str, Any]:
    """Run the conversion of a program, in which what is left raises."""
    done = convert(text)
    tree = make_raise(ast.parse(done.text), done.text, is_main)
    scope: dict[str, Any] = {"__name__": "program"}
    with answering_mindspore():
        exec(compile(tree, "program", "exec"), scope)
    return scope


def test_only_the_use_of_a_name_is_an_error() -> None:
    scope = run("import torch\ndef f(x, use):\n    return torch.jit.load(x) if use else x\n")
    assert scope["f"](1, False) == 1
    with pytest.raises(NotConverted, match=REASON):
        scope["f"](1, True)


def test_a_statement_without_a_name_of_torch_raises_itself() -> None:
    text = "import torch\ndef f(x):\n    # TODO(sporax): why\n    x += 1\n    return x\n"
    scope: dict[str, Any] = {}
    exec(compile(make_raise(ast.parse(text), text, False), "program", "exec"), scope)
    with pytest.raises(NotConverted, match=r"^why$"):
        scope["f"](1)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    # TODO(sporax): why\n    x += torch.gone(1) if x < 0 else 1\n    return x\n",
        "# TODO(sporax): why\ndef f(x):\n    return x\n",
        "# TODO(sporax): why\nclass f:\n    def __init__(self, x): pass\n",
    ],
)
def test_a_reason_that_is_about_no_name_of_torch_stops_the_statement(text) -> None:
    scope: dict[str, Any] = {}
    text = f"import torch\n{text}"
    exec(compile(make_raise(ast.parse(text), text, False), "program", "exec"), scope)
    with pytest.raises(NotConverted, match=r"why$"):
        scope["f"](1)


def test_an_imported_module_keeps_what_it_can_define() -> None:
    scope = run(
        '"""A module."""\nfrom __future__ import annotations\nimport torch\nLOAD = torch.jit.load("file")\n'
        "@torch.jit.gone\ndef f(x): return x\n@torch.jit.gone\nclass A: pass\nclass B(torch.jit.Gone): pass\n"
        "def g(): return torch.jit.load('file')\nNUMBERS = g()\nif True:\n    MORE: int = g()\nAFTER = 1\n"
    )
    assert scope["__doc__"] == "A module."
    assert scope["AFTER"] == 1
    for name in ("LOAD", "f", "A", "B", "NUMBERS", "MORE"):
        with pytest.raises(NotConverted):
            scope[name]()


def test_a_statement_of_an_imported_module_is_skipped_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=f"skipped: .*{REASON}"):
        scope = run("import torch\ntorch.jit.load('file')\nAFTER = 1\n")
    assert scope["AFTER"] == 1
    with pytest.warns(UserWarning, match=f"skipped: .*{REASON}"):
        run("import torch\ndef f(): torch.jit.load('file')\nf()\n")


def test_the_program_itself_skips_nothing() -> None:
    for text in ("torch.jit.load('file')\n", "x = torch.jit.load('file')\n", "def f(): torch.jit.load('file')\nf()\n"):
        with pytest.raises(NotConverted, match=REASON):
            run(f"import torch\n{text}", is_main=True)


def test_an_import_that_the_program_handles_fails() -> None:
    text = (
        "import torch\ntry:\n    from torch.gone import f\n    there = True\nexcept ImportError:\n    there = False\n"
        "y = f if there else 0\n"
    )
    assert run(text)["there"] is False
    assert run(text.replace("torch.gone import f", "torch import float32 as f"))["there"] is True
    assert run("from torch.gone import f\nx = f\n")["x"] is not None


def test_torch_itself_is_a_stand_in() -> None:
    scope = run("import torch\ndef f(name):\n    return getattr(torch, name)\n")
    assert scope["f"]("nn").__name__ == "torch.nn"


def test_added_statements_are_on_the_first_line() -> None:
    tree = make_raise(ast.parse(""), "", False)
    assert [node.lineno for node in tree.body] == [1, 1]


def test_code_without_leftovers_is_unchanged_in_the_program() -> None:
    text = "def f(x):\n    return x\n"
    assert ast.unparse(make_raise(ast.parse(text), text, True)) == text.rstrip()
