"""Vocab: words and their numbers."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, as_method


def _words(name: str, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise TypeError(f"text.Vocab: {name} must be a list of str, got {describe(value)}.")
    for word, count in Counter(value).items():
        if count > 1:
            raise ValueError(f"text.Vocab: {name} contains duplicate word: {word}.")
    return value


class Vocab:
    """Words and their numbers; made by `from_list`, `from_dict`, `from_file` or `from_dataset`.

    Examples:
        >>> from sporax.dataset import text
        >>> vocab = text.Vocab.from_list(["a", "b"], special_tokens=["<pad>"])
        >>> vocab.vocab(), vocab.tokens_to_ids(["b", "?"]), vocab.ids_to_tokens(1)
        ({'<pad>': 0, 'a': 1, 'b': 2}, [2, -1], 'a')
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words: dict[int, str] = {}

    @classmethod
    def from_dict(cls, word_dict: dict[str, int]) -> Vocab:
        """Return the vocabulary of words and their numbers.

        Raises:
            TypeError: If `word_dict` is not a dictionary from str to int.
            ValueError: If a number is negative.
        """
        if not isinstance(word_dict, dict) or not all(isinstance(word, str) for word in word_dict):
            raise TypeError(f"text.Vocab: word_dict must be a dict from str to int, got {describe(word_dict)}.")
        vocab = cls()
        vocab._numbers = {word: checks.integer("text.Vocab", "word_id", k, 0) for word, k in word_dict.items()}
        vocab._words = {number: word for word, number in vocab._numbers.items()}
        return vocab

    @classmethod
    def from_list(
        cls, word_list: list[str], special_tokens: list[str] | None = None, special_first: bool = True
    ) -> Vocab:
        """Return the vocabulary of words in order.

        Args:
            word_list (list[str]): The words.
            special_tokens (list[str], optional): Further words, such as ``<unk>``. Default: ``None``.
            special_first (bool): Whether they come first, else last. Default: ``True``.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a word comes twice.
        """
        words, special = _words("word_list", word_list), _words("special_tokens", special_tokens or [])
        checks.boolean("text.Vocab", "special_first", special_first)
        both = _words("word_list and special_tokens", special + words if special_first else words + special)
        return cls.from_dict({word: number for number, word in enumerate(both)})

    @classmethod
    def from_file(
        cls,
        file_path: str,
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """Return the vocabulary of a file with one word a line.

        Args:
            file_path (str): The file.
            delimiter (str): What ends the word, if more follows on its line. Default: ``''``, nothing.
            vocab_size (int, optional): How many lines to read. Default: ``None``, all.
            special_tokens (list[str], optional): As for `from_list`.
            special_first (bool): As for `from_list`.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If `vocab_size` is not positive, or a word comes twice.
            RuntimeError: If the file does not exist.
        """
        if not isinstance(file_path, (str, os.PathLike)) or not isinstance(delimiter, str):
            raise TypeError(
                f"text.Vocab: expected a path and a str, got {describe(file_path)} and {describe(delimiter)}."
            )
        if not os.path.isfile(file_path):
            raise RuntimeError(f"text.Vocab: the file {os.fspath(file_path)} does not exist.")
        if vocab_size is not None:
            checks.integer("text.Vocab", "vocab_size", vocab_size, 1)
        with open(file_path, encoding="utf-8") as file:
            lines = [line.rstrip("\r\n") for line in file][:vocab_size]
        words = [line.split(delimiter)[0] if delimiter else line for line in lines]
        return cls.from_list(words, special_tokens, special_first)

    @classmethod
    def from_dataset(
        cls,
        dataset: Dataset,
        columns: str | list[str] | None = None,
        freq_range: tuple[int | None, int | None] | None = None,
        top_k: int | None = None,
        special_tokens: list[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:
        """Return the vocabulary of the words of a dataset, the most frequent first, equally frequent ones by alphabet.

        Args:
            dataset (Dataset): The dataset.
            columns (Union[str, list[str]], optional): The columns to read. Default: ``None``, all.
            freq_range (tuple, optional): How often a word must come at least and at most. Default: ``None``.
            top_k (int, optional): How many words to keep. Default: ``None``, all.
            special_tokens (list[str], optional): As for `from_list`.
            special_first (bool): As for `from_list`.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If `top_k` is not positive.
            RuntimeError: If a column does not exist, or holds no text.
        """
        low, high = (None, None) if freq_range is None else freq_range
        if top_k is not None:
            checks.integer("text.Vocab", "top_k", top_k, 1)
        counts: Counter[str] = Counter()
        for row in dataset.create_tuple_iterator(columns, num_epochs=1, output_numpy=True):
            for value in row:
                if np.asarray(value).dtype.kind != "U":
                    raise RuntimeError(f"text.Vocab: expected columns of text, got {describe(value)}.")
                counts.update(np.asarray(value).ravel().tolist())
        selected = [(-n, word) for word, n in counts.items() if (low or 0) <= n <= (high or n)]
        return cls.from_list([word for _, word in sorted(selected)[:top_k]], special_tokens, special_first)

    def vocab(self) -> dict[str, int]:
        """Return the words and their numbers."""
        return dict(self._numbers)

    def tokens_to_ids(self, tokens: str | list[str]) -> Any:
        """Return the number of a word, or of each; -1 for words that are not there.

        Raises:
            TypeError: If `tokens` is something else.
        """
        if isinstance(tokens, str):
            return self._numbers.get(tokens, -1)
        listed = tokens.tolist() if isinstance(tokens, np.ndarray) else tokens
        if not isinstance(listed, list) or not all(isinstance(token, str) for token in listed):
            raise TypeError(f"text.Vocab.tokens_to_ids: expected a str or a list of them, got {describe(tokens)}.")
        return [self._numbers.get(token, -1) for token in listed]

    def ids_to_tokens(self, ids: int | list[int]) -> Any:
        """Return the word of a number, or of each; an empty one for numbers that are not there.

        Raises:
            TypeError: If `ids` is something else.
        """
        listed = ids.tolist() if isinstance(ids, (np.ndarray, np.generic)) else ids
        if isinstance(listed, int) and not isinstance(listed, bool):
            return self._words.get(listed, "")
        if not isinstance(listed, list) or not all(isinstance(k, int) for k in listed):
            raise TypeError(f"text.Vocab.ids_to_tokens: expected an int or a list of them, got {describe(ids)}.")
        return [self._words.get(number, "") for number in listed]

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def __len__(self) -> int:
        return len(self._numbers)


def check_vocab(where: str, vocab: object) -> Vocab:
    """Return `vocab` if it is one.

    Raises:
        TypeError: If it is not.
    """
    if not isinstance(vocab, Vocab):
        raise TypeError(f"{where}: vocab must be a text.Vocab, got {describe(vocab)}.")
    return vocab


@as_method
def build_vocab(
    self: Dataset,
    columns: str | list[str] | None,
    freq_range: tuple[int | None, int | None] | None,
    top_k: int | None,
    special_tokens: list[str] | None,
    special_first: bool,
) -> Vocab:
    """Return the vocabulary of the words: `text.Vocab.from_dataset` as MindSpore 1 has it (2.7 warns, and returns None)."""
    return Vocab.from_dataset(self, columns, freq_range, top_k, special_tokens, special_first)
