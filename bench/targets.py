"""The speed targets, and which of them a run meets."""

from collections.abc import Iterator
from dataclasses import dataclass

from bench.driver import ONE, PLAIN, TWO


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


PROCESSES = {"mlp": 0.7, "gpt": 0.9}  # steps of two processes, a core and a batch each, for one of one process
CONVOLUTIONAL = ("lenet", "resnet18", "resnet50")


def judge(results: dict) -> list[Verdict]:
    """Every target, for what the run covered."""
    return [*_steps(results["models"]), *_first_steps(results["models"]), *_rest(results)]


def _steps(models: dict[str, dict]) -> Iterator[Verdict]:
    for model, rows in models.items():
        step = {key: row["median"] for key, row in rows.items()}
        of_mindspore = 0.8 if model in CONVOLUTIONAL else 0.2
        graph = f"{model}: graph step against"
        yield _ratio(f"{graph} JAX by hand", step, 1.05, "sporax-graph", "jax")
        yield _ratio(f"{graph} the faster torch", step, 1.0, "sporax-graph", "torch-eager", "torch-compile")
        yield _ratio(f"{graph} MindSpore graph", step, of_mindspore, "sporax-graph", "mindspore-graph")
        if model in ("mlp", "lenet"):
            what = f"{model}: PyNative step against MindSpore PyNative"
            yield _ratio(what, step, 0.1, "sporax-pynative", "mindspore-pynative")
        if model in ("mlp", "lstm", "gpt"):
            yield _ratio(f"{model}: PyNative step against torch eager", step, 1.2, "sporax-pynative", "torch-eager")
        if model == "deep":
            more = step["sporax-graph"] - step["jax"] if {"sporax-graph", "jax"} <= step.keys() else None
            yield Verdict("a graph's call with 200 Parameters, beyond JAX by hand", more and 1e3 * more, 60, "us")


def _first_steps(models: dict[str, dict]) -> Iterator[Verdict]:
    if "resnet50" in models:
        first = models["resnet50"].get("sporax-graph", {})
        yield Verdict("resnet50: first graph step, cold", first.get("first_cold"), 20, "s")
        yield Verdict("resnet50: first graph step, warm", first.get("first_warm"), 5, "s")
    if "resnet18" not in models:
        return
    rows = models["resnet18"]
    cold = {key: row["first_cold"] for key, row in rows.items()}
    warm = cold | {key: row["first_warm"] for key, row in rows.items() if key == "sporax-graph"}
    for what, first, limit in (("cold", cold, 1.0), ("warm", warm, 0.25)):
        title = f"resnet18: first graph step, {what}, against MindSpore's cold one"
        yield _ratio(title, first, limit, "sporax-graph", "mindspore-graph")


def _rest(results: dict) -> Iterator[Verdict]:
    if results["ops"]:
        yield Verdict("x + x, eager", results["ops"]["x + x"].get("sporax-pynative", {}).get("median"), 6.0, "us")
    for name, rows in results["optimizers"].items():
        step = {key: row["median"] for key, row in rows.items()}
        yield _ratio(f"{name}: update of 500 Parameters against optax", step, 1.1, "sporax-graph", "jax")
    for name, rows in results["epochs"].items():
        step = {key: row["median"] for key, row in rows.items()}
        yield _ratio(
            f"{name}: a step of Model.train in sink mode against JAX by hand", step, 1.0, "sporax-graph", "jax"
        )
    for name, rows in results["files"].items():
        seconds = {key: row["median"] for key, row in rows.items()}
        yield _ratio(f"a checkpoint of {name} against a plain write", seconds, 1.25, "sporax-graph", PLAIN)
    for model, rows in results.get("processes", {}).items():
        step = {key: row["median"] for key, row in rows.items()}
        what = f"{model}: a step of two processes, one core each, against one's"
        yield _ratio(what, step, round(1 / PROCESSES[model], 2), TWO, ONE)
    if results["imports"]:
        yield Verdict("import sporax", results["imports"].get("sporax", {}).get("seconds"), 0.6, "s")


def _ratio(what: str, values: dict[str, float], limit: float, ours: str, *others: str) -> Verdict:
    found = [values[key] for key in others if key in values]
    value = values[ours] / min(found) if ours in values and found else None
    return Verdict(what, value, limit, "x")
