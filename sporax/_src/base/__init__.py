"""What everything stands on: `errors`, `typing`, `config` (settings and the environment), `jax_compat` (the door to private JAX)."""
