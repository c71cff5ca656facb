"""Recording of a Cell, of sporax or of MindSpore itself, and the command of the script for MindSpore."""

from __future__ import annotations

import argparse
import importlib
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sporax._src.migrate.compare.recorder import (
    Arrays,
    Calls,
    Gradients,
    Guide,
    Recorder,
    leaves,
    near,
    replaced,
    seeds,
)
from sporax._src.migrate.loading import load_function, modules_of


class CellRecorder(Recorder):
    """Records a Cell, by hooks; `ms` is MindSpore, or sporax."""

    method = "construct"

    def __init__(self, net: Any, ms: Any) -> None:
        self.ms, self.framework = ms, ms.__name__
        super().__init__(net, ms.__version__)
        self._mode = ms.get_context("mode")
        self._training = [(cell, cell.training) for _, cell in net.cells_and_names()]
        ms.set_context(mode=ms.PYNATIVE_MODE)

    def layers(self) -> list[tuple[str, Any]]:
        """Yield (path, Cell); the path of the network itself is empty."""
        return list(self.net.cells_and_names())

    def is_tensor(self, value: Any) -> bool:
        """Return whether this is a Tensor."""
        return isinstance(value, self.ms.Tensor)

    def tensor(self, array: np.ndarray) -> Any:
        """Return a Tensor of an array."""
        return self.ms.Tensor(array)

    def array(self, tensor: Any) -> tuple[np.ndarray, str]:
        """Return the values, those of short floats as float32, and the name of the dtype."""
        dtype = str(tensor.dtype).lower()
        wide = tensor.astype(self.ms.float32) if dtype in ("float16", "bfloat16") else tensor
        return np.array(wide.asnumpy()), dtype

    def values(self, trainable: bool) -> dict[str, Any]:
        """Return the trained Parameters, or all other saved values, by path."""
        values = {n: p for n, p in self.net.parameters_and_names() if p.requires_grad == trainable}
        if not trainable and hasattr(self.net, "named_buffers"):
            values.update(self.net.named_buffers())
        return {n: p for n, p in values.items() if not n.endswith("num_batches_tracked")}

    def state(self) -> list[Any]:
        """Return copies of the values that the run may change."""
        return [(p, self.array(p)[0]) for _, p in self.net.parameters_and_names()]

    def put(self, state: list[Any]) -> None:
        """Restore all values."""
        for parameter, array in state:
            parameter.set_data(self.ms.Tensor(array, parameter.dtype))

    def leave(self) -> None:
        """Restore the modes."""
        for cell, training in self._training:
            if cell.training != training:
                cell.set_train(training)
        self.ms.set_context(mode=self._mode)

    def train_only(self, paths: Sequence[str]) -> None:
        """Put these layers into training mode and all others into evaluation mode."""
        self.net.set_train(False)
        for path, cell in self.layers():
            if path in paths:
                cell.set_train(True)

    def run(self, arguments: Sequence[Any]) -> Any:
        """Return the network's outputs."""
        return self.net(*arguments)

    def watched(self, arguments: Sequence[Any], feed: Arrays) -> list[dict[str, Any]]:
        """Run the network and return the calls of its layers."""
        calls = Calls()
        handles: list[Any] = []

        def watch(path: str, layer: Any) -> None:
            def before(cell: Any, args: Any, kwargs: Any) -> Any:
                key = path, calls.count.get(path, 0) + 1
                if key in feed:
                    args, kwargs = self.fed((args, kwargs), feed[key])
                calls.start(path, [self.array(t) for t in leaves((args, kwargs), self.is_tensor)])
                return args, kwargs

            def after(cell: Any, args: Any, kwargs: Any, outputs: Any) -> None:
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

    def fed(self, inputs: Any, arrays: list[np.ndarray]) -> Any:
        """Return the arguments of a layer with other values; unchanged if the numbers of Tensors differ."""
        own = leaves(inputs, self.is_tensor)
        if len(own) != len(arrays):
            return inputs
        others = iter(arrays)
        return replaced(inputs, self.is_tensor, lambda tensor: self.ms.Tensor(next(others), tensor.dtype))

    def differentiate(
        self, last: str, arguments: Sequence[Any], labels: Sequence[Any], loss: Any, norms: Sequence[str], guide: Guide
    ) -> Gradients:
        """Record the loss and its gradients; the gradient of an output is that of a Tensor added to it.

        The Tensor is zero or, if the output is near that of the guide, the difference of the two.
        """
        calls = self.about["passes"][last]
        if not calls or not any("float" in dtype for dtype in calls[-1]["outputs"]):
            return []
        aims = guide.outputs.get(last, {})
        keys, probes, targets = [], [], []
        for i, call in enumerate(calls):
            for j, dtype in enumerate(call["outputs"]):
                if "float" in dtype:
                    own = self.arrays[f"{last}/{i}/outputs/{j}"]
                    aim = aims.get((call["path"], call["call"]), [])[j : j + 1]
                    keys.append(f"{last}/{i}/gradients/{j}")
                    probes.append(self.ms.Tensor(np.zeros_like(own), getattr(self.ms, dtype)))
                    targets.append(self.ms.Tensor(aim[0], probes[-1].dtype) if aim and near(own, aim[0]) else None)
        state: dict[str, Iterator[Any]] = {}

        def held(output: Any) -> Any:
            probe, target = next(state["probes"])
            rest = probe if target is None else probe + self.ms.ops.stop_gradient(target - output)
            return output + rest

        def after(cell: Any, args: Any, outputs: Any) -> Any:
            return replaced(outputs, self.is_float, held)

        def total(*probes: Any) -> Any:
            state["probes"] = iter(zip(probes, targets))
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
        for name, gradient in zip(keys, of_probes):
            self.arrays[name] = self.array(gradient)[0]
        self.keep("gradient", dict(zip(trained, of_weights)))
        cotangents = {name: self.tensor(array) for name, array in guide.gradients.items()}
        return [(trained[name], cotangents.get(name, own)) for name, own in zip(trained, of_weights)]

    def is_float(self, value: Any) -> bool:
        """Return whether this is a Tensor of floats."""
        return self.is_tensor(value) and "float" in str(value.dtype).lower()

    def optimizer(self, optimizer: Any) -> tuple[Any, Callable[[], Any]]:
        """Return an optimizer and the function that restores it."""
        if isinstance(optimizer, self.ms.nn.Cell):
            state = [(p, self.array(p)[0]) for p in optimizer.get_parameters()]
            return optimizer, lambda: self.put(state)
        return optimizer(list(self.values(True).values())), lambda: None

    def step(self, optimizer: Any, gradients: Gradients, factor: float) -> None:
        """Run the optimizer with the gradients times a factor."""
        of = {id(parameter): gradient for parameter, gradient in gradients}
        parameters = getattr(optimizer, "parameters", None) or [parameter for parameter, _ in gradients]
        optimizer(tuple(of[id(parameter)] * factor for parameter in parameters))


# --- the command ------------------------------------------------------------------------------------------------------


def load_inputs(path: str) -> list[np.ndarray]:
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


OPTIONS = (
    ("--net", "FILE.py:build", "the function that makes the network"),
    ("--inputs", "FILE.npz", "the inputs of the network, then the labels of the loss"),
    ("--weights", "FILE.ckpt", "a checkpoint to load first"),
    ("--loss", "FILE.py:make", "the function that makes the loss"),
    ("--optimizer", "FILE.py:make", "the function that makes the optimizer of the Parameters"),
    ("--device", "DEVICE", "the device_target"),
    ("--out", "DUMP.zip", "the file to write"),
)


def main() -> None:
    """Record a Cell under MindSpore and write the dump."""
    parser = argparse.ArgumentParser(description="Record the layers of a Cell for `sporax compare DUMP_A DUMP_B`.")
    for flag, kind, text in OPTIONS:
        parser.add_argument(flag, metavar=kind, help=text, required=flag in ("--net", "--inputs", "--out"))
    options = parser.parse_args()
    ms = importlib.import_module("mindspore")
    if options.device:
        ms.set_context(device_target=options.device)
    net = load_function(options.net)()
    if options.weights:
        ms.load_param_into_net(net, ms.load_checkpoint(options.weights))
    loss = load_function(options.loss)() if options.loss else None
    optimizer = load_function(options.optimizer) if options.optimizer else None
    with modules_of(net):
        CellRecorder(net, ms).record(load_inputs(options.inputs), loss, optimizer).save(options.out)
    print(f"{options.out}: written")


if __name__ == "__main__":
    main()
