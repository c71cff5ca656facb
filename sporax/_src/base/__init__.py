"""Level 0: configuration, error text, the door to JAX."""
