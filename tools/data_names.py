"""The public names of MindSpore's datasets: by which recorded values each is compared, or why by none.

    python tools/data_names.py        # writes docs/dataset_names.md

`tools/record_goldens.py dataset_names` records the names. A name is compared if a program that records values calls it: `RECORDED`
says which files hold the calls, and which tests compare them. `REASONS` are those for the other names.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GOLDENS = ROOT / "tests" / "goldens"
PAGE = ROOT / "docs" / "dataset_names.md"
MODULES = (
    "dataset", "dataset.vision", "dataset.transforms", "dataset.text", "dataset.audio", "dataset.config", "dataset.utils",
    "dataset.samplers", "dataset.callback", "dataset.engine", "mindrecord",
)  # fmt: skip
METHODS = {  # classes whose methods are names, too, and the class that has them
    "dataset.Dataset": "NumpySlicesDataset",
    "dataset.Sampler": "SequentialSampler",
    "dataset.Schema": "Schema",
    "dataset.text.Vocab": "text.Vocab",
    "mindrecord.FileWriter": "mindrecord.FileWriter",
    "mindrecord.FileReader": "mindrecord.FileReader",
    "mindrecord.MindPage": "mindrecord.MindPage",
}
SUPPORT, RECORDERS = "tests/support/", "tools/goldens/"
RECORDED = {  # a golden: where its calls are, and the test that compares them
    "dataset": (RECORDERS + "dataset.py", "tests/data/laws/test_goldens.py"),
    "dataset_names": (SUPPORT + "named_calls.py", "tests/data/laws/test_names.py"),
    "dataset_orders": (SUPPORT + "record_orders.py", "tests/data/sources/test_mindrecord.py"),
    "dataset_digits": ("", "tests/data/sources"),
    "dataset_pictures": ("", "tests/data/sources"),
    "dataset_scenes": ("", "tests/data/sources"),
    "dataset_sounds": ("", "tests/data/sources"),
    "dataset_texts": ("", "tests/data/sources"),
    "text": ("", "tests/data/text"),
    "chinese_words": (RECORDERS + "chinese_words.py", "tests/data/text/test_chinese.py"),
    "sentence_pieces": (RECORDERS + "sentence_pieces.py", "tests/data/text/test_sentence_pieces.py"),
    "vision": ("", "tests/data/vision"),
    "vision_boxes": ("", "tests/data/vision/test_boxes.py"),
    "videos": (RECORDERS + "videos.py", "tests/data/vision/test_video.py"),
    "audio": ("", "tests/data/audio"),
    "audio_effects": ("", "tests/data/audio"),
    "drawn_boxes": ("", "tests/data/test_drawn_boxes.py"),
    "error_samples": (RECORDERS + "error_samples.py", "tests/data/test_error_samples.py"),
    "mindrecord": (RECORDERS + "mindrecord.py", "tests/data/mindrecord"),
    "encrypted_records": (RECORDERS + "encrypted_records.py", "tests/data/mindrecord/test_encryption.py"),
    "converters": (RECORDERS + "converters.py", "tests/data/converters"),
}
_INNER = "of MindSpore's own pipeline in C++: it is made from the tree of Python objects, and no program calls it"
REASONS = {
    "dataset.OBSMindDataset": "left out: it reads from Huawei's object store",
    "dataset.engine.OBSMindDataset": "the same",
    "dataset.DatasetCache": "left out: it is a client of MindSpore's cache server",
    "dataset.engine.DatasetCache": "the same",
    "dataset.sync_wait_for_dataset": "left out: it waits for `OBSMindDataset`",
    "dataset.engine.sync_wait_for_dataset": "the same",
    "dataset.transforms.Plugin": "left out: it loads libraries that are built against MindSpore's C++ classes",
    "dataset.*.not_random": "a decorator that marks MindSpore's own classes",
    "dataset.Dataset.build_vocab": "gives an object of C++; `text.Vocab.from_dataset` is compared",
    "dataset.Dataset.build_sentencepiece_vocab": "the same; `text.SentencePieceVocab.from_dataset` is compared",
    "dataset.Dataset.device_que": "sends rows to a queue of a device; here the graph takes arrays",
    "dataset.Dataset.close_pool": "ends the workers, which end with their iterator here",
    "dataset.Dataset.*": _INNER,
    "dataset.Sampler.*": _INNER,
    "dataset.samplers.BuiltinSampler": "the base of all samplers, which programs only name in `isinstance`",
    "dataset.samplers.select_sampler": "chooses the sampler by the arguments of a source; sources are compared",
    "dataset.samplers.shuffle_to_shuffle_mode": "turns an argument into MindSpore's number of it in C++",
    "mindrecord.FileWriter.check*_worker_status": "of the processes of `parallel_writer`, which the writer here does not have",
    "mindrecord.FileWriter.init_append": "called by `open_for_append`, which is compared",
}


def part(top: str, path: str) -> Any:
    """Return a module or class below a package."""
    found = importlib.import_module(top)
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            found = importlib.import_module(f"{found.__name__}.{name}")
    return found


def public(top: str) -> dict[str, list[str]]:
    """Return the public names of the modules below a package, and the methods of some classes."""
    found = {}
    for module in MODULES:
        loaded = part(top, module)
        listed = getattr(loaded, "__all__", None) or [
            name
            for name in dir(loaded)
            if getattr(getattr(loaded, name), "__module__", "").startswith(f"{top}.dataset")
        ]
        found[module] = sorted({name for name in listed if not name.startswith("_")})
    for name, example in METHODS.items():
        kind = part(top, example if example.startswith("mindrecord") else f"dataset.{example}")
        found[name] = sorted(key for key in dir(kind) if not key.startswith("_") and callable(getattr(kind, key)))
    return found


def _calls(golden: str, place: str) -> str:
    if place:
        return (ROOT / place).read_text(encoding="utf-8")
    told = json.loads((GOLDENS / f"{golden}.json").read_text(encoding="utf-8"))
    return "\n".join(told.get("results", told))


def where_recorded(names: dict[str, list[str]]) -> dict[str, str]:
    """Return for each name the golden in whose calls it is, if it is in one."""
    texts = {golden: _calls(golden, place) for golden, (place, _) in RECORDED.items()}
    found = {}
    for space, some in names.items():
        for name in some:
            before = r"\." if space in METHODS else r"(?<!\w)"
            after = r"(?=\()" if space in METHODS else r"(?=[(.,)\]\"])"
            pattern = re.compile(f"{before}{name}{after}")
            golden = next((golden for golden, text in texts.items() if pattern.search(text)), None)
            if golden is None and space == "dataset.config" and re.sub("^[gs]et_", "", name) in _settings():
                golden = "dataset_names"
            if golden is not None:
                found[f"{space}.{name}"] = golden
    return found


def _settings() -> set[str]:
    text = (ROOT / SUPPORT / "named_calls.py").read_text(encoding="utf-8")
    return {*re.findall(r'^    "(\w+)": "\[', text, re.MULTILINE)}


def reason(name: str) -> str | None:
    """Return why a name is not compared."""
    return next((text for pattern, text in REASONS.items() if fnmatchcase(name, pattern)), None)


HEAD = """# The names of MindSpore's datasets

MindSpore 2.7.0 has {count} public names of datasets: of modules, and methods of some classes. {recorded} of them are called by
programs that record MindSpore's values, and tests compare the answers here with these. {others} are not, for the reasons at the
end. Random operations are compared where chance decides nothing, or by types, shapes and sums. What differs on purpose is in
[notes/data.md](notes/data.md). `tools/data_names.py` writes this page, and `tests/data/laws/test_names.py` asks for a comparison or
a reason for each name.

| Where | Names | Compared by |
|---|---|---|
"""


def page() -> str:
    """Return the page."""
    names = json.loads((GOLDENS / "dataset_names.json").read_text(encoding="utf-8"))["names"]
    recorded = where_recorded(names)
    rows, others = "", ""
    for space, some in names.items():
        for golden, (_, test) in RECORDED.items():
            here = [name for name in some if recorded.get(f"{space}.{name}") == golden]
            if here:
                rows += f"| `{space}` | {', '.join(f'`{name}`' for name in here)} | `{golden}`, [{test}](../{test}) |\n"
        for name in some:
            if f"{space}.{name}" not in recorded:
                others += f"| `{space}.{name}` | {reason(f'{space}.{name}')} |\n"
    count = sum(map(len, names.values()))
    head = HEAD.format(count=count, recorded=len(recorded), others=count - len(recorded))
    return f"{head}{rows}\n## Not compared\n\n| Name | Why |\n|---|---|\n{others}"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    PAGE.write_text(page(), encoding="utf-8")
