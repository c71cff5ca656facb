"""Runs the contestants: starts workers, checks that they compute the same, and times them in short rounds."""

import contextlib
import json
import math
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, STDOUT
from time import perf_counter

import numpy as np

from bench.machine import busy_seconds, process_seconds
from bench.protocol import Worker, WorkerError
from bench.rounds import FEWEST
from bench.specs import LAYER_SPECS, OPS, OPTIMIZERS, SAVED, SUNK
from bench.variants import ROOT, VARIANTS, Variant, environment

TOLERANCE = 1e-3  # between the first losses of any two contestants
QUIET = 0.1  # of a core: what other work may take while a round is timed
WARM = 40  # steps before the rounds: PyNative mode compiles an operation again after its first runs, on another thread
ATTEMPTS = 4  # at a round, of which the quietest counts
FILES = 5  # rounds of checkpoints
PLAIN = "a plain write"
ONE, TWO = "one process", "two processes"
LAUNCHED = {
    ONE: ("sporax", 1),
    TWO: ("sporax", 2),
    f"{ONE}, JAX by hand": ("jax", 1),
    f"{TWO}, JAX by hand": ("jax", 2),
}
LAUNCHES = 3  # of one process and of two
PORT = 8219
MODULES = {"sporax": "sporax", "jax": "jax", "mindspore": "mindspore", "torch": "torch"}


@dataclass
class Driver:
    """One run of the benchmark; `left_out` collects what could not be measured, and why."""

    pythons: dict[str, str]
    contestants: list[str]
    device: str
    threads: int
    rounds: int
    round_seconds: float
    say: Callable[[str], None]
    left_out: list[str] = field(default_factory=list)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    variants: list[Variant] = field(default_factory=list)
    noise: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-")
        self.scratch = Path(self._folder.name)
        self.cores = sorted(os.sched_getaffinity(0))[: self.threads]
        os.sched_setaffinity(0, self.cores)  # the workers inherit it

    def find(self) -> None:
        """Keep the contestants whose worker starts and says who it is."""
        for variant in map(VARIANTS.__getitem__, self.contestants):
            if variant.framework not in self.pythons:
                self._leave_out(variant.title, f"no --{variant.framework}-python was given")
                continue
            with self._guard(variant.title), self._open(variant, "find") as worker:
                self.versions[variant.framework] = worker.ask("versions")
                self.variants.append(variant)

    def model(self, model: str) -> dict[str, dict]:
        """One model: its first step cold and warm, its steps in interleaved rounds, and its memory."""
        rows: dict[str, dict] = {}
        with contextlib.ExitStack() as stack:
            workers: dict[str, Worker] = {}
            for variant in self.variants:
                with self._guard(f"{model}, {variant.title}"):
                    with self._open(variant, model) as worker:
                        cold = worker.ask("first", model=model)
                    worker = stack.enter_context(self._open(variant, model))
                    warm = worker.ask("first", model=model)
                    rows[variant.key] = {"losses": cold["losses"], "losses_warm": warm["losses"],
                                         "first_cold": cold["seconds"], "first_warm": warm["seconds"]}  # fmt: skip
                    workers[variant.key] = worker
                    self.say(f"{model}, {variant.title}: losses {cold['losses']}, first step {cold['seconds']:.2f} s "
                             f"cold, {warm['seconds']:.2f} s warm")  # fmt: skip
            for key, reason in disagreeing(rows).items():
                self._leave_out(f"{model}, {VARIANTS[key].title}", reason)
                del workers[key], rows[key]
            for key, worker in workers.items():
                with self._guard(f"{model}, {VARIANTS[key].title}"):
                    worker.ask("run", steps=WARM)
                    worker.rest(QUIET)
            times = self._interleave({key: (worker, "run", {"steps"}, {}) for key, worker in workers.items()}, model)
            for key in list(rows):
                if key not in times:
                    del rows[key]
                    continue
                rows[key] |= summary(times[key], 1e3)
                rows[key]["memory_mib"] = workers[key].ask("memory")["mib"]
        return rows

    def ops(self) -> dict[str, dict]:
        """Microseconds per eager op, for each op and each contestant with an eager mode."""
        return self._by_name("op", OPS, [variant for variant in self.variants if variant.ops], 1e6)

    def layers(self) -> dict[str, dict]:
        """Milliseconds of a layer's gradient, for each layer; who computes something else is not timed."""
        table: dict[str, dict] = {}
        with contextlib.ExitStack() as stack:
            workers = self._workers(stack, "layer", self.variants)
            for name in LAYER_SPECS:
                losses: dict[str, float] = {}
                for key, worker in workers.items():
                    with self._guard(f"{name}, {VARIANTS[key].title}"):
                        losses[key] = worker.ask("layer", name=name, times=1)["loss"]
                bad = disagreeing({key: {"losses": [loss], "losses_warm": [loss]} for key, loss in losses.items()})
                for key, reason in bad.items():
                    self._leave_out(f"{name}, {VARIANTS[key].title}", reason)
                work = {key: (workers[key], "layer", {"times"}, {"name": name}) for key in losses if key not in bad}
                times = self._interleave(work, f"layer {name}")
                table[name] = {key: summary(values, 1e3) for key, values in times.items()}
        return table

    def optimizers(self) -> dict[str, dict]:
        """Milliseconds per update of 500 Parameters, for each optimizer."""
        return self._by_name("optimizer", OPTIMIZERS, [variant for variant in self.variants if variant.optimizers], 1e3)

    def epochs(self) -> dict[str, dict]:
        """Milliseconds of a step from batches on the host: `Model.train` in sink mode, and a loop written by hand."""
        return self._by_name("epoch", SUNK, [variant for variant in self.variants if variant.epochs], 1e3)

    def files(self) -> dict[str, dict]:
        """Seconds until 1 GiB is on the disk: as each contestant's checkpoint, and written plainly, in turn."""
        array = np.ones(SAVED[0], np.float32)
        times: dict[str, list[float]] = {PLAIN: []}
        with contextlib.ExitStack() as stack:
            workers = self._workers(stack, "checkpoint", [variant for variant in self.variants if variant.files])
            for round_ in range(-1, min(self.rounds, FILES)):
                for key, worker in workers.items():
                    path = self.scratch / f"{key}.ckpt"
                    seconds = worker.ask("checkpoint", path=str(path))["seconds"]
                    path.unlink()
                    if round_ >= 0:
                        times.setdefault(key, []).append(seconds)
                times[PLAIN].append(_written_plainly(self.scratch / "plain", array, len(SAVED)))
        return {"1 GiB": {key: summary(values, 1) for key, values in times.items()}}

    def _by_name(self, do: str, names: Iterable[str], variants: list[Variant], unit: float) -> dict[str, dict]:
        table: dict[str, dict] = {}
        with contextlib.ExitStack() as stack:
            workers = self._workers(stack, do, variants)
            for name in names:
                work = {key: (worker, do, {"times"}, {"name": name}) for key, worker in workers.items()}
                times = self._interleave(work, f"{do} {name}")
                table[name] = {key: summary(values, unit) for key, values in times.items()}
        return table

    def _workers(self, stack: contextlib.ExitStack, topic: str, variants: list[Variant]) -> dict[str, Worker]:
        workers: dict[str, Worker] = {}
        for variant in variants:
            with self._guard(f"{topic}, {variant.title}"):
                workers[variant.key] = stack.enter_context(self._open(variant, topic))
        return workers

    def processes(self, models: Iterable[str]) -> dict[str, dict]:
        """Milliseconds per data parallel step of one process on one core, and of two with a core and a batch each, in turn."""
        if not {"sporax", "jax"} <= self.pythons.keys() or len(self.cores) < 2:
            self._leave_out("two processes", "needs --sporax-python, --jax-python and two cores")
            return {}
        table: dict[str, dict] = {}
        for model in models:
            times: dict[str, list[float]] = {key: [] for key in LAUNCHED}
            with self._guard(f"{model}, two processes"):
                for _ in range(LAUNCHES):
                    for key, (framework, size) in LAUNCHED.items():
                        times[key] += self._launched(framework, model, size)
                table[model] = {key: summary(values, 1e3) for key, values in times.items()}
                told = ", ".join(f"{row['median']:.3f} ms of {key}" for key, row in table[model].items())
                self.say(f"{model}, a data parallel step: {told}")
        return table

    def _launched(self, framework: str, model: str, size: int) -> list[float]:
        """Seconds of a step in each round of a run of `size` processes with a core each."""
        folder = self.scratch / "processes"
        folder.mkdir(exist_ok=True)
        work = [model, max(1, self.rounds // LAUNCHES), self.round_seconds, folder / "seconds"]
        python, script = self.pythons[framework], ROOT / "bench" / f"processes_{framework}.py"
        if framework == "sporax":
            cores = {f"device{i}": [f"{core}-{core}"] for i, core in enumerate(self.cores[:size])}
            launch = [
                python,
                "-m",
                "sporax",
                "launch",
                "-n",
                size,
                "--bind_core",
                json.dumps(cores),
                "--master_port",
                PORT,
            ]
            commands = [[*launch, script, *work]]
        else:
            commands = [[python, script, rank, size, PORT, self.cores[rank], *work] for rank in range(size)]
        env = environment(framework, self.device, 1, folder / "cache")
        started = [
            subprocess.Popen([*map(str, command)], env=env, cwd=folder, stdout=PIPE, stderr=STDOUT, text=True)
            for command in commands
        ]
        told = [process.communicate()[0] for process in started]
        if any(process.returncode for process in started):
            raise WorkerError("\n".join("".join(told).strip().splitlines()[-3:]))
        return json.loads((folder / "seconds").read_text())

    def imports(self) -> dict[str, dict]:
        """Seconds of each `import`, the least of several fresh processes; the modules take turns."""
        code = "from time import perf_counter as t; s = t(); import {}; print(t() - s)"
        seconds: dict[str, list[float]] = {}
        failed: dict[str, list[str]] = {}
        for _ in range(max(self.rounds, 3)):
            for framework, module in MODULES.items():
                if framework not in self.pythons:
                    continue
                env = environment(framework, self.device, self.threads, self.scratch / "imports")
                done = subprocess.run(
                    [self.pythons[framework], "-c", code.format(module)],
                    env=env, cwd=self.scratch, capture_output=True, text=True, check=False,
                )  # fmt: skip
                if done.returncode == 0:
                    seconds.setdefault(module, []).append(float(done.stdout.split()[-1]))
                else:
                    failed[module] = done.stderr.strip().splitlines()[-1:]
        for module, reason in failed.items():
            self._leave_out(f"import {module}", " ".join(reason))
        return {module: {"seconds": min(values), "values": values} for module, values in seconds.items()}

    def _interleave(self, work: dict[str, tuple[Worker, str, set, dict]], topic: str) -> dict[str, list[float]]:
        """Seconds per unit in each round; every worker does about `round_seconds` of work, then the next one does."""
        times: dict[str, list[float]] = {key: [] for key in work}
        counts: dict[str, int] = {}
        for round_ in range(-1, self.rounds):
            for key, (worker, do, (count_name,), request) in work.items():
                if key not in times:
                    continue
                try:
                    if round_ < 0:
                        counts[key] = self._calibrate(worker, do, count_name, request)
                        continue
                    seconds = self._quietest(worker, do, **request, **{count_name: counts[key]})
                    times[key].append(seconds / counts[key])
                except WorkerError as error:
                    self._leave_out(f"{topic}, {VARIANTS[key].title}", str(error))
                    del times[key]
        for key, values in times.items():
            median = statistics.median(values) * 1e6
            self.say(f"{topic}, {VARIANTS[key].title}: {median:.1f} us, {counts[key]} a round")
        return times

    def _quietest(self, worker: Worker, do: str, **request: object) -> float:
        """Seconds that the worker reports; taken again while other work disturbs it, the quietest attempt counts."""
        attempts = []
        for _ in range(ATTEMPTS):
            start = perf_counter(), busy_seconds(self.cores) - process_seconds(worker.process.pid)
            seconds = worker.ask(do, **request)["seconds"]
            others = busy_seconds(self.cores) - process_seconds(worker.process.pid) - start[1]
            attempts.append((others / (perf_counter() - start[0]), seconds))
            if attempts[-1][0] <= QUIET:
                break
        self.noise.append(min(attempts)[0])
        return min(attempts)[1]

    def _calibrate(self, worker: Worker, do: str, count_name: str, request: dict) -> int:
        count = 2
        while True:
            seconds = worker.ask(do, **request, **{count_name: count})["seconds"]
            if seconds > self.round_seconds / 4 or count >= 1 << 20:
                return max(FEWEST, round(count * self.round_seconds / seconds))
            count *= 4

    @contextlib.contextmanager
    def _open(self, variant: Variant, topic: str) -> Iterator[Worker]:
        """A worker; all workers of one contestant and topic share a cache folder."""
        folder = self.scratch / topic / variant.key
        folder.mkdir(parents=True, exist_ok=True)
        worker = Worker(
            variant.command(self.pythons[variant.framework], self.device, self.threads),
            env=environment(variant.framework, self.device, self.threads, folder / "cache"),
            cwd=folder, log=folder / "log",
        )  # fmt: skip
        try:
            yield worker
        finally:
            worker.close()

    @contextlib.contextmanager
    def _guard(self, what: str) -> Iterator[None]:
        try:
            yield
        except (WorkerError, OSError) as error:
            self._leave_out(what, str(error))

    def _leave_out(self, what: str, reason: str) -> None:
        self.left_out.append(f"{what}: {reason}")
        self.say(f"left out: {what}: {reason}")


def disagreeing(rows: dict[str, dict]) -> dict[str, str]:
    """The contestants whose first losses are not those of the median contestant, each with a reason."""
    if not rows:
        return {}
    steps = zip(*(row["losses"] for row in rows.values()), strict=True)
    reference = [statistics.median(loss if math.isfinite(loss) else math.inf for loss in step) for step in steps]
    bad = {}
    for key, row in rows.items():
        for losses in (row["losses"], row["losses_warm"]):
            if not all(abs(a - b) <= TOLERANCE * max(1, abs(b)) for a, b in zip(losses, reference, strict=True)):
                bad[key] = f"not timed, its first losses {_short(losses)} are not the others' {_short(reference)}"
    return bad


def _written_plainly(path: Path, array: np.ndarray, times: int) -> float:
    start = perf_counter()
    with path.open("wb") as file:
        for _ in range(times):
            file.write(memoryview(array).cast("B"))
        file.flush()
        os.fsync(file)
    seconds = perf_counter() - start
    path.unlink()
    return seconds


def summary(values: list[float], unit: float) -> dict:
    """Median, least and quartiles of the rounds in the given unit."""
    scaled = sorted(value * unit for value in values)
    low, _, high = statistics.quantiles(scaled, n=4) if len(scaled) > 1 else scaled * 3
    return {"median": statistics.median(scaled), "min": scaled[0], "quartiles": [low, high],
            "rounds": [value * unit for value in values]}  # fmt: skip


def _short(losses: list[float]) -> str:
    return "[" + ", ".join(f"{loss:.4f}" for loss in losses) + "]"
