"""Differences in the code of two layers: statements are compared after torch's and MindSpore's names are unified."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

_MODULES = {
    "torch",
    "nn",
    "F",
    "functional",
    "ops",
    "mint",
    "ms",
    "mindspore",
    "sporax",
    "np",
    "numpy",
    "math",
    "Tensor",
    "P",
}
_NAMES = {
    "concat": "cat", "concatenate": "cat", "expand_dims": "unsqueeze", "bmm": "matmul", "batch_matmul": "matmul",
    "BatchMatMul": "matmul", "pow": "power", "absolute": "abs", "clamp": "clip", "reduce_mean": "mean", "reduce_sum": "sum",
    "multiply": "mul", "view": "reshape", "broadcast_to": "expand", "true_divide": "div", "divide": "div", "subtract": "sub",
    "forward": "construct", "stop_gradient": "detach", "interpolate": "interpolate", "arange": "arange",
}  # fmt: skip
_KEYWORDS = {"dim": "axis", "keepdim": "keep_dims", "keepdims": "keep_dims", "p": "p"}
_ALONG_AXIS = {
    "softmax", "log_softmax", "cat", "stack", "mean", "sum", "max", "min", "argmax", "argmin", "squeeze", "unsqueeze", "std",
    "var", "prod", "cumsum", "any", "all", "norm", "flip", "logsumexp",
}  # fmt: skip
_OPERATORS = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div, "matmul": ast.MatMult}


class _OneSpelling(ast.NodeTransformer):
    """Rewrites a statement in the unified form."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in _MODULES:
            return ast.Name(_NAMES.get(node.attr, node.attr), ast.Load())
        if ast.unparse(node.value) in ("nn.functional", "mint.nn.functional", "torch.nn.functional", "F.nn"):
            return ast.Name(_NAMES.get(node.attr, node.attr), ast.Load())
        self.generic_visit(node)
        return node

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        return ast.Tuple(node.elts, ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function, args = node.func, list(node.args)
        if isinstance(function, ast.Attribute) and ast.unparse(function.value) != "self":
            function, args = ast.Name(_NAMES.get(function.attr, function.attr), ast.Load()), [function.value, *args]
        if not isinstance(function, ast.Name):
            return ast.Call(function, args, node.keywords)
        name = _NAMES.get(function.id, function.id)
        keywords = [ast.keyword(_KEYWORDS.get(k.arg or "", k.arg), k.value) for k in node.keywords]
        if name == "size":
            shape = ast.Attribute(args[0], "shape", ast.Load())
            return ast.Subscript(shape, args[1], ast.Load()) if len(args) == 2 else shape
        if name in _OPERATORS and len(args) == 2 and not keywords:
            return ast.BinOp(args[0], _OPERATORS[name](), args[1])
        if name == "transpose":
            name = "swapaxes" if len(args) == 3 else "permute"
        if name in ("permute", "reshape", "expand") and len(args) > 2:
            args = [args[0], ast.Tuple(args[1:], ast.Load())]
        if name in _ALONG_AXIS and len(args) == 2:
            args, keywords = args[:1], [ast.keyword("axis", args[1]), *keywords]
        return ast.Call(ast.Name(name, ast.Load()), args, sorted(keywords, key=lambda k: k.arg or ""))


def one_spelling(statement: str) -> str:
    """Return a statement with unified names of torch and MindSpore; unchanged if it is not complete.

    Examples:
        >>> one_spelling("x = torch.cat([a, b], dim=1)")
        'x = cat((a, b), axis=1)'
    """
    text = f"{statement} pass" if statement.endswith(":") else statement
    try:
        tree = ast.parse(text)
    except SyntaxError:  # `else:` and the like
        return statement
    return ast.unparse(ast.fix_missing_locations(_OneSpelling().visit(tree)))


def difference(reference: Sequence[str], got: Sequence[str]) -> str:
    """Return a sentence on the first statements that differ, empty if none do or one side has none."""
    ours, theirs = [one_spelling(s) for s in reference], [one_spelling(s) for s in got]
    if ours == theirs or not ours or not theirs:
        return ""
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if tag == "replace":
            pairs = list(zip_longest(range(i1, i2), range(j1, j2)))
            i, j = pairs[0]
            detail = arguments(ours[i], theirs[j])
            return f"the code differs first at `{reference[i]}`, which is `{got[j]}` here{detail}"
        if tag == "delete":
            return f"`{reference[i1]}` of the reference is missing here"
        return f"`{got[j1]}` is not in the reference"
    return ""


def arguments(ours: str, theirs: str) -> str:
    """Return the function whose argument differs, if two statements differ in only one argument."""
    calls = [
        [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)] for text in (complete(ours), complete(theirs))
    ]
    for a, b in zip(*calls, strict=False):
        if ast.dump(a.func) != ast.dump(b.func):
            return ""
        values = {k.arg: ast.unparse(k.value) for k in b.keywords}
        for keyword in a.keywords:
            mine, other = ast.unparse(keyword.value), values.get(keyword.arg, "its default")
            if mine != other:
                return f": {ast.unparse(a.func)} has {keyword.arg}={mine} there and {keyword.arg}={other} here"
    return ""


def complete(statement: str) -> str:
    """Return a statement that can be parsed by itself."""
    try:
        ast.parse(statement)
    except SyntaxError:
        return "pass"
    return statement
