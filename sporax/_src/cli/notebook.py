"""`%load_ext sporax`: sets up the cells of a notebook as `sporax run` sets up a program."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from sporax._src.base import config, errors, tracebacks
from sporax._src.cli.commands.run import DEVICES, MODES
from sporax._src.compat import finder

_undo = ExitStack()


def load_ipython_extension(shell: Any) -> None:
    """Let `import mindspore` in cells import sporax, name cells in messages, and add the magic `%sporax`."""
    if not finder.is_installed():
        finder.install()
        _undo.callback(finder.uninstall)
    _undo.enter_context(errors.files_called(lambda filename: tracebacks.cell_name(shell, filename)))
    shell.register_magic_function(override, "line", "sporax")
    _undo.callback(shell.magics_manager.magics["line"].pop, "sporax")
    tracebacks.show_in(shell)
    _undo.callback(shell.set_custom_exc, (), None)


def unload_ipython_extension(shell: object) -> None:
    """Undo the effects of loading; a chosen device or mode stays."""
    _undo.close()


def override(line: str) -> None:
    """Choose the device and the mode that later `set_context` calls do not change: `%sporax --device CPU --mode graph`."""
    from IPython.core.magic_arguments import MagicArgumentParser

    parser = MagicArgumentParser("sporax", description="Overrides the program's choice.")
    parser.add_argument("--device", choices=DEVICES)
    parser.add_argument("--mode", choices=list(MODES))
    chosen: Any = parser.parse_argstring(line)
    config.require_device(chosen.device)
    config.override(device_target=chosen.device, mode=MODES.get(chosen.mode))
