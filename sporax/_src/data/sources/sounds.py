"""Sources of sounds: WAV and SPHERE files of 16 bits, and the metadata of each."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.data import checks
from sporax._src.data.dataset import Row
from sporax._src.data.samplers import Shuffle
from sporax._src.data.sources.gtzan_split import in_split
from sporax._src.data.sources.stored import StoredDataset


class _SoundsDataset(StoredDataset):
    """Base of the sources with a folder and a usage, one of `_choices`."""

    _choices = {"usage": ("all", "train", "test", "valid")}

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, sampler: object = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, usage=usage
        )

    def _wave(self, path: str, expected: int | None = None) -> tuple[np.ndarray, int]:
        """Return the samples of a WAV file, a row of float32 of [-1, 1], and their number per second."""
        raw = self._bytes(path)
        if len(raw) < 44 or raw[:4] != b"RIFF" or raw[8:12] != b"WAVE":
            raise RuntimeError(f"{type(self).__name__}: {path} is not a WAV file.")
        rate, bits = struct.unpack_from("<I", raw, 24)[0], struct.unpack_from("<H", raw, 34)[0]
        if bits != 16:
            raise RuntimeError(f"{type(self).__name__}: {path} must have samples of 16 bits, it has {bits}.")
        if expected is not None and rate != expected:
            raise RuntimeError(f"{type(self).__name__}: {path} must have {expected} samples a second, it has {rate}.")
        size = struct.unpack_from("<I", raw, 40)[0] // 2
        samples = np.frombuffer(raw, "<i2", min(size, (len(raw) - 44) // 2), 44)
        return (samples.astype(np.float32) / np.float32(32767))[None], rate


class _PlainSoundsDataset(_SoundsDataset):
    """Base of the sources without a usage."""

    def __init__(
        self, dataset_dir: str, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None, sampler: object = None, num_shards: int | None = None,
        shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        super().__init__(
            dataset_dir, None, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )


class CMUArcticDataset(_SoundsDataset):
    """Gives waveform (float32, ``(1, n)``), sample rate (uint32), transcript and utterance of one CMU Arctic voice.

    Args:
        dataset_dir (str): The folder with ``cmu_us_aew_arctic`` and so on.
        name (str, optional): The voice, such as ``'slt'``. Default: ``None``, ``'aew'``.

    The other arguments and the errors are those of `SpeechCommandsDataset`.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.CMUArcticDataset(tempfile.mkdtemp(), "hal")
        Traceback (most recent call last):
            ...
        ValueError: CMUArcticDataset: name must be one of [...], got 'hal'.
    """

    _names = ("waveform", "sample_rate", "transcript", "utterance_id")
    _voices = ("aew", "ahw", "aup", "awb", "axb", "bdl", "clb", "eey", "fem", "gka", "jmk", "ksp", "ljm", "lnh",
               "rms", "rxr", "slp", "slt")  # fmt: skip

    def __init__(
        self, dataset_dir: str, name: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None, sampler: object = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        self.name = checks.chosen("CMUArcticDataset", "name", name, self._voices)
        super().__init__(
            dataset_dir, None, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        )

    def _find(self, usage: str) -> Sequence[Any]:
        folder = f"cmu_us_{self.name}_arctic"
        matches = [re.match(r'\( (.*?) "(.*?)"', line) for line in self._lines(folder, "etc", "txt.done.data")]
        if None in matches:
            raise RuntimeError(
                f"CMUArcticDataset: a line of {folder}/etc/txt.done.data is not a name and a quoted text."
            )
        return [(self._at(folder, "wav", f"{match[1]}.wav"), *match.groups()) for match in matches if match]

    def _read(self, path: str, name: str, transcript: str) -> Row:
        wave, rate = self._wave(path, 16000)
        return wave, np.array(rate, np.uint32), np.array(transcript), np.array(name.rpartition("_")[2])


class GTZANDataset(_SoundsDataset):
    """Gives waveform (float32, ``(1, n)``), sample rate (uint32) and genre of the GTZAN files.

    Args:
        dataset_dir (str): The folder with ``blues/blues.00000.wav`` and so on.
        usage (str, optional): ``'train'``, ``'valid'``, ``'test'``, the parts without faulty files, or ``'all'``.
            Default: ``None``, all.

    The other arguments and the errors are those of `SpeechCommandsDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.GTZANDataset, ds.MappableDataset)
        True
    """

    _names = ("waveform", "sample_rate", "label")
    _expected = "files such as blues/blues.00000.wav"
    _genres = ("blues", "classical", "country", "disco", "hiphop", "jazz", "metal", "pop", "reggae", "rock")

    def _find(self, usage: str) -> Sequence[Any]:
        there = [genre for genre in self._genres if os.path.isdir(self._at(genre))]
        names = [(genre, name) for genre in there for name in self._listed(genre, ending=".wav") if name.count(".") > 1]
        return [(self._at(*pair), pair[0]) for pair in names if usage == "all" or in_split(usage, *pair)]

    def _read(self, path: str, genre: str) -> Row:
        wave, rate = self._wave(path, 22050)
        return wave, np.array(rate, np.uint32), np.array(genre)


class LibriTTSDataset(_SoundsDataset):
    """Gives waveform (float32, ``(1, n)``), sample rate, texts, speaker, chapter and utterance of the LibriTTS files.

    Args:
        dataset_dir (str): The folder with ``dev-clean`` and so on.
        usage (str, optional): ``'dev-clean'``, ``'dev-other'``, ``'test-clean'``, ``'test-other'``,
            ``'train-clean-100'``, ``'train-clean-360'``, ``'train-other-500'`` or ``'all'``. Default: ``None``, all.

    The other arguments and the errors are those of `SpeechCommandsDataset`.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.LibriTTSDataset, ds.MappableDataset)
        True
    """

    _names = ("waveform", "sample_rate", "original_text", "normalized_text", "speaker_id", "chapter_id", "utterance_id")
    _expected = "files such as dev-clean/84/121123/84_121123.trans.tsv"
    _choices = {"usage": ("all", "dev-clean", "dev-other", "test-clean", "test-other", "train-clean-100",
                          "train-clean-360", "train-other-500")}  # fmt: skip

    def _find(self, usage: str) -> Sequence[Any]:
        entries = []
        for part in self._choices["usage"][1:] if usage == "all" else (usage,):
            for folder, folders, names in os.walk(self._at(part)):
                folders.sort()
                for name in sorted(name for name in names if name.endswith(".trans.tsv"))[:1]:
                    lines = self._lines(os.path.relpath(os.path.join(folder, name), self.dataset_dir))
                    entries += [(folder, *line.split("\t", 2)) for line in lines]
        if any(len(entry) != 4 or entry[1].count("_") != 3 for entry in entries):
            raise RuntimeError(f"LibriTTSDataset: a line below {self.dataset_dir} is not an utterance with two texts.")
        return entries

    def _read(self, folder: str, utterance: str, original: str, normalized: str) -> Row:
        wave, rate = self._wave(os.path.join(folder, f"{utterance}.wav"), 24000)
        speaker, chapter = (np.array(int(part), np.uint32) for part in utterance.split("_")[:2])
        return (wave, np.array(rate, np.uint32), np.array(original), np.array(normalized), speaker, chapter,
                np.array(utterance))  # fmt: skip


class LJSpeechDataset(_PlainSoundsDataset):
    """Gives waveform (float32, ``(1, n)``), sample rate (int32), text and text with numbers as words of LJ Speech.

    Args:
        dataset_dir (str): The folder with ``metadata.csv`` and ``wavs``.

    The other arguments and the errors are those of `SpeechCommandsDataset`, except for the usage.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "metadata.csv"), "w") as file:
        ...     _ = file.write("LJ001-0001|in 1865|in eighteen sixty-five")
        >>> ds.LJSpeechDataset(folder).get_col_names()
        ['waveform', 'sample_rate', 'transcription', 'normalized_transcription']
    """

    _names = ("waveform", "sample_rate", "transcription", "normalized_transcription")

    def _find(self, usage: str) -> Sequence[Any]:
        rows = [line.split("|") for line in self._lines("metadata.csv")]
        if any(len(row) < 3 for row in rows):
            raise RuntimeError("LJSpeechDataset: a line of metadata.csv is not a name and two texts between bars.")
        return [tuple(row[:3]) for row in rows]

    def _read(self, name: str, transcription: str, normalized: str) -> Row:
        wave, rate = self._wave(self._at("wavs", f"{name}.wav"))
        return wave, np.array(rate, np.int32), np.array(transcription), np.array(normalized)


class SpeechCommandsDataset(_SoundsDataset):
    """Gives waveform (float32, ``(1, n)``), sample rate (int32), word, speaker and number (int32) of Speech Commands.

    Args:
        dataset_dir (str): The folder with one folder a word, ``testing_list.txt`` and ``validation_list.txt``.
        usage (str, optional): ``'train'``, ``'test'``, ``'valid'`` or ``'all'``. Default: ``None``, all.
        num_samples (int, optional): The maximum number of rows. Default: ``None``, all.
        num_parallel_workers (int, optional): How many threads read files. Default: the configured number.
        shuffle (bool, optional): Whether rows come in random order. Default: ``None``, they do.
        sampler (Union[Sampler, Iterable], optional): The selection and order of the rows.
        num_shards (int, optional): How many devices share the rows.
        shard_id (int, optional): The number of this share.
        cache (optional): Accepted and ignored.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the folder does not exist, or `usage` is unknown.
        RuntimeError: If arguments exclude each other, or a file is missing or broken.

    Examples:
        >>> import os, tempfile
        >>> import sporax.dataset as ds
        >>> folder = tempfile.mkdtemp()
        >>> os.mkdir(os.path.join(folder, "cat"))
        >>> with open(os.path.join(folder, "cat", "0a2b_nohash_1.wav"), "wb") as file:
        ...     _ = file.write(b"RIFF")
        >>> ds.SpeechCommandsDataset(folder).get_dataset_size()
        1
    """

    _names = ("waveform", "sample_rate", "label", "speaker_id", "utterance_number")
    _expected = "files such as yes/00f0204f_nohash_0.wav"

    def _find(self, usage: str) -> Sequence[Any]:
        lists = {"test": "testing_list.txt", "valid": "validation_list.txt"}
        if usage in lists:
            return [(name,) for name in sorted(set(self._lines(lists[usage])))]
        words = [word for word in self._listed(folders=True) if word != "_background_noise_"]
        names = {f"{word}/{name}" for word in words for name in self._listed(word, ending=".wav")}
        if usage == "train":
            names -= {name for file in lists.values() if os.path.isfile(self._at(file)) for name in self._lines(file)}
        return [(name,) for name in sorted(names)]

    def _read(self, name: str) -> Row:
        wave, rate = self._wave(self._at(name))
        match = re.fullmatch(r"(.*)/(.*)_nohash_(\d+)\.wav", name)
        if match is None:
            raise RuntimeError(f"SpeechCommandsDataset: {name} is not the name of a speaker and a number.")
        return (wave, np.array(rate, np.int32), np.array(match[1]), np.array(match[2]),
                np.array(int(match[3]), np.int32))  # fmt: skip


class YesNoDataset(_PlainSoundsDataset):
    """Gives waveform (float32, ``(1, n)``), sample rate (int32) and the eight words, 0 or 1 (int32), of the YesNo files.

    Args:
        dataset_dir (str): The folder with ``0_0_0_1_0_0_0_1.wav`` and so on.

    The other arguments and the errors are those of `SpeechCommandsDataset`, except for the usage.

    Examples:
        >>> import sporax.dataset as ds
        >>> issubclass(ds.YesNoDataset, ds.MappableDataset)
        True
    """

    _names = ("waveform", "sample_rate", "label")
    _expected = "files such as 0_0_0_1_0_0_0_1.wav"

    def _find(self, usage: str) -> Sequence[Any]:
        return [(name,) for name in self._listed(ending=".wav")]

    def _read(self, name: str) -> Row:
        wave, rate = self._wave(self._at(name))
        words = name.removesuffix(".wav").split("_")
        if not all(word.isdecimal() for word in words):
            raise RuntimeError(f"YesNoDataset: {name} is not a name of digits.")
        return wave, np.array(rate, np.int32), np.array([int(word) for word in words], np.int32)


class TedliumDataset(StoredDataset):
    """Gives waveform (float32, ``(1, n)``), sample rate (int32), transcript, talk, speaker and identifier of TED-LIUM.

    Args:
        dataset_dir (str): The folder with ``train/sph``, ``train/stm`` and so on; of release 3, ``data/sph``.
        release (str): ``'release1'``, ``'release2'`` or ``'release3'``.
        usage (str, optional): ``'train'``, ``'test'``, ``'dev'`` or ``'all'``; of release 3, ``'all'``.
            Default: ``None``, all.
        extensions (str, optional): The ending of the sounds. Default: ``None``, ``'.sph'``.

    The other arguments and the errors are those of `SpeechCommandsDataset`.

    Examples:
        >>> import tempfile
        >>> import sporax.dataset as ds
        >>> ds.TedliumDataset(tempfile.mkdtemp(), "release3", "train")
        Traceback (most recent call last):
            ...
        ValueError: TedliumDataset: usage must be one of ['all'], got 'train'.
    """

    _names = ("waveform", "sample_rate", "transcript", "talk_id", "speaker_id", "identifier")

    def __init__(
        self, dataset_dir: str, release: str, usage: str | None = None, extensions: str | None = None,
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: bool | Shuffle | None = None,
        sampler: object = None, num_shards: int | None = None, shard_id: int | None = None, cache: object = None,
    ) -> None:  # fmt: skip
        self.release = checks.chosen("TedliumDataset", "release", release, ("release1", "release2", "release3"))
        self._choices = {"usage": ("all",) if release == "release3" else ("all", "train", "test", "dev")}
        self.extensions = extensions or ".sph"
        super().__init__(
            dataset_dir, num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache, usage=usage
        )

    def _find(self, usage: str) -> Sequence[Any]:
        parts = ("data",) if self.release == "release3" else self._choices["usage"][1:] if usage == "all" else (usage,)
        lines = [
            (str(number), line, part)
            for part in parts
            for name in self._listed(part, "stm", ending=".stm")
            for number, line in enumerate(self._lines(part, "stm", name))
        ]
        lines.sort(key=lambda entry: (entry[0], entry[1].partition(" ")[0], entry[2]))  # by number first, as text
        entries = [(part, *line.split(" ", 6)) for _, line, part in lines]
        if any(len(entry) != 8 for entry in entries):
            raise RuntimeError(f"TedliumDataset: a line of an STM file below {self.dataset_dir} lacks a value.")
        return entries

    def _read(
        self, part: str, talk: str, _: str, speaker: str, start: str, stop: str, identifier: str, transcript: str
    ) -> Row:
        path = self._at(part, "sph", f"{talk}{self.extensions}")
        raw = self._bytes(path)
        rate = re.search(rb"sample_rate -i (\d+)", raw[:1024])
        if rate is None:
            raise RuntimeError(f"TedliumDataset: {path} has no sample rate in its head.")
        first, last = (int(float(second) * int(rate[1])) for second in (start, stop))
        if len(raw) < 1024 + 2 * last:
            raise RuntimeError(f"TedliumDataset: {path} ends before second {stop}.")
        samples = np.frombuffer(raw, ">i2", last - first, 1024 + 2 * first).astype(np.float32) / np.float32(32767)
        return (samples[None], np.array(int(rate[1]), np.int32), np.array(transcript), np.array(talk),
                np.array(speaker), np.array(identifier))  # fmt: skip
