"""What a run of a network leaves behind, and how it is got from a Cell: inputs, outputs and gradients of every layer.

This file needs NumPy and MindSpore alone, or sporax in its place. `sporax compare dump-script` copies it to machines without
sporax; `python dump.py --help` says there how it is used.
"""

from __future__ import annotations

import argparse
import ast
import functools
import importlib
import importlib.util
import inspect
import io
import json
import os
import shutil
import sys
import textwrap
import zipfile
from pathlib import Path

import numpy as np

SCHEMA = 1


class Recording:
    """What one run left: `about` is plain data for JSON, `arrays` are its values by name."""

    def __init__(self, about, arrays):
        self.about, self.arrays = about, arrays

    def save(self, path):
        """Write a folder, or a zip file if the name ends so, whole or not at all.

        Raises:
            FileExistsError: If there is such a file or folder.
        """
        path = Path(path)
        if path.exists():
            raise FileExistsError(f"{path} exists: name another, or delete it.")
        packed = io.BytesIO()
        np.savez(packed, **self.arrays)
        parts = {"recording.json": json.dumps(self.about, indent=1).encode(), "arrays.npz": packed.getvalue()}
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            if path.suffix == ".zip":
                with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as file:
                    for name, data in parts.items():
                        file.writestr(name, data)
            else:
                temporary.mkdir()
                for name, data in parts.items():
                    (temporary / name).write_bytes(data)
            os.replace(temporary, path)
        finally:
            if temporary.is_dir():
                shutil.rmtree(temporary)
            elif temporary.exists():
                temporary.unlink()


class Recorder:
    """The order of a recorded run; subclasses say how their framework does each part of it.

    Layers are observed in evaluation mode, then, if there are normalisations, once more with these alone in training mode.
    So no dropout is active unless the network's own code draws numbers in evaluation mode, which is found by a second run.
    """

    framework = ""
    method = ""

    def __init__(self, net, version):
        self.net, self.arrays = net, {}
        self.about = {
            "schema": SCHEMA,
            "framework": self.framework,
            "version": version,
            "net": type(net).__name__,
            "layers": {},
            "passes": {},
            "parameters": {},
            "loss": None,
            "optimizer": None,
        }

    def record(self, inputs, loss=None, optimizer=None, feed=None):
        """Run the network and return the Recording; the network is left as it was found.

        Args:
            inputs: Arrays: those of the network, then those that the loss takes besides the outputs.
            loss: A callable of the outputs and labels; None: the outputs are summed with fixed weights.
            optimizer: A function that makes it of the Parameters, or it itself; None: no update.
            feed: Arrays to give a layer in the place of its inputs: by pass, and by path and number of the call.
        """
        self.arrays.update({f"given/{i}": np.asarray(array) for i, array in enumerate(inputs)})
        arguments, labels = split_labels(inputs, loss)
        arguments, labels = [self.tensor(a) for a in arguments], [self.tensor(a) for a in labels]
        self.describe(loss)
        found = self.state()
        try:
            last = self.observe("forward", arguments, feed or {}, found, ())
            norms = [path for path, layer in self.layers() if "Norm" in type(layer).__name__]
            if norms:
                last = self.observe("training", arguments, feed or {}, found, norms)
            gradients = self.differentiate(last, arguments, labels, loss, norms)
            self.put(found)
            if optimizer is not None and gradients:
                self.update(optimizer, gradients, arguments, labels, loss)
        finally:
            self.put(found)
            self.leave()
        return Recording(self.about, self.arrays)

    def describe(self, loss):
        """Keep what the layers, the Parameters and the loss are."""
        for path, layer in self.layers():
            self.about["layers"][path] = describe(layer, self.method)
        for trainable in (True, False):
            for name, value in self.values(trainable).items():
                array, dtype = self.array(value)
                self.arrays[f"parameter/{name}"] = array
                self.about["parameters"][name] = {"dtype": dtype, "trainable": trainable}
        if loss is not None:
            self.about["loss"] = describe(loss, self.method)

    def keep(self, kind, values):
        """Keep values under their names."""
        for name, value in values.items():
            self.arrays[f"{kind}/{name}"] = self.array(value)[0]

    def observe(self, name, arguments, feed, found, norms):
        """Run the network twice and keep what its layers took and gave; what the second run changes is random."""
        self.train_only(norms)
        calls = self.watched(arguments, feed.get(name, {}))
        if norms:
            self.keep("state after", self.values(False))
        self.put(found)
        again = self.watched(arguments, feed.get(name, {}))
        self.put(found)
        kept = self.about["passes"][name] = []
        for i, (call, other) in enumerate(zip(calls, again)):
            for side in ("inputs", "outputs"):
                for j, (array, _) in enumerate(call[side]):
                    self.arrays[f"{name}/{i}/{side}/{j}"] = array
            random = agree(call["inputs"], other["inputs"]) and not agree(call["outputs"], other["outputs"])
            dtypes = {side: [dtype for _, dtype in call[side]] for side in ("inputs", "outputs")}
            place = {key: call[key] for key in ("path", "call", "depth")}
            kept.append({**place, "random": random, **dtypes})
        return name

    def update(self, optimizer, gradients, arguments, labels, loss):
        """Take a step with the gradients, then one with half of them, which shows what the optimizer remembers."""
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

    def __init__(self):
        self.ended, self.open, self.count = [], [], {}

    def start(self, path, inputs):
        """A layer is called."""
        number = self.count[path] = self.count.get(path, 0) + 1
        self.open.append({"path": path, "call": number, "depth": len(self.open), "inputs": inputs})

    def end(self, path, outputs):
        """It returns; what a caught exception left open is dropped."""
        while self.open:
            call = self.open.pop()
            if call["path"] == path:
                self.ended.append({**call, "outputs": outputs})
                return


class CellRecorder(Recorder):
    """Records a Cell, by hooks; `ms` is MindSpore, or sporax."""

    method = "construct"

    def __init__(self, net, ms):
        self.ms, self.framework = ms, ms.__name__
        super().__init__(net, ms.__version__)
        self._mode = ms.get_context("mode")
        self._training = [(cell, cell.training) for _, cell in net.cells_and_names()]
        ms.set_context(mode=ms.PYNATIVE_MODE)

    def layers(self):
        """Return (path, Cell), that of the network itself being empty."""
        return list(self.net.cells_and_names())

    def is_tensor(self, value):
        """Tell whether this is a Tensor."""
        return isinstance(value, self.ms.Tensor)

    def tensor(self, array):
        """Return a Tensor of an array."""
        return self.ms.Tensor(array)

    def array(self, tensor):
        """Return the values, those of short floats as float32, and the name of the dtype."""
        dtype = str(tensor.dtype).lower()
        wide = tensor.astype(self.ms.float32) if dtype in ("float16", "bfloat16") else tensor
        return np.array(wide.asnumpy()), dtype

    def values(self, trainable):
        """Return the Parameters that are trained, or all else that is saved, by path."""
        found = {n: p for n, p in self.net.parameters_and_names() if p.requires_grad == trainable}
        if not trainable and hasattr(self.net, "named_buffers"):
            found.update(self.net.named_buffers())
        return {n: p for n, p in found.items() if not n.endswith("num_batches_tracked")}

    def state(self):
        """Return copies of what the run may change."""
        return [(p, np.array(p.asnumpy())) for _, p in self.net.parameters_and_names()]

    def put(self, state):
        """Give everything the values it had."""
        for parameter, array in state:
            parameter.set_data(self.ms.Tensor(array, parameter.dtype))

    def leave(self):
        """Put back the modes."""
        for cell, training in self._training:
            if cell.training != training:
                cell.set_train(training)
        self.ms.set_context(mode=self._mode)

    def train_only(self, paths):
        """Put these layers into training mode and all else into evaluation mode."""
        self.net.set_train(False)
        for path, cell in self.layers():
            if path in paths:
                cell.set_train(True)

    def run(self, arguments):
        """Return the network's outputs."""
        return self.net(*arguments)

    def watched(self, arguments, feed):
        """Run the network and return the calls of its layers."""
        calls, handles = Calls(), []

        def watch(path, layer):
            def before(cell, args, kwargs):
                place = path, calls.count.get(path, 0) + 1
                if place in feed:
                    args, kwargs = self.fed((args, kwargs), feed[place])
                calls.start(path, [self.array(t) for t in leaves((args, kwargs), self.is_tensor)])
                return args, kwargs

            def after(cell, args, kwargs, outputs):
                calls.end(path, [self.array(t) for t in leaves(outputs, self.is_tensor)])

            handles.append(layer.register_forward_pre_hook(before, with_kwargs=True))
            handles.append(layer.register_forward_hook(after, with_kwargs=True))

        try:
            for path, layer in self.layers():
                watch(path, layer)
            self.run(arguments)
        finally:
            for handle in handles:
                handle.remove()
        return calls.ended

    def fed(self, given, arrays):
        """Return the arguments of a layer with other values; as they are, if the numbers of Tensors differ."""
        own = leaves(given, self.is_tensor)
        if len(own) != len(arrays):
            return given
        return replaced(given, self.is_tensor, iter([self.ms.Tensor(a, t.dtype) for a, t in zip(arrays, own)]))

    def differentiate(self, last, arguments, labels, loss, norms):
        """Keep the loss and its gradients: zeros added to each output of a layer have the gradient of that output."""
        calls = self.about["passes"][last]
        places = [
            (f"{last}/{i}/outputs/{j}", dtype)
            for i, call in enumerate(calls)
            for j, dtype in enumerate(call["outputs"])
            if "float" in dtype
        ]
        if not calls or not any("float" in dtype for dtype in calls[-1]["outputs"]):
            return []
        probes = [self.ms.Tensor(np.zeros_like(self.arrays[name]), getattr(self.ms, dtype)) for name, dtype in places]
        state = {}

        def after(cell, args, outputs):
            return replaced(outputs, self.is_float, state["probes"], add=True)

        def total(*probes):
            state["probes"] = iter(probes)
            outputs = self.run(arguments)
            if loss is not None:
                return loss(outputs, *labels).sum()
            return sum(
                (o.astype(self.ms.float32) * self.ms.Tensor(seeds(o.shape))).sum()
                for o in leaves(outputs, self.is_float)
            )

        trained = self.values(True)
        weights = list(trained.values())
        self.train_only(norms)
        handles = [cell.register_forward_hook(after) for _, cell in self.layers()]
        try:
            derive = self.ms.value_and_grad(total, tuple(range(len(probes))), weights or None)
            value, gradients = derive(*probes)
        finally:
            for handle in handles:
                handle.remove()
        of_probes, of_weights = gradients if weights else (gradients, ())
        of_probes = of_probes if isinstance(of_probes, (tuple, list)) else (of_probes,)
        if loss is not None:
            self.arrays["loss"] = self.array(value)[0]
        for (name, _), gradient in zip(places, of_probes):
            self.arrays[name.replace("/outputs/", "/gradients/")] = self.array(gradient)[0]
        self.keep("gradient", dict(zip(trained, of_weights)))
        return list(zip(weights, of_weights))

    def is_float(self, value):
        """Tell whether this is a Tensor of floats."""
        return self.is_tensor(value) and "float" in str(value.dtype).lower()

    def optimizer(self, given):
        """Return an optimizer and how to leave it as it was found."""
        if isinstance(given, self.ms.nn.Cell):
            found = [(p, np.array(p.asnumpy())) for p in given.get_parameters()]
            return given, lambda: self.put(found)
        return given(list(self.values(True).values())), lambda: None

    def step(self, optimizer, gradients, factor):
        """Let the optimizer take the gradients, times a factor."""
        of = {id(parameter): gradient for parameter, gradient in gradients}
        parameters = getattr(optimizer, "parameters", None) or [parameter for parameter, _ in gradients]
        optimizer(tuple(of[id(parameter)] * factor for parameter in parameters))


# --- nested values, settings, source --------------------------------------------------------------------------------


def leaves(value, is_leaf):
    """Return the Tensors of nested tuples, lists and dicts, in order."""
    if is_leaf(value):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in leaves(part, is_leaf)] if isinstance(value, (tuple, list)) else []


def replaced(value, is_leaf, others, add=False):
    """Return a nested value with other leaves, or with these added to its own."""
    if is_leaf(value):
        return value + next(others) if add else next(others)
    if isinstance(value, dict):
        return {key: replaced(part, is_leaf, others, add) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(replaced(part, is_leaf, others, add) for part in value))
    if isinstance(value, (tuple, list)):
        return type(value)([replaced(part, is_leaf, others, add) for part in value])
    return value


def seeds(shape):
    """Return the fixed weights with which outputs are summed where there is no loss."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def agree(some, others):
    """Tell whether two runs gave the same numbers."""
    return len(some) == len(others) and all(
        a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for (a, _), (b, _) in zip(some, others)
    )


def split_labels(inputs, loss):
    """Return the inputs of the network and the labels: as many of the last inputs as the loss takes besides the outputs.

    Raises:
        ValueError: If there are not enough.
    """
    count = 0
    if loss is not None:
        call = getattr(loss, "forward", None) or getattr(loss, "construct", None) or loss
        taken = [
            p
            for p in inspect.signature(call).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        count = max(len(taken) - 1, 0)
    if len(inputs) <= count:
        raise ValueError(
            f"the loss takes {count} of the inputs as labels and the network needs at least one, got {len(inputs)} inputs: "
            "give the network's inputs, then the labels."
        )
    return list(inputs[: len(inputs) - count]), list(inputs[len(inputs) - count :])


def describe(thing, method):
    """Return what a layer, a loss or an optimizer is, as plain data: its class, its settings, and its own code."""
    kind = getattr(thing, "__name__", type(thing).__name__)
    library = type(thing).__module__.split(".")[0] in ("torch", "sporax", "mindspore")
    source = [] if library else source_of(thing if inspect.isfunction(thing) else type(thing), method)
    return {"kind": kind, "library": library, "settings": settings_of(thing), "source": source}


def settings_of(thing):
    """Return the attributes that are plain data, or Tensors of one element, without the underscores before their names."""
    if isinstance(thing, functools.partial):
        attributes = dict(thing.keywords)
    else:
        attributes = dict(sorted(getattr(thing, "__dict__", {}).items(), key=lambda item: item[0].startswith("_")))
    attributes.update(attributes.get("defaults") or {})
    found = {}
    for name, value in attributes.items():
        try:
            found.setdefault(name.lstrip("_"), plain(value))
        except TypeError:
            continue
    return found


def plain(value):
    """Return plain data for a setting; TypeError if it is none."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)) and len(value) <= 16:
        return [plain(part) for part in value]
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    if getattr(value, "shape", None) == () and hasattr(value, "asnumpy"):
        return value.asnumpy().item()
    raise TypeError


def source_of(thing, method):
    """Return the statements of a function, or of the methods of a class, `method` first; none where there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):  # made at a prompt, or part of a line
        return []
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")
    ]
    functions.sort(key=lambda node: node.name != method)
    return [text for function in functions for text in statements(function.body)]


def statements(body):
    """Return the text of each statement, docstrings left out, those inside compound ones after their heads."""
    found = []
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        inner = getattr(node, "body", None)
        found.append(ast.unparse(node) if inner is None else ast.unparse(node).splitlines()[0])
        for part in (inner or [], getattr(node, "orelse", None) or []):
            found.extend(statements(part))
    return found


# --- the command ------------------------------------------------------------------------------------------------------


def load_function(place):
    """Return the function named by `FILE.py:name`.

    Raises:
        ValueError: If the text is no such name, there is no such file or function, or the file fails to load.
    """
    path, _, name = place.rpartition(":")
    if not path.endswith(".py") or not name.isidentifier():
        raise ValueError(f"{place!r}: expected FILE.py:function, such as net.py:build.")
    if not os.path.isfile(path):
        raise ValueError(f"{place!r}: there is no file {path}.")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(f"_compared_{abs(hash(os.path.abspath(path)))}", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{place!r}: {path} fails to load: {type(error).__name__}: {error}") from error
    if not callable(getattr(module, name, None)):
        functions = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        raise ValueError(f"{place!r}: {path} has no function {name}; it has {', '.join(functions) or 'none'}.")
    return getattr(module, name)


def load_inputs(path):
    """Return the arrays of an npz file, in its order.

    Raises:
        ValueError: If it is no such file, or empty.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = [file[name] for name in file.files]
    except (OSError, ValueError, AttributeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: expected an npz file of arrays without objects ({error}).") from error
    if not arrays:
        raise ValueError(f"{path}: there are no arrays in it.")
    return arrays


def main():
    """Record a Cell under MindSpore and write the dump."""
    parser = argparse.ArgumentParser(description="Record the layers of a Cell for `sporax compare DUMP_A DUMP_B`.")
    parser.add_argument("--net", required=True, metavar="FILE.py:build", help="the function that makes the network")
    parser.add_argument(
        "--inputs", required=True, metavar="FILE.npz", help="inputs of the network, then labels of the loss"
    )
    parser.add_argument("--weights", metavar="FILE.ckpt", help="a checkpoint to load first")
    parser.add_argument("--loss", metavar="FILE.py:make", help="the function that makes the loss")
    parser.add_argument(
        "--optimizer", metavar="FILE.py:make", help="the function that makes the optimizer of the Parameters"
    )
    parser.add_argument("--device", help="the device_target")
    parser.add_argument("-o", "--out", required=True, metavar="DUMP", help="a folder, or a file that ends in .zip")
    options = parser.parse_args()
    ms = importlib.import_module("mindspore")
    if options.device:
        ms.set_context(device_target=options.device)
    net = load_function(options.net)()
    if options.weights:
        ms.load_param_into_net(net, ms.load_checkpoint(options.weights))
    loss = load_function(options.loss)() if options.loss else None
    optimizer = load_function(options.optimizer) if options.optimizer else None
    CellRecorder(net, ms).record(load_inputs(options.inputs), loss, optimizer).save(options.out)
    print(f"{options.out}: written")


if __name__ == "__main__":
    main()
