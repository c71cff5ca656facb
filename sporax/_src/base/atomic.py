"""Atomic writes of files and of sets of files: a reader sees the old content or the complete new one.

A set is written into a folder beside the files that it replaces. Once all of it is on disk, this folder is renamed to `READY`, and
its files are moved to their targets. If a process is killed meanwhile, the next reader or writer of the folder moves the rest:
every file in `READY` is complete, so any process may move any file, any number of times.
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
_OF_A_PROCESS = re.compile(r"rank_\d+")  # a subfolder that may contain files of a set
_ABANDONED_AFTER = 24 * 3600  # seconds without a write, for files of processes on other machines


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`; the file written there replaces `path` if the block succeeds.

    The new file is on the disk before it gets its name. If the block raises, `path` does not change and the temporary
    file is deleted; if the process is killed, the next save into the folder deletes this file. A symbolic link is
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
        temporary.chmod(mode)  # the writer may have created the file with another mode
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
    """Yield an empty folder; the files that the block writes there replace those in `folder`, all of them or none.

    They may lie in folders `rank_0`, `rank_1`, ... If the block raises, or the process is killed before it ends, `folder` is as it
    was; if the process is killed later, the next call of `replacing`, `replacing_all`, `settle` or `settled` moves the rest.
    A symbolic link with the name of a file is replaced by the file.

    Args:
        folder: The folder.
        make: Whether to create it if it does not exist.

    Raises:
        FileNotFoundError: If `folder` does not exist and `make` is False.
        OSError: If a file cannot be written or moved.
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
    """Complete the set of a killed process, and then lock the sets of a folder while the block opens their files.

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
    """Complete the set of a killed process to which a file, or the target of a link, may belong.

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
    """Raise an error, before anything is moved, if a file could not be moved."""
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
    """Return the subfolders of a folder, and then the folder itself, each with its file names; links count as files."""
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
    """Rename the folder of a set to `READY`, which commits the set. Only one can be ready at a time."""
    while True:
        _finish(target)
        try:
            os.rename(staged, target / READY)
            break
        except OSError as error:  # without locks, another process may have renamed its set first
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
    _flush_folder(target)


def _finish(target: Path) -> None:
    """Move the files of the ready set, if there is one, to their targets; several processes may do it at once."""
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
                with suppress(FileNotFoundError):  # another process has moved it
                    os.replace(ready / subfolder / name, destination / name)
            _flush_folder(destination)
            _remove_empty(ready / subfolder)
    except OSError as error:
        raise OSError(
            error.errno,
            f"a process was killed after it had begun to replace files of {target}; the remaining new files are in {READY} there, "
            f"and cannot be moved ({error.strerror}): read or write one of the files as a user who may change {target}",
        ) from error
    _flush_folder(target)


def _check_ready(ready: Path) -> None:
    """Raise an error for a link, and for a folder of another user, who may create one in folders such as /tmp."""
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
    except FileNotFoundError:  # another process has removed it
        pass
    except OSError as error:  # another set is ready by now
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


@contextmanager
def _locked(folder: Path, exclusive: bool) -> Iterator[None]:
    """Hold a lock of a folder, which the system releases when the process ends; do nothing if the file system has no locks.

    Without locks, sets are moved in the same way, but a process that opens the files meanwhile may see some old ones.
    """
    with ExitStack() as stack:
        if fcntl is not None:
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY)
                stack.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
                stack.callback(fcntl.flock, descriptor, fcntl.LOCK_UN)  # a forked process has a copy
        yield


# --- what killed processes left ---------------------------------------------------------------------------------------


def _own_name(kind: str) -> str:
    return f".sporax-{_system()}-{os.getpid()}-{secrets.token_hex(8)}.{kind}"


@cache
def _system() -> str:
    """Return eight digits for the machine and its container, within which process numbers are valid."""
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
