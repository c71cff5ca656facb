"""ONNX files, which the package jax2onnx writes; operations unknown to jax2onnx are replaced by known ones."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.errors import shown
from sporax._src.base.jax_compat import evaluate, inner_jaxpr, is_literal, scan_counts
from sporax._src.lowering import recurrence


def write(path: Path, fn: Callable[..., Any], avals: Sequence[jax.ShapeDtypeStruct], name: str) -> None:
    """Write a function of arrays as an ONNX file.

    Args:
        path: The file.
        fn: The function, which returns a list of arrays.
        avals: Shapes and dtypes of its operands.
        name: The name of the graph in the file.

    Raises:
        RuntimeError: If jax2onnx is not installed, or cannot write an operation of the function.
    """
    try:
        import jax2onnx
    except ImportError as error:
        raise RuntimeError(
            f"export: file_format 'ONNX' needs the package jax2onnx (pip install jax2onnx): {error}."
        ) from None
    closed = jax.make_jaxpr(fn)(*avals)

    def known(*arrays: object) -> Any:
        outs = _run(closed, arrays)
        return outs[0] if len(outs) == 1 else tuple(outs)

    try:
        jax2onnx.to_onnx(known, inputs=list(avals), model_name=name, return_mode="file", output_path=str(path))
    except Exception as error:  # its errors share no class
        why = f"{type(error).__name__}: {error}"
        raise RuntimeError(f"export: jax2onnx cannot write {shown(name)}: {shown(why)}") from error


def rename(
    path: Path,
    inputs: Sequence[str],
    outputs: Sequence[str],
    axes: Sequence[Mapping[int, str]],
    values: Mapping[str, np.ndarray],
) -> None:
    """Give inputs and outputs of an ONNX file other names.

    Args:
        path: The file.
        inputs: New names of the first inputs.
        outputs: New names of the first outputs.
        axes: Of the first inputs, the names of axes.
        values: What inputs are if they are not given, by their new names.
    """
    onnx: Any = importlib.import_module("onnx")  # jax2onnx needs it
    model = onnx.load(str(path))
    graph = model.graph
    taken = {value.name for value in graph.input}
    for value in graph.output:
        if value.name in taken:  # an output that is an input or another output gets a name of its own
            given, value.name = value.name, f"{value.name}_{len(graph.node)}"
            graph.node.append(onnx.helper.make_node("Identity", [given], [value.name]))
        taken.add(value.name)
    ends = [*zip(graph.input, inputs, strict=False), *zip(graph.output, outputs, strict=False)]
    names = {value.name: name for value, name in ends}
    for used in {name for name in _names(graph) if name in names.values()} - names.keys():
        names[used] = f"{used}_inside"
    sizes = {
        value.type.tensor_type.shape.dim[axis].dim_param: name
        for value, named in zip(graph.input, axes, strict=False)
        for axis, name in named.items()
    }
    _rename(graph, names, sizes)
    graph.initializer.extend(onnx.numpy_helper.from_array(value, name) for name, value in values.items())
    onnx.save(model, str(path))


def _names(graph: Any) -> Iterator[str]:
    """Yield the names of the values of a graph and of the graphs in it, each perhaps several times."""
    for node in graph.node:
        yield from (*node.input, *node.output)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _names(inner)
    yield from (value.name for value in (*graph.input, *graph.output, *graph.initializer))


def _rename(graph: Any, names: Mapping[str, str], sizes: Mapping[str, str]) -> None:
    for node in graph.node:
        for ends in (node.input, node.output):
            ends[:] = [names.get(name, name) for name in ends]
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                _rename(inner, names, sizes)
    for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
        value.name = names.get(value.name, value.name)
    for value in (*graph.input, *graph.output, *graph.value_info):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in sizes:
                dim.dim_param = sizes[dim.dim_param]


def _run(closed: Any, operands: Sequence[Any]) -> list[Any]:
    """Run a graph with other operations in place of those unknown to jax2onnx."""
    env = dict(zip([*closed.jaxpr.constvars, *closed.jaxpr.invars], [*closed.consts, *operands], strict=True))

    def read(atom: object) -> Any:
        return atom.val if is_literal(atom) else env[atom]

    for eqn in closed.jaxpr.eqns:
        given = [read(atom) for atom in eqn.invars]
        inner = inner_jaxpr(eqn)
        results = _OTHERS.get(eqn.primitive.name, evaluate)(eqn, given) if inner is None else _run(inner, given)
        env.update(zip(eqn.outvars, results, strict=True))
    return [read(atom) for atom in closed.jaxpr.outvars]


def _scan(eqn: Any, given: list[Any]) -> list[Any]:
    """Run a loop that goes backwards as one that goes forwards."""
    if not eqn.params["reverse"]:
        return evaluate(eqn, given)
    consts, carried = scan_counts(eqn.params)
    start = consts + carried
    outs = evaluate(eqn, [*given[:start], *map(_turned, given[start:])], reverse=False)
    return [*outs[:carried], *map(_turned, outs[carried:])]


def _turned(array: Any) -> Any:
    return lax.rev(array, (0,))


def _convolution(eqn: Any, given: list[Any]) -> list[Any]:
    """Run a convolution after changing the axes of its kernel to the usual order."""
    images, kernel = given
    numbers = eqn.params["dimension_numbers"]
    kernel = lax.transpose(kernel, numbers.rhs_spec)
    usual = tuple(range(kernel.ndim))
    numbers = numbers._replace(rhs_spec=usual)
    if numbers == (usual,) * 3 and len(usual) == 5:
        return [_over_planes(eqn, images, kernel)]
    return evaluate(eqn, [images, kernel], dimension_numbers=numbers)


def _over_planes(eqn: Any, volumes: Any, kernel: Any) -> Any:
    """Compute a 3-D convolution as a sum of 2-D convolutions, one for each plane of the kernel."""
    sizes = ("window_strides", "padding", "lhs_dilation", "rhs_dilation")
    (step, *_), (padding, *_), (spread, *_), (hole, *_) = (eqn.params[name] for name in sizes)
    flat = {name: tuple(eqn.params[name][1:]) for name in sizes}
    flat["dimension_numbers"] = lax.ConvDimensionNumbers(*[tuple(range(4))] * 3)
    count = eqn.outvars[0].aval.shape[2]
    spaced = jnp.stack([volumes, *[jnp.zeros_like(volumes)] * (spread - 1)], 3)
    volumes = spaced.reshape(*volumes.shape[:2], -1, *volumes.shape[3:])
    volumes = jnp.pad(volumes, ((0, 0), (0, 0), padding, (0, 0), (0, 0)))
    total: Any = 0.0
    for place in range(kernel.shape[2]):
        start = place * hole
        planes = lax.slice_in_dim(volumes, start, start + (count - 1) * step + 1, step, axis=2)
        planes = jnp.moveaxis(planes, 2, 1)
        images = planes.reshape(-1, *planes.shape[2:])
        total = total + evaluate(eqn, [images, kernel[:, :, place]], **flat)[0]
    return jnp.moveaxis(total.reshape(-1, count, *total.shape[1:]), 1, 2)


def _reshape(eqn: Any, given: list[Any]) -> list[Any]:
    """Run a reshape with reordered axes, whose order jax2onnx would ignore."""
    if eqn.params["dimensions"] is not None:
        given = [lax.transpose(given[0], eqn.params["dimensions"]), *given[1:]]
    return evaluate(eqn, given, dimensions=None)


def _recurrence(eqn: Any, given: list[Any]) -> list[Any]:
    """Run the loop of a recurrent layer as a loop of JAX."""
    return _run(jax.make_jaxpr(partial(recurrence.loop.fn, **eqn.params))(*given), given)


_OTHERS = {"recurrent_loop": _recurrence, "scan": _scan, "conv_general_dilated": _convolution, "reshape": _reshape}
