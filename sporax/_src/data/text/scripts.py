"""UnicodeScriptTokenizer: a text cut where the script changes."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import groupby

from sporax._src.data import checks
from sporax._src.data.text.base import Piece, Tokenizer, with_byte_offsets
from sporax._src.data.text.unicode_scripts import SCRIPTS

# Unicode's property White_Space; `str.isspace` differs slightly.
_BLANKS = frozenset(
    "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
)


@cache
def _table() -> tuple[list[int], list[str]]:
    """Return where runs of characters of one script begin, and which script each is of."""
    runs = [run.split(":") for run in SCRIPTS.split()]
    return [int(start, 16) for start, _ in runs], [script for _, script in runs]


def script(character: str) -> str:
    """Return a number, as text, for the script of a character; characters of several scripts share a number of their own."""
    starts, scripts = _table()
    return scripts[bisect_right(starts, ord(character)) - 1]


class UnicodeScriptTokenizer(Tokenizer):
    """Cuts a text where the script changes, or blanks begin or end.

    Args:
        keep_whitespace (bool): Whether blanks are tokens. Default: ``False``.
        with_offsets (bool): Whether to give the offsets of tokens too. Default: ``False``.

    Raises:
        TypeError: If an argument is not a bool.
        RuntimeError: If the input is not one text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.UnicodeScriptTokenizer()("Welcome to Beijing北京欢迎您").tolist()
        ['Welcome', 'to', 'Beijing', '北京欢迎您']
    """

    def __init__(self, keep_whitespace: bool = False, with_offsets: bool = False) -> None:
        super().__init__(with_offsets)
        checks.boolean("text.UnicodeScriptTokenizer", "keep_whitespace", keep_whitespace)
        self.keep_whitespace = keep_whitespace

    def _pieces(self, text: str) -> list[Piece]:
        spans, at = [], 0
        for (_, blank), run in groupby(text, lambda character: (script(character), character in _BLANKS)):
            start, at = at, at + sum(1 for _ in run)
            if self.keep_whitespace or not blank:
                spans.append((start, at))
        return with_byte_offsets(text, spans)
