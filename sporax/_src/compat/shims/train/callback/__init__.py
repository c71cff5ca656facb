"""Names of `mindspore.train.callback` that programs import."""
