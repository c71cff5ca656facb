"""JiebaTokenizer: Chinese words by a dictionary of frequencies, a hidden Markov model, or both, as cppjieba cuts them."""

from __future__ import annotations

import enum
import math
import os
import re
from collections.abc import Iterator

from sporax._src.base.errors import describe, shown
from sporax._src.data import checks
from sporax._src.data.text.base import Piece, Tokenizer, with_byte_offsets

Span = tuple[int, int]

_SEPARATORS = " \t\n，。"
_LONGEST = 512  # characters of a word
_IMPOSSIBLE = -3.14e100  # the logarithm of a probability
_ASCII = re.compile(r"[a-zA-Z][a-zA-Z0-9]*|[0-9][0-9.]*|[\x00-\x7f]")
_USER_LINE = re.compile(r"\s*([^\s*]+?)\s*([0-9]+)?\s*")
_BEGIN, _END, _MIDDLE, _SINGLE = range(4)  # what a character is in its word, in the order of the model's file


class JiebaMode(enum.IntEnum):
    """How `JiebaTokenizer` cuts: by the dictionary (``MP``), by the model (``HMM``), or by the model where no word is (``MIX``).

    Examples:
        >>> from sporax.dataset import text
        >>> list(text.JiebaMode)
        [<JiebaMode.MIX: 0>, <JiebaMode.MP: 1>, <JiebaMode.HMM: 2>]
    """

    MIX = 0
    MP = 1
    HMM = 2


class JiebaTokenizer(Tokenizer):
    """Cuts a Chinese text into words.

    Args:
        hmm_path (str): The file of the hidden Markov model, such as ``hmm_model.utf8`` of cppjieba.
        mp_path (str): The file of the dictionary, such as ``jieba.dict.utf8``: a word, its frequency and a tag on each line.
        mode (JiebaMode): How to cut. Default: ``JiebaMode.MIX``.
        with_offsets (bool): Whether to return offsets of bytes, too. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a file does not exist.
        RuntimeError: If a file has another form, or the input is not one text.

    Examples:
        >>> import os, tempfile
        >>> from sporax.dataset import text
        >>> folder = tempfile.mkdtemp()
        >>> hmm, words = os.path.join(folder, "hmm"), os.path.join(folder, "words")
        >>> with open(hmm, "w") as file:
        ...     _ = file.write("0 0 0 0\\n" * 5 + "床:-1\\n" * 4)
        >>> with open(words, "w") as file:
        ...     _ = file.write("床 5 n\\n前 5 f\\n明月光 3 n\\n")
        >>> text.JiebaTokenizer(hmm, words, text.JiebaMode.MP)("床前明月光").tolist()
        ['床', '前', '明月光']
    """

    def __init__(
        self, hmm_path: str, mp_path: str, mode: JiebaMode = JiebaMode.MIX, with_offsets: bool = False
    ) -> None:
        super().__init__(with_offsets)
        if not isinstance(mode, JiebaMode):
            raise TypeError(f"text.JiebaTokenizer: mode must be a JiebaMode, got {describe(mode)}.")
        self.hmm_path = checks.file("text.JiebaTokenizer", hmm_path)
        self.mp_path = checks.file("text.JiebaTokenizer", mp_path)
        self.mode = mode
        self._model = _Model(self.hmm_path)
        self._words = _Words(self.mp_path)

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Add a word to the dictionary.

        Args:
            word (str): The word.
            freq (int, optional): Its frequency. Default: ``None``, which gives it the weight of the dictionary's median.

        Raises:
            TypeError: If `word` is not a str or `freq` not an int.
            ValueError: If `word` is empty or `freq` is negative.
        """
        if not isinstance(word, str):
            raise TypeError(f"text.JiebaTokenizer.add_word: word must be a str, got {describe(word)}.")
        if not word:
            raise ValueError("text.JiebaTokenizer.add_word: word must not be empty.")
        if freq is not None:
            checks.integer("text.JiebaTokenizer.add_word", "freq", freq, 0)
        self._words.add(word, freq or 0)

    def add_dict(self, user_dict: str | dict[str, int]) -> None:
        """Add words to the dictionary.

        Args:
            user_dict (Union[str, dict[str, int]]): The frequencies by word, or a file with a word and perhaps its frequency
                on each line; other lines are left out.

        Raises:
            TypeError: If `user_dict` is neither a path nor a dictionary.
            ValueError: If the file does not exist, or a word is refused.
        """
        where = "text.JiebaTokenizer.add_dict"
        if isinstance(user_dict, dict):
            for word, freq in user_dict.items():
                self.add_word(word, freq)
            return
        if not isinstance(user_dict, (str, os.PathLike)):
            raise TypeError(f"{where}: user_dict must be a path or a dict, got {describe(user_dict)}.")
        for line in _lines(where, checks.file(where, user_dict)):
            if match := _USER_LINE.fullmatch(line):
                self.add_word(match[1], int(match[2] or 0))

    def _pieces(self, text: str) -> list[Piece]:
        return with_byte_offsets(text, [span for part in _parts(text) for span in self._cut(text, *part)])

    def _cut(self, text: str, start: int, stop: int) -> Iterator[Span]:
        if self.mode is JiebaMode.HMM:
            yield from self._model.cut(text, start, stop)
            return
        singles = start  # where the single characters begin that no word follows yet
        for left, right in self._words.cut(text, start, stop):
            if self.mode is JiebaMode.MP:
                yield left, right
            elif right - left > 1:
                yield from self._model.cut(text, singles, left)
                yield left, right
                singles = right
        if self.mode is JiebaMode.MIX:
            yield from self._model.cut(text, singles, stop)


def _parts(text: str) -> Iterator[Span]:
    """Yield the parts of a text: separators, and what is between them."""
    start = 0
    for match in re.finditer(f"[{_SEPARATORS}]", text):
        if match.start() > start:
            yield start, match.start()
        yield match.span()
        start = match.end()
    if start < len(text):
        yield start, len(text)


class _Words:
    """The dictionary: the logarithm of the probability of each word."""

    def __init__(self, path: str) -> None:
        counts: dict[str, float] = {}
        every = []
        for number, line in enumerate(_lines("text.JiebaTokenizer", path), 1):
            word, *rest = line.split(" ")
            try:
                counts[word] = float(rest[0])
                every.append(counts[word])
                math.log(every[-1])
            except (IndexError, ValueError):
                what = "a word, its frequency and a tag"
                raise RuntimeError(f"text.JiebaTokenizer: line {number} of {shown(path)} is not {what}.") from None
        if not every:
            raise RuntimeError(f"text.JiebaTokenizer: {shown(path)} has no words.")
        self._sum = sum(every)
        weights = sorted(math.log(count / self._sum) for count in every)
        self._lowest, self._median = weights[0], weights[len(weights) // 2]
        self._weights = {word: math.log(count / self._sum) for word, count in counts.items()}
        self._beginnings = {word[:k] for word in counts for k in range(1, len(word) + 1)}

    def add(self, word: str, freq: int) -> None:
        self._weights[word] = math.log(freq / self._sum) if freq else self._median
        self._beginnings.update(word[:k] for k in range(1, len(word) + 1))

    def cut(self, text: str, start: int, stop: int) -> list[Span]:
        """Return the most probable words of a part of a text."""
        best = {stop: (0.0, stop)}  # by the place where a word begins: the weight of all words from there, and its end
        for left in range(stop - 1, start - 1, -1):
            best[left] = max(self._found(text, left, stop, best), key=lambda found: found[0])
        spans = []
        while start < stop:
            spans.append((start, best[start][1]))
            start = best[start][1]
        return spans

    def _found(
        self, text: str, left: int, stop: int, best: dict[int, tuple[float, int]]
    ) -> Iterator[tuple[float, int]]:
        yield best[left + 1][0] + self._weights.get(text[left], self._lowest), left + 1
        for right in range(left + 2, min(stop, left + _LONGEST) + 1):
            word = text[left:right]
            if word not in self._beginnings:
                return
            if word in self._weights:
                yield best[right][0] + self._weights[word], right


class _Model:
    """The hidden Markov model: what a character is in its word depends on the one before."""

    def __init__(self, path: str) -> None:
        lines = [
            line for line in map(str.strip, _lines("text.JiebaTokenizer", path)) if line and not line.startswith("#")
        ]
        try:
            self._start, *self._moves = [[float(number) for number in line.split(" ")] for line in lines[:5]]
            emitted = [dict(entry.split(":") for entry in line.split(",")) for line in lines[5:9]]
            begin, end, middle, single = [{char: float(number) for char, number in line.items()} for line in emitted]
            if {len(row) for row in (self._start, *self._moves)} != {4} or len(self._moves) != 4:
                raise ValueError
        except ValueError:
            what = "five lines of four numbers and four lines of characters with numbers"
            raise RuntimeError(f"text.JiebaTokenizer: {shown(path)} must have {what}.") from None
        self._emitted = begin, end, middle, single

    def cut(self, text: str, start: int, stop: int) -> Iterator[Span]:
        """Yield the words of a part of a text; letters and digits of ASCII are words of their own."""
        while start < stop:
            if match := _ASCII.match(text, start, stop):
                yield match.span()
                start = match.end()
                continue
            end = start
            while end < stop and text[end] >= "\x80":
                end += 1
            for position, state in enumerate(self._states(text[start:end]), start + 1):
                if state in (_END, _SINGLE):
                    yield start, position
                    start = position
            start = end

    def _states(self, text: str) -> list[int]:
        """Return the most probable state of each character (Viterbi's algorithm)."""
        weights = [self._start[y] + self._emitted[y].get(text[0], _IMPOSSIBLE) for y in range(4)]
        came: list[list[int]] = []
        for char in text[1:]:
            emitted = [self._emitted[y].get(char, _IMPOSSIBLE) for y in range(4)]
            ways = [[weights[x] + self._moves[x][y] + emitted[y] for x in range(4)] for y in range(4)]
            # A way that is not above the least weight counts as one from the end of a word.
            came.append([way.index(max(way)) if max(way) > _IMPOSSIBLE else _END for way in ways])
            weights = [max(*way, _IMPOSSIBLE) for way in ways]
        states = [_END if weights[_END] >= weights[_SINGLE] else _SINGLE]
        for before in reversed(came):
            states.append(before[states[-1]])
        return states[::-1]


def _lines(where: str, path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8-sig") as file:
            return [line for line in file.read().split("\n") if line]
    except UnicodeDecodeError as error:
        raise RuntimeError(f"{where}: {shown(path)} is not text in UTF-8: {error}.") from error
