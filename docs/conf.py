"""Settings of Sphinx for the site; `python tools/build_site.py` builds it."""

import tomllib
from pathlib import Path
from typing import Any

_PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "sporax"
author = copyright = "The sporax developers"
release = _PROJECT["version"]
extensions = ["myst_parser", "sphinx_design"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"sporax {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "github-dark"


def setup(app: Any) -> None:
    """Name the language of the Chinese pages: browsers choose their font by it."""
    app.connect("html-page-context", _language)


def _language(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    if page.startswith("zh/"):
        context["language"] = "zh-CN"
