"""How MindSpore's JiebaTokenizer cuts texts of random characters, by small random dictionaries and models."""

import random
import tempfile
from pathlib import Path

from mindspore.dataset import text

from .common import write_json

LETTERS = "的一是不了在人有我他这个们中来"
OTHERS = ["，", "。", " ", "\t", "a", "b", "Z", "7", "0", ".", "-", "!", "é", "·", "！", "\n"]


def dictionary(rng: random.Random) -> str:
    """Return words of one to four characters, the frequencies of which are often equal."""
    words = {"".join(rng.choices(LETTERS[:12], k=rng.randint(1, 4))) for _ in range(40)} | {"a7", "b"}
    return "".join(f"{word} {rng.choice([1, 2, 3, 3, 50, 400])} n\n" for word in sorted(words))


def model(rng: random.Random) -> str:
    """Return a hidden Markov model of the states B, E, M and S."""
    never = "-3.14e+100"
    moves = [[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1]]
    start = " ".join(str(-rng.random() * 3) if may else never for may in (1, 0, 0, 1))
    rows = [" ".join(str(-rng.random() * 3) if may else never for may in row) for row in moves]
    emitted = [",".join(f"{c}:{-rng.random() * 9}" for c in rng.sample(LETTERS, 11)) for _ in range(4)]
    return "# start\n" + "\n".join([start, "# moves", *rows, "# B E M S", *emitted]) + "\n"


def sentence(rng: random.Random) -> str:
    return "".join(rng.choice(OTHERS) if rng.random() < 0.2 else rng.choice(LETTERS) for _ in range(rng.randint(1, 24)))


def record(out: Path) -> None:
    """Write chinese_words.json."""
    sets = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(6):
            rng = random.Random(seed)
            words, hmm, sentences = dictionary(rng), model(rng), [sentence(rng) for _ in range(40)]
            paths = [Path(folder) / f"{name}{seed}" for name in ("hmm", "words")]
            paths[0].write_text(hmm, encoding="utf-8")
            paths[1].write_text(words, encoding="utf-8")
            added = {"中来": None, "他这": 300, "aZ": 5, "们": 4} if seed % 2 else {}
            found = {}
            for mode in text.JiebaMode:
                cut = text.JiebaTokenizer(str(paths[0]), str(paths[1]), mode, with_offsets=True)
                for word, freq in added.items():
                    cut.add_word(word, freq)
                found[mode.name] = [[column.tolist() for column in cut(given)] for given in sentences]
            sets.append({"words": words, "model": hmm, "added": added, "sentences": sentences, "found": found})
    write_json(out / "chinese_words.json", {"sets": sets})
