"""Small copies of data sets of text."""

from dataset_files.common import Case, as_json, text, variants

_TABLES = {  # as many columns as each has
    "AGNews": ("ag_news", 3), "AmazonReview": ("amazon", 3), "DBpedia": ("dbpedia", 3), "SogouNews": ("sogou", 3),
    "YahooAnswers": ("yahoo", 4), "YelpReview": ("yelp", 2),
}  # fmt: skip


def _rows(part: str, columns: int, count: int) -> list[str]:
    return [",".join(f'"{part} {row}, ""quoted"" {column}\\n"' for column in range(columns)) for row in range(count)]


def write() -> None:
    """Write them into the working folder."""
    for name, columns in _TABLES.values():
        text(f"{name}/train.csv", *_rows("train", columns, 4))
        text(f"{name}/test.csv", *_rows("test", columns, 2))
    for part, count in (("train", 4), ("test", 2), ("valid", 3)):
        text(f"penn/ptb.{part}.txt", *(f" {part} line {k} <unk> n " for k in range(count)))
        text(f"wiki/wiki.{part}.tokens", " ", *(f" {part} line {k} = " for k in range(count)), "", " last ")
    text("enwik9/enwik9", "<page>", "  <title>Title</title>", "", "text &amp; more", "</page>")
    tagged = [
        ["Rockwell NNP B-NP", "said VBD B-VP", ". . O", "", "It PRP B-NP", "rose VBD B-VP", ""],
        ["A DT B-NP", ""],
    ]
    for part, lines in zip(("train", "test"), tagged, strict=True):
        text(f"conll2000/{part}.txt", *lines)
        text(f"udpos/en-ud-tag.v2.{part}.txt", *(line.replace(" ", "\t") for line in lines))
    text("udpos/en-ud-tag.v2.dev.txt", "Only\tADV\tRB", "one\tNUM\tCD", "")
    text("sst2/train.tsv", "sentence\tlabel", *(f"train sentence {k} , 'quoted' \t{k % 2}" for k in range(4)))
    text("sst2/dev.tsv", "sentence\tlabel", *(f"dev sentence {k} \t{k % 2}" for k in range(2)))
    text("sst2/test.tsv", "index\tsentence", *(f"{k}\ttest sentence {k} ." for k in range(3)))
    for part in ("train", "test"):
        for kind in ("pos", "neg"):
            for k in range(2):
                text(f"imdb/{part}/{kind}/{k}_{k + 7}.txt", f"{part} {kind} {k}", "second line")
    for part, answers in (("train", [["word", 3], ["words", 8]]), ("dev", [])):
        asked = [{"question": f"Which {part} {k}?", "id": str(k), "is_impossible": not answers,
                  "answers": [{"text": a, "answer_start": s} for a, s in answers[: k + 1]]} for k in range(2)]  # fmt: skip
        paragraphs = [{"context": f"A context of {part}, {k}", "qas": asked[k:]} for k in range(2)]
        for version in ("1.1", "2.0"):
            as_json(f"squad{version}/{part}-v{version}.json", {"data": [{"title": "T", "paragraphs": paragraphs}]})
    for path in ("training/train", "validation/val", "mmt16_task1_test/test"):
        for language in ("en", "de"):
            text(f"multi30k/{path}.{language}", *(f"{path} {language} {k}" for k in range(3)))
    _iwslt("iwslt2016/texts/de/en/de-en/IWSLT16", ("tst2013", "tst2014", "dev2010"))
    _iwslt("iwslt2017/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo/IWSLT17", ("dev2010", "tst2010"))


def _iwslt(start: str, parts: tuple[str, ...]) -> None:
    folder = start.rpartition("/")[0]
    for language, other in (("de", "source"), ("en", "target")):
        text(f"{folder}/train.tags.de-en.{language}", "<url>http://somewhere</url>", "<title>Title</title>",
             f" training {language} one ", f"training {language} two", "<reviewer></reviewer>")  # fmt: skip
        for part in parts:
            segments = (f'<seg id="{k}"> {part} {language} {k} </seg>' for k in (1, 2))
            text(f"{start}.TED.{part}.de-en.{language}.xml", '<?xml version="1.0" encoding="UTF-8"?>', "<mteval>",
                 f'<{other} setid="x">', '<doc docid="1">', "<title>T</title>", *segments, "</doc>", '<doc docid="2">',
                 f"<seg> {part} {language} last </seg>", "</doc>", f"</{other}>", "</mteval>")  # fmt: skip


def cases() -> list[Case]:
    """Return the calls that are recorded."""
    parts = {
        **{name: (f"'{folder}'", ("train", "test", "all", "wrong")) for name, (folder, _) in _TABLES.items()},
        "PennTreebank": ("'penn'", ("train", "valid", "test", "all", "wrong")),
        "WikiText": ("'wiki'", ("train", "valid", "test", "all", "wrong")),
        "CoNLL2000": ("'conll2000'", ("train", "test", "wrong")),
        "UDPOS": ("'udpos'", ("train", "valid", "test", "wrong")),
        "SST2": ("'sst2'", ("train", "dev", "test", "wrong")),
        "SQuAD": ("'squad1.1'", ("train", "dev", "all", "wrong")),
        "Multi30k": ("'multi30k'", ("train", "valid", "test", "wrong")),
        "IWSLT2016": ("'iwslt2016'", ("train", "valid", "test", "wrong")),
        "IWSLT2017": ("'iwslt2017'", ("train", "valid", "test", "wrong")),
        "EnWik9": ("'enwik9'", ()),
    }
    found = []
    for name, (arguments, usages) in parts.items():
        found += variants(name, arguments, mappable=False)
        found += [f"{name}Dataset({arguments}, {usage!r}, shuffle=False)" for usage in usages]
        found += [f"{name}Dataset({arguments}, shuffle={how})" for how in ("Shuffle.FILES", "True", "'wrong'")]
    ends_mindspore = {f"{name}Dataset('empty')" for name in _TABLES}  # with a segmentation fault
    return [
        *(call for call in found if call not in ends_mindspore),
        "SQuADDataset('squad2.0', shuffle=False)",
        "Multi30kDataset('multi30k', 'train', ['de', 'en'], shuffle=False)",
        "Multi30kDataset('multi30k', 'train', ['de', 'fr'], shuffle=False)",
        "Multi30kDataset('multi30k', 'train', 'de', shuffle=False)",
        "IWSLT2016Dataset('iwslt2016', 'valid', valid_set='dev2010', shuffle=False)",
        "IWSLT2016Dataset('iwslt2016', 'test', ('de', 'en'), test_set='tst2013', shuffle=False)",
        "IWSLT2016Dataset('iwslt2016', 'test', ['en', 'de'], shuffle=False)",
        "IWSLT2016Dataset('iwslt2016', 'test', ['de', 'nl'], shuffle=False)",
        "IWSLT2016Dataset('iwslt2016', 'test', 'de', shuffle=False)",
        "IWSLT2016Dataset('iwslt2016', 'test', test_set='wrong', shuffle=False)",
        "IWSLT2017Dataset('iwslt2017', 'test', ('de', 'xx'), shuffle=False)",
        *variants("IMDB", "'imdb'"),
        *(f"IMDBDataset('imdb', {usage!r}, shuffle=False)" for usage in ("train", "test", "wrong")),
    ]
