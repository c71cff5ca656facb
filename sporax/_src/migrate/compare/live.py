"""The comparison of a torch module with a Cell in this process, and of two recordings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import sporax as ms
from sporax._src.base.errors import describe
from sporax._src.migrate.compare.align import layer_pairs, parameter_pairs
from sporax._src.migrate.compare.cell_recorder import CellRecorder
from sporax._src.migrate.compare.recorder import Arrays, Guide, Recording
from sporax._src.migrate.compare.recorder import describe as described
from sporax._src.migrate.compare.report import Comparison
from sporax._src.migrate.compare.stages import Stages
from sporax._src.migrate.compare.torch_recorder import TorchRecorder
from sporax._src.migrate.loading import modules_of
from sporax._src.migrate.weights.transfer import transfer_weights


def compare(
    torch_net: object,
    cell: ms.nn.Cell,
    inputs: object,
    *,
    loss: object = None,
    optimizer: object = None,
    single_step: bool = False,
    carry: bool = True,
) -> Comparison:
    """Compare a Cell with the torch module it was made from, layer by layer, and name the first that differs.

    The order is Parameters, forward, loss, gradients, updated weights, metric. Two values a and b agree if max |a - b|
    ≤ tolerance · max(|a|, |b|). In float32 the tolerance is 1e-5 for outputs, 2e-4 for gradients and 2e-3 for the step.
    Layers run in evaluation mode, then again with the normalisations in training mode, so no dropout is active. If the
    Cell's outputs equal the reference's except for rounding, gradients are computed at the reference's outputs. Both
    optimizers get the reference's gradients. Each stage is therefore compared separately. Both networks are restored at
    the end, except for the weights that the Cell got.

    Args:
        torch_net: The torch module, the reference.
        cell: The Cell.
        inputs: An array, or a tuple of arrays: the inputs of the networks, then the labels of the loss.
        loss: A callable of outputs and labels for both networks, or a pair of callables. None: outputs are summed with
            fixed weights, so that gradients can be compared.
        optimizer: A pair, each an optimizer or a function that makes it of the Parameters; or one function of both
            networks that returns the pair. None: no step is taken.
        single_step: Whether each Cell gets the inputs of its counterpart, so that one layer's error does not hide the
            next.
        carry: Whether the Cell first gets the module's weights; False if it already has them.

    Raises:
        TypeError: If a network is of another kind, or an input is no array.
        ValueError: If inputs, loss or optimizer are not as described, or a network fails with them.

    Examples:
        >>> import numpy as np
        >>> import torch
        >>> import sporax as ms
        >>> from sporax.migrate import compare
        >>> x = np.linspace(-2, 2, 8, dtype=np.float32).reshape(2, 4)
        >>> result = compare(torch.nn.LeakyReLU(), ms.nn.LeakyReLU(), x)
        >>> result.first_difference, result.stage
        ('LeakyReLU', 'forward')
        >>> result.cause.split(" (")[0]
        'negative_slope is 0.01 in the reference and 0.2 here'
    """
    check_networks(torch_net, cell)
    arrays = as_arrays(inputs)
    losses = pair_of(loss, "loss") if loss is not None else (None, None)
    optimizers = optimizer_pair(optimizer, torch_net, cell)
    if carry:
        transfer_weights(torch_net, cell)
    reference = recorded(TorchRecorder(torch_net), arrays, losses[0], optimizers[0])
    guide = guided(reference, cell, single_step)
    candidate = recorded(CellRecorder(cell, ms), arrays, losses[1], optimizers[1], guide)
    return Stages(reference, candidate).run(single_step)


def recorded(
    recorder: Any, inputs: Sequence[np.ndarray], loss: Any, optimizer: Any, guide: Guide | None = None
) -> Recording:
    """Run a recorder; an error names the network.

    Raises:
        ValueError: If the network fails.
    """
    try:
        with modules_of(recorder.net):
            return recorder.record(inputs, loss, optimizer, guide)
    except Exception as error:
        shapes = ", ".join(describe(array) for array in inputs)
        name = f"{type(recorder.net).__name__} ({recorder.framework})"
        raise ValueError(f"compare: {name} fails with inputs {shapes}: {type(error).__name__}: {error}") from error
    finally:
        recorder.leave()


def guided(reference: Recording, cell: ms.nn.Cell, single_step: bool) -> Guide:
    """Return the reference's values under the names of the Cell; inputs only for `single_step`."""
    with modules_of(cell):
        theirs = {path: described(layer, "construct") for path, layer in cell.cells_and_names()}
    pairs = layer_pairs(reference.about["layers"], theirs)
    parameters = dict(cell.parameters_and_names())
    names = parameter_pairs(list(reference.about["parameters"]), list(parameters), pairs)
    slopes = {other: reference.arrays.get(f"gradient/{name}") for name, other in names.items()}
    fitting = {
        name: array.reshape(parameters[name].shape).astype(np.float32)
        for name, array in slopes.items()
        if array is not None and array.size == parameters[name].size and parameters[name].dtype == ms.float32
    }
    return Guide(
        calls_under(reference, pairs, "inputs") if single_step else {},
        calls_under(reference, pairs, "outputs"),
        fitting,
    )


def calls_under(reference: Recording, pairs: Mapping[str, str], what: str) -> dict[str, Arrays]:
    """Return the inputs or outputs of the reference's layers under the paths of the other network, pass by pass."""
    return {
        name: {
            (pairs[call["path"]], call["call"]): [
                reference.arrays[f"{name}/{i}/{what}/{j}"] for j in range(len(call[what]))
            ]
            for i, call in enumerate(calls)
            if call["path"] in pairs
        }
        for name, calls in reference.about["passes"].items()
    }


def check_networks(torch_net: object, cell: object) -> None:
    """Check the kinds of both networks.

    Raises:
        TypeError: If one is of another.
    """
    if not is_module(torch_net):
        raise TypeError(f"compare: torch_net must be a torch.nn.Module, got {describe(torch_net)}.")
    if not isinstance(cell, ms.nn.Cell):
        raise TypeError(f"compare: cell must be a sporax Cell, got {describe(cell)}.")


def is_module(value: object) -> bool:
    """Return whether this is a torch module, without importing torch."""
    return any(f"{base.__module__}.{base.__name__}" == "torch.nn.modules.module.Module" for base in type(value).__mro__)


def as_arrays(inputs: Any) -> list[np.ndarray]:
    """Return the inputs as arrays; float64 of Python's own numbers becomes float32.

    Raises:
        TypeError: If one is no array of numbers.
        ValueError: If there are none.
    """
    if isinstance(inputs, Mapping):
        inputs = tuple(inputs.values())
    values = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    if not values:
        raise ValueError("compare: inputs must have at least one array, got none.")
    arrays = []
    for i, value in enumerate(values):
        if hasattr(value, "asnumpy"):
            value = value.asnumpy()
        elif hasattr(value, "detach"):
            value = value.detach().cpu().numpy()
        array = np.asarray(value)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"compare: inputs[{i}] must be an array of numbers, got {describe(value)}.")
        arrays.append(array if hasattr(value, "dtype") or array.dtype != np.float64 else array.astype(np.float32))
    return arrays


def pair_of(value: object, name: str) -> tuple[Any, Any]:
    """Return a pair; a single callable becomes a pair of itself.

    Raises:
        TypeError: If it is neither.
    """
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return value[0], value[1]
    if callable(value):
        return value, value
    raise TypeError(f"compare: {name} must be a callable or a pair (torch's, sporax's), got {describe(value)}.")


def optimizer_pair(optimizer: object, torch_net: object, cell: ms.nn.Cell) -> tuple[Any, Any]:
    """Return the optimizer, or the function that makes it, on each side.

    Raises:
        TypeError: If it is neither a pair nor a function.
    """
    if optimizer is None:
        return None, None
    if isinstance(optimizer, Callable) and len(inspect.signature(optimizer).parameters) == 2:
        optimizer = optimizer(torch_net, cell)
    return pair_of(optimizer, "optimizer")
