"""Pages of the repository as pages of the site: links between them lead to each other, links to other files become names.

A link that shows the file of a page shows its title on the site.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

LINK = re.compile(r"(?<!!)\[((?:[^\[\]`\n]|`[^`\n]*`)*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"`?[\w./-]+\.md`?")
# The end of a line between two Chinese characters, or after a Chinese mark and before a word: a browser would show a space.
CHINESE = re.compile(
    r"(?<=[\u4e00-\u9fff])\n *(?=[\u3001-\u9fff\uff01-\uff5e])|(?<=[、。，；])\n *(?=[`\[A-Za-z\u4e00-\u9fff])"
)
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


def title(text: str) -> str:
    """Return the first heading of a page."""
    return next((line[2:].strip() for line in text.splitlines() if line.startswith("# ")), "")


def rewritten(text: str, path: str, places: Mapping[str, str], titles: Mapping[str, str] | None = None) -> str:
    """Return the text of the page at a path of the repository as the site has it. `titles` has the titles of pages."""
    titles = titles or {}

    def link(found: re.Match[str]) -> str:
        shown, target, anchor = found[1], found[2], found[3] or ""
        whole = os.path.normpath(PurePosixPath(path).parent / target)
        if whole not in places:
            return shown if shown.startswith("`") else f"{shown} (`{whole}`)" if shown != whole else f"`{whole}`"
        if FILE.fullmatch(shown):
            shown = titles.get(whole) or shown
        return f"[{shown}]({os.path.relpath(places[whole], PurePosixPath(places[path]).parent)}{anchor})"

    parts = FENCE.split(text)
    for place, part in enumerate(parts):
        parts[place] = part.replace("  # fmt: skip", "") if place % 2 else LINK.sub(link, CHINESE.sub("", part))
    return "".join(_below_one_title(parts))


def _below_one_title(parts: list[str]) -> list[str]:
    """Put all headings after the title of a page below it: some pages are several files in one."""
    seen = 0

    def lower(found: re.Match[str]) -> str:
        nonlocal seen
        seen += found[0] == "# "
        return found[0] if seen < 2 else f"#{found[0]}"

    return [part if place % 2 else re.sub(r"^#+ ", lower, part, flags=re.MULTILINE) for place, part in enumerate(parts)]
