"""Pictures with boxes drawn on them are MindSpore's, dot by dot, and every error is said."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sporax.dataset.utils import imshow_det_bbox

TOLD = json.loads((Path(__file__).parents[1] / "goldens" / "drawn_boxes.json").read_text(encoding="utf-8"))


def names(folder: Path) -> dict[str, Any]:
    y, x = np.mgrid[:40, :60]
    return {
        "image": np.stack([x * 4, y * 6, x + y], -1).astype(np.uint8), "boxes": np.array([[5, 6, 20, 15], [30.7, 10, 9, 25]]),
        "scored": np.array([[5, 6, 20, 15, 0.75], [30.7, 10, 9, 25, 0.25]]), "labels": np.array([[1], [5]]),
        "masks": np.stack([(x + y) % 9 == 0, x > 45]), "out": str(folder / "a.png"), "imshow_det_bbox": imshow_det_bbox,
    }  # fmt: skip


@pytest.mark.parametrize("call", [call for call, told in TOLD.items() if isinstance(told, str)])
def test_pictures_are_mindspores(call: str, tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2")
    drawn = eval(call, names(tmp_path))
    assert drawn.tobytes().hex() == TOLD[call]
    assert np.array_equal(cv2.imread(str(tmp_path / "a.png")), drawn)


TEXTS = [
    "image must be an array of shape (3, H, W) or (H, W, 3), got 3",
    "bboxes must be an array of shape (N, 4) or (N, 5), got float64[4]",
    "labels must be an array of shape (2, 1), as there are boxes, got int64[1, 1]",
    "segm must be a mask for each box, got bool[1, 40, 60]",
    "segm must be an array of shape (M, 40, 60), as the image, got bool[2, 39, 60]",
    "image must be an array of shape (3, H, W) or (H, W, 3), got uint8[40, 60, 2]",
    "class_names must be a list, tuple or dict, got 3",
    "bboxes must be boxes with scores where score_threshold is above 0, got float64[2, 4]",
    "bbox_color must be three numbers in a tuple, got 3",
    "text_color must be three numbers in a tuple, got (1, 2)",
    "mask_color must be three numbers in a tuple, got [1, 2, 3]",
    "thickness must be an int, at least 0, got -1",
    "font_size must be a number, at least 0, got 'a'",
    "show must be a bool, got 3",
    "win_name must be a str, got 3",
    "wait_time must be an int, at least 0, got -1",
    "out_file must be a path where show is False, got None",
    "out_file must be a path where show is False, got 3",
]


def test_errors_are_mindspores(tmp_path: Path) -> None:
    found = []
    for call, told in TOLD.items():
        if isinstance(told, dict):
            with pytest.raises(AssertionError, match=r"^imshow_det_bbox: ") as caught:
                eval(call, names(tmp_path))
            assert told["error"] == "AssertionError"
            found.append(str(caught.value).removeprefix("imshow_det_bbox: ").removesuffix("."))
    assert sorted(found) == sorted(TEXTS)


def test_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cv2 = pytest.importorskip("cv2")
    shown: list[str] = []
    monkeypatch.setattr(cv2, "imshow", lambda name, image: shown.append(name))
    given = names(tmp_path)
    for key in (-1, 27):
        monkeypatch.setattr(cv2, "waitKey", lambda time, key=key: key)
        call = lambda: imshow_det_bbox(given["image"], given["boxes"], given["labels"], win_name="w", wait_time=1)
        if key == 27:
            with pytest.raises(SystemExit):
                call()
        else:
            assert call().shape == (40, 60, 3)
    assert shown == ["w", "w"]
    monkeypatch.setattr(cv2, "imwrite", lambda *args: False)
    with pytest.raises(RuntimeError, match=r"OpenCV could not write .*a\.png"):
        imshow_det_bbox(given["image"], None, None, show=False, out_file=given["out"])


def test_without_the_package() -> None:
    code = (
        "import sys; sys.modules['cv2'] = None\n"
        "import numpy as np\n"
        "from sporax.dataset.utils import imshow_det_bbox\n"
        "try: imshow_det_bbox(np.zeros((3, 2, 2), np.uint8), None, None)\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "imshow_det_bbox needs the package opencv-python (pip install 'sporax[opencv]')" in done.stdout
