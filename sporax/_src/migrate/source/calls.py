"""Conversion of one call of torch: its arguments are bound to a row's left side and put into the right side."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sporax._src.migrate.source.nodes import walk
from sporax._src.migrate.source.source_text import Edit, Source
from sporax._src.migrate.torch_map.expressions import bare, dotted, is_literal
from sporax._src.migrate.torch_map.rows import IGNORED, Parameter, Row, shown

# Names that torch takes in place of those of its own signatures, as NumPy calls them.
SYNONYMS = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a"), "other": ("x2", "y"), "tensors": ("self",)}
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.JoinedStr, ast.ListComp)
# What has torch's own names for its parameters.
_SAME_NAMES = ("mint.", "mindspore.experimental.optim.", "_")
_MARK = re.compile(r"__argument_(\w+?)__(?!_)")


class Refusal(Exception):
    """A call that has no counterpart, with the reason and what to do."""


@dataclass
class Bound:
    """The arguments of a call by the parameter they go to.

    Args:
        row: The row.
        arguments: Single arguments.
        star: The arguments of `*parameter`.
        stars: The arguments of `**parameter`, by keyword.
        spread: Whether the call has `*arguments` or `**keywords` of its own.
    """

    row: Row
    arguments: dict[str, ast.expr]
    star: list[ast.expr]
    stars: list[ast.keyword]
    spread: bool


class Rendering(NamedTuple):
    """How the right side is written.

    Args:
        source: The text of the call.
        text: Returns an expression's converted text.
        callee: Returns how a dotted MindSpore name is written in this file.
        target: "mint" or "classic".
    """

    source: Source
    text: Callable[[ast.expr], str]
    callee: Callable[[str], str]
    target: str


# --- binding ----------------------------------------------------------------------------------------------------------


def candidates(rows: Sequence[Row], call: ast.Call) -> Sequence[Row]:
    """Return the rows that may fit a call. For a call with `*arguments`, prefer rows with a `*parameter`."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return [row for row in rows if any(p.form == "star" for p in row.parameters or ())] or rows
    return rows


def bind(row: Row, call: ast.Call, kinds_of: Callable[[ast.expr], Sequence[str]]) -> Bound | None:
    """Return the arguments of a call by the row's parameters; None if the row does not fit the call."""
    assert row.parameters is not None
    positional = [p for p in row.parameters if p.form in ("positional", "any")]
    star = next((p for p in row.parameters if p.form == "star"), None)
    spread = any(k.arg is None for k in call.keywords)
    if positional or star is None:  # else all that comes by * goes to *parameter
        spread = spread or any(isinstance(a, ast.Starred) for a in call.args)
    bound = Bound(row, {}, [], [], spread)
    for i, argument in enumerate(call.args):
        if i < len(positional) and not isinstance(argument, ast.Starred):
            bound.arguments[positional[i].name] = argument
        elif star is not None:
            bound.star.append(argument)
        elif not isinstance(argument, ast.Starred):
            return None
    names = {p.name for p in row.parameters if p.form in ("any", "keyword")}
    stars = any(p.form == "stars" for p in row.parameters)
    for keyword in call.keywords:
        name = _parameter_named(keyword.arg, names)
        if name is not None and name not in bound.arguments:
            bound.arguments[name] = keyword.value
        elif keyword.arg is not None and stars:
            bound.stars.append(keyword)
        elif keyword.arg is not None and keyword.arg not in IGNORED:
            return None
    return bound if all(_applies(p, bound, kinds_of) for p in row.parameters) else None


def fits(rows: Sequence[Row], call: ast.Call) -> bool:
    """Return whether the number and the names of a call's arguments fit a row, whatever their kinds."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return True
    for parameters in (row.parameters for row in rows if row.parameters is not None):
        forms = [p.form for p in parameters]
        count = sum(form in ("positional", "any") for form in forms)
        names = {p.name for p in parameters if p.form in ("any", "keyword")}
        is_named = "stars" in forms or all(_parameter_named(k.arg, names) for k in call.keywords)
        keywords = {_parameter_named(k.arg, names) for k in call.keywords}
        positional = [p for p in parameters if p.form in ("positional", "any")][len(call.args) :]
        rest = [*positional, *[p for p in parameters if p.form == "keyword"]]
        is_whole = all(p.default is not None or p.name in keywords for p in rest)
        if is_named and is_whole and ("star" in forms or len(call.args) <= count):
            return True
    return False


def _parameter_named(keyword: str | None, names: set[str]) -> str | None:
    if keyword in names:
        return keyword
    return next((name for name, others in SYNONYMS.items() if keyword in others and name in names), None)


def _applies(parameter: Parameter, bound: Bound, kinds_of: Callable[[ast.expr], Sequence[str]]) -> bool:
    value = bound.arguments.get(parameter.name)
    if parameter.form == "star":
        values = bound.star
        several = parameter.kind == "int" and len(values) > 1  # sizes: nothing else comes in several
        return not parameter.kind or (
            bool(values)
            and all(
                isinstance(v, ast.Starred) or _is_of(v, parameter.kind, kinds_of) or (several and not kinds_of(v))
                for v in values
            )
        )
    if value is None:
        missing = parameter.default is None and parameter.form in ("positional", "any", "keyword")
        if missing or (bound.spread and parameter.kind):  # what comes by * or ** is of no known kind
            return bound.spread and not parameter.kind
        return (
            not parameter.kind
            or parameter.default in [k.strip() for k in parameter.kind.split("|")]
            or not is_literal(parameter.kind)
        )
    return not parameter.kind or _is_of(value, parameter.kind, kinds_of)


def _is_of(value: ast.expr, kinds: str, kinds_of: Callable[[ast.expr], Sequence[str]]) -> bool:
    """Return whether a value is known to be of one of `kinds` ("int | 'same'")."""
    known = kinds_of(value)
    for kind in (k.strip() for k in kinds.split("|")):
        if kind in known or (isinstance(value, ast.Constant) and repr(value.value) == kind):
            return True
    return False


# --- writing ----------------------------------------------------------------------------------------------------------


def edits_of(bound: Bound, call: ast.Call, how: Rendering) -> list[Edit]:
    """Return the edits that make a call one of MindSpore's.

    Raises:
        Refusal: If there is no counterpart for the call or for one of its arguments.
    """
    row = bound.row
    if not row.target:
        raise Refusal(f"{row.name}: {row.missing}")
    expression = row.expression(how.target)
    used = {n.id for n in walk(expression) if isinstance(n, ast.Name)}
    _refuse_unused(bound, used)
    unknown = Refusal(
        f"{row.name}: arguments that come by * or ** cannot be told apart; write them out, as in `f(x, dim=1)`"
    )
    takes_all = all(p.form in ("star", "stars") for p in row.parameters or ())
    if any(k.arg is None for k in call.keywords) and not takes_all and not _takes_the_rest(expression, bound, used):
        raise unknown
    start, end = how.source.start(call), how.source.end(call)
    if bound.spread and all(p.name in row.drop for p in row.parameters or ()):
        without = ast.copy_location(ast.Call(call.func, [], []), call)
        return [Edit(start, end, rewritten(bound, without, expression, how))]
    edits = _in_place(bound, call, expression, used, how)
    if edits is not None:
        return edits
    starred = [a for a in call.args if isinstance(a, ast.Starred) and not any(a is s for s in bound.star)]
    if starred and not (len(starred) == 1 and call.args[-1] is starred[0] and _takes_more(expression, bound)):
        raise unknown
    return [Edit(start, end, rewritten(bound, call, expression, how))]


def _refuse_unused(bound: Bound, used: set[str]) -> None:
    """Refuse arguments that the right side does not use, unless they have no effect."""
    for parameter in bound.row.parameters or ():
        value = bound.arguments.get(parameter.name)
        name = parameter.name
        if value is None or name in used or name in IGNORED or name == "out" or name in bound.row.drop:
            continue
        if ast.unparse(value) not in (parameter.default, "None"):
            shown = f"{name}={ast.unparse(value)}"
            raise Refusal(
                f"{bound.row.name}: the argument {shown} has no counterpart; leave it out and compute what it does beside the call"
            )


def _takes_more(expression: ast.expr, bound: Bound) -> bool:
    """Return whether the call omits the last positional arguments of the right side, in torch's order."""
    rest = [
        p.name for p in bound.row.parameters or () if p.form in ("positional", "any") and p.name not in bound.arguments
    ]
    last = [bare(a) for a in expression.args] if isinstance(expression, ast.Call) else []
    return bool(rest) and last[-len(rest) :] == rest


def _takes_the_rest(expression: ast.expr, bound: Bound, used: set[str]) -> bool:
    """Return whether the right side takes the arguments that the call omits by torch's keywords."""
    if not isinstance(expression, ast.Call):
        return False
    names = {k.arg for k in expression.keywords if k.arg == bare(k.value)}
    if dotted(expression.func).startswith(_SAME_NAMES):
        names |= {bare(a) for a in expression.args}
    return all(
        p.name in names
        for p in bound.row.parameters or ()
        if p.form in ("any", "keyword") and p.name in used - bound.arguments.keys()
    )


def _is_plain(expression: ast.expr, parameters: set[str]) -> bool:
    """Return whether the right side is one call with unchanged parameters."""
    if not isinstance(expression, ast.Call) or dotted(expression.func).split(".")[0] in ("", *parameters):
        return False
    values = [*expression.args, *[k.value for k in expression.keywords]]
    return all(
        isinstance(v, ast.Constant)
        or (isinstance(v, ast.Name) and (v.id in parameters or v.id == "None"))
        or (isinstance(v, ast.UnaryOp) and isinstance(v.op, ast.UAdd))
        or (isinstance(v, ast.Starred) and isinstance(v.value, ast.Name) and v.value.id not in parameters)
        or (isinstance(v, ast.Attribute) and bool(dotted(v)) and not dotted(v).startswith("self"))
        for v in values
    )


def _in_place(bound: Bound, call: ast.Call, expression: ast.expr, used: set[str], how: Rendering) -> list[Edit] | None:
    """Return edits that keep the call's own layout; None if the call must be written anew."""
    parameters = {p.name for p in bound.row.parameters or () if p.form not in ("star", "stars")}
    if not _is_plain(expression, parameters):
        return None
    assert isinstance(expression, ast.Call)
    path = dotted(expression.func)
    is_method = path.startswith("self.") and isinstance(call.func, ast.Attribute)
    by_position = [bare(a) for a in expression.args]
    by_keyword = {bare(k.value): str(k.arg) for k in expression.keywords if bare(k.value)}
    if path.split(".")[0] in {p.name for p in bound.row.parameters or ()} - {"self"}:
        return None
    if "self" in by_position or "self" in by_keyword or (path.startswith("self.") and not is_method):
        return None
    if not path.startswith(_SAME_NAMES) and any(_parameter_named(k.arg, set(by_position)) for k in call.keywords):
        return None  # there the parameter may have another name
    owner = {id(node): name for name, node in bound.arguments.items()}
    edits: list[Edit] = []
    gone: list[ast.AST] = []
    for i, argument in enumerate(call.args):
        name = owner.get(id(argument), "")
        if name and name not in used:
            gone.append(argument)
        elif gone:
            return None
        elif name and not (i < len(by_position) and by_position[i] == name):
            if name not in by_keyword or any(isinstance(a, ast.Starred) for a in call.args[i:]):
                return None
            at, _ = how.source.argument(call, argument)
            edits.append(Edit(at, at, f"{by_keyword[name]}="))
    present = {k.arg for k in call.keywords}
    by_name = {p.name for p in bound.row.parameters or () if p.form == "keyword"}
    if path.startswith("_"):  # a helper's parameters have names of their own
        by_name |= {name for name, value in bound.arguments.items() if any(value is k.value for k in call.keywords)}
    if by_name & set(by_position) & bound.arguments.keys():
        return None
    for keyword in call.keywords:
        name = owner.get(id(keyword.value), "")
        if keyword.arg is None or any(keyword is k for k in bound.stars):
            continue
        if name not in used:
            gone.append(keyword)
        elif (new := by_keyword.get(name, name)) != keyword.arg:
            at = how.source.start(keyword)
            edits.append(Edit(at, at + len(keyword.arg), new))
    edits += _removals(call, gone, how.source)
    if _mixes(call, edits, how.source):
        return None
    more = [
        f"{k.arg}={_written(k.value, bound, how)}"
        for k in expression.keywords
        if (not bare(k.value) or (isinstance(k.value, ast.UnaryOp) and bare(k.value) not in bound.arguments))
        and k.arg not in present
    ]
    if any(not bare(a) or (isinstance(a, ast.UnaryOp) and bare(a) not in bound.arguments) for a in expression.args):
        return None
    head = how.source.end(call.func)
    if is_method:
        method = path.removeprefix("self.")
        if call.func.attr != method:  # type: ignore[attr-defined]
            edits.append(Edit(head - len(call.func.attr.encode()), head, method))  # type: ignore[attr-defined]
    else:
        edits.append(Edit(how.source.start(call.func), head, how.callee(path)))
    if more:
        edits.append(_addition(call, ", ".join(more), edits, how.source))
    return edits


def _mixes(call: ast.Call, edits: Sequence[Edit], source: Source) -> bool:
    """Return whether an argument without a name would come after one that now has one."""
    named = {edit.start for edit in edits if edit.start == edit.end and edit.text.endswith("=")}
    starts = [source.argument(call, a)[0] for a in call.args]
    first = next((i for i, at in enumerate(starts) if at in named), len(starts))
    removed = [e for e in edits if e.start != e.end]
    return any(at not in named and not any(e.start <= at < e.end for e in removed) for at in starts[first:])


def _removals(call: ast.Call, gone: Sequence[ast.AST], source: Source) -> list[Edit]:
    """Return the edits that take arguments out, with their commas."""
    every = sorted([*call.args, *call.keywords], key=source.start)
    spans = [source.argument(call, part) for part in every]
    is_gone = [any(part is g for g in gone) for part in every]
    last = max(
        (end for (_, end), left in zip(spans, is_gone, strict=True) if not left), default=spans[0][0] if spans else 0
    )
    edits = [
        Edit(start, after, "")
        for ((start, _), (after, _)), left in zip(itertools.pairwise(spans), is_gone, strict=False)
        if left and start < last
    ]
    if gone and is_gone[-1]:
        end = source.end(call) - 1 if all(is_gone) else spans[-1][1]  # with a comma behind it
        edits.append(Edit(last, end, ""))
    return edits


def _addition(call: ast.Call, text: str, edits: Sequence[Edit], source: Source) -> Edit:
    """Return the edit that puts further arguments behind the last."""
    every = sorted([*call.args, *call.keywords], key=source.start)
    remaining = [a for a in every if not any(e.start <= source.start(a) < e.end and not e.text for e in edits)]
    if remaining:
        _, at = source.argument(call, remaining[-1])
        return Edit(at, at, f", {text}")
    at = source.end(call) - 1
    return Edit(at, at, text)


def _written(value: ast.expr, bound: Bound, how: Rendering) -> str:
    """Return the text of an argument of the right side that the call omits."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.UAdd):
        return _default(bound, bare(value))
    if path := dotted(value):
        return how.callee(path)
    return ast.unparse(value)


def _default(bound: Bound, name: str) -> str:
    value = next((p.default for p in bound.row.parameters or () if p.name == name), None)
    if value is None:
        raise Refusal(f"{bound.row.name}: {name} is not given")
    return value


def rewritten(bound: Bound, call: ast.Call, expression: ast.expr, how: Rendering) -> str:
    """Return the right side as text, with the call's arguments in the places of the parameters."""
    texts: dict[str, str] = {}
    arguments = dict(bound.arguments)
    if isinstance(call.func, ast.Attribute):
        arguments["self"] = call.func.value
    tree = ast.parse(ast.unparse(expression), mode="eval").body
    filled = _Filled(bound, arguments, texts, how)
    tree = filled.visit(tree)
    spread = [a for a in call.args if isinstance(a, ast.Starred) and not any(a is s for s in bound.star)]
    if spread:
        tree.args += [filled.mark(a, f"more{i}", True) for i, a in enumerate(spread)]
    for i, keyword in enumerate(k for k in call.keywords if k.arg is None and isinstance(tree, ast.Call)):
        tree.keywords.append(ast.keyword(None, filled.mark(keyword.value, f"spread{i}", True)))
    text = ast.unparse(ast.fix_missing_locations(tree))
    return _MARK.sub(lambda m: texts[m[1]], text)


def function_of(row: Row, expression: ast.expr, how: Rendering) -> str:
    """Return a function of torch's parameters that computes the right side, for a name that is not called."""
    left_out = ("out", "dtype") if dotted(getattr(expression, "func", expression)).startswith("nn.") else ("out",)
    parameters = [p for p in row.parameters or () if p.name not in left_out]  # a layer of `nn` takes no dtype None
    bound = Bound(row, {}, [], [], False)
    if any(isinstance(n, ast.Name) and n.id == "self" for n in walk(expression)):
        parameters.insert(0, Parameter("self"))
    names = {p.name: ast.Name(p.name) for p in parameters if p.form not in ("star", "stars")}
    bound.arguments.update(names)
    bound.star.extend(ast.Starred(ast.Name(p.name)) for p in parameters if p.form == "star")
    body = rewritten(bound, ast.Call(ast.Name("f"), [], []), expression, how._replace(text=ast.unparse))
    return f"(lambda {shown(parameters)}: {body})"


class _Filled(ast.NodeTransformer):
    """Puts marks for the call's arguments into the right side, and leaves out what is not given."""

    def __init__(self, bound: Bound, arguments: Mapping[str, ast.expr], texts: dict[str, str], how: Rendering) -> None:
        self.bound, self.arguments, self.texts, self.how = bound, arguments, texts, how
        self.parameters = {p.name: p for p in bound.row.parameters or ()}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        left_out = False
        args: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for argument in node.args:
            name = bare(argument) if isinstance(argument, ast.Starred) else ""
            if name in self.parameters and self.parameters[name].form == "star":
                args += [self.mark(a, f"{name}{i}", True) for i, a in enumerate(self.bound.star)]
            elif self._absent(argument):
                left_out = True
            elif left_out and bare(argument):
                keywords.append(ast.keyword(bare(argument), self._value(argument)))
            else:
                args.append(self._value(argument))
        for keyword in node.keywords:
            if keyword.arg is None and bare(keyword.value) in self.parameters:
                keywords += [
                    ast.keyword(k.arg, self.mark(k.value, f"stars{i}", True)) for i, k in enumerate(self.bound.stars)
                ]
            elif not self._absent(keyword.value):
                keywords.append(ast.keyword(keyword.arg, self._value(keyword.value)))
        return ast.Call(self.visit(node.func), args, keywords)

    def _absent(self, value: ast.expr) -> bool:
        """Return whether an argument is a parameter that the call leaves out."""
        name = value.id if isinstance(value, ast.Name) else ""
        return name in self.parameters and name not in self.arguments and self.parameters[name].form != "star"

    def _value(self, value: ast.expr) -> ast.expr:
        """Return an argument of the right side, which needs no parentheses."""
        name = value.id if isinstance(value, ast.Name) else ""
        if name in self.arguments and (name in self.parameters or name == "self") and not self._is_super(name):
            return self.mark(self.arguments[name], name, True)
        return self.visit(value)

    def _is_super(self, name: str) -> bool:
        """Return whether a name is that of `super()`, which stands for the object where no method of it is called."""
        value = self.arguments.get(name)
        return name == "self" and isinstance(value, ast.Call) and ast.unparse(value.func) == "super"

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.UAdd) and bare(node) in self.parameters:
            return self._value(node.operand)
        node.operand = self.visit(node.operand)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        path = dotted(node)
        root = path.split(".")[0]
        if path and root != "self" and root not in self.parameters:
            return ast.Name(self._callee(path))
        is_object = isinstance(node.value, ast.Name) and node.value.id == "self" and "self" in self.arguments
        node.value = self.mark(self.arguments["self"], "self", False) if is_object else self.visit(node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        node.value, node.slice = self.visit(node.value), self._value(node.slice)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        name = node.id
        if self._is_super(name):
            return node
        if name in self.arguments and (name in self.parameters or name == "self"):
            return self.mark(self.arguments[name], name, False)
        if name in self.parameters:
            if self.parameters[name].form == "star":
                values: list[ast.expr] = [self.mark(a, f"{name}{i}", True) for i, a in enumerate(self.bound.star)]
                return ast.Tuple(values, ast.Load())
            return ast.parse(_default(self.bound, name), mode="eval").body
        if name.startswith("_"):
            return ast.Name(self._callee(name))
        return node

    def _callee(self, path: str) -> str:
        return self.how.callee(path)

    def mark(self, value: ast.expr, name: str, free: bool) -> ast.Name:
        """Return a name that stands for an argument's text."""
        text = self.how.text(value)
        bare_tuple = isinstance(value, ast.Tuple) and not text.startswith("(")
        simple = isinstance(value, _ATOMS) or (
            isinstance(value, ast.Constant) and not isinstance(value.value, (int, float))
        )
        if bare_tuple or isinstance(value, (ast.NamedExpr, ast.GeneratorExp)) or not (free or simple):
            text = text if isinstance(value, ast.GeneratorExp) and text.startswith("(") else f"({text})"
        self.texts[name] = text
        return ast.Name(f"__argument_{name}__")
