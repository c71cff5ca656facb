"""Operations on text for `Dataset.map`.

Reading order: `base`, `tokenizers`, `chinese`, `scripts` (with the table `unicode_scripts`), `wikipedia`, `wordpiece`,
`sentence_pieces`, `vocab` (words and their numbers), `vectors` (words and their vectors), `tokens` (operations on lists of
tokens).
"""

from sporax._src.data.text.chinese import JiebaMode, JiebaTokenizer
from sporax._src.data.text.scripts import UnicodeScriptTokenizer
from sporax._src.data.text.sentence_pieces import (
    SentencePieceModel,
    SentencePieceTokenizer,
    SentencePieceVocab,
    SPieceTokenizerLoadType,
    SPieceTokenizerOutType,
)
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
from sporax._src.data.text.wikipedia import FilterWikipediaXML
from sporax._src.data.text.wordpiece import BasicTokenizer, BertTokenizer, WordpieceTokenizer

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "CharNGram",
    "FastText",
    "FilterWikipediaXML",
    "GloVe",
    "JiebaMode",
    "JiebaTokenizer",
    "Lookup",
    "Ngram",
    "NormalizeForm",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
    "SentencePieceTokenizer",
    "SentencePieceVocab",
    "SlidingWindow",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "Vectors",
    "Vocab",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
    "to_bytes",
    "to_str",
]
