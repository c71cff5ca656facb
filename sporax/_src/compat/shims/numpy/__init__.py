"""Names of `mindspore.numpy` that programs import."""
