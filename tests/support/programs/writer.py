"""Random programs: Python source of operators and control flow that runs on NumPy arrays and on Tensors alike.

def program(x, y, s, n):        # floats of shape (2, 3), (3,) and (), and an int scalar
    ...                         # w: a Parameter of shape (2, 3), a global of the program
    return a, b                 # floats of shape (2, 3) and ()

def loss(x, y, s, n):           # a scalar that depends on both results and on what was written to w
    ...
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from programs.calls import Entry

_FLOATS = "MVS"
_LOSS = """
def loss(x, y, s, n):
    a, b = program(x, y, s, n)
    return (a * K_loss).sum() + b * 1.5 + (w * K_state).sum()
"""


@dataclass(frozen=True)
class Program:
    """A program: its text, the constants that the text names, and what it may do.

    Attributes:
        features: Among `"assign"` (writes its Parameter), `"loop"` (a loop whose length depends on a Tensor), `"rough"`
            (an operator without derivative), `"grows"` (a list changes its length where a Tensor decides).
    """

    seed: int
    source: str
    constants: dict[str, np.ndarray]
    features: frozenset[str]
    rows: frozenset[str]


class Writer:
    """Writes one program.

    Args:
        seed: Chooses the program.
        entries: The calls to choose from, completed.
        size: About how many statements to write.
        grows: Whether lists may change their length where a Tensor decides.
    """

    def __init__(self, seed: int, entries: Sequence[Entry], size: int = 12, grows: bool = False) -> None:
        self.seed, self.grows = seed, grows
        self.rng = random.Random(seed)
        self.left = size
        self.calls: dict[str, list[Entry]] = {}
        for entry in entries:
            self.calls.setdefault(entry.out, []).append(entry)
        self.lines: list[str] = []
        self.indent = 1
        self.types = {"x": "M", "y": "V", "s": "S", "n": "I", "w": "M"}
        self.fixed = {"x", "y", "s", "n", "w"}  # variables that the text must not rebind
        self.functions: list[tuple[str, str]] = []
        self.count = 0
        self.traced = 0  # how many conditions on Tensors are open
        self.inside = False  # whether a nested function is being written
        self.returned = False  # whether a Tensor decides if the program gets this far
        self.constants: dict[str, np.ndarray] = {}
        self.features: set[str] = set()
        self.rows: set[str] = set()

    def program(self) -> Program:
        """Return the program."""
        for kind in "MMVS":
            self.new(None, kind)
        self.new_list(None)
        while self.left > 0:
            self.statement(None)
        self.put(f"return {self.results()}")
        text = "def program(x, y, s, n):\n" + "\n".join(self.lines) + "\n" + _LOSS
        rng = np.random.default_rng(self.seed)
        self.constants |= {"K_loss": rng.standard_normal((2, 3)), "K_state": rng.standard_normal((2, 3))}
        return Program(self.seed, text, self.constants, frozenset(self.features), frozenset(self.rows))

    # --- text ---------------------------------------------------------------------------------------------------------

    def put(self, line: str) -> None:
        """Add a line at the current depth."""
        self.lines.append("    " * self.indent + line)

    def name(self, letter: str = "v") -> str:
        """Return a new variable."""
        self.count += 1
        return f"{letter}{self.count}"

    def some(self, kind: str, free: bool = False) -> list[str]:
        """Return the variables of a type; with `free` those that may be assigned."""
        return [n for n, t in self.types.items() if t == kind and not (free and n in self.fixed)]

    def results(self) -> str:
        """Return the text of what the program, or the function being written, returns."""
        if self.inside:
            return self.expr("M", 1)
        first, second = (self.some(k, free=True)[-3:] for k in "MS")
        items = [f"{name}[-1]" for name in self.some("L")[-1:]]
        return f"{' + '.join([*first, *items, self.expr('M', 0)])}, {' + '.join([*second, self.expr('S', 1)])}"

    # --- expressions --------------------------------------------------------------------------------------------------

    def expr(self, kind: str, depth: int = 2) -> str:
        """Return the text of an expression of a type."""
        choices = [self._variable]
        if depth > 0:
            choices += [self._call] * 4 + [getattr(self, f"_{kind}")] * 3
            if kind in _FLOATS:
                choices += [self._arithmetic] * 3 + [self._either]
            if kind == "M" and self.functions:
                choices += [self._function] * 3
        return self.rng.choice(choices)(kind, depth - 1)

    def _variable(self, kind: str, depth: int) -> str:
        known = self.some(kind)
        if not known:
            return getattr(self, f"_{kind}")(kind, 0)
        name = self.rng.choice(known[-4:] if self.rng.random() < 0.7 else known)
        return "(w * 1.0)" if name == "w" else name  # another name for a Parameter would show later assignments

    def _call(self, kind: str, depth: int) -> str:
        if kind not in self.calls:
            return self._variable(kind, depth)
        entry = self.rng.choice(self.calls[kind])
        self.rows.add(entry.row.name)
        self.constants |= entry.constants
        if not entry.row.grad:
            self.features.add("rough")
        return entry.text(*[self.expr(k, depth) for k, _ in entry.places])

    def _arithmetic(self, kind: str, depth: int) -> str:
        a = self.expr(kind, depth)
        b = self.expr(self.rng.choice({"M": "MMVS", "V": "VVS", "S": "S"}[kind]), depth)
        form = self.rng.choice(["({} + {})", "({} - {})", "({} * {})", "({} / (ops.abs({}) + 1.0))", "({} * 0.5 - {})"])
        return form.format(*((a, b) if self.rng.random() < 0.7 or "/" in form else (b, a)))

    def _either(self, kind: str, depth: int) -> str:
        return f"({self.expr(kind, depth)} if {self.condition(depth)} else {self.expr(kind, depth)})"

    def _function(self, kind: str, depth: int) -> str:
        name, takes = self.rng.choice(self.functions)
        return f"{name}({', '.join(self.expr(k, depth) for k in takes)})"

    def _M(self, kind: str, depth: int) -> str:
        lists = self.some("L")
        if lists and self.rng.random() < 0.6:
            return f"{self.rng.choice(lists)}[{self.rng.choice(['0', '-1', '1'])}]"
        m = self.expr("M", depth)
        forms = ["{}[::-1]", "{}[:, [2, 0, 1]]", "({} * {n})", "ops.tanh({})", "(-{})", "({}[{i}:{i} + 1] * 1.0 + x)"]
        if depth > 0:
            forms += [f"ops.where({self.expr('B', depth)}, {{}}, {self.expr('M', depth)})", "({} + {c})"]
        form = self.rng.choice(forms)
        counts = self.some("I")
        return form.format(
            m, n=self.rng.choice(counts), i=self.rng.choice("01"), c=self.rng.choice(["0.25", "-1.5", "2"])
        )

    def _V(self, kind: str, depth: int) -> str:
        form = self.rng.choice(["{}[0]", "{}[-1]", "{}.sum(axis=0)", "{}.mean(0)", "{}[n % 2]", "ops.tanh(y)"])
        return form.format(self.expr("M", depth))

    def _S(self, kind: str, depth: int) -> str:
        form = self.rng.choice(
            ["{m}.sum()", "{m}.mean()", "{v}[1]", "{m}[0, 1]", "{v}[n % 3]", "{m}[-1, n % 3]", "{v}.max()"]
        )
        return form.format(
            m=self.expr("M", depth) if "{m}" in form else "", v=self.expr("V", depth) if "{v}" in form else ""
        )

    def _N(self, kind: str, depth: int) -> str:
        return f"ops.cast({self.expr('M', depth)} * 4.0, ms.int64)"

    def _I(self, kind: str, depth: int) -> str:
        return self.rng.choice(["(n + 1)", "(n % 2)", "(3 - n)", "(n // 2)"])

    def _B(self, kind: str, depth: int) -> str:
        a = self.expr("M", depth)
        form = self.rng.choice(["({} > {})", "({} <= {} * 0.5)", "({} < 0.125)"])
        return form.format(a, self.expr(self.rng.choice("MVS"), depth)) if form.count("{}") == 2 else form.format(a)

    def condition(self, depth: int = 1) -> str:
        """Return the text of a condition on a Tensor."""
        kind = self.rng.randrange(8)
        if kind < 3:
            return f"{self.expr('S', depth)} {self.rng.choice('<>')} {self.rng.choice(['0.125', '-0.25', '0.5'])}"
        if kind == 3:
            return f"{self.expr('B', depth)}.{self.rng.choice(['any', 'all'])}()"
        if kind == 4:
            return f"{self.rng.choice(self.some('I'))} {self.rng.choice(['> 1', '< 2', '== 2', '!= 1'])}"
        if kind == 5:
            return f"not ({self.condition(0)})"
        return f"({self.condition(0)}) {self.rng.choice(['and', 'or'])} ({self.condition(0)})"

    # --- statements ---------------------------------------------------------------------------------------------------

    def statement(self, loop: str | None) -> None:
        """Write one statement; `loop` tells whether it is in a loop that `"stays"` or one that a Tensor `"leaves"`."""
        self.left -= 1
        forms: list[Callable[[str | None], None]] = [self.new, self.rebind, self.rebind, self.augment, self.item]
        forms += [self.change_list, self.write] + [self.rebind, self.augment, self.rebind, self.item] * (
            self.indent > 1
        )
        if self.left > 1 and self.indent < 4:
            forms += [self.branch, self.branch, self.branch, self.count_to, self.over_rows, self.repeat, self.define]
        forms += [self.leave] * 2 if loop == "leaves" else [self.early] if self.traced and not loop else []
        self.rng.choice(forms)(loop)

    def block(self, loop: str | None, traced: bool, before: str | None = None, most: int = 3) -> None:
        """Write an indented block, whose new variables end with it."""
        types, functions = dict(self.types), list(self.functions)
        self.indent += 1
        self.traced += traced
        if before:
            self.put(before)
        for _ in range(self.rng.randint(1, most)):
            self.statement(loop)
        self.traced -= traced
        self.indent -= 1
        self.types, self.functions = types, functions

    def new(self, loop: str | None, kind: str | None = None) -> None:
        """`v = expr`."""
        kind = kind or self.rng.choice("MMMMVVVSSNBI")
        text, name = self.expr(kind), self.name()
        self.put(f"{name} = {text}")
        self.types[name] = kind

    def rebind(self, loop: str | None) -> None:
        """`v = expr` of a variable there is."""
        known = [n for k in _FLOATS for n in self.some(k, free=True)]
        if not known:
            return self.new(loop)
        name = self.rng.choice(known)
        self.put(f"{name} = {self.expr(self.types[name])}")

    def augment(self, loop: str | None) -> None:
        """`v += expr`."""
        known = self.some("M", free=True)
        if not known:
            return self.new(loop)
        self.put(
            f"{self.rng.choice(known)} {self.rng.choice(['+=', '-=', '*='])} {self.expr(self.rng.choice('MVS'), 1)}"
        )

    def item(self, loop: str | None) -> None:
        """`v[index] = expr`, of a variable that no other name stands for."""
        known = self.some("M", free=True)
        if not known:
            return self.new(loop)
        name = self.rng.choice(known)
        self.put(f"{name} = {name} * 1.0")
        index, kind = self.rng.choice([("0", "V"), ("-1", "V"), (":, 1:", "S"), ("n % 2", "V"), ("1, 2", "S"), ("...", "M"),
                                       (":, n % 3", "S"), ("[1, 0]", "M"), (f"{name} > 0.5", "S")])  # fmt: skip
        self.put(
            f"{name}[{index}] {self.rng.choice(['=', '=', '+=']) if '>' not in index else '='} {self.expr(kind, 1)}"
        )

    def new_list(self, loop: str | None) -> None:
        """`v = [expr, expr]`."""
        items, name = [self.expr("M", 1) for _ in range(2)], self.name("l")
        self.put(f"{name} = [{', '.join(items)}]")
        self.types[name] = "L"

    def change_list(self, loop: str | None) -> None:
        """Replace, add or remove an item."""
        known = self.some("L")
        if not known:
            return self.new_list(loop)
        name = self.rng.choice(known)
        forms = ["{}[0] = {}", "{}[-1] = {}", "{0}[1], {0}[0] = {0}[0], {1}"]
        decided = self.traced or self.returned or loop == "leaves"
        if not decided or self.grows:
            forms += ["{}.append({})", "{0}.append({1}); {0}.pop(0)", "{}.insert(0, {})"]
        form = self.rng.choice(forms)
        if decided and ("append" in form or "insert" in form):
            self.features.add("grows")
        for line in form.format(name, self.expr("M", 1)).split("; "):
            self.put(line)

    def write(self, loop: str | None) -> None:
        """Assign the Parameter."""
        self.features.add("assign")
        self.put(f"ops.{self.rng.choice(['assign', 'assign_add'])}(w, {self.expr('M', 1)})")

    def branch(self, loop: str | None) -> None:
        """`if … elif … else`."""
        self.put(f"if {self.condition()}:")
        self.block(loop, True)
        if self.rng.random() < 0.3:
            self.put(f"elif {self.condition()}:")
            self.block(loop, True)
        if self.rng.random() < 0.6:
            self.put("else:")
            self.block(loop, True)

    def count_to(self, loop: str | None) -> None:
        """`for i in range(…)`."""
        bounds = self.rng.choice(["3", "2", "1, 3", "n", "n", "1, n + 1", "n, 0, -1", "0, n, 2"])
        name = self.name("i")
        self.put(f"for {name} in range({bounds}):")
        self._body(loop, "n" in bounds, name, "I")

    def over_rows(self, loop: str | None) -> None:
        """`for row in tensor`, `for item in list`."""
        lists = self.some("L")
        name = self.name("r")
        if lists and self.rng.random() < 0.6:
            chosen = self.rng.choice(lists)
            form = self.rng.choice(
                ["{1} in {0}", "{1} in list({0})", "{2}, {1} in enumerate({0})", "{1}, {2} in zip({0}, {0})"]
            )
            self.put(f"for {form.format(chosen, name, self.name('i'))}:")
            self._body(loop, False, name, "M", without=chosen)
        else:
            self.put(f"for {name} in {self.expr('M', 1)}:")
            self._body(loop, False, name, "V")

    def _inner(self, loop: str | None) -> str:
        return self.rng.choice(["stays", "leaves"]) if loop != "stays" else "stays"

    def _body(self, loop: str | None, traced: bool, name: str, kind: str, without: str | None = None) -> None:
        types, fixed = dict(self.types), set(self.fixed)
        self.types[name] = kind
        self.fixed.add(name)
        if without:
            del self.types[without]
        if traced:
            self.features.add("loop")
        self.block(self._inner(loop), traced)
        self.types, self.fixed = types, fixed

    def repeat(self, loop: str | None) -> None:
        """`while …`, with a counter that ends it."""
        name, other = self.name("c"), ""
        traced = self.rng.random() < 0.75
        if traced and self.rng.random() < 0.5:
            other = f" {self.rng.choice(['and', 'and not'])} ({self.condition()})"
        self.put(f"{name} = {self.rng.choice(['0', '0', 'n * 0']) if traced else '0'}")
        self.put(f"while {name} < {'n' if traced else '2'}{other}:")
        self.types[name] = "I"
        self.fixed.add(name)
        if traced:
            self.features.add("loop")
        self.block(self._inner(loop), traced, f"{name} = {name} + 1")

    def leave(self, loop: str | None) -> None:
        """`if …: break`, `continue` or an early return."""
        self.put(f"if {self.condition()}:")
        self.indent += 1
        if self.rng.random() < 0.4:
            self.rebind(loop)
        how = self.rng.choice(["break", "continue", "continue", "return"])
        self.returned = self.returned or how == "return"
        self.put(f"return {self.results()}" if how == "return" else how)
        self.indent -= 1

    def early(self, loop: str | None) -> None:
        """`if …: return …`."""
        self.returned = True
        self.put(f"if {self.condition()}:")
        self.put(f"    return {self.results()}")

    def define(self, loop: str | None) -> None:
        """A function, or a lambda, that reads what is around it."""
        name, takes = self.name("f"), self.rng.choice(["M", "MS", "MM"])
        arguments = [self.name("a") for _ in takes]
        types, fixed, functions = dict(self.types), set(self.fixed), list(self.functions)
        self.fixed |= set(self.types)
        self.types |= dict(zip(arguments, takes, strict=True))
        if self.rng.random() < 0.3:
            self.put(f"{name} = lambda {', '.join(arguments)}: {self.expr('M')}")
        else:
            self.put(f"def {name}({', '.join(arguments)}):")
            outer, self.inside = (self.inside, self.returned), True
            self.block(None, True)
            self.indent += 1
            self.put(f"return {self.results()}")
            self.indent -= 1
            self.inside, self.returned = outer
        self.types, self.fixed, self.functions = types, fixed, [*functions, (name, takes)]
