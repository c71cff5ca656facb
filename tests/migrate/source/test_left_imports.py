"""Imports of torch stand beside the code that needs them, so that a converted file imports where there is no torch."""

import sys
from typing import Any

import pytest
from converted_programs import execute

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.left_imports import localized
from sporax._src.migrate.source.program import Program

HELPERS = "from h import _not_installed"
GUARDED = f'{HELPERS}\ntry:\n    import torch\nexcept ImportError:\n    torch = _not_installed("torch")\n'


def moved(text: str, exported: tuple[str, ...] = ()) -> str:
    return localized(text, lambda module: module.startswith("torch"), exported, HELPERS)[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f():\n    # TODO(sporax): a\n    torch.a()\n", "def f():\n    import torch\n    # TODO(sporax): a\n    torch.a()\n"),
        ("def f():\n    if 1:\n        torch.a()\n", "def f():\n    if 1:\n        import torch\n        torch.a()\n"),
        ("def f():\n    if 1: torch.a()\n", "def f():\n    import torch\n    if 1: torch.a()\n"),
        (
            "def f():\n    if 1:\n        pass\n    elif torch.a():\n        pass\n",
            "def f():\n    import torch\n    if 1:\n        pass\n    elif torch.a():\n        pass\n",
        ),
        (
            "def f():\n    @torch.a\n    def g(): ...\n    class C:\n        x = torch.b\n",
            "def f():\n    import torch\n    @torch.a\n    def g(): ...\n    import torch\n    class C:\n        x = torch.b\n",
        ),
        ("def f(torch):\n    torch.a()\n", "def f(torch):\n    torch.a()\n"),
        ("x = 1\n", "x = 1\n"),
        ("if 1:\n    x = 1\n    torch.a()\n", "if 1:\n    x = 1\n    import torch\n    torch.a()\n"),
    ],
)  # fmt: skip
def test_a_statement_has_the_import_that_it_needs(before: str, after: str) -> None:
    assert moved(f"import torch\n{before}") == after


@pytest.mark.parametrize(
    "text",
    [
        "@torch.a\ndef f(): ...\n",
        "class C(torch.a): ...\n",
        "def f(x: torch.a): ...\n",
        "T = torch\n",
        "f = lambda: torch.a()\n",
    ],
)
def test_definitions_have_an_object_where_there_is_no_torch(text: str) -> None:
    assert moved(f"import torch\n{text}") == GUARDED + text


def test_names_by_other_imports() -> None:
    text = "from torch import fft, nn as n\nimport torch.optim as o, os\ndef f():\n    fft.a(n)\nx = o.b\n"
    assert moved(text) == (
        'import os\ntry:\n    import torch.optim as o\nexcept ImportError:\n    o = _not_installed("torch.optim")\n'
        "def f():\n    from torch import fft\n    from torch import nn as n\n    fft.a(n)\nx = o.b\n"
    ).replace("import os\n", f"{HELPERS}\nimport os\n", 1)


def test_names_that_other_files_import_stay() -> None:
    assert moved("import torch\ndef f():\n    torch.a()\n", ("torch",)).startswith(GUARDED)
    program = Program(imported={"a": {"torch"}})
    done = convert("import torch\ndef f():\n    return torch.no_such(1)\n", "a.py", program=program)
    assert "    torch = _not_installed" in done.text and done.helpers == ["_not_installed"]


def test_a_converted_file_runs_without_torch_up_to_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    done = convert(
        "import torch, math\nx = torch.ones(2).sum().item() * math.pi\n"
        "def load(path):\n    return torch.jit.load(path)\n\n@torch.jit.no_such\ndef f(): ...\n"
    )
    assert len(done.todo) == 2
    monkeypatch.setitem(sys.modules, "torch", None)
    scope: dict[str, Any] = {}
    execute(done, scope)
    assert scope["x"] == pytest.approx(6.2831853)
    with pytest.raises(ImportError, match="torch"):
        scope["load"]("file")
    with pytest.raises(ImportError, match=r"torch\.jit\.no_such was not converted"):
        scope["f"]()


def test_a_file_that_does_not_end_its_last_line():
    text = "import torch\n\ndef f(path):\n    return torch.jit.load(path)\nx = torch.ones(2)"
    done = convert(text)
    assert len(done.lines) == done.text.count("\n") + 1
