"""`%load_ext sporax`: the cells of a notebook get what `sporax run` gives a program."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from sporax._src.base import config, errors
from sporax._src.cli.run import DEVICES, MODES
from sporax._src.compat import finder

_undo = ExitStack()


def load_ipython_extension(shell: Any) -> None:
    """Serve `import mindspore` from sporax in the cells of a notebook, name cells in messages, and add the magic `%sporax`."""
    if not finder.is_installed():
        finder.install()
        _undo.callback(finder.uninstall)
    _undo.enter_context(errors.files_called(lambda filename: cell(shell, filename)))
    shell.register_magic_function(override, "line", "sporax")
    _undo.callback(shell.magics_manager.magics["line"].pop, "sporax")


def unload_ipython_extension(shell: Any) -> None:
    """Undo what loading did; a device or a mode that was chosen stays."""
    _undo.close()


def cell(shell: Any, filename: str) -> str | None:
    """Return what IPython calls the file of a cell, `Cell In[3]`; None of other files."""
    name = shell.compile.format_code_name(filename)
    return name and " ".join(name)


def override(line: str) -> None:
    """Choose the device and the mode that later `set_context` calls do not change: `%sporax --device CPU --mode graph`."""
    from IPython.core.magic_arguments import MagicArgumentParser

    parser = MagicArgumentParser("sporax", description="Overrides the program's choice.")
    parser.add_argument("--device", choices=DEVICES)
    parser.add_argument("--mode", choices=list(MODES))
    chosen: Any = parser.parse_argstring(line)
    config.override(device_target=chosen.device, mode=MODES.get(chosen.mode))
