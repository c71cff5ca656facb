"""How sporax compiles operations of JAX: `off` gives JAX programs beside it JAX's own lowerings."""

from sporax._src.lowering.lowering import off

__all__ = ["off"]
