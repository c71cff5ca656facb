"""Names of `mindspore.boost` that programs import."""
