"""The table of optimizers: the names, on each side, of the state of an optimizer for each Parameter."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class OptimizerRow:
    """One optimizer.

    Attributes:
        torch: The class in `torch.optim`.
        states: For each key of torch's state: the word before the dotted name of the Parameter on the other side.
        powers: The Parameters that hold powers of the betas.
        step: The Parameter that counts the steps.
        zeros: Words whose arrays are zeros if torch has none.
        with_rate: Keys of torch's state whose arrays have the learning rate as a factor on the other side.
    """

    torch: str
    states: Mapping[str, str]
    powers: tuple[str, ...] = ()
    step: str = "global_step"
    zeros: tuple[str, ...] = ()
    with_rate: tuple[str, ...] = ()

    def words(self) -> set[str]:
        """Return the words before the names of Parameters."""
        return {*self.states.values(), *self.zeros}


_ADAM = {"exp_avg": "exp_avg", "exp_avg_sq": "exp_avg_sq", "max_exp_avg_sq": "max_exp_avg_sq"}
_BETAS = ("beta1_power", "beta2_power")

OPTIMIZERS = (
    OptimizerRow("Adam", {"exp_avg": "moment1", "exp_avg_sq": "moment2", "max_exp_avg_sq": "vhat"}, _BETAS),  # nn.Adam
    OptimizerRow("AdamW", {"exp_avg": "adam_m", "exp_avg_sq": "adam_v"}),  # nn.AdamWeightDecay
    OptimizerRow("AdamW", _ADAM, step="state_step"),  # mint.optim.AdamW, mint.optim.Adam
    OptimizerRow("Adamax", {"exp_avg": "moment1", "exp_inf": "moment2"}, _BETAS[:1]),
    OptimizerRow("SGD", {"momentum_buffer": "moments"}),  # nn.Momentum
    OptimizerRow("SGD", {"momentum_buffer": "accum"}, zeros=("stat",)),  # nn.SGD
    OptimizerRow("SGD", {"momentum_buffer": "momentum_buf"}, step="step_t"),  # mint.optim.SGD
    OptimizerRow(
        "RMSprop",
        {"square_avg": "mean_square", "momentum_buffer": "moment", "grad_avg": "mean_grad"},
        zeros=("moment",),
        with_rate=("momentum_buffer",),
    ),
    OptimizerRow("Adagrad", {"sum": "accum"}),
    OptimizerRow("Adadelta", {"square_avg": "accum", "acc_delta": "accum_update"}),
    OptimizerRow("Rprop", {"prev": "prev", "step_size": "step_size"}),
)


def row_for_torch(keys: Collection[str], words: Collection[str] | None) -> OptimizerRow | None:
    """Return the row of the optimizer with these keys, and with these words on the other side.

    Args:
        keys: The keys of torch's state.
        words: The words of the other side's optimizer; None if unknown.
    """
    wanted = {key for key in keys if key != "step"}
    fits = (row for row in OPTIMIZERS if wanted and wanted <= set(row.states))
    return next((row for row in fits if words is None or {row.states[key] for key in wanted} <= set(words)), None)


def row_for_words(words: Collection[str], scalars: Collection[str]) -> OptimizerRow | None:
    """Return the row whose optimizer has these words before names, and these Parameters beside.

    Args:
        words: The words before the names of Parameters.
        scalars: The names of its other Parameters.
    """
    powers = tuple(name for name in _BETAS if name in scalars)
    fits = (row for row in OPTIMIZERS if words and set(row.zeros) <= set(words) <= row.words())
    return next((row for row in fits if row.powers == powers), None)


WORDS = frozenset(word for row in OPTIMIZERS for word in row.words())
SCALARS = frozenset(
    ["learning_rate", "momentum", *_BETAS, *(row.step for row in OPTIMIZERS)],
)
