"""imshow_det_bbox: a picture with boxes, names and masks drawn on it by OpenCV."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown

_ESCAPE = 27
Color = tuple[int, int, int]


def imshow_det_bbox(
    image: np.ndarray,
    bboxes: np.ndarray | None,
    labels: np.ndarray | None,
    segm: np.ndarray | None = None,
    class_names: list[str] | tuple[str, ...] | dict[int, str] | None = None,
    score_threshold: float = 0,
    bbox_color: Color = (0, 255, 0),
    text_color: Color = (203, 192, 255),
    mask_color: Color = (128, 0, 128),
    thickness: int = 2,
    font_size: float = 0.8,
    show: bool = True,
    win_name: str = "win",
    wait_time: int = 2000,
    out_file: str | None = None,
) -> np.ndarray:
    """Return a picture (channels blue, green, red) with boxes, labels and masks drawn on it; show or write it.

    Args:
        image (numpy.ndarray): RGB, of shape ``(3, H, W)`` or ``(H, W, 3)``.
        bboxes (numpy.ndarray): Boxes of x, y, width, height and perhaps a score, a row each; None: masks alone are drawn.
        labels (numpy.ndarray): Their labels, of shape ``(N, 1)``.
        segm (numpy.ndarray, optional): Masks, of shape ``(M, H, W)``. Default: ``None``.
        class_names (Union[list[str], tuple[str], dict], optional): A name for each label. Default: ``None``, its number.
        score_threshold (float): Boxes of a lower score are left out. Default: ``0``.
        bbox_color, text_color, mask_color (tuple[int]): Colors as (blue, green, red).
        thickness (int): The width of lines. Default: ``2``.
        font_size (float): The size of names. Default: ``0.8``.
        show (bool): Whether to open a window; the key Escape ends the process then. Default: ``True``.
        win_name (str): The name of the window. Default: ``'win'``.
        wait_time (int): For how many milliseconds it is shown. Default: ``2000``.
        out_file (str, optional): Where to write the picture. Default: ``None``, nowhere.

    Raises:
        ImportError: If the package `opencv-python` is not there.
        AssertionError: If an argument is not as described, or the picture is neither shown nor written.
        RuntimeError: If it cannot be written.

    Examples:
        >>> from sporax.dataset.utils import imshow_det_bbox
        >>> imshow_det_bbox(None, None, None)
        Traceback (most recent call last):
            ...
        AssertionError: imshow_det_bbox: image must be an array of shape (3, H, W) or (H, W, 3), got None.
    """
    _check_arrays(image, bboxes, labels, segm)
    for name, color in (("bbox_color", bbox_color), ("text_color", text_color), ("mask_color", mask_color)):
        _demand(isinstance(color, tuple) and len(color) == 3, name, "three numbers in a tuple", color)
    named = class_names is None or isinstance(class_names, (tuple, list, dict))
    _demand(named, "class_names", "a list, tuple or dict", class_names)
    _demand(isinstance(thickness, int) and thickness >= 0, "thickness", "an int, at least 0", thickness)
    _demand(isinstance(font_size, (int, float)) and font_size >= 0, "font_size", "a number, at least 0", font_size)
    _check_window(show, win_name, wait_time, out_file)
    scored = score_threshold <= 0 or (bboxes is not None and bboxes.shape[1] == 5)
    _demand(scored, "bboxes", "boxes with scores where score_threshold is above 0", bboxes)
    cv2 = _opencv()
    drawn = cv2.cvtColor(
        np.ascontiguousarray(image.transpose(1, 2, 0) if image.shape[0] == 3 else image), cv2.COLOR_RGB2BGR
    )
    masks = iter([] if segm is None else segm.astype(bool))
    if bboxes is None or labels is None:
        for mask in masks:
            _shade(drawn, mask, mask_color)
    else:
        for box, label in zip(bboxes, labels[:, 0].tolist(), strict=True):
            mask = next(masks, None)
            if len(box) == 5 and box[4] < score_threshold:
                continue
            low, high = (int(box[0]), int(box[1])), (int(box[0] + box[2]), int(box[1] + box[3]))
            cv2.rectangle(drawn, low, high, bbox_color, thickness)
            text = _name(class_names, label) + (f"|{box[4]:.02f}" if len(box) == 5 else "")
            cv2.putText(drawn, text, (low[0], high[1]), cv2.FONT_HERSHEY_SIMPLEX, font_size, text_color, thickness)
            if mask is not None:
                _shade(drawn, mask, mask_color)
    if show:
        cv2.imshow(win_name, drawn)
        if cv2.waitKey(wait_time) == _ESCAPE:
            sys.exit()
    if out_file is not None and not cv2.imwrite(out_file, drawn):
        raise RuntimeError(f"imshow_det_bbox: OpenCV could not write {shown(out_file)}.")
    return drawn


def _opencv() -> Any:
    try:
        import cv2
    except ImportError as error:
        raise ImportError(
            f"imshow_det_bbox needs the package opencv-python (pip install 'sporax[opencv]'): {error}."
        ) from None
    return cv2


def _demand(fits: bool, name: str, wanted: str, value: object) -> None:
    if not fits:
        raise AssertionError(f"imshow_det_bbox: {name} must be {wanted}, got {describe(value)}.")


def _check_arrays(image: Any, bboxes: Any, labels: object, segm: Any) -> None:
    fits = isinstance(image, np.ndarray) and image.ndim == 3 and 3 in (image.shape[0], image.shape[2])
    _demand(fits, "image", "an array of shape (3, H, W) or (H, W, 3)", image)
    if bboxes is not None:
        fits = isinstance(bboxes, np.ndarray) and bboxes.ndim == 2 and bboxes.shape[1] in (4, 5)
        _demand(fits, "bboxes", "an array of shape (N, 4) or (N, 5)", bboxes)
        fits = isinstance(labels, np.ndarray) and labels.shape == (len(bboxes), 1)
        _demand(fits, "labels", f"an array of shape ({len(bboxes)}, 1), as there are boxes", labels)
    if segm is not None:
        size = image.shape[:2] if image.shape[2] == 3 else image.shape[1:]
        fits = isinstance(segm, np.ndarray) and segm.ndim == 3 and segm.shape[1:] == size
        _demand(fits, "segm", f"an array of shape (M, {size[0]}, {size[1]}), as the image", segm)
        _demand(bboxes is None or len(bboxes) <= len(segm), "segm", "a mask for each box", segm)


def _check_window(show: Any, win_name: object, wait_time: object, out_file: Any) -> None:
    _demand(isinstance(show, bool), "show", "a bool", show)
    _demand(isinstance(win_name, str), "win_name", "a str", win_name)
    _demand(isinstance(wait_time, int) and wait_time >= 0, "wait_time", "an int, at least 0", wait_time)
    _demand(
        isinstance(out_file, str) or (out_file is None and show), "out_file", "a path where show is False", out_file
    )


def _name(class_names: Any, label: object) -> str:
    try:
        return f"class {label}" if class_names is None else str(class_names[label])
    except (IndexError, KeyError):
        return f"class {label}"


def _shade(drawn: np.ndarray, mask: np.ndarray, color: Color) -> None:
    drawn[mask] = drawn[mask] * 0.5 + np.array(color) * 0.5
