"""The checkpoint files of a training: found by name, deleted by age."""

import os
from pathlib import Path

import pytest

from sporax._src.train.callbacks.checkpoint_manager import CheckpointManager


@pytest.fixture
def manager(tmp_path: Path) -> CheckpointManager:
    for age, name in enumerate(("net-3_1", "net-2_1", "net-1_1")):
        (tmp_path / f"{name}.ckpt").write_bytes(b"")
        os.utime(tmp_path / f"{name}.ckpt", (1000 - 60 * age, 1000 - 60 * age))
    for other in ("net-best.ckpt", "net-1_1.txt", "other-1_1.ckpt"):
        (tmp_path / other).write_bytes(b"")
    made = CheckpointManager()
    made.update_ckpoint_filelist(str(tmp_path), "net")
    return made


def names(manager: CheckpointManager) -> list[str]:
    return sorted(os.path.basename(path) for path in manager.ckpoint_filelist)


def test_the_files_of_a_prefix(manager: CheckpointManager) -> None:
    assert names(manager) == ["net-1_1.ckpt", "net-2_1.ckpt", "net-3_1.ckpt"] and manager.ckpoint_num == 3


def test_the_oldest_is_deleted(manager: CheckpointManager, tmp_path: Path) -> None:
    manager.remove_oldest_ckpoint_file()
    assert names(manager) == ["net-2_1.ckpt", "net-3_1.ckpt"] and not (tmp_path / "net-1_1.ckpt").exists()


def test_one_of_the_last_minutes_is_kept(manager: CheckpointManager) -> None:
    manager.keep_one_ckpoint_per_minutes(1.5, 1000.0)
    assert names(manager) == ["net-1_1.ckpt", "net-2_1.ckpt"]


def test_what_is_none_of_them(manager: CheckpointManager, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none"):
        manager.remove_ckpoint_file(str(tmp_path / "none"))
    with pytest.raises(ValueError, match="not in list"):
        manager.remove_ckpoint_file(str(tmp_path / "net-best.ckpt"))
