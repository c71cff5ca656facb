"""Random programs of names, numbers, branches, loops and early exits, of which Python says what they mean.

def program(x, y, n):        # float32 Tensors of shape (3,) and (), and an int
    ...                      # reads and assigns the Parameter w; names may have no value, numbers may be divided by zero
    return ...               # numbers and Tensors, in tuples and dicts
"""

from __future__ import annotations

import random
from collections.abc import Callable

KINDS = ("int", "float", "bool", "tensor", "pair")  # what a name is stays the same on all paths


def _is_assigned(name: str) -> bool:
    """Tell whether a name is one that programs assign anew: no argument, counter or call of the helper."""
    return name.isidentifier() and name not in ("n", "x") and name[0] != "k"


class PythonWriter:
    """Writes one program.

    Args:
        seed: Chooses the program.
        size: About how many statements to write.
    """

    def __init__(self, seed: int, size: int = 10) -> None:
        self.rng = random.Random(seed)
        self.left = size
        self.lines: list[str] = []
        self.names: dict[str, list[str]] = {"int": ["n"], "float": [], "bool": [], "tensor": ["x"], "pair": []}
        self.bound = {"n", "x"}
        self.count = 0
        self.loops = 0

    def source(self) -> str:
        """Return the text of the program."""
        self.result = [self.rng.choice(KINDS) for _ in range(self.rng.randint(1, 3))]
        self.form = self.rng.choice(["({})", "[{}]", "{{'a': ({})}}"]) if len(self.result) > 1 else "{}"
        if self.rng.random() < 0.3:
            self._helper()
        while self.left > 0:
            self._statement("    ", False)
        self._return("    ")
        return "def program(x, y, n):\n" + "\n".join(self.lines) + "\n"

    # --- statements ---------------------------------------------------------------------------------------------------

    def _put(self, indent: str, line: str) -> None:
        self.lines.append(indent + line)
        self.left -= 1

    def _statement(self, indent: str, in_loop: bool) -> None:
        deep = len(indent) > 12
        choices: list[tuple[float, Callable[[], None]]] = [
            (4, lambda: self._assign(indent)),
            (0 if deep else 3, lambda: self._if(indent, in_loop)),
            (0 if deep or in_loop else 1, lambda: self._while(indent)),
            (0 if deep else 1, lambda: self._for(indent)),
            (0.6, lambda: self._augment(indent)),
            (0.3, lambda: self._put(indent, f"ops.assign(w, {self._tensor()})")),
            (0.25, lambda: self._delete(indent)),
            (0.2 if not deep else 0, lambda: self._try(indent)),
        ]
        self.rng.choices([run for _, run in choices], [weight for weight, _ in choices])[0]()

    def _name(self, kind: str) -> str:
        """Return the name that is assigned next: a new one, or one that has been assigned before."""
        known = [name for name in self.names[kind] if _is_assigned(name)]
        if known and self.rng.random() < 0.6:
            return self.rng.choice(known)
        self.count += 1
        return f"{kind[0]}{self.count}"

    def _bind(self, kind: str, name: str) -> None:
        if name not in self.names[kind]:
            self.names[kind].append(name)
        self.bound.add(name)

    def _assign(self, indent: str) -> None:
        kind = self.rng.choice(KINDS)
        value, name = self._value(kind), self._name(kind)
        self._put(indent, f"{name} = {value}")
        self._bind(kind, name)

    def _augment(self, indent: str) -> None:
        kind = self.rng.choice(("int", "float", "tensor"))
        known = [name for name in self.names[kind] if _is_assigned(name)]
        if known:
            name = self.rng.choice(known)
            self._put(indent, f"{name} {self.rng.choice(['+=', '-='])} {self._value(kind, 1)}")
            self.bound.add(name)

    def _delete(self, indent: str) -> None:
        known = [name for name in sorted(self.bound) if _is_assigned(name)]
        if known:
            name = self.rng.choice(known)
            self._put(indent, f"del {name}")
            self.bound.discard(name)

    def _block(self, indent: str, in_loop: bool, size: int) -> set[str] | None:
        """Write a block, and return the names bound after it; None if its end is not reached."""
        before = set(self.bound)
        ends = False
        for i in range(size):
            if i and self.left <= 0:
                break
            self._statement(indent, in_loop)
        chance = self.rng.random()
        if chance < 0.12:
            self._return(indent)
            ends = True
        elif chance < 0.2:
            self._put(indent, self.rng.choice(("raise ValueError('no')", f"raise KeyError(f'{{{self._int(0)}}}')")))
            ends = True
        elif in_loop and chance < 0.5:
            self._put(indent, self.rng.choice(("break", "continue")))
            ends = True
        after, self.bound = self.bound, before
        if self.lines[-1].endswith(":"):
            self._put(indent, "pass")
        return None if ends else after

    def _if(self, indent: str, in_loop: bool) -> None:
        self._put(indent, f"if {self._condition()}:")
        ends = [self._block(indent + "    ", in_loop, self.rng.randint(1, 3))]
        if self.rng.random() < 0.2:
            self._put(indent, f"elif {self._condition()}:")
            ends.append(self._block(indent + "    ", in_loop, 1))
        if self.rng.random() < 0.5:
            self._put(indent, "else:")
            ends.append(self._block(indent + "    ", in_loop, self.rng.randint(1, 2)))
        else:
            ends.append(set(self.bound))
        reached = [names for names in ends if names is not None]
        self.bound = set.intersection(*reached) if reached else self.bound

    def _while(self, indent: str) -> None:
        self.loops += 1
        counter = f"c{self.loops}"
        self._put(indent, f"{counter} = 0")
        self._put(indent, f"while {counter} < {self.rng.randint(2, 4)} and {self._condition()}:")
        self._put(indent + "    ", f"{counter} = {counter} + 1")
        self._block(indent + "    ", True, self.rng.randint(1, 3))
        self.names["int"].append(f"k{self.loops}")
        self._put(indent, f"k{self.loops} = {counter}")
        self.bound.add(f"k{self.loops}")

    def _for(self, indent: str) -> None:
        self.loops += 1
        count = self.rng.choice(["2", "3", f"abs({self._int(1)}) % 3", "int(abs(y)) % 4"])
        self._put(indent, f"for k{self.loops} in range({count}):")
        self.names["int"].append(f"k{self.loops}")
        before = set(self.bound)
        self.bound.add(f"k{self.loops}")
        self._block(indent + "    ", True, self.rng.randint(1, 3))
        self.bound = before

    def _try(self, indent: str) -> None:
        self._put(indent, "try:")
        before = set(self.bound)
        self._block(indent + "    ", False, 1)
        self._put(indent, "except (NameError, ZeroDivisionError):")
        self._put(indent + "    ", f"x = {self._tensor()}")
        self.bound = before

    def _helper(self) -> None:
        """Write a function that may return early, and whose name may have no value."""
        bound = self._condition().replace("x.", "v.")
        self.lines += ["    def helper(v, m):", f"        if {bound}:", "            h = v * 2", "        if m > 1:"]
        self.lines += ["            return v", "        return h"]
        self.names["tensor"] += ["helper(x, n)", f"grad(helper)(x, {self.rng.randint(0, 3)})"]
        self.bound |= set(self.names["tensor"])

    def _return(self, indent: str) -> None:
        values = ", ".join(self._value(kind, 1) for kind in self.result)
        self._put(indent, "return " + self.form.format(values))

    # --- values -------------------------------------------------------------------------------------------------------

    def _read(self, kind: str, otherwise: str) -> str:
        """Return a name; seldom one that may have no value."""
        known = [name for name in self.names[kind] if name in self.bound]
        if self.names[kind] and self.rng.random() < 0.08:
            known = self.names[kind]
        return self.rng.choice(known) if known and self.rng.random() < 0.85 else otherwise

    def _value(self, kind: str, depth: int = 2) -> str:
        if self.rng.random() < 0.1 and depth and kind != "pair":
            return f"({self._value(kind, 0)} if {self._condition(0)} else {self._value(kind, 0)})"
        return getattr(self, f"_{kind}")(depth)

    def _int(self, depth: int = 2) -> str:
        if not depth or self.rng.random() < 0.3:
            return self._read("int", str(self.rng.randint(-2, 5)))
        a, b = self._int(depth - 1), self._int(depth - 1)
        forms = [f"({a} + {b})", f"({a} - {b})", f"({a} * {b}) % 97", f"{a} // {b}", f"{a} % {b}", f"-{a}", f"abs({a})",
                 f"max({a}, {b})", "int(x.sum())", f"{self._read('pair', '(1, x)')}[0]", f"({a} & {b})", f"{a} ** 2 % 89",
                 f"int({self._float(0)})"]  # fmt: skip
        return f"({self.rng.choices(forms, [4, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])[0]})"

    def _float(self, depth: int = 2) -> str:
        if not depth or self.rng.random() < 0.3:
            return self._read("float", str(self.rng.choice((-1.5, 0.1, 0.5, 2.0, 3.25))))
        a, b, i = self._float(depth - 1), self._float(depth - 1), self._int(depth - 1)
        forms = [f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"{a} / 3", f"{i} / 4", f"{i} * {a}", "float(x.sum())",
                 f"{a} / {i}", f"min({a}, {b})", f"0.5 ** ({i} % 5)", f"float({i})", f"-{a}"]  # fmt: skip
        return f"({self.rng.choice(forms)})"

    def _bool(self, depth: int = 2) -> str:
        if not depth or self.rng.random() < 0.3:
            return self._read("bool", self.rng.choice(("True", "False")))
        a, b, i, j = self._bool(depth - 1), self._bool(depth - 1), self._int(depth - 1), self._int(depth - 1)
        forms = [f"not {a}", f"({a} and {b})", f"({a} or {b})", f"{i} < {j}", f"{i} == {j}", f"{i} in (0, 1, 2)",
                 f"0 <= {i} < 3", "not x.sum() > 1", "bool(x.max() > 1)", f"{self._float(1)} > 0.5", f"isinstance({i}, int)",
                 f"({a} and {i} > 1)"]  # fmt: skip
        return f"({self.rng.choice(forms)})"

    def _tensor(self, depth: int = 2) -> str:
        if not depth or self.rng.random() < 0.4:
            return self._read("tensor", "x")
        a, b = self._tensor(depth - 1), self._tensor(depth - 1)
        forms = [f"({a} + {b})", f"({a} - {b})", f"ops.maximum({a}, {b})", f"{a} * 0.5", f"({a} + {self._int(0)})",
                 f"({a} * ({self._int(0)} % 3))", f"({a} + y)", f"({a} - {self._float(0)})", f"{a} + w",
                 f"{self._read('pair', '(1, x)')}[1]"]  # fmt: skip
        return f"({self.rng.choice(forms)})"

    def _pair(self, depth: int = 2) -> str:
        if not depth or self.rng.random() < 0.3:
            return self._read("pair", f"({self._int(0)}, {self._tensor(0)})")
        return f"({self._int(depth - 1)}, {self._tensor(depth - 1)})"

    def _condition(self, depth: int = 1) -> str:
        """Return a condition, which mostly only the run decides."""
        limit = self.rng.choice((-2, 0, 1, 3))
        forms = [f"x.sum() > {limit}", f"{self._tensor(0)}.max() > {limit}", f"y < {limit}", f"x[{self.rng.randint(0, 2)}] > 0",
                 self._bool(1), f"{self._int(1)} > {limit}"]  # fmt: skip
        if depth:
            a, b = self._condition(0), self._condition(0)
            forms += [f"({a} and {b})", f"({a} or {b})", f"not {a}"]
        return self.rng.choice(forms)
