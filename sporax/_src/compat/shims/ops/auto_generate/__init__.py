"""Names of `mindspore.ops.auto_generate` that programs import."""
