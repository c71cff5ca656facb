"""Vectors of words, read from the files of GloVe, fastText and others, and the operation that gives them for tokens."""

from __future__ import annotations

import os
from array import array
from fnmatch import fnmatch
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data import checks
from sporax._src.data.text.base import TextTensorOperation


class Vectors:
    """Vectors of words; made by `from_file`.

    A file has a word and its numbers on each line, with single spaces between them; its first line may say how many
    words there are and how many numbers each has.

    Examples:
        >>> import pathlib, tempfile
        >>> from sporax.dataset import text
        >>> path = pathlib.Path(tempfile.mkdtemp(), "vectors.txt")
        >>> _ = path.write_text("ok 0.5 1\\nno 2 3\\n")
        >>> text.ToVectors(text.Vectors.from_file(str(path)))(["no", "ok", "?"]).tolist()
        [[2.0, 3.0], [0.5, 1.0], [0.0, 0.0]]
    """

    _names: ClassVar[str] = "*"  # of the files

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._table = np.zeros((0, 0), np.float32)

    @classmethod
    def from_file(cls, file_path: str, max_vectors: int | None = None) -> Vectors:
        """Return the vectors of a file.

        Args:
            file_path (str): The file.
            max_vectors (int, optional): How many of its first lines to read. Default: ``None``, all, as is 0.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If `max_vectors` is negative.
            RuntimeError: If the file does not exist, or its name or its content is not that of such a file.
        """
        where = f"text.{cls.__name__}"
        if not isinstance(file_path, str):
            raise TypeError(f"{where}: file_path must be a str, got {describe(file_path)}.")
        most = checks.integer(where, "max_vectors", 0 if max_vectors is None else max_vectors, 0)
        if not os.path.isfile(file_path):
            raise RuntimeError(f"{where}: the file {shown(file_path)} does not exist.")
        if not fnmatch(os.path.basename(file_path), cls._names):
            raise RuntimeError(f"{where}: the name of the file must be {cls._names}, got {shown(file_path)}.")
        vectors = cls()
        with open(file_path, encoding="utf-8") as file:
            lines = (line.rstrip("\r\n").split(" ") for line in file)
            first = list(islice(lines, 1))
            vectors._read(where, first if first and len(first[0]) != 2 else [], lines, most or None)
        return vectors

    def _read(self, where: str, first: list[list[str]], lines: Any, most: int | None) -> None:
        numbers, width = array("f"), 0
        for word, *parts in islice((line for group in (first, lines) for line in group), most):
            try:
                vector = [float(part) for part in parts if part]
            except ValueError as error:
                raise RuntimeError(f"{where}: the vector of {shown(word)} is not a row of numbers: {error}.") from error
            width = width or len(vector)
            if len(vector) != width or width < 2:
                raise RuntimeError(
                    f"{where}: expected vectors of one length, at least 2; that of {shown(word)} has {len(vector)}, "
                    f"those before {width}."
                )
            if word not in self._rows:
                self._rows[word] = len(self._rows)
                numbers.extend(vector)
        if not self._rows:
            raise RuntimeError(f"{where}: the file holds no vectors.")
        self._table = np.frombuffer(numbers, np.float32).reshape(-1, width)

    @property
    def _width(self) -> int:
        return self._table.shape[1]

    def _vector(self, token: str) -> np.ndarray | None:
        row = self._rows.get(token)
        return None if row is None else self._table[row]


class GloVe(Vectors):
    """Vectors of words of the files of GloVe, ``glove.6B.*.txt``; made by `from_file`.

    Examples:
        >>> from sporax.dataset import text
        >>> issubclass(text.GloVe, text.Vectors)
        True
    """

    _names = "glove.6B.*.txt"


class FastText(Vectors):
    """Vectors of words of the files of fastText, ``*.vec``; made by `from_file`.

    Examples:
        >>> from sporax.dataset import text
        >>> issubclass(text.FastText, text.Vectors)
        True
    """

    _names = "*.vec"


class CharNGram(Vectors):
    """Vectors of n-grams of two to four letters; that of a word is the mean of its n-grams'. Made by `from_file`.

    Examples:
        >>> import pathlib, tempfile
        >>> from sporax.dataset import text
        >>> path = pathlib.Path(tempfile.mkdtemp(), "letters.txt")
        >>> _ = path.write_text("2gram-#BEGIN#a 1 2\\n2gram-ab 3 6\\n")
        >>> text.ToVectors(text.CharNGram.from_file(str(path)))("ab").tolist()
        [2.0, 4.0]
    """

    def _vector(self, token: str) -> np.ndarray | None:
        letters = ["#BEGIN#", *token, "#END#"]
        grams = [f"{n}gram-{''.join(letters[k : k + n])}" for n in (2, 3, 4) for k in range(len(letters) - n + 1)]
        rows = [self._rows[gram] for gram in grams if gram in self._rows]
        return self._table[rows].mean(0) if rows else None


class ToVectors(TextTensorOperation):
    """Gives the vectors of words.

    Args:
        vectors (Vectors): The vectors.
        unk_init (sequence, optional): The vector of words that have none. Default: ``None``, zeros.
        lower_case_backup (bool): Whether words are looked up in small letters. Default: ``False``.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If `unk_init` has another length than the vectors, or the input is not text.

    Examples:
        >>> import pathlib, tempfile
        >>> from sporax.dataset import text
        >>> path = pathlib.Path(tempfile.mkdtemp(), "vectors.txt")
        >>> _ = path.write_text("ok 0.5 1\\n")
        >>> text.ToVectors(text.Vectors.from_file(str(path)), [-1, -1], True)(["OK", "?"]).tolist()
        [[0.5, 1.0], [-1.0, -1.0]]
    """

    def __init__(self, vectors: Vectors, unk_init: object = None, lower_case_backup: bool = False) -> None:
        if not isinstance(vectors, Vectors):
            raise TypeError(f"text.ToVectors: vectors must be Vectors, got {describe(vectors)}.")
        if unk_init is not None and not isinstance(unk_init, (list, tuple)):
            raise TypeError(f"text.ToVectors: unk_init must be a list or tuple, got {describe(unk_init)}.")
        for value in unk_init or ():
            if not isinstance(value, (int, float)):
                raise TypeError(f"text.ToVectors: unk_init must hold numbers, got {describe(value)}.")
        if unk_init and len(unk_init) != vectors._width:
            raise RuntimeError(
                f"text.ToVectors: unk_init must be as long as the vectors, {vectors._width}, got {len(unk_init)}."
            )
        self.vectors = vectors
        self.unknown = np.array(unk_init, np.float32) if unk_init else np.zeros(vectors._width, np.float32)
        checks.boolean("text.ToVectors", "lower_case_backup", lower_case_backup)
        self.lower_case_backup = lower_case_backup

    def _apply(self, array: np.ndarray) -> np.ndarray:
        if array.dtype.kind != "U":
            raise RuntimeError(f"text.ToVectors: expected text, got {describe(array)}.")
        vectors = np.stack([self._of(token) for token in array.ravel().tolist()])
        return vectors[0] if len(vectors) == 1 else vectors

    def _of(self, token: str) -> np.ndarray:
        vector = self.vectors._vector(token.lower() if self.lower_case_backup else token)
        return self.unknown if vector is None else vector
