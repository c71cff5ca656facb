"""The speed targets, and which of them a run meets."""

from collections.abc import Iterator
from dataclasses import dataclass

from bench.driver import ONE, TWO


@dataclass(frozen=True)
class Verdict:
    """One target: what was measured (None if it was not), the most it may be, and the unit of both."""

    what: str
    value: float | None
    limit: float
    unit: str

    @property
    def met(self) -> bool:
        """Whether the measured value is within the limit."""
        return self.value is not None and self.value <= self.limit


TORCH = ("torch-eager", "torch-compile")
JAX = ("jax",)
PROCESSES = {"mlp": 0.7, "gpt": 0.9}  # steps of two processes, a core and a batch each, for one of one process
OF_JAX = {"mlp": 1.05, "lstm": 1.05}  # graph steps; the other models' steps are those of the faster torch
OF_TORCH = {"lenet": 1.0, "resnet18": 1.0, "resnet50": 1.0, "gpt": 1.0, "lstm": 1.05}
OF_TORCH_EAGER = {"mlp": 1.0, "gpt": 1.1, "lstm": 1.2, "resnet18": 1.05}  # steps in PyNative mode
OF_JAX_MEMORY = {"resnet18": 1.1, "resnet50": 1.1, "gpt": 1.1}
MICROSECONDS = {"x + x": 3.0, "x.sum()": 3.0, "x[i]": 3.0}


def judge(results: dict) -> list[Verdict]:
    """Every target, for what the run covered."""
    return [*_of_models(results["models"]), *_of_layers(results["layers"]), *_rest(results)]


def _of_models(models: dict[str, dict]) -> Iterator[Verdict]:
    for model, rows in models.items():
        for limits, what, ours, others in (
            (OF_JAX, "graph step against JAX by hand", "sporax-graph", JAX),
            (OF_TORCH, "graph step against the faster torch", "sporax-graph", TORCH),
            (OF_TORCH_EAGER, "PyNative step against torch eager", "sporax-pynative", TORCH[:1]),
        ):
            if model in limits:
                yield _ratio(f"{model}: {what}", rows, limits[model], ours, *others)
        yield _ratio(f"{model}: graph step against MindSpore's", rows, 1.0, "sporax-graph", "mindspore-graph")
        yield _ratio(f"{model}: PyNative step against MindSpore's", rows, 1.0, "sporax-pynative", "mindspore-pynative")
        if model in OF_JAX_MEMORY:
            what = f"{model}: memory against JAX by hand"
            yield _ratio(what, rows, OF_JAX_MEMORY[model], "sporax-graph", *JAX, field="memory_mib")


def _of_layers(layers: dict[str, dict]) -> Iterator[Verdict]:
    for layer, rows in layers.items():
        limit = 1.1 if "groups" in layer or "depthwise" in layer else 1.0
        yield _ratio(f"{layer}: graph against the faster torch", rows, limit, "sporax-graph", *TORCH)


def _rest(results: dict) -> Iterator[Verdict]:
    for op, limit in MICROSECONDS.items() if results["ops"] else ():
        yield Verdict(f"{op}, eager", results["ops"][op].get("sporax-pynative", {}).get("median"), limit, "us")
    for name, rows in results["optimizers"].items():
        what = f"{name}: PyNative update of 500 Parameters against torch's fused one"
        yield _ratio(what, rows, 1.2, "sporax-pynative", *TORCH[:1])
    for name, rows in results["epochs"].items():
        what = f"{name}: a step of Model.train in sink mode against JAX by hand"
        yield _ratio(what, rows, 1.0, "sporax-graph", *JAX)
    for name, rows in results["files"].items():
        yield _ratio(f"a checkpoint of {name} against torch's", rows, 1.0, "sporax-graph", *TORCH[:1])
    for model, rows in results["processes"].items():
        what = f"{model}: a step of two processes, one core each, against one's"
        yield _ratio(what, rows, round(1 / PROCESSES[model], 2), TWO, ONE)
    if results["imports"]:
        yield _ratio("import sporax against import jax", results["imports"], 1.3, "sporax", *JAX, field="seconds")


def _ratio(what: str, rows: dict[str, dict], limit: float, ours: str, *others: str, field: str = "median") -> Verdict:
    """The target that our figure is at most `limit` times the least of the others'."""
    found = [rows[key][field] for key in others if key in rows]
    value = rows[ours][field] / min(found) if ours in rows and found else None
    return Verdict(what, value, limit, "x")
