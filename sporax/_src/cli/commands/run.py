"""`sporax run`: a MindSpore program, unmodified, started the way `python` starts it."""

from __future__ import annotations

import builtins
import gc
import importlib
import importlib.util
import linecache
import os
import pkgutil
import runpy
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType, TracebackType

import click

from sporax import dataset, train
from sporax._src.base import config
from sporax._src.base.hints import did_you_mean
from sporax._src.cli import commands
from sporax._src.cli.asked_release import follow_asked
from sporax._src.compat import companions, finder
from sporax._src.processes import rendezvous

MODES = {"graph": config.GRAPH_MODE, "pynative": config.PYNATIVE_MODE}
DEVICES = ["CPU", "GPU", "TPU", "Ascend"]
INTERRUPTED = 130
STDIN = "-"
_PYTEST_PLUGIN = "sporax._src.compat.numpy1_test_ids"  # pytest warns unless it imports this itself
ToCode = Callable[[str | bytes, str], CodeType]  # compiles the text of a file
_LAST = ("-m", "-c")  # options whose value ends those of `sporax run`


class ProgramCommand(click.Command):
    """A command whose options end where the program begins, like those of `python`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave all arguments after the script or module to the program."""
        own, program = split(args)
        return super().parse_args(ctx, [*own, "--", *program])


def split(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options of `sporax run` and what belongs to the program.

    Examples:
        >>> split(["--mode", "graph", "train.py", "--mode", "x"])
        (['--mode', 'graph'], ['train.py', '--mode', 'x'])
        >>> split(["-m", "pytest", "-q", "-m", "slow"])
        (['-m', 'pytest'], ['-q', '-m', 'slow'])
    """
    i = 0
    while i < len(args) and args[i].startswith("-") and args[i] != STDIN:
        if args[i] == "--":
            return list(args[:i]), list(args[i + 1 :])
        ends = args[i].startswith(_LAST)
        i += 2 if args[i] in ("--device", "--mode", "--mindspore", *_LAST) else 1
        if ends:
            break
    return list(args[:i]), list(args[i:])


@click.command(cls=ProgramCommand)
@click.option("--device", type=click.Choice(DEVICES, case_sensitive=False), help="Overrides the program's choice.")
@click.option("--mode", type=click.Choice(list(MODES), case_sensitive=False), help="Overrides the program's choice.")
@click.option(
    "--mindspore", "asked", metavar="RELEASE", help="Follow this release of MindSpore: 2.7, 2.8, 2.9 or 2.10."
)
@click.option("--progress", is_flag=True, help="Shows how far each run of a Model is.")
@click.option("--profile-data", is_flag=True, help="Prints at the end what reading each dataset took.")
@click.option("--torch", is_flag=True, help="The program is for PyTorch: convert each module when it is imported.")
@click.option("--report", "reports", is_flag=True, help="With --torch: list what could not be converted, at the end.")
@click.option("-m", "module", metavar="MODULE", help="Run a module, as `python -m` does.")
@click.option("-c", "code", metavar="CODE", help="Run a text, as `python -c` does.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def run(
    device: str | None,
    mode: str | None,
    asked: str | None,
    progress: bool,
    profile_data: bool,
    torch: bool,
    reports: bool,
    module: str | None,
    code: str | None,
    program: tuple[str, ...],
) -> None:
    """Run a program that imports MindSpore, with sporax instead of MindSpore; with --torch, a program that imports PyTorch.

    The program is a script, a module, a text, or `-` for standard input.
    """
    if module is None and code is None:
        if not program:
            raise click.UsageError("name a script, a module with -m, or a text with -c.")
        if program[0] != STDIN and not os.path.exists(program[0]):
            raise click.UsageError(no_file(program[0]))
    try:
        config.require_device(device)
        follow_asked(asked, _folder(program) if module is None and code is None else os.getcwd())
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    config.override(device_target=device, mode=MODES[mode] if mode else None)
    if progress:
        train.ProgressBar.for_all_runs()
    finder.install()
    to_code = _converting(module or "", reports) if torch else _compiled
    gc.freeze()  # objects of sporax and JAX stay alive: the collector need not examine them in every epoch
    profiler = dataset.PipelineProfiler()
    if profile_data:
        profiler.start()
    try:
        if module is not None:
            run_module(module, program)
        elif code is not None:
            run_text(code, "<string>", "-c", program, to_code)
        elif program[0] == STDIN:
            run_text(sys.stdin.buffer.read(), "<stdin>", STDIN, program[1:], to_code)
        else:
            run_script(program[0], program[1:], to_code)
    except Exception as error:
        sys.exit(report(error))
    except KeyboardInterrupt as error:
        report(error)
        sys.exit(INTERRUPTED)
    finally:
        if profile_data:
            print(profiler.report(), file=sys.stderr)
    if status := rendezvous.early_status():
        sys.exit(status)


def no_file(script: str) -> str:
    """Return the message about a program that is no file, with the command or the file that was meant."""
    folder = os.path.dirname(script) or "."
    files = (
        [os.path.join(folder, name).removeprefix("./") for name in os.listdir(folder)] if os.path.isdir(folder) else []
    )
    scripts = [name for name in files if name.endswith(".py")]
    meant = did_you_mean(script, [*(module.name for module in pkgutil.iter_modules(commands.__path__)), *scripts])
    return f"there is no file {script!r}, and no such command.{meant and f' {meant}'}"


def _folder(program: Sequence[str]) -> str:
    return os.getcwd() if program[0] == STDIN else os.path.dirname(os.path.realpath(program[0]))


def _converting(module: str, reports: bool) -> ToCode:
    """Convert a torch program and what it imports; other programs do not wait for the import of the converter."""
    return importlib.import_module("sporax._src.migrate.running.start").start(module, reports)


def _compiled(text: str | bytes, filename: str) -> CodeType:
    return compile(text, filename, "exec", dont_inherit=True)


def run_script(script: str, arguments: Sequence[str], to_code: ToCode = _compiled) -> None:
    """Run a file as `__main__`, its folder first on the path; a folder or an archive runs its `__main__.py`."""
    _start(os.path.dirname(os.path.realpath(script)), script, arguments)
    if os.path.isdir(script) or script.endswith(".pyc") or zipfile.is_zipfile(script):
        runpy.run_path(script, run_name="__main__")
    else:
        filename = os.path.abspath(script)
        _execute(to_code(Path(script).read_bytes(), filename), __file__=filename, __cached__=None)


def run_module(module: str, arguments: Sequence[str]) -> None:
    """Run a module as `__main__`, the current folder first on the path."""
    plugin = ["-p", _PYTEST_PLUGIN] if module == "pytest" else []
    _start(os.getcwd(), module, [*plugin, *arguments])
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def run_text(
    text: str | bytes, filename: str, name: str, arguments: Sequence[str], to_code: ToCode = _compiled
) -> None:
    """Run a text as `__main__`, the current folder first on the path. Its source is registered, so that its control flow compiles.

    Args:
        text: The source.
        filename: The file name in tracebacks.
        name: Its `sys.argv[0]`.
        arguments: The rest of `sys.argv`.
        to_code: Compiles it.
    """
    _start("", name, arguments)
    shown = importlib.util.decode_source(text) if isinstance(text, bytes) else text
    linecache.cache[filename] = (len(shown), None, shown.splitlines(keepends=True), filename)
    _execute(to_code(text, filename))


def _execute(code: CodeType, **names: object) -> None:
    main = sys.modules["__main__"] = ModuleType("__main__")
    vars(main).update(names, __builtins__=builtins)
    exec(code, vars(main))


def _start(folder: str, name: str, arguments: Sequence[str]) -> None:
    sys.argv = [name, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = folder


def report(error: BaseException) -> int:
    """Show an error of the program as Python would have shown it, and return the exit status."""
    error.__traceback__ = program_frames(error.__traceback__)
    companions.name_the_extra(error)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    sys.excepthook(type(error), error, error.__traceback__)
    return 1


def program_frames(trace: TracebackType | None) -> TracebackType | None:
    """Return the traceback without the frames that started the program."""
    starters = (__file__, runpy.__file__, "<frozen runpy>")
    while trace is not None and trace.tb_frame.f_code.co_filename in starters:
        trace = trace.tb_next
    return trace
