"""Write `sporax/_src/data/text/unicode_scripts.py`: the script of every character, as MindSpore's tokenizer has them.

Run it with a Python that has ``mindspore==2.7.0`` (CPU) and ``numpy<2``::

    python tools/unicode_scripts.py

The tokenizer cuts a text where the script changes, so all characters in order give the runs of each script, and a run beside
one of every script known so far tells which of them it is.
"""

import argparse
from functools import cache
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "sporax" / "_src" / "data" / "text" / "unicode_scripts.py"
HEAD = (
    '"""The script of every character, as runs `first:number` (hexadecimal); `tools/unicode_scripts.py` wrote it."""\n'
)
BLANKS = {*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
AT_ONCE = 4096


@cache
def tokenizer() -> Any:
    """Return MindSpore's tokenizer."""
    from mindspore.dataset import text

    return text.UnicodeScriptTokenizer(keep_whitespace=True, with_offsets=True)


def starts(characters: list[int]) -> list[int]:
    """Return the positions at which tokens begin in a text of characters."""
    offsets = {0: 0}
    end = 0
    for k, character in enumerate(characters):
        offsets[end] = k
        end += len(chr(character).encode())
    return [offsets[int(start)] for start in tokenizer()("".join(map(chr, characters)))[1]]


def runs() -> list[int]:
    """Return the first character of each run: where the script changes, or blanks begin or end, or a text had to."""
    every = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
    found = []
    for low in range(0, len(every), AT_ONCE):
        part = every[low : low + AT_ONCE]
        found += [part[k] for k in starts(part)]
    return found


def numbered(firsts: list[int]) -> list[tuple[int, int]]:
    """Return the number of each run's script."""
    known: list[int] = []  # a character of each script
    found = []
    for first in firsts:
        if (
            first in BLANKS
        ):  # beside another character they are cut off in any case, so they are all of one script but one
            number = 0 if starts([32, first]) == [0] else -1
        else:
            beside = [c for other in known for c in (first, other)] + [first]
            cut = set(starts(beside))
            alike = [k for k in range(len(known)) if 2 * k + 1 not in cut]
            number = alike[0] if alike else len(known)
            if not alike:
                known.append(first)
        if not found or found[-1][1] != number:
            found.append((first, number))
    print(f"{len(known)} scripts, {len(found)} runs")
    return found


def main() -> None:
    """Write the file."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    pairs = numbered(runs())
    words = [f"{0 if k == 0 else first:x}:{number}" for k, (first, number) in enumerate(pairs)]
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > 118:
            lines.append("")
        lines[-1] += f"{word} "
    body = "\n".join(line.rstrip() for line in lines)
    TARGET.write_text(f'{HEAD}\nSCRIPTS = """\n{body}\n"""\n', encoding="utf-8")


if __name__ == "__main__":
    main()
