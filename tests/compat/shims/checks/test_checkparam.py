"""`_checkparam`: what its checks return, and what they say."""

import pytest

import sporax as ms
from sporax import _checkparam as validator

GOOD = [
    ("check_positive_int(3)", 3),
    ("check_non_negative_int(0, 'n', 'Net')", 0),
    ("check_int(3, 3, v.GE)", 3),
    ("check_int_range(3, 3, 4, v.INC_LEFT)", 3),
    ("check_float_range(1.0, 0.0, 1.0, v.INC_RIGHT)", 1.0),
    ("check_float_range(0, 0.0, 1.0, v.INC_BOTH)", 0),
    ("check_positive_float(0.5)", 0.5),
    ("check_non_negative_float(0.0)", 0.0),
    ("check_is_float(0.5)", 0.5),
    ("check_is_int(5)", 5),
    ("check_is_number(5, int)", 5),
    ("check_equal_int(5, 5)", 5),
    ("check_negative_int(-1)", -1),
    ("check_non_positive_int(0)", 0),
    ("check_float(1.0, 2.0, v.LT)", 1.0),
    ("check_number('n', 3, 2, v.GT, None)", 3),
    ("check('n', 3, 'known', [3, 4], v.IN)", 3),
    ("check_bool(True)", True),
    ("check_string('a', ['a', 'b'])", "a"),
    ("check_isinstance('n', 'a', str)", "a"),
    ("check_value_type('n', 1, [int, float])", 1),
    ("check_value_type('n', True, bool)", True),
    ("check_type_name('n', ms.float32, [ms.float16, ms.float32], None)", ms.float32),
    ("check_subclass('n', ms.float32, [ms.float32, ms.float16], None)", None),
    ("check_types_same_and_valid({'a': ms.int8, 'b': ms.int8}, [ms.int8], None)", None),
    ("check_positive_int_sequence((1, 2))", (1, 2)),
    ("twice(3)", (3, 3)),
    ("twice((1, 2))", (1, 2)),
]


BAD = [
    ("check_positive_int(0, 'n', 'Net')", ValueError, "For 'Net', the 'n' must be int and must > 0, but got '0'"),
    ("check_positive_int(1.0)", TypeError, "the input value must be int, but got '1.0'"),
    ("check_positive_int(True)", TypeError, "must be int"),
    ("check_positive_float(float('nan'))", ValueError, "must be a legal value, but got 'nan'"),
    ("check_int_range(4, 3, 4, v.INC_LEFT, 'n')", ValueError, r"the 'n' must be in range of \[3, 4\), but got 4"),
    ("check_float_range(0.0, 0.0, 1.0, v.INC_NEITHER)", ValueError, r"must be in range of \(0.0, 1.0\), but got 0.0"),
    ("check_is_float(1)", TypeError, "must be float, but got '1'"),
    ("check_number('n', 1, 2, v.GT, 'Net')", ValueError, "For 'Net', the 'n' must > 2, but got 1"),
    ("check('n', 1, 'known', [3], v.IN, None, KeyError)", KeyError, "should be in known"),
    ("check_bool(1, 'flag')", TypeError, "the 'flag' must be a bool, but got int"),
    ("check_string('c', ['a'], 'mode')", ValueError, "the 'mode' must be str and must be in"),
    ("check_isinstance('n', 1, str)", TypeError, "The parameter 'n' must be isinstance of"),
    ("check_value_type('n', True, [int])", TypeError, "The type of 'n' should be 'int', but got type 'bool'"),
    ("check_value_type('n', 'a', [int, float], 'Net')", TypeError, "For 'Net', the type of 'n' should be one of"),
    ("check_type_name('n', ms.int8, [ms.float32], 'Net')", TypeError, "For 'Net', the 'n' should be one of"),
    ("check_subclass('n', ms.int8, ms.float32, None, 'Cast it.')", TypeError, "should be a subclass of .* Cast it."),
    ("check_types_same_and_valid({'a': ms.int8, 'b': ms.int16}, [ms.int8, ms.int16], None)", TypeError, "same type"),
]


@pytest.mark.parametrize(("text", "want"), GOOD)
@pytest.mark.parametrize("place", ["module", "class"])
def test_checks(text: str, want: object, place: str) -> None:
    where = validator if place == "module" else validator.Validator
    if hasattr(where, text.split("(")[0]):
        assert eval(f"where.{text}", {"where": where, "v": validator.Rel, "ms": ms}) == want


@pytest.mark.parametrize(("text", "kind", "match"), BAD)
def test_checks_that_fail(text: str, kind: type, match: str) -> None:
    with pytest.raises(kind, match=match):
        eval(f"where.{text}", {"where": validator, "v": validator, "ms": ms})


def test_types_of_arguments() -> None:
    @validator.args_type_check(int, name=str)
    def fn(size: int, name: str | None = None) -> int:
        return size

    assert fn(3, name="a") == fn(3) == fn(size=3, name=None) == 3
    with pytest.raises(TypeError, match=r"Argument name must be <class 'str'>, but got <class 'int'>"):
        fn(3, name=4)

    @validator.args_type_check(size=int)
    def gather(**kwargs: int) -> dict[str, int]:
        return kwargs

    assert gather(size=3, other="a") == {"size": 3, "other": "a"}
    with pytest.raises(TypeError, match=r"Argument size must be <class 'int'>, but got <class 'str'>"):
        gather(size="a")
