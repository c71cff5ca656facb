"""Operations that cut a text into tokens, or normalize it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from enum import IntEnum

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.text.base import Piece, TextOfEach, TextTensorOperation, Tokenizer, strings, with_byte_offsets


class NormalizeForm(IntEnum):
    """The normalization form of Unicode."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


class CaseFold(TextOfEach):
    """Makes texts equal that differ only by case or by the form of characters.

    Raises:
        RuntimeError: If the input is not text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.CaseFold()("Straße").item()
        'strasse'
    """

    def _one(self, text: str) -> str:
        return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def normalized(text: str, form: NormalizeForm) -> str:
    """Return a text in a form of Unicode."""
    return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)


def unicode_form(where: str, form: object) -> NormalizeForm:
    if not isinstance(form, NormalizeForm):
        raise TypeError(f"{where}: expected a NormalizeForm, got {describe(form)}.")
    return form


class NormalizeUTF8(TextOfEach):
    """Writes characters in one form of Unicode.

    Args:
        normalize_form (NormalizeForm): The form. Default: ``NormalizeForm.NFKC``.

    Raises:
        TypeError: If `normalize_form` is not a NormalizeForm.
        RuntimeError: If the input is not text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.NormalizeUTF8()("ﬁ①").item()
        'fi1'
    """

    def __init__(self, normalize_form: NormalizeForm = NormalizeForm.NFKC) -> None:
        self.normalize_form = unicode_form("text.NormalizeUTF8", normalize_form)

    def _one(self, text: str) -> str:
        return normalized(text, self.normalize_form)


def _pattern(where: str, name: str, pattern: object) -> re.Pattern[str]:
    if not isinstance(pattern, str):
        raise TypeError(f"{where}: {name} must be a str, got {describe(pattern)}.")
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{where}: {name} {pattern!r} is not a regular expression: {error}.") from error


class RegexReplace(TextOfEach):
    """Replaces what matches a regular expression.

    Args:
        pattern (str): The expression.
        replace (str): The replacement; ``$1`` is what the first group matched, and a backslash takes the next character as it is.
        replace_all (bool): Whether every match is replaced, else the first one. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `pattern` is not a regular expression.
        RuntimeError: If the input is not text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.RegexReplace("[ ]+", "_")("a b  c").item()
        'a_b_c'
    """

    def __init__(self, pattern: str, replace: str, replace_all: bool = True) -> None:
        self.pattern = _pattern("text.RegexReplace", "pattern", pattern)
        if not isinstance(replace, str):
            raise TypeError(f"text.RegexReplace: replace must be a str, got {describe(replace)}.")
        checks.boolean("text.RegexReplace", "replace_all", replace_all)
        self.replace, self.replace_all = replace, replace_all

    def _one(self, text: str) -> str:
        return self.pattern.sub(self._replacement, text, count=0 if self.replace_all else 1)

    def _replacement(self, match: re.Match[str]) -> str:
        def part(mark: re.Match[str]) -> str:
            return mark[1] if mark[1] is not None else match[int(mark[2])] or ""

        return re.sub(r"\\(.)|\$(\d)", part, self.replace, flags=re.DOTALL)


class WhitespaceTokenizer(Tokenizer):
    """Cuts a text at blanks.

    Args:
        with_offsets (bool): Whether to give the offsets of tokens too. Default: ``False``.

    Raises:
        TypeError: If `with_offsets` is not a bool.
        RuntimeError: If the input is not one text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.WhitespaceTokenizer()("a  bc ").tolist()
        ['a', 'bc']
    """

    def _pieces(self, text: str) -> list[Piece]:
        return with_byte_offsets(text, [match.span() for match in re.finditer(r"\S+", text)])


class UnicodeCharTokenizer(Tokenizer):
    """Cuts a text into characters.

    Args:
        with_offsets (bool): Whether to give the offsets of tokens too. Default: ``False``.

    Raises:
        TypeError: If `with_offsets` is not a bool.
        RuntimeError: If the input is not one text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.UnicodeCharTokenizer()("a b").tolist()
        ['a', ' ', 'b']
    """

    def _pieces(self, text: str) -> list[Piece]:
        return with_byte_offsets(text, [(k, k + 1) for k in range(len(text))])


class RegexTokenizer(Tokenizer):
    """Cuts a text at matches of a regular expression.

    Args:
        delim_pattern (str): The pattern at which tokens are cut.
        keep_delim_pattern (str): Which of the matches are tokens too. Default: ``''``, none.
        with_offsets (bool): Whether to give the offsets of tokens too. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a pattern is not a regular expression.
        RuntimeError: If the input is not one text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.RegexTokenizer("[ ,]+", ",.*")("a b, c").tolist()
        ['a', 'b', ', ', 'c']
    """

    def __init__(self, delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False) -> None:
        super().__init__(with_offsets)
        self.delimiter = _pattern("text.RegexTokenizer", "delim_pattern", delim_pattern)
        self.keep_delim = _pattern("text.RegexTokenizer", "keep_delim_pattern", keep_delim_pattern)

    def _pieces(self, text: str) -> list[Piece]:
        spans, at = [], 0
        for match in self.delimiter.finditer(text):
            spans.append((at, match.start()))
            if self.keep_delim.pattern and self.keep_delim.fullmatch(match.group()):
                spans.append(match.span())
            at = match.end()
        spans.append((at, len(text)))
        return with_byte_offsets(text, [(start, end) for start, end in spans if end > start])


class PythonTokenizer(TextTensorOperation):
    """Cuts a text by a function.

    Args:
        tokenizer (Callable): Takes a str and returns a list of str.

    Raises:
        TypeError: If `tokenizer` cannot be called.
        RuntimeError: If the input is not one text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.PythonTokenizer(str.split)("a b").tolist()
        ['a', 'b']
    """

    def __init__(self, tokenizer: Callable[[str], list[str]]) -> None:
        checks.function("text.PythonTokenizer", "tokenizer", tokenizer)
        self.tokenizer = tokenizer

    def _apply(self, array: np.ndarray) -> np.ndarray:
        return strings(self.tokenizer(self._text(array)))


def to_str(array: object, encoding: str = "utf8") -> np.ndarray:
    """Return byte strings as text.

    Args:
        array (numpy.ndarray): Byte strings.
        encoding (str): How they are encoded. Default: ``'utf8'``.

    Raises:
        TypeError: If `array` holds no byte strings.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import text
        >>> text.to_str(np.array([b"a", b"bc"])).tolist()
        ['a', 'bc']
    """
    text = as_array(array)
    if text.dtype.kind not in "SU":
        raise TypeError(f"text.to_str: expected byte strings, got {describe(text)}.")
    return np.char.decode(text, encoding) if text.dtype.kind == "S" else text


def to_bytes(array: object, encoding: str = "utf8") -> np.ndarray:
    """Return text as byte strings.

    Args:
        array (numpy.ndarray): Text.
        encoding (str): How to encode it. Default: ``'utf8'``.

    Raises:
        TypeError: If `array` holds no text.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import text
        >>> text.to_bytes(np.array(["a", "bc"])).tolist()
        [b'a', b'bc']
    """
    text = as_array(array)
    if text.dtype.kind not in "SU":
        raise TypeError(f"text.to_bytes: expected text, got {describe(text)}.")
    return np.char.encode(text, encoding) if text.dtype.kind == "U" else text
