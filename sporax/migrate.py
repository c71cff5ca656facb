"""From PyTorch to here: source converted, weights carried over, and how far two nets agree.

Loaded when it is asked for; torch is needed only where something of torch's is given.
"""

from sporax._src.migrate.compare.live import compare
from sporax._src.migrate.compare.report import Comparison
from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.diagnostics import Converted
from sporax._src.migrate.source.project import FileReport, Report, migrate
from sporax._src.migrate.weights.convert import convert_weights
from sporax._src.migrate.weights.report import WeightsReport, WeightsRow
from sporax._src.migrate.weights.transfer import transfer_weights

__all__ = [
    "Comparison",
    "Converted",
    "FileReport",
    "Report",
    "WeightsReport",
    "WeightsRow",
    "compare",
    "convert",
    "convert_weights",
    "migrate",
    "transfer_weights",
]
