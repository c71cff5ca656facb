"""Cells that run a network on parts of a batch and add up what it gives."""

from __future__ import annotations

from typing import Any

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell import Cell


class _MicroBatches(Cell):
    def __init__(self, network: Any, size: Any, what: str) -> None:
        super().__init__(auto_prefix=False)
        name = type(self).__name__
        if not callable(network) or (what == "micro_size" and not isinstance(network, Cell)):
            raise TypeError(f"{name}: network must be a Cell, got {describe(network)}.")
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"{name}: {what} must be an int, got {describe(size)}.")
        if size <= 0:
            raise ValueError(f"{name}: {what} must be > 0, got {size}.")
        self.network = network
        self._parts = size

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        total: Any = None
        for i in range(self._parts):
            out = self.network(*[self._part(x, i) for x in args], **{k: self._part(x, i) for k, x in kwargs.items()})
            total = out if total is None else total + out
        return total

    def _part(self, x: Any, i: int) -> Any:
        """Return the i-th part of an input along its first axis; what has no axes goes whole to every part."""
        if not isinstance(x, Tensor) or x.ndim == 0:
            return x
        if x.shape[0] % self._parts:
            raise ValueError(
                f"{type(self).__name__}: the first axis of every input must divide into {self._parts} equal parts, "
                f"got {describe(x)}."
            )
        size = x.shape[0] // self._parts
        return x[i * size : (i + 1) * size]


class PipelineCell(_MicroBatches):
    """A network run on micro batches, its outputs added up; the stages of its Cells run in turn on the one device.

    out = Σᵢ network(xᵢ), where xᵢ is the i-th of `micro_size` equal parts of x along axis 0.

    Args:
        network: The network; its output is usually a loss.
        micro_size: How many parts a batch is cut into.
        stage_config: The stage of each Cell by name; kept as the Cell's `pipeline_stage`.
        segment_config: Accepted for MindSpore programs.

    Raises:
        TypeError: If `network` is no Cell or `micro_size` no int.
        ValueError: If `micro_size` is not positive, or the first axis of an input is not a multiple of it.
        KeyError: If `stage_config` names a Cell that the network does not have.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.PipelineCell(ms.nn.Dense(1, 1, weight_init="ones", bias_init="zeros"), 2)
        >>> net(ms.Tensor([[1.0], [2.0]])).asnumpy()
        array([[3.]], dtype=float32)
    """

    def __init__(self, network: Any, micro_size: int, stage_config: Any = None, segment_config: Any = None) -> None:
        super().__init__(network, micro_size, "micro_size")
        cells = dict(network.cells_and_names())
        for name, stage in (stage_config or {}).items():
            if name not in cells:
                raise KeyError(f"PipelineCell: stage_config names '{name}', which the network does not have.")
            cells[name].pipeline_stage = stage


class GradAccumulationCell(_MicroBatches):
    """A network run on micro batches, its outputs added up, so that one update has the gradient of the whole batch.

    Args:
        network: The network; its output is usually a loss.
        micro_size: How many parts a batch is cut into along axis 0.

    Raises:
        TypeError: If `network` is no Cell or `micro_size` no int.
        ValueError: If `micro_size` is not positive, or the first axis of an input is not a multiple of it.
    """

    def __init__(self, network: Any, micro_size: int) -> None:
        super().__init__(network, micro_size, "micro_size")


class MicroBatchInterleaved(_MicroBatches):
    """A network run on parts of a batch, its outputs added up; MindSpore overlaps one part's communication with another.

    Args:
        network: The network.
        interleave_num: How many parts a batch is cut into along axis 0.

    Raises:
        TypeError: If `network` cannot be called or `interleave_num` is no int.
        ValueError: If `interleave_num` is not positive, or the first axis of an input is not a multiple of it.
    """

    def __init__(self, network: Any, interleave_num: int = 2) -> None:
        super().__init__(network, interleave_num, "interleave_num")
