"""Operations on tokens: the rows of the tables, and in a pipeline."""

from data_tables import operations_of
from data_tables.text import VOCAB

import sporax.dataset as ds
from sporax.dataset import text

TestOperations = operations_of("sporax._src.data.text.tokens")


def test_in_a_pipeline() -> None:
    data = ds.NumpySlicesDataset({"a": ["hello world", "world"]}, shuffle=False)
    data = data.map([text.BertTokenizer(VOCAB), text.Lookup(VOCAB, "[UNK]")], "a")
    assert [row["a"].tolist() for row in data.create_dict_iterator(1, output_numpy=True)] == [[9, 10], [10]]
