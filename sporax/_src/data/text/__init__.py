"""Operations on text for `Dataset.map`."""

from sporax._src.data.text.base import TextTensorOperation
from sporax._src.data.text.tokenizers import (
    CaseFold,
    NormalizeForm,
    NormalizeUTF8,
    PythonTokenizer,
    RegexReplace,
    RegexTokenizer,
    UnicodeCharTokenizer,
    WhitespaceTokenizer,
    to_bytes,
    to_str,
)
from sporax._src.data.text.tokens import (
    AddToken,
    Lookup,
    Ngram,
    SlidingWindow,
    ToNumber,
    Truncate,
    TruncateSequencePair,
)
from sporax._src.data.text.vocab import Vocab
from sporax._src.data.text.wordpiece import BasicTokenizer, BertTokenizer, WordpieceTokenizer

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "Lookup",
    "Ngram",
    "NormalizeForm",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SlidingWindow",
    "TextTensorOperation",
    "ToNumber",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "Vocab",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
    "to_bytes",
    "to_str",
]
