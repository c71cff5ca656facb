"""One file of torch as one of MindSpore: each name, attribute and call by its row of the map; all else as it stands."""

from __future__ import annotations

import ast

from sporax._src.migrate.source import calls, factory_keywords
from sporax._src.migrate.source.dataflow import is_truth, method_call, own
from sporax._src.migrate.source.definitions import Definitions
from sporax._src.migrate.source.formats import Formats
from sporax._src.migrate.source.gradients import AUTOGRAD, SIMPLE, Gradients
from sporax._src.migrate.source.helper_modules import PACKAGE
from sporax._src.migrate.source.introspection import Questions
from sporax._src.migrate.source.layer_attributes import LayerAttributes
from sporax._src.migrate.source.learning_rates import LearningRates
from sporax._src.migrate.source.program import Program, names_imported
from sporax._src.migrate.source.scopes import WHOLE, is_of_torch, may_be_of_tensors, own_methods, owner_of, trains
from sporax._src.migrate.source.source_text import ConversionFault, Source
from sporax._src.migrate.source.tensor_types import TensorTypes
from sporax._src.migrate.source.tracing import names_of_values
from sporax._src.migrate.source.training_loops import BACKWARD, OPTIMIZER, PARAMETER, first_argument
from sporax._src.migrate.source.views import Views, is_name, is_write
from sporax._src.migrate.source.walk import EACH, NDARRAY, element_of
from sporax._src.migrate.source.writer import Converted
from sporax._src.migrate.torch_map.expressions import class_made, dotted, same_call
from sporax._src.migrate.torch_map.names import ANYTHING, asks_itself, canonical, namespaces
from sporax._src.migrate.torch_map.rows import MODULE, TENSOR, Row, table

BUFFER = "torch.nn.Buffer"


def convert(
    text: str,
    path: str = "<source>",
    target: str = "mint",
    program: Program | None = None,
    helpers_from: str = PACKAGE,
) -> Converted:
    """Return a file's text with MindSpore in the place of torch.

    Args:
        text: The file.
        path: Its name, for messages.
        target: "mint" (`mindspore.mint`, called as torch is) or "classic" (`nn` and `ops`).
        program: What the other files say of this one.
        helpers_from: The package that the text imports helpers from. The result has its modules in `files`.

    Raises:
        SyntaxError: If the file is not Python.
        ConversionFault: If what is written would be none.
    """
    source = Source(text, path)
    program = program or Program()
    names = [*names_imported(source.tree, program), *names_of_values(program.seen.get(path, {}))]
    if not any(is_of_torch(name) or name in program.modules for name in names):
        return Converted(text)
    return _Converter(source, program, helpers_from, target).run()


class _Converter(Definitions, LearningRates, Formats, LayerAttributes, Questions, TensorTypes):
    def __init__(self, source: Source, program: Program, helpers_from: str, target: str) -> None:
        super().__init__(source, program, helpers_from, target)
        self.own_methods = own_methods(source.tree, {*program.modules, *program.mixins})
        self.asks_kind = False  # whether a name of a class is asked of, not called
        self.gradients = Gradients(self)
        self.views = Views(self)
        self.how = calls.Rendering(source, self.taken, self.imports.name, target)

    # --- the whole file -----------------------------------------------------------------------------------------------

    def run(self) -> Converted:
        for node in own(self.source.tree):  # functions read names that the file imports further down
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.bind_imports(node)
            elif isinstance(node, ast.Assign):
                self.bind_types(node)
        self.visit(self.source.tree)
        self.write_marks()
        try:
            self.write_imports()
            self.result.text = self.source.edited(self.edits)
            ast.parse(self.result.text)  # what is written is Python, or nothing is
        except SyntaxError as error:
            line = self.source.line_before(self.edits, error.lineno or 1)
            raise ConversionFault(f"line {line}: what is written of it is no Python ({error.msg})") from None
        return self.result

    def end_block(self, block: list[ast.stmt]) -> None:
        """Rewrite the gradients that are taken in a block."""
        self.gradients.block(block)

    # --- names --------------------------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> str:
        binding = self.scopes.find(node.id)
        if binding.path and is_of_torch(binding.path):
            return self.reference(node, binding.path)
        return binding.kind

    def visit_Attribute(self, node: ast.Attribute) -> str:
        path = self.scopes.path(node)
        if path:
            return self.reference(node, path) if is_of_torch(path) else ""
        kind = self.visit(node.value)
        if not kind and f"torch.device.{node.attr}" in table() and ast.unparse(node.value).endswith(".device"):
            assert isinstance(node.value, ast.Attribute)
            kind = self._attribute(node.value, table()[f"{ANYTHING}.device"][0])
        if node.attr == "forward" and self._is_forward(kind):
            end = self.source.end(node)
            self.edits.add(end - len("forward"), end, "construct")
        if not isinstance(node.ctx, ast.Load):
            self._store(node, kind)
            return self.scopes.attribute(kind, node.attr)
        for base in self.scopes.bases(kind) or owner_of(node.attr):
            for row in table().get(f"{base}.{node.attr}", ()):
                if row.parameters is None:
                    return self._attribute(node, row)
        if row := self.of_any_layer(kind, node.attr, node):
            self._attribute(node, row)
        return self.scopes.attribute(kind, node.attr)

    def _is_forward(self, kind: str) -> bool:
        """Tell whether `forward` of an object of a kind is a Module's: known, or a mixin's, or the file has no other."""
        kind = kind.removeprefix("type:")
        mixed = not kind or kind.startswith("class:")
        return self.scopes.is_module(kind) or (mixed and "forward" not in self.own_methods)

    def _store(self, node: ast.Attribute, kind: str) -> None:
        """Write into the attribute by the name that it has here."""
        for row in table().get(f"{kind}.{node.attr}", ()):
            name = dotted(row.expression(self.target)).removeprefix("self.")
            if row.parameters is None and name != node.attr and name.replace(".", "_").isidentifier():
                end = self.source.end(node)
                self.edits.add(end - len(node.attr.encode()), end, name)
        self.set_of_any_layer(node, kind)

    def _attribute(self, node: ast.Attribute, row: Row) -> str:
        if not row.target:
            self.refuse(node, f"{row.name}: {row.missing}")
            return row.result
        self.note(node, row)
        expression = row.expression(self.target)
        if dotted(expression) != f"self.{node.attr}":
            call = ast.Call(node, [], [])
            text = calls.rewritten(calls.Bound(row, {}, [], [], False), call, expression, self.how)
            self.edits.take(self.source.start(node), self.source.end(node))
            self.edits.add(self.source.start(node), self.source.end(node), text)
        return row.result

    def _type(self, rows: list[Row]) -> str:
        """Return the name of the type of what a class of torch makes; "" of what is no such class."""
        made = [row for row in rows if row.target and row.parameters is not None]
        bases = self.scopes.bases(made[0].result) if made else []
        for row in made:
            if name := class_made(row.expression(self.target)):
                return name
        return "mindspore.Tensor" if TENSOR in bases else "nn.Cell" if MODULE in bases else ""

    def reference(self, node: ast.expr | ast.alias, path: str) -> str:
        """Convert a name of torch that is not called."""
        rows = table().get(canonical(path))
        if not rows:
            if canonical(path) in namespaces():
                self.refuse(node, f"{path} stands for all that is in it; write the names that are taken from it")
            else:
                self._refuse_unknown(node, canonical(path))
            return ""
        row = next((row for row in rows if row.target), rows[0])
        if not row.target:
            self.refuse(node, f"{row.name}: {row.missing}")
            return ""
        if row.parameters is not None and not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            self.refuse(
                node, f"{row.name} is replaced here, by which no call of its counterpart changes; change the calls"
            )
            return ""
        self.note(node, row)
        expression = row.expression(self.target)
        same = same_call(rows, self.target)
        if self.annotates and (name := self._type(rows)):
            text = self.imports.name(name)
        elif row.parameters is None:
            call = ast.Call(ast.Name(path), [], [])
            text = calls.rewritten(calls.Bound(row, {}, [], [], False), call, expression, self.how)
        elif self.asks_kind and not class_made(expression):
            self.refuse(node, f"{row.name} is a function here, no class; ask for something else")
            return ""
        elif self.asks_kind:
            text = self.imports.name(class_made(expression))
        elif same:
            text = self.imports.name(self._of_class(dotted(same.func), row))
        elif self.derives and class_made(expression):
            text = self.imports.name(class_made(expression))
        else:
            text = calls.function_of(row, expression, self.how)
        self.edits.add(self.source.start(node), self.source.end(node), text)
        return row.result if row.parameters is None else f"type:{row.result}"

    def _of_class(self, name: str, row: Row) -> str:
        """Return the name of a function, of a method (`self.item`) with its class."""
        owner, _, method = name.partition(".")
        return f"{self._type(table()[row.name.rpartition('.')[0]])}.{method}" if owner == "self" else name

    def _refuse_unknown(self, node: ast.AST, name: str) -> None:
        self.refuse(node, f"{name} has no counterpart here; write what it does with mindspore.mint or ops")

    # --- calls --------------------------------------------------------------------------------------------------------

    def visit_Dict(self, node: ast.Dict) -> str:
        return self._factory_keywords(node) or super().visit_Dict(node)

    def _factory_keywords(self, node: ast.expr) -> str:
        """Convert keyword arguments for torch's factories, and return their kind; "" of any other expression."""
        found = factory_keywords.items(node, self.source)
        for item in found:
            if item.name not in factory_keywords.PLACES:
                self.visit(item.value)
        for start, end in factory_keywords.places(found, self.source):
            self.edits.add(start, end, "")
        return "dict" if found else ""

    def visit_Call(self, node: ast.Call) -> str:
        if kind := self._factory_keywords(node) or self.asked_of_torch(node):
            return kind
        path = self.scopes.path(node.func)
        method = node.func if isinstance(node.func, ast.Attribute) and not path else None
        receiver = self._receiver(method) if method else ""
        arguments = sorted([*node.args, *[k.value for k in node.keywords]], key=self.source.start)
        self.note_settings(path, arguments)
        asks_kind = isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass")
        for argument in arguments:
            self.asks_kind = asks_kind and argument is not node.args[0]
            self.visit(argument.value if isinstance(argument, ast.Starred) else argument)
        self.asks_kind = False
        self.let_format(node)
        self.ask_of_any_layer(node)
        if path == AUTOGRAD and isinstance(self.statements[-1], SIMPLE):
            return "tuple"  # converted with its block
        if path == BUFFER and self._registered(node):
            return TENSOR
        if path.endswith(".__init__") and is_of_torch(path):  # nn.Module.__init__(self)
            self.derive_from([node.func.value])  # type: ignore[attr-defined]
            return ""
        if path == BACKWARD and first_argument(node) is not None:
            return "None"  # converted with its block
        if path and is_of_torch(path):
            return self._convert(node, table().get(canonical(path)), canonical(path))
        if path.startswith("numpy."):
            return NDARRAY
        if method is None:
            kind = self.visit(node.func) if not path else ""
            return self.made_of_type(node, kind) or self._instance(node, kind)
        if method.attr == "__init__" and ast.unparse(method.value) == "super()" and receiver != MODULE:
            return self._initialize(node, table().get(receiver, []), receiver)
        if not receiver and method.attr in self.own_methods and owner_of(method.attr) and is_name(method.value):
            return self._either(node, method, owner_of(method.attr)[0])
        bases, owners = self.scopes.bases(receiver), self._owner_of(method.attr)
        if not bases or (
            receiver.startswith("class:") and owners == [MODULE]
        ):  # a mixin is part of what it is mixed with
            bases = [*bases, *owners]
        if not receiver and not bases and (method.attr not in self.own_methods or asks_itself(method.attr)):
            bases = [ANYTHING]
        for base in bases:
            rows = table().get(f"{base}.{method.attr}")
            if rows and all(row.parameters is None for row in rows):
                self._attribute(method, rows[0])
                return ""
            if rows and base == TENSOR and is_write(method.attr):
                return self._write(node, rows, f"{base}.{method.attr}", bool(receiver))
            if rows:
                kind = self._convert(node, rows, f"{base}.{method.attr}", bool(receiver))
                return "" if kind == ANYTHING else kind
        if method.attr == "forward" and self._is_forward(receiver):
            end = self.source.end(method)
            self.edits.add(end - len("forward"), end, "construct")
            return TENSOR
        kind = self.scopes.attribute(receiver, method.attr)
        if made := self.made_of_type(node, kind):
            return made
        return TENSOR if self.scopes.is_module(kind) else receiver if receiver == NDARRAY else ""

    def _receiver(self, method: ast.Attribute) -> str:
        """Visit what a method is called on, and return its kind; in `x.data.cpu()` the method tells what `data` is."""
        owner = method.value
        kind = self.visit(owner)
        is_asked = not kind and method.attr not in self.own_methods and not is_write(method.attr)
        if is_asked and isinstance(owner, ast.Attribute) and owner.attr == "data" and may_be_of_tensors(method.attr):
            return self._attribute(owner, table()[f"{ANYTHING}.data"][0])
        return kind

    def _either(self, node: ast.Call, method: ast.Attribute, owner: str) -> str:
        """Convert a call of a method that a class of the program has too: whose it is, is asked when it runs."""
        name = f"{owner}.{method.attr}"
        own, receiver = self.written(node), self.written(method.value)
        self._convert(node, table()[name], name, False)
        converted = self.taken(node)
        kind = self.imports.name("nn.Cell" if owner == MODULE else "mindspore.Tensor")
        text = converted if converted == own else f"{converted} if isinstance({receiver}, {kind}) else {own}"
        statement = self.statements[-1]
        is_whole = converted == own or (isinstance(statement, ast.Expr) and statement.value is node)
        self.edits.add(self.source.start(node), self.source.end(node), text if is_whole else f"({text})")
        return ""

    def _write(self, node: ast.Call, rows: list[Row], name: str, is_sure: bool) -> str:
        """Convert a call that writes into a Tensor."""
        before, behind = self.views.called(node)
        kind = self._convert(node, rows, name, is_sure)
        if before:
            self.edits.add(self.source.start(node), self.source.start(node), before)
        if behind:
            self.edits.add(self.source.end(node), self.source.end(node), behind)
        return kind

    def _assign(self, target: ast.expr, kind: str, value: ast.expr | None) -> None:
        super()._assign(target, kind, value)
        self.views.assigned(target, value)
        self.views.stored(target)

    def iterated(self, node: ast.For) -> None:
        """Note what a loop over a Tensor gives."""
        self.views.iterated(node.target, node.iter)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        """Let `~` turn the bits of whole numbers, where MindSpore asks whether they are 0."""
        kind = super().visit_UnaryOp(node)
        if isinstance(node.op, ast.Invert) and TENSOR in self.scopes.bases(kind) and not is_truth(node.operand):
            start, end = self.source.start(node), self.source.end(node)
            text = self.taken(node.operand)
            self.edits.add(start, end, f"{self.imports.name('mint.bitwise_not')}({text})")
        return kind

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        super().visit_AugAssign(node)
        self.views.augmented(node)
        return ""

    def _owner_of(self, method: str) -> list[str]:
        """Return the kind that has a method of this name, unless a class of the file's own has one."""
        return [] if method in self.own_methods else owner_of(method)

    def _instance(self, node: ast.Call, kind: str) -> str:
        """Return the kind of what a call of a class or of a module gives."""
        if kind.startswith("type:"):
            made = kind.removeprefix("type:")
            if self.scopes.is_module(made):
                self._set_training(node)
            return made
        if self.scopes.is_module(kind):
            return TENSOR
        if isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1:
            return f"type:{self.kind_of(node.args[0])}"
        if isinstance(node.func, ast.Name) and node.func.id in ("next", "iter") and node.args:
            of = self.kind_of(node.args[0])
            return element_of(of) if node.func.id == "next" else of
        if isinstance(node.func, ast.Name) and node.func.id in ("int", "len", "round"):
            return "int"
        if isinstance(node.func, ast.Name) and node.func.id == "super" and self.classes:
            return self.classes[-1].bases[0] if self.classes[-1].bases else ""
        return (
            node.func.id
            if isinstance(node.func, ast.Name) and node.func.id in ("float", "str", "list", "tuple", "dict", "bool")
            else ""
        )

    def _set_training(self, node: ast.Call) -> None:
        """Let a new Cell train, as a new Module does; what belongs to another Cell follows that one."""
        if not any(self.scopes.is_module(f"class:{c.name}") for c in self.classes):
            self.edits.add(self.source.end(node), self.source.end(node), ".set_train()")

    def _initialize(self, node: ast.Call, rows: list[Row], name: str) -> str:
        """Give a class of torch that another is derived from the arguments that its counterpart takes."""
        rows = [row for row in rows if row.target and row.parameters is not None]
        same = same_call(rows, self.target)
        bases = [class_made(row.expression(self.target)) for row in rows]
        base = dotted(same.func) if same else next(iter(bases), "")
        rows = [row for row, of in zip(rows, bases, strict=True) if of and of == base]
        how = self.how
        self.how = how._replace(callee=lambda path: "super().__init__" if path == base else self.imports.name(path))
        spread = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
        if rows and not (same and spread):  # what passes all on to the same arguments is right as it is
            self._convert(node, rows, name)
        self.how = how
        return ""

    def _convert(self, node: ast.Call, rows: list[Row] | None, name: str, is_sure: bool = True) -> str:
        """Convert a call by the first row that takes it; one that cannot be torch's is another's, where only its name is."""
        if not rows:
            self._refuse_unknown(node, name)
            return ""
        for row in calls.candidates(rows, node):
            if row.parameters is None:
                continue
            bound = calls.bind(row, node, self.kinds_of)
            if bound is None:
                continue
            if OPTIMIZER in self.scopes.bases(row.result) and "params" in bound.given:
                self._give_parameters(node, bound.given["params"])
            self._float(node, bound)
            try:
                edits = calls.edits_of(bound, node, self.how)
            except calls.Refusal as refusal:
                self.refuse(node, str(refusal))
                return row.result
            self.note(node, row)
            for edit in edits:
                if edit.start < edit.end:
                    self.edits.take(edit.start, edit.end)
            for edit in edits:
                self.edits.add(*edit)
            if "out" in bound.given and ast.unparse(bound.given["out"]) != "None" and "out" not in row.target:
                self._assign_out(node, bound.given["out"])
            elif row.result != name or not self.scopes.is_module(row.result):
                return row.result
            elif trains(row.result):
                self._set_training(node)
            return row.result
        if is_sure or calls.fits(rows, node):
            self.refuse(node, f"{name} is called in a way that the map does not know: {ast.unparse(node)[:80]}")
        return ""

    def _registered(self, node: ast.Call) -> bool:
        """Register a buffer that is assigned to an attribute; False for any other."""
        statement = self.statements[-1]
        row = table()[BUFFER][0]
        bound = calls.bind(row, node, self.kinds_of)
        if not isinstance(statement, ast.Assign) or statement.value is not node or bound is None:
            return False
        (*_, target) = statement.targets
        if len(statement.targets) > 1 or not isinstance(target, ast.Attribute) or "data" not in bound.given:
            return False
        given = [self.taken(bound.given[name]) for name in ("data", "persistent") if name in bound.given]
        start, end = self.source.start(statement), self.source.end(statement)
        self.edits.take(self.source.start(node), end)
        owner = self.source.text(target.value)
        self.edits.add(start, end, f'{owner}.register_buffer("{target.attr}", {", ".join(given)})')
        self.note(node, row)
        return True

    def _give_parameters(self, call: ast.Call, params: ast.expr) -> None:
        """Give an optimizer the Parameters of one Cell, or make those of several differ in their names, as MindSpore asks."""
        start, end = self.source.start(params), self.source.end(params)
        network = method_call(params, "parameters")
        is_of_one = network and not network.args and self.kind_of(params) == f"{EACH}{PARAMETER}]"
        if is_of_one and b"requires_grad" not in self.source.data:
            text = f"{self.written(network.func.value)}.trainable_params()"
        else:
            is_bare = isinstance(params, ast.GeneratorExp) and end == self.source.end(call)
            text = self.written(params)
            text = (
                f"({self.imports.name('_distinct')}{text})" if is_bare else f"{self.imports.name('_distinct')}({text})"
            )
        self.edits.take(start, end)
        self.edits.add(start, end, text)

    def _float(self, node: ast.Call, bound: calls.Bound) -> None:
        """Make floats of the arguments that are known to hold whole numbers, where MindSpore takes floats alone."""
        for name in bound.row.floats:
            value = (
                node.func.value if name == "self" and isinstance(node.func, ast.Attribute) else bound.given.get(name)
            )
            if value is not None and WHOLE in self.kinds_of(value):
                start, end = self.source.start(value), self.source.end(value)
                is_atom = isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
                text = self.taken(value)
                self.edits.add(start, end, f"{text if is_atom else f'({text})'}.float()")

    def _assign_out(self, node: ast.Call, out: ast.expr) -> None:
        """Assign to `out` what the call returns."""
        target = self.source.text(out).strip("()") if isinstance(out, (ast.Tuple, ast.List)) else self.source.text(out)
        statement = self.statements[-1]
        at = self.source.start(node)
        if isinstance(statement, (ast.Assign, ast.Expr)) and statement.value is node:
            self.edits.add(at, at, f"{target} = ")
        elif isinstance(out, ast.Name):
            self.edits.add(at, at, f"({target} := ")
            self.edits.add(self.source.end(node), self.source.end(node), ")")
        else:
            self.refuse(node, f"out={target} within an expression; assign the result in a statement of its own")
