"""What a process is prepared with: settings of JAX, lowerings, and a watch for forks."""

from sporax._src.startup import process


def test_every_lowering_of_a_platform_is_installed(monkeypatch) -> None:
    done, installed = [], {}
    monkeypatch.setattr(process, "watch_forks", lambda: done.append("forks"))
    monkeypatch.setattr(process, "configure_jax", lambda: done.append("jax"))
    monkeypatch.setattr(process, "install", lambda platform, found: installed.setdefault(platform, []).extend(found))
    process.prepare_process()
    assert done == ["forks", "jax"] and list(installed) == list(process.PLATFORMS)
    names = {str(lowering.primitive) for lowering in installed["cpu"]}
    assert {"argmax", "argmin", "conv_general_dilated"} <= names
