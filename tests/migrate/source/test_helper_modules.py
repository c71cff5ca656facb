"""The modules of helpers beside a converted program: those it imports, those that they import, and no others."""

from pathlib import Path

import pytest
from converted_programs import execute

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.diagnostics import Converted
from sporax._src.migrate.source.helper_modules import files, homes, import_lines


def test_the_target_classic_writes_what_mint_lacks_on_a_cpu():
    done = convert("import torch\nx = torch.stack([torch.arange(3)], 0).clone()\n", target="classic")
    assert done.text.endswith("x = ops.deepcopy(_mint_stack([ops.arange(end=3)], 0))\n")
    assert done.text.startswith("from mindspore import ops\nfrom _from_torch.classic.arrays import _mint_stack\n")
    assert "def _mint_stack(" in done.files["_from_torch/classic/arrays.py"] and "mint." not in done.text


def test_the_text_imports_helpers_and_the_result_has_their_modules(tmp_path):
    """Whole modules, with those that they import and no others."""
    done = convert("import torch\nx = torch.ones((2,))\nscaler = torch.amp.GradScaler()\n")
    assert done.text.splitlines()[1:] == [
        "from _from_torch.training.runtime import _GradScaler",
        "x = mint.ones((2,))",
        "scaler = _GradScaler()",
    ]
    modules = ("__init__", "training/__init__", "training/gradients", "training/runtime")
    assert sorted(done.files) == sorted(f"_from_torch/{name}.py" for name in modules)
    assert "\nfrom ..training.gradients import _step\n" in done.files["_from_torch/training/runtime.py"]
    assert not any("sporax" in text for text in done.files.values())
    done.write(tmp_path / "program.py")
    assert (tmp_path / "program.py").read_text() == done.text
    assert (tmp_path / "_from_torch" / "training" / "runtime.py").read_text() == done.files[
        "_from_torch/training/runtime.py"
    ]
    assert convert("import torch\nx = torch.ones(2)\n").files == {}


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parents[1].glob("programs/sources/*.py")), ids=lambda path: path.stem
)
def test_a_script_does_not_grow(path: Path) -> None:
    """Helpers lie beside it, also of a script that is converted alone."""
    text = path.read_text()
    assert convert(text).text.count("\n") <= 1.3 * text.count("\n")


@pytest.mark.parametrize("target", ["mint", "classic"])
@pytest.mark.parametrize("module", sorted({*homes().values()}))
def test_each_helper_module_is_importable_with_the_modules_that_it_names(module, target):
    names = [name for name, home in homes().items() if home == module]
    text = "\n".join(import_lines(names))
    execute(Converted(text, helpers=names, files=files(names, target)), scope := {})
    assert {*names} <= scope.keys()
