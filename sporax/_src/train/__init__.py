"""Level 6: Model, callbacks, metrics, mixed precision and loss scale."""
