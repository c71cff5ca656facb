"""Names of `mindspore.ops._grad_experimental` that programs import."""
