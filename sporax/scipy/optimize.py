"""mindspore.scipy.optimize: minimisation and assignment with SciPy's signatures."""

from sporax._src.api.line_search import line_search
from sporax._src.api.scipy_optimize import linear_sum_assignment, minimize

__all__ = ["line_search", "linear_sum_assignment", "minimize"]
