"""Nothing is unpickled that nobody asked for: a pickle may name any function to be called.

One law reads the code: what could unpickle has its reason here. Another one plants pickles: each reader of files is given one.
"""

import ast
import io
import pickle
import types
from pathlib import Path

import numpy as np
import pytest
from converted_programs import execute
from house import ROOT
from stranger import pickled

import sporax as ms
from sporax._src.data.converters.cifar import Cifar10, Cifar100
from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.weights import torch_files

MODULES = {"cloudpickle", "dill", "joblib", "jsonpickle", "marshal", "shelve"}
REASONS = {
    ("sporax/_src/base/pickles.py", "_ArraysOnly"): "finds arrays and their dtypes only",
    ("sporax/_src/data/workers/blocks.py", "receive"): "messages between a program and its own workers",
    ("sporax/_src/data/workers/fork_server.py", ""): "loads the package for the workers that it forks",
    ("sporax/_src/data/workers/pickles.py", "_dumps"): "the program's own function, on its way to a worker",
    ("sporax/_src/data/workers/pickles.py", "error_again"): "an exception of the program's own worker",
    ("sporax/_src/data/workers/pickles.py", "opened"): "the program's own function, in a worker",
    (
        "sporax/_src/migrate/helpers/training/pickles.py",
        "_PlainUnpickler",
    ): "finds plain values, arrays and their dtypes only",
    (
        "sporax/_src/migrate/helpers/training/torch_pickles.py",
        "_TorchUnpickler",
    ): "finds tensors of torch too, and others only if the program asks for it by weights_only=False",
    ("sporax/_src/migrate/running/compilation.py", ""): "the cache of code is the user's own, as those of Python are",
    ("sporax/_src/dist/messages.py", "take_object"): "the message is signed with the secret of the run",
    ("sporax/_src/migrate/helpers/training/storage.py", "_load_array"): "the program asks for it by weights_only=False",
}


def _unpickles(node: ast.AST) -> bool:
    """Tell whether a piece of code could read a pickle."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
        return bool(MODULES & {name.partition(".")[0] for name in names}) or (names[0] == "pickle" and len(names) > 1)
    if isinstance(node, ast.ClassDef):
        return any(ast.unparse(base).endswith("Unpickler") for base in node.bases)
    if not isinstance(node, ast.Call):
        return False
    called, given = ast.unparse(node.func), {k.arg: ast.unparse(k.value) for k in node.keywords}
    return (
        called in ("pickle.load", "pickle.loads", "pickle.Unpickler", "pd.read_pickle")
        or (called == "torch.load" and given.get("weights_only") != "True")
        or given.get("allow_pickle", "False") != "False"
    )


def _places(tree: ast.AST, inside: str = "") -> set[str]:
    """Return the innermost functions and classes that have code which could read a pickle."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        name = node.name if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else inside
        if _unpickles(node):
            found.add(name)
        found |= _places(node, name)
    return found


def test_what_could_unpickle_has_a_reason():
    files = [file for folder in ("sporax", "tools") for file in sorted((ROOT / folder).rglob("*.py"))]
    found = {
        (str(file.relative_to(ROOT)), place) for file in files for place in _places(ast.parse(file.read_text("utf-8")))
    }
    assert found == REASONS.keys()


@pytest.mark.parametrize(
    "code",
    [
        "pickle.load(f)", "pickle.loads(f)", "class A(pickle.Unpickler): pass", "from pickle import loads", "import dill",
        "import joblib.externals", "from shelve import open", "torch.load(f)", "torch.load(f, weights_only=False)",
        "np.load(f, allow_pickle=True)", "np.load(f, allow_pickle=x)",
    ],
)  # fmt: skip
def test_the_law_sees_what_could_unpickle(code: str):
    assert _places(ast.parse(code))


# --- planted ---------------------------------------------------------------------------------------------------------

HEAD = "import torch\nfrom torchvision import datasets\n"


def _converted(text: str, **names: object) -> None:
    """Run a program for PyTorch that was converted."""
    done = convert(HEAD + text)
    assert not done.todo, done.todo
    module = types.ModuleType("converted")
    vars(module).update(names)
    execute(done, vars(module))


def _cifar(folder: Path, content: bytes, *names: str) -> None:
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(content)


def _array_of(content: bytes) -> bytes:
    """Return the file of an array of objects whose pickle is another one."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "|O", "fortran_order": False, "shape": (1,)})
    return file.getvalue() + content


def _cifar10(folder: Path, content: bytes) -> None:
    _cifar(folder / "c", content, "data_batch_1", "test_batch")
    Cifar10(str(folder / "c")).load_data()


def _cifar100(folder: Path, content: bytes) -> None:
    _cifar(folder / "c", content, "train", "test")
    Cifar100(str(folder / "c")).load_data()


def _converted_cifar10(folder: Path, content: bytes) -> None:
    names = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch", "batches.meta"]
    _cifar(folder / "cifar-10-batches-py", content, *names)
    _converted("datasets.CIFAR10(root)", root=str(folder))


def _converted_load(folder: Path, content: bytes) -> None:
    (folder / "x.pt").write_bytes(_array_of(content))
    _converted("torch.load(file)", file=str(folder / "x.pt"))


def _converted_load_of_a_pickle(folder: Path, content: bytes) -> None:
    (folder / "x.pt").write_bytes(content)
    _converted("torch.load(file)", file=str(folder / "x.pt"))


def _checkpoint(folder: Path, content: bytes) -> None:
    (folder / "x.ckpt").write_bytes(content)
    ms.load_checkpoint(str(folder / "x.ckpt"))


def _safetensors(folder: Path, content: bytes) -> None:
    (folder / "x.safetensors").write_bytes(content)
    ms.load_checkpoint(str(folder / "x.safetensors"), format="safetensors")


def _mindir(folder: Path, content: bytes) -> None:
    (folder / "x.mindir").write_bytes(content)
    ms.load(str(folder / "x.mindir"))


def _mindrecord(folder: Path, content: bytes) -> None:
    (folder / "x.mindrecord").write_bytes(content)
    (folder / "x.mindrecord.db").write_bytes(content)
    list(ms.dataset.MindDataset(str(folder / "x.mindrecord")))


def _torch_weights(folder: Path, content: bytes) -> None:
    pytest.importorskip("torch")
    (folder / "x.pt").write_bytes(content)
    torch_files.read(folder / "x.pt")


READERS = {
    _cifar10: (RuntimeError, "Cifar10: .*data_batch_1 is not a file of the data set: it names posix.system"),
    _cifar100: (RuntimeError, "Cifar100: .*train is not a file of the data set: it names posix.system"),
    _converted_cifar10: (RuntimeError, "data_batch_1 is not a file of the data set: it names posix.system, .* download the data"),
    _converted_load: (
        pickle.UnpicklingError,
        r"torch.load: .*x\.pt has more than plain values and Tensors "
        r"\(it names posix\.system, .*weights_only=False reads it",
    ),
    _converted_load_of_a_pickle: (
        pickle.UnpicklingError, r"x\.pt was not written by the converted torch\.save, nor by torch, or is damaged"
    ),
    _checkpoint: (ValueError, r"x\.ckpt .* is not a readable MindSpore checkpoint"),
    _safetensors: (ValueError, r"x\.safetensors .* is not a readable safetensors file"),
    _mindir: (ValueError, r"x\.mindir .* is no graph that sporax\.export wrote"),
    _mindrecord: (RuntimeError, r"x\.mindrecord is not a MindRecord file"),
    _torch_weights: (ValueError, r"x\.pt: it is no file that torch.save wrote, or it is damaged"),
}  # fmt: skip


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
def test_no_reader_of_files_runs_a_planted_pickle(tmp_path: Path, reader):
    kind, told = READERS[reader]
    with pytest.raises(kind, match=told):
        reader(tmp_path, pickled(tmp_path / "planted"))
    assert not (tmp_path / "planted").exists()


def test_weights_only_false_asks_for_any_object(tmp_path: Path):
    (tmp_path / "x.pt").write_bytes(_array_of(pickled(tmp_path / "planted")))
    with pytest.raises(pickle.UnpicklingError, match="not subscriptable"):  # the object is a number, not a box of one
        _converted("torch.load(file, weights_only=False)", file=str(tmp_path / "x.pt"))
    assert (tmp_path / "planted").exists()


def test_plain_values_and_tensors_are_loaded():
    found: list = []
    _converted(
        "import io\nfrom collections import OrderedDict\nfile = io.BytesIO()\n"
        "torch.save({'t': torch.ones(2), 'o': OrderedDict(a=[1, (2, None)]), 's': {1}, 'c': 1j, 'n': n}, file)\n"
        "_ = file.seek(0)\nfound.append(torch.load(file, map_location='cpu'))",
        found=found, n=np.float32(3),
    )  # fmt: skip
    assert found[0]["t"].asnumpy().tolist() == [1, 1] and found[0]["o"]["a"] == [1, (2, None)]
    assert (found[0]["s"], found[0]["c"], found[0]["n"]) == ({1}, 1j, 3)
