"""Sources of sentences in two languages: Multi30k, IWSLT 2016 and 2017."""

from __future__ import annotations

import os
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.folder_files import FolderFilesDataset

_TAGS = ("<url", "<keywords", "<talkid", "<description", "<reviewer", "<translator", "<title", "<speaker", "<doc",
         "</doc")  # fmt: skip


class _PairsDataset(FolderFilesDataset):
    """A subclass maps the path in one language to that in the other; rows are pairs of lines of both files."""

    _names = ("text", "translation")
    language_pair: tuple[str, str]

    def _choose(self, language_pair: object, default: tuple[str, str], allowed: list[tuple[str, str]]) -> None:
        where, pair = type(self).__name__, default if language_pair is None else language_pair
        if not isinstance(pair, (list, tuple)) or not all(isinstance(language, str) for language in pair):
            raise TypeError(f"{where}: language_pair must be a list or tuple of two str, got {describe(pair)}.")
        if tuple(pair) not in allowed:
            raise ValueError(f"{where}: language_pair must be one of {allowed}, got {describe(pair)}.")
        self.language_pair = (pair[0], pair[1])

    def _other(self, path: str) -> str:
        raise NotImplementedError

    def _sentences(self, path: str) -> list[str]:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()

    def _read(self, path: str) -> Iterator[Row]:
        pairs = zip(self._sentences(path), self._sentences(self._other(path)), strict=False)
        yield from ((np.array(one), np.array(other)) for one, other in pairs if one or other)


class Multi30kDataset(_PairsDataset):
    """Gives the sentences of the Multi30k files in two languages.

    Args:
        dataset_dir (str): The folder with ``training/train.en``, ``validation/val.en``, ``mmt16_task1_test/test.en``
            and those that end in ``.de``.
        usage (str, optional): ``'train'``, ``'test'``, ``'valid'`` or ``'all'``. Default: ``None``, all.
        language_pair (Sequence[str], optional): ``['en', 'de']`` or ``['de', 'en']``. Default: ``None``, the first.
        num_samples, num_parallel_workers, num_shards, shard_id, cache: See `AGNewsDataset`.
        shuffle (Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``None``, they do.

    The errors are those of `AGNewsDataset`; another `language_pair` is a ValueError.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.Multi30kDataset(tempfile.mkdtemp(), language_pair=["en", "fr"])
        Traceback (most recent call last):
            ...
        ValueError: Multi30kDataset: language_pair must be one of [('en', 'de'), ('de', 'en')], got ['en', 'fr'].
    """

    _usages = {"test": ("mmt16_task1_test/test",), "train": ("training/train",), "valid": ("validation/val",)}

    def __init__(
        self, dataset_dir: str, usage: str | None = None, language_pair: object = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, num_shards: int | None = None,
        shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        self._choose(language_pair, ("en", "de"), [("en", "de"), ("de", "en")])
        self._usages = {usage: (f"{start[0]}.{self.language_pair[0]}",) for usage, start in self._usages.items()}
        shuffle = Shuffle.GLOBAL if shuffle is None else shuffle
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _other(self, path: str) -> str:
        return f"{path[:-2]}{self.language_pair[1]}"


class _TalksDataset(_PairsDataset):
    """The layout of IWSLT: tags beside the sentences for training, XML for the others."""

    def _other(self, path: str) -> str:
        start, _, end = path.rpartition(f".{self.language_pair[0]}")
        return f"{start}.{self.language_pair[1]}{end}"

    def _set_usages(self, folder: str, start: str, sets: dict[str, str]) -> None:
        source, pair = self.language_pair[0], "-".join(self.language_pair)
        self._usages = {"train": (os.path.join(folder, f"train.tags.{pair}.{source}"),)} | {
            usage: (os.path.join(folder, f"{start}.TED.{name}.{pair}.{source}.xml"),) for usage, name in sets.items()
        }

    def _sentences(self, path: str) -> list[str]:
        if path.endswith(".xml"):
            return [(segment.text or "").strip(" ") for segment in ElementTree.parse(path).iter("seg")]
        return [line.strip(" ") for line in super()._sentences(path) if not any(tag in line for tag in _TAGS)]


class IWSLT2016Dataset(_TalksDataset):
    """Gives the sentences of the IWSLT 2016 files in two languages.

    Args:
        dataset_dir (str): The folder with ``texts/de/en/de-en/train.tags.de-en.de`` and so on.
        usage (str, optional): ``'train'``, ``'valid'``, ``'test'`` or ``'all'``. Default: ``None``, all.
        language_pair (Sequence[str], optional): English and one of Arabic, Czech, French and German, in either order.
            Default: ``None``, ``('de', 'en')``.
        valid_set (str, optional): ``'dev2010'`` or ``'tst2010'`` to ``'tst2014'``. Default: ``None``, ``'tst2013'``.
        test_set (str, optional): The same. Default: ``None``, ``'tst2014'``.

    The other arguments and the errors are those of `SogouNewsDataset`; another `language_pair` is a ValueError.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.IWSLT2016Dataset(tempfile.mkdtemp(), test_set="tst2020")
        Traceback (most recent call last):
            ...
        ValueError: IWSLT2016Dataset: test_set must be one of [...], got 'tst2020'.
    """

    def __init__(
        self, dataset_dir: str, usage: str | None = None, language_pair: object = None, valid_set: str | None = None,
        test_set: str | None = None, num_samples: int | None = None, shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None, shard_id: int | None = None, num_parallel_workers: int | None = None,
        cache: object = None,
    ) -> None:  # fmt: skip
        others = ("ar", "cs", "de", "fr")
        self._choose(language_pair, ("de", "en"), [("en", x) for x in others] + [(x, "en") for x in others])
        sets = ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014")
        self.valid_set = checks.chosen("IWSLT2016Dataset", "valid_set", valid_set or "tst2013", sets)
        self.test_set = checks.chosen("IWSLT2016Dataset", "test_set", test_set or "tst2014", sets)
        folder = os.path.join("texts", *self.language_pair, "-".join(self.language_pair))
        self._set_usages(folder, "IWSLT16", {"valid": self.valid_set, "test": self.test_set})
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)


class IWSLT2017Dataset(_TalksDataset):
    """Gives the sentences of the IWSLT 2017 files in two languages.

    Args:
        dataset_dir (str): The folder with ``texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo``.
        usage (str, optional): ``'train'``, ``'valid'``, ``'test'`` or ``'all'``. Default: ``None``, all.
        language_pair (Sequence[str], optional): Two of German, English, Italian, Dutch and Romanian.
            Default: ``None``, ``('de', 'en')``.

    The other arguments and the errors are those of `SogouNewsDataset`; another `language_pair` is a ValueError.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.IWSLT2017Dataset(tempfile.mkdtemp(), language_pair="de")
        Traceback (most recent call last):
            ...
        TypeError: IWSLT2017Dataset: language_pair must be a list or tuple of two str, got 'de'.
    """

    def __init__(
        self, dataset_dir: str, usage: str | None = None, language_pair: object = None, num_samples: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL, num_shards: int | None = None, shard_id: int | None = None,
        num_parallel_workers: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        languages = ("de", "en", "it", "nl", "ro")
        self._choose(
            language_pair, ("de", "en"), [(one, other) for one in languages for other in languages if one != other]
        )
        folder = os.path.join("texts", "DeEnItNlRo", "DeEnItNlRo", "DeEnItNlRo-DeEnItNlRo")
        self._set_usages(folder, "IWSLT17", {"valid": "dev2010", "test": "tst2010"})
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
