"""The MindSpore and sporax worker: `python worker_mindspore.py graph|pynative cpu|gpu THREADS`.

MindSpore's python runs this file as it is; `sporax run` runs the same file with `mindspore` meaning sporax.
"""

import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn

from bench.backend import Backend
from bench.models.mindspore_layers import LAYERS, gradient_step
from bench.models.mindspore_models import MODELS, training_step
from bench.protocol import serve
from bench.specs import SUNK_BATCHES, Layer, Spec


class MindSporeBackend(Backend):
    """`mindspore` in graph or PyNative mode."""

    def __init__(self, mode: str, device: str, threads: int) -> None:
        self.graph = mode == "graph"
        ms.set_context(mode=ms.GRAPH_MODE if self.graph else ms.PYNATIVE_MODE)
        ms.set_device(device.upper())
        if hasattr(ms, "runtime"):
            ms.runtime.dispatch_threads_num(threads)
        self.last = None

    def versions(self) -> dict[str, str]:
        name = "sporax" if "sporax" in sys.modules else "mindspore"
        version = sys.modules[name].__version__
        return {"framework": name, "version": version, "device": ms.get_context("device_target").lower()}

    def tensor(self, array: np.ndarray) -> ms.Tensor:
        return ms.Tensor(array)

    def wait(self, result: ms.Tensor) -> np.ndarray:
        if self.last is not None:
            self.last.asnumpy()
        return result.asnumpy()

    def build(self, model: str, spec: Spec):
        net, optimizer = self._network(model, spec)
        batches = [(self.tensor(x), self.tensor(y)) for x, y in spec.batches()]
        step = training_step(net, optimizer, self.graph)
        return lambda i: step(*batches[i % 2])

    def _network(self, model: str, spec: Spec):
        net = MODELS[model]()
        net.set_train()
        for parameter, value in zip(net.trainable_params(), spec.weights().values(), strict=True):
            parameter.set_data(ms.Tensor(value))
        if spec.optimizer == "adam":
            optimizer = nn.Adam(net.trainable_params(), learning_rate=spec.lr)
        else:
            optimizer = nn.Momentum(net.trainable_params(), learning_rate=spec.lr, momentum=0.9)
        self.last = optimizer.parameters[-1]
        return net, optimizer

    def build_layer(self, layer: Layer):
        x, weights = layer.arrays()
        net = LAYERS[layer.kind](*(layer.options.values()))
        for parameter, value in zip(net.trainable_params(), weights, strict=True):
            parameter.set_data(ms.Tensor(value))
        x, step = ms.Tensor(x), gradient_step(net, self.graph)
        self.last = None
        return lambda: step(x)[0]

    def build_epochs(self, model: str, spec: Spec, x: np.ndarray, y: np.ndarray):
        net, optimizer = self._network(model, spec)
        rows = ms.dataset.NumpySlicesDataset((x, y), shuffle=False).batch(spec.x[0])
        trained = ms.Model(net, nn.CrossEntropyLoss(), optimizer)

        def train(steps: int) -> ms.Tensor:
            some = rows.repeat(-(-steps // SUNK_BATCHES)).take(steps)  # on a CPU an epoch is the whole dataset
            trained.train(1, some, dataset_sink_mode=True)
            return self.last

        return train

    def build_optimizer(self, name: str, weights: list[np.ndarray], gradients: list[np.ndarray]):
        params = [ms.Parameter(ms.Tensor(value), name=f"p{i}") for i, value in enumerate(weights)]
        grads = tuple(ms.Tensor(value) for value in gradients)
        optimizer = nn.Adam(params, 1e-3) if name == "adam" else nn.Momentum(params, 1e-3, 0.9)
        self.last = params[-1]

        def step(*grads):
            return optimizer(grads)

        step = ms.jit(step) if self.graph else step

        def update() -> ms.Tensor:
            step(*grads)
            return params[0]

        return update

    def save(self, state: dict[str, object], path: Path) -> None:
        ms.save_checkpoint([{"name": name, "data": value} for name, value in state.items()], str(path))


if __name__ == "__main__":
    serve(MindSporeBackend(sys.argv[1], sys.argv[2], int(sys.argv[3])))
