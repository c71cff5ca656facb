"""What the converter writes for a piece of a program, and what it leaves to do."""

from typing import Any

from sporax._src.migrate.source.convert import convert

HEAD = "import torch\nfrom torch import nn\n"
_BEGIN = "# begin\n"


def body(text: str, **options: Any) -> str:
    """Return a converted piece of a program without its imports; nothing may be left to do."""
    done = convert(f"{HEAD}{_BEGIN}{text}", **options)
    assert not done.todo, done.todo
    return done.text.partition(_BEGIN)[2]


def converted(*lines: str) -> list[str]:
    """Return converted lines of a program."""
    return body("\n".join(lines) + "\n").splitlines()


def reasons(text: str) -> list[str]:
    """Return what is left to do in a piece of a program, without the lines."""
    return [reason for _, reason in convert(f"import torch\n{text}").todo]
