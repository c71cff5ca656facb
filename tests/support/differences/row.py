"""One difference between the frameworks."""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """A difference, with the program that shows it.

    Args:
        name: What differs, as docs/migration.md calls it.
        api: The name of torch under which `sporax api` says so.
        says: Words of what `sporax api` says of that name.
        program: Statements of torch that assign `result`; they find `x` (2, 3), `image` (2, 3, 6, 6) and `fill(net)`, which
            gives a network fixed weights.
        targets: The targets for which the converted program computes the same.
        refused: Those for which it is left to do.
    """

    name: str
    api: str
    says: str
    program: str
    targets: tuple[str, ...] = ("mint", "classic")
    refused: tuple[str, ...] = ()
