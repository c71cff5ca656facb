"""Element by element and over axes.

Reading order: `arithmetic`, `whole_numbers`, `elementwise`, `binary`, `comparison`, `trigonometry`, `special`, `reduction`,
`statistics`, `norms`, `histogram`, `calculus`, `float_status`.
"""

from sporax._src.ops.math import (  # noqa: F401  (importing a family registers its rows)
    arithmetic,
    binary,
    calculus,
    comparison,
    elementwise,
    float_status,
    histogram,
    norms,
    reduction,
    special,
    statistics,
    trigonometry,
)
