"""Names of `mindspore.train.summary` that programs import."""
