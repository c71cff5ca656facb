"""The sources of public data sets: MindSpore's recorded answers on small copies of their files, and texts of errors."""

import fnmatch
import json
import os
from pathlib import Path
from unittest import mock

import dataset_files
import pytest

import sporax.dataset as ds

GOLDENS = Path(__file__).parents[2] / "goldens"
RECORDED = {
    call: answer
    for family in dataset_files.FAMILIES
    for call, answer in json.loads((GOLDENS / f"dataset_{family}.json").read_text(encoding="utf-8")).items()
}


def schema() -> ds.Schema:
    made = ds.Schema()
    made.add_column("a", "int16", [3])
    made.add_column("b", "float32", [])
    return made


def found(call: str):
    ds.config.set_num_parallel_workers(2)  # as many as where the answers were recorded
    with mock.patch.object(os, "cpu_count", return_value=2):
        return json.loads(json.dumps(dataset_files.answer(call, vars(ds), schema)))


# What differs.


def rows(call: str) -> list:
    return [[value[2] for value in row] for row in found(call)["rows"]]


# Calls whose answers are others here, and why; the tests at the end say what they are.
DIFFERS: dict[str, str] = {
    "*sampler=PKSampler(1))": "one error for all; and MindSpore draws among rows of several labels",
    "EnWik9Dataset('enwik9'*": "MindSpore counts lines that are not empty and stops after as many lines of any kind",
    "CoNLL2000Dataset('conll2000', num_shards*": "MindSpore shares lines, and so cuts sentences",
    "UDPOSDataset('udpos', num_shards*": "the same",
    "Multi30kDataset*Shuffle.FILES)": "MindSpore's documents say that it may be one, its check says no",
    "TedliumDataset('tedlium/release?', 'release?'*": "MindSpore's waveforms are zeros: it reads them into the end of a buffer "
    "and takes its start",
}
DIFFERS |= {
    f"{name}Dataset*, num_shards=2, shard_id=1*": "MindSpore takes the end of the row before for part of the first"
    for name in ("AGNews", "AmazonReview", "DBpedia", "SogouNews", "YahooAnswers", "YelpReview")
}
# Whose sizes MindSpore counts in lines instead of sentences, over all usages, or without repetitions; here a size is the number
# of rows.
SIZES = ("CoNLL2000*", "UDPOS*", "SpeechCommands*", "LSUNDataset('lsun', 'test'*", "*sampler=SubsetSampler*")
# Whose rows come in the order in which the file system lists files, which is that of their names here.
UNORDERED = ("GTZANDataset('gtzan'*", "YesNoDataset*", "LibriTTSDataset('libri_tts'*")


def matches(call: str, patterns) -> bool:
    return any(fnmatch.fnmatchcase(call.replace("[", "("), pattern.replace("[", "(")) for pattern in patterns)


@pytest.mark.parametrize("call", [call for call in RECORDED if not matches(call, DIFFERS)])
def test_call(small_copies, call):
    wanted, have = RECORDED[call], found(call)
    if not isinstance(wanted, dict):
        assert have == wanted
        return
    if "raises" in wanted:
        assert have.get("raises") == wanted["raises"], have
        return
    assert "raises" not in have, have
    if "rows" not in wanted:
        assert have == wanted
        return
    assert have["columns"] == wanted["columns"]
    assert have["size"] == (len(have["rows"]) if matches(call, SIZES) else wanted["size"])
    rows = [have["rows"], wanted["rows"]]
    if matches(call, UNORDERED):
        rows = [sorted(map(str, some)) for some in rows]
    assert str(rows[0]) == str(rows[1])  # as text, in which one NaN is another


@pytest.mark.parametrize("start", ["AGNewsDataset('ag_news'", "YelpReviewDataset('yelp'", "CoNLL2000Dataset('conll2000'",
                                   "UDPOSDataset('udpos'"])  # fmt: skip
def test_shares_are_whole_rows(small_copies, start):
    shares = [row for k in range(2) for row in rows(f"{start}, 'train', num_shards=2, shard_id={k}, shuffle=False)")]
    assert shares == rows(f"{start}, 'train', shuffle=False)")


@pytest.mark.parametrize("start", ["SVHNDataset('svhn'", "CocoDataset('coco/train', 'coco/instances.json'",
                                   "ManifestDataset('manifest/all.manifest'"])  # fmt: skip
def test_pk_sampler_needs_one_label_a_row(small_copies, start):
    answer = found(f"{start}, sampler=PKSampler(1))")
    assert answer["raises"] == "RuntimeError"
    assert "does not support PKSampler" in answer["text"]


# What errors say.


@pytest.mark.parametrize(("call", "text"), [
    ("KMnistDataset('kmnist', 'wrong')", "KMnistDataset: usage must be one of ['all', 'test', 'train'], got 'wrong'."),
    ("KMnistDataset('kmnist', 3)", "KMnistDataset: usage must be a str, got int 3."),
    ("EnWik9Dataset('empty')", "EnWik9Dataset: ['empty/enwik9'] do not exist."),
    ("SQuADDataset('empty', 'dev')", "SQuADDataset: empty has none of ['dev-v1.1.json', 'dev-v2.0.json']."),
    ("LJSpeechDataset('empty')", "LJSpeechDataset: empty/metadata.csv cannot be read: "),
    ("Food101Dataset('empty')", "Food101Dataset: empty/images is not a folder."),
    ("DIV2KDataset('div2k', scale='2')", "DIV2KDataset: scale must be an int, got '2'."),
    ("CocoDataset('coco/train', 'coco/broken.json')", "CocoDataset: coco/broken.json lacks an entry for the task Detection: "),
    ("CocoDataset('coco/train', 'coco/captions.json', 'Captioning').get_class_indexing()", "only 'Detection' and 'Panoptic'"),
    ("VOCDataset('voc').get_class_indexing()", "VOCDataset: only 'Detection' has get_class_indexing, not 'Segmentation'."),
    ("VOCDataset('voc', 'Detection', 'bad_box')", "bad_box.xml has a box from (4.0, 2.0) to (1.0, 5.0)."),
    ("VOCDataset('voc', 'Detection', 'no_object')", "no_object.xml has no objects."),
    ("VOCDataset('voc', 'Detection', 'no_xml')", "2008_01.xml cannot be read: "),
    ("VOCDataset('voc', class_indexing={'dog': 5})", "VOCDataset: class_indexing is for the task 'Detection' only."),
    ("VOCDataset('voc', 'Detection', class_indexing=[5])", "VOCDataset: class_indexing must be a dict, got [5]."),
    ("ManifestDataset('manifest/no_usage.manifest')", "line 0 of manifest/no_usage.manifest: KeyError('usage')"),
    ("ManifestDataset('manifest/all.manifest', 3)", "ManifestDataset: usage must be a str, got 3."),
    ("LSUNDataset('lsun', classes='classroom')", "LSUNDataset: classes must be a list of str, got 'classroom'."),
    ("FakeImageDataset(2, 5)", "FakeImageDataset: image_size must be a list or tuple, got 5."),
    ("FakeImageDataset(2, (3, 4))", "FakeImageDataset: image_size must have three numbers, got (3, 4)."),
    ("RandomDataset(2, schema=3)", "RandomDataset: schema must be a path or a Schema, got 3."),
    ("RandomDataset(2, columns_list=3)", "RandomDataset: columns_list must be a list, got 3."),
    ("CMUArcticDataset('broken')", "a line of cmu_us_aew_arctic/etc/txt.done.data is not a name and a quoted text."),
    ("LJSpeechDataset('broken')", "LJSpeechDataset: a line of metadata.csv is not a name and two texts between bars."),
    ("YesNoDataset('broken')", "YesNoDataset: broken/1_0.wav is not a WAV file."),
    ("AGNewsDataset('broken', 'test')", "row 0 of broken/test.csv must have 3 values, it has 1."),
    ("CoNLL2000Dataset('broken', 'test')", "line 0 of broken/test.txt must have three values: 'one two'."),
    ("SST2Dataset('broken', 'dev')", "line 1 of broken/dev.tsv must have two values: 'no label'."),
    ("SQuADDataset('broken', 'dev')", "SQuADDataset: broken/dev-v1.1.json holds no questions: KeyError('data')"),
    ("USPSDataset('broken', 'test')", "USPSDataset: line 0 of broken/usps.t is not a row: "),
    ("SemeionDataset('broken')", "SemeionDataset: semeion.data must have 266 numbers on every line; it has 2."),
    ("STL10Dataset('broken', 'unlabeled')", "STL10Dataset: unlabeled_X.bin must have rows of 27648 bytes; it has 3."),
    ("WIDERFaceDataset('broken', 'train')", "WIDERFaceDataset: the list of train is broken: "),
])  # fmt: skip
def test_texts_of_errors(small_copies, call, text):
    broken = {
        "cmu_us_aew_arctic/etc/txt.done.data": "no text", "metadata.csv": "a|b", "1_0.wav": "RIFF", "test.csv": "one",
        "test.txt": "one two", "dev.tsv": "sentence\tlabel\nno label", "dev-v1.1.json": "{}", "usps.t": "1 1:0.5",
        "semeion.data": "1 0", "unlabeled_X.bin": "abc", "wider_face_split/wider_face_train_bbx_gt.txt": "a.jpg\n1\n2 3",
    }  # fmt: skip
    for name, content in broken.items():
        path = Path("broken") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    assert text in found(call)["text"]
