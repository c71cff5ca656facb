"""Pieces of words: the rows of the tables, and BERT's marks."""

from data_tables import operations_of

from sporax.dataset import text

TestOperations = operations_of("sporax._src.data.text.wordpiece")


def test_marks_of_bert_stay_whole() -> None:
    assert text.BasicTokenizer(True)("HELLO [CLS] Ünder").tolist() == ["hello", "[CLS]", "under"]
