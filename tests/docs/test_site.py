"""The site has every page, every public name, and links that lead somewhere; Sphinx is not needed here."""

import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path

import pytest
from house import ROOT

import sporax as ms

sys.path.append(str(ROOT / "tools"))  # after tests/support, which has modules of the same names
from site_pages import docstring, links, reference

DOCS = ROOT / "docs"
TREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)


def listed(page: Path) -> set[Path]:
    """Return the pages that the tables of contents of a page name, and those that they name."""
    lines = [line for tree in TREE.findall(page.read_text(encoding="utf-8")) for line in tree.splitlines()]
    names = [re.sub(r"^.*<(.*)>$", r"\1", line.strip()) for line in lines if line.strip() and not line.startswith(":")]
    found = {page}
    for name in names:
        path = (page.parent / f"{name}.md").resolve()
        if path.exists():
            found |= listed(path)
        else:
            place = f"{name}.md"
            assert place in links.OUTSIDE.values() or place == "reference/index.md", f"{page.name} lists {name}"
    return found


def test_the_first_page_leads_to_every_page() -> None:
    every = {p for p in DOCS.rglob("*.md") if "_build" not in p.parts}
    assert sorted(str(p.relative_to(DOCS)) for p in every - listed(DOCS / "index.md")) == []


@pytest.mark.parametrize("module", reference.MODULES)
def test_each_public_name_has_a_page(module: str) -> None:
    """The names that `dir` shows of the module, and a file for each, on file systems that know no capitals as well."""
    names = reference.public(module)
    space = (
        ms.Tensor if module == "Tensor" else ms if module == "sporax" else importlib.import_module(f"sporax.{module}")
    )
    asked = [n for n in getattr(space, "__all__", dir(space)) if not n.startswith("_")]
    missing = {n for n in asked if not inspect.ismodule(getattr(space, n))} - set(names)
    assert missing == set()
    files = reference.file_names(names)
    assert len({file.casefold() for file in files.values()}) == len(names)


def test_pages_of_the_reference_are_written() -> None:
    pages = dict(reference.pages())
    assert len(pages) == sum(len(reference.public(module)) for module in reference.MODULES) + len(reference.MODULES) + 1
    dense = pages[Path("nn/Dense.md")]
    for part in (
        "# nn.Dense",
        "sporax.nn.Dense(\n    in_channels,",
        "- `has_bias`: ",
        "```pycon\n>>> ",
        "`torch.nn.Linear`",
    ):
        assert part in dense
    assert "[`Dense`](nn/Dense.md)" in pages[Path("nn.md")]
    short = [path for path, text in pages.items() if path.parent != Path() and len(text) < 100]
    assert [str(path) for path in short if "A value: " not in pages[path]] == []


def test_a_docstring_becomes_markdown() -> None:
    text = "Return a*b_c of `a_b`.\n\nArgs:\n    a, *b (int): One [x].\n        More.\n    c: Two.\n\nExamples:\n    >>> 1\n    1"
    assert docstring.markdown(text) == (
        "Return a\\*b\\_c of `a_b`.\n\n**Args**\n\n- `a`, `*b` (int): One \\[x\\].\n  More.\n- `c`: Two.\n\n"
        "**Examples**\n\n```pycon\n>>> 1\n1\n```\n"
    )


def test_links_lead_to_pages_of_the_site() -> None:
    places = {"docs/a/x.md": "a/x.md", "README.md": "project/readme.md"}
    text = "[r](../../README.md#start), [y](../../tools/y.py), [`z`](z.py), [w](https://w.org)\n```sh\n[r](../../README.md)\n```\n"
    assert links.rewritten(text, "docs/a/x.md", places) == (
        "[r](../project/readme.md#start), y (`tools/y.py`), `z`, [w](https://w.org)\n```sh\n[r](../../README.md)\n```\n"
    )


def test_a_link_that_shows_a_file_shows_the_title_of_its_page() -> None:
    places, titles = {"docs/a.md": "a.md", "docs/b.md": "b.md"}, {"docs/b.md": links.title("text\n# The `b`\n# No\n")}
    text = "[b.md](b.md#c), [x](b.md)\n"
    assert links.rewritten(text, "docs/a.md", places, titles) == "[The `b`](b.md#c), [x](b.md)\n"


def test_pages_of_the_site_have_one_title() -> None:
    text = "# A\n## B\n# C\n```sh\n# D\n```\n## E\n"
    assert links.rewritten(text, "a.md", {}) == "# A\n## B\n## C\n```sh\n# D\n```\n### E\n"


def test_what_readers_need_not_see_is_left_out() -> None:
    """Marks for the formatter, and ends of lines that browsers show as spaces in Chinese text."""
    text = "```python\nf()  # fmt: skip\n```\n\u4e2d\n\u6587\u3002\n`f`\n\u6587\n\n- \u4e2d\n"
    assert links.rewritten(text, "a.md", {}) == "```python\nf()\n```\n\u4e2d\u6587\u3002`f`\n\u6587\n\n- \u4e2d\n"


def test_modules_of_many_names_have_headings() -> None:
    many = {f"{letter}{number}": max for letter in "ba" for number in range(60)}
    assert re.findall("^#.*", reference.module_page("nn", many), re.MULTILINE) == ["# nn", "## A", "## B"]
    assert re.findall("^#.*", reference.module_page("nn", {"a": max}), re.MULTILINE) == ["# nn"]


def test_every_page_outside_of_docs_exists() -> None:
    assert [path for path in links.OUTSIDE if not (ROOT / path).exists()] == []


def slug(heading: str) -> str:
    """Return the anchor that a heading has."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def headings(page: Path) -> list[str]:
    """Return the headings of a page below its title."""
    return re.findall(
        r"^##+ (.*)$", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL), re.MULTILINE
    )


ANSWERS = [(p, heading) for p in sorted((DOCS / "how_to").glob("*.md")) for heading in headings(p)]


def test_each_question_has_an_answer_and_each_answer_a_question() -> None:
    text = (DOCS / "questions.md").read_text(encoding="utf-8")
    asked = set(re.findall(r"\]\(([^)]+)\)", text))
    unasked = [f"how_to/{p.name}#{slug(h)}" for p, h in ANSWERS if f"how_to/{p.name}#{slug(h)}" not in asked]
    assert unasked == [] and len(ANSWERS) >= 50
    tables = re.findall(r"^\| (?!question)[^|]*\S[^|]*\| \[", text, re.MULTILINE)
    assert len(tables) >= 45


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda p: str(p.relative_to(DOCS)))
def test_links_lead_to_headings(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    lost = []
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)]+)\)", text):
        other = page if not target else page.parent / target
        if anchor not in map(slug, headings(other)):
            lost.append(f"{target}#{anchor}")
    assert lost == []


def test_each_answer_shows_code() -> None:
    for page in sorted({p for p, _ in ANSWERS}):
        parts = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        assert [part.splitlines()[0] for part in parts if "```python" not in part and "```sh" not in part] == []


def test_pages_are_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has not changed keeps its time, so that Sphinx does not read it anew; what is gone is deleted."""
    spec = importlib.util.spec_from_file_location("build_site_tool", ROOT / "tools" / "build_site.py")
    assert spec and spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    monkeypatch.setattr(tool.reference, "pages", lambda: [(Path("nn.md"), "# nn\n")])
    (tmp_path / "gone.md").write_text("# Gone\n")
    count = tool.write_pages(tmp_path)
    times = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.md")}
    assert tool.write_pages(tmp_path) == count == len(times) and tmp_path / "gone.md" not in times
    assert (tmp_path / "reference" / "nn.md").read_text() == "# nn\n" and (tmp_path / "project" / "readme.md").exists()
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.md")} == times
