"""`JiebaTokenizer`: words as MindSpore cuts them, and files that are refused."""

import json
from pathlib import Path

import pytest

from sporax.dataset import text

GOLDEN = json.loads((Path(__file__).parents[2] / "goldens" / "chinese_words.json").read_text(encoding="utf-8"))["sets"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    return write(tmp_path, GOLDEN[0])


def write(folder: Path, golden: dict) -> tuple[str, str]:
    (folder / "model").write_text(golden["model"], encoding="utf-8")
    (folder / "words").write_text(golden["words"], encoding="utf-8")
    return str(folder / "model"), str(folder / "words")


@pytest.mark.parametrize("mode", text.JiebaMode)
@pytest.mark.parametrize("golden", GOLDEN)
def test_words_are_mindspores(golden: dict, mode: text.JiebaMode, tmp_path: Path) -> None:
    cut = text.JiebaTokenizer(*write(tmp_path, golden), mode, with_offsets=True)
    cut.add_dict(golden["added"])
    for sentence, found in zip(golden["sentences"], golden["found"][mode.name], strict=True):
        assert [column.tolist() for column in cut(sentence)] == found, sentence


def test_a_file_of_words(files: tuple[str, str], tmp_path: Path) -> None:
    listed = tmp_path / "more"
    listed.write_text("中来 900\n是一的\n* 3 3 3\n", encoding="utf-8")
    cut = text.JiebaTokenizer(*files, text.JiebaMode.MP)
    cut.add_dict(str(listed))
    assert cut("中来是一的").tolist() == ["中来", "是一的"]
    assert cut("").tolist() == [""]


def test_what_is_refused(files: tuple[str, str], tmp_path: Path) -> None:
    cut = text.JiebaTokenizer(*files)
    for call, kind, message in (
        (lambda: text.JiebaTokenizer(*files, mode=0), TypeError, "mode must be a JiebaMode, got 0"),
        (lambda: text.JiebaTokenizer("none", files[1]), ValueError, "JiebaTokenizer: the file none does not exist"),
        (lambda: text.JiebaTokenizer(files[0], 3), TypeError, "JiebaTokenizer: expected the path of a file, got 3"),
        (lambda: text.JiebaTokenizer(files[1], files[1]), RuntimeError, "must have five lines of four numbers"),
        (lambda: cut.add_word(3), TypeError, "add_word: word must be a str, got 3"),
        (lambda: cut.add_word(""), ValueError, "add_word: word must not be empty"),
        (lambda: cut.add_word("a", -1), ValueError, "add_word: freq must be in"),
        (lambda: cut.add_dict(3), TypeError, "add_dict: user_dict must be a path or a dict, got 3"),
    ):
        with pytest.raises(kind, match=message):
            call()
    for content, message in (
        (b"word\n", "line 1 of .*words is not a word, its frequency and a tag"),
        (b"word 0 n\n", "line 1 of .*words is not a word, its frequency and a tag"),
        (b"", "words has no words"),
        ("词 1 n".encode("gbk"), "words is not text in UTF-8"),
    ):
        (tmp_path / "words").write_bytes(content)
        with pytest.raises(RuntimeError, match=message):
            text.JiebaTokenizer(*files)
