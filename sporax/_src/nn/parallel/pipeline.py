"""Cells of pipelines: a network on micro batches, run by pipeline stages on several processes."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import numpy as np

from sporax._src.base import config
from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import DrivenByHost
from sporax._src.core import tree
from sporax._src.core.execution import run_apart, running
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import tracing
from sporax._src.core.tape import is_recording, watched
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine.vjp import is_inexact
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.parallel.stage_runner import StageRun
from sporax._src.nn.wrap import MicroBatches, micro_batch
from sporax._src.processes.parallel_context import ParallelMode, Pipelining, get_auto_parallel_context, pipelining
from sporax._src.processes.world import devices_of_each, is_joined, world
from sporax._src.transform.custom import custom_backward
from sporax._src.transform.functional import split
from sporax._src.transform.jit import Jit
from sporax._src.transform.parallel.pipeline_stages import Parts

__all__ = ["PipelineCell", "PipelineGradReducer"]

_numbers = itertools.count()


class PipelineCell(MicroBatches):
    """Runs a network on micro batches by the stages of a pipeline, and sums the outputs.

    out = Σᵢ network(xᵢ), where xᵢ is the i-th of `micro_size` equal parts of x along axis 0.

    With `pipeline_stages` on several processes each process runs the Cells of its stage (`pipeline_stage`), in the order that
    `pipeline_config` selects, and all get the output. In one process the stages run in turn on its devices.

    Args:
        network: The network; its output is usually a loss.
        micro_size: The number of micro batches in a batch; at least the number of stages.
        stage_config: The stage of each Cell by name; stored as the Cell's `pipeline_stage`.
        segment_config: Accepted for MindSpore programs.

    Raises:
        TypeError: If `network` is not a Cell or `micro_size` no int.
        ValueError: If `micro_size` is not positive, or the first axis of an input is not a multiple of it.
        KeyError: If `stage_config` names a Cell that the network does not have.
        RuntimeError: If there are more stages than micro batches, or the stages of the Cells are inconsistent.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.PipelineCell(ms.nn.Dense(1, 1, weight_init="ones", bias_init="zeros"), 2)
        >>> net(ms.Tensor([[1.0], [2.0]])).asnumpy()
        array([[3.]], dtype=float32)
    """

    _staged: StagedNetwork | None = None

    def __init__(self, network: Any, micro_size: int, stage_config: Any = None, segment_config: object = None) -> None:
        super().__init__(network, micro_size, "micro_size")
        self.micro_size = micro_size
        cells = dict(network.cells_and_names())
        for name, stage in (stage_config or {}).items():
            if name not in cells:
                raise KeyError(f"PipelineCell: stage_config names '{name}', which the network does not have.")
            cells[name].pipeline_stage = stage

    @property
    def staged(self) -> StagedNetwork:
        """The network run by stages."""
        staged = self._staged
        if staged is None or staged.network is not self.network:
            staged = StagedNetwork(self.network, type(self).__name__)  # type: ignore[arg-type]
            self._sporax_quietly("_staged", staged)
        return staged

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        how = pipelining()
        if how is None:
            return super().construct(*args, **kwargs)
        stages = how.stages * how.joined
        if self.micro_size < stages:
            raise RuntimeError(
                f"PipelineCell: micro_size must be at least the number of stages, got {self.micro_size} micro batches for "
                f"{stages} stages."
            )
        if not is_joined():
            self.staged.check(how, self.micro_size, args, kwargs)
            return super().construct(*args, **kwargs)
        return self.staged(how, self.micro_size, args, kwargs)


class StagedNetwork:
    """A network run by the stages of a pipeline.

    Args:
        network: The network.
        what: Its name in errors.

    Attributes:
        network: The network.
    """

    def __init__(self, network: Cell, what: str) -> None:
        def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return network(*args, **kwargs)

        self.network, self._what = network, what
        self._jit = Jit(run, fullgraph=True)
        self._jit.__name__ = self._jit.__qualname__ = type(network).__name__
        self._runs: dict[int, StageRun] = {}
        self._tag = f"pipeline {next(_numbers)}"

    @property
    def max_in_flight(self) -> int:
        """The largest number of micro batches in flight on this stage: with a forward and no backward yet."""
        return max((run.max_in_flight for run in self._runs.values()), default=0)

    def check(self, how: Pipelining, micros: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise an error unless stages can run the network.

        Raises:
            RuntimeError: If the stages of its Cells are inconsistent (see `Parts`).
        """
        Parts(self._graph(micros, args, kwargs), how.stages, how.interleaves, self._what, how.joined)

    def _graph(self, micros: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the graph of one micro batch."""
        parts = tree.map_leaves(lambda x: _shape_of_part(self._what, x, micros), (args, kwargs), _is_tensor)
        return run_apart(_on_its_own, self._jit, parts)

    def __call__(self, how: Pipelining, micros: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the network on micro batches, and sum its results.

        Raises:
            RuntimeError: If the stages of its Cells are inconsistent, or the number of processes is wrong; if it returns
                anything but one Tensor for several micro batches; if gradients of arguments are requested.
        """
        if tracing():
            raise DrivenByHost(f"{self._what}: stages exchange messages")
        needed, each = how.stages * how.devices, devices_of_each()
        if world().size * each != needed:
            need = f"{needed} processes" if each == 1 else f"{needed} devices"
            there = world().size if each == 1 else f"{world().size} processes of {each} devices"
            raise RuntimeError(
                f"{self._what}: {how.stages} stages of {how.devices} devices need {need}, the run has {there}."
            )
        graph = self._graph(micros, args, kwargs)
        tensors = split((args, kwargs))[0]
        if is_recording() and any(watched(t) for t in tensors):
            raise RuntimeError(
                f"{self._what}: gradients of arguments do not go through stages of several processes; those of Parameters do."
            )
        run = self._run_of(graph, how)
        states = graph.states
        wanted = [
            i for i, s in enumerate(states) if is_recording() and isinstance(s, Parameter) and watched(s) and is_inexact(s._data)
        ]  # fmt: skip
        call = _Call(run, [t._data for t in tensors], micros, wanted, self._what)
        results = custom_backward(call.forward, call.backward, [states[i] for i in wanted])
        result = tree.unflatten(graph.structure, iter(results))
        if micros > 1 and not isinstance(result, Tensor):
            raise RuntimeError(
                f"{self._what}: a network run on micro batches must return one Tensor, got {describe(result)}."
            )
        return result

    def _run_of(self, graph: object, how: Pipelining) -> StageRun:
        if id(graph) not in self._runs:
            self._runs[id(graph)] = StageRun(graph, how, f"{self._tag}.{len(self._runs)}", self._what)
        return self._runs[id(graph)]


class _Call:
    """One call of a network by stages, with its backward."""

    def __init__(self, run: StageRun, arguments: list[Any], micros: int, wanted: list[int], what: str) -> None:
        self._run, self._arguments, self._micros, self._wanted, self._what = run, arguments, micros, wanted, what
        self._gradients: dict[int, Any] = {}
        self._seed = run.seed

    def forward(self, *_: Tensor) -> tuple[Tensor, ...]:
        results, self._gradients = self._run.run(self._arguments, self._micros, self._wanted)
        return tuple(map(wrap, results))

    def backward(self, _: object, __: object, cotangents: Any) -> tuple[Any, ...]:
        """Return the gradients for the cotangent of the result: a multiple of those computed with the run's seed."""
        if is_recording():
            raise RuntimeError(f"{self._what}: gradients of gradients do not go through stages of several processes.")
        flat = [np.zeros(1) if ct is None else np.ravel(ct._data).astype(np.float64) for ct in cotangents]
        values = np.unique(np.concatenate(flat))
        if values.size != 1:
            raise RuntimeError(
                f"{self._what}: if a stage has its own processes, the gradient must weigh all elements of the output alike."
            )
        (value,) = values.tolist()
        factor = value / self._seed
        self._run.continue_with(value, factor)
        gradients = [self._gradients[i] for i in self._wanted]
        self._gradients = {}
        return tuple([wrap(g if factor == 1 else g * np.asarray(factor, g.dtype)) for g in gradients])


def _on_its_own(compiled: Jit, parts: tuple[Any, Any]) -> Any:
    with running(scope=None, recording=0, fallback_depth=0):
        return compiled.graph_that_fits(*parts)


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor)


def _shape_of_part(what: str, x: Tensor, micros: int) -> Tensor:
    """Return a Tensor with the shape and dtype of a micro batch, without values."""
    shape = x.shape if x.ndim == 0 else (micro_batch(what, x, micros), *x.shape[1:])
    return wrap(jax.ShapeDtypeStruct(tuple(shape), x._data.dtype))


class PipelineGradReducer(Cell):
    """The gradients of a pipeline's micro batches, for an optimizer: ḡᵢ = gᵢ / scale.

    They were summed over micro batches, and over the stages that share a Parameter, when they were computed.

    Args:
        parameters: The Parameters.
        scale_sense: The divisor of the gradients.
        opt_shard: Accepted for MindSpore programs.

    Raises:
        RuntimeError: If the mode is not GRAPH_MODE, or the parallel mode none with strategies.

    Examples:
        >>> import sporax as ms
        >>> ms.set_context(mode=ms.GRAPH_MODE)
        >>> ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
        >>> reduce = ms.nn.PipelineGradReducer(ms.ParameterTuple([ms.Parameter(ms.Tensor([1.0]), name="w")]), 2.0)
        >>> reduce((ms.Tensor([3.0]),))[0].item()
        1.5
        >>> ms.reset_auto_parallel_context()
    """

    def __init__(self, parameters: object, scale_sense: float = 1.0, opt_shard: bool | None = None) -> None:
        super().__init__(auto_prefix=False)
        if config.mode() != config.GRAPH_MODE:
            raise RuntimeError(f"PipelineGradReducer: the mode must be GRAPH_MODE, got {config.mode()}.")
        mode = get_auto_parallel_context("parallel_mode")
        if mode not in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL):
            raise RuntimeError(
                f"PipelineGradReducer: the parallel mode must be semi_auto_parallel or auto_parallel, got {mode!r}."
            )
        self.scale_sense = Parameter(Tensor(np.float32(scale_sense)), name="scale_sense", requires_grad=False)

    def construct(self, grads: Any) -> Any:
        scale = 1.0 / self.scale_sense.value()
        return tuple([g * scale.astype(g.dtype) for g in grads])
