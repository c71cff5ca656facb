"""Functions and classes as programs write them in `construct`, entered into the table of `python_forms`."""

import contextlib
import dataclasses
import functools
from typing import Any

from python_forms import form

BIAS = 3.0


# --- functions --------------------------------------------------------------------------------------------------------


@form(3.0, -1.0)
def arguments_of_all_kinds(x):
    def inner(a, *args, b=2, **kw):
        s = a * b
        for v in args:
            s = s + v
        for v in kw.values():
            s = s + v
        return s if s > 0 else -s

    more = {"d": 2}
    return inner(x, 1, x, b=3, c=x, **more)


@form(3.0, -3.0)
def lambdas_and_partial(x):
    def larger(a, b):
        return a + b if a > b else b

    f = lambda a: a if a > 0 else -a
    return f(x) + functools.partial(larger, b=1.0)(x)


@form(3.0, -1.0)
def closures(x):
    n = x * 0

    def bump():
        nonlocal n
        if x > 0:
            n = n + 1

    bump()
    bump()
    return n + x


@form(3.0, -1.0)
def map_and_reduce(x):
    def halved(v):
        return v if v > 0 else v / 2

    return functools.reduce(lambda a, b: a if a > b else b, list(map(halved, [x, x + 1, x - 5])))


def plus_one(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs) + 1

    return wrapper


@plus_one
def decorated(x):
    if x > 0:
        return x
    return -x


@form(3.0, -1.0)
def decorated_function(x):
    return decorated(x)


@form(3.0, -1.0)
def recursion_of_known_depth(x):
    def power(v, n):
        if n == 0:
            return 1
        return v * power(v, n - 1) if v > 0 else v

    return power(x, 4)


@form(3.0, -1.0)
def global_variable(x):
    return x * BIAS if x > 0 else x


@form(3.0, -1.0)
def functions_in_a_list(x):
    steps = [lambda v: v + 1, lambda v: v * 2]
    for step in steps:
        x = step(x) if x > 0 else x
    return x


# --- objects ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Pair:
    """Two values."""

    first: Any
    second: Any = 1.0

    def total(self):
        if self.first > 0:
            return self.first + self.second
        return self.second


@form(3.0, -1.0)
def dataclass(x):
    pair = Pair(x, second=x * 2)
    if x > 0:
        pair.first = pair.first * 10
    return pair.total()


class Account:
    """A class of the program, with conditions in its constructor, a property and a call."""

    def __init__(self, value):
        if value > 0:
            self.value = value
        else:
            self.value = -value
        self.__count = 2

    def add(self, amount):
        self.value += amount
        return self

    @property
    def shown(self):
        return self.value if self.value > 2 else -self.value

    def __call__(self, x):
        return self.value * self.__count if x > 0 else self.value


@form(3.0, -1.0)
def class_of_the_program(x):
    account = Account(x)
    for i in range(2):
        if x > 0:
            account.add(x * i)
    return account.shown + account(x)


@form(3.0, -1.0)
def isinstance_and_len(x):
    if isinstance(x, object) and len([x, x]) == 2 and x > 0:
        return x + 1
    return x


@form(3.0, -1.0)
def known_fstring(x):
    name = f"k{1 + 1:02d}"
    table = {name: x}
    return table["k02"] if x > 0 else -x


@form(3.0, -1.0)
def try_except_finally(x):
    try:
        y = {}["missing"]
    except KeyError:
        y = x * 2
    finally:
        z = 1
    if y > 0:
        y = y + z
    return y


@form(3.0, -1.0)
def with_statement(x):
    with contextlib.nullcontext(x) as y:
        if y > 0:
            return y * 2
    return x
