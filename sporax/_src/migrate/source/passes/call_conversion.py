"""One call, converted by the rows of the map that have its name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from sporax._src.migrate.source import calls
from sporax._src.migrate.source.aliases import Aliases
from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import method_call
from sporax._src.migrate.source.optimizer_kinds import EXACT, is_exact, of_any_kind
from sporax._src.migrate.source.passes.names import Names
from sporax._src.migrate.source.passes.new_modules import NewModules
from sporax._src.migrate.source.passes.training_loops import OPTIMIZER, PARAMETER, SCHEDULER
from sporax._src.migrate.source.scopes import EACH, NDARRAY, WHOLE, trains
from sporax._src.migrate.torch_map.expressions import created_class, dotted, same_call
from sporax._src.migrate.torch_map.rows import TENSOR, Row, table

_OWN_OPTIMIZER = (
    "this optimizer has a step of its own, which MindSpore's schedulers do not know; set group['lr'] in the loop"
)
_WHOLE_DTYPES = frozenset("uint8 int8 short int16 int int32 long int64".split())
_MAKE_WHOLE = frozenset("bincount randint randperm".split())
_KEEP_WHOLE = frozenset(
    "abs as_tensor cat clone concat contiguous cumsum expand flatten flip gather max min ones_like permute prod ravel repeat "
    "reshape roll squeeze stack sum t tile transpose tril triu unsqueeze view zeros_like".split()
)
# The numbers that a layer of MindSpore takes only as numbers of Python, where torch's takes those of NumPy, too.
_SIZES = frozenset(
    "in_features out_features in_channels out_channels num_features num_embeddings embedding_dim input_size hidden_size "
    "d_model embed_dim".split()
)
BUFFER = "torch.nn.Buffer"


class CallConversion(Pass):
    """Rewrites calls.

    Args:
        context: The shared state of the passes.
        names: Reports names that the map does not have.
        modules: Sets the mode of new Modules.
    """

    def __init__(self, context: Context, names: Names, modules: NewModules) -> None:
        super().__init__(context)
        self._names, self._modules = names, modules
        self._aliases = Aliases(context)
        self._is_exact = context.needs_exact

    def convert(
        self,
        node: ast.Call,
        rows: list[Row] | None,
        name: str,
        is_sure: bool = True,
        rendering: calls.Rendering | None = None,
    ) -> str:
        """Convert a call by the first row that fits, and return the kind of its result.

        Args:
            node: The call.
            rows: The rows of its name.
            name: The name.
            is_sure: Whether the call is certainly one of torch. A method may belong to another object; if no row fits
                its call, the call stays without a comment.
            rendering: How the right side is written, if not as usual.
        """
        if not rows:
            self._names.refuse_unknown(node, name)
            return ""
        for row in calls.candidates(rows, node):
            bound = None if row.parameters is None else calls.bind(row, node, self._kinds_for(name))
            if bound is not None:
                return self._convert_bound(node, bound, name, rendering or self.context.rendering)
        if is_sure or calls.fits(rows, node):
            self.context.refuse(
                node,
                f"{name}: these arguments have no counterpart; `sporax api {name}` shows those that have one: "
                f"{ast.unparse(node)[:80]}",
            )
        return ""

    def _kinds_for(self, name: str) -> Callable[[ast.expr], list[str]]:
        """Return the function that gives the kinds of an argument of a call; Parameters may need an exact optimizer."""
        if self._is_exact and name.startswith("torch.optim."):
            return lambda value: [*self.context.kinds_of(value), EXACT]
        return self.context.kinds_of

    def _convert_bound(self, node: ast.Call, bound: calls.Bound, name: str, rendering: calls.Rendering) -> str:
        """Convert a call whose arguments are bound to the parameters of a row."""
        row = bound.row
        if OPTIMIZER in self.scopes.bases(row.result):
            if "params" in bound.arguments:
                self._pass_parameters(node, bound.arguments["params"])
            self._pass_options(node)
        if SCHEDULER in self.scopes.bases(row.result) and self._steps_itself(bound.arguments.get("optimizer")):
            self.context.refuse(node, f"{name}: {_OWN_OPTIMIZER}")
            return row.result
        self._convert_to_float(node, bound)
        self._convert_to_int(bound)
        try:
            edits = calls.edits_of(bound, node, rendering)
        except calls.Refusal as refusal:
            self.context.refuse(node, str(refusal))
            return row.result
        self.context.count(node, row)
        for edit in edits:
            if edit.start < edit.end:
                self.edits.take(edit.start, edit.end)
        for edit in edits:
            self.edits.add(*edit)
        out = bound.arguments.get("out")
        if out is not None and ast.unparse(out) != "None" and "out" not in row.target:
            self._assign_out(node, out)
        elif row.result == name and self.scopes.is_module(row.result) and trains(row.result):
            self._modules.created(node, row.result)
        return WHOLE if row.result == TENSOR and self._is_whole(node, bound, name) else row.result

    def _is_whole(self, node: ast.Call, bound: calls.Bound, name: str) -> bool:
        """Return whether the result of a call has whole numbers: its dtype says so, or its Tensors have them."""
        last = name.rpartition(".")[2]
        dtype = bound.arguments.get("dtype")
        given = [dtype] if dtype is not None else node.args if last in ("to", "type") else []
        if given:
            return any(self.scopes.path(value).removeprefix("torch.") in _WHOLE_DTYPES for value in given)
        if last in _MAKE_WHOLE:
            return True
        if last == "full":
            return self.context.kinds_of(bound.arguments["fill_value"]) == ["int"]
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) and not self.scopes.path(node.func) else []
        values = (owner or [*node.args, *(k.value for k in node.keywords)])[:1]
        elements = [e for v in values for e in (v.elts if isinstance(v, (ast.List, ast.Tuple)) else [v])]
        return last in _KEEP_WHOLE and bool(elements) and all(WHOLE in self.context.kinds_of(e) for e in elements)

    def _steps_itself(self, optimizer: ast.expr | None) -> bool:
        """Return whether an optimizer is of a class of the file that derives from the base class alone."""
        bases = self.context.kinds_of(optimizer) if optimizer is not None else []
        is_own = bool(bases) and bases[0].startswith("class:")
        return is_own and [base for base in bases if not base.startswith("class:")] == [OPTIMIZER]

    def initialize(self, node: ast.Call, rows: list[Row], name: str) -> str:
        """Convert `super().__init__(...)` in a class derived from one of torch."""
        rows = [row for row in rows if row.target and row.parameters is not None]
        rows = [replace(row, parameters=of_any_kind(row)) for row in rows if is_exact(row)] or rows
        same = same_call(rows, self.context.options.target)
        bases = [created_class(row.expression(self.context.options.target)) for row in rows]
        base = dotted(same.func) if same else next(iter(bases), "")
        rows = [row for row, row_base in zip(rows, bases, strict=True) if row_base and row_base == base]
        spread = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
        if rows and not (same and spread):  # a call that passes all arguments on needs no change
            rendering = self.context.rendering._replace(
                callee=lambda path: "super().__init__" if path == base else self.imports.name(path)
            )
            self.convert(node, rows, name, rendering=rendering)
        return ""

    def register_buffer(self, node: ast.Call) -> bool:
        """Register a buffer that is assigned to an attribute; False for any other."""
        statement = self.position.statement
        row = table()[BUFFER][0]
        bound = calls.bind(row, node, self.context.kinds_of)
        if not isinstance(statement, ast.Assign) or statement.value is not node or bound is None:
            return False
        (*_, target) = statement.targets
        if len(statement.targets) > 1 or not isinstance(target, ast.Attribute) or "data" not in bound.arguments:
            return False
        named = [bound.arguments[name] for name in ("data", "persistent") if name in bound.arguments]
        values = ", ".join(map(self.rewriter.take, named))
        self.edits.take(self.source.start(node), self.source.end(statement))
        start, end = self.source.start(statement), self.source.end(statement)
        owner = self.source.text(target.value)
        self.edits.add(start, end, f'{owner}.register_buffer("{target.attr}", {values})')
        self.context.count(node, row)
        return True

    def _pass_parameters(self, call: ast.Call, params: ast.expr) -> None:
        """Pass an optimizer the Parameters of one Cell; those of several Cells get different names, as MindSpore requires."""
        start, end = self.source.start(params), self.source.end(params)
        parameters = method_call(params, "parameters")
        is_of_one_cell = parameters and not parameters.args and self.context.kind_of(params) == f"{EACH}{PARAMETER}]"
        if parameters and is_of_one_cell and b"requires_grad" not in self.source.data:
            text = f"{self.rewriter.text(parameters.owner)}.trainable_params()"
        else:
            is_bare = isinstance(params, ast.GeneratorExp) and end == self.source.end(call)
            text = self.rewriter.text(params)
            helper = self.imports.name("_distinct")
            text = f"({helper}{text})" if is_bare else f"{helper}({text})"
        self.edits.take(start, end)
        self.edits.add(start, end, text)

    def _pass_options(self, call: ast.Call) -> None:
        """Filter the `**` arguments of an optimizer: keep those that change what it computes."""
        for value in [keyword.value for keyword in call.keywords if keyword.arg is None]:
            self.rewriter.replace(value, f"{self.imports.name('_optimizer_options')}({self.rewriter.text(value)})")

    def _convert_to_float(self, node: ast.Call, bound: calls.Bound) -> None:
        """Convert arguments with integers to floats, if MindSpore takes only floats."""
        for name in bound.row.floats:
            value = bound.arguments.get(name)
            if name == "self" and isinstance(node.func, ast.Attribute):
                value = node.func.value
            if value is not None and WHOLE in self.context.kinds_of(value):
                start, end = self.source.start(value), self.source.end(value)
                is_atom = isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
                text = self.rewriter.take(value)
                self.edits.add(start, end, f"{text if is_atom else f'({text})'}.float()")

    def _convert_to_int(self, bound: calls.Bound) -> None:
        """Convert the sizes of a layer that NumPy computes, as `np.prod(shape)` does, to numbers of Python."""
        if not self.scopes.is_module(bound.row.result):
            return
        for name, value in bound.arguments.items():
            if name in _SIZES and self.context.kinds_of(value) == [NDARRAY]:
                self.rewriter.replace(value, f"int({self.rewriter.text(value)})")

    def _assign_out(self, node: ast.Call, out: ast.expr) -> None:
        """Assign the result of a call to its argument `out`."""
        target = self.source.text(out).strip("()") if isinstance(out, (ast.Tuple, ast.List)) else self.source.text(out)
        statement = self.position.statement
        if isinstance(out, ast.Name) and not self._aliases.is_private(target):
            self.rewriter.wrap(node, f"{target}.copy_(", ")")
        elif isinstance(statement, (ast.Assign, ast.Expr)) and statement.value is node:
            self.rewriter.wrap(node, f"{target} = ", "")
        elif isinstance(out, ast.Name):
            self.rewriter.wrap(node, f"({target} := ", ")")
        else:
            self.context.refuse(
                node,
                f"out={target} within an expression; assign the result in a statement of its own, as in `y = mint.exp(x)`",
            )
