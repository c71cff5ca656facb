"""The flops, kernels and collective operations of a compiled program of all devices, read from XLA's text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

_HEAD = re.compile(r"^(ENTRY )?%?([\w.-]+) .*\{$")
_LINE = re.compile(r"^\s+(?:ROOT )?%?([\w.-]+) = (\(.*?\)|\S+) ([a-z][\w-]*)\((.*)$")
_ARRAY = re.compile(r"([a-z]\w*)\[([\d,]*)\]")
_BITS = re.compile(r"\d+")
_CALLERS = ("while", "call", "conditional", "async-start")  # which run kernels and are none
_NO_KERNELS = (*_CALLERS, "parameter", "constant", "bitcast", "tuple", "get-tuple-element", "after-all")
_TARGET = re.compile(r'custom_call_target="([^"]+)"')
_KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute", "collective-broadcast")
_CALLED = re.compile(r"(?:body|calls|to_apply|true_computation|false_computation)=%?([\w.-]+)")
_BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")
_TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')


class Exchange(NamedTuple):
    """One kind of collective operation within groups of devices.

    Attributes:
        kind: XLA's name.
        devices: The device numbers of the first group.
        payload: The bytes of the whole array that is summed, gathered or scattered.
    """

    kind: str
    devices: tuple[int, ...]
    payload: int


class Kernels(NamedTuple):
    """The kernels of one run of a program of a GPU.

    Attributes:
        all: How many kernels run; one in a loop counts in each round.
        fusions: Those that XLA writes.
        custom_calls: Those of libraries, by name.
        converts: Changes of dtype, within kernels as well.
        copies: Copies of whole values.
    """

    all: int
    fusions: int
    custom_calls: dict[str, int]
    converts: int
    copies: int


class _Instruction(NamedTuple):
    name: str
    kind: str
    result: str
    rest: str


def moved(kind: str, payload: float, devices: int) -> float:
    """Return the bytes that each device sends over its links for one collective in a ring of devices.

    Args:
        kind: The operation, by XLA's name.
        payload: The bytes of the whole array that is summed, gathered or scattered.
        devices: The number of devices.
    """
    if devices < 2:
        return 0.0
    share = (devices - 1) / devices
    return payload * {"all-reduce": 2 * share, "collective-permute": 1.0, "collective-broadcast": 1.0}.get(kind, share)


class Program:
    """The text of a compiled program, with the number of runs of each of its computations.

    Args:
        text: XLA's text after optimisation.
        devices: The number of devices of the program.
    """

    def __init__(self, text: str, devices: int) -> None:
        self._devices = devices
        self._computations: dict[str, list[_Instruction]] = {}
        entry, current = "", ""
        for line in text.splitlines():
            if (head := _HEAD.match(line)) and not line.startswith("HloModule"):
                current = head[2]
                self._computations[current] = []
                entry = current if head[1] else entry
            elif match := _LINE.match(line):
                self._computations[current].append(_Instruction(match[1], match[3], match[2], match[4]))
        self._rounds: Counter[str] = Counter()
        self._launching = {entry}  # the computations whose operations are kernels, not parts of one
        self._enter(entry, 1)

    def _enter(self, name: str, rounds: int) -> None:
        self._rounds[name] += rounds
        for each in self._computations[name]:
            trips = _TRIPS.search(each.rest) if each.kind == "while" else None
            inner = _CALLED.findall(each.rest)
            if branches := _BRANCHES.search(each.rest):
                inner += [part.strip().lstrip("%") for part in branches[1].split(",")]
            if each.kind in _CALLERS:
                self._launching.update(inner)
            for called in inner:
                self._enter(called, rounds * int(trips[1]) if trips else rounds)

    def _instructions(self) -> Iterator[tuple[_Instruction, dict[str, str], int]]:
        for name, rounds in self._rounds.items():
            types = {each.name: each.result for each in self._computations[name]}
            for each in self._computations[name]:
                yield each, types, rounds

    def exchanges(self) -> Counter[Exchange]:
        """Return the collectives of the program, with their counts."""
        counts: Counter[Exchange] = Counter()
        for each, types, rounds in self._instructions():
            kind = each.kind.removesuffix("-start")
            if kind not in _KINDS:
                continue
            group = self._group(each.rest)
            started = each.kind.endswith("-start") and kind != "all-reduce"  # its result includes the operands
            inputs = sum(_bytes(types[name]) for name in _operands(each.rest))
            payload = _bytes(each.result) - (inputs if started else 0)
            counts[Exchange(kind, group, inputs if kind == "reduce-scatter" else payload)] += rounds
        return counts

    def flops(self) -> int:
        """Return the floating-point operations of the matrix products and convolutions of one device."""
        return sum(rounds * _flops(each, types) for each, types, rounds in self._instructions())

    def kernels(self) -> Kernels:
        """Return the kernels of one run."""
        launched: Counter[str] = Counter()
        calls: Counter[str] = Counter()
        everywhere: Counter[str] = Counter()
        for name, rounds in self._rounds.items():
            for each in self._computations[name]:
                everywhere[each.kind] += rounds
                if name not in self._launching or each.kind in _NO_KERNELS or each.kind.endswith("-done"):
                    continue
                launched[each.kind] += rounds
                if target := _TARGET.search(each.rest):
                    calls[target[1]] += rounds
        copies = everywhere["copy"] + everywhere["copy-start"]
        return Kernels(launched.total(), launched["fusion"], dict(calls), everywhere["convert"], copies)

    def _group(self, rest: str) -> tuple[int, ...]:
        if "source_target_pairs=" in rest:
            pairs = re.findall(r"\{(\d+),(\d+)\}", rest[rest.index("source_target_pairs=") :].split("}}")[0] + "}")
            return next(((int(a), int(b)) for a, b in pairs if a != b), ())
        text = re.search(r"replica_groups=(.*)$", rest)
        if text is None or text[1].startswith("{}"):
            return tuple(range(self._devices))
        return tuple(int(i) for i in _first_group(text[1]))


def _first_group(text: str) -> np.ndarray | list[str]:
    """Return the first group of devices in one of XLA's notations."""
    if text.startswith("{"):
        return text[2 : text.index("}")].split(",")
    if tiled := re.match(r"\[([\d,]+)\]<=(\[[\d,]+\](?:T\([\d,]+\))?)", text):
        return _counted(tiled[2]).reshape(_numbers(tiled[1]))[0]
    mesh = re.match(r"mesh\[([^\]]*)\](?:, device_ids=\(([^{]*)\))? \{([^}]*)\}", text)
    if mesh is None:
        raise ValueError(f"the groups of a collective operation are in a notation that is not known: {text[:80]}")
    axes = [(name, int(size)) for name, size in re.findall(r"'(\w+)'=(\d+)", mesh[1])]
    ids = _counted(mesh[2] or f"[{math.prod(size for _, size in axes)}]").reshape([size for _, size in axes])
    selected: list[int] = []
    shape: list[int] = []
    parts = {
        name: (int(before or 1), int(size or 0))
        for name, before, size in re.findall(r"'(\w+)'(?::\((\d+)\)(\d+))?", mesh[3])
    }
    for name, size in axes:
        if name not in parts:
            shape.append(size)
            continue
        before, part = parts[name][0], parts[name][1] or size
        shape += [before, part, size // before // part]
        selected.append(len(shape) - 2)
    return np.moveaxis(ids.reshape(shape), selected, range(-len(selected), 0)).reshape(
        -1, math.prod(shape[i] for i in selected)
    )[0]


def _counted(text: str) -> np.ndarray:
    """Return the device numbers in the order of a notation such as `[4,2]T(1,0)`."""
    shape, _, order = text.partition("T")
    ids = np.arange(math.prod(_numbers(shape))).reshape(_numbers(shape))
    return ids.transpose(_numbers(order)) if order else ids


def _numbers(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", text)]


def _operands(rest: str) -> list[str]:
    return re.findall(r"%([\w.-]+)", rest[: rest.index(")")])


def _bytes(text: str) -> int:
    """Return the size of a value of a type such as `f32[2,3]{1,0}` or `(f32[2], s32[])`."""
    total = 0
    for dtype, dims in _ARRAY.findall(text):
        bits = _BITS.search(dtype)
        total += math.prod(map(int, filter(None, dims.split(",")))) * max(1, int(bits[0]) // 8 if bits else 1)
    return total


def _shape(text: str) -> list[int]:
    match = _ARRAY.search(text)
    return [int(n) for n in match[2].split(",") if n] if match else []


def _flops(each: _Instruction, types: dict[str, str]) -> int:
    if each.kind not in ("dot", "convolution"):
        return 0
    left, right = (_shape(types[name]) for name in _operands(each.rest)[:2])
    out = math.prod(_shape(each.result))
    if each.kind == "dot":
        along = re.search(r"lhs_contracting_dims=\{([\d,]*)\}", each.rest)
        return 2 * out * math.prod(left[i] for i in _numbers(along[1] if along else ""))
    labels = re.search(r"dim_labels=\w+_(\w+)->", each.rest)
    features = right[labels[1].index("o")] if labels else 1
    return 2 * out * math.prod(right) // max(features, 1)
