"""What is known to be otherwise in MindSpore than in torch: one row a difference, by the tasks of docs/migration.md."""

from differences.functions import FUNCTIONS
from differences.networks import NETWORKS
from differences.row import Difference
from differences.training import TRAINING

__all__ = ["DIFFERENCES", "Difference"]

DIFFERENCES = [*NETWORKS, *FUNCTIONS, *TRAINING]
