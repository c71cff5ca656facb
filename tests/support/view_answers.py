"""PyTorch's answers to the cases of `view_law`, and the file that keeps them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from view_law import Case, cases, coefficients, program, start

FILE = Path(__file__).parents[1] / "goldens" / "views.npz"
OVERLAP = "more than one element"


def load() -> dict[str, Any]:
    """Return by the text of a case its values and gradients (flat arrays), or the text of PyTorch's refusal."""
    kept = np.load(FILE)
    found: dict[str, Any] = {}
    for key, places in json.loads(str(kept["index"])).items():
        found[key] = places if isinstance(places, str) else [kept["numbers"][a:b] for a, b in places]
    return found


def record() -> None:
    """Run the cases that PyTorch has in PyTorch and keep what they give."""
    numbers: list[np.ndarray] = []
    index: dict[str, Any] = {}
    size = 0
    for case in dict.fromkeys(cases()):
        answer = _answer(case)
        if isinstance(answer, list):
            places = []
            for part in answer:
                part = np.ravel(part).astype(np.float32)
                numbers.append(part)
                places.append((size, size + part.size))
                size += part.size
            index[str(case)] = places
        elif answer is not None:
            index[str(case)] = answer
    np.savez_compressed(FILE, numbers=np.concatenate(numbers), index=np.array(json.dumps(index)))
    refused = sum(isinstance(a, str) for a in index.values())
    print(f"{len(index)} cases, {refused} of them refused")


def _answer(case: Case) -> Any:
    """Return [values, gradient by x, gradient by w], the text of a refusal, or None where PyTorch has no such views."""
    import torch

    names = {"torch": torch, "F": torch.nn.functional}
    run = program(case, 0, names)
    run_twice_as_precise = program(case, 0, names, {".float()": ".double()"})
    look = program(Case(case.views, "", "x"), 0, names)
    try:
        look(torch.tensor(start()), torch.tensor(2.5))
    except (RuntimeError, IndexError, ValueError):
        return None
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*on expanded tensors is deprecated")
            values = run(torch.tensor(start()), torch.tensor(2.5))
    except (RuntimeError, IndexError, UserWarning) as error:
        return OVERLAP if OVERLAP in str(error) or isinstance(error, UserWarning) else None
    flat = np.concatenate([v.numpy().ravel() for v in values])
    gradients = _gradients(run, run_twice_as_precise) if _has_gradient(case) else []
    return [flat, *gradients]


def _has_gradient(case: Case) -> bool:
    return case.write != "floor_divide_"  # PyTorch has no derivative of it


def _loss(values: Any, number: Any) -> Any:
    return sum((v * number(coefficients(tuple(v.shape), i))).sum() for i, v in enumerate(values))


def _gradients(run: Any, run_twice_as_precise: Any) -> list[np.ndarray]:
    """Return the gradients by x and w: autograd's, or differences in float64 where it refuses what it has written over."""
    import torch

    x, w = torch.tensor(start(), requires_grad=True), torch.tensor(2.5, requires_grad=True)
    try:
        loss = _loss(run(x * 1, w), torch.tensor)
        found = torch.autograd.grad(loss, (x, w), allow_unused=True)
        return [np.zeros(v.shape) if g is None else g.numpy().ravel() for g, v in zip(found, (x, w), strict=True)]
    except RuntimeError:
        pass
    at, step = start().astype(np.float64), 1e-6

    def loss_at(elements: np.ndarray, number: float) -> float:
        with torch.no_grad():
            values = run_twice_as_precise(torch.tensor(elements), torch.tensor(number, dtype=torch.float64))
            return float(_loss(values, lambda c: torch.tensor(c, dtype=torch.float64)))

    by_x = []
    for i in range(at.size):
        moved = np.zeros(at.size)
        moved[i] = step
        moved = moved.reshape(at.shape)
        by_x.append((loss_at(at + moved, 2.5) - loss_at(at - moved, 2.5)) / (2 * step))
    by_w = (loss_at(at, 2.5 + step) - loss_at(at, 2.5 - step)) / (2 * step)
    return [np.array(by_x), np.array([by_w])]
