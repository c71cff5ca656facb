"""torch's own files, read with `weights_only`, which loads only tensors, numbers and texts and runs no code."""

from __future__ import annotations

import os
import re
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np

from sporax._src.base.atomic import replacing

PARAMETER_NAMES = "archive/.data/parameter_names"  # a file that torch.save of converted programs adds
_STATES = ("state_dict", "model_state_dict", "model", "module", "net", "network", "weights", "params", "ema_state_dict")
_OPTIMIZERS = ("optimizer", "optimizer_state_dict", "optim", "optim_state_dict")


@dataclass
class TorchFile:
    """The content of a file of torch: the net's tensors, the state of an optimizer, the names of other values.

    `is_converted` is whether a converted program wrote it, so that its names are those of a Cell.
    """

    tensors: dict[str, Any]
    optimizer: dict[str, Any] | None = None
    left: dict[str, str] = field(default_factory=dict)
    is_converted: bool = False


def torch_for(path: object) -> ModuleType:
    """Return torch.

    Args:
        path: The file that it is needed for.

    Raises:
        ImportError: If it is missing.
    """
    try:
        import torch
    except ImportError:
        raise ImportError(f"{path}: torch is needed to read and write its files; run: pip install torch.") from None
    return torch


def read(path: str | os.PathLike[str]) -> TorchFile:
    """Read a file of torch's.

    Args:
        path: The file.

    Raises:
        ValueError: If it is no such file, needs unpickling, or holds no tensors by name.
        ImportError: If torch is missing.
    """
    torch = torch_for(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of TorchScript, which the error names
            content = torch.load(path, weights_only=True, map_location="cpu")
    except Exception as error:  # torch raises whatever its readers meet
        raise ValueError(f"{path}: {_reason(str(error))}") from error
    found = _split(content, path, torch)
    found.is_converted = _is_converted(path)
    return found


def _is_converted(path: str | os.PathLike[str]) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return PARAMETER_NAMES in archive.namelist()


def _reason(text: str) -> str:
    needs = re.search(r"(?:Unsupported global: )?GLOBAL (\S+)", text)
    if needs:
        return (
            f"it holds an object of {needs[1]}, and only weights are read: unpickling others runs the file's code. "
            "Where the file came from, write torch.save(net.state_dict(), FILE) instead of torch.save(net, FILE)."
        )
    if "TorchScript" in text:
        return "it is a TorchScript program; write torch.save(torch.jit.load(FILE).state_dict(), OTHER) and give that."
    return "it is no file that torch.save wrote, or it is damaged; copy or save it again."


def _split(content: object, path: object, torch: ModuleType) -> TorchFile:
    """Find the net's tensors, which may be under a key, beside an optimizer's state and numbers."""

    def tensors(value: object) -> dict[str, Any]:
        return (
            {n: t for n, t in value.items() if isinstance(n, str) and torch.is_tensor(t)}
            if isinstance(value, Mapping)
            else {}
        )

    if not isinstance(content, Mapping):
        raise ValueError(
            f"{path}: expected tensors by name, as net.state_dict() gives them, got a {type(content).__name__}."
        )
    key = next((k for k in _STATES if tensors(content.get(k))), None)
    state = content if key is None else content[key]
    tensors_by_name = tensors(state)
    if not tensors_by_name:
        names = ", ".join(map(str, list(content)[:8])) or "nothing"
        raise ValueError(f"{path}: expected tensors by name, or below {', '.join(_STATES)}; it holds {names}.")
    optimizer = next((k for k in _OPTIMIZERS if key is not None and _is_optimizer(content.get(k))), None)
    rest = {str(n): "no tensor" for n in state if n not in tensors_by_name}
    if key is not None:
        rest |= {str(n): f"beside the weights, which stand below {key!r}" for n in content if n not in (key, optimizer)}
    return TorchFile(tensors_by_name, None if optimizer is None else content[optimizer], rest)


def _is_optimizer(value: object) -> bool:
    return isinstance(value, Mapping) and {"state", "param_groups"} <= set(value)


# --- tensors and arrays ---------------------------------------------------------------------------------------------


def arrays_of(tensors: Mapping[str, Any], label: object) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return tensors as arrays of the same dtype, and the names that share a tensor.

    Args:
        tensors: The tensors by name.
        label: Their source.

    Raises:
        ValueError: If a tensor is quantized, sparse or without values.
    """
    arrays, ties, first = {}, {}, {}
    for name, tensor in tensors.items():
        arrays[name] = array_of(tensor, f"{label}: {name}")
        key = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
        if tensor.numel() and (earlier := first.setdefault(key, name)) != name:
            ties[name] = earlier
    return arrays, ties


def without_array(tensor: Any) -> str:
    """Return why a tensor has no array: it is sparse, quantized or without values; empty if it has one.

    Args:
        tensor: The tensor.
    """
    if tensor.is_meta:
        return "has no values"
    if tensor.is_quantized:
        return "is quantized"
    return "" if str(tensor.layout) == "torch.strided" else "is sparse"


def array_of(tensor: Any, label: str) -> np.ndarray:
    """Return a tensor as an array of the same dtype.

    Args:
        tensor: The tensor.
        label: Its name in an error.

    Raises:
        ValueError: If it is quantized, sparse or without values.
    """
    torch = torch_for(label)
    if what := without_array(tensor):
        raise ValueError(f"{label} {what}; save it as a dense tensor of numbers (dequantize(), to_dense()).")
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    try:
        return tensor.numpy()
    except TypeError as error:
        raise ValueError(
            f"{label} is of {tensor.dtype}, which has no array; convert it to float16 or float32."
        ) from error


def tensor_of(array: np.ndarray) -> Any:
    """Return a tensor of its own with the values and dtype of an array.

    Args:
        array: The array.
    """
    import torch

    array = np.array(array, order="C")
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def write(path: str | os.PathLike[str], arrays: Mapping[str, np.ndarray], optimizer: dict[str, Any] | None) -> None:
    """Write a `state_dict`, or with an optimizer's state both below `model` and `optimizer`.

    Args:
        path: The file.
        arrays: The arrays by name.
        optimizer: The optimizer's state.

    Raises:
        ImportError: If torch is missing.
    """
    torch = torch_for(path)
    shared: dict[int, Any] = {}
    tensors = {name: shared.setdefault(id(array), tensor_of(array)) for name, array in arrays.items()}
    with replacing(path) as temporary:
        torch.save(tensors if optimizer is None else {"model": tensors, "optimizer": optimizer}, temporary)
