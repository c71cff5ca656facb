"""The comparison of two recordings, stage by stage in the order of training: rows, and the first layer that differs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.migrate.compare.align import kind, layer_pairs, owner, parameter_pairs, role
from sporax._src.migrate.compare.calls import Call, begins_in, called_inside, calls_of_both, children
from sporax._src.migrate.compare.causes import NOTHING, Evidence, cause
from sporax._src.migrate.compare.experiments import Values
from sporax._src.migrate.compare.measure import Distance, distance, error, judged, same_but_ones, tolerance
from sporax._src.migrate.compare.recorder import Recording
from sporax._src.migrate.compare.report import AGREE, Comparison, Row
from sporax._src.migrate.compare.settings import differences, sentence

SMALL = 2e-4  # a gradient on which the place of eps shows: MindSpore adds it before the correction of the bias
DRIFT = 0.1  # what the rounding of one step may come to in the outputs after it
ROUNDING = 1e-3  # what rounding may come to over a whole network


@dataclass(frozen=True)
class Finding:
    """A difference that is the first of its stage."""

    stage: str
    layer: str
    cause: str


class Stages:
    """Compares a recording with that of the reference."""

    def __init__(self, reference: Recording, candidate: Recording) -> None:
        self.sides = reference, candidate
        ours, theirs = reference.about, candidate.about
        self.layers = layer_pairs(ours["layers"], theirs["layers"])
        self.names = parameter_pairs(list(ours["parameters"]), list(theirs["parameters"]), self.layers)
        self.rows: list[Row] = []
        self.findings: list[Finding] = []

    def run(self, single_step: bool = False) -> Comparison:
        """Compare stage by stage.

        Raises:
            ValueError: If the recordings are of different inputs.
        """
        self.check_inputs()
        for stage in (
            self.parameters,
            self.forward,
            self.training,
            self.loss,
            self.gradients,
            self.updates,
            self.metric,
        ):
            stage()
        self.settings()
        first = self.findings[0] if self.findings else None
        shown = [f"{side.about['net']} ({side.about['framework']} {side.about['version']})" for side in self.sides]
        return Comparison(
            first_difference=None if first is None else first.layer or self.root,
            stage=None if first is None else first.stage,
            cause=None if first is None else first.cause,
            rows=tuple(self.rows),
            reference=shown[0],
            candidate=shown[1],
            single_step=single_step,
        )

    def check_inputs(self) -> None:
        """Check that both networks had the same inputs.

        Raises:
            ValueError: If they were not.
        """
        ours, theirs = (given(side) for side in self.sides)
        apart = error(ours, theirs)
        if apart is None or apart > tolerance("parameters"):
            shown = [", ".join(describe(array) for array in arrays) for arrays in (ours, theirs)]
            raise ValueError(
                f"the recordings are of different inputs, {shown[0]} and {shown[1]}: record both with the same file of inputs."
            )

    @property
    def root(self) -> str:
        """The displayed name of the network itself, whose path is empty."""
        return self.sides[0].about["net"]

    # --- what the stages share --------------------------------------------------------------------------------------

    def described(self, path: str) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
        """Return the descriptions of a layer on both sides."""
        ours, theirs = (side.about["layers"] for side in self.sides)
        return ours.get(path, NOTHING), theirs.get(self.layers[path]) if path in self.layers else None

    def kinds(self, path: str) -> str:
        """Return the classes of a layer, one if both have one name."""
        ours, theirs = self.described(path)
        other = "" if theirs is None else theirs["kind"]
        return ours["kind"] if ours["kind"] == other else f"{ours['kind']} / {other or '–'}"

    def evidence(self, path: str, **known: Any) -> Evidence:
        """Return the known facts about a layer, its loss and its optimizer."""
        ours, theirs = self.described(path)
        extra = {}
        for key, name in (("optimizers", "optimizer"), ("losses", "loss")):
            both = tuple(side.about[name] for side in self.sides)
            if all(both):
                extra[key] = both
        return Evidence(ours, theirs, **extra, **known)

    def own_parameters(self, path: str) -> dict[str, np.ndarray]:
        """Return the Parameters of one layer of the reference, by role."""
        arrays = self.sides[0].arrays
        return {role(n): arrays[f"parameter/{n}"] for n in self.sides[0].about["parameters"] if owner(n) == path}

    def add(
        self, stage: str, name: str, layer: str, what: str, status: str, apart: Distance | None = None, **more: Any
    ) -> Row:
        """Add a row."""
        errors = {} if apart is None else {k: getattr(apart, k) for k in ("max", "mean", "relative", "cosine")}
        row = Row(
            stage, name or self.root, layer or self.root, what, self.kinds(layer), status=status, **errors, **more
        )
        self.rows.append(row)
        return row

    def find(self, stage: str, layer: str, evidence: Evidence) -> None:
        """Keep the first difference of a stage."""
        if all(finding.stage != stage for finding in self.findings):
            self.findings.append(Finding(stage, layer, cause(stage, evidence)))

    # --- Parameters ---------------------------------------------------------------------------------------------------

    def parameters(self) -> None:
        """Compare the Parameters and moving statistics before anything runs."""
        ours, theirs = (side.about["parameters"] for side in self.sides)
        for name, info in ours.items():
            self._parameter(name, info, theirs.get(self.names.get(name, "")))
        for name, info in theirs.items():
            if name not in self.names.values():
                status = "missing" if info["trainable"] else "one side"
                layer = next((p for p, q in self.layers.items() if q == owner(name)), owner(name))
                self.add("parameters", name, layer, role(name), status, note="not in the reference")
                if status == "missing":
                    self.find(
                        "parameters",
                        layer,
                        self.evidence(layer, role=f"{role(name)} of the reference", status="missing"),
                    )

    def _parameter(self, name: str, info: Mapping[str, Any], other: Mapping[str, Any] | None) -> None:
        layer, what = owner(name), role(name)
        if other is None:
            status = "missing" if info["trainable"] else "one side"
            self.add("parameters", name, layer, what, status, note="not here")
            if status == "missing":
                self.find("parameters", layer, self.evidence(layer, role=what, status=status))
            return
        a, b = self.pair("parameter", name)
        dtypes = info["dtype"], other["dtype"]
        apart = None
        if not same_but_ones(a, b):
            status = "shape"
        else:
            b = b.reshape(a.shape)
            apart = distance(a, b)
            status = judged(apart, tolerance("parameters", *dtypes))
            status = "dtype" if status == "same" and dtypes[0] != dtypes[1] else status
        self.add("parameters", name, layer, what, status, apart, shape=both_shapes(a, b))
        if status not in AGREE:
            values = Values(a, b)
            self.find("parameters", layer, self.evidence(layer, role=what, status=status, values=values, dtypes=dtypes))

    def pair(self, prefix: str, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the arrays of a Parameter on both sides."""
        return self.sides[0].arrays[f"{prefix}/{name}"], self.sides[1].arrays[f"{prefix}/{self.names[name]}"]

    # --- outputs ------------------------------------------------------------------------------------------------------

    def calls(self, name: str) -> list[Call]:
        """Return the calls of one pass that both sides have."""
        return calls_of_both(self.sides, self.layers, name)

    def forward(self) -> None:
        """Compare the outputs of the layers in evaluation mode."""
        self._outputs("forward")

    def training(self) -> None:
        """Compare the outputs with the normalisations in training mode, and then the moving statistics."""
        self._outputs("training")
        for name, other in self.names.items():
            if f"state after/{name}" in self.sides[0].arrays and f"state after/{other}" in self.sides[1].arrays:
                a, b = self.pair("state after", name)
                if not same_but_ones(a, b):
                    continue
                apart = distance(a, b.reshape(a.shape))
                layer, status = owner(name), judged(apart, 10 * tolerance("training"))
                self.add("training", name, layer, f"{role(name)} after", status, apart, shape=both_shapes(a, b))
                if status not in AGREE:
                    self.find("training", layer, self.evidence(layer, status=status, values=Values(a, b)))

    def _outputs(self, stage: str) -> None:
        calls = self.calls(stage)
        errors: list[tuple[float | None, float | None]] = []
        start = len(self.rows)
        for i, call in enumerate(calls):
            entering = error(*call.inputs)
            status, apart, at = self._output(stage, call)
            leaving = None if apart is None else apart.relative if apart.finite else math.inf
            errors.append((entering, leaving))
            shape = both_shapes(*(side[at] for side in call.outputs)) if at is not None else ""
            self.add(stage, call.name, call.path, "output", status, apart, shape=shape)
            if status not in AGREE and begins_in(stage, calls, errors, i, status):
                self._find_output(stage, calls, i, status, at)
        if all(finding.stage != stage for finding in self.findings):
            self._rounding(stage, calls, start)

    def _output(self, stage: str, call: Call) -> tuple[str, Distance | None, int | None]:
        """Return the status of a call, and the distance and the name of its most different output."""
        ours, theirs = call.outputs
        if len(ours) != len(theirs):
            return "shape", None, None
        worst: tuple[str, Distance | None, int | None] = ("same", Distance() if ours else None, 0 if ours else None)
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            if a.shape != b.shape:
                return "shape", None, k
            dtypes = call.dtypes[0][k], call.dtypes[1][k]
            apart = distance(a, b)
            status = judged(apart, tolerance(stage, *dtypes))
            if call.random and status != "same":
                return "random", apart, k
            if status == "same" and all("float" in d for d in dtypes) and dtypes[0] != dtypes[1]:
                status = "dtype"
            if (status != "same" and worst[0] == "same") or (
                worst[1] is not None and apart.relative > worst[1].relative
            ):
                worst = status, apart, k
        return worst

    def _find_output(self, stage: str, calls: Sequence[Call], i: int, status: str, at: int | None) -> None:
        call = calls[i]
        fed_otherwise = any((error(*calls[j].inputs) or 0.0) > tolerance(stage) for j in children(calls, i))
        moved = self._other_order(stage, call, fed_otherwise)
        if moved is not None:
            if all(finding.stage != stage for finding in self.findings):
                self.findings.append(Finding(stage, *moved))
            return
        values, dtypes = None, ("", "")
        if at is not None:
            inputs = tuple(x for x in call.inputs[0] if x is not None)
            values = Values(call.outputs[0][at], call.outputs[1][at], inputs, self.own_parameters(call.path))
            dtypes = call.dtypes[0][at], call.dtypes[1][at]
        self.find(stage, call.path, self.evidence(call.path, status=status, values=values, dtypes=dtypes))

    def _other_order(self, stage: str, call: Call, fed_otherwise: bool) -> tuple[str, str] | None:
        """Return the inner layer that is called at another position, or not at all, with a message."""
        (ours, busy), (theirs, _) = (
            called_inside(side, stage, path, call.number)
            for side, path in zip(self.sides, (call.path, call.other), strict=True)
        )
        back = {other: path for path, other in self.layers.items()}
        theirs = [back.get(path, path) for path in theirs]
        for path in ours:
            if path not in theirs and path in busy:
                return (
                    path,
                    f"the layer is called in the reference and not here: {self.described(path)[0]['kind']} is left out",
                )
        if fed_otherwise and sorted(ours) == sorted(theirs):
            for a, b in zip(ours, theirs, strict=True):
                if a != b:
                    return (
                        a,
                        f"the layers run in another order: {', '.join(ours)} in the reference, {', '.join(theirs)} here",
                    )
        return None

    def _rounding(self, stage: str, calls: Sequence[Call], start: int) -> None:
        """If it begins in no layer, a small difference is accumulated rounding; a large one is the first row's."""
        odd = [(i, row) for i, row in enumerate(self.rows[start:], start) if row.differs]
        if not odd:
            return
        if all((row.relative if row.relative is not None else 1.0) <= ROUNDING for _, row in odd):
            for i, row in odd:
                self.rows[i] = replace(row, status="rounding")
            return
        first = odd[0][0] - start
        self._find_output(stage, calls, first, self.rows[odd[0][0]].status, 0 if calls[first].outputs[0] else None)

    # --- loss and gradients -------------------------------------------------------------------------------------------

    def loss(self) -> None:
        """Compare the loss."""
        arrays = [side.arrays.get("loss") for side in self.sides]
        if arrays[0] is None or arrays[1] is None:
            return
        apart = distance(arrays[0], arrays[1])
        status = judged(apart, 10 * tolerance("loss"))
        self.add("loss", "loss", "", "value", status, apart, note=f"{arrays[0].item():.7g}, {arrays[1].item():.7g}")
        if status not in AGREE:
            last = self.calls(self.last)
            outputs = tuple(x for x in last[-1].outputs[0] if x is not None) if last else ()
            values = Values(arrays[0], arrays[1], outputs)
            if all(finding.stage != "loss" for finding in self.findings):
                self.findings.append(
                    Finding("loss", "loss", cause("loss", self.evidence("", status=status, values=values)))
                )

    @cached_property
    def last(self) -> str:
        """The pass whose gradients were computed."""
        return "training" if all("training" in side.about["passes"] for side in self.sides) else "forward"

    @cached_property
    def steepest(self) -> float:
        """The largest gradient of a Parameter; gradients that are smaller by six orders of magnitude are rounding."""
        arrays = self.sides[0].arrays
        return max(
            (float(np.abs(a).max()) for n, a in arrays.items() if n.startswith("gradient/") and a.size), default=0.0
        )

    def gradients(self) -> None:
        """Compare the gradients of outputs and Parameters, from the loss back."""
        seen: set[str] = set()
        for call in reversed(self.calls(self.last)):
            for k, (a, b) in enumerate(zip(*call.gradients, strict=False)):
                if a is not None and b is not None and a.shape == b.shape:
                    what = "gradient of output" if len(call.gradients[0]) == 1 else f"gradient of output {k}"
                    self._gradient(call.name, call.path, what, a, b, call.dtypes)
            if call.path not in seen:
                seen.add(call.path)
                self._own_gradients(call.path)
        for name in self.names:
            if owner(name) not in seen:
                seen.add(owner(name))
                self._own_gradients(owner(name))

    def _own_gradients(self, path: str) -> None:
        for name in self.names:
            if owner(name) == path and all(
                f"gradient/{n}" in side.arrays for n, side in zip((name, self.names[name]), self.sides, strict=True)
            ):
                a, b = self.pair("gradient", name)
                if same_but_ones(a, b):
                    self._gradient(name, path, f"gradient of {role(name)}", a, b.reshape(a.shape), (("",), ("",)))

    def _gradient(
        self, name: str, layer: str, what: str, a: np.ndarray, b: np.ndarray, dtypes: Sequence[Sequence[str]]
    ) -> None:
        apart = distance(a, b)
        status = judged(apart, tolerance("gradients", *dtypes[0], *dtypes[1]), 1e-6 * self.steepest)
        self.add("gradients", name, layer, what, status, apart, shape=both_shapes(a, b))
        if status not in AGREE:
            self.find("gradients", layer, self.evidence(layer, status=status, values=Values(a, b)))

    # --- the step -----------------------------------------------------------------------------------------------------

    def updates(self) -> None:
        """Compare the Parameters after one step, and after a second with half of the gradients."""
        for before in (("parameter", "update"), ("update", "second update")):
            for name, other in self.names.items():
                if f"{before[1]}/{name}" in self.sides[0].arrays and f"{before[1]}/{other}" in self.sides[1].arrays:
                    self._step(name, *before)

    def _step(self, name: str, start: str, end: str) -> None:
        (a0, b0), (a, b) = self.pair(start, name), self.pair(end, name)
        if not same_but_ones(a, b):
            return
        b0, b = b0.reshape(a.shape), b.reshape(a.shape)
        slopes = np.abs(self.sides[0].arrays[f"gradient/{name}"])
        # Of a gradient that is rounding alone Adam makes a whole step, and of a small one it shows where eps is added.
        optimizer = self.sides[0].about["optimizer"]["kind"]
        least = max(1e-3 * slopes.max(initial=0.0), 1e-5 * self.steepest, SMALL if "Ada" in optimizer else 0.0)
        certain = (slopes > least) | (slopes == 0)
        steps = a.astype(np.float64) - a0, b.astype(np.float64) - b0
        apart = distance(*steps, where=certain)
        rounding = 8 * 2.0**-23 * float(np.abs(a).max(initial=0.0))
        status = judged(apart, tolerance("updates"), rounding)
        what = f"{role(name)} after {'one step' if end == 'update' else 'two steps'}"
        note = "" if certain.any() else "its gradients are too small to tell"
        self.add("updates", name, owner(name), what, status, apart, shape=both_shapes(a, b), note=note)
        if status not in AGREE:
            layer = owner(name)
            self.find("updates", layer, self.evidence(layer, status=status, values=Values(*steps, (a0,))))

    def metric(self) -> None:
        """Compare outputs and loss after the step, in evaluation mode, and how often the largest output is the same."""
        for name in ("metric/loss", "metric/output/0"):
            a, b = (side.arrays.get(name) for side in self.sides)
            if a is None or b is None or a.shape != b.shape:
                continue
            apart = distance(a, b)
            status = judged(apart, tolerance("metric") if self.findings else DRIFT)
            what, note = ("loss", "") if name == "metric/loss" else ("output", answers(a, b))
            self.add("metric", f"{what} after the step", "", what, status, apart, note=note, shape=both_shapes(a, b))
            if status not in AGREE:
                self.find("metric", "", self.evidence("", status=status, values=Values(a, b)))

    # --- settings -----------------------------------------------------------------------------------------------------

    def settings(self) -> None:
        """Compare the settings of layers, loss and optimizer: some differences do not show in these values."""
        for name, both in self._described():
            pairs = differences(*both)
            if not pairs:
                continue
            for setting, a, b in pairs:
                self.rows.append(
                    Row("settings", name, name, setting.name, both[0]["kind"], status="different", note=f"{a}, {b}")
                )
            if not self.findings:
                text = f"{sentence(pairs)}; the values agree on these inputs"
                self.findings.append(Finding("settings", name, text))

    def _described(self) -> Iterator[tuple[str, tuple[Any, Any]]]:
        ours, theirs = (side.about for side in self.sides)
        for path, other in self.layers.items():
            yield path, (ours["layers"][path], theirs["layers"][other])
        for name in ("loss", "optimizer"):
            if ours[name] and theirs[name] and kind(ours[name]) == kind(theirs[name]):
                yield name, (ours[name], theirs[name])


def given(side: Recording) -> list[np.ndarray]:
    """Return the inputs of a recorded network, and the labels."""
    names = [name for name in side.arrays if name.startswith("given/")]
    return [side.arrays[name] for name in sorted(names, key=lambda name: int(name.rpartition("/")[2]))]


def both_shapes(a: np.ndarray, b: np.ndarray) -> str:
    """Return the shape as text, both if they differ."""
    return str(list(a.shape)) if a.shape == b.shape else f"{list(a.shape)}, {list(b.shape)}"


def answers(a: np.ndarray, b: np.ndarray) -> str:
    """Return how often the index of the largest element along the last axis is the same."""
    if a.ndim < 2 or a.shape[-1] < 2:
        return ""
    return f"largest output the same in {100 * float((a.argmax(-1) == b.argmax(-1)).mean()):.0f} %"
