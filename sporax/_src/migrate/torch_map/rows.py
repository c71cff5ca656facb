"""The map: one row for each call of torch, in the tables of the folders beside this file.

    torch.cat(tensors, dim=0, *, out=None) -> mint.cat(tensors, dim)
        classic: ops.cat(tensors, axis=dim)
        differs: how the result differs, if a user has to know
        note: what is different in MindSpore, and is converted or raises
        try: torch.cat([X, Y], 1)
    torch.concat = torch.cat
    torch.Tensor.item() -> self.item() => float
    torch.max(input, dim: int, keepdim=False, *, out=None) -> mint.max(input, dim, keepdim) => torch.return_types.max
    torch.exp(input) -> mint.exp(input)
        float: input
    torch.jit.script_if_tracing(fn) -> missing: there is no TorchScript; use mindspore.jit
    torch.Tensor.backward() -> rewritten: mindspore.value_and_grad(forward_fn, None, optimizer.parameters)()

On the left stands torch's signature, on the right an expression of MindSpore's names and the parameters of the left; of a
method `self` is the object. What a call does not give is left out on the right as well, where it stands alone as an argument;
`has_bias=+bias` is written out in any case, because the defaults differ. An argument of torch that the right side lacks, and
that is given another value than its default, is an error of the call, but for those of `IGNORED`.

What is `rewritten:` is converted with the statements around it, by no row; the text tells a user how. An argument named by
`float:` gets `.float()` where it is known to hold whole numbers, of which MindSpore's function takes none.

Several rows of one name are tried in order. An annotation on the left restricts a row to arguments that are known to be of that
kind (`int`, `torch.Tensor`, `'bilinear'` for a literal). A line `try:` is an example, of the samples in
`SAMPLES`, which the tests run with torch and converted. After `=>` stands the kind of the result where it is not a Tensor; of a
class it is the class itself. A name that begins with `_` on the right is one of `migrate/helpers`, which the converted file
imports.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import resources

TENSOR = "torch.Tensor"
MODULE = "torch.nn.Module"

# Arguments that say where a Tensor is and how its memory is laid out: here, the compiler's matter.
IGNORED = frozenset(
    "async_op check_stride copy device foreach fused capturable differentiable maximize layout memory_format non_blocking "
    "pin_memory pin_memory_device requires_grad persistent_workers prefetch_factor validate_args".split()
)

# What the examples of rows are written with.
SAMPLES = """
import torch
X = torch.tensor([[0.5, -1.25, 2.0], [1.5, -0.75, -2.5]])
Y = torch.tensor([[1.0, 0.25, -0.5], [-2.0, 3.0, 0.75]])
P = torch.tensor([[0.5, 1.25, 2.0], [0.1, 0.75, 3.5]])
U = torch.tensor([[0.5, 0.25, 0.9], [0.1, 0.75, 0.35]])
V = torch.tensor([0.5, -1.5, 2.5, 1.0])
M = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]])
I = torch.tensor([[1, 0, 2], [2, 1, 0]])
B = torch.tensor([[True, False, True], [False, False, True]])
C = torch.tensor([[0.5 + 1.0j, -1.25 - 0.5j], [2.0 + 0.25j, 1.5 - 2.0j]])
S = torch.sin(torch.arange(2 * 4 * 9, dtype=torch.float32)).reshape(2, 4, 9)
N = torch.sin(torch.arange(2 * 4 * 6 * 6, dtype=torch.float32)).reshape(2, 4, 6, 6)
"""
_HEAD = re.compile(r"^([\w.]+)(\(.*\))? -> (.*)$")
_ALIAS = re.compile(r"^([\w.]+) = ([\w.]+)$")
_NOTES = ("classic", "differs", "drop", "float", "note", "remedy", "try")


@dataclass(frozen=True)
class Parameter:
    """A parameter of torch's signature.

    Args:
        name: Its name.
        kind: What an argument must be for the row to apply; None: anything.
        default: The source text of the default, None if there is none.
        form: "positional" (only), "any", "star", "keyword" or "stars".
    """

    name: str
    kind: str | None = None
    default: str | None = None
    form: str = "any"


@dataclass(frozen=True)
class Row:
    """A row of the map.

    Args:
        name: The dotted name in torch.
        parameters: Torch's signature; None for what is no call.
        target: The expression on the right, "" if there is no counterpart.
        classic: The same with `nn` and `ops` where `target` has `mint`.
        result: The kind of the result.
        missing: Why there is no counterpart, and what to do.
        rewritten: The replacement, for a call that is converted together with its surrounding statements.
        differs: How the result differs, in sentences.
        notes: What is different in MindSpore, and is converted or raises.
        drop: Further arguments that may be left out whatever they are.
        floats: The arguments that must be Tensors of floats.
        examples: Calls (`try:`) that the tests run on both sides, and `sporax api` shows.
    """

    name: str
    parameters: tuple[Parameter, ...] | None
    target: str
    classic: str = ""
    result: str = TENSOR
    missing: str = ""
    rewritten: str = ""
    differs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    drop: frozenset[str] = field(default_factory=frozenset)
    floats: frozenset[str] = field(default_factory=frozenset)
    examples: tuple[str, ...] = ()

    def expression(self, target: str) -> ast.expr:
        """Return the right side for the target "mint" or "classic"."""
        return _parsed(self.classic if target == "classic" and self.classic else self.target)


@functools.cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@functools.cache
def table() -> dict[str, list[Row]]:
    """Return the rows that convert a name, by that name."""
    return {name: rows for name, rows in every_row().items() if not rows[0].rewritten}


@functools.cache
def every_row() -> dict[str, list[Row]]:
    """Return all rows by name, with those of what is converted together with its surroundings."""
    rows: dict[str, list[Row]] = {}
    folders = [folder for folder in resources.files("sporax._src.migrate.torch_map").iterdir() if folder.is_dir()]
    files = [file for folder in folders for file in folder.iterdir() if file.name.endswith(".rows")]
    for file in sorted(files, key=lambda file: file.name):
        _read(file.read_text(encoding="utf-8"), file.name, rows)
    return rows


def _read(text: str, file: str, rows: dict[str, list[Row]]) -> None:
    heads: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" ") and heads:
            heads[-1] = (heads[-1][0], f"{heads[-1][1]}\n{line}")
        else:
            heads.append((number, line))
    for number, block in heads:
        try:
            _enter(block, rows)
        except (ValueError, SyntaxError, KeyError) as error:
            raise ValueError(f"{file}:{number}: {block.splitlines()[0]!r} is no row of the map: {error}") from None


def _enter(block: str, rows: dict[str, list[Row]]) -> None:
    head, *rest = block.splitlines()
    if alias := _ALIAS.match(head):
        rows[alias[1]] = [*rows.get(alias[1], []), *rows[alias[2]]]
        return
    row = _row(head, [line.strip() for line in rest])
    rows.setdefault(row.name, []).append(row)


def _row(head: str, notes: list[str]) -> Row:
    match = _HEAD.match(head)
    if match is None:
        raise ValueError("it reads `name(parameters) -> expression` or `name = name`")
    name, signature, target = match.groups()
    target, _, result = target.partition(" => ")
    said: dict[str, list[str]] = {note: [] for note in _NOTES}
    for note in notes:
        key, _, text = note.partition(": ")
        said[key].append(text)
    missing = rewritten = ""
    if target.startswith("missing: "):
        missing, target = target.removeprefix("missing: "), ""
    elif target.startswith("rewritten: "):
        rewritten, target = target.removeprefix("rewritten: "), ""
    elif target:
        _parsed(target)
    return Row(
        name=name,
        parameters=None if signature is None else _signature(signature),
        target=target,
        classic=" ".join(said["classic"]),
        result=result or _usual_result(name, signature),
        missing=". ".join([missing, *said["remedy"]]) if missing else "",
        rewritten=rewritten,
        differs=tuple(said["differs"]),
        notes=tuple(said["note"]),
        drop=frozenset(" ".join(said["drop"]).split()),
        floats=frozenset(" ".join(said["float"]).split()),
        examples=tuple(said["try"]),
    )


def _usual_result(name: str, signature: str | None) -> str:
    last = name.rpartition(".")[2]
    if signature is not None and last[:1].isupper() and last.strip("_") == last:
        return name
    return TENSOR if signature is not None else ""


def _signature(text: str) -> tuple[Parameter, ...]:
    definition = ast.parse(f"def f{text}: ...").body[0]
    assert isinstance(definition, ast.FunctionDef)
    args = definition.args
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + [ast.unparse(d) for d in args.defaults]
    parameters = []
    for i, (arg, default) in enumerate(zip(plain, defaults, strict=True)):
        parameters.append(_parameter(arg, default, "positional" if i < len(args.posonlyargs) else "any"))
    if args.vararg:
        parameters.append(_parameter(args.vararg, None, "star"))
    for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        parameters.append(_parameter(arg, ast.unparse(value) if value else None, "keyword"))
    if args.kwarg:
        parameters.append(_parameter(args.kwarg, None, "stars"))
    return tuple(parameters)


def shown(parameters: Iterable[Parameter]) -> str:
    """Return parameters as a signature has them."""
    texts, marked = [], False
    for p in parameters:
        if p.form == "keyword" and not marked:
            texts.append("*")
        marked = marked or p.form in ("keyword", "star")
        sign = {"star": "*", "stars": "**"}.get(p.form, "")
        texts.append(f"{sign}{p.name}" if p.default is None else f"{p.name}={p.default}")
    return ", ".join(texts)


def _parameter(arg: ast.arg, default: str | None, form: str) -> Parameter:
    return Parameter(arg.arg, ast.unparse(arg.annotation) if arg.annotation else None, default, form)
