"""Settings of parameter servers and of offloading are kept, and answered."""

from collections.abc import Iterator

import pytest

from sporax._src.base.settings import parameter_server as settings


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(settings, "_offload", dict(settings._offload))
    yield
    settings.reset_ps_context()


def test_settings_of_servers_are_kept_and_reset() -> None:
    settings.set_ps_context(enable_ps=True, worker_num=3)
    assert settings.get_ps_context("enable_ps") is True and settings.get_ps_context("worker_num") == 3
    settings.reset_ps_context()
    assert settings.get_ps_context("worker_num") == 0


def test_sizes_of_offloading_are_bytes() -> None:
    settings.set_offload_context({"offload_param": "CPU", "offload_cpu_size": "1.5GB", "cpu_ratio": 1})
    found = settings.get_offload_context()
    assert (found["offload_param"], found["offload_cpu_size"], found["cpu_ratio"]) == ("cpu", 3 * 2**29, 1)
    assert found["offload_disk_size"] > 0


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: settings.set_ps_context(servers=1), ValueError, "set_ps_context: unknown option 'servers'; known are"),
        (lambda: settings.set_ps_context(enable_ps=1), TypeError, "enable_ps must be of type bool, got 1"),
        (lambda: settings.get_ps_context("x"), ValueError, "get_ps_context: unknown option 'x'"),
        (lambda: settings.set_offload_context(1), TypeError, "offload_config must be a dict, got 1"),
        (
            lambda: settings.set_offload_context({"offload_param": "gpu"}),
            ValueError,
            "must be one of cpu, disk, got 'gpu'",
        ),
        (lambda: settings.set_offload_context({"aio_block_size": "1MB"}), ValueError, "an int or a size like '1.5GB'"),
        (lambda: settings.check_role("init", "MS_SERVER", 0), ValueError, "init: role must be 'MS_WORKER'"),
        (lambda: settings.check_role("init", "MS_WORKER", "0"), TypeError, "rank_id must be an int, got '0'"),
    ],
)
def test_what_is_refused(call, kind: type, said: str) -> None:
    with pytest.raises(kind, match=said):
        call()
