"""While `mindspore` is served, NumPy has the names of NumPy 1, each with the meaning of what replaced it."""

import io
import subprocess
import sys

import numpy as np
import pytest

import sporax as ms
import sporax.dataset as ds
from sporax._src.compat import finder, numpy1


@pytest.fixture(autouse=True)
def installed():
    finder.install()
    yield
    finder.uninstall()


# What NumPy 1.26.4 answers.
WANT = [
    ("np.float_ is np.float64 and np.complex_ is np.complex128 and np.unicode_ is np.str_", True),
    ("np.bool8 is np.bool_ and np.int0 is np.intp and np.string_ is np.bytes_ and np.longfloat is np.longdouble", True),
    ("(np.Inf, np.PINF, np.infty, np.Infinity, -np.NINF)", (np.inf,) * 5),
    ("np.isnan(np.NaN) and np.isnan(np.NAN)", True),
    ("np.copysign(1, np.NZERO), np.copysign(1, np.PZERO)", (-1, 1)),
    ("np.product([2, 3]), np.cumproduct([2, 3]).tolist()", (6, [2, 6])),
    ("np.alltrue([1, 0]), np.sometrue([1, 0])", (False, True)),
    ("np.in1d([[1, 2], [3, 4]], [2, 3]).tolist()", [False, True, True, False]),
    ("np.in1d([1, 2], [2], invert=True).tolist()", [True, False]),
    ("np.trapz([1, 2, 3], dx=2)", 8.0),
    ("np.asfarray([1, 2]).dtype, np.asfarray([1], np.float32).dtype, np.asfarray([1], int).dtype", ("f8", "f4", "f8")),
    ("np.find_common_type([np.float32], [np.int64, np.float64])", "f4"),
    ("np.find_common_type([np.int8], [np.float32, np.complex64])", "c8"),
    ("np.find_common_type([np.int8, np.int16], [])", "i2"),
    ("np.find_common_type([], [np.float32])", "f4"),
    ("np.cast['f'](3).dtype, np.cast[int]([2.7]).tolist()", ("f4", [2])),
    ("np.msort(np.array([[3, 1], [2, 4]])).tolist()", [[2, 1], [3, 4]]),
    ("np.round_(2.567, 1)", 2.6),
    ("np.obj2sctype('f4'), np.obj2sctype(np.zeros(1)), np.obj2sctype('no such type', 3)", (np.float32, np.float64, 3)),
    ("np.sctype2char(np.float32), np.safe_eval('[1]')", ("f", [1])),
    (
        "np.issctype(np.int32), np.issctype(3), np.issubclass_(bool, int), np.issubclass_(3, int)",
        (True, False, True, False),
    ),
    ("np.issubsctype('i4', np.integer), np.issubsctype('f4', np.integer)", (True, False)),
    ("np.float32 in np.sctypes['float'], np.int8 in np.sctypes['int'], np.uint8 in np.sctypes['uint']", (True,) * 3),
    ("np.AxisError is np.exceptions.AxisError and np.RankWarning is np.exceptions.RankWarning", True),
]


@pytest.mark.parametrize(("text", "want"), WANT)
def test_values(text: str, want: object) -> None:
    assert eval(text, {"np": np}) == want


def test_matrices() -> None:
    with pytest.warns(PendingDeprecationWarning, match="the matrix subclass"):
        assert np.mat([[1, 2]]).shape == (1, 2)


def test_source() -> None:
    out = io.StringIO()
    np.source(test_source, out)
    assert "def test_source() -> None:" in out.getvalue()


def test_names_are_there_only_with_mindspore() -> None:
    from numpy import float_

    assert float_ is np.float64
    assert len(np.cast) > 10 and np.dtype("f4").type in list(np.cast)
    finder.uninstall()
    for name in ("float_", "NaN", "product", "cast"):
        with pytest.raises(AttributeError, match=name):
            getattr(np, name)
    finder.install()


def test_numbers_print_as_in_numpy_1() -> None:
    finder.install()
    shown = str([np.float64(0.5), np.int32(3), np.bool_(True), np.str_("x")])
    finder.uninstall()
    assert shown == "[0.5, 3, True, 'x']" and repr(np.float64(0.5)) == "np.float64(0.5)"


def test_what_numpy_has_is_left_as_it_is() -> None:
    numpy1.uninstall()
    np.product = test_source
    try:
        numpy1.install()
        assert np.product is test_source
        numpy1.uninstall()
        assert np.product is test_source
    finally:
        del np.product
        numpy1.install()


def test_names_that_numpy_1_26_dropped_as_well() -> None:
    for name in ("int", "float"):
        with pytest.raises(AttributeError, match=name):
            getattr(np, name)


def test_tensors_as_arrays() -> None:
    x = ms.Tensor([1.5, 2.5])
    for copy in (True, False, None):
        assert np.array(x, copy=copy).tolist() == [1.5, 2.5]
        assert x.__array__(dtype=np.float64, copy=copy).dtype == np.float64
    assert np.array(x, np.float16).dtype == np.float16


def test_under_sporax_run(tmp_path) -> None:
    script = tmp_path / "old.py"
    script.write_text("import numpy as np\nimport numpy.core.multiarray\nprint(np.float_(1), np.product([2, 3]))\n")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "sporax", "run", str(script)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout.split(), done.returncode) == (["1.0", "6"], 0), done.stderr


def test_integers_of_64_bits_are_those_of_mindspore() -> None:
    """Its arrays are of C's `long long`, which NumPy prints with the dtype; what is in dictionaries stays Python's."""
    assert (
        repr(ms.Tensor([1, 2]).asnumpy()) == "array([1, 2], dtype=int64)" and ms.Tensor(1).asnumpy().dtype == np.int64
    )
    rows = ds.GeneratorDataset([(3, {"a": 4})], ["number", "named"]).create_dict_iterator(1, output_numpy=True)
    assert repr(next(iter(rows))) == "{'number': array(3, dtype=int64), 'named': {'a': array(4)}}"
    numpy1.uninstall()
    try:
        assert repr(ms.Tensor([1, 2]).asnumpy()) == "array([1, 2])"
    finally:
        numpy1.install()
