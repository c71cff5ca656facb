"""Names of `mindspore.scipy` that programs import."""
