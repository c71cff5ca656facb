"""mindspore.dataset.engine.iterators: the iterators, under their old path."""

from sporax._src.data.iterator import DictIterator, Iterator, TupleIterator

__all__ = [
    "DictIterator",
    "Iterator",
    "TupleIterator",
]
