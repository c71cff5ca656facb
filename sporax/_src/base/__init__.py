"""What everything stands on: `errors`, `typing`, `config` (settings, environment), `jax_compat` (the door to private JAX)."""
