"""The docstring of a row as that of a view with parameters of its own."""

from sporax._src.bindings.docstrings import Forwarding, docstring

ROW = """Return `input` times `factor`.

Args:
    input: A Tensor.
    factor: A number.

Raises:
    TypeError: If `input` is no number, or `factor` is a str.
"""


def view(parameters, operand, **unchanged) -> Forwarding:
    sources = {name: {own} for name, own in unchanged.items()}
    return Forwarding(parameters, operand, sources, sources)


def test_a_view_of_the_same_parameters_has_the_same_text() -> None:
    same = view(("input", "factor"), "", input="input", factor="factor")
    assert docstring(ROW, same, ()) is ROW and docstring(None, same, ()) is None


def test_the_object_of_a_method_is_the_tensor() -> None:
    found = docstring(ROW, view(("self", "scale"), "self", input="self", factor="scale"), ())
    assert found is not None and found.splitlines()[0] == "Return the Tensor times `scale`."
    assert "    scale: A number." in found and "input" not in found
    assert "    TypeError: If the Tensor is no number, or `scale` is a str." in found


def test_notes_replace_what_the_row_says() -> None:
    own = view(("input", "factor"), "", input="input", factor="factor")
    notes = ("Return a product.", "factor: An int.", "ValueError: If it is 0.", "Returns: A Tensor.", ">>> f(1)", "2")
    found = docstring(ROW, own, notes)
    assert found is not None and found.startswith(
        "Return a product.\n\nArgs:\n    input: A Tensor.\n    factor: An int."
    )
    assert "Returns:\n    A Tensor." in found and "    ValueError: If it is 0." in found
    assert found.endswith("Examples:\n    >>> f(1)\n    2")
