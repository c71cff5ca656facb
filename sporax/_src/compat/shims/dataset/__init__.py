"""Names of `mindspore.dataset` that programs import."""
