"""What MindSpore reads of the small videos in tests/goldens/videos, which PyAV has made: six frames, and the sound of one."""

from pathlib import Path

import mindspore.dataset.vision as vision
import numpy as np

from .common import write_json, write_npz

FOLDER = Path(__file__).parents[2] / "tests" / "goldens" / "videos"
PARTS = {"whole": (), "seconds": (0.2, 0.4, "sec"), "pts": (1024, 2048)}


def record(out: Path) -> None:
    """Write videos.npz and videos.json."""
    arrays, known = {}, {}
    for path in sorted(FOLDER.iterdir()):
        for part, args in PARTS.items():
            frames, sound, rates = vision.read_video(str(path), *args)
            arrays |= {f"{path.name}/{part}/frames": frames, f"{path.name}/{part}/sound": sound}
            known[f"{path.name}/{part}"] = {"args": list(args), "rates": rates}
        for name, array in zip(("frames", "sound"), vision.DecodeVideo()(np.fromfile(path, np.uint8)), strict=True):
            arrays[f"{path.name}/decoded/{name}"] = array
        times = {unit: list(vision.read_video_timestamps(str(path), unit)) for unit in ("pts", "sec")}
        known[path.name] = {"times": times, "metadata": vision.VideoDecoder(str(path)).metadata}
    write_npz(out / "videos.npz", arrays)
    write_json(out / "videos.json", known)
