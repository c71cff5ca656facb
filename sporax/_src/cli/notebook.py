"""`%load_ext sporax`: sets up the cells of a notebook as `sporax run` sets up a program."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Any

from sporax._src.base import config, errors
from sporax._src.cli.commands.run import DEVICES, MODES
from sporax._src.compat import finder

_undo = ExitStack()


def load_ipython_extension(shell: Any) -> None:
    """Let `import mindspore` in cells import sporax, name cells in messages, and add the magic `%sporax`."""
    if not finder.is_installed():
        finder.install()
        _undo.callback(finder.uninstall)
    _undo.enter_context(errors.files_called(lambda filename: cell(shell, filename)))
    shell.register_magic_function(override, "line", "sporax")
    _undo.callback(shell.magics_manager.magics["line"].pop, "sporax")
    shell.set_custom_exc((KeyboardInterrupt,), show_interrupt)
    _undo.callback(shell.set_custom_exc, (), None)


def unload_ipython_extension(shell: object) -> None:
    """Undo the effects of loading; a chosen device or mode stays."""
    _undo.close()


def show_interrupt(
    shell: Any, kind: type[BaseException], error: BaseException, trace: TracebackType, tb_offset: int | None = None
) -> None:
    """Show an interrupt with the program's calls down to the one into sporax.

    IPython parses the file of each call it shows: the 10,000 lines of a compiler's took it 48 s on two busy cores.
    """
    calls: list[TracebackType] = []
    call: TracebackType | None = trace
    while call is not None and not errors.is_own(call.tb_frame.f_code.co_filename):
        calls.append(call)
        call = call.tb_next
    shown = None
    for call in reversed(calls):
        shown = TracebackType(shown, call.tb_frame, call.tb_lasti, call.tb_lineno)
    error.__cause__ = None  # JAX's context contains the compiler's calls, so it is not shown
    shell.showtraceback((kind, error, shown), tb_offset=tb_offset)


def cell(shell: Any, filename: str) -> str | None:
    """Return IPython's name of a cell's file, `Cell In[3]`; None for other files."""
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
