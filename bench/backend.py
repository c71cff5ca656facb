"""What a worker does on command, whatever its framework."""

import os
import resource
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from bench.specs import LAYER_SPECS, OPS, SAVED, SPECS, SUNK_BATCHES, UPDATED, Layer, Spec


class Backend(ABC):
    """One framework in one mode; a subclass says how to build a step, make a tensor and wait for a result."""

    step: Callable[[int], object]
    epochs: tuple[str, Callable[[int], object]] = ("", lambda steps: None)
    gradient: tuple[str, Callable[[], object]] = ("", lambda: None)
    update: tuple[str, Callable[[], object]] = ("", lambda: None)
    state: dict[str, object] | None = None

    @abstractmethod
    def versions(self) -> dict[str, str]:
        """The framework's name and version, and its device."""

    @abstractmethod
    def build(self, model: str, spec: Spec) -> Callable[[int], object]:
        """A function that runs training step `i` on batch `i % 2` and returns its loss without waiting."""

    @abstractmethod
    def build_layer(self, layer: Layer) -> Callable[[], object]:
        """A function that returns the mean square of what a layer gives, having computed its gradient by input and weights."""

    def build_optimizer(
        self, name: str, weights: list[np.ndarray], gradients: list[np.ndarray]
    ) -> Callable[[], object]:
        """A function that updates the weights by the gradients once and returns one of the new weights."""
        raise NotImplementedError

    def build_epochs(self, model: str, spec: Spec, x: np.ndarray, y: np.ndarray) -> Callable[[int], object]:
        """A function that trains for so many steps on batches of the host's arrays, in turn, and returns what to wait for."""
        raise NotImplementedError

    def save(self, state: dict[str, object], path: Path) -> None:
        """Write a checkpoint of the tensors, named as in the dict."""
        raise NotImplementedError

    @abstractmethod
    def tensor(self, array: np.ndarray) -> object:
        """The array on the device."""

    @abstractmethod
    def wait(self, result: object) -> object:
        """Block until the result, and whatever else the step wrote, is there."""

    def first(self, model: str, losses: int = 3) -> dict:
        """Build the model and run its first steps, timing the build and the first step as one."""
        spec = SPECS[model]
        start = perf_counter()
        self.step = self.build(model, spec)
        out = [self._loss(0)]
        seconds = perf_counter() - start
        return {"seconds": seconds, "losses": out + [self._loss(i) for i in range(1, losses)]}

    def run(self, steps: int) -> dict:
        """Run that many steps and wait once at the end, as a training loop does between its log lines."""
        start = perf_counter()
        for i in range(steps):
            loss = self.step(i)
        loss = self.wait(loss)
        seconds = perf_counter() - start
        if not np.isfinite(np.asarray(loss)):
            raise FloatingPointError(f"the loss became {loss}")
        return {"seconds": seconds}

    def op(self, name: str, times: int) -> dict:
        """Run one eager op that many times, waiting once at the end."""
        shape, fn = OPS[name]
        x = self.tensor(np.linspace(0, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape))
        for i in range(64):
            self.wait(fn(x, i))
        start = perf_counter()
        for i in range(times):
            out = fn(x, i & 63)
        self.wait(out)
        return {"seconds": perf_counter() - start}

    def layer(self, name: str, times: int) -> dict:
        """Compute the gradient of a layer that many times, waiting once at the end."""
        if self.gradient[0] != name:
            self.gradient = name, self.build_layer(LAYER_SPECS[name])
        start = perf_counter()
        for _ in range(times):
            out = self.gradient[1]()
        out = self.wait(out)
        return {"seconds": perf_counter() - start, "loss": float(np.asarray(out))}

    def optimizer(self, name: str, times: int) -> dict:
        """Update 500 Parameters that many times by gradients that stay as they are, waiting once at the end."""
        if self.update[0] != name:
            rng = np.random.default_rng(0)
            weights, gradients = ([rng.standard_normal(s, np.float32) for s in UPDATED] for _ in range(2))
            self.update = name, self.build_optimizer(name, weights, gradients)
        start = perf_counter()
        for _ in range(times):
            out = self.update[1]()
        self.wait(out)
        return {"seconds": perf_counter() - start}

    def epoch(self, name: str, times: int) -> dict:
        """Train for so many steps on batches that lie on the host, waiting once at the end."""
        if self.epochs[0] != name:
            pairs = SPECS[name].batches() * (SUNK_BATCHES // 2)
            x, y = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
            self.epochs = name, self.build_epochs(name, SPECS[name], x, y)
        start = perf_counter()
        self.wait(self.epochs[1](times))
        return {"seconds": perf_counter() - start}

    def checkpoint(self, path: str) -> dict:
        """Write 1 GiB of tensors and wait until they are on the disk."""
        if self.state is None:
            rng = np.random.default_rng(0)
            self.state = {f"weight{i}": self.tensor(rng.standard_normal(s, np.float32)) for i, s in enumerate(SAVED)}
        start = perf_counter()
        self.save(self.state, Path(path))
        with open(path, "rb") as file:
            os.fsync(file)
        return {"seconds": perf_counter() - start}

    def memory(self) -> dict:
        """The largest resident size that this process has had, in MiB."""
        return {"mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}

    def _loss(self, i: int) -> float:
        return float(np.asarray(self.wait(self.step(i))))
