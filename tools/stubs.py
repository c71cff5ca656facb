"""Write the stubs (`.pyi`) that tell editors and type checkers the names which tables make: methods of Tensor, operators,
Primitive classes, and the namespaces `mint` and `numpy`; the methods that transformations give to Dataset; and the modules that
export all names of others.

    python tools/stubs.py            # write those that changed
    python tools/stubs.py --check    # list them only; exit status 1 if there are any
"""

import argparse
import ast
import builtins
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import sporax.dataset.text  # (names the classes of datasets)
import sporax.nn  # noqa: F401  (fills the tables)
from sporax._src.base.public_names import defined_in
from sporax._src.bindings.primitive import Primitive
from sporax._src.bindings.tensor_methods import METHODS
from sporax._src.data.dataset import Dataset
from sporax._src.engine.table import TABLE

ROOT = Path(__file__).resolve().parent.parent
METHODS_FILE = "sporax/_src/core/tensor_methods.pyi"
DATASET_METHODS_FILE = "sporax/_src/data/dataset_methods.pyi"
MODULES = {  # what makes its names as it loads, and the further names that others import from it
    "sporax._src.api.collectives": (),
    "sporax._src.nn.mint.namespace": (),
    "sporax._src.api.mint.functional": ("FUNCTIONAL",),
    "sporax._src.api.mint.linalg": ("LINALG",),
    "sporax._src.api.mint.namespace": ("MINT",),
    "sporax._src.api.numpy.namespace": (),
    "sporax._src.api.ops": ("PUBLIC",),
}
COLLECTIONS = {  # modules whose `__all__` is what their files export: a checker cannot compute it
    "sporax._src.api.dataset": "sporax/_src/api/dataset.pyi",
    "sporax._src.data.vision": "sporax/_src/data/vision/__init__.pyi",
    "sporax._src.nn.layers": "sporax/_src/nn/layers.pyi",
    "sporax._src.optim": "sporax/_src/optim/__init__.pyi",
    "sporax._src.optim.param_groups": "sporax/_src/optim/param_groups/__init__.pyi",
}

_HEAD = '''"""{text}

Written by `python tools/stubs.py`.
"""

import builtins
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.api.tensor.storage import UntypedStorage
from sporax._src.core.dtype import Type
from sporax._src.core.parameter import Parameter
from sporax._src.core.sparse import COOTensor, CSRTensor
from sporax._src.core.tensor import Tensor
from sporax._src.dist.comm_func import CommHandle
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.losses.regression import LossBase
from sporax._src.bindings.primitive import Primitive

_Operand: TypeAlias = Tensor | {operand}
_Axis: TypeAlias = int | Sequence[int] | None
_Shape: TypeAlias = int | Sequence[Any] | Tensor
_Dtype: TypeAlias = Type | type | np.dtype[Any] | str | None
'''
_MEANING = {  # what annotations of rows say to who calls their function over Tensors
    "Array": "_Operand", "TensorArray": "Tensor", "OptArray": "_Operand | None", "Arrays": "Sequence[_Operand]",
    "Axis": "_Axis", "Shape": "_Shape", "Tensor": "_Operand", "Static": "Any", "object": "Any", "mstype.Type": "Type",
    "TypeLike": "_Dtype", "mstype.TypeLike": "_Dtype",
}  # fmt: skip
_ANY_DTYPE = ("", "Any", "Static", "object", "TypeLike", "mstype.TypeLike")
_OPERATORS = [
    f"__{kind}{n}__"
    for n in "add sub mul truediv floordiv mod pow matmul and or xor".split()
    for kind in ("", "r", "i")
] + ["__eq__", "__ne__"]
_BUILTINS = "bool|int|float|complex|str|bytes|tuple|list|dict|type|property|staticmethod"


def annotation(text: Any, name: str = "", default: Any = inspect.Parameter.empty, result: bool = False) -> str:
    """Return an annotation of a function over arrays or Tensors as the stub says it."""
    text = (
        "" if text is inspect.Parameter.empty else text if isinstance(text, str) else getattr(text, "__name__", "Any")
    )
    if result:
        return re.sub(r"\bArray\b", "Tensor", text).replace("mstype.Type", "Type") or "Any"
    kind = text.removesuffix(" | None")
    if name in ("dtype", "dst_type") and kind in _ANY_DTYPE and not isinstance(default, int):
        return "_Dtype"
    if not text:
        kind = type(default)
        return kind.__name__ if kind in (bool, str) else "Any"  # 1 may stand for 0.5 or (1, 1)
    said = re.sub(r"[\w.]+", lambda word: _MEANING.get(word[0], word[0]), text)
    return (
        f"{said} | None" if default is None and "None" not in said and said not in ("Any", "_Dtype", "_Axis") else said
    )


def shown_default(value: Any) -> str:
    """Return a default as source if it is a plain value, else `...`."""
    plain = isinstance(value, (bool, int, str, float, type(None))) or value == ()
    return repr(value) if plain and repr(value) not in ("inf", "-inf", "nan") else "..."


def parameters(given: Collection[inspect.Parameter]) -> Iterator[str]:
    """Give the parameters of a signature as source, with the marks `/` and `*`."""
    star = False
    for p in given:
        if p.kind is p.VAR_POSITIONAL or p.kind is p.VAR_KEYWORD:
            star = True
            yield f"{'*' if p.kind is p.VAR_POSITIONAL else '**'}{p.name}: {annotation(p.annotation)}"
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            star = True
            yield "*"
        default = "" if p.default is p.empty else f" = {shown_default(p.default)}"
        yield f"{p.name}: {annotation(p.annotation, p.name, p.default)}{default}"


def function(name: str, fn: Callable[..., Any], skip: int = 0) -> str:
    """Return the line of a function; `skip`: its first parameter is `self`."""
    code = getattr(fn, "__code__", None)
    if code is not None and Path(code.co_filename).parent.name == "releases":
        fn = inspect.unwrap(fn)  # as it is before a release changes it
    try:
        signature = inspect.signature(fn)
    except ValueError:  # a builtin of the module `operator`
        return f"def {name}(*args: Any) -> Any: ..."
    given = list(signature.parameters.values())
    taken = int(bool(skip and given and given[0].kind is not inspect.Parameter.VAR_POSITIONAL))
    text = ", ".join([*["self"] * skip, *parameters(given[taken:])])
    result = annotation(signature.return_annotation, result=True)
    result = "Tensor" if name in _OPERATORS and result == "Any" else result
    return f"def {name}({text}) -> {result}: ..."


def method(name: str, value: Any) -> list[str]:
    """Return the lines of a method or property of Tensor."""
    if isinstance(value, staticmethod):
        return ["@staticmethod", function(name, value.__func__)]
    if not isinstance(value, property):
        return [function(name, value, 1)]
    assert value.fget is not None
    kind = annotation(inspect.signature(value.fget).return_annotation, result=True)
    lines = ["@property", f"def {name}(self) -> {kind}: ..."]
    return lines + ([f"@{name}.setter", f"def {name}(self, value: Any) -> None: ..."] if value.fset else [])


def primitive(name: str, cls: Any) -> list[str]:
    """Return the lines of a Primitive class: part of the arguments at construction, the rest at the call."""
    methods = [function(n, getattr(cls, n), 1) for n in ("__init__", "__call__")]
    return [f"class {name}(Primitive):", *[f"    {line}" for line in methods]]


def layer_call(cls: Any) -> str:
    """Return the line of a layer's `construct`: what its source leaves open are Tensors."""
    line = function("construct", cls.construct, 1)
    of_source = any(p.annotation is not p.empty for p in inspect.signature(cls.construct).parameters.values())
    if of_source or "return_indices" in inspect.signature(cls).parameters:  # with them, the result is a pair
        return line
    return line.replace(": Any = None", ": Tensor | None = None").replace(" Any", " Tensor")


def item(module: str, name: str, value: Any) -> list[str]:
    """Return the lines of one name of a module."""
    if inspect.isclass(value):
        home = defined_in(value)
        if home != module and home.startswith(("sporax._src.", "builtins")):
            return [f"from {home} import {value.__name__} as {name}"]
        if issubclass(value, Primitive):
            return primitive(name, value)
        taken = ", ".join(["self", *parameters(inspect.signature(value).parameters.values())])
        lines = [f"class {name}({value.__mro__[1].__name__}):", f"    def __init__({taken}) -> None: ..."]
        return lines + ([f"    {layer_call(value)}"] if "construct" in vars(value) else [])
    return (
        [function(name, value)]
        if callable(value)
        else [f"{name}: {'dict[str, Any]' if isinstance(value, dict) else 'Any'}"]
    )


def unshadowed(lines: list[str], names: Collection[str]) -> list[str]:
    """Say `builtins.float` where the stub has a function of that name."""
    hidden = [n for n in _BUILTINS.split("|") if n in names and hasattr(builtins, n)]
    if not hidden:
        return lines
    either = "|".join(hidden)
    pattern = re.compile(rf"(?<=[:|>,] )({either})\b(?!:)|(?<=\[)({either})\b|(?<=@)({either})$")
    return [pattern.sub(lambda m: f"builtins.{m[0]}", line) for line in lines]


def module_stub(name: str) -> str:
    """Return the stub of a module whose names a table makes."""
    module = importlib.import_module(name)
    names = [*module.__all__, *(n for n in MODULES[name] if n not in module.__all__)]
    lines = [line for n in names for line in item(name, n, getattr(module, n))]
    operand = "ArrayLike" if ".numpy." in name else "complex"
    imports = sorted({line for line in lines if line.startswith("from ")})
    body = unshadowed([line for line in lines if line not in imports], names)
    head = needed(_HEAD.format(text=inspect.getdoc(module), operand=operand), body, names)
    head = unshadowed([*head], names)
    return "\n".join([*head, *imports, "", f"__all__ = {sorted(module.__all__)}", "", *body, ""])


def needed(head: str, body: list[str], defined: Collection[str]) -> Iterator[str]:
    """Give the lines of the head, without imports of what the stub does not use, or defines itself."""
    aliases = [line for line in head.splitlines() if "TypeAlias = " in line]
    used = set(re.findall(r"\w+", "\n".join(body + aliases))) - set(defined)
    for line in head.splitlines():
        source, mark, names = line.partition(" import ")
        wanted = [n for n in names.split(", ") if n in used or n == "TypeAlias"]
        if wanted or not mark:
            yield f"{source} import {', '.join(wanted)}" if mark else line


def methods_stub() -> str:
    """Return the class of the methods that the tables give to Tensor."""
    found: dict[str, Any] = {n: row.public for row in TABLE.values() for n in row.method} | METHODS
    lines = unshadowed([line for name in sorted(found) for line in method(name, found[name])], found)
    text = "The methods and properties that the tables of operators give to Tensor."
    head = needed(_HEAD.format(text=text, operand="complex"), lines, found)
    return "\n".join([*head, "", "class TensorMethods:", *[f"    {line}" for line in lines], ""])


def dataset_methods_stub() -> str:
    """Return the class of the methods that transformations give to Dataset, with their annotations as they are."""
    found = {name: fn for name, fn in sorted(vars(Dataset).items())
             if inspect.isfunction(fn) and fn.__module__ != Dataset.__module__}  # fmt: skip
    homes: dict[str, str] = {}
    for fn in found.values():
        for word in re.findall(r"\w+", " ".join(inspect.get_annotations(fn).values())):
            value = fn.__globals__.get(word)
            if value is not None:  # an alias of a type has no home of its own, but is known where the method is
                homes[word] = value.__module__ if isinstance(value, type) else fn.__module__
    head = '"""The methods that transformations give to Dataset.\n\nWritten by `python tools/stubs.py`.\n"""\n'
    # `data = GeneratorDataset(...)`, then `data = data.map(...)`: to mypy, the variable stays a GeneratorDataset.
    lines = [line.replace("-> Dataset:", "-> Self:") for name, fn in found.items() for line in method(name, fn)]
    homes["Self"] = "typing"
    methods = [f"    {line}" for line in lines]
    homes["Tensor as Tensor"] = "sporax._src.core.tensor"  # what rows hold: the pipeline itself knows only NumPy
    imports = sorted(f"from {home} import {word}" for word, home in homes.items())
    return "\n".join([head, *imports, "", "class DatasetMethods:", *methods, ""])


def collection_stub(name: str) -> str:
    """Return the stub of a module that exports all names of others."""
    module, lines = importlib.import_module(name), []
    tree = ast.parse(inspect.getsource(module))
    imports = [(n.module, alias) for n in tree.body if isinstance(n, ast.ImportFrom) for alias in n.names]
    stars = [home for home, alias in imports if alias.name == "*"]
    homes = {n: home for home in stars for n in importlib.import_module(str(home)).__all__}  # of two, the last counts
    for home in stars:
        names = [n for n in sorted(module.__all__) if homes.get(n) == home]
        lines += [f"from {home} import {n} as {n}" for n in names]
    given = sorted((home, a.name) for home, a in imports if a.name in module.__all__ or a.asname == a.name)
    lines += [f"from {home} import {n} as {n}" for home, n in given]
    head = f'"""{inspect.getdoc(module)}\n\nWritten by `python tools/stubs.py`.\n"""\n'
    return "\n".join([head, *lines, "", f"__all__ = {sorted(module.__all__)}", ""])


def stubs() -> dict[Path, str]:
    """Return the text of every stub by its path."""
    made = {ROOT / f"{name.replace('.', '/')}.pyi": module_stub(name) for name in MODULES}
    made |= {ROOT / path: collection_stub(name) for name, path in COLLECTIONS.items()}
    return {ROOT / METHODS_FILE: methods_stub(), ROOT / DATASET_METHODS_FILE: dataset_methods_stub(), **made}


def main(arguments: list[str] | None = None) -> int:
    """Write the stubs that changed, or with `--check` only list them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="list what would change, and write nothing")
    check = parser.parse_args(arguments).check
    old = [path for path, text in stubs().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in old:
        print(path.relative_to(ROOT))
        if not check:
            path.write_text(stubs()[path], encoding="utf-8")
    return int(check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
