"""Conversion of torch's recorded gradients to gradients of functions: `backward`, `step`, `zero_grad`, `autograd.grad`.

    optimizer.zero_grad()                   def forward_fn():
    logits = model(x)                           logits = model(x)
    loss = criterion(logits, y)                 loss = criterion(logits, y)
    loss.backward()                             return loss, logits
    optimizer.step()                        grad_fn = value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)
                                            (loss, logits), grads = grad_fn()
                                            optimizer(grads)

The statements from the first that runs a network to `backward` move into the function, in their order. The function
returns the loss, and the values that it assigns and the rest of the program reads. A name that it assigns only under a
condition is no result, but `nonlocal`. If `step` does not follow `backward` in the same block, the gradients are stored in the
attribute `grad`, as in torch.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Mapping, Sequence

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import (
    access_path,
    assigned,
    assigned_for_sure,
    inside,
    is_of_scaler,
    is_read,
    makes_leaf,
    marks_leaf,
    own,
    read_first,
    reads,
    reads_gradients,
    stored,
    unstopped,
)
from sporax._src.migrate.source.nodes import walk
from sporax._src.migrate.source.passes.attribute_flow import AttributeFlow
from sporax._src.migrate.source.passes.differentiated import Function, Region
from sporax._src.migrate.source.passes.optimizer_steps import OptimizerSteps
from sporax._src.migrate.source.passes.training_loops import BACKWARD, DEFINITIONS, SIMPLE, TrainingLoops
from sporax._src.migrate.torch_map.rows import TENSOR

AUTOGRAD = "torch.autograd.grad"
RUNS_AGAIN = (
    "the statements before another backward run again: "
    "random numbers are drawn again, running statistics are updated twice"
)
UNUSED = "the gradient of an input that the outputs do not use is zero, not None"
NOTHING_TRAINED = (
    "the source does not show what is trained; make the optimizer in this function, or pass it as an argument"
)
APART = " is inside the statements of another gradient; move it after that gradient"
_JUMPS = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await)


class Gradients(Pass):
    """Rewrites the blocks of one file.

    Args:
        context: The shared state of the passes.
        loops: The networks and Tensors that the function trains.
        attributes: The values that methods store in attributes.
        steps: Converts the steps of optimizers.
    """

    def __init__(
        self, context: Context, loops: TrainingLoops, attributes: AttributeFlow, steps: OptimizerSteps
    ) -> None:
        super().__init__(context)
        self._loops, self._attributes, self._steps = loops, attributes, steps
        self._names = {n.id for n in self.source.nodes(ast.Name)}
        self._numbers: dict[str, int] = {}

    # --- blocks -------------------------------------------------------------------------------------------------------

    def leave_block(self, block: Sequence[ast.stmt]) -> None:
        """Rewrite the gradients in a block whose statements have been visited."""
        ends = [i for i, s in enumerate(block) if self._loops.differentiated(s) is not None]
        for i, statement in enumerate(block):
            for call in self._autograd_calls(statement):
                self._convert_autograd(block, i, call)
        stepped = {o for s in block if ends for o in self._loops.steps(s)}
        again = {id(s): self.rewriter.copy_indented(s, self.position.scope) for s in self._running(block, stepped)}
        low = 0
        while ends:
            group = [
                i for i in ends if not any(self._loops.steps(s) or self._loops.looks_at(s) for s in block[ends[0] : i])
            ]
            ends = ends[len(group) :]
            self._convert(block, group, low, again)
            low = group[-1] + 1
        for i, statement in enumerate(block):
            if id(statement) in self._steps.converted:
                continue
            if isinstance(statement, ast.Expr) and is_of_scaler(statement.value):
                self._steps.remove(block, i)
            else:
                self._steps.buffered(statement)

    # --- one gradient -------------------------------------------------------------------------------------------------

    def _convert(self, block: Sequence[ast.stmt], ends: list[int], low: int, copies: Mapping[int, str]) -> None:
        after = next((i for i in range(ends[-1] + 1, len(block)) if self._loops.steps(block[i])), None)
        optimizers = self._following(block, ends[-1]) if after is not None else []
        last = block[ends[-1]]
        results = self._attributes.results(block[low : ends[-1] + 1])
        region = self._region(block, ends, low, {*results})
        if any(k.arg == "inputs" for i in ends for k in block[i].value.keywords):  # type: ignore[attr-defined]
            self.context.refuse(
                last, "backward: inputs= has no counterpart; take these gradients with torch.autograd.grad"
            )
            return
        if region is None:
            self.context.refuse(
                last,
                "backward: compute the loss in this block too, as in `loss = criterion(net(x), y); loss.backward()`",
            )
            return
        if reason := self._unmovable([*region.body, *[block[i] for i in ends]]):
            self.context.refuse(last, f"backward: {reason}")
            return
        if not (optimizers or self._leaves(region) or self._weights(region, optimizers, [])):
            self.context.refuse(last, f"backward: {NOTHING_TRAINED}")
            return
        try:
            methods = self._attributes.again(results)
        except LookupError as error:
            self.context.refuse(last, f"backward: {error.args[0]}")
            return
        between = list(block[ends[-1] + 1 : after])
        follows = all(self._loops.is_clip(s) or not reads_gradients(s) for s in between)
        direct = after is not None and not self._loops.is_buffered() and follows and self._loops.starts_anew(block)
        again = [copies[id(s)] for s in self._repeated(region, optimizers)]
        if methods or again:
            self.context.diagnostics.note(last, "torch.Tensor.backward", RUNS_AGAIN)
        self._write(region, optimizers, direct, after, methods, "".join(again))

    def _unmovable(self, statements: Sequence[ast.stmt]) -> str:
        """Return why statements cannot become the body of a function, "" if they can."""
        for node in (n for s in statements for n in inside(s)):
            if isinstance(node, (*_JUMPS, *DEFINITIONS)):
                return f"line {node.lineno} cannot move into the function that is differentiated; move it out of the forward pass"
        if any(not self._loops.begins_line(s) for s in statements):
            return "give each statement a line of its own"
        return ""

    def _repeated(self, region: Region, optimizers: list[str]) -> list[ast.stmt]:
        """Return earlier statements that run the trained networks, and whose results are differentiated here.

        Another gradient was computed in between (for example of a GAN's discriminator), so they are outside of this
        region.
        """
        running = self._running(region.block[: region.first], optimizers)
        wanted = {name for name in stored(running) if read_first([*region.body, region.block[region.ends[-1]]], name)}
        repeated: list[ast.stmt] = []
        for statement in reversed(running):
            if wanted & stored([statement]):
                repeated.insert(0, statement)
                wanted |= {access_path(n) for n in walk(statement)}
        return repeated

    def _running(self, block: Sequence[ast.stmt], optimizers: Iterable[str]) -> list[ast.Assign]:
        """Return the assignments whose results depend on a network that these optimizers train."""
        trained = {network for optimizer in optimizers for network in self._loops.trained(optimizer)}
        active: set[str] = set()
        running = []
        for statement in (s for s in block if isinstance(s, ast.Assign)):
            nodes = [*unstopped(statement.value)]
            calls = any(isinstance(n, ast.Call) and access_path(n.func) in trained for n in nodes)
            if calls or any(is_read(n, active) for n in nodes):
                running.append(statement)
                active |= stored([statement])
            else:
                active -= stored([statement])
        return running

    # --- autograd.grad --------------------------------------------------------------------------------------------------

    def _autograd_calls(self, statement: ast.stmt) -> list[ast.Call]:
        """Return the calls of `torch.autograd.grad` in a simple statement."""
        if not isinstance(statement, SIMPLE):
            return []
        calls = [n for n in walk(statement) if isinstance(n, ast.Call)]
        return [c for c in calls if self.scopes.path(c.func) == AUTOGRAD]

    def _convert_autograd(self, block: Sequence[ast.stmt], at: int, call: ast.Call) -> None:
        """Make the statements between the inputs and `autograd.grad` a function of the inputs."""
        arguments = dict(zip(("outputs", "inputs", "grad_outputs"), call.args, strict=False))
        arguments |= {str(k.arg): k.value for k in call.keywords}
        outputs, inputs = arguments.get("outputs"), arguments.get("inputs")
        if outputs is None or inputs is None:
            self.context.refuse(
                call, "torch.autograd.grad: write out the arguments outputs and inputs, as in `grad(loss, [x])`"
            )
            return
        listed = inputs.elts if isinstance(inputs, (ast.Tuple, ast.List)) else [inputs]
        names = [n.id for n in listed if isinstance(n, ast.Name)]
        is_tensors = len(names) == len(listed) and TENSOR in {
            b for n in listed for b in self.scopes.bases(self.context.kind_of(n) or TENSOR)
        }
        active = set(names) if is_tensors else set()
        assigning = [i for i in range(at) if active & {*assigned([block[i]])}]
        first = at
        for i in range(max([i + 1 for i in assigning], default=0), at):
            is_free = not isinstance(block[i], DEFINITIONS) and not (first == at and marks_leaf(block[i]))
            if is_free and self._loops.runs(block[i], active):
                active |= {*assigned([block[i]])}
                first = min(first, i)
        region = Region(block, first, [at], [])
        stays = [] if isinstance(block[at], ast.Return) else [block[at]]
        reason = self._unmovable([*region.body, *stays]) if first < at else ""
        reason = reason or ("" if self._loops.begins_line(block[at]) else "give the statement a line of its own")
        start, stop = self.source.lines(block[first])[0], self.source.lines(block[at])[0]
        if reason := f"line {block[first].lineno}{APART}" if self.edits.cover(start) else reason:
            self.context.refuse(call, f"torch.autograd.grad: {reason}")
            return
        if "allow_unused" in arguments:
            self.context.diagnostics.note(call, AUTOGRAD, UNUSED)
        loss = self._weighted(outputs, arguments.get("grad_outputs"))
        gradients = self._fresh("gradients")
        weights = (
            ""
            if is_tensors
            else self.rewriter.take(inputs)
            if len(listed) > 1 or not names
            else f"list({self.rewriter.take(inputs)})"
        )
        results = [loss, *[n for n in self._outputs(region) if n != loss]]
        target = f"({', '.join(['_', *results[1:]])})" if results[1:] else "_"
        if loss in self._outputs(region):
            target = target.replace("_", loss, 1)
        leaves = names if is_tensors else []
        function = Function(self._fresh("forward_fn"), leaves, [], leaves, "", weights, results)
        self._put(start, stop, function, f"{target}, {gradients}")
        exact = ast.unparse(arguments.get("create_graph", ast.Constant(False))) == "True"
        gradients = f"({gradients},)" if is_tensors and len(names) == 1 else gradients
        text = gradients if exact else f"tuple(map({self.imports.name('ops.stop_gradient')}, {gradients}))"
        self.edits.take(self.source.start(call), self.source.end(call))
        self.edits.add(self.source.start(call), self.source.end(call), text)

    def _weighted(self, outputs: ast.expr, vectors: ast.expr | None) -> str:
        """Return the sum of outputs, each multiplied with its vector if there is one."""
        weights = dict(enumerate(_elements(vectors) if vectors is not None else []))
        terms = []
        for i, output in enumerate(_elements(outputs)):
            weight = weights.get(i)
            text = self.rewriter.take(output)
            text = text if isinstance(output, (ast.Name, ast.Call, ast.Attribute)) else f"({text})"
            if weight is not None and ast.unparse(weight) != "None":
                text = f"({text} * {self.rewriter.take(weight)}).sum()"
            terms.append(text)
        return " + ".join(terms)

    def _following(self, block: Sequence[ast.stmt], end: int) -> list[str]:
        """Return the optimizers that step after a `backward` and before the next."""
        rest = itertools.takewhile(lambda s: self._loops.differentiated(s) is None, block[end + 1 :])
        return list(dict.fromkeys(o for s in rest for o in self._loops.steps(s)))

    def _region(self, block: Sequence[ast.stmt], ends: list[int], low: int, results: set[str]) -> Region | None:
        """Return the statements from the first that runs a trained network, or reads its result, to `backward`."""
        active: set[str] = {*self._loops.leaves(), *results}
        flowing = self._flowing(block, low, ends)
        apart, making = self._apart(block, low, ends[-1]), self._making(block, low, ends[-1], flowing)
        first = None
        for i in range(low, ends[-1]):
            statement = block[i]
            is_free = i not in apart and not isinstance(statement, DEFINITIONS)
            is_free = is_free and not (first is None and (i in making or self._prepares(block[i : ends[-1] + 1])))
            is_free = is_free and (first is not None or i in flowing or not self._loops.looks_at(statement))
            if is_free and self._loops.runs(statement, active, i in flowing):
                active |= stored([statement])
                first = i if first is None else first
        loss = self._loops.differentiated(block[ends[-1]])
        if first is None and loss is not None and self._loops.runs(loss, active, True):
            first = ends[0]
        if first is None:
            return None
        fresh = [i for i in range(first, ends[-1]) if self._is_fresh(block, first, i)]
        return Region(block, first, ends, sorted({*fresh, *[i for i in apart if i > first]}))

    def _prepares(self, statements: Sequence[ast.stmt]) -> bool:
        """Return whether the first of some statements makes what the others call, or says what has a gradient."""
        called = {access_path(n.func) for s in statements[1:] for n in inside(s) if isinstance(n, ast.Call)}
        makes = bool({*assigned(statements[:1])} & {*called, *self._loops.leaves()})
        return makes or marks_leaf(statements[0]) or self._loops.sets_requires_grad(statements[0])

    def _is_fresh(self, block: Sequence[ast.stmt], first: int, at: int) -> bool:
        """Return whether a statement makes a Tensor with a gradient, independent of what the region assigns."""
        within = assigned(block[first:at])
        return makes_leaf(block[at]) and not any(reads(block[at], name) for name in within)

    def _apart(self, block: Sequence[ast.stmt], low: int, end: int) -> list[int]:
        """Return the indices of the statements that make an optimizer and its arguments."""
        indices: list[int] = []
        names: set[str] = set()
        for i in range(end - 1, low - 1, -1):
            if self._loops.makes_optimizer(block[i]) or names & {*assigned([block[i]])}:
                indices.insert(0, i)
                names |= {n.id for n in walk(block[i]) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        return indices

    def _flowing(self, block: Sequence[ast.stmt], low: int, ends: list[int]) -> set[int]:
        """Return the indices of the statements whose results may flow into the differentiated value, by more than a network."""
        names = {n.id for i in ends for n in walk(block[i]) if isinstance(n, ast.Name)}
        indices = set()
        for i in range(ends[-1] - 1, low - 1, -1):
            if names & {*assigned([block[i]])}:
                indices.add(i)
                is_network = self._loops.makes_network(block[i])
                names |= set() if is_network else {n.id for n in walk(block[i]) if isinstance(n, ast.Name)}
        return indices

    def _making(self, block: Sequence[ast.stmt], low: int, end: int, flowing: set[int]) -> set[int]:
        """Return the indices of the statements that make networks and, of those that do not flow, their arguments."""
        indices, names = set[int](), set[str]()
        for i in range(end - 1, low - 1, -1):
            if self._loops.makes_network(block[i]) or (i not in flowing and names & {*assigned([block[i]])}):
                indices.add(i)
                names |= {n.id for n in walk(block[i]) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        return indices

    # --- writing ------------------------------------------------------------------------------------------------------

    def _write(
        self, region: Region, optimizers: list[str], direct: bool, after: int | None, methods: list[str], again: str
    ) -> None:
        block, ends = region.block, region.ends
        start, _ = self.source.lines(block[region.first])
        _, stop = self.source.lines(block[ends[-1]])
        grads = self._fresh("grads")
        leaves = self._leaves(region)
        carried = [name for name in assigned(region.body) if read_first(region.body, name)]
        weights = self._weights(region, optimizers, leaves)
        losses = [self._loss_text(block[i]) for i in ends]
        loss = self._loops.differentiated(block[ends[-1]])
        is_named = isinstance(loss, ast.Name) and len(ends) == 1 and not self._sensitivity(block[ends[-1]])
        named = loss.id if is_named and isinstance(loss, ast.Name) else ""
        aux = [name for name in dict.fromkeys([*self._outputs(region), *carried]) if name not in (named, *leaves)]
        unsure = [name for name in aux if name not in carried and not assigned_for_sure(region.body, name)]
        aux = [name for name in aux if name not in unsure]
        for i in ends:
            line, end = self.source.lines(block[i])
            self.edits.take(line, end)
            self.edits.add(line, end, "")
        for i in range(ends[-1]):
            if not self._loops.zeroes(block[i]) or id(block[i]) in self._steps.converted:
                continue
            if direct:
                self._steps.remove(block, i)
            else:
                self._steps.buffered(block[i])
                self._steps.converted.add(id(block[i]))
        above = "".join(self._remove_lines(block[i]) for i in region.apart)
        target = f"({', '.join([named or '_', *aux])})" if aux else named or "_"
        within = [*region.body, *[block[i] for i in ends]]
        inputs = list(dict.fromkeys([*leaves, *self._loops.inputs(within, block[region.first].lineno)]))
        above += self._declared(region, unsure, self.source.indentation(start))
        outer = self._loops.outer([name for name in carried if name not in inputs] + unsure)
        data = self._attributes.data(within, methods, block[region.first].lineno)
        again += self._attributes.calls_of(methods, f"{self.source.indentation(start)}{self.source.level(start)}")
        function = Function(self._fresh("forward_fn"), inputs, data, leaves, outer, weights, [" + ".join(losses), *aux])
        below = self._accumulation(
            self.source.indentation(start), leaves, "" if direct else weights, grads, bool(weights)
        )
        self._put(start, stop, function, f"{target}, {grads}", above, again, below)
        self._steps.converted |= {id(block[i]) for i in ends}
        if direct and after is not None:
            self._steps.step(block, ends[-1] + 1, optimizers, grads)

    def _put(
        self, start: int, stop: int, function: Function, target: str, above: str = "", again: str = "", below: str = ""
    ) -> None:
        """Replace whole lines by a function, followed by the call of its gradient, whose results `taken` names.

        Lines may stand `above` it, `again` at its beginning, and `below` the call.
        """
        indentation = self.source.indentation(start)
        definition = function.definition(
            indentation, self.source.level(start), again + self.rewriter.take_indented(start, stop, self.position.scope)
        )
        call = function.gradient(self.imports.name("mindspore.value_and_grad"))
        self.edits.add(start, stop, f"{above}{definition}{indentation}{target} = {call}\n{below}")

    def _accumulation(self, indentation: str, leaves: list[str], weights: str, grads: str, both: bool) -> str:
        """Return the lines that add gradients to the attributes `grad`: of leaves, and of weights.

        If `both` is set, the gradients are those of the leaves and those of the weights.
        """
        own = f"{grads}[0]" if both else grads
        own = f"({own},)" if len(leaves) == 1 else own  # one position gives one gradient, several give a tuple
        of = [f"({', '.join(leaves)},), {own}"] if leaves else []
        of += [f"{weights}, {grads}{'[1]' if leaves else ''}"] if weights else []
        lines = [f"{self.imports.name('_accumulate')}({each})" for each in of]
        lines += [f"{grads} = {grads}[1]"] if leaves and both and not weights else []
        return "".join(f"{indentation}{line}\n" for line in lines)

    def _leaves(self, region: Region) -> list[str]:
        """Return the Tensors with gradients that the region reads."""
        statements = [*region.body, region.block[region.ends[-1]]]
        return [name for name in self._loops.leaves() if any(reads(s, name) for s in statements)]

    def _weights(self, region: Region, optimizers: list[str], leaves: list[str]) -> str:
        """Return the expression of the Parameters with respect to which the function is differentiated."""
        of = optimizers or self._loops.optimizers(region.block[region.ends[-1]].lineno)
        if of:
            return f"{of[0]}.parameters" if len(of) == 1 else " + ".join(f"list({o}.parameters)" for o in of)
        modules: dict[str, None] = {}
        statements = [*region.body, region.block[region.ends[-1]]]
        for node in (n for statement in statements for n in inside(statement)):
            if isinstance(node, ast.Call) and self.scopes.is_module(self.context.kind_of(node.func)):
                modules[ast.unparse(node.func)] = None
        sources = self._loops.sources(statements)
        if {*sources} <= {*modules}:
            return " + ".join(f"{module}.trainable_params()" for module in modules)
        return f"{self.imports.name('_trained')}({', '.join([*modules, *[s for s in sources if s not in modules]])})"

    def _outputs(self, region: Region) -> list[str]:
        """Return the names that the region assigns and the program reads elsewhere."""
        names = assigned(region.body)
        if not self.position.functions:
            return names
        within = {id(n) for s in region.body for n in walk(s)}
        within |= {id(n) for i in region.ends for n in walk(region.block[i])}
        outside = {
            n.id
            for n in walk(self.position.scope)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in within
        }
        declared = [n for n in own(self.position.scope) if isinstance(n, (ast.Global, ast.Nonlocal))]
        outside = outside.union(*(n.names for n in declared))
        for statement in region.body:  # what a later gradient may run again, it reads again
            if outside & {*assigned([statement])}:
                outside |= {n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        return [name for name in names if name in outside]

    def _declared(self, region: Region, names: list[str], indentation: str) -> str:
        """Return the lines that make names, which the region may assign, names of the scope, if nothing else does."""
        if isinstance(self.position.scope, ast.Module):
            return ""
        within = {id(n) for s in region.body for n in walk(s)}
        others = [n for n in own(self.position.scope) if isinstance(n, ast.Name) and id(n) not in within]
        bound = self._loops.bound(0) | {n.id for n in others if isinstance(n.ctx, ast.Store)}
        return "".join(f"{indentation}{name}: object\n" for name in names if name not in bound)

    def _loss_text(self, statement: ast.stmt) -> str:
        loss = self._loops.differentiated(statement)
        assert loss is not None
        return self._weighted(loss, self._sensitivity(statement))

    def _sensitivity(self, statement: ast.stmt) -> ast.expr | None:
        """Return the initial gradient that `backward` gets."""
        call = statement.value  # type: ignore[attr-defined]
        is_function = self.scopes.path(call.func) == BACKWARD
        positional, name = (call.args[1:], "grad_tensors") if is_function else (call.args, "gradient")
        value = positional[0] if positional else next((k.value for k in call.keywords if k.arg == name), None)
        return None if value is None or ast.unparse(value) == "None" else value

    def _remove_lines(self, statement: ast.stmt) -> str:
        """Remove a statement, and return its converted lines."""
        line, end = self.source.lines(statement)
        text = self.source.edited(self.edits.take(line, end), line, end)
        self.edits.add(line, end, "")
        return text

    def _fresh(self, name: str) -> str:
        """Return a name that the file does not have."""
        chosen, number = name, self._numbers.get(name, 1)
        while chosen in self._names:
            number += 1
            chosen = f"{name}_{number}"
        self._names.add(chosen)
        self._numbers[name] = number
        return chosen


def _elements(node: ast.expr) -> list[ast.expr]:
    """Return the elements of a list or tuple that is written out, or the expression itself."""
    return node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
