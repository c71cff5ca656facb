"""Names of `mindspore.dataset.transforms` that programs import."""
