"""Recording of a torch module."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from sporax._src.migrate.compare.recorder import Arrays, Calls, Gradients, Guide, Recorder, leaves, seeds


class TorchRecorder(Recorder):
    """Records a torch module, by hooks."""

    framework = "torch"
    method = "forward"

    def __init__(self, net: Any) -> None:
        import torch

        super().__init__(net, torch.__version__)
        self.torch = torch
        self._training = [(module, module.training) for module in net.modules()]
        self._gradients = [(p, p.grad) for p in net.parameters()]
        self._fast = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)  # it passes by the layers inside a transformer's

    def layers(self) -> list[tuple[str, Any]]:
        """Yield (path, module); the path of the network itself is empty."""
        return list(self.net.named_modules())

    def is_tensor(self, value: Any) -> bool:
        """Return whether this is a Tensor."""
        return isinstance(value, self.torch.Tensor)

    def tensor(self, array: np.ndarray) -> Any:
        """Return a Tensor of an array, on the device of the network."""
        first = next(iter([*self.net.parameters(), *self.net.buffers()]), None)
        tensor = self.torch.from_numpy(np.array(array))
        return tensor if first is None else tensor.to(first.device)

    def array(self, tensor: Any) -> tuple[np.ndarray, str]:
        """Return the values, those of short floats as float32, and the name of the dtype."""
        dtype = str(tensor.dtype).removeprefix("torch.")
        wide = tensor.float() if dtype in ("float16", "bfloat16") else tensor
        return np.array(wide.detach().cpu().resolve_conj().numpy()), dtype

    def values(self, trainable: bool) -> dict[str, Any]:
        """Return the trained Parameters, or all other saved values, by path."""
        values = {n: p for n, p in self.net.named_parameters() if p.requires_grad == trainable}
        if not trainable:
            values.update(self.net.named_buffers())
        return {n: p for n, p in values.items() if not n.endswith("num_batches_tracked")}

    def state(self) -> list[tuple[Any, Any]]:
        """Return copies of the values that the run may change."""
        return [(t, t.detach().clone()) for t in (*self.net.parameters(), *self.net.buffers())]

    def put(self, state: list[tuple[Any, Any]]) -> None:
        """Restore all values."""
        with self.torch.no_grad():
            for tensor, value in state:
                tensor.copy_(value)

    def leave(self) -> None:
        """Restore the modes and the gradients."""
        for module, training in self._training:
            module.training = training
        for parameter, gradient in self._gradients:
            parameter.grad = gradient
        self.torch.backends.mha.set_fastpath_enabled(self._fast)

    def train_only(self, paths: Sequence[str]) -> None:
        """Put these layers into training mode and all others into evaluation mode."""
        for path, module in self.net.named_modules():
            module.training = path in paths

    def run(self, arguments: Sequence[Any]) -> Any:
        """Return the network's outputs."""
        return self.net(*arguments)

    def watched(self, arguments: Sequence[Any], feed: Arrays) -> list[dict[str, Any]]:
        """Run the network and return the calls of its layers."""
        calls = Calls()

        def before(path: str, module: Any, args: Any, kwargs: Any) -> None:
            calls.start(path, [self.array(t) for t in leaves((args, kwargs), self.is_tensor)])

        def after(path: str, module: Any, args: Any, kwargs: Any, outputs: Any) -> None:
            calls.end(path, [self.array(t) for t in leaves(outputs, self.is_tensor)])

        with self._hooked(before, after), self.torch.no_grad():
            self.run(arguments)
        return calls.ended

    @contextmanager
    def _hooked(self, before: Callable[..., None] | None, after: Callable[..., None]) -> Iterator[None]:
        handles: list[Any] = []
        try:
            for path, module in self.layers():
                if before is not None:
                    hook = functools.partial(before, path)
                    handles.append(module.register_forward_pre_hook(hook, with_kwargs=True))
                handles.append(module.register_forward_hook(functools.partial(after, path), with_kwargs=True))
            yield
        finally:
            for handle in handles:
                handle.remove()

    def differentiate(
        self, last: str, arguments: Sequence[Any], labels: Sequence[Any], loss: Any, norms: Sequence[str], guide: Guide
    ) -> Gradients:
        """Record the loss, and the gradients of every layer's outputs and of the Parameters."""
        calls = Calls()

        def after(path: str, module: Any, args: Any, kwargs: Any, outputs: Any) -> Any:
            key = f"{last}/{len(calls.ended)}/gradients"
            calls.start(path, [])
            calls.end(path, [])
            for j, tensor in enumerate(leaves(outputs, self.is_tensor)):
                if tensor.requires_grad:
                    # What a view shares with its neighbours, or an in-place call changes later, keeps a gradient of its own.
                    tensor.register_hook(functools.partial(self._keep_gradient, f"{key}/{j}"))

        self.train_only(norms)
        for parameter in self.net.parameters():
            parameter.grad = None
        with self._hooked(None, after), self.torch.enable_grad():
            outputs = self.run(arguments)
        total = self._total(outputs, labels, loss)
        if total is None or not total.requires_grad:
            return []
        total.backward()
        trained = self.values(True)
        gradients = {n: self.torch.zeros_like(p) if p.grad is None else p.grad.clone() for n, p in trained.items()}
        self.keep("gradient", gradients)
        for name in [n for n in self.arrays if n.startswith(f"{last}/") and "/outputs/" in n]:
            key = name.replace("/outputs/", "/gradients/")
            if self.arrays[name].dtype.kind == "f" and key not in self.arrays:
                self.arrays[key] = np.zeros_like(self.arrays[name])
        return [(trained[name], gradient) for name, gradient in gradients.items()]

    def _keep_gradient(self, key: str, gradient: Any) -> None:
        if gradient is not None:  # one of several outputs that the loss does not depend on has none
            self.arrays[key] = self.array(gradient)[0]

    def _total(self, outputs: Any, labels: Sequence[Any], loss: Any) -> Any:
        if loss is not None:
            total = loss(outputs, *labels).sum()
            self.arrays["loss"] = self.array(total)[0]
            return total
        parts = [o for o in leaves(outputs, self.is_tensor) if o.is_floating_point()]
        weighted = [(o.float() * self.tensor(seeds(tuple(o.shape)))).sum() for o in parts]
        return sum(weighted) if weighted else None

    def optimizer(self, optimizer: Any) -> tuple[Any, Callable[[], Any]]:
        """Return an optimizer and the function that restores it."""
        if isinstance(optimizer, self.torch.optim.Optimizer):
            state = copy.deepcopy(optimizer.state_dict())
            return optimizer, lambda: optimizer.load_state_dict(state)
        return optimizer(list(self.values(True).values())), lambda: None

    def step(self, optimizer: Any, gradients: Gradients, factor: float) -> None:
        """Run the optimizer with the gradients times a factor."""
        for parameter, gradient in gradients:
            parameter.grad = gradient * factor
        optimizer.step()
