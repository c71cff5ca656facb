"""Operations on text for `Dataset.map`.

Reading order: `base`, `tokenizers`, `wordpiece`, `vocab` (words and their numbers), `vectors` (words and their vectors),
`tokens` (operations on lists of tokens).
"""

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
from sporax._src.data.text.vectors import CharNGram, FastText, GloVe, ToVectors, Vectors
from sporax._src.data.text.vocab import Vocab
from sporax._src.data.text.wordpiece import BasicTokenizer, BertTokenizer, WordpieceTokenizer

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "CharNGram",
    "FastText",
    "GloVe",
    "Lookup",
    "Ngram",
    "NormalizeForm",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SlidingWindow",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "Vectors",
    "Vocab",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
    "to_bytes",
    "to_str",
]
