"""Bytes by key, in a folder of the compile cache."""

from sporax._src.migrate.running.disk_cache import DiskCache


def test_what_is_put_is_got(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path))
    cache = DiskCache()
    assert cache.get("key") is None
    cache.put("key", b"value")
    assert DiskCache().get("key") == b"value"
    (file,) = (tmp_path / "converted").glob("key*")
    file.write_bytes(b"damage")
    assert cache.get("key") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path / "file"))
    cache = DiskCache()
    cache.put("key", b"value")
    assert cache.get("key") is None


def test_the_cache_may_be_off(monkeypatch) -> None:
    monkeypatch.setattr("sporax._src.base.config.cache_dir", lambda: None)
    cache = DiskCache()
    cache.put("key", b"value")
    assert cache.get("key") is None
