"""How the files of checkpoints are opened: a record of functions, of which there is one kind here.

MindSpore's own tests use it.
"""

from __future__ import annotations


class FileSystem:
    """The functions that create and open files, and what they take besides the path.

    Attributes:
        create, create_args: Opens a file for writing to its end.
        open, open_args: Opens a file for reading.
        backend: The kind of storage, always `"basic"`.

    Examples:
        >>> from sporax.common.file_system import FileSystem
        >>> FileSystem().backend
        'basic'
    """

    def __init__(self) -> None:
        self.create, self.create_args = open, ("ab",)
        self.open, self.open_args = open, ("rb",)
        self.backend = "basic"
