"""What the conversion of a file reports: counts, notes, and comments above what is left to do."""

import pytest

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.diagnostics import MARK


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "x = torch.no_such_thing(1)",
            "torch.no_such_thing has no counterpart here; write what it does with mindspore.mint or ops",
        ),
        (
            "x = torch.cat(1, 2, 3, 4)",
            "torch.cat: no row of the map takes this call; write it in another form: torch.cat(1, 2, 3, 4)",
        ),
    ],
)
def test_what_cannot_be_converted_stays_under_a_comment(text, reason):
    done = convert(f"import torch\nif 1:\n    {text}\n")
    assert done.todo == [(3, reason)]
    assert f"    {MARK}{reason}\n    {text}\n" in done.text
    assert "import torch\n" in done.text
