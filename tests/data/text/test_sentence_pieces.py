"""Models of SentencePiece: MindSpore's file is read, models trained here cut texts as its own do, every error is said."""

import importlib.metadata
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax.dataset as ds
from sporax.dataset import text

FOLDER = Path(__file__).parents[2] / "goldens"
TOLD = json.loads((FOLDER / "sentence_pieces.json").read_text(encoding="utf-8"))
MODEL = str(FOLDER / "sentence_pieces.model")
Models, Out = text.SentencePieceModel, text.SPieceTokenizerOutType


@pytest.fixture(autouse=True)
def package() -> None:
    pytest.importorskip("sentencepiece")


def data() -> ds.Dataset:
    return ds.NumpySlicesDataset(TOLD["lines"], ["text"], shuffle=False)


def make(
    source: Any = None,
    columns: Any = None,
    size: Any = 26,
    coverage: Any = 1.0,
    kind: Any = Models.CHAR,
    params: Any = None,
) -> Any:
    columns, params = ["text"] if columns is None else columns, {} if params is None else params
    return text.SentencePieceVocab.from_dataset(source or data(), columns, size, coverage, kind, params)


def test_the_model_under_its_older_name() -> None:
    assert data().build_sentencepiece_vocab(["text"], 26, 1.0, Models.CHAR, {}).model == make().model


def cut(model: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in Out:
        tokenizer = text.SentencePieceTokenizer(model, kind)
        results = [tokenizer(line) for line in TOLD["texts"]]
        found[kind.name] = [{"dtype": r.dtype.kind + "4" * (r.dtype.kind == "i"), "is": r.tolist()} for r in results]
    return found


@pytest.mark.parametrize("kind", Models)
def test_models_are_mindspores(kind: Any, tmp_path: Path) -> None:
    """Those of UNIGRAM are if the package is of version 0.1.98, which MindSpore has built in; 0.2 trains others."""
    size, loose = TOLD["sizes"][kind.name], {"hard_vocab_limit": "false"}
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(TOLD["lines"]), encoding="utf-8")
    of_dataset, of_file = (
        make(size=size, kind=kind, params=loose),
        text.SentencePieceVocab.from_file([str(path)], size, 0.9995, kind, loose),
    )
    if kind is Models.UNIGRAM and not importlib.metadata.version("sentencepiece").startswith("0.1."):
        whole = ["".join(pieces["is"]) for pieces in cut(of_file)["STRING"]]
        assert whole == ["".join(pieces["is"]) for pieces in TOLD["of_file"]["UNIGRAM"]["STRING"]]
        assert cut(of_dataset) == cut(of_file)
    else:
        assert cut(of_dataset) == TOLD["of_dataset"][kind.name]
        assert cut(of_file) == TOLD["of_file"][kind.name]
    text.SentencePieceVocab.save_model(of_file, str(tmp_path), "m.model")
    assert cut(str(tmp_path / "m.model")) == cut(of_file)


def test_mindspores_file(tmp_path: Path) -> None:
    assert cut(MODEL) == TOLD["of_model"]
    tokenizer = pickle.loads(pickle.dumps(text.SentencePieceTokenizer(MODEL, Out.INT)))
    rows = data().map(tokenizer, ["text"]).create_tuple_iterator(num_epochs=1, output_numpy=True)
    expected = [text.SentencePieceTokenizer(MODEL, Out.INT)(line).tolist() for line in TOLD["lines"]]
    assert [row[0].tolist() for row in rows] == expected
    assert make(params={"input": "nowhere", "model_prefix": "x"}).model


ERRORS = {
    "too many pieces": (
        lambda: make(size=100000, kind=Models.BPE),
        "from_dataset: SentencePiece cannot train: .*Vocabulary size too high",
    ),
    "no column": (lambda: make(columns=["a"]), "from_dataset: column 'a' does not exist"),
    "numbers": (
        lambda: make(ds.NumpySlicesDataset([1, 2], ["text"])),
        "from_dataset: expected one text in each row, got int64",
    ),
    "vocab_size": (lambda: make(size="a"), "from_dataset: vocab_size must be an int, got str 'a'"),
    "vocab_size below 0": (lambda: make(size=-1), r"from_dataset: vocab_size must be in \[0, 2147483647\], got -1"),
    "character_coverage": (lambda: make(coverage="a"), "character_coverage must be a float, got 'a'"),
    "model_type": (lambda: make(kind=3), "model_type must be a SentencePieceModel, got 3"),
    "params": (lambda: make(params=3), "params must be a dict, got 3"),
    "col_names": (lambda: make(columns=[3]), r"col_names must be a list of str, got \[3\]"),
    "file_path": (
        lambda: text.SentencePieceVocab.from_file("a", 50, 1.0, Models.CHAR, {}),  # type: ignore[arg-type]
        "from_file: file_path must be a list of paths, got 'a'",
    ),
    "no file": (
        lambda: text.SentencePieceVocab.from_file(["nowhere"], 50, 1.0, Models.CHAR, {}),
        "from_file: SentencePiece cannot train: .*nowhere",
    ),
    "mode": (lambda: text.SentencePieceTokenizer(3, Out.INT), "mode must be a str or a SentencePieceVocab, got 3"),
    "out_type": (lambda: text.SentencePieceTokenizer(MODEL, 1), "out_type must be an SPieceTokenizerOutType, got 1"),
    "no model": (lambda: text.SentencePieceTokenizer("nowhere", Out.INT), "there is no file nowhere"),
    "two texts": (
        lambda: text.SentencePieceTokenizer(MODEL, Out.INT)(np.array(["a", "b"])),
        "expected one text, of rank 0",
    ),
    "save_model": (
        lambda: text.SentencePieceVocab.save_model(3, "a", "b"),
        "vocab must be a SentencePieceVocab, got 3",
    ),
    "save_model, path": (
        lambda: text.SentencePieceVocab.save_model(text.SentencePieceVocab(), 3, "b"),  # type: ignore[arg-type]
        "save_model: path must be a str, got 3",
    ),
    "save_model, no folder": (
        lambda: text.SentencePieceVocab.save_model(text.SentencePieceVocab(), "/nowhere/at/all", "b"),
        "save_model: there is no folder /nowhere/at/all",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_mindspores(name: str) -> None:
    call, message = ERRORS[name]
    with pytest.raises(Exception, match=message) as caught:
        call()
    assert caught.type.__name__ == TOLD["errors"][name]


def test_other_errors(tmp_path: Path) -> None:
    assert set(ERRORS) == set(TOLD["errors"])
    with pytest.raises(TypeError, match="from_dataset: dataset must be a Dataset, got 'a'"):
        make("a")
    path = tmp_path / "m"
    path.write_bytes(b"no model at all")
    with pytest.raises(RuntimeError, match=r"SentencePieceTokenizer: .*/m is not a model of SentencePiece"):
        text.SentencePieceTokenizer(str(path), Out.INT)
    with pytest.raises(RuntimeError, match="the vocabulary is not a model of SentencePiece"):
        text.SentencePieceTokenizer(text.SentencePieceVocab(), Out.INT)


def test_without_the_package() -> None:
    code = (
        "import sys; sys.modules['sentencepiece'] = None\n"
        "from sporax.dataset import text\n"
        "try: text.SentencePieceTokenizer(sys.argv[1], text.SPieceTokenizerOutType.INT)\n"
        "except RuntimeError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, MODEL], capture_output=True, text=True, timeout=120)
    assert "need the package sentencepiece (pip install 'sporax[sentencepiece]')" in done.stdout
