"""FilterWikipediaXML: the words of a dump of Wikipedia."""

from __future__ import annotations

import re

from sporax._src.data.text.base import TextOfEach

_LINE = r"[^\n\r\v\f\x85\u2028\u2029]"
# MindSpore applies its patterns in the order of their texts. Those for links and templates come after the one that leaves
# letters alone, and find nothing then; R has nothing to become (observed with 2.7.0).
_STEPS = [
    (re.compile(pattern), text)
    for pattern, text in (
        ("&[^;]*;", " "),
        *zip(
            "0123456789",
            " zero , one , two , three , four , five , six , seven , eight , nine ".split(","),
            strict=True,
        ),
        (f"<{_LINE}*>", ""),
        ("<[^>]*>", ""),
        *((letter, "" if letter == "R" else letter.lower()) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        (r"[^a-z\n]+", " "),
        (r"\n ", ""),
        (r"\n\s*\n", "n"),
        (r"\s+", " "),
    )
]


class FilterWikipediaXML(TextOfEach):
    """Reduces a text of Wikipedia's dumps to its words: letters from a to z, digits as words, and single blanks.

    As in MindSpore, capitals become small letters, but the letter R is removed. A text with ``#redirect`` becomes empty.

    Raises:
        RuntimeError: If the input is not text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.FilterWikipediaXML()("Welcome    to <b>China</b>, 2x").item()
        'welcome to two x'
    """

    def _one(self, text: str) -> str:
        if "#redirect" in text or "#REDIRECT" in text:
            return ""
        for pattern, replacement in _STEPS:
            text = pattern.sub(replacement, text).strip()
        return text
