"""The choices that image operations take."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Inter(IntEnum):
    """How pixels between pixels are made."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(StrEnum):
    """What padding is filled with."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"
