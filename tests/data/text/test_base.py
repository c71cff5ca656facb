"""Operations on each text of an array."""

import numpy as np

from sporax.dataset import text


def test_every_text_of_an_array_is_treated() -> None:
    """MindSpore puts the texts of an array together here; they stay apart."""
    assert text.RegexReplace("[ ]+", "_")(np.array(["a b  c", "d e"])).tolist() == ["a_b_c", "d_e"]
    assert text.RegexReplace("[ ]+", "_", False)("a b c").item() == "a_b c"
    assert text.CaseFold()(np.array([["A"], ["B"]])).tolist() == [["a"], ["b"]]
    assert text.FilterWikipediaXML()(np.array(["One", "Two"])).tolist() == ["one", "two"]
