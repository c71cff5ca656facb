"""The transforms that MindSpore shows in its `ops` namespace."""

from sporax._src.api.custom.custom import Custom, PyFunc
from sporax._src.transform.control_ops import ForiLoop, Scan, WhileLoop, cond, fori_loop, scan, while_loop
from sporax._src.transform.decorators import recompute, recompute_block
from sporax._src.transform.grad import GradOperation, grad, value_and_grad
from sporax._src.transform.jacobian import get_grad, jacfwd, jacrev, jvp, linearize, vjp
from sporax._src.transform.taylor import derivative, jet
from sporax._src.transform.tensor_hooks import HookBackward, InsertGradientOf
from sporax._src.transform.vmap import vmap

__all__ = [
    "Custom", "ForiLoop", "GradOperation", "HookBackward", "InsertGradientOf", "PyFunc", "Scan", "WhileLoop",
    "cond", "derivative", "fori_loop", "get_grad", "grad", "jacfwd", "jacrev", "jet", "jvp", "linearize", "recompute",
    "recompute_block", "scan", "value_and_grad", "vjp", "vmap", "while_loop",
]  # fmt: skip
