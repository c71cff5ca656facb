"""Names of `mindspore.dataset.core` that programs import."""
