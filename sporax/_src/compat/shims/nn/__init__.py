"""Names of `mindspore.nn` that programs import."""
