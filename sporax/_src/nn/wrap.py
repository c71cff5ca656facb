"""Cells around a network: loss, evaluation, one training step, parts of a batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds
from sporax._src.core import dtype as mstype
from sporax._src.core.atomic_step import run_whole
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import label, of_type
from sporax._src.nn.containers import CellList
from sporax._src.nn.linear import Identity
from sporax._src.nn.parallel.grad_reducer import reducer_of, take_over_first_values
from sporax._src.processes.parallel_context import get_auto_parallel_context, pipelining
from sporax._src.transform.grad import GradOperation, Weights, value_and_grad

__all__ = [
    "ForwardValueAndGrad", "GradAccumulationCell", "MicroBatchInterleaved",
    "ParameterUpdate", "TrainOneStepCell", "WithEvalCell", "WithGradCell", "WithLossCell",
]  # fmt: skip


class WithLossCell(Cell):
    """A network followed by its loss: `construct(data, label) = loss_fn(backbone(data), label)`.

    Args:
        backbone: The network.
        loss_fn: The loss.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.WithLossCell(ms.nn.Dense(2, 1, weight_init="ones", bias_init="zeros"), ms.nn.MSELoss())
        >>> net(ms.Tensor([[1.0, 1.0]]), ms.Tensor([[1.0]])).item()
        1.0
    """

    def __init__(self, backbone: Cell, loss_fn: Callable[..., Any]) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Any, label: Any) -> Tensor:
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network."""
        return self._backbone


class WithEvalCell(Cell):
    """A network for evaluation: `construct(data, label)` returns (loss, outputs, label).

    Args:
        network: The network.
        loss_fn: The loss.
        add_cast_fp32: Whether outputs are cast to float32 first.
    """

    def __init__(self, network: Cell, loss_fn: Callable[..., Any], add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(add_cast_fp32, bool):
            raise TypeError(f"WithEvalCell: add_cast_fp32 must be a bool, got {describe(add_cast_fp32)}.")
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = add_cast_fp32

    def construct(self, data: Any, label: Any) -> Any:
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs = outputs.astype(mstype.float32)
        return self._loss_fn(outputs, label), outputs, label


class ForwardValueAndGrad(Cell):
    """A network whose call returns (output, gradients).

    Args:
        network: The network.
        weights: Parameters to differentiate.
        get_all, get_by_list: Whether gradients of inputs, and of `weights`, are returned.
        sens_param: Whether the last argument is the sensitivity.
    """

    def __init__(
        self,
        network: Cell,
        weights: Weights = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        if not callable(network):
            raise TypeError(f"ForwardValueAndGrad: network must be a Cell or a function, got {describe(network)}.")
        self.network = network
        self.weights = weights
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param
        self.grad = GradOperation(get_all, get_by_list, sens_param)

    def construct(self, *inputs: Any) -> Any:
        out = self.network(*(inputs[:-1] if self.sens_param else inputs))
        return out, self.grad(self.network, self.weights)(*inputs)


class TrainOneStepCell(Cell):
    """One training step: forward, gradients, update; returns the loss.

    Args:
        network: A network whose output is the loss.
        optimizer: An optimizer; its Parameters are the ones trained.
        sens: The factor of the gradients (the loss scale).
        return_grad: Whether to return `(loss, {parameter name: gradient})`.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> step = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(net, ms.nn.MSELoss()), ms.nn.SGD(net.trainable_params()))
        >>> step(ms.Tensor([[1.0, 1.0]]), ms.Tensor([[1.0]])).shape
        ()
    """

    use_graceful_exit = False  # a process stops on request, without agreement with the others

    def __init__(self, network: Cell, optimizer: Any, sens: float | None = None, return_grad: bool = False) -> None:
        super().__init__(auto_prefix=False)
        of_type(self, "network", network, Cell)
        if not hasattr(optimizer, "parameters"):
            hint = " Write train.OptaxOptimizer(params, it)." if hasattr(optimizer, "update") else ""
            raise TypeError(f"{label(self)}: optimizer must be an optimizer, got {describe(optimizer)}.{hint}")
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = ParameterTuple(optimizer.parameters)
        self.sens, self.sense_flag = 1.0 if sens is None else sens, sens is not None
        self.return_grad = return_grad
        if return_grad:
            self.weights_name = [w.name for w in self.weights]
        self.parallel_mode = get_auto_parallel_context("parallel_mode")
        reducer = reducer_of(self.weights)
        self.reducer_flag = reducer is not None
        self.grad_reducer = reducer or Identity()
        self._has_begun = False
        # For users' subclasses with their own `construct`.
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self._forward = value_and_grad(self._scaled, None, self.weights, has_aux=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self._has_begun and not tracing():
            self._sporax_quietly("_has_begun", True)
            if self.reducer_flag:
                take_over_first_values(self._sporax_states())
        return super().__call__(*args, **kwargs)

    def _scaled(self, *inputs: object) -> tuple[Any, Any]:
        loss = self.network(*inputs)
        return (loss if self.sens == 1.0 else loss * self.sens), loss

    def _gradients(self, *inputs: object) -> tuple[Any, Any]:
        (_, loss), grads = self._forward(*inputs)
        return loss, self.grad_reducer(grads)

    def construct(self, *inputs: Any) -> Any:
        if pipelining() is not None and micro_size_of(self.network) is None:
            raise RuntimeError(
                f"{label(self)}: a pipeline of several stages trains on micro batches: wrap the network in a PipelineCell."
            )
        return self._one_step(*inputs) if tracing() else run_whole(self._one_step, self._watch_update(), *inputs)

    def _watch_update(self) -> Callable[[], bool]:
        """Return a function that returns whether the optimizer has changed the weights since this call."""
        before = [w.concrete() for w in self.weights[:1]]
        return lambda: any(w.concrete() is not value for w, value in zip(self.weights, before, strict=False))

    def _one_step(self, *inputs: object) -> Any:
        loss, grads = self._gradients(*inputs)
        self.optimizer(grads)
        return (loss, dict(zip(self.weights_name, grads, strict=True))) if self.return_grad else loss


class WithGradCell(Cell):
    """The gradients of a network with regard to its trainable Parameters.

    Args:
        network: The network.
        loss_fn: The loss; None if the network's output is the loss.
        sens: The factor of the gradients.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="ones", has_bias=False)
        >>> ms.nn.WithGradCell(net, ms.nn.MSELoss())(ms.Tensor([[1.0, 1.0]]), ms.Tensor([[1.0]]))[0].asnumpy()
        array([[2., 2.]], dtype=float32)
    """

    def __init__(self, network: Cell, loss_fn: Callable[..., Any] | None = None, sens: float | None = None) -> None:
        super().__init__(auto_prefix=False)
        of_type(self, "network", network, Cell)
        self.network, self.loss_fn = network, loss_fn
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_grad()
        self.weights = ParameterTuple(network.trainable_params())
        self.sens, self.grad = sens, GradOperation(get_by_list=True, sens_param=sens is not None)
        self._forward = value_and_grad(self._scaled, None, self.weights)

    def _scaled(self, *inputs: object) -> Any:
        loss = self.network_with_loss(*inputs)
        return loss if self.sens is None else loss * self.sens

    def construct(self, *inputs: Any) -> Any:
        return self._forward(*inputs)[1]


class ParameterUpdate(Cell):
    """Sets a Parameter to the argument of the call.

    Args:
        param: The Parameter.

    Raises:
        TypeError: If `param` is not a Parameter.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.ParameterUpdate(w)(ms.Tensor([2.0]))
        >>> w.item()
        2.0
    """

    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise TypeError(f"ParameterUpdate: param must be a Parameter, got {describe(param)}.")
        self._param = param

    def construct(self, x: Tensor) -> Tensor:
        self._param.set_data(x)
        return x


# --- parts of a batch ---------------------------------------------------------------------------------------------------


def _part(name: str, x: object, size: int, i: int) -> Any:
    """Return the i-th of `size` equal parts of an input along its first axis; an input without axes goes to every part."""
    if not isinstance(x, Tensor) or x.ndim == 0:
        return x
    length = micro_batch(name, x, size)
    return x[i * length : (i + 1) * length]


def micro_batch(name: str, x: Tensor, size: int) -> int:
    """Return the length of one of `size` equal parts of an input along its first axis, for a Cell called `name`.

    Raises:
        ValueError: If the axis is not divisible by `size`.
    """
    if x.shape[0] % size:
        raise ValueError(
            f"{name}: the first axis of every input must divide into {size} equal parts, got {describe(x)}."
        )
    return x.shape[0] // size


def micro_size_of(network: Cell) -> int | None:
    """Return the number of micro batches into which a network splits a batch; None if it does not split."""
    sizes = (
        getattr(cell, "micro_size", None) for _, cell in network.cells_and_names() if isinstance(cell, MicroBatches)
    )
    return next((size for size in sizes if size is not None), None)


class _MicroBatch(Cell):
    """The i-th part of a batch.

    Args:
        micro_size: The number of equal parts of each input's first axis.
        what: Its name in errors.

    Inputs:
        i: The index of the part. *inputs: Tensors.

    Outputs:
        A part of each input, as a tuple.

    Raises:
        ValueError: If the first axis of an input is not a multiple of `micro_size`.
    """

    def __init__(self, micro_size: int, what: str = "_MicroBatch") -> None:
        super().__init__()
        self.micro_size, self._what = micro_size, what

    strided_slice = holds("StridedSlice")

    def construct(self, i: int, *inputs: Any) -> Any:
        return tuple(_part(self._what, x, self.micro_size, i) for x in inputs)


class MicroBatches(Cell):
    """The base of Cells that run a network on parts of a batch, and sum its outputs."""

    _inputs = "micro_inputs"  # the attribute with the list of Cells that split

    def __init__(self, network: object, size: object, what: str) -> None:
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
        setattr(self, self._inputs, CellList([_MicroBatch(size, name) for _ in range(size)]))

    add = holds("Add")
    add_list = cached_property(lambda self: [self.add] * self._parts)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        total: Any = None
        for i, part in enumerate(getattr(self, self._inputs)):
            inputs = part(i, *args, *kwargs.values())
            out = self.network(*inputs[: len(args)], **dict(zip(kwargs, inputs[len(args) :], strict=True)))
            total = out if total is None else total + out
        return total


class GradAccumulationCell(MicroBatches):
    """Runs a network on micro batches and sums its outputs, so that one update uses the gradient of the whole batch.

    Args:
        network: The network; its output is usually a loss.
        micro_size: The number of parts of a batch along axis 0.

    Raises:
        TypeError: If `network` is not a Cell or `micro_size` no int.
        ValueError: If `micro_size` is not positive, or the first axis of an input is not a multiple of it.
    """

    def __init__(self, network: object, micro_size: int) -> None:
        super().__init__(network, micro_size, "micro_size")
        self.micro_size = micro_size


class MicroBatchInterleaved(MicroBatches):
    """Runs a network on parts of a batch and sums its outputs; MindSpore overlaps one part's communication with another.

    Args:
        network: The network.
        interleave_num: The number of parts of a batch along axis 0.

    Raises:
        TypeError: If `network` cannot be called or `interleave_num` is no int.
        ValueError: If `interleave_num` is not positive, or the first axis of an input is not a multiple of it.
    """

    _inputs = "interleave_inputs"

    def __init__(self, network: object, interleave_num: int = 2) -> None:
        super().__init__(network, interleave_num, "interleave_num")
        self.interleave_num = interleave_num
