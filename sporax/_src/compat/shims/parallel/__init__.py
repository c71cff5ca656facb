"""Names of `mindspore.parallel` that programs import."""
