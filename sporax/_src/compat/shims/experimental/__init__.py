"""Names of `mindspore.experimental` that programs import."""
