"""Names of `mindspore.ops.operations` that programs import."""
