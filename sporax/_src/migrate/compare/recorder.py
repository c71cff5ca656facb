"""The record of a run of a network: inputs, outputs and gradients of every layer, the Parameters, the loss, a step.

This file and `cell_recorder` need only NumPy and MindSpore: `dump_script` makes one file of both.
"""

from __future__ import annotations

import ast
import functools
import inspect
import io
import json
import os
import textwrap
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, List, Tuple

import numpy as np

SCHEMA = 1
Gradients = List[Tuple[Any, Any]]  # Parameters with their gradients
Arrays = Mapping[Tuple[str, int], List[np.ndarray]]  # of each call, by path and number


class Recording:
    """The record of one run: `about` is plain data for JSON, `arrays` are the values by name."""

    def __init__(self, about: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.about, self.arrays = about, arrays

    def save(self, path: str | Path) -> None:
        """Write a zip file, whole or not at all.

        Raises:
            FileExistsError: If there is such a file or folder.
        """
        path = Path(path)
        if path.exists():
            raise FileExistsError(f"{path} exists: name another, or delete it.")
        packed = io.BytesIO()
        np.savez(packed, **self.arrays)  # type: ignore[arg-type]
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as file:
                file.writestr("recording.json", json.dumps(self.about, indent=1))
                file.writestr("arrays.npz", packed.getvalue())
            os.replace(temporary, path)
        finally:
            if temporary.exists():
                temporary.unlink()


class Guide:
    """Values of another network that replace this one's, so that rounding does not grow from layer to layer.

    Args:
        inputs: The inputs that replace the layers' own, by pass.
        outputs: The outputs at which gradients are computed if the layers' own outputs equal them except for rounding,
            by pass.
        gradients: The gradients that the optimizer gets instead of its own, by name.
    """

    def __init__(
        self,
        inputs: Mapping[str, Arrays] = {},
        outputs: Mapping[str, Arrays] = {},
        gradients: Mapping[str, np.ndarray] = {},
    ) -> None:
        self.inputs, self.outputs, self.gradients = inputs, outputs, gradients


class Recorder:
    """The order of a recorded run; subclasses implement its parts for their framework.

    Layers are observed in evaluation mode and then, if there are normalisations, again with only these in training
    mode. No dropout is therefore active unless the network's own code draws numbers in evaluation mode, which a second
    run detects.
    """

    framework = ""
    method = ""
    layers: Callable[[], list[tuple[str, Any]]]
    is_tensor: Callable[[Any], bool]
    tensor: Callable[[np.ndarray], Any]
    array: Callable[[Any], tuple[np.ndarray, str]]
    values: Callable[[bool], dict[str, Any]]
    state: Callable[[], list[Any]]
    put: Callable[[list[Any]], None]
    leave: Callable[[], None]
    train_only: Callable[[Sequence[str]], None]
    run: Callable[[Sequence[Any]], Any]
    watched: Callable[[Sequence[Any], Arrays], list[dict[str, Any]]]
    differentiate: Callable[[str, Sequence[Any], Sequence[Any], Any, Sequence[str], Guide], Gradients]
    optimizer: Callable[[Any], tuple[Any, Callable[[], Any]]]
    step: Callable[[Any, Gradients, float], None]

    def __init__(self, net: Any, version: str) -> None:
        self.net = net
        self.arrays: dict[str, np.ndarray] = {}
        named = {"framework": self.framework, "version": version, "net": type(net).__name__}
        found = {"layers": {}, "passes": {}, "parameters": {}, "loss": None, "optimizer": None}
        self.about: dict[str, Any] = {"schema": SCHEMA, **named, **found}

    def record(
        self, inputs: Sequence[np.ndarray], loss: Any = None, optimizer: Any = None, guide: Guide | None = None
    ) -> Recording:
        """Run the network and return the Recording; the network is restored at the end.

        Args:
            inputs: Arrays: the inputs of the network, then the further arguments of the loss.
            loss: A callable of the outputs and labels; None: the outputs are summed with fixed weights.
            optimizer: A function that makes it of the Parameters, or it itself; None: no update.
            guide: The values of another network; None: this one runs independently.
        """
        self.arrays.update({f"given/{i}": np.asarray(array) for i, array in enumerate(inputs)})
        arguments, labels = split_labels(inputs, loss)
        arguments, labels = [self.tensor(a) for a in arguments], [self.tensor(a) for a in labels]
        self.describe(loss)
        state, guide = self.state(), guide or Guide()
        try:
            last = self.observe("forward", arguments, guide, state, ())
            norms = [path for path, layer in self.layers() if "Norm" in type(layer).__name__]
            if norms:
                last = self.observe("training", arguments, guide, state, norms)
            gradients = self.differentiate(last, arguments, labels, loss, norms, guide)
            self.put(state)
            if optimizer is not None and gradients:
                self.update(optimizer, gradients, arguments, labels, loss)
        finally:
            self.put(state)
            self.leave()
        return Recording(self.about, self.arrays)

    def describe(self, loss: Any) -> None:
        """Record the descriptions of the layers, the Parameters and the loss."""
        for path, layer in self.layers():
            self.about["layers"][path] = describe(layer, self.method)
        for trainable in (True, False):
            for name, value in self.values(trainable).items():
                array, dtype = self.array(value)
                self.arrays[f"parameter/{name}"] = array
                self.about["parameters"][name] = {"dtype": dtype, "trainable": trainable}
        if loss is not None:
            self.about["loss"] = describe(loss, self.method)

    def keep(self, kind: str, values: Mapping[str, Any]) -> None:
        """Record values under their names."""
        for name, value in values.items():
            self.arrays[f"{kind}/{name}"] = self.array(value)[0]

    def observe(
        self, name: str, arguments: Sequence[Any], guide: Guide, records: list[Any], norms: Sequence[str]
    ) -> str:
        """Run the network twice and record the inputs and outputs of its layers; values that change are random."""
        self.train_only(norms)
        calls = self.watched(arguments, guide.inputs.get(name, {}))
        if norms:
            self.keep("state after", self.values(False))
        self.put(records)
        again = self.watched(arguments, guide.inputs.get(name, {}))
        self.put(records)
        rows = self.about["passes"][name] = []
        for i, (call, other) in enumerate(zip(calls, again)):
            for side in ("inputs", "outputs"):
                for j, (array, _) in enumerate(call[side]):
                    self.arrays[f"{name}/{i}/{side}/{j}"] = array
            random = agree(call["inputs"], other["inputs"]) and not agree(call["outputs"], other["outputs"])
            dtypes = {side: [dtype for _, dtype in call[side]] for side in ("inputs", "outputs")}
            position = {key: call[key] for key in ("path", "call", "depth")}
            rows.append({**position, "random": random, **dtypes})
        return name

    def update(
        self, optimizer: Any, gradients: Gradients, arguments: Sequence[Any], labels: Sequence[Any], loss: Any
    ) -> None:
        """Take a step with the gradients, then one with half of them, which shows the state of the optimizer."""
        optimizer, leave = self.optimizer(optimizer)
        self.about["optimizer"] = describe(optimizer, "")
        try:
            self.step(optimizer, gradients, 1.0)
            self.keep("update", self.values(True))
            self.train_only(())
            outputs = self.run(arguments)
            for j, value in enumerate(leaves(outputs, self.is_tensor)):
                self.arrays[f"metric/output/{j}"] = self.array(value)[0]
            if loss is not None:
                self.arrays["metric/loss"] = self.array(loss(outputs, *labels))[0]
            self.step(optimizer, gradients, 0.5)
            self.keep("second update", self.values(True))
        finally:
            leave()


class Calls:
    """The calls of the layers of one run, in the order in which they end."""

    def __init__(self) -> None:
        self.ended: list[dict[str, Any]] = []
        self.open: list[dict[str, Any]] = []
        self.count: dict[str, int] = {}

    def start(self, path: str, inputs: list[Any]) -> None:
        """Record the start of a layer's call."""
        number = self.count[path] = self.count.get(path, 0) + 1
        self.open.append({"path": path, "call": number, "depth": len(self.open), "inputs": inputs})

    def end(self, path: str, outputs: list[Any]) -> None:
        """Record the end of a layer's call; calls that a caught exception left open are dropped."""
        while self.open:
            call = self.open.pop()
            if call["path"] == path:
                self.ended.append({**call, "outputs": outputs})
                return


# --- nested values, settings, source --------------------------------------------------------------------------------


def leaves(value: Any, is_leaf: Callable[[Any], bool]) -> list[Any]:
    """Return the Tensors of nested tuples, lists and dicts, in order."""
    if is_leaf(value):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in leaves(part, is_leaf)] if isinstance(value, (tuple, list)) else []


def replaced(value: Any, is_leaf: Callable[[Any], bool], change: Callable[[Any], Any]) -> Any:
    """Return a nested value with its leaves changed, in order."""
    if is_leaf(value):
        return change(value)
    if isinstance(value, dict):
        return {key: replaced(part, is_leaf, change) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(replaced(part, is_leaf, change) for part in value))
    if isinstance(value, (tuple, list)):
        return type(value)([replaced(part, is_leaf, change) for part in value])
    return value


def seeds(shape: Sequence[int]) -> np.ndarray:
    """Return the fixed weights with which outputs are summed if there is no loss."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def near(own: np.ndarray, aim: np.ndarray) -> bool:
    """Return whether two arrays are equal except for rounding."""
    return own.shape == aim.shape and bool(np.abs(aim - own).max(initial=0.0) <= 1e-3 * np.abs(own).max(initial=0.0))


def agree(some: list[Any], others: list[Any]) -> bool:
    """Return whether two runs gave the same numbers."""
    return len(some) == len(others) and all(
        a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for (a, _), (b, _) in zip(some, others)
    )


def split_labels(inputs: Sequence[np.ndarray], loss: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the inputs of the network, and the labels: the last inputs, one for each further argument of the loss.

    Raises:
        ValueError: If there are not enough.
    """
    count = 0
    if loss is not None:
        call = getattr(loss, "forward", None) or getattr(loss, "construct", None) or loss
        slices = [
            p
            for p in inspect.signature(call).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        count = max(len(slices) - 1, 0)
    if len(inputs) <= count:
        raise ValueError(
            f"the loss takes {count} of the inputs as labels and the network needs at least one, got {len(inputs)} inputs: "
            "give the network's inputs, then the labels."
        )
    return list(inputs[: len(inputs) - count]), list(inputs[len(inputs) - count :])


def describe(thing: Any, method: str) -> dict[str, Any]:
    """Return the description of a layer, a loss or an optimizer as plain data: its class, settings, and own code."""
    library = is_library(type(thing))
    source = [] if library else source_of(thing if inspect.isfunction(thing) else type(thing), method)
    kind = getattr(thing, "__name__", type(thing).__name__)
    return {"kind": kind, "library": library, "settings": settings_of(thing, library), "source": source}


def is_library(kind: type) -> bool:
    """Return whether a class is torch's, MindSpore's or sporax's own."""
    return kind.__module__.split(".")[0] in ("torch", "sporax", "mindspore")


def settings_of(thing: Any, library: bool) -> dict[str, Any]:
    """Return the attributes that are plain data, without the underscores before the names of the libraries' own.

    For library layers, Parameters of one element are included; attributes that every layer has are left out.
    """
    own = getattr(thing, "keywords", None) or getattr(thing, "__dict__", {})
    attributes: dict[str, Any] = dict(sorted(own.items(), key=lambda item: item[0].startswith("_")))
    if library and hasattr(thing, "parameters_and_names"):
        for name, parameter in thing.parameters_and_names(expand=False):
            attributes.setdefault(name.rpartition(".")[2], parameter)
    attributes.update(attributes.get("defaults") or {})
    every = every_layer_has(type(thing))
    settings = {}
    for name, value in attributes.items():
        try:
            if name not in every and (library or not name.startswith("_")):
                settings.setdefault(name.lstrip("_"), plain(value, library))
        except TypeError:
            continue
    return settings


@functools.lru_cache(None)
def every_layer_has(kind: type) -> frozenset[str]:
    """Return the names of the attributes that a class shares with all layers."""
    bases = [base for base in kind.__mro__ if base.__name__ in ("Cell", "Module") and is_library(base)]
    return frozenset(vars(bases[-1]())) if bases else frozenset()


def plain(value: Any, tensors: bool) -> Any:
    """Return plain data for a setting, or the number in a Tensor of one element; TypeError for anything else."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)) and len(value) <= 16:
        return [plain(part, tensors) for part in value]
    item = getattr(value, "item", None)
    if tensors and item is not None and getattr(value, "shape", None) in ((), (1,)):
        return item()
    raise TypeError


def source_of(thing: Any, method: str) -> list[str]:
    """Return the statements of a function, or of a class's methods, `method` first; empty without a source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):  # made at a prompt, or part of a line
        return []
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")
    ]
    functions.sort(key=lambda node: node.name != method)
    return [text for function in functions for text in statements(function.body)]


def statements(body: list[ast.stmt]) -> list[str]:
    """Return the text of each statement without docstrings; those inside compound statements follow their heads."""
    lines: list[str] = []
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        inner = getattr(node, "body", None)
        lines.append(ast.unparse(node) if inner is None else ast.unparse(node).splitlines()[0])
        for part in (inner or [], getattr(node, "orelse", None) or []):
            lines.extend(statements(part))
    return lines
