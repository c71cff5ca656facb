"""The source of an operation: its line of the program, Cell and operator, read from stacks and graphs."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import os
import sys
import sysconfig
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

import jax

from sporax._src.base.errors import at, note_place
from sporax._src.base.jax_compat import frames_of, scopes_of
from sporax._src.core import tree
from sporax._src.core.execution import current, running
from sporax._src.core.stateful import Stateful
from sporax._src.transform.controlflow.rewrite import origin

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

_PACKAGES = tuple(
    os.path.dirname(file) + os.sep for name in ("jax", "jaxlib", "sporax") if (file := sys.modules[name].__file__)
)
_INSTALLED = tuple(sysconfig.get_path(kind) + os.sep for kind in ("stdlib", "platstdlib", "purelib", "platlib"))
_STRANGE = ("/malt/", "__autograph_generated_file", "<")


STAGE = " stage "  # between the scope of a Cell and the number of its stage
_STEP = "/"  # JAX and XLA separate scopes by it where a path has a dot, because names of operators contain dots


class Source(NamedTuple):
    """The source of an operation.

    Attributes:
        cells: The path of the Cell: the class of the outermost one, then attributes (`Net.backbone.conv1`).
        op: The operator (`ops.relu`).
        line: File and line of the program (`train.py:12`).
        transforms: The transforms that derived it from another operation (`("jvp", "transpose")`: a gradient).
    """

    cells: str = ""
    op: str = ""
    line: str = ""
    transforms: tuple[str, ...] = ()

    @property
    def is_gradient(self) -> bool:
        """Whether the operation belongs to a backward."""
        return "transpose" in self.transforms

    def __str__(self) -> str:
        marks = [f"gradient of {self.op}" if self.is_gradient and self.op else self.op or self.is_gradient * "gradient"]
        return "  ".join(part for part in (*marks, self.cells, self.line) if part)


# --- while a function is traced: Cells name what they compute -----------------------------------------------------------


@contextlib.contextmanager
def inside(cell: Stateful) -> Iterator[None]:
    """Name the operations traced in this block after a Cell and its pipeline stage, if it has one."""
    now = current.get()
    label = _label(now.cells.cell, cell)
    scope = label.replace(".", _STEP)
    if (stage := getattr(cell, "pipeline_stage", None)) is not None:
        scope = f"{scope}{STAGE}{stage}"
    with running(cells=replace(now.cells, cell=cell, path=tree.path(now.cells.path, label))), jax.named_scope(scope):
        yield


def stage_in(scopes: Iterable[str]) -> int | None:
    """Return the stage of the innermost of these scopes (outermost first) with a stage."""
    innermost = None
    for scope in scopes:
        _, mark, stage = scope.rpartition(STAGE)
        if mark and stage.isdecimal():
            innermost = int(stage)
    return innermost


def _label(parent: Stateful | None, cell: Stateful) -> str:
    return (parent is not None and parent._sporax_path_to(cell)) or type(cell).__name__


# --- from the operations of a graph --------------------------------------------------------------------------------------


def is_users(filename: str) -> bool:
    """Return whether a file belongs to the program, not to sporax, JAX or rewritten code."""
    return not filename.startswith(_PACKAGES) and not any(part in filename for part in _STRANGE)


def user_line(frames: Iterable[tuple[str, int]]) -> str:
    """Return `file:line` of the first of these calls in the program's own code, empty if there is none."""
    call = user_call(frames)
    return at(*call) if call else ""


def user_call(frames: Iterable[tuple[str, int]]) -> tuple[str, int] | None:
    """Return file and line of the first of these calls in the program's own code; None if there is none."""
    calls = [(name, line) for name, line in (origin(*frame) for frame in frames) if is_users(name)]
    own = [
        call for call in calls if not call[0].startswith(_INSTALLED)
    ]  # a library's line says less than the one that called it
    return (own or calls)[0] if calls else None


def line_of(error: BaseException) -> str:
    """Return `file:line` of the innermost call of an error's traceback in the program's own code."""
    return user_line(_calls_of(error))


def note_place_of(error: BaseException) -> None:
    """Note the place of that line in the error: its traceback shows rewritten code."""
    if call := user_call(_calls_of(error)):
        note_place(error, *call)


def code_of(error: BaseException) -> str:
    """Return the text of that line, empty if there is none."""
    call = user_call(_calls_of(error))
    return linecache.getline(*call).strip() if call else ""


def block_of(error: BaseException, most: int = 12) -> str:
    """Return the lines of the program from that call to the end of the block it is in, `most` of them."""
    call = user_call(_calls_of(error))
    lines = linecache.getlines(call[0])[call[1] - 1 :] if call else []
    inside = lambda line: not line.strip() or line.startswith(indentation)
    indentation = lines[0][: -len(lines[0].lstrip())] if lines else ""
    return "".join(itertools.islice(itertools.takewhile(inside, lines), most)).rstrip()


def _calls_of(error: BaseException) -> list[tuple[str, int]]:
    return [(f.f_code.co_filename, n) for f, n in traceback.walk_tb(error.__traceback__)][::-1]


def source_of(eqn: JaxprEqn, outer: Source = Source(), known_line: bool = False) -> Source:  # noqa: B008 (it is immutable)
    """Return the source of an operation.

    Args:
        eqn: The operation.
        outer: The source of the operation that contains it; it supplies unknown fields.
        known_line: Whether to use the line of `outer`: JAX traces its own helpers once for all calls.
    """
    scopes, transforms = scopes_of(eqn)
    cells = tree.path(*(name.partition(STAGE)[0].replace(_STEP, ".") for name in scopes if "." not in name))
    if outer.cells and not f"{cells}.".startswith(f"{outer.cells}."):
        cells = tree.path(outer.cells, cells)
    op = next((name.replace("._", ".") for name in reversed(scopes) if "." in name), outer.op)
    line = outer.line if known_line else user_line(frames_of(eqn)) or outer.line
    return Source(cells, op, line, (*outer.transforms, *transforms))


# --- from the stack of PyNative mode ---------------------------------------------------------------------------------------


def _stack() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def source_now() -> Source:
    """Return the source that is being executed."""
    cells: list[Stateful] = []
    lines: list[tuple[str, int]] = []
    for frame in _stack():
        code = frame.f_code
        lines.append((code.co_filename, frame.f_lineno))
        if code.co_name == "__call__" and isinstance(cell := frame.f_locals.get("self"), Stateful):
            cells.append(cell)
    path: list[str] = []
    parent = None
    for cell in reversed(cells):
        path.append(_label(parent, cell))
        parent = cell
    return Source(cells=tree.path(*path), line=user_line(lines))
