"""The PyTorch worker: `python -m bench.worker_torch eager|compile cpu|gpu THREADS`."""

import sys
from pathlib import Path

import numpy as np
import torch

from bench.backend import Backend
from bench.models.torch_layers import LAYERS
from bench.models.torch_models import MODELS
from bench.protocol import serve
from bench.specs import Layer, Spec


class TorchBackend(Backend):
    """PyTorch with its fused optimizers; `compile` compiles the forward and backward passes, loss included."""

    def __init__(self, mode: str, device: str, threads: int) -> None:
        torch.set_num_threads(threads)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        self.mode, self.device = mode, torch.device("cuda" if device == "gpu" else device)

    def versions(self) -> dict[str, str]:
        device = torch.cuda.get_device_name() if self.device.type == "cuda" else "cpu"
        return {"framework": "torch", "version": torch.__version__, "device": device}

    def tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def wait(self, result: torch.Tensor) -> np.ndarray:
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        return result.detach().cpu().numpy()

    def build(self, model: str, spec: Spec):
        net = MODELS[model]()
        with torch.no_grad():
            for parameter, value in zip(net.parameters(), spec.weights().values(), strict=True):
                assert parameter.shape == value.shape, f"{model}: {tuple(parameter.shape)} is not {value.shape}"
                parameter.copy_(torch.from_numpy(value))
        net.to(self.device)
        loss_fn = torch.nn.CrossEntropyLoss()
        if spec.optimizer == "adam":
            optimizer = torch.optim.Adam(net.parameters(), lr=spec.lr, fused=True)
        else:
            optimizer = torch.optim.SGD(net.parameters(), lr=spec.lr, momentum=0.9, fused=True)
        batches = [(self.tensor(x), self.tensor(y).long()) for x, y in spec.batches()]

        def forward(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            logits = net(x)
            return loss_fn(logits.flatten(0, -2), y.flatten())

        if self.mode == "compile":
            forward = torch.compile(forward)

        def step(i: int) -> torch.Tensor:
            optimizer.zero_grad(set_to_none=True)
            loss = forward(*batches[i % 2])
            loss.backward()
            optimizer.step()
            return loss

        return step

    def build_layer(self, layer: Layer):
        x, weights = layer.arrays()
        net = LAYERS[layer.kind](**layer.options)
        with torch.no_grad():
            for parameter, value in zip(net.parameters(), weights, strict=True):
                parameter.copy_(torch.from_numpy(value))
        net.to(self.device)
        x = self.tensor(x).requires_grad_()
        forward = torch.compile(net) if self.mode == "compile" else net

        def step() -> torch.Tensor:
            net.zero_grad(set_to_none=True)
            x.grad = None
            loss = forward(x).square().mean()
            loss.backward()
            return loss

        return step

    def build_optimizer(self, name: str, weights: list[np.ndarray], gradients: list[np.ndarray]):
        params = [torch.nn.Parameter(self.tensor(value)) for value in weights]
        for parameter, gradient in zip(params, gradients, strict=True):
            parameter.grad = self.tensor(gradient)
        if name == "adam":
            optimizer = torch.optim.Adam(params, lr=1e-3, fused=True)
        else:
            optimizer = torch.optim.SGD(params, lr=1e-3, momentum=0.9, fused=True)

        def update() -> torch.Tensor:
            optimizer.step()
            return params[0]

        return update

    def save(self, state: dict[str, object], path: Path) -> None:
        torch.save(state, path)


if __name__ == "__main__":
    serve(TorchBackend(sys.argv[1], sys.argv[2], int(sys.argv[3])))
