"""Graph files that others have made: damaged, forged, swollen."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import ml_dtypes
import numpy as np
import pytest
from jax import export as jax_export

import sporax as ms
from sporax import Tensor, nn
from sporax._src.checkpoint.formats import graph_file

PYTHON_CALL = "xla_ffi_python_cpu_callback"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    net = nn.Dense(4, 3)
    ms.export(net, Tensor(np.ones((2, 4), np.float32)), file_name=str(tmp_path / "net"), file_format="MINDIR")
    return tmp_path / "net.mindir"


def rewrite(path: Path, change: Callable[[dict[str, bytes]], Any], **options: Any) -> str:
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w", **options) as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return str(path)


def described(**changes: Any) -> Callable[[dict[str, bytes]], None]:
    def change(entries: dict[str, bytes]) -> None:
        entries["about.json"] = json.dumps({**json.loads(entries["about.json"]), **changes}).encode()

    return change


def with_code(code: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(entries: dict[str, bytes]) -> None:
        entries["graph"] = code
        described(sha256=hashlib.sha256(code).hexdigest())(entries)

    return change


def calling_python(order: int) -> bytes:
    """Return code that calls an address of this process, in the graph itself or in its gradient alone."""

    def shaped(*shape: int) -> Any:
        return jax.ShapeDtypeStruct(shape, np.float32)

    def call(x: Any) -> Any:
        return jax.ffi.ffi_call(PYTHON_CALL, shaped(2, 3))(x, index=np.uint64(0x41414141))

    @jax.custom_vjp
    def innocent(b: Any, w: Any, x: Any) -> Any:
        return x @ w.T + b

    innocent.defvjp(
        lambda b, w, x: (innocent(b, w, x), (b, w, x)),
        lambda kept, g: (call(g).sum(0), kept[1], kept[2]),
    )
    fn = innocent if order else lambda b, w, x: jax.lax.cond(b[0] > 0, lambda: call(x @ w.T), lambda: x @ w.T)
    allowed = [jax_export.DisabledSafetyCheck.custom_call(PYTHON_CALL)]
    exported = jax_export.export(jax.jit(fn), platforms=["cpu"], disabled_checks=allowed)
    return bytes(exported(shaped(3), shaped(3, 4), shaped(2, 4)).serialize(vjp_order=order))


@pytest.mark.parametrize("order", [0, 1])
def test_code_that_calls_an_address_is_refused(path: Path, order: int) -> None:
    with pytest.raises(ValueError, match=f"its code calls '{PYTHON_CALL}', which is not among the functions"):
        ms.load(rewrite(path, with_code(calling_python(order))))


def test_functions_of_linear_algebra_are_known(tmp_path: Path) -> None:
    x = Tensor(np.eye(3, dtype=np.float32) * 2)
    calls = (ms.ops.cholesky, ms.ops.inverse, lambda x: ms.ops.svd(x)[0], lambda x: ms.ops.qr(x)[1], ms.ops.topk)
    for fn in calls:
        args = (x, 2) if fn is ms.ops.topk else (x,)
        ms.export(fn, *args, file_name=str(tmp_path / "f"), file_format="MINDIR")
        want = ms.ops.stack(list(fn(*args))[:1])
        got = ms.ops.stack(list(nn.GraphCell(ms.load(str(tmp_path / "f.mindir")))(x))[:1])
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-5)


def _set(name: str, content: bytes) -> Callable[[dict[str, bytes]], None]:
    return lambda entries: entries.update({name: content})


ARRAYS = [{"dtype": "float32", "shape": [3, 4]}, {"dtype": "float32", "shape": [3]}]
DAMAGE = {
    "code": (_set("graph", b"\0" * 100), "its code is not the one that was written"),
    "no code": (lambda entries: entries.pop("graph"), "KeyError"),
    "other code": (with_code(b"\1" * 100), "its code cannot be read"),
    "no JSON": (_set("about.json", b"{"), "JSONDecodeError"),
    "deep JSON": (_set("about.json", b"[" * 100_000), "its JSON is nested too deep"),
    "a list": (_set("about.json", b"[]"), "TypeError"),
    "older": (described(format="sporax graph 1"), "its format is not 'sporax graph 2'"),
    "short array": (_set("arrays/0", b"123"), "buffer size must be a multiple"),
    "other array": (described(arrays=ARRAYS[:1] * 2), "ValueError"),
    "objects": (described(arrays=[{"dtype": "O", "shape": [3]}]), "an array holds numbers"),
    "one array": (described(arrays=[]), "zip"),
    "input": (described(inputs=[["x", "float32", [3, 4]]]), "takes other arrays than its description says"),
    "no input": (described(inputs=3), "'int' object is not iterable"),
    "results": (described(results={"tuple": ["*", "*"]}), "gives other arrays"),
    "no results": (described(results={"tuple": []}), "gives other arrays than its description says"),
    "kind": (described(results={"set": []}), "'set'"),
    "written": (described(written=[7]), "index out of range"),
    "name": (described(states=[{"name": 3, "parameter": True, "requires_grad": True}] * 2), "name"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_told(path: Path, kind: str) -> None:
    change, match = DAMAGE[kind]
    with pytest.raises(ValueError, match=r"net\.mindir \(\d+ bytes\) is no graph that sporax.export wrote") as error:
        ms.load(rewrite(path, change))
    assert error.match(match)


def test_compressed_entries_are_not_unpacked(path: Path) -> None:
    """Three megabytes may hold three gigabytes."""
    name = rewrite(path, _set("arrays/0", bytes(10**7)), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match="its entries announce more than the file holds"):
        ms.load(name)


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "net.mindir"
    arrays = [np.arange(6, dtype=np.float32).reshape(2, 3), np.ones(2, ml_dtypes.bfloat16), np.int64(3)]
    graph_file.write(path, {"inputs": ["x"]}, b"graph", arrays)
    about, graph, found = graph_file.read(path)
    assert (about, graph) == ({"inputs": ["x"]}, b"graph")
    for one, other in zip(found, arrays, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def changed(path: Path, name: str, content: bytes, kind: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path) as file:
        entries = {entry: file.read(entry) for entry in file.namelist()}
    with zipfile.ZipFile(path, "w", kind) as file:
        for entry, raw in (entries | {name: content}).items():
            file.writestr(entry, raw)


@pytest.mark.parametrize(
    ("name", "content", "kind", "text"),
    [
        ("graph", b"other", zipfile.ZIP_STORED, "its code is not the one that was written"),
        ("about.json", json.dumps({"format": "x"}).encode(), zipfile.ZIP_STORED, "its format is not 'sporax graph 2'"),
        ("about.json", b"{", zipfile.ZIP_STORED, "JSON"),
        ("arrays/0", b"", zipfile.ZIP_STORED, "cannot reshape array of size 0"),
        ("graph", bytes(10**5), zipfile.ZIP_DEFLATED, "its entries announce more than the file holds"),
    ],
)
def test_what_is_no_graph(name: str, content: bytes, kind: int, text: str, tmp_path: Path) -> None:
    path = tmp_path / "net.mindir"
    graph_file.write(path, {}, b"graph", [np.ones(2, np.float32)])
    changed(path, name, content, kind)
    with pytest.raises(
        ValueError, match=r"net\.mindir \(\d+ bytes\) is no graph that sporax\.export wrote .*: .*" + text
    ):
        graph_file.read(path)


def test_what_is_no_zip(tmp_path: Path) -> None:
    path = tmp_path / "net.mindir"
    path.write_bytes(b"no zip")
    with pytest.raises(ValueError, match=r"\(6 bytes\) is no graph .*BadZipFile"):
        graph_file.read(path)
