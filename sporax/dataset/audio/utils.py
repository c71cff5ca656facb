"""mindspore.dataset.audio.utils: the choices that operations on sound take, and matrices."""

from sporax._src.data.audio import (
    BorderType,
    MelType,
    NormMode,
    NormType,
    ResampleMethod,
    ScaleType,
    WindowType,
    create_dct,
    linear_fbanks,
    melscale_fbanks,
)

__all__ = [
    "BorderType",
    "MelType",
    "NormMode",
    "NormType",
    "ResampleMethod",
    "ScaleType",
    "WindowType",
    "create_dct",
    "linear_fbanks",
    "melscale_fbanks",
]
