"""Reading the code of a graph's file, which is untrusted.

JAX's serialisation contains functions of StableHLO, which only compute with their operands. One operation is an
exception: a custom call runs a function of this process by its name. Only custom calls of known numerical functions are
accepted.
"""

from __future__ import annotations

from typing import Any

from jax import export as jax_export

from sporax._src.base.errors import shown
from sporax._src.base.jax_compat import custom_calls

_LAPACK = {
    f"lapack_{kind}{name}_ffi"
    for name, kinds in {
        **dict.fromkeys("potrf geqrf geev gesdd getrf gehrd gees trsm gtsv".split(), "sdcz"),
        **dict.fromkeys("orgqr syevd sytrd".split(), "sd"),
        **dict.fromkeys("ungqr heevd hetrd".split(), "cz"),
    }.items()
    for kind in kinds
}
_CUDA = {
    "cu_lu_pivots_to_permutation",
    "cu_threefry2x32_ffi",
    "cusparse_gtsv2_ffi",
    *(f"cusolver_{name}_ffi" for name in "getrf geqrf orgqr potrf syevd gesvd gesvdj sytrd".split()),
}
_TPU = {"Eigh", "Qr", "ProductOfElementaryHouseholderReflectors", "LuDecomposition", "ApproxTopK"}
_XLA = {
    "AllocateBuffer",
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
    "shape_assertion",
    *(f"stablehlo.dynamic_{name}" for name in "approx_top_k reduce_window rng_bit_generator top_k".split()),
}
KNOWN_CALLS = frozenset(_LAPACK | _CUDA | _TPU | _XLA)


def read(code: bytes) -> Any:
    """Return the `jax.export.Exported` of serialised code.

    Raises:
        ValueError: If it is damaged, or it or one of its gradients calls a function that is not in `KNOWN_CALLS`.
    """
    try:
        exported = jax_export.deserialize(bytearray(code))
        calls = _calls(exported)
    except Exception as error:  # flatbuffers, XLA and JAX raise whatever damage leads them to
        raise ValueError(f"its code cannot be read: {type(error).__name__}: {shown(error)}") from error
    if unknown := sorted(calls - KNOWN_CALLS):
        names = ", ".join(f"'{shown(name)}'" for name in unknown)
        raise ValueError(f"its code calls {names}, which is not among the functions that a graph may call")
    return exported


def _calls(exported: Any) -> set[str]:
    found = custom_calls(exported)
    return found | _calls(exported.vjp()) if exported.has_vjp() else found
