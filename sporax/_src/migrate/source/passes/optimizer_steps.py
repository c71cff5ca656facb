"""Steps of optimizers: along the gradients of a function, or along those that Parameters have in the attribute `grad`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import is_of_scaler, method_call
from sporax._src.migrate.source.nodes import walk
from sporax._src.migrate.source.passes.training_loops import CLIPS, SIMPLE, TrainingLoops


class OptimizerSteps(Pass):
    """Converts `step`, `zero_grad` and the clipping of gradients.

    Args:
        context: The shared state of the passes.
        loops: The optimizers of the function.
    """

    def __init__(self, context: Context, loops: TrainingLoops) -> None:
        super().__init__(context)
        self._loops = loops
        self.converted: set[int] = set()  # statements that were rewritten

    def step(self, block: Sequence[ast.stmt], low: int, optimizers: list[str], grads: str) -> None:
        """Call the optimizers with the gradients, in place of torch's `step`."""
        position = 0
        counts = [f"len({o}.parameters)" for o in optimizers]
        for statement in block[low:]:
            if self._loops.differentiated(statement) is not None:
                return
            if self._loops.is_clip(statement):
                self._clip(statement, grads)
            elif len(optimizers) > position and self._loops.steps(statement) == [optimizers[position]]:
                part = grads
                if len(optimizers) > 1:
                    low_text = " + ".join(counts[:position]) or "0"
                    high = " + ".join(counts[: position + 1])
                    part = f"{grads}[{low_text}:{high}]"
                self.replace(statement, f"{optimizers[position]}({part})")
                position += 1
            elif isinstance(statement, ast.Expr) and is_of_scaler(statement.value):
                self.remove(block, block.index(statement))

    def _clip(self, statement: ast.stmt, grads: str) -> None:
        call = statement.value  # type: ignore[attr-defined]
        named = [k for k in call.keywords if k.arg not in ("parameters", "foreach")]
        values = [*map(self.rewriter.take, call.args[1:]), *[f"{k.arg}={self.rewriter.take(k.value)}" for k in named]]
        if self.scopes.path(call.func) == CLIPS[0]:
            self.replace(statement, f"{grads} = {self.imports.name('ops.clip_by_norm')}({', '.join([grads, *values])})")
        else:
            bound = values[0].removeprefix("clip_value=")
            self.replace(statement, f"{grads} = {self.imports.name('ops.clip_by_value')}({grads}, -({bound}), {bound})")

    def buffered(self, statement: ast.stmt) -> None:
        """Make `step` and `zero_grad` use the attribute `grad`, in which gradients are stored."""
        for node in walk(statement) if isinstance(statement, SIMPLE) else ():
            step, zero = method_call(node, "step"), method_call(node, "zero_grad")
            if step is not None and self._loops.steps_unknown(step):
                self._call("_step", step.call, [step.owner])
            elif step is not None and (optimizer := self._loops.stepped(step)) is not None:
                closure = [*step.args, *[k.value for k in step.call.keywords]] if optimizer is step.owner else []
                self._call("_step", step.call, [optimizer, *closure])
            elif zero is not None and (
                self._loops.is_optimizer(zero.owner) or self._loops.may_be_optimizer(zero.owner)
            ):
                self._call("_zero_grad", zero.call, [zero.owner])

    def _call(self, helper: str, call: ast.Call, values: Sequence[ast.expr]) -> None:
        """Replace a call of a method by one of a helper."""
        texts = [self.rewriter.text(value) for value in values]
        self.rewriter.replace(call, f"{self.imports.name(helper)}({', '.join(texts)})")

    def replace(self, statement: ast.stmt, text: str) -> None:
        start, end = self.source.start(statement), self.source.end(statement)
        self.edits.take(start, end)
        self.edits.add(start, end, text)
        self.converted.add(id(statement))

    def remove(self, block: Sequence[ast.stmt], i: int) -> None:
        statement = block[i]
        self.converted.add(id(statement))
        start, end = self.source.start(statement), self.source.end(statement)
        line, after = self.source.lines(statement)
        self.edits.take(line, end)
        if self._loops.begins_line(statement) and len(block) > 1:
            self.edits.add(line, after, "")
        else:
            self.edits.add(start, end, "pass")
