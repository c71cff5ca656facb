"""Names of `mindspore.nn.layer` that programs import."""
