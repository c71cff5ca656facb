"""`sporax --version` and what it shows."""

from importlib.metadata import version

from click.testing import CliRunner

import sporax
from sporax._src.cli import main, versions


def test_versions() -> None:
    assert versions.versions(("jax", "no-such-package")) == {
        "sporax": sporax.__version__,
        "Python": versions.platform.python_version(),
        "jax": version("jax"),
    }
    assert versions.devices()[0].split()[1] in ("CPU", "GPU", "TPU")


def test_the_option() -> None:
    shown = CliRunner().invoke(main, ["--version"]).output
    assert shown.startswith(f"sporax, version {sporax.__version__} (Python ")
    assert f"jax {version('jax')}" in shown and "; devices: 1" in shown
