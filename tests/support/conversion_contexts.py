"""The context of a conversion, for tests of its parts."""

from sporax._src.migrate.source.context import Context, Options
from sporax._src.migrate.source.program import Program
from sporax._src.migrate.source.source_text import Source
from sporax._src.migrate.source.visitor import Visitor


def context_of(text: str, target: str = "mint") -> Context:
    """Return the context of the conversion of a file before anything is visited."""
    source = Source(text)
    return Context(source, Program(), Options(target), Visitor(source, {}))
