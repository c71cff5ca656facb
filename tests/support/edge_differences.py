"""Where sporax answers otherwise than MindSpore 2.7.0 on the CPU at the edges of dtypes, and why."""

import math

_WIDE = {"int64", "uint64"}
_ROUNDED = "it is computed in floats there, which have no room for the last digits"

# Names whose kernels compute in floats, and the dtypes that lose digits by it; the first that an expression begins with counts.
ROUNDED: dict[str, set[str]] = {
    "mnp.gcd": _WIDE | {"int32", "uint32"},
    "mnp.lcm": _WIDE | {"int16", "int32"},
    "mnp.floor_divide": _WIDE,
    "mnp.divmod(a, b)[0]": _WIDE,
    "mnp.power": _WIDE | {"uint32"},
    "mnp": _WIDE | {"int32", "uint32"},
    "ops.gcd": set(),
    "ops.lcm": set(),
    "a.gcd": set(),
    "a.lcm": set(),
    "": _WIDE | {"int32", "uint32"},
}

# Casts that are not followed: source, target, value.
CASTS: dict[tuple[str, str, str], str] = {
    ("uint64", "bfloat16", str(2**64 - 1)): "it becomes 0 there; 2**64 in PyTorch and here",
}


def exact(expression: str, dtype: str, m: int, n: int) -> int | None:
    """Return what integers without limits give for an expression, cut to the bits of a dtype; None for a division by 0."""
    if "gcd" in expression or "lcm" in expression:
        value = math.gcd(m, n) if "gcd" in expression else math.lcm(m, n)
    elif "**" in expression or "pow" in expression.lower():
        value = m**n if n >= 0 else (m if n % 2 else 1) if abs(m) == 1 else 0
    elif n == 0:
        return None
    else:
        value = _quotient(expression, m, n)
    return _cut(value, dtype)


def _quotient(expression: str, m: int, n: int) -> int:
    toward_zero = abs(m) // abs(n) * (1 if (m < 0) == (n < 0) else -1)
    name = expression.partition("(")[0].rpartition(".")[2]
    if "trunc" in expression.lower() or name in ("fmod", "RealDiv", "Mod"):
        return m - toward_zero * n if "mod" in name.lower() else toward_zero
    is_rest = "%" in expression or "mod(" in expression.lower() or "remainder" in expression
    return m % n if is_rest and not expression.endswith("[0]") else m // n


def _cut(value: int, dtype: str) -> int:
    bits = int(dtype.removeprefix("u").removeprefix("int"))
    value %= 2**bits
    return value - 2**bits if dtype.startswith("i") and value >= 2 ** (bits - 1) else value


def follows(expression: str, dtype: str, m: int, n: int, got: int, recorded: object) -> bool:
    """Tell whether an answer is the recorded one, or the exact one where MindSpore's is rounded or ends the process."""
    if recorded == repr(got):
        return True
    if dtype == "uint64" and expression.startswith("mnp") and n == 0 and recorded == str(2**63):
        return got == 0  # 2**63 there, what NaN is as a uint64; it is 0 for other integers
    rounded = next(dtypes for name, dtypes in ROUNDED.items() if expression.startswith(name))
    return (isinstance(recorded, dict) or dtype in rounded) and got == exact(expression, dtype, m, n)
