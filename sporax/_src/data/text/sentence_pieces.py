"""Pieces of words by models of SentencePiece: training, saving, and cutting texts."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.atomic import replacing
from sporax._src.base.errors import describe, shown
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset, as_method
from sporax._src.data.text.base import TextTensorOperation


class SentencePieceModel(IntEnum):
    """The algorithm that trains a model of SentencePiece."""

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerLoadType(IntEnum):
    """Where a model of SentencePiece comes from."""

    FILE = 0
    MODEL = 1


class SPieceTokenizerOutType(IntEnum):
    """What `SentencePieceTokenizer` gives: pieces, or their numbers."""

    STRING = 0
    INT = 1


def _package() -> Any:
    try:
        import sentencepiece
    except ImportError as error:
        raise RuntimeError(
            f"models of SentencePiece need the package sentencepiece (pip install 'sporax[sentencepiece]'): {error}."
        ) from None
    return sentencepiece


class SentencePieceVocab:
    """A model of SentencePiece; made by `from_dataset` or `from_file`.

    Examples:
        >>> from sporax.dataset import text
        >>> text.SentencePieceVocab().model
        b''
    """

    def __init__(self) -> None:
        self.model = b""  # as SentencePiece writes it

    @classmethod
    def from_dataset(
        cls,
        dataset: Dataset,
        col_names: list[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: dict[str, str],
    ) -> SentencePieceVocab:
        """Return a model trained on a column of texts.

        Args:
            dataset (Dataset): The texts.
            col_names (list[str]): The column, ``'text'`` if there is none.
            vocab_size (int): How many pieces there are.
            character_coverage (float): The fraction of the characters that have pieces.
            model_type (SentencePieceModel): The algorithm.
            params (dict): Further options of SentencePiece's trainer.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If `vocab_size` is negative.
            RuntimeError: If the column does not exist or holds no texts, SentencePiece refuses to train, or is not there.
        """
        where = "text.SentencePieceVocab.from_dataset"
        if not isinstance(dataset, Dataset):
            raise TypeError(f"{where}: dataset must be a Dataset, got {describe(dataset)}.")
        if col_names is not None and not (isinstance(col_names, list) and all(isinstance(n, str) for n in col_names)):
            raise TypeError(f"{where}: col_names must be a list of str, got {describe(col_names)}.")
        options = _options(where, vocab_size, character_coverage, model_type, params)
        column = checks.positions(where, (col_names or ["text"])[:1], dataset.get_col_names())[0]
        # SentencePiece swallows the exceptions of an iterator, so the texts are read before it begins.
        return cls._trained(where, sentence_iterator=iter(list(_sentences(where, dataset, column))), **options)

    @classmethod
    def from_file(
        cls,
        file_path: list[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: dict[str, str],
    ) -> SentencePieceVocab:
        """Return a model trained on the lines of files.

        Args:
            file_path (list[str]): The files.
            vocab_size, character_coverage, model_type, params: See `from_dataset`.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If `vocab_size` is negative.
            RuntimeError: If a file is missing, SentencePiece refuses to train, or is not there.
        """
        where = "text.SentencePieceVocab.from_file"
        if not isinstance(file_path, list) or not file_path:
            raise TypeError(f"{where}: file_path must be a list of paths, got {describe(file_path)}.")
        options = _options(where, vocab_size, character_coverage, model_type, params)
        return cls._trained(where, input=",".join(map(os.fspath, file_path)), **options)

    @classmethod
    def _trained(cls, where: str, **options: object) -> SentencePieceVocab:
        vocab, written, trainer = cls(), io.BytesIO(), _package().SentencePieceTrainer
        try:
            trainer.train(model_writer=written, **options)
        except (OSError, RuntimeError, ValueError) as error:
            raise RuntimeError(f"{where}: SentencePiece cannot train: {error}.") from error
        vocab.model = written.getvalue()
        return vocab

    @classmethod
    def save_model(cls, vocab: SentencePieceVocab, path: str, filename: str) -> None:
        """Write a model as a file.

        Args:
            vocab (SentencePieceVocab): The model.
            path (str): The folder.
            filename (str): The name of the file.

        Raises:
            TypeError: If an argument has the wrong type.
            RuntimeError: If there is no such folder.
        """
        where = "text.SentencePieceVocab.save_model"
        if not isinstance(vocab, SentencePieceVocab):
            raise TypeError(f"{where}: vocab must be a SentencePieceVocab, got {describe(vocab)}.")
        for name, value in (("path", path), ("filename", filename)):
            if not isinstance(value, str):
                raise TypeError(f"{where}: {name} must be a str, got {describe(value)}.")
        if not os.path.isdir(path):
            raise RuntimeError(f"{where}: there is no folder {shown(path)}.")
        with replacing(os.path.join(path, filename)) as temporary:
            temporary.write_bytes(vocab.model)


def _options(
    where: str, vocab_size: object, character_coverage: object, model_type: object, params: object
) -> dict[str, Any]:
    checks.integer(where, "vocab_size", vocab_size, 0)
    if not isinstance(character_coverage, float):
        raise TypeError(f"{where}: character_coverage must be a float, got {describe(character_coverage)}.")
    if not isinstance(model_type, SentencePieceModel):
        raise TypeError(f"{where}: model_type must be a SentencePieceModel, got {describe(model_type)}.")
    if not isinstance(params, dict):
        raise TypeError(f"{where}: params must be a dict, got {describe(params)}.")
    fixed = {
        "vocab_size": vocab_size,
        "character_coverage": character_coverage,
        "model_type": model_type.name.lower(),
        "minloglevel": 1,
    }
    return {name: value for name, value in params.items() if name not in ("input", "model_prefix")} | fixed


def _sentences(where: str, dataset: Dataset, column: int) -> Iterator[str]:
    for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True):
        value = np.asarray(row[column])
        if value.dtype.kind not in "US" or value.size != 1:
            raise RuntimeError(f"{where}: expected one text in each row, got {describe(value)}.")
        yield value.astype(str).item()


@as_method
def build_sentencepiece_vocab(
    self: Dataset,
    columns: list[str],
    vocab_size: int,
    character_coverage: float,
    model_type: SentencePieceModel,
    params: dict[str, str],
) -> SentencePieceVocab:
    """Return a model trained on a column: `text.SentencePieceVocab.from_dataset` as MindSpore 1 has it."""
    return SentencePieceVocab.from_dataset(self, columns, vocab_size, character_coverage, model_type, params)


class SentencePieceTokenizer(TextTensorOperation):
    """Cuts a text into the pieces of a model of SentencePiece.

    Args:
        mode (Union[str, SentencePieceVocab]): The model, or its file.
        out_type (SPieceTokenizerOutType): Whether to give pieces, or their numbers as int32.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If the file is not a model, SentencePiece is not there, or the input is not one text.

    Examples:
        >>> from sporax.dataset import text
        >>> text.SentencePieceTokenizer("none.model", text.SPieceTokenizerOutType.INT)
        Traceback (most recent call last):
            ...
        RuntimeError: text.SentencePieceTokenizer: there is no file none.model.
    """

    def __init__(self, mode: str | SentencePieceVocab, out_type: SPieceTokenizerOutType) -> None:
        where = "text.SentencePieceTokenizer"
        if not isinstance(mode, (str, SentencePieceVocab)):
            raise TypeError(f"{where}: mode must be a str or a SentencePieceVocab, got {describe(mode)}.")
        if not isinstance(out_type, SPieceTokenizerOutType):
            raise TypeError(f"{where}: out_type must be an SPieceTokenizerOutType, got {describe(out_type)}.")
        if isinstance(mode, str) and not os.path.isfile(mode):
            raise RuntimeError(f"{where}: there is no file {shown(mode)}.")
        self.mode, self.out_type = mode, out_type
        self._processor = _package().SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(Path(mode).read_bytes() if isinstance(mode, str) else mode.model)
        except RuntimeError as error:
            named = shown(mode) if isinstance(mode, str) else "the vocabulary"
            raise RuntimeError(f"{where}: {named} is not a model of SentencePiece: {error}.") from error

    def _apply(self, array: np.ndarray) -> np.ndarray:
        text = self._text(array)
        if self.out_type is SPieceTokenizerOutType.INT:
            return np.array(self._processor.encode(text, out_type=int), np.int32)
        return np.array(self._processor.encode(text, out_type=str), np.str_)
