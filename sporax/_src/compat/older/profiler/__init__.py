"""Below `mindspore.profiler`."""

__all__: list[str] = []
