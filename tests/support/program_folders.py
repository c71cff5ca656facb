"""A folder with a program for PyTorch, as `sporax migrate` takes it."""

from pathlib import Path


def write_program(folder: Path) -> Path:
    """Write a program of two files that are converted, two that cannot be read, and one that is no program."""
    (folder / "pkg").mkdir(parents=True)
    (folder / "a.py").write_text("import torch\nx = torch.cat([])\n")
    (folder / "pkg" / "b.py").write_text("import torch\nx = torch.no_such()\n")
    (folder / "old.py").write_text("print 'x'\n")
    (folder / "latin.py").write_bytes(b"# \xe9\n")
    (folder / "data.txt").write_text("as it is")
    return folder


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return what the files below a folder hold, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
