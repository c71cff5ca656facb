"""Models of SentencePiece, and how they cut texts (SentencePiece is a part of MindSpore)."""

import tempfile
from pathlib import Path
from typing import Any

import mindspore.dataset as ds
from mindspore.dataset import text

from .common import write_json

LINES = """the cat sat on the mat
the dog sat on the log
a cat and a dog met at the mat
newer lower wider newest lowest widest
low new wide low new wide
你好 世界 你好 朋友""".splitlines()
TEXTS = ["the newest cat", "lower dogs", "你好 cat", "zebra  !", "", " the "]
Models, Out = text.SentencePieceModel, text.SPieceTokenizerOutType
SIZES = {"UNIGRAM": 50, "BPE": 60, "CHAR": 26, "WORD": 20}
ERRORS = {
    "too many pieces": lambda vocab, data: make(data, size=100000, kind=Models.BPE),
    "no column": lambda vocab, data: make(data, columns=["a"]),
    "numbers": lambda vocab, data: make(ds.NumpySlicesDataset([1, 2], ["text"], shuffle=False)),
    "vocab_size": lambda vocab, data: make(data, size="a"),
    "vocab_size below 0": lambda vocab, data: make(data, size=-1),
    "character_coverage": lambda vocab, data: make(data, coverage="a"),
    "model_type": lambda vocab, data: make(data, kind=3),
    "params": lambda vocab, data: make(data, params=3),
    "col_names": lambda vocab, data: make(data, columns=[3]),
    "file_path": lambda vocab, data: text.SentencePieceVocab.from_file("a", 50, 1.0, Models.CHAR, {}),
    "no file": lambda vocab, data: text.SentencePieceVocab.from_file(["nowhere"], 50, 1.0, Models.CHAR, {}),
    "mode": lambda vocab, data: text.SentencePieceTokenizer(3, Out.INT),
    "out_type": lambda vocab, data: text.SentencePieceTokenizer(vocab, 1),
    "no model": lambda vocab, data: text.SentencePieceTokenizer("nowhere", Out.INT)("a"),
    "two texts": lambda vocab, data: text.SentencePieceTokenizer(vocab, Out.INT)(["a", "b"]),
    "save_model": lambda vocab, data: text.SentencePieceVocab.save_model(3, "a", "b"),
    "save_model, path": lambda vocab, data: text.SentencePieceVocab.save_model(vocab, 3, "b"),
    "save_model, no folder": lambda vocab, data: text.SentencePieceVocab.save_model(vocab, "/nowhere/at/all", "b"),
}


def make(
    data: Any, columns: Any = None, size: Any = 26, coverage: Any = 1.0, kind: Any = Models.CHAR, params: Any = None
) -> Any:
    """Return a model of a dataset."""
    columns, params = ["text"] if columns is None else columns, {} if params is None else params
    return text.SentencePieceVocab.from_dataset(data, columns, size, coverage, kind, params)


def cut(model: Any) -> dict[str, Any]:
    """Return the pieces of all texts, and their numbers."""
    found = {}
    for kind in Out:
        tokenizer = text.SentencePieceTokenizer(model, kind)
        results = [tokenizer(line) for line in TEXTS]
        found[kind.name] = [{"dtype": r.dtype.kind + "4" * (r.dtype.kind == "i"), "is": r.tolist()} for r in results]
    return found


def record(out: Path) -> None:
    """Write ``sentence_pieces.json`` and a model."""
    folder = Path(tempfile.mkdtemp())
    (folder / "lines.txt").write_text("\n".join(LINES), encoding="utf-8")
    data = ds.NumpySlicesDataset(LINES, ["text"], shuffle=False)
    answers: dict[str, Any] = {
        "lines": LINES,
        "texts": TEXTS,
        "sizes": SIZES,
        "of_dataset": {},
        "of_file": {},
        "errors": {},
    }
    for kind in Models:
        vocab = make(data, size=SIZES[kind.name], kind=kind, params={"hard_vocab_limit": "false"})
        answers["of_dataset"][kind.name] = cut(vocab)
        vocab = text.SentencePieceVocab.from_file(
            [str(folder / "lines.txt")], SIZES[kind.name], 0.9995, kind, {"hard_vocab_limit": "false"}
        )
        answers["of_file"][kind.name] = cut(vocab)
    options = {"hard_vocab_limit": "false", "normalization_rule_name": "identity"}  # other rules are 200 kB
    vocab = make(data, size=SIZES["UNIGRAM"], kind=Models.UNIGRAM, params=options)
    text.SentencePieceVocab.save_model(vocab, str(out), "sentence_pieces.model")
    (out / "sentence_pieces.model").chmod(0o644)
    answers["of_model"] = cut(str(out / "sentence_pieces.model"))
    for name, call in ERRORS.items():
        try:
            call(vocab, data)
            answers["errors"][name] = "none"
        except Exception as error:
            answers["errors"][name] = type(error).__name__
    write_json(out / "sentence_pieces.json", answers)
