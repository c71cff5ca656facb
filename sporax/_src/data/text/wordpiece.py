"""The tokenizers of BERT: words and punctuation, then parts of words that a vocabulary has."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.text.base import Piece, Tokenizer, with_byte_offsets
from sporax._src.data.text.tokenizers import NormalizeForm, normalized, unicode_form
from sporax._src.data.text.vocab import Vocab, check_vocab

_MARKS = re.compile(r"\[(?:CLS|SEP|UNK|PAD|MASK)\]")
_CHINESE = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
            (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))  # fmt: skip


def _stands_alone(character: str) -> bool:
    """Return whether a character is a token: punctuation, a symbol of ASCII, or Chinese."""
    code = ord(character)
    symbol = code < 128 and not character.isalnum() and not character.isspace() and code > 32
    return symbol or unicodedata.category(character).startswith("P") or any(a <= code <= b for a, b in _CHINESE)


class BasicTokenizer(Tokenizer):
    """Cuts a text at blanks, punctuation and around Chinese characters.

    Args:
        lower_case (bool): Whether to remove capitals and accents first. Default: ``False``.
        keep_whitespace (bool): Whether blanks are tokens. Default: ``False``.
        normalization_form (NormalizeForm): The form of Unicode, unless `lower_case`. Default: ``NormalizeForm.NONE``.
        preserve_unused_token (bool): Whether ``[CLS]``, ``[SEP]``, ``[UNK]``, ``[PAD]``, ``[MASK]`` stay whole.
            Default: ``True``.
        with_offsets (bool): Whether to give the offsets of tokens too. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If the input is not one text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.BasicTokenizer()("Hi, [CLS]北京!").tolist()
        ['Hi', ',', '[CLS]', '北', '京', '!']
    """

    def __init__(
        self,
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        super().__init__(with_offsets)
        where = f"text.{type(self).__name__}"
        for name, flag in (
            ("lower_case", lower_case), ("keep_whitespace", keep_whitespace), ("preserve_unused_token", preserve_unused_token)
        ):  # fmt: skip
            checks.boolean(where, name, flag)
        self.lower_case, self.keep_whitespace = lower_case, keep_whitespace
        self.normalization_form = unicode_form(where, normalization_form)
        self.preserve_unused_token = preserve_unused_token

    def _pieces(self, text: str) -> list[Piece]:
        text = self._plain(text)
        spans: list[tuple[int, int]] = []
        at = 0
        for match in _MARKS.finditer(text) if self.preserve_unused_token else ():
            spans += self._spans(text, at, match.start())
            spans.append(match.span())
            at = match.end()
        return with_byte_offsets(text, spans + self._spans(text, at, len(text)))

    def _plain(self, text: str) -> str:
        if not self.lower_case:
            text = normalized(text, self.normalization_form)
        else:
            parts = [
                part if _MARKS.fullmatch(part) else part.casefold() for part in re.split(f"({_MARKS.pattern})", text)
            ]
            text = "".join(c for c in unicodedata.normalize("NFD", "".join(parts)) if unicodedata.category(c) != "Mn")
        return "".join(c for c in text if c in "\t\n\r" or unicodedata.category(c) not in ("Cc", "Cf"))

    def _spans(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        spans, word = [], None
        for k in range(start, end):
            alone, blank = _stands_alone(text[k]), text[k].isspace()
            if not alone and not blank:
                word = k if word is None else word
                continue
            if word is not None:
                spans.append((word, k))
                word = None
            if alone or self.keep_whitespace:
                spans.append((k, k + 1))
        return spans if word is None else [*spans, (word, end)]


class WordpieceTokenizer(Tokenizer):
    """Cuts words into the longest parts that a vocabulary has, from the front.

    Args:
        vocab (Vocab): The parts.
        suffix_indicator (str): What parts that are not the first begin with. Default: ``'##'``.
        max_bytes_per_token (int): Longer words are unknown. Default: ``100``.
        unknown_token (str): What stands for an unknown word; empty: the word itself. Default: ``'[UNK]'``.
        with_offsets (bool): Whether to give the offsets of tokens too, in their word. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `max_bytes_per_token` is negative.
        RuntimeError: If the input is not a word or vector of words.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import text
        >>> vocab = text.Vocab.from_list(["un", "##able", "[UNK]"])
        >>> text.WordpieceTokenizer(vocab)(np.array(["unable", "xyz"])).tolist()
        ['un', '##able', '[UNK]']
    """

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        with_offsets: bool = False,
    ) -> None:
        super().__init__(with_offsets)
        where = f"text.{type(self).__name__}"
        self.vocab = check_vocab(where, vocab)
        for name, value in (("suffix_indicator", suffix_indicator), ("unknown_token", unknown_token)):
            if not isinstance(value, str):
                raise TypeError(f"{where}: {name} must be a str, got {describe(value)}.")
        self.suffix_indicator, self.unknown_token = suffix_indicator, unknown_token
        self.max_bytes_per_token = checks.integer(where, "max_bytes_per_token", max_bytes_per_token, 0)

    def __call__(self, *inputs: object) -> Any:
        words = as_array(inputs[0]) if len(inputs) == 1 else None
        if words is None or words.ndim > 1 or words.dtype.kind != "U":
            raise RuntimeError(
                f"text.WordpieceTokenizer: expected a word or a vector of words, got {describe(inputs)}."
            )
        return self._output([piece for word in words.ravel().tolist() for piece in self._pieces(word)])

    def _pieces(self, text: str) -> list[Piece]:
        spans: list[tuple[int, int]] = []
        start = 0
        while start < len(text) and len(text.encode()) <= self.max_bytes_per_token:
            end = next((e for e in range(len(text), start, -1) if self._part(text, start, e) in self.vocab), None)
            if end is None:
                break
            spans.append((start, end))
            start = end
        if start < len(text):
            return [(self.unknown_token or text, 0, len(text.encode()))]
        offsets = with_byte_offsets(text, spans)
        return [(self._part(text, *span), begin, stop) for span, (_, begin, stop) in zip(spans, offsets, strict=True)]

    def _part(self, text: str, start: int, end: int) -> str:
        return text[start:end] if start == 0 else self.suffix_indicator + text[start:end]


class BertTokenizer(Tokenizer):
    """Does what `BasicTokenizer` and then `WordpieceTokenizer` do.

    Args:
        vocab (Vocab): The parts of words.
        suffix_indicator (str): As for `WordpieceTokenizer`. Default: ``'##'``.
        max_bytes_per_token (int): As for `WordpieceTokenizer`. Default: ``100``.
        unknown_token (str): As for `WordpieceTokenizer`. Default: ``'[UNK]'``.
        lower_case (bool): As for `BasicTokenizer`. Default: ``False``.
        keep_whitespace (bool): As for `BasicTokenizer`. Default: ``False``.
        normalization_form (NormalizeForm): As for `BasicTokenizer`. Default: ``NormalizeForm.NONE``.
        preserve_unused_token (bool): As for `BasicTokenizer`. Default: ``True``.
        with_offsets (bool): Whether to give the offsets of tokens too. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `max_bytes_per_token` is negative.
        RuntimeError: If the input is not one text.

    Examples:
        >>> from sporax.dataset import text
        >>> vocab = text.Vocab.from_list(["i", "am", "un", "##able", "[UNK]"])
        >>> text.BertTokenizer(vocab, lower_case=True)("I am unable!").tolist()
        ['i', 'am', 'un', '##able', '[UNK]']
    """

    def __init__(
        self,
        vocab: Vocab,
        suffix_indicator: str = "##",
        max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]",
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True,
        with_offsets: bool = False,
    ) -> None:
        super().__init__(with_offsets)
        self.words = BasicTokenizer(lower_case, keep_whitespace, normalization_form, preserve_unused_token)
        self.parts = WordpieceTokenizer(vocab, suffix_indicator, max_bytes_per_token, unknown_token)

    def _pieces(self, text: str) -> list[Piece]:
        return [
            (token, start + begin, start + end)
            for word, start, _ in self.words._pieces(text)
            for token, begin, end in self.parts._pieces(word)
        ]
