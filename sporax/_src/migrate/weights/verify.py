"""Verification: both nets, each with the weights of its file, run on the same input, and their outputs are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sporax._src.migrate.loading import modules_of
from sporax._src.migrate.weights import torch_files
from sporax._src.migrate.weights.convert import Conversion
from sporax._src.migrate.weights.entries import Slot, tree_of
from sporax._src.migrate.weights.layers import CONV, CONV_1D, EMBEDDING, LINEAR, NORM, RECURRENT
from sporax._src.migrate.weights.nets import Net
from sporax.common import Tensor

TOLERANCE = 3e-6  # of an output's greatest number, or of 1 if that is smaller


def verified(conversion: Conversion, source: Net, target: Net, inputs: Sequence[str]) -> bool:
    """Run both nets in eval mode, record the greatest difference in the report, and return whether it is small.

    Args:
        conversion: The weights of either side.
        source, target: The nets.
        inputs: The shapes and dtypes of the inputs; those of the first layer if there are none.

    Raises:
        ValueError: If a net does not take the inputs, or their outputs have other shapes.
    """
    source.set(conversion.source_arrays)
    own = target.entries.names()
    target.set(
        {name: array for name, array in conversion.arrays.items() if name in own and array.shape == own[name].shape}
    )
    inputs_of_nets = [input_of(text, seed) for seed, text in enumerate(inputs)] or inputs_for(source)
    difference, same = compare_outputs(source, target, inputs_of_nets)
    conversion.report.difference = difference
    return same


def compare_outputs(source: Net, target: Net, inputs: Sequence[np.ndarray]) -> tuple[float, bool]:
    """Return the greatest difference between the outputs of two nets in eval mode, and whether it is within the tolerance.

    Args:
        source, target: The nets.
        inputs: Their arguments.

    Raises:
        ValueError: If a net does not take the inputs, or their outputs have other shapes.
    """
    expected, got = ([np.asarray(a) for a in _leaves(_run(net, inputs))] for net in (source, target))
    shapes = [[list(a.shape) for a in side] for side in (expected, got)]
    if shapes[0] != shapes[1] or not expected:
        raise ValueError(f"--verify: the source net returns arrays of shapes {shapes[0]}, the target net {shapes[1]}.")
    differences = [_distance(a, b) for a, b in zip(expected, got, strict=True)]
    within = all(d <= TOLERANCE * max(1.0, _greatest(a)) for d, a in zip(differences, expected, strict=True))
    return max(differences), within


def _greatest(array: np.ndarray) -> float:
    return float(np.abs(array.astype(np.complex128)).max(initial=0.0))


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return the greatest difference; NaNs at the same position are equal."""
    a, b = (x.astype(np.complex128) for x in (a, b))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    gap = np.where(same, 0, np.abs(a - b))
    return float(np.where(np.isnan(gap), np.inf, gap).max(initial=0.0))


def _run(net: Net, inputs: Sequence[np.ndarray]) -> Any:
    try:
        with modules_of(net.net):
            if net.side == "cell":
                return net.net.set_train(False)(*map(Tensor, inputs))
            torch = torch_files.torch_for("--verify")
            with torch.no_grad():
                return net.net.eval()(*map(torch_files.tensor_of, inputs))
    except Exception as error:  # the user's code may raise anything
        shapes = ", ".join(f"{a.dtype}{list(a.shape)}" for a in inputs)
        text = f"{type(net.net).__name__} does not take {shapes}: {type(error).__name__}: {error}"
        raise ValueError(
            f"--verify: {text}. Give --input SHAPE[:DTYPE] for each input, such as --input 1,3,224,224."
        ) from error


def _leaves(value: object) -> Iterator[np.ndarray]:
    """Yield the arrays of an output, in order."""
    if isinstance(value, Tensor):
        yield value.asnumpy()
    elif hasattr(value, "detach"):
        yield torch_files.array_of(value, "an output")
    elif isinstance(value, dict):
        for key in value:
            yield from _leaves(value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)


# --- inputs ---------------------------------------------------------------------------------------------------------

_INPUT = re.compile(r"(\d+(?:[,x]\d+)*)(?::(\w+))?")


def input_of(text: str, seed: int) -> np.ndarray:
    """Return a random input of a shape and dtype, such as `1,3,224,224` or `2,16:int64`; whole numbers are 0 or 1.

    Args:
        text: The shape and, after a colon, the dtype; float32 if there is none.
        seed: The seed of the random numbers.

    Raises:
        ValueError: If it is something else.
    """
    match = _INPUT.fullmatch(text)
    try:
        dtype = np.dtype(match[2] or "float32") if match else None
    except TypeError:
        dtype = None
    if not match or dtype is None or dtype.kind not in "fiub":
        raise ValueError(f"--input {text}: expected SHAPE or SHAPE:DTYPE, such as 1,3,224,224 or 2,16:int64.")
    shape = [int(n) for n in re.split("[,x]", match[1])]
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape).astype(dtype) if dtype.kind == "f" else rng.integers(0, 2, shape).astype(dtype)


def inputs_for(net: Net) -> list[np.ndarray]:
    """Return a random input for the first layer of a net.

    Args:
        net: The net.

    Raises:
        ValueError: If that layer does not tell the shape.
    """
    rng = np.random.default_rng(0)
    first = next((n for n in tree_of(net.entries).nodes() if n.slots), None)
    shape = _shape(first.kind, next(iter(first.slots.values()))) if first and first.kind else None
    if shape is None:
        what = f"{first.path or 'the net itself'}" if first else "nothing"
        raise ValueError(
            f"--verify: the first layer ({what}) does not tell the input's shape; give --input SHAPE[:DTYPE]."
        )
    if first and first.kind is EMBEDDING:
        return [rng.integers(0, first.slots["weight"].shape[0], shape)]
    return [rng.normal(size=shape).astype(np.float32)]


def _shape(kind: object, slot: Slot) -> tuple[int, ...] | None:
    """Return the shape of an input for a kind of layer with this weight."""
    if kind in (CONV, CONV_1D):
        return (2, slot.shape[1], *(32,) * (1 if kind is CONV_1D else len(slot.entry.shape) - 2))
    if kind is LINEAR:
        return (2, slot.shape[1])
    if kind is RECURRENT:
        return (5, 2, slot.shape[1])
    if kind is EMBEDDING:
        return (2, 7)
    return (2, *slot.shape) if kind is NORM else None
