"""`sporax.migrate`: from PyTorch to here.

Loaded when it is asked for; torch is needed only where something of torch's is given.
"""

from sporax._src.migrate.weights.convert import convert_weights
from sporax._src.migrate.weights.report import WeightsReport, WeightsRow
from sporax._src.migrate.weights.transfer import transfer_weights

__all__ = ["WeightsReport", "WeightsRow", "convert_weights", "transfer_weights"]
