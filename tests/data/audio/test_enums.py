"""The choices that operations on sound take."""

import pytest

from sporax._src.data.audio.enums import FadeShape, GainType, WindowType, choice


def test_a_member_is_returned() -> None:
    assert choice("audio.Vol", "gain_type", GainType.DB, GainType) is GainType.DB


@pytest.mark.parametrize("value, shown", [("hann", "'hann'"), (FadeShape.LINEAR, "FadeShape.LINEAR"), (None, "None")])
def test_other_values_are_refused(value: object, shown: str) -> None:
    """Text that equals a member is none, nor is a member of another choice."""
    with pytest.raises(TypeError, match=rf"^audio.Spectrogram: window must be a WindowType, got .*{shown}"):
        choice("audio.Spectrogram", "window", value, WindowType)
