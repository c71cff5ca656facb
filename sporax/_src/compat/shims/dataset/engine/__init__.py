"""Names of `mindspore.dataset.engine` that programs import."""
