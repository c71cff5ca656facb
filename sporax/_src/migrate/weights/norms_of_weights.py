"""Weight norm and spectral norm: torch stores the factors of a weight; for MindSpore the weight itself is computed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

from sporax._src.migrate.weights.entries import Entries, Entry
from sporax._src.migrate.weights.layers import guess
from sporax._src.migrate.weights.names import with_hook_names, without_wrappers
from sporax._src.migrate.weights.report import Note
from sporax._src.migrate.weights.rules import Applied

Factors = Mapping[str, np.ndarray]


def _weight_norm(factors: Factors) -> np.ndarray:
    """Return g · v / ‖v‖, the norm taken over the axes that g has not."""
    g, v = factors["g"], factors["v"]
    axes = tuple(i for i in range(v.ndim) if g.shape[i : i + 1] != v.shape[i : i + 1])
    return (g * (v / np.sqrt((v * v).sum(axes or None, keepdims=True)))).astype(v.dtype)


def _spectral_norm(factors: Factors) -> np.ndarray:
    """Return w / (uᵀ w v), w taken as a matrix whose rows belong to the axis of u."""
    w, u, v = factors["w"], factors["u"], factors["v"]
    axis = 0 if w.shape[0] == u.size else 1
    matrix = np.moveaxis(w, axis, 0).reshape(u.size, -1)
    return (w / (u @ (matrix @ v))).astype(w.dtype)


_FORMS: tuple[tuple[dict[str, str], Callable[[Factors], np.ndarray], str], ...] = (
    ({"g": "weight_g", "v": "weight_v"}, _weight_norm, "weight norm"),
    ({"w": "weight_orig", "u": "weight_u", "v": "weight_v"}, _spectral_norm, "spectral norm"),
)


def with_weights(source: Applied, target: Entries | None = None) -> Applied:
    """Return a source in which the factors of weights are replaced by the weights, unless the target has these factors.

    A layer with several names has its factors under each of them, and the target under one.

    Args:
        source: The source.
        target: The entries of the target, if its net is known.
    """
    kept = {entry.path for entry in with_hook_names(target).items} if target else set()
    source = dataclasses.replace(source, entries=with_hook_names(source.entries))
    for names, compute, what in _FORMS:
        by_path = {entry.path: entry for entry in source.entries.items}
        first = next(iter(names.values()))
        plain = dict(zip(by_path, (e.path for e in without_wrappers(source.entries).items), strict=True))
        stay = [by_path[path] for path in by_path if path.endswith(first) and plain[path] in kept]
        for path, entry in by_path.items():
            layer = path.removesuffix(first)
            parts = {key: by_path.get(layer + name) for key, name in names.items()}
            is_kept = any(np.array_equal(source.arrays[entry.name], source.arrays[one.name]) for one in stay)
            if layer != path and not is_kept and all(parts.values()):
                source = _replaced(source, layer, {k: p for k, p in parts.items() if p}, compute, what)
    return source


def _replaced(
    source: Applied, layer: str, parts: dict[str, Entry], compute: Callable[[Factors], np.ndarray], what: str
) -> Applied:
    weight = compute({key: source.arrays[entry.name] for key, entry in parts.items()})
    name, items = " × ".join(entry.name for entry in parts.values()), source.entries.items
    first = next(iter(parts.values()))
    path = f"{layer}weight"
    above = path.rpartition(".")[0]
    beside = {entry.leaf: entry.shape for entry in items if entry.layer == above and entry not in parts.values()}
    kind = source.entries.kinds.get(above) or guess(above, beside | {"weight": weight.shape}, "torch")
    replacement = Entry(name, path, weight.shape, kind=kind)
    gone = {entry.name for entry in parts.values()}
    items = [replacement if entry is first else entry for entry in items if entry is first or entry.name not in gone]
    entries = dataclasses.replace(source.entries, items=items)
    note = Note("derived", f"computed from its {what}")
    return dataclasses.replace(
        source, entries=entries, arrays=source.arrays | {name: weight}, notes=source.notes | {name: note}
    )
