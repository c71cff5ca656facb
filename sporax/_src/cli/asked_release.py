"""The release of MindSpore that a program asks for: by an option, the environment, or a file of requirements beside it."""

from __future__ import annotations

import importlib
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sporax._src.base import config, release

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

_PACKAGES = ("mindspore", "mindspore-gpu", "mindspore-ascend")


def follow_asked(option: str | None, folder: str) -> None:
    """Follow the release that a program in a folder asks for; an option decides before the environment, and that before files.

    Raises:
        ValueError: If sporax follows no such release, or two files ask for different ones.
    """
    if option is not None:
        release.follow(option)
    elif not config.environ(release.VARIABLE) and (asked := required(Path(folder or "."))):
        release.follow(asked)


def required(folder: Path) -> str | None:
    """Return the release that `requirements.txt` and `pyproject.toml` of a folder ask for, None if they ask for none.

    It is the newest that the requirement allows; the nearest one, if it allows none that sporax follows.

    Raises:
        ValueError: If the two ask for different releases.
    """
    asked = {name: _newest(allowed) for name, allowed in _requirements(folder)}
    if len(set(asked.values())) > 1:
        both = " and ".join(f"{name} asks for MindSpore {asked[name]}" for name in asked)
        raise ValueError(f"{both}; choose one with --mindspore or {release.VARIABLE}.")
    return next(iter(asked.values()), None)


def _requirements(folder: Path) -> Iterator[tuple[str, SpecifierSet]]:
    """Yield the files that require MindSpore, and the versions that they allow."""
    lines: dict[str, list[str]] = {}
    listed, project = folder / "requirements.txt", folder / "pyproject.toml"
    if os.path.isfile(listed):
        lines[listed.name] = listed.read_text(encoding="utf-8", errors="replace").splitlines()
    if os.path.isfile(project):
        lines[project.name] = _dependencies(project)
    for name, texts in lines.items():
        for text in texts:
            if not text.lower().lstrip().startswith(_PACKAGES[0]):
                continue
            reader = importlib.import_module("packaging.requirements")  # other programs do not wait for it
            try:
                requirement = reader.Requirement(text.partition("#")[0].strip())
            except reader.InvalidRequirement:  # an option of pip, a path, an empty line
                continue
            if requirement.name.lower().replace("_", "-") in _PACKAGES and requirement.specifier:
                yield name, requirement.specifier
                break


def _dependencies(project: Path) -> list[str]:
    try:
        return tomllib.loads(project.read_text(encoding="utf-8")).get("project", {}).get("dependencies", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):  # other tools report it
        return []


def _newest(allowed: SpecifierSet) -> str:
    for known in reversed(release.RELEASES):
        minor = known.removesuffix(".0")
        if any(f"{minor}.{patch}" in allowed for patch in range(10)):
            return known
    highest = max(tuple(map(int, one.version.split(".")[:2])) for one in allowed if _is_plain(one.version))
    oldest = tuple(map(int, release.RELEASES[0].split(".")[:2]))
    return release.RELEASES[0] if highest <= oldest else release.RELEASES[-1]


def _is_plain(version: str) -> bool:
    return all(part.isdigit() for part in version.split(".")[:2])
