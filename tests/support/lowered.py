"""Convolutions as the lowerings see them: the operation that JAX lowers, and what a form of ours computes of it."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from convolutions import CASES, arrays, convolve
from jax import lax

from sporax import lowering


def check_form(fits: Callable[..., bool], form: Callable[..., Any], names: set[str]) -> None:
    """A form fits these of the cases and no others, as they are written, and computes what JAX computes."""
    found = set()
    for name, case in CASES.items():
        x, w = arrays(case)
        eqns = jax.make_jaxpr(lambda x, w, c=case: convolve(c, x, w))(x, w).eqns
        (eqn,) = [e for e in eqns if e.primitive is lax.conv_general_dilated_p]
        if fits(x, w, **eqn.params):
            found.add(name)
            with lowering.off():
                want = lax.conv_general_dilated_p.bind(x, w, **eqn.params)
                got = form(x, w, **eqn.params)
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5, err_msg=name)
    assert found == names, found ^ names
