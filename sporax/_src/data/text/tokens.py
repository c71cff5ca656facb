"""Operations on tokens: numbers for words, pairs cut to a length, n-grams, windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.tensor_bridge import as_array, as_dtype
from sporax._src.data.text.base import TextTensorOperation, strings
from sporax._src.data.text.vocab import Vocab, check_vocab


class Lookup(TextTensorOperation):
    """Gives the numbers of words.

    Args:
        vocab (Vocab): The words.
        unknown_token (str, optional): The word whose number unknown words get. Default: ``None``, these are errors.
        data_type (Union[mindspore.dtype, numpy.dtype]): The type of the numbers. Default: ``numpy.int32``.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If the input is not text, or a word or `unknown_token` is not in `vocab`.

    Examples:
        >>> import numpy as np
        >>> from sporax.dataset import text
        >>> text.Lookup(text.Vocab.from_list(["a", "b"]))(np.array(["b", "a"]))
        array([1, 0], dtype=int32)
    """

    def __init__(self, vocab: Vocab, unknown_token: str | None = None, data_type: object = np.int32) -> None:
        self.vocab = check_vocab("text.Lookup", vocab)
        if unknown_token is not None and not isinstance(unknown_token, str):
            raise TypeError(f"text.Lookup: unknown_token must be a str, got {describe(unknown_token)}.")
        self.unknown_token, self.data_type = unknown_token, as_dtype(data_type)
        self._numbers = vocab.vocab()

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.dtype.kind != "U":
            raise RuntimeError(f"text.Lookup: expected text, got {describe(array)}.")
        if self.unknown_token is not None and self.unknown_token not in self._numbers:
            raise RuntimeError(f"text.Lookup: unknown_token {self.unknown_token!r} doesn't exist in vocab.")
        other = None if self.unknown_token is None else self._numbers[self.unknown_token]
        numbers = [self._numbers.get(word, other) for word in array.ravel().tolist()]
        if None in numbers:
            word = array.ravel()[numbers.index(None)]
            raise RuntimeError(
                f"text.Lookup: token {str(word)!r} doesn't exist in vocab and no unknown_token is given."
            )
        return np.array(numbers, self.data_type).reshape(array.shape)


class TruncateSequencePair(TextTensorOperation):
    """Cuts two vectors, always the longer one, until together they have at most `max_length` elements.

    Args:
        max_length (int): The length.

    Raises:
        TypeError: If `max_length` is not an int.
        ValueError: If it is not positive.
        RuntimeError: If the input is not two vectors.

    Examples:
        >>> from sporax.dataset import text
        >>> [part.tolist() for part in text.TruncateSequencePair(4)([1, 2, 3], [4, 5, 6, 7])]
        [[1, 2], [4, 5]]
    """

    def __init__(self, max_length: int) -> None:
        self.max_length = checks.integer("text.TruncateSequencePair", "max_length", max_length, 1)

    def __call__(self, *inputs: object) -> Any:
        pair = [as_array(value) for value in inputs]
        if len(pair) != 2 or any(part.ndim != 1 for part in pair):
            raise RuntimeError(f"text.TruncateSequencePair: expected two vectors, got {describe(inputs)}.")
        first, second = map(len, pair)
        while first + second > self.max_length:
            first, second = (first - 1, second) if first > second else (first, second - 1)
        return pair[0][:first], pair[1][:second]


class Truncate(TextTensorOperation):
    """Cuts the last axis to a length.

    Args:
        max_seq_len (int): The length.

    Raises:
        TypeError: If `max_seq_len` is not an int.
        ValueError: If it is not positive.
        RuntimeError: If the input does not have one or two axes.

    Examples:
        >>> from sporax.dataset import text
        >>> text.Truncate(2)(["a", "b", "c"]).tolist()
        ['a', 'b']
    """

    def __init__(self, max_seq_len: int) -> None:
        self.max_seq_len = checks.integer("text.Truncate", "max_seq_len", max_seq_len, 1)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.ndim not in (1, 2):
            raise RuntimeError(f"text.Truncate: expected one or two axes, got {describe(array)}.")
        return array[..., : self.max_seq_len]


class ToNumber(TextTensorOperation):
    """Reads numbers out of texts.

    Args:
        data_type (Union[mindspore.dtype, numpy.dtype]): Their type.

    Raises:
        TypeError: If `data_type` is not a type of numbers.
        RuntimeError: If the input is not text, a text is not a number, or a number is out of the range of the type.

    Examples:
        >>> from sporax.dataset import text
        >>> text.ToNumber("int8")(["1", "-2"])
        array([ 1, -2], dtype=int8)
    """

    def __init__(self, data_type: object) -> None:
        self.data_type = as_dtype(data_type)
        if self.data_type.kind not in "iuf":
            raise TypeError(f"text.ToNumber: data_type must be a type of numbers, got {describe(data_type)}.")

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.dtype.kind != "U":
            raise RuntimeError(f"text.ToNumber: expected text, got {describe(array)}.")
        whole = self.data_type.kind in "iu"
        numbers = [self._one(text, int if whole else float) for text in array.ravel().tolist()]
        info = np.iinfo(self.data_type) if whole else np.finfo(self.data_type)
        for number in numbers:
            if not (info.min <= number <= info.max) and np.isfinite(number):
                raise RuntimeError(f"text.ToNumber: {number} is out of the range of {self.data_type}.")
        return np.array(numbers, self.data_type).reshape(array.shape)

    def _one(self, text: str, kind: type) -> Any:
        try:
            return checks.number(text, kind)
        except ValueError as error:
            raise RuntimeError(f"text.ToNumber: it is invalid to convert {text!r} to a number.") from error


class Ngram(TextTensorOperation):
    """Joins neighbouring tokens of a vector into n-grams.

    Args:
        n (Union[int, list[int]]): How many tokens an n-gram has; the n-grams of several numbers follow each other.
        left_pad (tuple): (token, how many of them to put before at most). Default: ``('', 0)``.
        right_pad (tuple): (token, how many of them to put after at most). Default: ``('', 0)``.
        separator (str): The text between the tokens. Default: ``' '``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an `n` is not positive, or a count of padding is negative.
        RuntimeError: If the input is not a vector of text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.Ngram(2)(["a", "b", "c"]).tolist()
        ['a b', 'b c']
    """

    def __init__(
        self,
        n: int | list[int],
        left_pad: tuple[str, int] = ("", 0),
        right_pad: tuple[str, int] = ("", 0),
        separator: str = " ",
    ) -> None:
        counts = n if isinstance(n, list) else [n]
        self.n = [checks.integer("text.Ngram", "n", count, 1) for count in counts]
        self.left_pad, self.right_pad = self._pad("left_pad", left_pad), self._pad("right_pad", right_pad)
        if not isinstance(separator, str):
            raise TypeError(f"text.Ngram: separator must be a str, got {describe(separator)}.")
        self.separator = separator

    @staticmethod
    def _pad(name: str, value: object) -> tuple[str, int]:
        if not isinstance(value, tuple) or len(value) != 2 or not isinstance(value[0], str):
            raise TypeError(f"text.Ngram: {name} must be (token, count), got {describe(value)}.")
        return value[0], checks.integer("text.Ngram", name, value[1], 0)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.ndim != 1 or array.dtype.kind != "U":
            raise RuntimeError(f"text.Ngram: expected a vector of text, got {describe(array)}.")
        return strings([gram for n in self.n for gram in self._grams(array.tolist(), n)])

    def _grams(self, tokens: Sequence[str], n: int) -> list[str]:
        (before, many_before), (after, many_after) = self.left_pad, self.right_pad
        padded = [before] * min(many_before, n - 1) + list(tokens) + [after] * min(many_after, n - 1)
        return [self.separator.join(padded[k : k + n]) for k in range(len(padded) - n + 1)]


class SlidingWindow(TextTensorOperation):
    """Gives all runs of `width` neighbours of a vector.

    Args:
        width (int): How many.
        axis (int): 0. Default: ``0``.

    Raises:
        TypeError: If an argument is not an int.
        ValueError: If `width` is not positive, or `axis` not 0.
        RuntimeError: If the input is not a vector.

    Examples:
        >>> from sporax.dataset import text
        >>> text.SlidingWindow(2)([1, 2, 3])
        array([[1, 2],
               [2, 3]])
    """

    def __init__(self, width: int, axis: int = 0) -> None:
        self.width = checks.integer("text.SlidingWindow", "width", width, 1)
        self.axis = checks.integer("text.SlidingWindow", "axis", axis, 0, 0)

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.ndim != 1:
            raise RuntimeError(f"text.SlidingWindow: expected a vector, got {describe(array)}.")
        if len(array) < self.width:
            return array[:0]
        return np.lib.stride_tricks.sliding_window_view(array, self.width).copy()


class AddToken(TextTensorOperation):
    """Puts a token before or after each sequence.

    Args:
        token (str): The token.
        begin (bool): Whether it comes before. Default: ``True``.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If the input is not text with one or two axes.

    Examples:
        >>> from sporax.dataset import text
        >>> text.AddToken("<s>")(["a", "b"]).tolist()
        ['<s>', 'a', 'b']
    """

    def __init__(self, token: str, begin: bool = True) -> None:
        if not isinstance(token, str):
            raise TypeError(f"text.AddToken: token must be a str, got {describe(token)}.")
        checks.boolean("text.AddToken", "begin", begin)
        self.token, self.begin = token, begin

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.ndim not in (1, 2) or array.dtype.kind != "U":
            raise RuntimeError(f"text.AddToken: expected text with one or two axes, got {describe(array)}.")
        token = np.full((*array.shape[:-1], 1), self.token)
        return np.concatenate([token, array] if self.begin else [array, token], -1)
