"""Names of `mindspore.ops.function` that programs import."""
