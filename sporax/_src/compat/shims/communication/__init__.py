"""Names of `mindspore.communication` that programs import."""
