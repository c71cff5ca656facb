"""One file: its comments and layout stay, and the result is Python, or there is none."""

import pytest
from converted_programs import assert_same_answers
from converted_text import body

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.diagnostics import Diagnostics
from sporax._src.migrate.source.source_text import ConversionFault


def test_a_file_without_torch_comes_back_byte_for_byte():
    text = "# coding: utf-8\r\nimport numpy as np\n\n\nx = { 'a':1,\t'b' : np.zeros( 3 ) }  # é\n"
    assert convert(text).text == text


def test_comments_layout_and_line_order_stay():
    text = (
        "def f(a,   b):   # two\n"
        "    return torch.cat([a,\n"
        "                      b],   # both\n"
        "                     axis=0)\n"
    )
    assert body(text) == text.replace("torch.cat", "mint.cat").replace("axis=0", "dim=0")


def test_source_that_is_not_python_3_is_a_syntax_error():
    with pytest.raises(SyntaxError, match="print"):
        convert("import torch\nprint 'x'\n")


@pytest.mark.parametrize(
    ("edits", "fault"),
    [
        ([(14, 15, "(")], "line 3: the converted text is not Python"),
        ([(6, 14, ""), (8, 15, "")], "line 2: edits overlap"),
    ],
)
def test_a_text_that_is_no_python_is_a_fault_of_the_conversion(edits, fault, monkeypatch):
    def break_it(self, edits_of_file):
        for edit in edits:
            edits_of_file.add(*edit)

    monkeypatch.setattr(Diagnostics, "write_comments", break_it)
    with pytest.raises(ConversionFault, match=fault):
        convert("\nimport torch\n\nx = torch.cat([])\n")


def test_functions_see_names_imported_further_down():
    text = "def f(xs):\n    return T.cat(xs)\nif fast:\n    import torch as T\n"
    assert "return mint.cat(xs)" in convert(text).text


def test_statements_that_share_a_line_are_converted_on_lines_of_their_own_if_less_is_left_then():
    text = (
        "import torch\nx = torch.tensor(1.0, requires_grad=True); y = x * 3; y.backward()\nanswers = [float(x.grad)]\n"
    )
    assert_same_answers(text)
    assert convert(text).lines[-2] == 3
    left = "import torch\na = 1; b = torch.jit.load(a)\n"
    assert [line for line, _ in convert(left).todo] == [2]
    assert "a = 1; b = " in convert(left).text
