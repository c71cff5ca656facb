"""Below `mindspore.parallel`."""

__all__: list[str] = []
