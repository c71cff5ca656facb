"""Build the documentation site: the pages of `docs`, and a page for each public name.

python tools/build_site.py                # build/site/html; needs `pip install 'sporax[docs]'`
python tools/build_site.py --open         # and show it in the browser
python tools/build_site.py --pages        # write the Markdown of all pages only: build/site/pages
python tools/build_site.py --notebooks    # write examples/notebooks, from the tutorials of these names

A warning of Sphinx is an error. `tools/results/site.json` has the number of pages and the time of the last build.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import webbrowser
from pathlib import Path

from site_pages import reference
from site_pages.links import rewritten, sources, title
from site_pages.notebook import notebook

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "site"
RESULT = ROOT / "tools" / "results" / "site.json"


def write_pages(folder: Path) -> int:
    """Write the Markdown of all pages into a folder; return how many there are. Sphinx reads those anew that have changed."""
    places = sources(ROOT)
    read = {path: (ROOT / path).read_text("utf-8") for path in places}
    titles = {path: title(text) for path, text in read.items()}
    texts = {Path(place): rewritten(read[path], path, places, titles) for path, place in places.items()}
    texts |= {Path("reference", path): text for path, text in reference.pages()}
    for old in {p.relative_to(folder) for p in folder.rglob("*.md")} - set(texts):
        (folder / old).unlink()
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    return len(texts)


def write_notebooks() -> None:
    """Write each notebook of the examples anew from the tutorial of its name."""
    for file in (ROOT / "examples" / "notebooks").glob("*.ipynb"):
        page = (ROOT / "docs" / "tutorials" / f"{file.stem}.md").read_text(encoding="utf-8")
        file.write_text(json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> int:
    """Build the site."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--open", action="store_true", help="show the site in the browser")
    parser.add_argument("--pages", action="store_true", help="write the Markdown of the pages only")
    parser.add_argument("--notebooks", action="store_true", help="write the notebooks of the examples only")
    options = parser.parse_args()
    if options.notebooks:
        write_notebooks()
        return 0
    start = time.perf_counter()
    count = write_pages(BUILD / "pages")
    if options.pages:
        return 0
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "2", "-b", "html", "-c", str(ROOT / "docs"),
               "-d", str(BUILD / "doctrees"), str(BUILD / "pages"), str(BUILD / "html")]  # fmt: skip
    status = subprocess.run(command, check=False).returncode
    figures = {"pages": count, "seconds": round(time.perf_counter() - start), "warnings": bool(status)}
    print(figures)
    if status == 0:
        RESULT.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        if options.open:
            webbrowser.open((BUILD / "html" / "index.html").as_uri())
    return status


if __name__ == "__main__":
    sys.exit(main())
