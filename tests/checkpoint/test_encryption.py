"""Encrypted checkpoints: MindSpore's are read, MindSpore has read ours, another key or damage is an error."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax._src.base import encryption
from sporax._src.checkpoint.formats import mindspore_ckpt

GOLDENS = Path(__file__).parents[1] / "goldens" / "checkpoint_formats"
KEY = b"0123456789abcdef"
MODES = ("AES-GCM", "AES-CBC", "SM4-CBC")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("writer", ["", "sporax_"])
def test_files_of_both(mode: str, writer: str) -> None:
    found = ms.load_checkpoint(str(GOLDENS / f"{writer}encrypted_{mode}.ckpt"), dec_key=KEY, dec_mode=mode)
    plain = mindspore_ckpt.read(GOLDENS / "types.ckpt")
    assert {name: param.asnumpy().tobytes() for name, param in found.items()} == {
        n: a.tobytes() for n, a in plain.items()
    }
    told = json.loads((GOLDENS / "read_by_mindspore.json").read_text())
    assert told[f"sporax_encrypted_{mode}.ckpt"] == {name: told["sporax_types.ckpt"][name] for name in plain}


@pytest.mark.parametrize("mode", MODES)
def test_round_trip_in_pieces(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "PIECE_BYTES", 1000)
    key = KEY if mode == "SM4-CBC" else KEY * 2
    values = {"w": ms.Tensor(np.arange(2000, dtype=np.float32)), "note": "text"}
    path, options = str(tmp_path / "a.ckpt"), {"dec_key": key, "dec_mode": mode}
    ms.save_checkpoint(values, path, enc_key=key, enc_mode=mode, crc_check=True)
    raw = Path(path).read_bytes()
    assert raw.count(encryption.MODES[mode]) == 9 and b"Float32" not in raw
    found = ms.load_checkpoint(path, crc_check=True, **options)
    assert found["note"] == "text" and np.array_equal(found["w"].asnumpy(), np.arange(2000))
    assert np.array_equal(ms.load_checkpoint_async(path, **options).result()["w"].asnumpy(), np.arange(2000))
    parts: Any = ms.load_distributed_checkpoint(None, [path], **options)
    assert set(parts) == {"w", "note"}


def test_while_training(tmp_path: Path) -> None:
    net = ms.nn.Dense(2, 1)
    config = ms.train.CheckpointConfig(enc_key=KEY, enc_mode="AES-CBC")
    saver = ms.train.ModelCheckpoint("net", str(tmp_path), config)
    x = ms.dataset.NumpySlicesDataset((np.ones((2, 2), np.float32), np.ones((2, 1), np.float32))).batch(2)
    ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params())).train(1, x, callbacks=[saver])
    found = ms.load_checkpoint(str(tmp_path / "net-1_1.ckpt"), dec_key=KEY, dec_mode="AES-CBC")
    assert np.array_equal(found["weight"].asnumpy(), net.weight.asnumpy())


def test_other_keys_and_modes() -> None:
    for mode in MODES:
        path = str(GOLDENS / f"encrypted_{mode}.ckpt")
        with pytest.raises(ValueError, match=rf"it is encrypted \({mode}\): give dec_key and dec_mode"):
            ms.load_checkpoint(path)
        with pytest.raises(ValueError, match="the key is another, or the encrypted bytes are damaged"):
            ms.load_checkpoint(path, dec_key=KEY[::-1], dec_mode=mode)
        other = MODES[MODES.index(mode) - 1]
        with pytest.raises(ValueError, match=f"expected a piece encrypted in {other} at byte 0, found {mode}"):
            ms.load_checkpoint(path, dec_key=KEY, dec_mode=other)
    with pytest.raises(ValueError, match="expected a piece encrypted in AES-GCM at byte 0, found none"):
        ms.load_checkpoint(str(GOLDENS / "types.ckpt"), dec_key=KEY)


@pytest.mark.parametrize(
    ("key", "mode", "match"),
    [
        (b"short", "AES-GCM", "a key of AES-GCM is 16 or 24 or 32 bytes, got 5 bytes"),
        (KEY * 2, "SM4-CBC", "a key of SM4-CBC is 16 bytes, got 32 bytes"),
        ("0123456789abcdef", "AES-CBC", "a key of AES-CBC is 16 or 24 or 32 bytes, got str"),
        (KEY, "XOR", "the mode of encryption must be one of AES-GCM, AES-CBC, SM4-CBC, got 'XOR'"),
        (KEY, 3, "the mode of encryption must be one of AES-GCM, AES-CBC, SM4-CBC, got 3"),
    ],
)
def test_bad_keys(key: Any, mode: Any, match: str, tmp_path: Path) -> None:
    path = str(tmp_path / "a.ckpt")
    with pytest.raises(ValueError, match=f"save_checkpoint: {match}"):
        ms.save_checkpoint({"w": ms.Tensor([1.0])}, path, enc_key=key, enc_mode=mode)
    with pytest.raises(ValueError, match=f"load_checkpoint: {match}"):
        ms.load_checkpoint(str(GOLDENS / "types.ckpt"), dec_key=key, dec_mode=mode)
    with pytest.raises(ValueError, match=f"CheckpointConfig: {match}"):
        ms.train.CheckpointConfig(enc_key=key, enc_mode=mode)
    assert list(tmp_path.iterdir()) == []


def test_safetensors_are_not_encrypted(tmp_path: Path) -> None:
    text = "only files of the format 'ckpt' are encrypted, got 'safetensors'"
    with pytest.raises(ValueError, match=f"save_checkpoint: {text}"):
        ms.save_checkpoint({"w": ms.Tensor([1.0])}, str(tmp_path / "a"), enc_key=KEY, format="safetensors")
    with pytest.raises(ValueError, match=f"CheckpointConfig: {text}"):
        ms.train.CheckpointConfig(enc_key=KEY, format="safetensors")


def test_cut_at_every_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint({"w": ms.Tensor([1.0])}, str(path), enc_key=KEY)
    raw = path.read_bytes()
    for size in range(len(raw)):
        path.write_bytes(raw[:size])
        with pytest.raises(ValueError, match=r"a\.ckpt \(\d+ bytes\) is not a readable MindSpore checkpoint"):
            ms.load_checkpoint(str(path), dec_key=KEY)
    for place in range(4, len(raw)):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 8]) + raw[place + 1 :])
        if not 40 <= place < 44:  # bytes of the vector that are not used
            with pytest.raises(ValueError, match="damaged"):
                ms.load_checkpoint(str(path), dec_key=KEY)


def test_without_the_package(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['cryptography'] = None\nimport sporax as ms\n"
        "try: ms.save_checkpoint({'w': ms.Tensor([1.0])}, sys.argv[1], enc_key=b'0' * 16)\n"
        "except RuntimeError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.ckpt")], capture_output=True, text=True, timeout=120
    )
    assert "encrypted files need the package cryptography (pip install 'sporax[encryption]')" in done.stdout
    assert list(tmp_path.iterdir()) == []
