"""What is done around Cells."""

from sporax._src.core.parameter import no_init_parameters

__all__ = [
    "no_init_parameters",
]
