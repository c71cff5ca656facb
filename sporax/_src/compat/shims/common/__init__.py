"""Names of `mindspore.common` that programs import."""
