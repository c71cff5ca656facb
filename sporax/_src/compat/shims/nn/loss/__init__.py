"""Names of `mindspore.nn.loss` that programs import."""
