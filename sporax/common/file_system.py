"""How the files of checkpoints are opened."""

from sporax._src.compat.legacy.file_system import FileSystem

__all__ = ["FileSystem"]
