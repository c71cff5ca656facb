"""How the files of checkpoints are opened."""

from pathlib import Path

from sporax._c_expression import security
from sporax.common.file_system import FileSystem


def test_files_of_checkpoints(tmp_path: Path) -> None:
    """`FileSystem` holds how files are opened: to append, and to read."""
    system = FileSystem()
    for text in (b"a", b"b"):
        with system.create(tmp_path / "file", *system.create_args) as file:
            file.write(text)
    with system.open(tmp_path / "file", *system.open_args) as file:
        assert file.read() == b"ab"
    assert not security.enable_security()
