"""What the conversion of a file must know of the other files of a program and of installed packages."""

from pathlib import Path

import pytest

from sporax._src.migrate.running.disk_cache import DiskCache
from sporax._src.migrate.running.packages import Packages, dumped

LAYERS = "from torch import nn\n\n\nclass Base(nn.Module):\n    pass\n"


@pytest.fixture
def packages(tmp_path, monkeypatch) -> Packages:
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    return Packages(DiskCache(), "version")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_script_knows_the_classes_of_the_files_that_it_imports(packages, tmp_path) -> None:
    script = write(tmp_path / "train_own.py", "from layers_own import Base\nimport parts_own\n")
    write(tmp_path / "layers_own.py", LAYERS)
    write(tmp_path / "parts_own" / "__init__.py", "from .blocks import Block\n")
    write(tmp_path / "parts_own" / "blocks.py", "from layers_own import Base\n\n\nclass Block(Base):\n    pass\n")
    write(tmp_path / "stranger.py", "class Stranger(Base):\n    pass\n")
    program = packages.program_of("__main__", script)
    assert program.modules == {"Base", "Block"}
    assert program.packages == {"parts_own"}
    assert packages.program_of("parts_own.blocks", tmp_path / "parts_own" / "blocks.py") is program
    later = packages.program_of("stranger", tmp_path / "stranger.py")
    assert later.modules == {"Base", "Block", "Stranger"}


def test_an_installed_package_is_known_by_itself_and_kept_on_disk(packages, tmp_path, monkeypatch) -> None:
    site = tmp_path / "site-packages"
    monkeypatch.syspath_prepend(str(site))
    inner = write(site / "nets_inst" / "inner.py", LAYERS.replace("Base", "Inner"))
    write(site / "nets_inst" / "__init__.py", "")
    write(site / "nets_inst-1.0.dist-info" / "METADATA", "Name: nets_inst\nRequires-Dist: torch>=2\n")
    script = write(tmp_path / "use_inst.py", "from nets_inst.inner import Inner\n\n\nclass Own(Inner):\n    pass\n")
    assert packages.is_converted("nets_inst", site / "nets_inst" / "__init__.py", b"")
    assert packages.program_of("nets_inst.inner", inner).modules == {"Inner"}
    assert packages.program_of("__main__", script).modules == {"Inner", "Own"}
    monkeypatch.setattr("sporax._src.migrate.running.packages.module_classes", None)
    again = Packages(DiskCache(), "version").program_of("nets_inst.inner", inner)
    assert dumped(again) == dumped(packages.program_of("nets_inst.inner", inner))


def test_only_modules_that_may_need_torch_are_converted(packages, tmp_path) -> None:
    site = tmp_path / "site-packages"
    assert not packages.is_converted("json.decoder", tmp_path / "json.py", b"import torch")
    assert not packages.is_converted("numpy.core", site / "numpy.py", b"import torch")
    assert not packages.is_converted("plain", site / "plain" / "a.py", b"import os\n")
    assert packages.is_converted("other", site / "other" / "a.py", b"if x:\n    from torch import nn\n")
    assert packages.is_converted("other", site / "other" / "b.py", b"import os\n")
    assert packages.is_converted("own", tmp_path / "own.py", b"import os\n")
