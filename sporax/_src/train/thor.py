"""`ConvertModelUtils`: a Model in which the optimizer THOR computes its inverses every `frequency` steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.wrap import TrainOneStepCell
from sporax._src.optim.thor import ThorGpu
from sporax._src.train.model import Model


class ModelThor(Model):
    """A `Model` whose optimizer is THOR: the first of every `frequency` steps gathers second moments and inverts them.

    Args:
        network: The network, or a training step with its optimizer.
        loss_fn, optimizer, metrics, eval_network, eval_indexes, amp_level: See `Model`.
        **kwargs: See `Model`.
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Callable[..., Any] | None = None,
        optimizer: Cell | None = None,
        metrics: dict[str, Any] | set[str] | None = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        super().__init__(network, loss_fn, optimizer, metrics, eval_network, eval_indexes, amp_level, **kwargs)
        owner: Any = network.optimizer if isinstance(network, TrainOneStepCell) else optimizer
        self._frequency: int = owner.get_frequency()
        self._steps = 0

    def _step(self, row: Sequence[Any]) -> Any:
        phase = self._steps % self._frequency
        if phase < 2:
            self._train_network.add_flags_recursive(thor=phase == 0)
        self._steps += 1
        return super()._step(row)


class ConvertModelUtils:
    """Converts a Model for the optimizer THOR."""

    @staticmethod
    def convert_to_thor_model(
        model: object,
        network: Cell,
        loss_fn: Callable[..., Any] | None = None,
        optimizer: Cell | None = None,
        metrics: dict[str, Any] | set[str] | None = None,
        amp_level: str = "O0",
        loss_scale_manager: object = None,
        keep_batchnorm_fp32: bool = False,
    ) -> Any:
        """Return a Model for an optimizer that `nn.thor` made, which inverts matrices every `frequency` steps; else `model`.

        Args:
            model: The Model of another optimizer.
            network: The network, or a training step with its optimizer.
            loss_fn, optimizer, metrics, amp_level, loss_scale_manager, keep_batchnorm_fp32: See `Model`.

        Examples:
            >>> import sporax as ms
            >>> net, rates = ms.nn.SequentialCell(ms.nn.Dense(2, 1)), ms.Tensor([0.1, 0.1])
            >>> opt = ms.nn.thor(net, rates, rates, 0.9)
            >>> model = ms.Model(net, ms.nn.MSELoss(), opt)
            >>> model = ms.ConvertModelUtils.convert_to_thor_model(model, net, ms.nn.MSELoss(), opt)
            >>> type(model).__name__
            'ModelThor'
        """
        if not isinstance(optimizer, ThorGpu):
            return model
        if isinstance(network, TrainOneStepCell):
            return ModelThor(network)
        return ModelThor(
            network, loss_fn, optimizer, metrics, amp_level=amp_level, loss_scale_manager=loss_scale_manager,
            keep_batchnorm_fp32=keep_batchnorm_fp32,
        )  # fmt: skip
