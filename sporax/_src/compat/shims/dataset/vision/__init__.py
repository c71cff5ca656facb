"""Names of `mindspore.dataset.vision` that programs import."""
