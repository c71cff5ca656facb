"""The converted text of pieces of a file: read, taken, replaced, wrapped, and moved one level deeper."""

from conversion_contexts import context_of


def rewriter_of(text: str):
    """Return the rewriter of a file, and its statements."""
    context = context_of(text)
    return context.rewriter, context.source.tree.body


def test_a_text_is_read_with_its_edits_and_taken_once() -> None:
    rewriter, (statement,) = rewriter_of("x = a + b\n")
    rewriter.edits.add(4, 5, "c")
    assert rewriter.text(statement.value) == rewriter.text(statement.value) == "c + b"
    assert rewriter.take(statement.value) == "c + b"
    assert [*rewriter.edits] == [] and rewriter.text(statement) == "x = a + b"


def test_a_replacement_discards_what_was_to_be_changed() -> None:
    rewriter, (statement,) = rewriter_of("x = a + b\n")
    rewriter.edits.add(4, 5, "c")
    rewriter.replace(statement.value, "y")
    assert rewriter.source.edited(rewriter.edits) == "x = y\n"


def test_the_text_of_a_part_outlives_a_replacement_around_it() -> None:
    rewriter, (statement,) = rewriter_of("x = f(a.b).c\n")
    inner = statement.value.value.args[0]
    assert rewriter.inner_text(inner) == "a.b"
    rewriter.edits.add(8, 9, "d")
    assert rewriter.inner_text(inner) == "a.d"
    rewriter.replace(statement.value.value, "g(a.d)")
    rewriter.replace(statement.value, "h(a.d)")
    assert rewriter.inner_text(inner) == "a.d" and rewriter.text(inner) == "a.b"
    assert rewriter.source.edited(rewriter.edits) == "x = h(a.d)\n"


def test_a_text_is_written_around_a_node() -> None:
    rewriter, (statement,) = rewriter_of("x = a + b\n")
    rewriter.wrap(statement.value, "f(", ")")
    rewriter.wrap(statement.value.left, "", " * 2")
    assert rewriter.source.edited(rewriter.edits) == "x = f(a * 2 + b)\n"


def test_a_copy_leaves_the_statement_where_it_is() -> None:
    rewriter, (statement,) = rewriter_of("x = a\n")
    rewriter.edits.add(4, 5, "c")
    assert rewriter.copy_indented(statement, rewriter.source.tree) == "    x = c\n"
    assert rewriter.source.edited(rewriter.edits) == "x = c\n"


def test_lines_are_taken_one_level_deeper_but_for_those_of_a_string() -> None:
    text = 'x = f(\n    a)\n\ny = """one\n  two"""\nz = 1\n'
    rewriter, (_, second, _) = rewriter_of(text)
    end = rewriter.source.lines(second)[1]
    assert rewriter.take_indented(0, end, rewriter.source.tree) == (
        '    x = f(\n        a)\n\n    y = """one\n  two"""\n'
    )


def test_comments_move_with_their_lines() -> None:
    rewriter, (first, second) = rewriter_of("x = a\ny = b\n")
    rewriter.diagnostics.refuse(second.value, second, "because")
    assert rewriter.take_indented(0, 12, rewriter.source.tree) == (
        "    x = a\n    # TODO(sporax): because\n    y = b\n"
    )
    assert rewriter.diagnostics.comments == {}
    assert rewriter.diagnostics.result.todo == [(2, "because")]
    assert first.lineno == 1


def test_lines_that_begin_with_tabs_are_moved_by_a_tab() -> None:
    rewriter, (function,) = rewriter_of("def f():\n\tx = a\n\ty = b\n")
    rewriter.diagnostics.refuse(function.body[1].value, function.body[1], "because")
    assert rewriter.take_indented(9, 23, rewriter.source.tree) == (
        "\t\tx = a\n\t\t# TODO(sporax): because\n\t\ty = b\n"
    )
