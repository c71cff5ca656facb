"""Below `mindspore.dataset.vision`."""

__all__: list[str] = []
