"""What a user should look at in a converted program, because the text of one file does not show what it does."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Any

from sporax._src.migrate.source.nodes import every

NEED_TORCH = frozenset(
    "accelerate apex bitsandbytes botorch clip deepspeed detectron2 diffusers ema_pytorch fairseq flash_attn functorch fvcore "
    "gpytorch ignite kornia lightning lpips mmcv mmdet mmengine monai open_clip peft pyro pytorch_lightning pytorch_msssim "
    "rotary_embedding_torch segmentation_models_pytorch sentence_transformers timm torch_geometric torch_scatter torch_sparse "
    "torchaudio torchdiffeq torchmetrics torchsde torchtext transformers vector_quantize_pytorch xformers".split()
)
_TESTS = ("isinstance", "issubclass", "super", "type")


def points(tree: ast.AST, networks: Collection[str], packages: Collection[str]) -> list[tuple[int, str]]:
    """Return what to look at in a file: line and text.

    Args:
        tree: The file before its conversion.
        networks: The names of the program's classes of networks.
        packages: The packages of the program, which are converted.
    """
    nodes = every(tree)
    return sorted({*_libraries(nodes, packages), *_indirect(nodes, networks)})


def _libraries(nodes: list[Any], packages: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield the imports of libraries that need torch, and the uses of the imported names."""
    names: dict[str, str] = {}
    for node in nodes:
        for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
            is_relative = isinstance(node, ast.ImportFrom) and node.level
            path = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
            library = path.partition(".")[0]
            if library in NEED_TORCH and library not in packages and not is_relative:
                names[alias.asname or alias.name.partition(".")[0]] = library
                yield node.lineno, _needs_torch(library)
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
            yield node.lineno, _needs_torch(names[node.id])


def _needs_torch(library: str) -> str:
    return f"{library} needs torch and is not converted; replace it, or convert its source too"


def _indirect(nodes: list[Any], networks: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield where a class of networks is a value that other code may call, and calls of classes that the text does not name."""
    for node in nodes:
        values: list[ast.expr | None] = []
        if isinstance(node, ast.Call):
            if _is_unnamed_class(node.func):
                yield (
                    node.lineno,
                    f"{ast.unparse(node.func)}(...) makes an object of a class that the text does not name",
                )
            is_test = isinstance(node.func, ast.Name) and node.func.id in _TESTS
            values = [] if is_test else [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Dict):
            values = [*node.values]
        elif isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
            values = [*node.elts]
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)):
            values = [node.value]
        for value in values:
            if isinstance(value, ast.Name) and value.id in networks:
                yield (
                    value.lineno,
                    f"the network {value.id} is made indirectly; check its training mode and its weights",
                )


def _is_unnamed_class(function: Any) -> bool:
    """Return whether a call makes an object of `cls`, or of what `getattr` returns for a name that is computed."""
    if isinstance(function, ast.Name):
        return function.id == "cls"
    is_query = isinstance(function, ast.Call) and isinstance(function.func, ast.Name) and function.func.id == "getattr"
    return is_query and len(function.args) > 1 and not isinstance(function.args[1], ast.Constant)
