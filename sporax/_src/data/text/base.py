"""Text as arrays of strings, and the base of the operations on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transforms.base import TensorOperation

Piece = tuple[str, int, int]  # a token, and where its UTF-8 bytes begin and end


class TextTensorOperation(TensorOperation):
    """Base of the operations on text.

    Examples:
        >>> from sporax.dataset import text
        >>> isinstance(text.CaseFold(), text.transforms.TextTensorOperation)
        True
    """

    def _text(self, array: np.ndarray) -> str:
        """Return the one text of an array of rank 0.

        Raises:
            RuntimeError: If it is something else.
        """
        array = as_array(array)
        if array.ndim or array.dtype.kind not in "US":
            raise RuntimeError(f"text.{type(self).__name__}: expected one text, of rank 0, got {describe(array)}.")
        value = array.item()
        return value.decode() if isinstance(value, bytes) else value


class TextOfEach(TextTensorOperation):
    """Base of the operations on each text of an array: a subclass defines `_one`."""

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.dtype.kind != "U":
            raise RuntimeError(f"text.{type(self).__name__}: expected text, got {describe(array)}.")
        return np.array([self._one(text) for text in array.ravel().tolist()]).reshape(array.shape)

    def _one(self, text: str) -> str:
        raise NotImplementedError(f"text.{type(self).__name__} must define _one.")


def strings(tokens: Sequence[str]) -> np.ndarray:
    """Return tokens as a vector, one empty token where there are none."""
    return np.array(list(tokens) or [""])


class Tokenizer(TextTensorOperation):
    """Base of the operations that cut a text: a subclass defines `_pieces`.

    With offsets, the offsets of each token's first byte in UTF-8, and of the byte after its last one, are returned too.
    """

    def __init__(self, with_offsets: bool = False) -> None:
        checks.boolean(f"text.{type(self).__name__}", "with_offsets", with_offsets)
        self.with_offsets = with_offsets

    def _pieces(self, text: str) -> list[Piece]:
        raise NotImplementedError(f"text.{type(self).__name__} must define _pieces.")

    def __call__(self, *inputs: Any) -> Any:
        if len(inputs) != 1:
            raise RuntimeError(f"text.{type(self).__name__}: expected one column, got {len(inputs)}.")
        return self._output(self._pieces(self._text(inputs[0])))

    def _output(self, pieces: list[Piece]) -> Any:
        tokens = strings([token for token, _, _ in pieces])
        if not self.with_offsets:
            return tokens
        starts, ends = ([piece[k] for piece in pieces] or [0] for k in (1, 2))
        return tokens, np.array(starts, np.uint32), np.array(ends, np.uint32)


def with_byte_offsets(text: str, spans: Sequence[tuple[int, int]]) -> list[Piece]:
    """Return the parts of a text between offsets of characters, with offsets of bytes."""
    lengths = [0]
    for character in text:
        lengths.append(lengths[-1] + len(character.encode()))
    return [(text[start:end], lengths[start], lengths[end]) for start, end in spans]
