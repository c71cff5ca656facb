"""Python as programs write it in `construct`: one function for each form, which plain numbers and Tensors both take.

Called with Python numbers, a function is its own reference: what Python answers.
"""

from collections.abc import Callable
from typing import Any

FORMS: dict[str, tuple[Callable[..., Any], tuple[tuple[float, ...], ...]]] = {}


def form(*arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a program into the table, with the arguments it is tried with."""

    def enter(program: Callable[..., Any]) -> Callable[..., Any]:
        FORMS[program.__name__] = program, tuple(a if isinstance(a, tuple) else (a,) for a in arguments)
        return program

    return enter


# --- comparisons and conditions ---------------------------------------------------------------------------------------


@form(2.0, 7.0, -1.0)
def chained_comparison(x):
    return x * 2 if 0 < x < 5 else x


@form(2.0, 5.0, 7.0)
def long_chain(x):
    if 0 < x <= 5 != x:
        return x + 1
    return x


@form(1.0, 3.0, 7.0)
def value_in_list(x):
    if x in [1.0, 2.0]:
        return x * 10
    return x if x not in (3.0, x + 1) else -x


@form(1.0, -1.0)
def key_in_dict(x):
    table = {"a": x, "b": x * 2}
    if "b" in table and x > 0:
        return table["b"]
    return table["a"]


@form(3.0, -1.0, 0.5)
def and_or_not(x):
    a, b = x > 0, x < 2
    if (a and b) or not a:
        return x + 1
    return x


@form(3.0, -1.0, 0.0)
def values_of_and_or(x):
    return (x or 5.0) + (x and x * 3)


@form(3.0, 0.0)
def truth_of_a_tensor(x):
    if x:
        return x * 2
    return x + 1


@form(3.0, -1.0)
def is_none(x):
    y = None
    if y is None and x is not None:
        y = x
    return y if y > 0 else -y


@form(3.0, -1.0, 0.5)
def any_and_all(x):
    return x * 2 if any([x > 2, x < -5]) or all([x > 0, x < 1]) else x


@form(3.0, -1.0)
def max_and_min(x):
    return max(x, 2.0) + min(x, x * 2) + max([x, x + 1]) + min((x, 4.0), key=lambda v: -v)


@form((3.0, "a"), (-1.0, "b"), (3.0, "c"))
def match_statement(x, kind):
    match kind:
        case "a":
            y = x * 2
        case "b" | "z":
            y = -x
        case other:
            y = x * len(other)
    return y if y > 0 else y - 1


# --- loops ------------------------------------------------------------------------------------------------------------


@form(5.0, 0.0)
def while_with_else(x):
    s = x * 0
    while x > 0:
        x = x - 1
        s = s + x
    else:
        s = s + 100
    return s


@form(5.0, 0.5)
def for_with_else(x):
    for i in range(4):
        if x < i:
            break
    else:
        return x * 100
    return x + i


@form(1.5, 12.0, 30.0)
def while_break_continue(x):
    i = 0
    total = 0.0
    while i < x:
        i += 1
        if i == 2:
            continue
        if total > 20:
            break
        total += i * 1.5
    return x + total


@form(-1.0, 2.0, 7.0, 20.0)
def returns_within_loops(x):
    for i in range(3):
        for j in range(3):
            if x < i + j:
                return x * 10 + i * j
    while x < 100:
        if x > 15:
            return x + 0.5
        x = x * 2
    return x


@form(3.0, -1.0, 20.0, -9.0)
def returns_on_both_sides(x):
    if x > 0:
        if x > 10:
            return x
        while x < 8:
            x = x * 2
            if x > 7:
                return x + 0.5
        return x
    else:
        if x < -5:
            return -x
        return x - 1


@form(3.0, -1.0)
def zip_and_enumerate(x):
    s = x * 0
    for i, (a, b) in enumerate(zip([x, x * 2], (1, 2), strict=True)):
        if a > i:
            s += a * b
    return s


@form(3.0, 12.0)
def items_changed_in_while(x):
    out = [x, x]
    while x > 0:
        x = x - 4
        out[1] = out[1] + x
    return out[0] + out[1]


@form(3.0, -1.0)
def comprehensions(x):
    table = {k: x * k for k in range(3) if k != 1}
    return sum([v if v > 1 else v * 2 for v in table.values()]) + sum(x * i for i in (1, 2))


@form(3.0, -1.0)
def bounded_loop_with_break(x):
    s = x
    for _ in range(20):
        s = s * 1.3
        if abs(s) > 10:
            break
    return s


# --- names, lists, items ----------------------------------------------------------------------------------------------


@form(3.0, -1.0)
def walrus(x):
    if (y := x * 2) > 1:
        return y
    return x


@form(3.0, -3.0)
def starred_and_swapped(x):
    a, *b = (x, x + 1, x + 2)
    if a > 0:
        a, b = b[0], [a, a]
    return a + b[1]


@form(3.0, -1.0)
def deleted_name(x):
    y = x * 2
    if x > 0:
        z = y
        del y
    else:
        z = x
    return z


@form(3.0, -1.0)
def list_grows_in_a_branch(x):
    out = [x]
    alias = out
    if x > 0:
        out.append(x * 2)
    else:
        out.extend([x * 3])
    out += [x]
    return alias[0] + alias[1] * alias[2] + len(out)


def push(items, value):
    items.append(value)


@form(3.0, -1.0)
def helper_changes_a_list(x):
    out = [x]
    if x > 0:
        push(out, x * 2)
    else:
        push(out, x * 3)
    return out[1]


@form(3.0, -1.0)
def dict_changed_in_a_branch(x):
    d = {"a": x}
    if x > 0:
        d["b"] = x * 2
        d["a"] += 1
    else:
        d.update(b=x)
    return d["a"] + d.pop("b") + len(d)
