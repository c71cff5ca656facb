"""Atomic writing: a reader sees the old file or the whole new one, whatever goes wrong in between; and so of sets of files.

A set is written into a folder beside the files that it replaces. Once all of it is on the disk, this folder is renamed to `READY`,
and its files are moved to their places. Whoever comes upon a `READY` that a killed process left moves the rest: every file in it is
whole, so that it does not matter who moves which, nor how often one tries.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import socket
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

READY = ".sporax-files"
_OURS = re.compile(r"\.sporax-([0-9a-f]{8})-(\d+)-[0-9a-f]{16}\.(tmp|files)")
_OF_A_PROCESS = re.compile(r"rank_\d+")  # a folder in that of a set, which may hold some of its files
_ABANDONED_AFTER = 24 * 3600  # seconds without a write: of a process that cannot be asked, on another machine


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`; what the block wrote there becomes `path` if the block succeeds.

    The new file is on the disk before it gets its name. If the block raises, `path` is as it was and the
    temporary file is gone; if the process is killed, the next save into the folder removes it. A symbolic link is
    followed: its target is replaced, the link stays.

    Raises:
        FileNotFoundError: If the folder of `path` does not exist.
    """
    target = Path(os.path.realpath(path))
    _remove_abandoned(target.parent)
    settle(target)
    temporary = target.with_name(_own_name("tmp"))
    temporary.touch(exist_ok=False)
    mode = temporary.stat().st_mode
    try:
        yield temporary
        temporary.chmod(mode)  # writers that make their own file may have chosen another
        _flush(temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush_folder(target.parent)


def _flush(path: Path) -> None:
    with open(path, "r+b") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    # Some systems cannot open or flush a folder; the rename itself is atomic there too.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# --- sets of files ----------------------------------------------------------------------------------------------------


@contextmanager
def replacing_all(folder: str | os.PathLike[str], *, make: bool = False) -> Iterator[Path]:
    """Give an empty folder; the files that the block wrote there go to the same names in `folder`, all of them or none.

    They may lie in folders `rank_0`, `rank_1`, ... If the block raises, or the process is killed before it ends, `folder` is as it
    was; if the process is killed later, what comes next of `replacing`, `replacing_all`, `settle` and `settled` moves the rest.
    A symbolic link in the place of a file is replaced by the file.

    Args:
        folder: The folder.
        make: Whether it is made if it does not exist.

    Raises:
        FileNotFoundError: If `folder` does not exist and is not to be made.
        OSError: If a file cannot be written, or cannot get to its place.
    """
    target = Path(os.path.realpath(folder))
    created = make and not target.exists()
    if created:
        target.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(target)
    staged = target / _own_name("files")
    staged.mkdir()
    try:
        yield staged
        _check_targets(staged, target)
        for directory, _, names in os.walk(staged):
            for name in names:
                _flush(Path(directory, name))
            _flush_folder(Path(directory))
        with _locked(target, exclusive=True):
            _make_ready(staged, target)
            _finish(target)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        if created:
            _remove_empty(target)
        raise


@contextmanager
def settled(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Keep the sets of a folder as they are while the block opens their files; what a killed process left is finished before.

    Raises:
        OSError: If it cannot be finished.
    """
    target = Path(os.path.realpath(folder))
    while True:
        with _locked(target, exclusive=False):
            if not (target / READY).is_dir():
                yield
                return
        with _locked(target, exclusive=True):
            _finish(target)


def settle(path: str | os.PathLike[str]) -> None:
    """Finish what a killed process left of a set to which a file, or what a link names, may belong.

    Raises:
        OSError: If it cannot be finished.
    """
    for name in dict.fromkeys((os.path.abspath(path), os.path.realpath(path))):
        folder = Path(name).parent
        for target in (folder.parent, folder) if _OF_A_PROCESS.fullmatch(folder.name) else (folder,):
            if (target / READY).is_dir():
                with settled(target):
                    pass


def _check_targets(staged: Path, target: Path) -> None:
    """Refuse before anything is moved what could not be."""
    for subfolder, names in _contents(staged):
        destination = target / subfolder
        if subfolder.parts and not _OF_A_PROCESS.fullmatch(str(subfolder)):
            raise ValueError(f"{destination}: the files of a set lie in one folder, or in rank_0, rank_1, ... there.")
        if destination.is_symlink() or (destination.exists() and not os.access(destination, os.W_OK)):
            raise OSError(
                errno.EACCES, "a link, or a folder that cannot be written, cannot get files of a set", str(destination)
            )
        for name in names:
            if (destination / name).is_dir() and not (destination / name).is_symlink():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(destination / name))


def _contents(folder: Path) -> list[tuple[Path, list[str]]]:
    """Return the folders in a folder, and last itself, each with the names of its files; a link is a file, whatever it names."""
    return [
        (
            Path(os.path.relpath(directory, folder)),
            sorted([*names, *(n for n in inner if os.path.islink(f"{directory}/{n}"))]),
        )
        for directory, inner, names in os.walk(folder, topdown=False, onerror=_unless_gone)
    ]


def _unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _make_ready(staged: Path, target: Path) -> None:
    """Rename the folder of a set; from then on the set is the new one. Only one can be ready at a time."""
    while True:
        _finish(target)
        try:
            os.rename(staged, target / READY)
            break
        except OSError as error:  # where there are no locks, another may have come between
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
    _flush_folder(target)


def _finish(target: Path) -> None:
    """Move the files of the set that is ready, if one is, to their places; several processes may do it at once."""
    ready = target / READY
    if not ready.is_dir():
        return
    try:
        _check_ready(ready)
        for subfolder, names in _contents(ready):
            destination = target / subfolder
            if subfolder.parts and not _OF_A_PROCESS.fullmatch(str(subfolder)):
                raise OSError(errno.EINVAL, f"{READY}/{subfolder} is no folder of a set")
            if destination.is_symlink():
                raise OSError(errno.ELOOP, f"{destination} is a link")
            destination.mkdir(exist_ok=True)
            for name in names:
                with suppress(FileNotFoundError):  # another has moved it
                    os.replace(ready / subfolder / name, destination / name)
            _flush_folder(destination)
            _remove_empty(ready / subfolder)
    except OSError as error:
        raise OSError(
            error.errno,
            f"a process that was ended had begun to replace files of {target}; the new ones that are not in their places yet "
            f"are in {READY} there, and cannot be moved ({error.strerror}): read or write one of the files as a user who may "
            f"change {target}",
        ) from error
    _flush_folder(target)


def _check_ready(ready: Path) -> None:
    """Refuse a link, and what a stranger has put into a folder where, as in /tmp, each may replace but files of their own."""
    if ready.is_symlink():
        raise OSError(errno.ENOTDIR, f"{ready} is a link")
    folder = ready.parent
    if folder.stat().st_mode & stat.S_ISVTX and _owner(ready) not in (os.geteuid(), _owner(folder)):
        raise OSError(errno.EPERM, f"{ready} belongs to another user")


def _owner(path: Path) -> int:
    return path.lstat().st_uid


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except FileNotFoundError:  # another has
        pass
    except OSError as error:  # another set is ready by now
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


@contextmanager
def _locked(folder: Path, exclusive: bool) -> Iterator[None]:
    """Hold a lock of a folder, which the system lifts when the process ends; nothing where its file system has none.

    Without locks sets are moved as well as with them; only who opens the files of one just then may get some of the old ones.
    """
    with ExitStack() as stack:
        if fcntl is not None:
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
                stack.callback(fcntl.flock, descriptor, fcntl.LOCK_UN)  # a process that was forked off has a copy
        yield


# --- what killed processes left ---------------------------------------------------------------------------------------


def _own_name(kind: str) -> str:
    return f".sporax-{_system()}-{os.getpid()}-{secrets.token_hex(8)}.{kind}"


@cache
def _system() -> str:
    """Return eight digits for the machine and its container: process numbers of one mean nothing in another."""
    name = socket.gethostname()
    with suppress(OSError):
        name += os.readlink("/proc/self/ns/pid")
    return f"{zlib.crc32(name.encode()):08x}"


def _remove_abandoned(folder: Path) -> None:
    with os.scandir(folder) as entries:
        matches = [(entry, match) for entry in entries if (match := _OURS.fullmatch(entry.name))]
    for entry, match in matches:
        with suppress(OSError):  # another save may be removing it, or it is another user's
            is_folder = entry.is_dir(follow_symlinks=False)
            if (is_folder if match[3] == "files" else entry.is_file(follow_symlinks=False)) and _is_abandoned(
                Path(entry.path), match[1], int(match[2])
            ):
                shutil.rmtree(entry.path) if is_folder else os.unlink(entry.path)


def _is_abandoned(path: Path, system: str, process: int) -> bool:
    if system != _system() or os.name != "posix":
        written = max(file.lstat().st_mtime for file in (path, *path.rglob("*")))
        return time.time() - written > _ABANDONED_AFTER
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):  # another user's process; no process can have the number
        return False
    return False
