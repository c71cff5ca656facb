"""Pages of the repository as pages of the site: links between them lead to each other, links to other files become names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

LINK = re.compile(r"(?<!!)\[((?:[^\[\]`\n]|`[^`\n]*`)*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
# Pages outside of docs, and where the site has them.
OUTSIDE = {
    "README.md": "project/readme.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "project/security.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "bench/README.md": "project/bench.md",
    "bench/RESULTS.md": "project/speed.md",
    "bench/DATA.md": "project/bench_data.md",
    "examples/README.md": "project/examples.md",
}


def sources(root: Path) -> dict[str, str]:
    """Return for each page of the repository, by its path, where the site has it."""
    docs = {str(p.relative_to(root)): str(p.relative_to(root / "docs")) for p in sorted((root / "docs").rglob("*.md"))}
    return {k: v for k, v in docs.items() if not v.startswith("_")} | {
        k: v for k, v in OUTSIDE.items() if (root / k).exists()
    }


def rewritten(text: str, path: str, places: Mapping[str, str]) -> str:
    """Return the text of the page at a path of the repository with the links that it has on the site."""

    def link(found: re.Match[str]) -> str:
        shown, target, anchor = found[1], found[2], found[3] or ""
        whole = os.path.normpath(PurePosixPath(path).parent / target)
        if whole not in places:
            return shown if shown.startswith("`") else f"{shown} (`{whole}`)" if shown != whole else f"`{whole}`"
        return f"[{shown}]({os.path.relpath(places[whole], PurePosixPath(places[path]).parent)}{anchor})"

    parts = FENCE.split(text)
    return "".join(part if place % 2 else LINK.sub(link, part) for place, part in enumerate(parts))
