"""Operations on text and vocabularies."""

import tempfile
from pathlib import Path
from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import text

from .common import write_json

WORDS = ["<pad>", "床", "前", "明", "月", "光", "un", "##able", "##happy", "hello", "world", "[UNK]"]
LINES = "ok 0.5 0.25\n! 3 4\nok 5 6\nHome 1 2\nhome 3 -4\n"
FILES = {
    "words.txt": LINES,
    "counted.txt": "5 2\n" + LINES,
    "glove.6B.2d.txt": LINES,
    "words.vec": "5 2\n" + LINES,
    "letters.txt": "2gram-ab 10 10\n1gram-a 9 9\n2gram-#BEGIN#a 5 0\n3gram-abc 7 7\n2gram-b#END# 4 4\n3gram-#BEGIN#ab 1 1\n",
    "ragged.txt": "a 1 2\nb 1\n",
    "empty.txt": "",
    "heads.txt": "a 1 2 3\n5 2\n",
    "narrow.txt": "a 1\nb 2\n",
}
CALLS = r"""text.ToVectors(text.Vectors.from_file(F('words.txt')))(A(['ok', '!', 'Home', 'HOME', 'zz']))
text.ToVectors(text.Vectors.from_file(F('counted.txt')))(A([['ok', 'home']]))
text.ToVectors(text.Vectors.from_file(F('words.txt'), 2), [-1, -2])(A(['ok', 'home']))
text.ToVectors(text.Vectors.from_file(F('counted.txt'), 2))(A(['!', 'home']))
text.ToVectors(text.Vectors.from_file(F('words.txt'), 0))('home')
text.ToVectors(text.Vectors.from_file(F('words.txt')), None, True)(A(['Home', 'HOME', 'OK', 'zz']))
text.ToVectors(text.Vectors.from_file(F('words.txt')))(A(['ok']))
text.ToVectors(text.Vectors.from_file(F('words.txt')))(A([1]))
text.ToVectors(text.Vectors.from_file(F('words.txt')), [1])('ok')
text.ToVectors(text.Vectors.from_file(F('words.txt')), ['a', 'b'])
text.ToVectors(text.Vectors.from_file(F('words.txt')), 3)
text.ToVectors(text.Vectors.from_file(F('words.txt')), None, 3)
text.ToVectors(3)
text.ToVectors(text.GloVe.from_file(F('glove.6B.2d.txt')))(A(['!', 'home']))
text.ToVectors(text.FastText.from_file(F('words.vec')))(A(['!', 'home']))
text.ToVectors(text.CharNGram.from_file(F('letters.txt')))(A(['ab', 'abc', 'a', 'b', 'zz', '']))
text.ToVectors(text.CharNGram.from_file(F('letters.txt')), [8, 8], True)(A(['AB', 'zz']))
text.GloVe.from_file(F('words.txt'))
text.FastText.from_file(F('words.txt'))
text.Vectors.from_file(F('ragged.txt'))
text.Vectors.from_file(F('empty.txt'))
text.Vectors.from_file(F('heads.txt'))
text.Vectors.from_file(F('narrow.txt'))
text.Vectors.from_file(F('none.txt'))
text.Vectors.from_file(F('words.txt'), -1)
text.Vectors.from_file(F('words.txt'), 'a')
text.Vectors.from_file(3)
text.WhitespaceTokenizer()(A('Welcome  to 北京 '))
text.WhitespaceTokenizer()('')
text.WhitespaceTokenizer(True)(A('ab c 北京'))
text.WhitespaceTokenizer()(A(['a b', 'c']))
text.WhitespaceTokenizer()(A([1, 2]))
text.UnicodeCharTokenizer()(A('a b北'))
text.UnicodeCharTokenizer(True)('a北b')
text.UnicodeCharTokenizer()('')
text.RegexTokenizer('\\s+')('a b  c')
text.RegexTokenizer('\\s+', '\\s+')('a b  c')
text.RegexTokenizer('\\s+', '\\s+', True)('a b  c')
text.CaseFold()('Welcome TO Ǆ Straße')
text.NormalizeUTF8(text.NormalizeForm.NFKC)('ṩﬁ①')
text.NormalizeUTF8(text.NormalizeForm.NFD)('é')
text.NormalizeUTF8(text.NormalizeForm.NONE)('é')
text.FilterWikipediaXML()("Welcome    to    China")
text.FilterWikipediaXML()("中国 ABC RATE 2024!")
text.FilterWikipediaXML()("!!!")
text.FilterWikipediaXML()("")
text.FilterWikipediaXML()("a <b>bold</b> x&nbsp;y &amp; z [[link|shown]] {{cite}} [http://a.b c]")
text.FilterWikipediaXML()("one\n two\n\n three <i\n> four\u2028five <x\u2028y> \u00a0\n")
text.FilterWikipediaXML()("#redirect elsewhere")
text.FilterWikipediaXML()("x #REDIRECT y")
text.FilterWikipediaXML()(A([1]))
text.UnicodeScriptTokenizer()("Welcome to Beijing北京欢迎您!")
text.UnicodeScriptTokenizer(True)("北 京 a.b  c")
text.UnicodeScriptTokenizer(True, True)("北 京 éе́ \u1680\u00a0x")
text.UnicodeScriptTokenizer(False, True)(" αβγ абв אב ひらカタ漢字 ไทย हिन्दी 123 😀𝐀𐎠\U0010ffff ")
text.UnicodeScriptTokenizer()("")
text.UnicodeScriptTokenizer()("  ")
text.UnicodeScriptTokenizer(True)("  ")
text.UnicodeScriptTokenizer()(A(["a b", "c"]))
text.UnicodeScriptTokenizer(3)
text.UnicodeScriptTokenizer(True, 3)
text.BasicTokenizer()('Welcome to Beijing北京, [CLS]x!')
text.BasicTokenizer(True)('Wélcome TO 北 Beijing')
text.BasicTokenizer(False, False, text.NormalizeForm.NONE, False)('a [CLS] b')
text.BasicTokenizer(False, True)('a b')
text.BasicTokenizer(False, False, text.NormalizeForm.NONE, True, True)('ab 北京c')
text.WordpieceTokenizer(v)(A(['unable', 'hello', 'xyz', 'unhappy', '床前', '床']))
text.WordpieceTokenizer(v, unknown_token='')(A(['unxyz', 'zzz']))
text.WordpieceTokenizer(v, max_bytes_per_token=3)(A(['hello']))
text.WordpieceTokenizer(v, with_offsets=True)(A(['unable', 'xyz']))
text.BertTokenizer(v)('hello 床前明月 unable xyz')
text.BertTokenizer(v, lower_case=True)('HELLO 床X')
text.BertTokenizer(v, with_offsets=True)('hello 床前 unable')
text.Lookup(v)(A(['床', 'world', '月']))
text.Lookup(v, '[UNK]')(A(['床', 'zzz']))
text.Lookup(v)(A(['zzz']))
text.Lookup(v, 'zz')(A(['zzz']))
text.Lookup(v, '[UNK]', ms.int64)(A([['床'], ['光']]))
text.Lookup(v)('床')
text.TruncateSequencePair(4)(A([1, 2, 3]), A([4, 5, 6, 7]))
text.TruncateSequencePair(4)(A(['a', 'b', 'c']), A(['d', 'e', 'f']))
text.TruncateSequencePair(5)([1, 2, 3], [4, 5, 6])
text.TruncateSequencePair(2)([1], [2, 3, 4, 5])
text.Truncate(2)(A(['a', 'b', 'c']))
text.Truncate(2)('abc')
text.Truncate(2)(A([[1, 2, 3], [4, 5, 6]]))
text.ToNumber(ms.int8)(A(['1', '2', '3']))
text.ToNumber(ms.float32)(A(['1.5', '-2e3']))
text.ToNumber(ms.int8)(A(['300']))
text.ToNumber(ms.int32)(A(['x']))
text.Ngram(2)(A(['a', 'b', 'c']))
text.Ngram([1, 2, 3], ('_', 1), ('^', 2), '-')(A(['a', 'b', 'c']))
text.Ngram(4)(A(['a', 'b', 'c']))
text.SlidingWindow(2)(A([1, 2, 3, 4]))
text.SlidingWindow(2)(A(['a', 'b', 'c']))
text.SlidingWindow(5)(A([1, 2, 3]))
text.AddToken('TOKEN', True)(A(['a', 'b', 'c']))
text.AddToken('TOKEN', False)(A([['a', 'b'], ['c', 'd']]))
text.PythonTokenizer(lambda s: s.split(','))(A('a,b'))
text.to_str(A([[b'a'], [b'bc']]))
text.to_bytes(A(['a', 'bc']))
v.vocab()
v.tokens_to_ids('床')
v.tokens_to_ids(['床', 'zzz'])
v.ids_to_tokens(1)
v.ids_to_tokens([1, 99])
text.Vocab.from_list(['a', 'b'], ['<s>', '</s>'], True).vocab()
text.Vocab.from_list(['a', 'b'], ['<s>'], False).vocab()
text.Vocab.from_list([]).vocab()
text.Vocab.from_dict({'a': 3, 'b': 5}).vocab()
text.Vocab.from_dataset(data, 'text').vocab()
text.Vocab.from_dataset(data, 'text', freq_range=(2, None)).vocab()
text.Vocab.from_dataset(data, 'text', top_k=1, special_tokens=['<u>']).vocab()
text.UnicodeCharTokenizer(3)
text.Lookup(3)
text.Ngram(0)
text.Truncate(-1)
text.SlidingWindow(0)
text.Vocab.from_list(['a', 'a'])
text.Vocab.from_list(3)
text.Vocab.from_dict({'a': -1})
text.Vocab.from_file('nope')""".splitlines()


def described(value: Any) -> Any:
    """Return a result as dtype, shape and elements, or as it is."""
    if isinstance(value, tuple):
        return [described(part) for part in value]
    if isinstance(value, np.ndarray):
        elements = [v.hex() if isinstance(v, bytes) else v for v in value.ravel().tolist()]
        kind = value.dtype.kind if value.dtype.kind in "US" else value.dtype.name
        return {"kind": kind, "shape": list(value.shape), "is": elements}
    return value


def record(out: Path) -> None:
    """Write ``text.json``."""
    data = ds.NumpySlicesDataset({"text": ["a", "b", "c", "a", "b", "a"]}, shuffle=False)
    folder = Path(tempfile.mkdtemp())
    for name, lines in FILES.items():
        (folder / name).write_text(lines)
    names = {
        "F": lambda name: str(folder / name),
        "text": text,
        "ms": ms,
        "A": np.array,
        "v": text.Vocab.from_list(WORDS),
        "data": data,
    }
    results: dict[str, Any] = {}
    for call in CALLS:
        try:
            results[call] = described(eval(call, names))
        except Exception as error:
            results[call] = {"error": type(error).__name__}
    write_json(out / "text.json", {"files": FILES, "results": results, "words": WORDS})
