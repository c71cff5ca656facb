"""export, load, GraphCell: a network's graph and Parameters in one file, which loads without the network's source."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax import export as jax_export

from sporax._src.base.errors import describe, shown
from sporax._src.base.jax_compat import UNTRACEABLE
from sporax._src.checkpoint.formats import graph_code, graph_file, onnx_file
from sporax._src.checkpoint.open_sizes import LARGEST, with_open_sizes
from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine.dispatch import Kernel
from sporax._src.engine.dispatch import run as run_kernel
from sporax._src.nn.cell.cell import Cell
from sporax._src.transform.capture import Graph
from sporax._src.transform.controlflow.merge import NeedsValue
from sporax._src.transform.functional import is_operand
from sporax._src.transform.jit import Jit

_SUFFIXES = {"MINDIR": ".mindir", "STABLEHLO": ".mindir", "ONNX": ".onnx"}
_PLATFORMS = ("cpu", "cuda", "tpu")
_ACCEPTED = ("dataset", "enc_mode", "incremental")


# --- writing ---------------------------------------------------------------------------------------------------------


def export(net: object, *inputs: object, file_name: str | os.PathLike[str], file_format: str, **kwargs: object) -> None:
    """Save the graph of a network for inputs like the given ones, with its Parameters, in one file.

    Args:
        net: A Cell or a function of Tensors.
        *inputs: Tensors of the shapes and dtypes that the graph will take; other values become part of the graph.
            `Tensor(shape=[None, 3], dtype=...)` leaves a size open: the graph takes any size from 1 to 1,048,576.
        file_name: The file; the suffix of the format is appended if it is missing.
        file_format: `"MINDIR"` or `"STABLEHLO"` (the same format): for `load` of sporax, with gradients, as versioned
            StableHLO in a file `.mindir`; `"ONNX"`: for other programs, of a Cell in inference mode, through the package
            `jax2onnx`.
        **kwargs: `dataset`, `enc_mode`, `incremental` are accepted for MindSpore programs.

    Raises:
        TypeError: If `net` cannot be called, or an argument is unknown.
        ValueError: If the format is unknown, or a key for encryption is given.
        RuntimeError: If the function cannot be compiled as one graph, or the graph calls back into Python.

    Examples:
        >>> import sporax as ms, os, tempfile
        >>> name = os.path.join(tempfile.mkdtemp(), "net")
        >>> net = ms.nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        >>> ms.export(net, ms.Tensor([[1.0, 2.0]]), file_name=name, file_format="MINDIR")
        >>> ms.nn.GraphCell(ms.load(name + ".mindir"))(ms.Tensor([[3.0, 4.0]])).asnumpy()
        array([[7.]], dtype=float32)
    """
    if file_format == "AIR":
        raise ValueError("export: files of the format 'AIR' are for Ascend's compiler; use 'MINDIR' or 'ONNX'.")
    if file_format not in _SUFFIXES:
        raise ValueError(f"export: file_format must be one of {', '.join(_SUFFIXES)}, got {file_format!r}.")
    for name, value in kwargs.items():
        if name == "enc_key" and value is not None:
            raise ValueError(
                "export: encryption is not offered; export without enc_key and protect the file otherwise."
            )
        if name not in (*_ACCEPTED, "enc_key"):
            raise TypeError(f"export: unknown argument '{name}'.")
    if not callable(net):
        raise TypeError(f"export: net must be a Cell or a function, got {describe(net)}.")
    if isinstance(net, Cell):
        _check_inputs(net, inputs)
    path = with_suffix(file_name, _SUFFIXES[file_format])
    if file_format == "ONNX":
        in_inference_mode(net, lambda: write_onnx(net, inputs, path))
    else:
        save_mindir(_exported(net, inputs), path)


def with_suffix(name: object, suffix: str) -> Path:
    """Return the path of a file, with the suffix, in a folder that exists.

    Raises:
        TypeError: If `name` is no path.
    """
    if not isinstance(name, (str, os.PathLike)) or not str(name):
        raise TypeError(f"export: file_name must be a string that is not empty, got {name!r}.")
    path = Path(name)
    path = path if path.name.endswith(suffix) else path.with_name(path.name + suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _check_inputs(net: Cell, inputs: Sequence[Any]) -> None:
    try:
        inspect.signature(net.construct).bind(*inputs)
    except TypeError as error:
        call = ", ".join(["net", *inspect.signature(net.construct).parameters])
        raise TypeError(
            f"export: the {len(inputs)} inputs do not fit {type(net).__name__}.construct ({error}); write "
            f"export({call}, file_name=..., file_format=...), with Tensors of the shapes that the graph will take."
        ) from None


def captured(net: Any, inputs: Sequence[Any]) -> Graph:
    """Return the graph of a network for inputs.

    Raises:
        RuntimeError: If the network cannot be compiled as one graph, or needs a size that an input leaves open.
    """
    name = getattr(net, "__name__", type(net).__name__)
    try:
        return (net if isinstance(net, (Cell, Jit)) else Jit(net)).graph(*with_open_sizes(tuple(inputs)))
    except (*UNTRACEABLE, NeedsValue) as error:
        raise RuntimeError(f"export: {name} cannot be compiled as one graph: {error}") from error
    except (jax.errors.InconclusiveDimensionOperation, TypeError) as error:
        if isinstance(error, TypeError) and "_DimExpr" not in str(error):
            raise
        why = str(error).partition("\n")[0]
        raise RuntimeError(
            f"export: {name} needs sizes that its inputs leave open; give Tensors of one size: {why}"
        ) from error


def _exported(net: object, inputs: Sequence[Any]) -> ExportedGraph:
    graph = captured(net, inputs)
    states = list({id(s): s for s in (*graph.donated, *graph.retained, *graph.written)}.values())
    read = len(graph.donated) + len(graph.retained)
    count = len(states)

    def pure(*operands: object) -> tuple[Any, ...]:
        return tuple(graph.call([*operands[:read], *operands[count:]]))

    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in graph.jaxpr.in_avals[len(graph.states) :]]
    values = [np.asarray(s.concrete()) for s in states]
    given = [*(jax.ShapeDtypeStruct(v.shape, v.dtype) for v in values), *avals]
    positions = {id(s): i for i, s in enumerate(states)}
    about = {
        "name": graph.name,
        "inputs": [
            [name, str(a.dtype), _sizes(a.shape)] for name, a in zip(graph.inputs[-len(avals) :], avals, strict=False)
        ],
        "states": [_described(s, i) for i, s in enumerate(states)],
        "results": _encoded(graph.structure),
        "written": [positions[id(s)] for s in graph.written],
    }
    return ExportedGraph(graph_file.GraphFile(about, _serialised(pure, given), values))


def _described(state: object, i: int) -> dict[str, Any]:
    if isinstance(state, Parameter):
        return {"name": state.name, "parameter": True, "requires_grad": state.requires_grad}
    return {"name": f"state {i}", "parameter": False, "requires_grad": False}


def _serialised(fn: Callable[..., Any], given: Sequence[Any]) -> bytes:
    """Serialise a function for every kind of device if possible, and with its gradient if it has one."""
    error: Exception | None = None
    for platforms in (_PLATFORMS, None):
        for orders in (1, 0):
            try:
                exported = jax_export.export(jax.jit(fn), platforms=platforms)(*given)
                return bytes(exported.serialize(vjp_order=orders))
            except ImportError:
                raise
            except Exception as failure:  # JAX's errors here share no class; the last, for this device alone, says why
                error = failure
    raise RuntimeError(f"export: the graph cannot be serialised: {error}") from error


def _encoded(structure: object) -> Any:
    """Return the structure of a result in JSON's types: `"*"` for a Tensor, one-key dicts for everything else."""
    if isinstance(structure, tree.Leaf):
        return "*"
    if isinstance(structure, tree.Branch) and issubclass(structure.kind, dict):
        return {"dict": {key: _encoded(c) for key, c in zip(structure.keys or (), structure.children, strict=True)}}
    if isinstance(structure, tree.Branch) and issubclass(structure.kind, (tuple, list)):
        kind = "list" if issubclass(structure.kind, list) else "tuple"
        return {kind: [_encoded(c) for c in structure.children]}
    value = getattr(structure, "value", structure)
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    raise TypeError(
        f"export: a result must be Tensors, numbers and strings in tuples, lists and dicts, got {describe(value)}."
    )


def _decoded(code: Any, arrays: Any) -> Any:
    if code == "*":
        return next(arrays)
    ((kind, content),) = code.items()
    if kind == "value":
        return content
    if kind == "dict":
        return {key: _decoded(c, arrays) for key, c in content.items()}
    return {"tuple": tuple, "list": list}[kind]([_decoded(c, arrays) for c in content])


def in_inference_mode(net: Any, act: Callable[[], object]) -> None:
    """Call a function while a Cell, and each Cell in it, is in inference mode."""
    before = [(cell, cell.training) for _, cell in net.cells_and_names()] if isinstance(net, Cell) else []
    if before:
        net.set_train(False)
    try:
        act()
    finally:
        for cell, training in before:  # parents first, so that each has the last word on itself
            cell.set_train(training)


def write_onnx(net: object, inputs: Sequence[Any], path: Path, gives_parameters: bool = False) -> list[Parameter]:
    """Write the graph of a network as an ONNX file; return the Parameters that are its last inputs.

    Args:
        net: The network.
        inputs: Its inputs.
        path: The file.
        gives_parameters: Whether Parameters are inputs; if not, they are part of the graph.
    """
    graph = captured(net, inputs)
    states = [*graph.donated, *graph.retained]
    values = [s.concrete() for s in states]
    places = [i for i, s in enumerate(states) if gives_parameters and isinstance(s, Parameter)]
    taken = graph.jaxpr.in_avals[len(graph.states) :]
    avals = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (*taken, *(values[i] for i in places))]
    results = len(graph.jaxpr.out_avals) - len(graph.written)

    def fn(*arrays: Any) -> list[Any]:
        given = dict(zip(places, arrays[len(taken) :], strict=True))
        return graph.call([*(given.get(i, v) for i, v in enumerate(values)), *arrays[: len(taken)]])[:results]

    onnx_file.write(path, fn, avals, graph.name)
    return [states[i] for i in places]


# --- reading ---------------------------------------------------------------------------------------------------------


class ExportedGraph:
    """A graph that `export` wrote: a call with Tensors returns the results of the network.

    Args:
        content: The content of its file.

    Attributes:
        states: The Parameters (and other state) of the graph.
        inputs: Name, dtype and shape of each input.
    """

    def __init__(self, content: graph_file.GraphFile) -> None:
        about = content.about
        self._content = content
        self.name: str = about["name"]
        self.inputs: list[Any] = about["inputs"]
        pairs = list(zip(about["states"], content.arrays, strict=True))
        self.states = [Parameter(wrap(jax.numpy.asarray(a)), s["name"], s["requires_grad"]) for s, a in pairs]
        self.parameters = {p.name: p for p, (s, _) in zip(self.states, pairs, strict=True) if s["parameter"]}
        self._kernel = Kernel(self._flat, self.name)

    @functools.cached_property
    def _exported(self) -> Any:
        return graph_code.read(self._content.graph)

    def _flat(self, *operands: object) -> tuple[Any, ...]:
        return tuple(self._exported.call(*operands))

    def check(self) -> None:
        """Check that code and description agree.

        Raises:
            ValueError: If they do not, the code is damaged, or it calls functions that a graph may not call.
        """
        about, results = self._content.about, self._exported.out_avals
        states = _signature(self._content.arrays)
        inputs = [[dtype, shape] for _, dtype, shape in self.inputs]
        if _signature(self._exported.in_avals) != [*states, *inputs]:
            raise ValueError("its code takes other arrays than its description says")
        count = len(results) - len(about["written"])
        leaves = itertools.count()
        _decoded(about["results"], leaves)
        written = [states[place] for place in about["written"]]
        if next(leaves) != count or _signature(results[count:]) != written:
            raise ValueError("its code gives other arrays than its description says")

    def content(self) -> graph_file.GraphFile:
        """Return the content of a file for the graph with its present values."""
        return self._content._replace(arrays=[p.asnumpy() for p in self.states])

    def __call__(self, *args: object) -> Any:
        given: list[Tensor] = []
        tree.flatten(args, is_operand, given)
        self._check(given)
        outs = run_kernel(self._kernel, [*self.states, *given])
        written = self._content.about["written"]
        results = len(outs) - len(written)
        for place, value in zip(written, outs[results:], strict=True):
            self.states[place].set_data(value)
        return _decoded(self._content.about["results"], iter(outs[:results]))

    def _check(self, given: Sequence[Tensor]) -> None:
        shapes = [f"[{', '.join(map(str, shape))}]" for *_, shape in self.inputs]
        wanted = [f"{name}: {dtype}{shape}" for (name, dtype, _), shape in zip(self.inputs, shapes, strict=True)]
        if not _fits([[str(t._data.dtype), list(t.shape)] for t in given], [[d, s] for _, d, s in self.inputs]):
            got = ", ".join(describe(t) for t in given)
            raise ValueError(f"The graph '{self.name}' was exported for ({', '.join(wanted)}), got ({got}).")


def _signature(avals: Sequence[Any]) -> list[list[Any]]:
    return [[str(a.dtype), _sizes(a.shape)] for a in avals]


def _fits(given: Sequence[list[Any]], wanted: Sequence[list[Any]]) -> bool:
    """Return whether arrays have the required dtypes and sizes; open sizes with one name must be equal."""
    found: dict[str, int] = {}

    def fits(size: int, want: int | str) -> bool:
        if isinstance(want, str):
            return 1 <= size <= LARGEST and size == found.setdefault(want, size)
        return size == want

    return len(given) == len(wanted) and all(
        dtype == kind and len(shape) == len(sizes) and all(map(fits, shape, sizes))
        for (dtype, shape), (kind, sizes) in zip(given, wanted, strict=True)
    )


def _sizes(shape: Sequence[Any]) -> list[int | str]:
    """Return a shape in JSON's types, with names in place of open sizes."""
    return [size if isinstance(size, int) else str(size) for size in shape]


def load(file_name: str | os.PathLike[str], **kwargs: object) -> ExportedGraph:
    """Read a graph that `export` wrote in the format `"MINDIR"` or `"STABLEHLO"`; `nn.GraphCell` runs it.

    Args:
        file_name: The file, which ends in `.mindir`.
        **kwargs: `dec_mode` is accepted for MindSpore programs.

    Raises:
        ValueError: If there is no such file, its suffix is another, it contains no such graph or is damaged, its code
            calls functions that a graph may not call, or a key is given.
    """
    if kwargs.get("dec_key") is not None:
        raise ValueError("load: encryption is not offered; load without dec_key.")
    if not isinstance(file_name, (str, os.PathLike)):
        raise ValueError(f"load: file_name must be a string, got {file_name!r}.")
    if not str(file_name).endswith(".mindir"):
        raise ValueError(f"load: file_name must end in '.mindir', got {str(file_name)!r}.")
    if not Path(file_name).is_file():
        raise ValueError(f"load: the file {shown(file_name)} does not exist.")
    content = graph_file.read(file_name)
    try:
        graph = ExportedGraph(content)
        graph.check()
    except (LookupError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        raise graph_file.unreadable(file_name, error) from error
    return graph


def load_mindir(file_name: str | os.PathLike[str]) -> ExportedGraph:
    """Read a graph to look at its `parameters`, change them and save them with `save_mindir` (see `load`)."""
    return load(file_name)


def save_mindir(model: ExportedGraph, file_name: str | os.PathLike[str]) -> None:
    """Write a graph that `load_mindir` or `load` read, with the present values of its Parameters.

    Raises:
        TypeError: If `model` is no such graph.
    """
    if not isinstance(model, ExportedGraph):
        raise TypeError(f"save_mindir: model must be what load_mindir returned, got {describe(model)}.")
    graph_file.write(with_suffix(file_name, ".mindir"), *model.content())


class GraphCell(Cell):
    """Runs a graph that `export` wrote; the Parameters of the graph become the Cell's.

    Args:
        graph: The result of `load`.
        params_init: Values that replace Parameters of the graph, by name.
        obf_random_seed: Accepted for MindSpore programs.

    Raises:
        TypeError: If `graph` is no such graph, or `params_init` is no dict of Tensors.
        KeyError: If `params_init` names a Parameter that the graph does not have.
        ValueError: On a call, if inputs do not have the shapes and dtypes that the graph was exported for.
    """

    def __init__(
        self, graph: object, params_init: dict[str, Any] | None = None, obf_random_seed: int | None = None
    ) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(graph, ExportedGraph):
            raise TypeError(f"GraphCell: graph must be what load returned, got {describe(graph)}.")
        if params_init is not None and not isinstance(params_init, dict):
            raise TypeError(f"GraphCell: params_init must be a dict, got {describe(params_init)}.")
        self.graph_of_file = ExportedGraph(graph.content())  # with Parameters of its own
        for name, param in self.graph_of_file.parameters.items():
            self.insert_param_to_cell(name, param, check_name_contain_dot=False)
        for name, value in (params_init or {}).items():
            if not isinstance(name, str) or not isinstance(value, Tensor):
                raise TypeError(f"GraphCell: params_init must hold Tensors by name, got {name!r}: {describe(value)}.")
            if name not in self.graph_of_file.parameters:
                known = ", ".join(self.graph_of_file.parameters)
                raise KeyError(f"GraphCell: the graph has no Parameter '{name}'; it has {known}.")
            self.graph_of_file.parameters[name].set_data(value)

    def construct(self, *args: Any) -> Any:
        return self.graph_of_file(*args)
