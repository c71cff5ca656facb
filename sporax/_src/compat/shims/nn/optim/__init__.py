"""Names of `mindspore.nn.optim` that programs import."""
