"""Names of `mindspore.ops` that programs import."""
