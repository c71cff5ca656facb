"""Names of `mindspore.train` that programs import."""
