"""Encrypted files: pieces behind heads of their own."""

import io

import pytest

from sporax._src.base import encryption

KEY = b"0123456789abcdef"


@pytest.mark.parametrize("mode", encryption.MODES)
def test_what_is_encrypted_is_decrypted(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "PIECE_BYTES", 10)
    file, content = io.BytesIO(), bytes(range(25))
    with encryption.Encrypting(file, KEY, mode) as writer:
        writer.write(content[:7])
        writer.write(content[7:])
    size = len(file.getvalue())
    assert encryption.mode_of(file.getvalue()) == mode and content[:8] not in file.getvalue()
    assert list(encryption.decrypted(file, size, KEY, mode)) == [content[:10], content[10:20], content[20:]]


def test_damage_and_other_modes_are_told() -> None:
    file = io.BytesIO(encryption.encrypted(b"content", KEY, "AES-GCM"))
    size = len(file.getvalue())
    with pytest.raises(ValueError, match="expected a piece encrypted in AES-CBC at byte 0, found AES-GCM"):
        list(encryption.decrypted(file, size, KEY, "AES-CBC"))
    with pytest.raises(ValueError, match="the key is another, or the encrypted bytes are damaged"):
        list(encryption.decrypted(file, size, KEY[::-1], "AES-GCM"))
    with pytest.raises(ValueError, match="is cut short or damaged"):
        list(encryption.decrypted(io.BytesIO(file.getvalue()[:-1]), size - 1, KEY, "AES-GCM"))
    assert encryption.mode_of(b"none") is None


@pytest.mark.parametrize(
    ("key", "mode", "said"),
    [
        (KEY, "AES", "f: the mode of encryption must be one of AES-GCM, AES-CBC, SM4-CBC, got 'AES'"),
        (KEY[:3], "AES-GCM", "f: a key of AES-GCM is 16 or 24 or 32 bytes, got 3 bytes"),
        ("0" * 16, "SM4-CBC", "f: a key of SM4-CBC is 16 bytes, got str"),
    ],
)
def test_keys_that_do_not_fit(key, mode: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        encryption.check("f", key, mode)
