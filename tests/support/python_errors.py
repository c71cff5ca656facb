"""Programs that raise, assert and print, apart from the tests because pytest changes what `assert` says in a test module."""

import sporax as ms
from sporax import ops


class Refused(Exception):
    """An error of the program, with an attribute."""

    def __init__(self, code, value):
        super().__init__(code, value)
        self.code = code


def raise_in_branch(x):
    if x > 0:
        raise ValueError("positive")
    return x


def message_of_tensors(x):
    if x > 0:
        raise ValueError(f"The input is {x}, {x:.2f}, {x!r} and {x.shape}.")
    return x


def other_formats(x):
    if x > 0:
        text = "a {} b {:.1f}".format(x, x)  # noqa: UP032
        raise RuntimeError(text + " c " + str(x) + " %s %d" % (x, 3))  # noqa: UP031
    return x


def tensors_as_arguments(x):
    raise ValueError("x is", x)


def error_of_the_program(x):
    if x > 0:
        raise Refused(3, x)
    elif x > -5:
        raise KeyError("k")
    return x * 2


def asserted(x):
    assert x > 0, f"{x} must be positive"
    return x


def asserted_without_text(x):
    assert x > 0
    return x


def raise_in_loop(x):
    while x > 0:
        x = x - 1
        if x == 3:
            raise RuntimeError(f"at {x}")
    return x


def assert_in_for(x):
    for i in range(x.astype(ms.int32)):
        assert i < 3, f"i is {i}"
    return x


def first_error_counts(x):
    def positive(v):
        if v > 0:
            raise ValueError(f"{v} is positive")
        return v

    return positive(x) + positive(-x - 5)


def both_paths_raise(x):
    if x > 0:
        raise ValueError("a")
    else:
        raise TypeError("b")


def loop_after_an_error(x):
    if x < 0:
        raise ValueError("negative")  # without an end, the loop below would not end for it
    while x < 100:
        x = x * 2
    return x


def error_of_an_operator(x):
    if x > 0:
        return ops.ones((3,)) + ops.ones((4,))
    return ops.ones((3,)) * x


PROGRAMS = [raise_in_branch, message_of_tensors, other_formats, tensors_as_arguments, error_of_the_program, asserted,
            asserted_without_text, raise_in_loop, assert_in_for, first_error_counts, both_paths_raise, loop_after_an_error,
            error_of_an_operator]  # fmt: skip


def shown(x):
    print("start")
    print("x:", x, 1, sep="|")
    print(f"{x:.1f} of {x.shape}", "%s" % x, {"x": [x]}, end=";\n")  # noqa: UP031
    for i in range(3):
        if x > i:
            print("in", i, x)
    while x < 10:
        x = x * 2
        print("loop", x)
    assert x < 100, "big"
    print("end")
    return x
