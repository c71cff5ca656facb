"""Videos: what MindSpore reads of them, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

import sporax.dataset as ds
from sporax.dataset import vision

GOLDENS = Path(__file__).parents[2] / "goldens"
KNOWN = json.loads((GOLDENS / "videos.json").read_text())
NAMES = [name for name in KNOWN if "/" not in name]


@pytest.fixture
def values():
    pytest.importorskip("av")
    return np.load(GOLDENS / "videos.npz")


def path(name: str) -> str:
    return str(GOLDENS / "videos" / name)


def check(frames: np.ndarray, sound: np.ndarray, values, key: str) -> None:
    """FFmpeg's builds round colours differently, by two levels at most."""
    assert frames.dtype == np.uint8 and frames.shape == values[f"{key}/frames"].shape
    np.testing.assert_allclose(frames.astype(int), values[f"{key}/frames"].astype(int), atol=2)
    assert sound.dtype == values[f"{key}/sound"].dtype and sound.shape == values[f"{key}/sound"].shape
    np.testing.assert_allclose(sound, values[f"{key}/sound"], atol=1e-6)


@pytest.mark.parametrize("key", [key for key in KNOWN if "/" in key])
def test_parts_are_mindspores(key: str, values) -> None:
    frames, sound, rates = vision.read_video(path(key.partition("/")[0]), *KNOWN[key]["args"])
    check(frames, sound, values, key)
    assert rates == KNOWN[key]["rates"]


@pytest.mark.parametrize("name", NAMES)
def test_the_rest_is_mindspores(name: str, values) -> None:
    raw = np.fromfile(path(name), np.uint8)
    check(*vision.DecodeVideo()(raw), values, f"{name}/decoded")
    data = ds.GeneratorDataset([raw], ["data"]).map(vision.DecodeVideo(), ["data"], ["video", "audio"])
    assert data.output_shapes()[0] == [6, 16, 32, 3]
    for unit, found in KNOWN[name]["times"].items():
        assert list(vision.read_video_timestamps(path(name), unit)) == found
    decoder = vision.VideoDecoder(path(name))
    assert decoder.metadata == KNOWN[name]["metadata"]
    whole = vision.read_video(path(name))[0]
    np.testing.assert_array_equal(decoder.get_frames_at([5, 0, 5]), whole[[5, 0, 5]])
    assert decoder.get_frames_at([]).shape == (0,)


H264 = path("h264.mp4")
REFUSED = [
    (lambda: vision.read_video(3), TypeError, "read_video: filename must be a str, got 3"),
    (lambda: vision.read_video("/none"), ValueError, "read_video: the file /none does not exist"),
    (lambda: vision.read_video(str(GOLDENS)), ValueError, "read_video: the file .* is a folder"),
    (lambda: vision.read_video(H264, "0"), TypeError, "read_video: start_pts must be a number, got '0'"),
    (lambda: vision.read_video(H264, -1), ValueError, "read_video: start_pts must be >= 0, got -1"),
    (lambda: vision.read_video(H264, 3, 1), ValueError, "read_video: end_pts must be >= start_pts=3, got 1"),
    (
        lambda: vision.read_video(H264, pts_unit="ms"),
        ValueError,
        r"read_video: pts_unit must be one of \['pts', 'sec'\]",
    ),
    (lambda: vision.read_video(H264, pts_unit=3), TypeError, "read_video: pts_unit must be a str, got 3"),
    (lambda: vision.read_video_timestamps(3), TypeError, "read_video_timestamps: filename must be a str, got 3"),
    (
        lambda: vision.read_video_timestamps("/none"),
        RuntimeError,
        "read_video_timestamps: the file /none does not exist",
    ),
    (lambda: vision.read_video_timestamps(H264, "ms"), RuntimeError, "read_video_timestamps: pts_unit must be one of"),
    (lambda: vision.VideoDecoder(3), TypeError, "VideoDecoder: source must be a str, got 3"),
    (lambda: vision.VideoDecoder("/none"), ValueError, "VideoDecoder: the file /none does not exist"),
    (lambda: vision.DecodeVideo()(3), TypeError, "DecodeVideo: expected an array, got 3"),
    (
        lambda: vision.DecodeVideo()(np.zeros((2, 2), np.uint8)),
        RuntimeError,
        r"expected the bytes of a file, uint8\[n\], got",
    ),
    (
        lambda: vision.DecodeVideo()(np.zeros(0, np.uint8)),
        RuntimeError,
        r"expected the bytes of a file, uint8\[n\], got",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED)
def test_what_is_refused(call, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_what_holds_no_video(values, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="DecodeVideo: the input holds no video"):
        vision.DecodeVideo()(np.zeros(9, np.uint8))
    with pytest.raises(RuntimeError, match=r"read_video: .*test_video\.py holds no video"):
        vision.read_video(__file__)
    decoder = vision.VideoDecoder(H264)
    with pytest.raises(TypeError, match="get_frames_at: indices must be a list of ints, got 3"):
        decoder.get_frames_at(3)
    with pytest.raises(ValueError, match=r"get_frames_at: indices must be in \[0, 6\), got 6"):
        decoder.get_frames_at([0, 6])


def test_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    with pytest.raises(RuntimeError, match=r"read_video needs the package av \(pip install 'sporax\[video\]'\)"):
        vision.read_video(H264)
