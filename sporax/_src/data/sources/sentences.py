"""Sources of lines, sentences and questions in text files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import shown
from sporax._src.base.json_text import parse_json
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.folder_files import FolderFilesDataset
from sporax._src.data.sources.stored import StoredDataset


def _lines(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


class PennTreebankDataset(FolderFilesDataset):
    """Gives the lines of the Penn Treebank files ``ptb.train.txt`` and so on.

    Args:
        dataset_dir (str): The folder of the files.
        usage (str, optional): ``'train'``, ``'test'``, ``'valid'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `AGNewsDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "ptb.test.txt"), "w") as file:
        ...     _ = file.write(" no it was n't black monday ")
        >>> next(ds.PennTreebankDataset(folder, "test").create_tuple_iterator(output_numpy=True))[0].item()
        " no it was n't black monday "
    """

    _usages = {"test": ("ptb.test.txt",), "train": ("ptb.train.txt",), "valid": ("ptb.valid.txt",)}

    def _read(self, path: str) -> Iterator[Row]:
        yield from ((np.array(line),) for line in _lines(path) if line)


class WikiTextDataset(PennTreebankDataset):
    """Gives the lines of the WikiText files ``wiki.train.tokens`` and so on.

    Args:
        dataset_dir (str): The folder of the files.
        usage (str, optional): ``'train'``, ``'test'``, ``'valid'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `AGNewsDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "wiki.test.tokens"), "w") as file:
        ...     _ = file.write(" = Robert <unk> = ")
        >>> next(ds.WikiTextDataset(folder, "test").create_tuple_iterator(output_numpy=True))[0].item()
        ' = Robert <unk> = '
    """

    _usages = {"test": ("wiki.test.tokens",), "train": ("wiki.train.tokens",), "valid": ("wiki.valid.tokens",)}


class EnWik9Dataset(FolderFilesDataset):
    """Gives the lines of the file ``enwik9``, empty ones too.

    Args:
        dataset_dir (str): The folder of the file.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): Accepted.
        shuffle (Union[bool, Shuffle]): Whether rows come in random order. Default: ``True``.

    The other arguments and the errors are those of `AGNewsDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "enwik9"), "w") as file:
        ...     _ = file.write("<page>\\n\\n</page>")
        >>> ds.EnWik9Dataset(folder).get_dataset_size()
        3
    """

    _usages = {"all": ("enwik9",)}

    def __init__(
        self, dataset_dir: str, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = True, num_shards: int | None = None, shard_id: int | None = None,
        cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(dataset_dir, None, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _read(self, path: str) -> Iterator[Row]:
        yield from ((np.array(line),) for line in _lines(path))


class CoNLL2000Dataset(FolderFilesDataset):
    """Gives the words, the tags and the chunks of each sentence of the CoNLL-2000 files, as vectors of text.

    Args:
        dataset_dir (str): The folder with ``train.txt`` and ``test.txt``.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `SogouNewsDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "test.txt"), "w") as file:
        ...     _ = file.write("It PRP B-NP\\nrose VBD B-VP\\n\\n")
        >>> [row["word"] for row in ds.CoNLL2000Dataset(folder, "test").create_dict_iterator(1, output_numpy=True)]
        [array(['It', 'rose'], dtype='<U4')]
    """

    _names = ("word", "pos_tag", "chunk_tag")
    _usages = {"test": ("test.txt",), "train": ("train.txt",)}
    _between = " "

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL, num_shards: int | None = None, shard_id: int | None = None,
        num_parallel_workers: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _read(self, path: str) -> Iterator[Row]:
        sentence: list[list[str]] = []
        for number, line in enumerate([*_lines(path), ""]):
            values = line.strip(" ").split(self._between)
            if values == [""]:
                if sentence:
                    yield tuple(np.array(column) for column in zip(*sentence, strict=True))
                sentence = []
            elif len(values) < 3:
                raise RuntimeError(f"{type(self).__name__}: line {number} of {path} must have three values: {line!r}.")
            else:
                sentence.append(values[:3])


class UDPOSDataset(CoNLL2000Dataset):
    """Gives the words and the tags (universal, Stanford) of each sentence of the UDPOS files, as vectors of text.

    Args:
        dataset_dir (str): The folder with ``en-ud-tag.v2.train.txt`` and so on.
        usage (str, optional): ``'train'``, ``'test'``, ``'valid'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `SogouNewsDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "en-ud-tag.v2.dev.txt"), "w") as file:
        ...     _ = file.write("It\\tPRON\\tPRP\\n")
        >>> [row["universal"] for row in ds.UDPOSDataset(folder, "valid").create_dict_iterator(1, output_numpy=True)]
        [array(['PRON'], dtype='<U4')]
    """

    _names = ("word", "universal", "stanford")
    _usages = {usage: (f"en-ud-tag.v2.{part}.txt",) for usage, part in
              (("valid", "dev"), ("test", "test"), ("train", "train"))}  # fmt: skip
    _between = "\t"


class SST2Dataset(FolderFilesDataset):
    """Gives the sentences of the SST-2 files and, except for the test, their labels, as text.

    Args:
        dataset_dir (str): The folder with ``train.tsv``, ``dev.tsv`` and ``test.tsv``.
        usage (str, optional): ``'train'``, ``'dev'`` or ``'test'``. Default: ``None``, the rows for training.

    The other arguments and the errors are those of `AGNewsDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "dev.tsv"), "w") as file:
        ...     _ = file.write("sentence\\tlabel\\na smart , warm film \\t1\\n")
        >>> [row["label"].item() for row in ds.SST2Dataset(folder, "dev").create_dict_iterator(1, output_numpy=True)]
        ['1']
    """

    _usages = {"train": ("train.tsv",), "test": ("test.tsv",), "dev": ("dev.tsv",)}
    _default = "train"

    def _columns(self) -> list[str]:
        return ["sentence"] if self.usage == "test" else ["sentence", "label"]

    def _read(self, path: str) -> Iterator[Row]:
        for number, line in enumerate(_lines(path)):
            values = line.split("\t")
            if number and len(values) != 2:
                raise RuntimeError(f"SST2Dataset: line {number} of {path} must have two values: {line!r}.")
            if number:
                yield tuple(np.array(value) for value in values[self.usage == "test" :])


class SQuADDataset(FolderFilesDataset):
    """Gives the questions of the SQuAD files, 1.1 or 2.0: context, question, the texts of the answers, where they start.

    Args:
        dataset_dir (str): The folder with ``train-v1.1.json`` and ``dev-v1.1.json``, or those of version 2.0.
        usage (str, optional): ``'train'``, ``'dev'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `AGNewsDataset`.

    Examples:
        >>> import json, os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> asked = {"question": "Who?", "answers": [{"text": "Ann", "answer_start": 0}]}
        >>> with open(os.path.join(folder, "dev-v2.0.json"), "w") as file:
        ...     json.dump({"data": [{"paragraphs": [{"context": "Ann did.", "qas": [asked]}]}]}, file)
        >>> [row["answer_start"] for row in ds.SQuADDataset(folder, "dev").create_dict_iterator(1, output_numpy=True)]
        [array([0], dtype=uint32)]
    """

    _names = ("context", "question", "text", "answer_start")
    _usages = {"train": ("train",), "dev": ("dev",)}

    def _matching(self, dataset_files: object) -> list[str]:
        matches = []
        for part in [self.usage] if self.usage in self._usages else self._usages:
            paths = [os.path.join(self.dataset_dir, f"{part}-v{version}.json") for version in ("1.1", "2.0")]
            matches += [path for path in paths if os.path.isfile(path)][:1]
        if not matches:
            names = [
                f"{part}-v{version}.json"
                for part in ("train", "dev")
                if self.usage in ("all", part)
                for version in ("1.1", "2.0")
            ]
            raise RuntimeError(f"SQuADDataset: {shown(self.dataset_dir)} has none of {names}.")
        return matches

    def _read(self, path: str) -> Iterator[Row]:
        with open(path, encoding="utf-8") as file:
            try:
                articles = parse_json(file.read())["data"]
                for paragraph in (paragraph for article in articles for paragraph in article["paragraphs"]):
                    for asked in paragraph["qas"]:
                        answers = asked["answers"] or [{"text": "", "answer_start": 2**32 - 1}]
                        yield (
                            np.array(paragraph["context"]),
                            np.array(asked["question"]),
                            np.array([answer["text"] for answer in answers]),
                            np.array([answer["answer_start"] for answer in answers], np.uint32),
                        )
            except (KeyError, TypeError, ValueError) as error:
                raise RuntimeError(f"SQuADDataset: {shown(path)} holds no questions: {shown(repr(error))}.") from error


class IMDBDataset(StoredDataset):
    """Gives the reviews of the IMDb files as text, and 1 (int32) for the positive ones, 0 for the negative.

    Args:
        dataset_dir (str): The folder with ``train/pos``, ``train/neg``, ``test/pos`` and ``test/neg``.
        usage (str, optional): ``'train'``, ``'test'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `MnistDataset`.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> for kind in ("pos", "neg"):
        ...     os.makedirs(os.path.join(folder, "test", kind))
        >>> with open(os.path.join(folder, "test", "pos", "0_9.txt"), "w") as file:
        ...     _ = file.write("Great film.")
        >>> next(ds.IMDBDataset(folder, "test").create_dict_iterator(1, output_numpy=True))["text"].item()
        'Great film.'
    """

    _names = ("text", "label")
    _choices = {"usage": ("all", "train", "test")}
    _labelled = True

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, sampler: object = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, usage=usage
        )

    def _find(self, usage: str) -> Sequence[Any]:
        return [
            (self._at(part, kind, name), label)
            for part in (("train", "test") if usage == "all" else (usage,))
            for label, kind in ((1, "pos"), (0, "neg"))
            for name in self._listed(part, kind)
        ]

    def _read(self, path: str, label: int) -> Row:
        lines = self._text(path).splitlines() or [""]
        return np.array(lines[-1]), np.array(label, np.int32)  # a review is a line; of several MindSpore gives the last
