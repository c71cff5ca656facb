"""Checkpoint formats: what MindSpore wrote is read, what is written MindSpore reads, damage is named.

`goldens/checkpoint_formats` holds files written by MindSpore 2.7.0, files written here (`sporax_*`), and what
MindSpore read from those (`read_by_mindspore.json`), recorded by `tools/goldens/checkpoint_formats.py`.
"""

import io
import json
import os
import pickle
import resource
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from format_files import GOLDENS, same
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import sporax as ms
from sporax import nn, save_checkpoint
from sporax._src.base import atomic
from sporax._src.checkpoint.formats import FORMATS, mindspore_ckpt, safetensors_file

CKPT_TYPES = [np.dtype(d) for d in mindspore_ckpt._DTYPES.values()]
SAFE_TYPES = [d for d in CKPT_TYPES if d != np.complex128]


def expected_types() -> dict[str, np.ndarray]:
    with np.load(GOLDENS / "types.npz") as data:
        arrays = {name: data[name] for name in data.files}
    arrays["bfloat16"] = arrays["bfloat16"].astype(ml_dtypes.bfloat16)
    return arrays


def ours() -> dict[str, dict[str, object]]:
    """Return what each golden file `sporax_*` holds."""
    order = mindspore_ckpt.read(GOLDENS / "types.ckpt")
    types = {name: expected_types()[name] for name in order}
    empty = {"empty": np.zeros((0, 3), np.float32), "empty1": np.zeros(0, np.int64)}
    no_bfloat16 = {name: array for name, array in types.items() if name != "bfloat16"}
    return {
        "sporax_types.ckpt": types | empty,
        "sporax_types.safetensors": types | empty,
        "sporax_crc.ckpt": types,
        "sporax_crc.safetensors": no_bfloat16,
        "sporax_text.ckpt": {"note": "héllo", "blank": "", "lr": np.float32(0.1), "flag": True},
        "sporax_split.ckpt": {"a": np.arange(600, dtype=np.float32), "b": np.int32(7)},
    }


@pytest.mark.parametrize("name", ["types.ckpt", "crc.ckpt", "types.safetensors", "crc.safetensors"])
def test_reads_mindspore_files(name):
    read = FORMATS[Path(name).suffix[1:]].read(GOLDENS / name, crc_check="crc" in name)
    expected = expected_types()
    assert set(read) == set(expected) - ({"bfloat16"} if name == "crc.safetensors" else set())
    assert [n for n in read if not same(read[n], expected[n])] == []


@pytest.mark.parametrize("name", sorted(ours()))
def test_what_mindspore_read_is_what_was_written(name, tmp_path, monkeypatch):
    monkeypatch.setattr(mindspore_ckpt, "SLICE_BYTES", 1024)
    module = FORMATS[Path(name).suffix[1:]]
    module.write(tmp_path / name, ours()[name], crc_check="crc" in name)
    if module is mindspore_ckpt:
        assert (tmp_path / name).read_bytes() == (GOLDENS / name).read_bytes()
    recorded = json.loads((GOLDENS / "read_by_mindspore.json").read_text())[name]
    for path in (tmp_path / name, GOLDENS / name):
        read = module.read(path)
        assert set(read) == set(recorded)
        for key in set(read) - {"empty1"}:  # MindSpore takes shape (0,) of a .ckpt for a 0-d parameter
            values = recorded[key] if isinstance(recorded[key], str) else recorded[key][2]
            assert np.array_equal(read[key].tolist(), values), key


@given(data=st.data(), crc=st.booleans())
@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_round_trip(kind, data, crc, tmp_path_factory):
    types = CKPT_TYPES if kind == "ckpt" else SAFE_TYPES
    shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3)
    names = st.text(min_size=1, max_size=8).filter(lambda n: n.isprintable() and n != "__metadata__")
    array = st.sampled_from(types).flatmap(
        lambda d: shapes.flatmap(
            lambda s: hnp.arrays(np.uint8, int(np.prod(s)) * d.itemsize).map(
                lambda raw: (raw % 2 if d == np.bool_ else raw).view(d).reshape(s)
            )
        )
    )
    arrays = data.draw(st.dictionaries(names, array, min_size=1, max_size=4))
    path = tmp_path_factory.mktemp("rt") / f"x.{kind}"
    FORMATS[kind].write(path, arrays, crc_check=crc)
    read = FORMATS[kind].read(path, crc_check=crc)
    assert set(read) == set(arrays)
    assert [n for n in arrays if not same(read[n], arrays[n])] == []
    assert all(a.flags.writeable for a in read.values())


@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_views_and_orders(kind, tmp_path):
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    arrays = {"t": base.T, "strided": base[::2, 1::2], "fortran": np.asfortranarray(base), "readonly": base[0]}
    FORMATS[kind].write(tmp_path / "v", arrays)
    read = FORMATS[kind].read(tmp_path / "v")
    assert all(np.array_equal(read[n], arrays[n]) for n in arrays)


DAMAGE = {
    b"": "0 bytes.*empty",
    b"\x80\x03K\x01.": "expected a parameter record at byte 0",
    b"\n": "expected the length of a record at byte 1",
    b"\n\x05abc": "announces 5 bytes, and 3 are left",
    b"\n\x02\x08\x01": "does not hold a named tensor",
    b"\n\x05\n\x03abc": "does not hold a named tensor",
    b"\n\x0c\n\x01m\x1a\x07\n\x05\x12\x01f\x1a\x00": "MapParameter",
    b"\n\x0f\n\x01q\x12\n\x08\x01\x12\x04Int4\x1a\x00": "type 'Int4'; expected one of Bool",
    b"\n\x12\n\x01q\x12\r\x08\x02\x12\x05Int32\x1a\x02ab": r"int32\[2\], 8 bytes; the file has 2",
    b"\n\x10\n\x01q\x12\x0b\x08\x00\x12\x03str\x1a\x02ab": "not UTF-32",
}


@pytest.mark.parametrize("content", DAMAGE, ids=range(len(DAMAGE)))
def test_damage_is_named(content, tmp_path):
    path = tmp_path / "bad.ckpt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=DAMAGE[content]) as error:
        mindspore_ckpt.read(path)
    assert str(path) in str(error.value)
    assert f"({len(content)} bytes)" in str(error.value)


def test_missing_file(tmp_path):
    for module in FORMATS.values():
        with pytest.raises(FileNotFoundError):
            module.read(tmp_path / "none")


@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_wrong_types_leave_no_file(kind, tmp_path):
    for wrong in (np.array([object()]), np.array(["a", "b"]), np.zeros(2, "datetime64[s]")):
        with pytest.raises(TypeError, match="'w'"):
            FORMATS[kind].write(tmp_path / "x", {"ok": np.zeros(2), "w": wrong})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_checksum(kind, tmp_path):
    path = tmp_path / "c"
    FORMATS[kind].write(path, {"w": np.zeros(64, np.uint8)}, crc_check=True)
    content = bytearray(path.read_bytes())
    content[-20 if kind == "ckpt" else -1] ^= 1
    path.write_bytes(content)
    FORMATS[kind].read(path)
    with pytest.raises(ValueError, match="checksum"):
        FORMATS[kind].read(path, crc_check=True)
    FORMATS[kind].write(path, {"w": np.zeros(64, np.uint8)})
    with pytest.warns(UserWarning, match="no checksum"):
        FORMATS[kind].read(path, crc_check=True)


def read_or_value_error(module, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        arrays = module.read(path, crc_check=False)
    except ValueError as error:
        assert str(path) in str(error) and f"({len(content)} bytes)" in str(error), error
    else:
        assert all(isinstance(a, np.ndarray) for a in arrays.values())
        assert all(a.nbytes < 2**20 for a in arrays.values())


@pytest.mark.parametrize("name", ["types.ckpt", "text.ckpt", "crc.ckpt", "types.safetensors"])
def test_truncation_at_every_byte(name, tmp_path):
    module = FORMATS[Path(name).suffix[1:]]
    content = (GOLDENS / name).read_bytes()
    for length in range(len(content)):
        read_or_value_error(module, tmp_path / "t", content[:length])


@pytest.mark.filterwarnings("ignore:.* has something other than a Parameter at byte")  # it may look like a later field
@pytest.mark.parametrize("name", ["types.ckpt", "text.ckpt", "split.ckpt", "types.safetensors"])
def test_flipped_bytes(name, tmp_path):
    module = FORMATS[Path(name).suffix[1:]]
    content = (GOLDENS / name).read_bytes()
    rng = np.random.default_rng(0)
    for position in range(min(len(content), 1000)):
        for mask in (0x80, int(rng.integers(1, 256))):
            damaged = bytearray(content)
            damaged[position] ^= mask
            read_or_value_error(module, tmp_path / "f", bytes(damaged))


@pytest.mark.filterwarnings("ignore:.* has something other than a Parameter at byte")  # it may look like a later field
@given(content=st.binary(max_size=200))
def test_any_bytes(content, tmp_path_factory):
    folder = tmp_path_factory.mktemp("any")
    read_or_value_error(mindspore_ckpt, folder / "a", b"\n" + content)
    read_or_value_error(safetensors_file, folder / "b", len(content).to_bytes(8, "little") + content)


class Planted:
    def __reduce__(self):
        return os.mkdir, ("planted",)


def test_nothing_is_unpickled(tmp_path, monkeypatch):
    """Whatever the file is called and whoever reads it."""
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(Planted())
    objects = io.BytesIO()
    np.save(objects, np.array([Planted()], dtype=object), allow_pickle=True)
    for content in (pickled, objects.getvalue(), b"\n" + pickled, len(pickled).to_bytes(8, "little") + pickled):
        for name, load in (
            ("a.ckpt", ms.load_checkpoint),
            ("a.safetensors", lambda name: ms.load_checkpoint(name, format="safetensors")),
            ("a.mindir", ms.load),
            ("a.tfrecord", ms.dataset.TFRecordDataset),
            ("a.mindrecord", ms.mindrecord.FileReader),
        ):
            Path(name).write_bytes(content)
            with pytest.raises((ValueError, RuntimeError), match=r"a\."):
                load(name)
    assert not Path("planted").exists()


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_no_file_is_not_read(kind, tmp_path):
    """A pipe would be waited for, and a device read without end."""
    os.mkfifo(tmp_path / f"pipe.{kind}")
    (tmp_path / f"zero.{kind}").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(ValueError, match="does not exist"):
            ms.load_checkpoint(str(tmp_path / f"{name}.{kind}"), format=kind)


def test_failure_keeps_the_old_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def half() -> None:
        with atomic.replacing(path) as temporary:
            temporary.write_bytes(b"ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_replaces_read_only_files_and_follows_links(tmp_path):
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o400)
    link.symlink_to(path)
    with atomic.replacing(link) as temporary:
        temporary.write_bytes(b"new")
        temporary.chmod(0o600)
    assert path.read_bytes() == b"new"
    assert link.is_symlink()
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError), atomic.replacing(tmp_path / "no" / "a"):
        pass


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_full_disk_is_an_error_of_the_system_and_leaves_the_old_file(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"net.{format}"
    small, large = nn.Dense(2, 2), nn.Dense(200, 200)
    save_checkpoint(small, str(path), format=format)
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            save_checkpoint(large, str(path), format=format)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_name_that_comes_twice_is_told(tmp_path: Path) -> None:
    """As in two files one after the other; the last counts, as in MindSpore."""
    path = tmp_path / "w.ckpt"
    parts = []
    for value in (1.0, 2.0):
        ms.save_checkpoint({"w\x1b": ms.Tensor(np.full(3, value, np.float32)), f"b{value}": ms.Tensor(1.0)}, str(path))
        parts.append(path.read_bytes())
    path.write_bytes(b"".join(parts))
    with pytest.warns(
        UserWarning, match=r"w\.ckpt holds the Parameter 'w\\x1b' more than once; the last is taken"
    ) as told:
        found = ms.load_checkpoint(str(path))
    assert len(told) == 1 and found["w\x1b"].asnumpy().tolist() == [2.0] * 3 and len(found) == 3
