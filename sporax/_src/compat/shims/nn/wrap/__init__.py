"""Names of `mindspore.nn.wrap` that programs import."""
