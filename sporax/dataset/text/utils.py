"""mindspore.dataset.text.utils: vocabularies, forms of text."""

from sporax._src.data.text import NormalizeForm, Vocab, to_bytes, to_str

__all__ = [
    "NormalizeForm",
    "Vocab",
    "to_bytes",
    "to_str",
]
