"""Operations on tokens: the rows of the tables, and in a pipeline."""

import pytest
from data_tables import operations_of
from data_tables.text import VOCAB

import sporax.dataset as ds
from sporax.dataset import text

TestOperations = operations_of("sporax._src.data.text.tokens")


def test_in_a_pipeline() -> None:
    data = ds.NumpySlicesDataset({"a": ["hello world", "world"]}, shuffle=False)
    data = data.map([text.BertTokenizer(VOCAB), text.Lookup(VOCAB, "[UNK]")], "a")
    assert [row["a"].tolist() for row in data.create_dict_iterator(1, output_numpy=True)] == [[9, 10], [10]]


@pytest.mark.parametrize("word", ["1_000", "٣", "1_0.5"])
def test_words_that_python_alone_takes_for_numbers(word: str) -> None:
    for kind in ("int32", "float32"):
        with pytest.raises(RuntimeError, match=f"text.ToNumber: it is invalid to convert '{word}' to a number"):
            text.ToNumber(kind)([word])
