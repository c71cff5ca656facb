"""A page for each public name: its signature, its docstring, and the names of PyTorch that are converted to it."""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sporax
from site_pages.docstring import escaped, markdown
from sporax._src.migrate.source.lookup import torch_names

# The modules of the reference, with what their names are for.
MODULES = {
    "sporax": "Tensors, Parameters, gradients, graphs, files of weights, and settings",
    "Tensor": "Methods of Tensors",
    "nn": "Layers, losses, optimizers and learning rates",
    "nn.probability.bijector": "Bijectors",
    "nn.probability.distribution": "Distributions",
    "ops": "Operators: functions, and the primitive classes behind them",
    "mint": "Functions with PyTorch's names and arguments",
    "mint.nn": "Layers with PyTorch's names and arguments",
    "mint.nn.functional": "Functions of layers, as in `torch.nn.functional`",
    "mint.optim": "Optimizers, as in `torch.optim`",
    "mint.linalg": "Linear algebra, as in `torch.linalg`",
    "mint.special": "Special functions, as in `torch.special`",
    "mint.distributed": "Collective operations, as in `torch.distributed`",
    "train": "Training by `Model`: callbacks, metrics, mixed precision",
    "dataset": "Sources of data and their pipelines",
    "dataset.vision": "Operations on images",
    "dataset.transforms": "Operations on any column",
    "dataset.text": "Operations on texts",
    "dataset.audio": "Operations on sounds",
    "numpy": "Functions with NumPy's names",
    "amp": "Mixed precision for one's own loop",
    "common.initializer": "Initial values of Parameters",
    "parallel": "Layouts and automatic parallelism",
}
Names = dict[str, Any]
_OBJECT = re.compile(r"<(?:(?:class|function|built-in function) )?'?([\w.]+)'?[^>]*>")  # also of an enumeration
_MANY = 100  # a module of more names has a heading for each first letter


def public(module: str) -> Names:
    """Return the public names of a module, but modules within it, by name."""
    if module == "Tensor":
        return {n: inspect.getattr_static(sporax.Tensor, n) for n in dir(sporax.Tensor) if not n.startswith("_")}
    space = sporax if module == "sporax" else importlib.import_module(f"sporax.{module}")
    found = {name: getattr(space, name) for name in space.__all__}
    return {n: value for n, value in found.items() if not inspect.ismodule(value) and not n.startswith("_")}


def full_name(module: str, name: str) -> str:
    """Return a name as users write it after `import sporax as ms`: `nn.Dense`, `Tensor.sum`, `jit`."""
    return name if module == "sporax" else f"{module}.{name}"


def file_names(names: Names) -> dict[str, str]:
    """Return the file of each name. Names that differ in capitals only (`abs`, `Abs`) get different files for any file system."""
    files: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for name in sorted(names, key=lambda n: (n != n.lower(), n)):  # functions before classes
        seen[name.casefold()] += 1
        count = seen[name.casefold()]
        files[name] = name if count == 1 else f"{name}.class" if count == 2 else f"{name}.class{count - 1}"
    return files


_torch_names = functools.cache(torch_names)


def signature(value: object) -> str:
    """Return what is written between the parentheses of a call, a line for each argument if there are many; "" of a constant."""
    try:
        taken = inspect.signature(value)  # type: ignore[arg-type]
    except TypeError:
        return ""
    except ValueError:  # written in C
        return "(...)"
    kept = [p.replace(annotation=p.empty) for p in taken.parameters.values() if p.name != "self"]
    text = str(inspect.Signature(kept))
    text = text if len(text) < 80 else "(\n    " + ",\n    ".join(map(str, kept)) + ",\n)"
    return re.sub(r"=mindspore\.(?=\w)", "=sporax.", _OBJECT.sub(r"\1", text))  # as dtypes show themselves


def page(module: str, name: str, value: Any) -> str:
    """Return the page of a name."""
    full = full_name(module, name)
    called = value.fget if isinstance(value, property) else value
    shown = "" if isinstance(value, property) or not callable(called) else signature(called)
    import_line = f"sporax.{full}{shown}"
    parts = ["---\norphan: true\n---", f"# {escaped(full)}", f"[Reference](../index.md) › [{module}](../{module}.md)",
             f"```python\n{import_line}\n```", _said(value)]  # fmt: skip
    if inspect.isclass(value) and (methods := list(_methods(value))):
        parts += ["## Methods", "\n".join(methods)]
    if torch := _torch_names().get(full):
        parts.append(f"**PyTorch**: {', '.join(f'`{other}`' for other in torch)} ({_link('migration.md', full)})")
    return "\n\n".join(part for part in parts if part) + "\n"


def _link(target: str, full: str) -> str:
    return f"[how programs are converted](../../{target}); `sporax api {full}` compares the arguments"


def _said(value: Any) -> str:
    constant = not callable(value) and not isinstance(value, property) and not hasattr(value, "__func__")
    text = inspect.getdoc(value) or ""
    if constant and text == inspect.getdoc(type(value)):
        return f"A value: `{value!r}`." if "\n" not in repr(value) else ""
    return markdown(text)


def _methods(value: type) -> Iterator[str]:
    for name, method in vars(value).items():
        if name.startswith("_") or not (inspect.isfunction(method) or isinstance(method, property)):
            continue
        taken = (
            signature(method).replace("\n    ", " ").replace(",\n", "").replace("( ", "(") if callable(method) else ""
        )
        yield f"- `{name}{taken}`: {summary(method)}"


def summary(value: Any) -> str:
    """Return the first sentence of a docstring, in one line."""
    return escaped(" ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split()))


def module_page(module: str, names: Names) -> str:
    """Return the page that lists the names of a module."""
    files = file_names(names)
    text = f"# {module}\n\n{MODULES[module]}.\n"
    ordered = sorted(names, key=str.casefold)
    for letter, group in itertools.groupby(ordered, lambda name: name[0].upper() if len(names) > _MANY else ""):
        rows = [f"| [`{name}`]({module}/{files[name]}.md) | {summary(names[name])} |" for name in group]
        text += "\n".join([f"\n## {letter}\n" if letter else "", "| name | summary |", "|---|---|", *rows, ""])
    return text


def index(counts: dict[str, int]) -> str:
    """Return the first page of the reference."""
    rows = [f"| [`{module}`]({module}.md) | {MODULES[module]} ({count}) |" for module, count in counts.items()]
    text = ["# Reference", "", "A page for each public name, from its docstring; all examples run as tests. `sporax api NAME`",
            "shows the same in a terminal. A list says [how each name is tested](../api.md).", "",
            "| module | names |", "|---|---|", *rows, "",
            "```{toctree}", ":hidden:", "", *counts, "```", ""]  # fmt: skip
    return "\n".join(text)


def pages() -> Iterator[tuple[Path, str]]:
    """Give every page of the reference: its path below the folder of the reference, and its text."""
    counts = {}
    for module in MODULES:
        names = public(module)
        counts[module] = len(names)
        yield Path(f"{module}.md"), module_page(module, names)
        for name, file in file_names(names).items():
            yield Path(module, f"{file}.md"), page(module, name, names[name])
    yield Path("index.md"), index(counts)
