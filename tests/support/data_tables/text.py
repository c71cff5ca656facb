"""Operations on text and vocabularies: MindSpore's results, and every error's text."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax as ms
import sporax.dataset as ds
from sporax.dataset import text

FOLDER = Path(__file__).parents[2] / "goldens"
GOLDENS = json.loads((FOLDER / "text.json").read_text(encoding="utf-8"))
VOCAB = text.Vocab.from_list(GOLDENS["words"])
DATA = ds.NumpySlicesDataset({"text": ["a", "b", "c", "a", "b", "a"]}, shuffle=False)
NAMES = {"text": text, "ms": ms, "A": np.array, "v": VOCAB, "data": DATA}


def described(value: Any) -> Any:
    if isinstance(value, tuple):
        return [described(part) for part in value]
    if isinstance(value, np.ndarray):
        elements = [v.hex() if isinstance(v, bytes) else v for v in value.ravel().tolist()]
        kind = value.dtype.kind if value.dtype.kind in "US" else value.dtype.name
        return {"kind": kind, "shape": list(value.shape), "is": elements}
    return value


@pytest.mark.parametrize("call", sorted(GOLDENS["results"]))
def test_texts_are_mindspores(call: str, names: dict[str, Any]) -> None:
    expected = GOLDENS["results"][call]
    if isinstance(expected, dict) and "error" in expected:
        with pytest.raises(Exception) as caught:
            eval(call, names)
        assert type(caught.value).__name__ == expected["error"]
        return
    assert described(eval(call, names)) == expected


ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda: text.WhitespaceTokenizer()("a", "b"), RuntimeError, "WhitespaceTokenizer: expected one column, got 2"),
    (lambda: text.WhitespaceTokenizer()(np.array([1])), RuntimeError, "WhitespaceTokenizer: expected one text, of rank 0"),
    (lambda: text.CaseFold()(np.array([1])), RuntimeError, "CaseFold: expected text, got int64"),
    (lambda: text.FilterWikipediaXML()(np.array([1])), RuntimeError, "FilterWikipediaXML: expected text, got int64"),
    (lambda: text.UnicodeScriptTokenizer(3), TypeError, "UnicodeScriptTokenizer: keep_whitespace must be a bool, got int 3"),
    (lambda: text.UnicodeScriptTokenizer(True, 3), TypeError, "UnicodeScriptTokenizer: with_offsets must be a bool, got int 3"),
    (lambda: text.UnicodeScriptTokenizer()(np.array([1])), RuntimeError, "UnicodeScriptTokenizer: expected one text"),
    (lambda: text.NormalizeUTF8(3), TypeError, "NormalizeUTF8: expected a NormalizeForm, got 3"),
    (lambda: text.RegexTokenizer(3), TypeError, "RegexTokenizer: delim_pattern must be a str, got 3"),
    (lambda: text.RegexReplace("(", ""), ValueError, r"RegexReplace: pattern '\(' is not a regular expression"),
    (lambda: text.RegexReplace("a", 3), TypeError, "RegexReplace: replace must be a str, got 3"),
    (lambda: text.PythonTokenizer(3), TypeError, "PythonTokenizer: tokenizer must be callable"),
    (lambda: text.WordpieceTokenizer(VOCAB, 3), TypeError, "WordpieceTokenizer: suffix_indicator must be a str, got 3"),
    (lambda: text.WordpieceTokenizer(VOCAB)(np.ones(2)), RuntimeError, "WordpieceTokenizer: expected a word or a vector"),
    (lambda: text.Lookup(VOCAB, 3), TypeError, "Lookup: unknown_token must be a str, got 3"),
    (lambda: text.Lookup(VOCAB)(np.ones(2)), RuntimeError, "Lookup: expected text, got float64"),
    (lambda: text.Lookup(VOCAB)("zzz"), RuntimeError, "Lookup: token 'zzz' doesn't exist in vocab and no unknown_token"),
    (lambda: text.TruncateSequencePair(2)([1]), RuntimeError, "TruncateSequencePair: expected two vectors"),
    (lambda: text.ToNumber("str"), TypeError, "ToNumber: data_type must be a type of numbers, got 'str'"),
    (lambda: text.ToNumber("int8")([1]), RuntimeError, "ToNumber: expected text, got int64"),
    (lambda: text.ToNumber("int8")("300"), RuntimeError, "ToNumber: 300 is out of the range of int8"),
    (lambda: text.Ngram(2, ("a",)), TypeError, r"Ngram: left_pad must be \(token, count\)"),
    (lambda: text.Ngram(2, separator=3), TypeError, "Ngram: separator must be a str, got 3"),
    (lambda: text.Ngram(2)(np.ones(2)), RuntimeError, "Ngram: expected a vector of text"),
    (lambda: text.SlidingWindow(2)(np.ones((2, 2))), RuntimeError, "SlidingWindow: expected a vector"),
    (lambda: text.AddToken(3), TypeError, "AddToken: token must be a str, got 3"),
    (lambda: text.AddToken("a")(np.ones(2)), RuntimeError, "AddToken: expected text with one or two axes"),
    (lambda: text.to_str(np.ones(2)), TypeError, "to_str: expected byte strings"),
    (lambda: text.to_bytes(np.ones(2)), TypeError, "to_bytes: expected text"),
    (lambda: text.Vocab.from_dict(3), TypeError, "word_dict must be a dict from str to int, got 3"),
    (lambda: text.Vocab.from_list(["a"], ["a"]), ValueError, "contains duplicate word: a"),
    (lambda: text.Vocab.from_file(3), TypeError, "expected a path and a str, got 3"),
    (lambda: text.Vocab.from_dataset(ds.NumpySlicesDataset([1, 2])), RuntimeError, "expected columns of text"),
    (lambda: VOCAB.tokens_to_ids(3), TypeError, "tokens_to_ids: expected a str or a list of them, got 3"),
    (lambda: VOCAB.ids_to_tokens("a"), TypeError, "ids_to_tokens: expected an int or a list of them, got 'a'"),
]  # fmt: skip
VECTOR_ERRORS = {
    "text.ToVectors(3)": "ToVectors: vectors must be Vectors, got 3",
    "text.ToVectors(text.Vectors.from_file(F('words.txt')), 3)": "unk_init must be a list or tuple, got 3",
    "text.ToVectors(text.Vectors.from_file(F('words.txt')), ['a', 'b'])": "unk_init must hold numbers, got 'a'",
    "text.ToVectors(text.Vectors.from_file(F('words.txt')), [1])": "unk_init must be as long as the vectors, 2, got 1",
    "text.ToVectors(text.Vectors.from_file(F('words.txt')))(np.ones(1))": r"ToVectors: expected text, got float64\[1\]",
    "text.Vectors.from_file(3)": "Vectors: file_path must be a str, got 3",
    "text.Vectors.from_file('none.txt')": "Vectors: the file none.txt does not exist",
    "text.GloVe.from_file(F('words.txt'))": r"GloVe: the name of the file must be glove.6B.\*.txt, got .*words.txt",
    "text.Vectors.from_file(F('ragged.txt'))": "one length, at least 2; that of b has 1, those before 2",
    "text.Vectors.from_file(F('letter.txt'))": "the vector of a is not a row of numbers",
    "text.Vectors.from_file(F('empty.txt'))": "Vectors: the file holds no vectors",
}


@pytest.mark.parametrize("call", VECTOR_ERRORS)
def test_error_texts_of_vectors(call: str, names: dict[str, Any]) -> None:
    Path(names["F"]("letter.txt")).write_text("a 1 x\n")
    with pytest.raises((TypeError, RuntimeError), match=VECTOR_ERRORS[call]):
        eval(call, names | {"np": np})


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors_of_texts(call: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()
