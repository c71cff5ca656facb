"""Conversion of one file: each name, attribute and call of torch by its row of the map; the rest stays unchanged."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Context, Options
from sporax._src.migrate.source.dataflow import own
from sporax._src.migrate.source.diagnostics import Converted
from sporax._src.migrate.source.helper_modules import PACKAGE
from sporax._src.migrate.source.nodes import parse
from sporax._src.migrate.source.passes.assignments import Assignments
from sporax._src.migrate.source.passes.attribute_flow import AttributeFlow
from sporax._src.migrate.source.passes.call_conversion import CallConversion
from sporax._src.migrate.source.passes.calls import Calls
from sporax._src.migrate.source.passes.complex_numbers import ComplexNumbers
from sporax._src.migrate.source.passes.control_flow import ControlFlow
from sporax._src.migrate.source.passes.definitions import Definitions
from sporax._src.migrate.source.passes.formats import Formats
from sporax._src.migrate.source.passes.given_tensors import GivenTensors
from sporax._src.migrate.source.passes.gradient_reads import GradientReads
from sporax._src.migrate.source.passes.gradients import Gradients
from sporax._src.migrate.source.passes.import_statements import ImportStatements
from sporax._src.migrate.source.passes.in_place import InPlace
from sporax._src.migrate.source.passes.indices import Indices
from sporax._src.migrate.source.passes.introspection import Introspection
from sporax._src.migrate.source.passes.layer_attributes import LayerAttributes
from sporax._src.migrate.source.passes.learning_rates import LearningRates
from sporax._src.migrate.source.passes.names import Names
from sporax._src.migrate.source.passes.new_modules import NewModules
from sporax._src.migrate.source.passes.optimizer_steps import OptimizerSteps
from sporax._src.migrate.source.passes.tensor_types import TensorTypes
from sporax._src.migrate.source.passes.training_loops import TrainingLoops
from sporax._src.migrate.source.passes.values import Values
from sporax._src.migrate.source.passes.views import Views
from sporax._src.migrate.source.program import Program, names_imported
from sporax._src.migrate.source.scopes import is_of_torch
from sporax._src.migrate.source.source_text import ConversionFault, Source, line_breaks
from sporax._src.migrate.source.tracing import names_of_values
from sporax._src.migrate.source.visitor import Visitor


def convert(
    text: str,
    path: str = "<source>",
    target: str = "mint",
    program: Program | None = None,
    helpers_from: str = PACKAGE,
) -> Converted:
    """Return the text of a file after the conversion from torch to MindSpore.

    Args:
        text: The file.
        path: Its name, for messages.
        target: "mint" (`mindspore.mint`, called as torch is) or "classic" (`nn` and `ops`).
        program: The information from the other files.
        helpers_from: The package that the text imports helpers from. The result has its modules in `files`.

    Raises:
        SyntaxError: If the file is not Python.
        ConversionFault: If the result would not be Python.
    """
    program = program or Program()
    source = Source(text, path, program.trees.get(path))
    names = [*names_imported(source.tree, program), *names_of_values(program.traces.get(path, {}))]
    if not any(is_of_torch(name) or name in program.modules for name in names):
        return Converted(text)
    options = Options(target, helpers_from)
    try:
        done = _FileConversion(source, program, options).run()
        if not done.todo:
            return done
        split = _of_split_lines(source, program, options)
        return split if split and len(split.todo) < len(done.todo) else done
    except ConversionFault:
        if (split := _of_split_lines(source, program, options)) is None:
            raise
        return split


def _of_split_lines(source: Source, program: Program, options: Options) -> Converted | None:
    """Return the conversion of a file's text with one statement a line; None if it has that already or cannot be converted."""
    breaks = line_breaks(source)
    if not [*breaks]:
        return None
    try:
        done = _FileConversion(Source(source.edited(breaks), source.path), program, options).run()
    except ConversionFault:
        return None
    numbers = source.line_numbers(breaks)
    done.lines = [numbers[line - 1] for line in done.lines]
    done.todo = [(numbers[line - 1], reason) for line, reason in done.todo]
    done.notes = [(numbers[line - 1], name, text) for line, name, text in done.notes]
    return done


class _FileConversion:
    """The conversion of one file: its passes, with their work before and after the visit."""

    def __init__(self, source: Source, program: Program, options: Options) -> None:
        self._visitor = Visitor(source, program.traces.get(source.path, {}))
        self._context = context = Context(source, program, options, self._visitor)
        layers, views, loops = LayerAttributes(context), Views(context), TrainingLoops(context)
        names, self._types = Names(context, layers), TensorTypes(context)
        self._imports = ImportStatements(context, names)
        in_place = InPlace(context, views)
        assignments = Assignments(context, in_place, views)
        modules = NewModules(context)
        calls = Calls(context, names, CallConversion(context, names, modules), self._types, in_place, modules)
        gradients = Gradients(context, loops, AttributeFlow(context, loops), OptimizerSteps(context, loops))
        # a pass before another is asked first, and what it leaves it changes first
        general = [
            Values(context),
            self._types,
            layers,
            calls,
            names,
            assignments,
            ControlFlow(context, assignments, views),
        ]
        special = [self._imports, Introspection(context, names), LearningRates(context), Definitions(context), modules]
        special += [GradientReads(context), ComplexNumbers(context), Indices(context)]
        self._visitor.register([*special, *general, GivenTensors(context), Formats(context), in_place, gradients])

    def run(self) -> Converted:
        """Convert the file."""
        context, tree = self._context, self._context.source.tree
        for node in own(tree):  # functions read names that the file imports further down
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._imports.bind(node)
            elif isinstance(node, ast.Assign):
                self._types.bind(node)
        context.visit(tree)
        context.diagnostics.write_comments(context.edits)
        result = context.diagnostics.result
        try:
            self._imports.write()
            result.text = context.source.edited(context.edits)
            result.lines = context.source.line_numbers(context.edits)
            parse(result.text)  # the result is Python, or there is none
            if result.todo:
                self._imports.localize()
        except SyntaxError as error:
            line = context.source.line_before(context.edits, error.lineno or 1)
            raise ConversionFault(f"line {line}: the converted text is not Python ({error.msg})") from None
        return result
