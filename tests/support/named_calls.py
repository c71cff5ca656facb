"""Calls of names of `mindspore.dataset` that no other golden calls, for a program and for a recorder of MindSpore.

Random operations are called so that chance decides nothing, or what does not depend on it is told.
"""

import enum
import json
import os
import runpy
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

CONFIG = {  # a pair of functions: values that are set one after the other, the wrong ones among them
    "seed": "[3, 0, 2**32 - 1, 2**32, -1, 1.5, True]",
    "prefetch_size": "[7, 1, 2**31 - 1, 0, 2**31, 'a', False]",
    "num_parallel_workers": "[1, 0, -3, 1.5, True]",
    "numa_enable": "[False, 1, None]",
    "monitor_sampling_interval": "[10, 1, 0, -1, 2**31, 1.0, True]",
    "auto_num_workers": "[True, False, 1]",
    "callback_timeout": "[5, 0, -1, 1.5, True]",
    "enable_shared_mem": "[False, True, 1]",
    "auto_offload": "[True, False, 1]",
    "enable_watchdog": "[False, True, 1]",
    "multiprocessing_timeout_interval": "[10, 0, -1, 1.0, True]",
    "fast_recovery": "[False, True, 1]",
    "autotune_interval": "[5, 0, -1, 1.0, True]",
    "debug_mode": "[True, False, 1]",
    "error_samples_mode": "[ds.config.ErrorSamplesMode.SKIP, ds.config.ErrorSamplesMode.RETURN, 'skip', 1]",
    "multiprocessing_start_method": "['spawn', 'fork', 'forkserver', 1]",
    "video_backend": "['CPU', 'GPU', 1]",
}
VISION = """outcome(vision.RandomGrayscale(1.0), Image.fromarray(image()))
outcome(vision.RandomGrayscale(0.0), Image.fromarray(image()))
outcome(vision.RandomVerticalFlip(1.0), image())
int((vision.RandomErasing(1.0, (0.25, 0.25), (1, 1), 7)(np.zeros((3, 8, 8), np.float32)) == 7).sum())
outcome(vision.RandomErasing(0.0), chw(image()))
outcome(vision.RandomLighting(0.0), image())
outcome(vision.RandomPerspective(0.0, 1.0), image())
outcome(vision.RandomPerspective(0.5, 0.0), image())
outcome(vision.RandomResize((5, 6)), np.full((9, 8, 3), 130, np.uint8))
outcome(vision.RandomResize(5), np.full((9, 8, 3), 130, np.uint8))
outcome(vision.RandomResizedCrop((6, 7), (1.0, 1.0), (9 / 7, 9 / 7)), image())
outcome(vision.RandomResizedCrop(5, (1.0, 1.0), (9 / 7, 9 / 7), vision.Inter.NEAREST), image())
outcome(vision.RandomCropDecodeResize((6, 7), (1.0, 1.0), (9 / 7, 9 / 7)), png())
outcome(vision.RandomSelectSubpolicy([[(vision.HorizontalFlip(), 1.0), (vision.Invert(), 0)]]), image())
outcome(vision.RandomSelectSubpolicy([]), image())
likeness(vision.AutoAugment(), image())
likeness(vision.AutoAugment(vision.AutoAugmentPolicy.SVHN), image())
likeness(vision.RandAugment(2, 5), image())
likeness(vision.TrivialAugmentWide(), image())
values(ds.NumpySlicesDataset([image()], ['i']).map(vision.UniformAugment([vision.Invert()], 1), 'i').map(vision.Invert(), 'i'))[1:]
likeness(vision.UniformAugment([vision.HorizontalFlip(), vision.Invert()], 2), image())
likeness(vision.CutOut(3), image())
likeness(vision.CutOut(3, 2, False), chw(image()))
int((vision.CutOut(4)(np.ones((64, 64, 3), np.uint8)) == 0).sum() % 3)
outcome(vision.Decode(), png())
outcome(vision.Decode(to_pil=True), png())
outcome(vision.Decode(), np.zeros(5, np.uint8))
outcome(vision.LinearTransformation(np.eye(12)[::-1], np.arange(12.0)), np.arange(12, dtype=np.float32).reshape(3, 2, 2))
outcome(vision.LinearTransformation(np.eye(3), np.ones(2)), np.ones((3, 1, 1)))
outcome(vision.ToNumpy(), Image.fromarray(image()))
outcome(vision.ToNumpy(), image())
likeness(vision.MixUp(2, 1.0), np.zeros((2, 3, 4, 4), np.uint8), np.array([0, 1]))
mixed(vision.MixUpBatch(1.0), np.full((2, 4, 4, 3), 9, np.float32))
mixed(vision.CutMixBatch(vision.ImageBatchFormat.NHWC, 1.0, 1.0), np.full((2, 4, 4, 3), 9, np.float32))
mixed(vision.CutMixBatch(vision.ImageBatchFormat.NCHW, 1.0, 0.0), np.full((2, 3, 4, 4), 9, np.uint8))
vision.encode_png(image()).size > 100
outcome(vision.Decode(), vision.encode_png(image()))
outcome(vision.Decode(), vision.encode_png(image()[..., :1], 9))
outcome(vision.encode_png, image(), 10)
outcome(vision.encode_png, image().astype(np.float32))
outcome(vision.Decode(), vision.encode_jpeg(np.full((8, 8, 3), 99, np.uint8), 100))
outcome(vision.encode_jpeg, image(), 0)
outcome(vision.encode_jpeg, image()[..., :2])
told(lambda: vision.write_file(at('a.bin'), np.arange(5, dtype=np.uint8)), lambda: vision.read_file(at('a.bin')).tolist())
outcome(vision.read_file, 'none.bin')
outcome(vision.write_file, at('a.bin'), np.zeros((2, 2), np.uint8))
told(lambda: vision.write_png(at('a.png'), image()), lambda: outcome(vision.read_image, at('a.png')))
told(lambda: vision.write_png(at('a.png'), image()), lambda: outcome(vision.read_image, at('a.png'), vision.ImageReadMode.GRAYSCALE))
told(lambda: vision.write_png(at('g.png'), image()[..., :1]), lambda: outcome(vision.read_image, at('g.png'), vision.ImageReadMode.COLOR))
told(lambda: vision.write_jpeg(at('a.jpg'), np.full((8, 8, 3), 99, np.uint8), 100), lambda: outcome(vision.read_image, at('a.jpg')))
outcome(vision.read_image, 'none.png')
[vision.get_image_size(image()), vision.get_image_size(Image.fromarray(image()))]
[vision.get_image_num_channels(image()), vision.get_image_num_channels(Image.fromarray(image())), vision.get_image_num_channels(image()[..., 0])]
outcome(vision.get_image_size, 3)
outcome(vision.get_image_num_channels, 'a')
members(vision.AutoAugmentPolicy)
members(vision.ImageBatchFormat)
members(vision.ImageReadMode)
members(vision.Border)
members(vision.Inter)
members(vision.SliceMode)
members(vision.ConvertMode)""".splitlines()
TRANSFORMS = r"""outcome(transforms.RandomApply([vision.Invert()], 1.0), image())
outcome(transforms.RandomApply([vision.Invert()], 0.0), image())
outcome(transforms.RandomApply([], 1.0), image())
outcome(transforms.RandomApply([vision.Invert()], 2), image())
outcome(transforms.RandomChoice([vision.Invert()]), image())
outcome(transforms.RandomChoice([]), image())
outcome(transforms.RandomOrder([vision.Invert()]), image())
likeness(transforms.RandomOrder([vision.Invert(), vision.HorizontalFlip()]), image())
members(transforms.Relational)
outcome(text.RegexReplace('[a-c]', '_'), 'abcabd')
outcome(text.RegexReplace('b', '', False), 'abcabd')
outcome(text.RegexReplace('(a)(b)', '$2$1'), 'cabab')
outcome(text.RegexReplace('(a)(b)', r'\$1'), 'cab')
outcome(text.RegexReplace('(a)|(b)', '<$2>'), 'ab')
members(text.JiebaMode)
members(text.SPieceTokenizerLoadType)
members(text.SPieceTokenizerOutType)
members(text.SentencePieceModel)
members(text.NormalizeForm)
[mr.SUCCESS.name, mr.FAILED.name]""".splitlines()
SOURCES = """values(ds.PaddedDataset([{'a': np.arange(2), 'b': np.ones(1)}, {'a': np.arange(3), 'b': np.zeros(2)}]))
values(ds.PaddedDataset([{'a': 1}]))
outcome(ds.PaddedDataset, [])
outcome(ds.PaddedDataset, [3])
outcome(ds.PaddedDataset, {'a': [1]})
values(ds.CLUEDataset(clue('train'), 'AFQMC', 'train', shuffle=False))
values(ds.CLUEDataset(clue('test'), 'AFQMC', 'test', shuffle=False))
outcome(ds.CLUEDataset, clue('train'), 'NONE', 'train')
values(ds.CelebADataset(celeba(), shuffle=False))
values(ds.CelebADataset(celeba(), shuffle=False, usage='valid'))
values(ds.FashionMnistDataset(mnist(), shuffle=False))
values(ds.FashionMnistDataset(mnist(), 'train', shuffle=False, num_samples=1))
json.loads(schema().to_json())
parsed(lambda s: s.parse_columns([{'name': 'c', 'type': 'int8', 'shape': [2]}]))
parsed(lambda s: s.parse_columns({'c': {'type': 'int8', 'shape': [2]}, 'd': {'type': 'string'}}))
parsed(lambda s: s.parse_columns([{'name': 'c'}]))
parsed(lambda s: s.parse_columns(3))
parsed(lambda s: s.from_json({'datasetType': 'TF', 'numRows': 3, 'columns': {'c': {'type': 'int8', 'rank': 1, 'shape': [2]}}}))
parsed(lambda s: s.from_json({'numRows': 0, 'columns': {}}))
parsed(lambda s: s.from_json({'what': 1, 'columns': {'c': {'type': 'int8', 'rank': 1}}}))
parsed(lambda s: s.add_column('c', 'int9'))
parsed(lambda s: s.add_column('c', 'int8'))
parsed(lambda s: s.add_column('c', ms.string))
parsed(lambda s: s.parse_columns({'c': {'type': 'int8', 'rank': 2}}))
parsed(lambda s: s.parse_columns([]))
parsed(lambda s: s.from_json({'columns': {'a': {'type': 'int8'}}, 'numRows': 'a'}))
read_by_schemas()
limited_by_schema()
[ds.Schema.get_num_rows(numbered_schema(3)), ds.Schema.get_num_rows(schema())]
parsed(lambda s: s.add_column('c', ms.float32, [2, -1]))
values(ds.zip((numbers(3), numbers(2, 'b'))))
outcome(ds.zip, numbers(3))
ds.compare(numbers(3).batch(2), numbers(3).batch(2))
ds.compare(numbers(3).batch(2), numbers(3).batch(3))
ds.compare(numbers(3), numbers(4).map(transforms.Fill(1), 'a'))
json.loads(printed(lambda: ds.show(ds.NumpySlicesDataset([1, 2]).batch(2), 2)) or '{}').get('op_type')
ds.serialize(ds.Cifar10Dataset(cifar()).batch(2)).get('op_type')
ds.serialize(ds.Cifar10Dataset(cifar()).batch(2), 'p.json').get('batch_size')
told(lambda: ds.serialize(ds.Cifar10Dataset(cifar(), 'test', shuffle=False).skip(9999), 'q.json'), lambda: shapes(ds.deserialize(json_filepath='q.json')))
shapes(ds.deserialize(ds.serialize(ds.Cifar10Dataset(cifar(), 'test', shuffle=False).skip(9998).batch(2))))
outcome(ds.deserialize)
events(ds.DSCallback, 1, 2)
events(ds.DSCallback, 2, 2)
events(ds.WaitedDSCallback, 1, 1)
outcome(ds.DSCallback, 0)
outcome(ds.DSCallback, 'a')""".splitlines()
METHODS = """values(numbers(6).apply(lambda data: data.batch(4)))
outcome(numbers(6).apply, lambda data: 3)
values(numbers(2).concat(numbers(1)))
values(numbers(2).concat([numbers(1), numbers(1)]))
[numbers(4).is_shuffled(), shuffled(4).is_shuffled(), numbers(4).shuffle(2).is_shuffled(), numbers(4).batch(2).is_shuffled()]
[numbers(4).is_sharded(), ds.NumpySlicesDataset([1, 2], num_shards=2, shard_id=0).is_sharded(), numbers(4).map(len).is_sharded()]
[numbers(4).is_sync(), numbers(4).sync_wait('c', 1, lambda: None).is_sync(), numbers(4).sync_wait('c').map(len).is_sync()]
[numbers(3).get_init_step(), initial(numbers(3), 2).get_init_step()]
[numbers(3).reset(), numbers(3).get_class_indexing(), numbers(3).num_classes(), numbers(3).get_repeat_count(), numbers(3).repeat(2).get_repeat_count()]
values(sampled(numbers(6), ds.SequentialSampler(2, 3)))
values(added(numbers(6), ds.SequentialSampler(2, 3)))
values(added(ds.NumpySlicesDataset(np.arange(6), ['a'], sampler=ds.SequentialSampler(1, 4)), ds.SequentialSampler(2, 1)))
outcome(numbers(3).use_sampler, None)
outcome(numbers(3).batch(2).to_json) is not None
told(lambda: numbers_of_files().to_json('r.json'), lambda: json.loads(Path('r.json').read_text()).get('op_type'))
synchronized()
outcome(numbers(3).build_vocab, 'a')
outcome(numbers(3).build_vocab, 'b')
[ds.SequentialSampler(2, 3).get_num_samples(), ds.RandomSampler().get_num_samples(), ds.SubsetSampler([1, 2]).get_num_samples(), ds.PKSampler(2).get_num_samples(), ds.DistributedSampler(2, 0).get_num_samples(), ds.WeightedRandomSampler([1, 2], 3).get_num_samples()]
[ds.SequentialSampler().is_shuffled(), ds.RandomSampler().is_shuffled(), ds.DistributedSampler(2, 0).is_shuffled(), ds.DistributedSampler(2, 0, False).is_shuffled(), ds.SubsetRandomSampler([1]).is_shuffled(), ds.PKSampler(1).is_shuffled(), ds.WeightedRandomSampler([1]).is_shuffled(), ds.SubsetSampler([1]).is_shuffled()]
[ds.SequentialSampler().is_sharded(), ds.DistributedSampler(2, 0).is_sharded(), ds.DistributedSampler(1, 0).is_sharded(), child().is_sharded()]
[child().get_child() is None, type(child().get_child()).__name__, ds.RandomSampler().get_child(), child().get_num_samples(), child().is_shuffled()]
[str(sampler.get_shuffle_mode().value) for sampler in (ds.SequentialSampler(), ds.RandomSampler(), ds.DistributedSampler(2, 0), ds.SubsetRandomSampler([1]))]
outcome(child().add_child, ds.SequentialSampler())
values(ds.NumpySlicesDataset(np.arange(6), ['a'], sampler=own_sampler()))
values(ds.NumpySlicesDataset(np.arange(6), ['a'], sampler=ds.samplers.IterSampler([4, 1, 5])))
values(ds.NumpySlicesDataset(np.arange(6), ['a'], sampler=ds.samplers.IterSampler([4, 1, 5], 2)))
paged()
iterated(numbers(3).create_dict_iterator(2, True))
iterated(numbers(3).create_tuple_iterator(None, 1, True))
outcome(numbers(3).create_tuple_iterator, ['z'])
outcome(numbers(3).create_dict_iterator, 0)
outcome(numbers(3).create_dict_iterator, 'a')""".splitlines()
CALLS = [
    *(f"kept(ds.config.set_{name}, ds.config.get_{name}, {given})" for name, given in CONFIG.items()),
    "kept(ds.config.set_enable_autotune, ds.config.get_enable_autotune, [True, False, 1])",
    "kept(ds.config.set_sending_batches, lambda: None, [3, 0, 'a', True])",
    "[ds.config.get_iterator_mode(), ds.config.set_iterator_mode(True, True), ds.config.get_iterator_mode(), ds.config.set_iterator_mode()]",
    "outcome(ds.config.set_iterator_mode, 1)",
    "members(ds.config.ErrorSamplesMode)",
    "loaded({'numParallelWorkers': 1, 'prefetchSize': 3, 'seed': 7, 'monitorSamplingInterval': 9})",
    "loaded({'seed': 'a'})",
    "outcome(ds.config.load, 'none.json')",
    *VISION,
    *TRANSFORMS,
    *SOURCES,
    *METHODS,
]


def plain(value: Any) -> Any:
    """Return a value as JSON holds it; arrays with their type and shape."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Image.Image):
        return ["PIL", *plain(np.asarray(value))]
    if isinstance(value, np.ndarray):
        kind = value.dtype.kind if value.dtype.kind in "US" else value.dtype.name
        return [
            kind,
            list(value.shape),
            value.tolist() if value.dtype.kind != "S" else [v.hex() for v in value.ravel()],
        ]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a call gives, or the type of its error."""
    try:
        return plain(function(*arguments))
    except Exception as error:
        return {"error": type(error).__name__}


def image() -> np.ndarray:
    return np.random.RandomState(3).randint(0, 256, (7, 9, 3)).astype(np.uint8)


def chw(picture: np.ndarray) -> np.ndarray:
    return (picture.transpose(2, 0, 1) / 255).astype(np.float32)


def png() -> np.ndarray:
    Image.fromarray(image()).save("one.png")
    return np.fromfile("one.png", np.uint8)


def likeness(operation: Callable[..., Any], *arguments: Any) -> Any:
    """Return type and shape of what a random operation gives."""
    found = operation(*arguments)
    return [[part.dtype.name, list(part.shape)] for part in (found if isinstance(found, tuple) else (found,))]


def mixed(operation: Callable[..., Any], images: np.ndarray) -> Any:
    """Return what chance does not change: images that are all alike, and labels whose rows have the sum 1."""
    found, labels = operation(images, np.eye(2, 3, dtype=np.float32))
    return [plain(found), labels.dtype.name, list(labels.shape), labels.sum(-1).round(5).tolist()]


def members(kind: Any) -> list[str]:
    return [member.name for member in kind]


def values(data: Any) -> Any:
    """Return names, size and rows of a dataset."""
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [data.get_col_names(), data.get_dataset_size(), [plain(list(row)) for row in rows]]


def shapes(data: Any) -> Any:
    return [[list(value.shape) for value in row] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def told(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    first()
    return second()


def kept(setter: Callable[[Any], Any], getter: Callable[[], Any], given: Iterable[Any]) -> Any:
    """Return what a setting is after each value, or the type of the error; the setting is then as before."""
    before, found = getter(), []
    for value in given:
        answer = outcome(setter, value)
        found.append(answer if answer is not None else plain(getter()))
    if before is not None:
        outcome(setter, before)
    return found


def printed(function: Callable[[], Any]) -> str:
    text = StringIO()
    with redirect_stdout(text):
        function()
    return text.getvalue()


def write(name: str, text: str) -> str:
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return os.path.abspath(name)


def clue(usage: str) -> str:
    rows = [
        {"sentence1": f"a{k}", "sentence2": f"b{k}", **({"label": str(k % 2)} if usage == "train" else {"id": k})}
        for k in range(3)
    ]
    return write(f"{usage}.json", "".join(json.dumps(row) + "\n" for row in rows))


def celeba() -> str:
    os.makedirs("celeba", exist_ok=True)
    for k in range(4):
        Image.fromarray(image() + np.uint8(k)).save(f"celeba/{k}.png")
    write(
        "celeba/list_attr_celeba.txt",
        "4\nBald Young\n" + "".join(f"{k}.png {-1 if k % 2 else 1} 1\n" for k in range(4)),
    )
    write("celeba/list_eval_partition.txt", "".join(f"{k}.png {k % 3}\n" for k in range(4)))
    return "celeba"


def mnist() -> str:
    os.makedirs("mnist", exist_ok=True)
    rng = np.random.RandomState(1)
    for part, size in (("train", 2), ("t10k", 1)):
        for name, shape in (("images-idx3", (size, 28, 28)), ("labels-idx1", (size,))):
            head = [0x0800 + len(shape), *shape]
            data = rng.randint(0, 10, shape).astype(np.uint8).tobytes()
            with open(f"mnist/{part}-{name}-ubyte", "wb") as file:
                file.write(b"".join(number.to_bytes(4, "big") for number in head) + data)
    return "mnist"


def cifar() -> str:
    os.makedirs("cifar", exist_ok=True)
    for name in ("test_batch", *(f"data_batch_{k}" for k in range(1, 6))):
        np.zeros((10000, 3073), np.uint8).tofile(f"cifar/{name}.bin")
    return "cifar"


def names(ms: Any, ds: Any, mr: Any) -> dict[str, Any]:
    """Return what the calls name."""

    def numbers(size: int, column: str = "a") -> Any:
        return ds.NumpySlicesDataset(np.arange(size), [column], shuffle=False)

    def sampled(data: Any, sampler: Any) -> Any:
        data.use_sampler(sampler)
        return data

    def added(data: Any, sampler: Any) -> Any:
        data.add_sampler(sampler)
        return data

    def initial(data: Any, step: int) -> Any:
        data.set_init_step(step)
        return data

    def child() -> Any:
        parent = ds.SequentialSampler(0, 3)
        parent.add_child(ds.DistributedSampler(2, 1, False))
        return parent

    def schema() -> Any:
        made = ds.Schema()
        made.add_column("a", "int32", [2])
        made.add_column("b", ms.float16, [])
        return made

    def parsed(call: Callable[[Any], Any]) -> Any:
        made = ds.Schema()
        answer = outcome(call, made)
        return answer if answer is not None else json.loads(made.to_json())

    def loaded(settings: dict[str, Any]) -> Any:
        getters = [ds.config.get_num_parallel_workers, ds.config.get_prefetch_size, ds.config.get_seed,
                   ds.config.get_monitor_sampling_interval]  # fmt: skip
        before = [getter() for getter in getters]
        found = [outcome(ds.config.load, write("c.json", json.dumps(settings))), [getter() for getter in getters]]
        for name, value in zip(
            ("num_parallel_workers", "prefetch_size", "seed", "monitor_sampling_interval"), before, strict=True
        ):
            getattr(ds.config, f"set_{name}")(value)
        return found if found[0] is None else found[0]

    def events(base: Any, step_size: int, epochs: int) -> list[str]:
        found: list[str] = []

        class Told(base):
            def ds_begin(self, context: Any) -> None:
                found.append("begin")

            def ds_epoch_begin(self, context: Any) -> None:
                found.append(f"epoch {context.cur_epoch_num}")

            def ds_step_begin(self, context: Any) -> None:
                found.append(f"step {context.cur_step_num} {context.cur_step_num_in_epoch}")

            def ds_step_end(self, context: Any) -> None:
                found.append(f"end {context.cur_step_num_in_epoch}")

            def ds_epoch_end(self, context: Any) -> None:
                found.append("epoch end")

        class Waiting(base):
            def sync_epoch_begin(self, train: Any, context: Any) -> None:
                found.append(f"sync epoch {context.cur_epoch_num}")

        kind = Told if base is ds.DSCallback else Waiting
        rows = numbers(3).map(lambda a: a, "a", callbacks=[kind(step_size)], num_parallel_workers=1)
        rows = rows.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
        if base is ds.DSCallback:
            for _ in range(epochs):
                found.append(f"rows {len(list(rows))}")
        return sorted(found)

    def synchronized() -> list[Any]:
        seen: list[Any] = []
        data = numbers(3).sync_wait("c", 1, lambda given: seen.append(given))
        for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
            data.sync_update("c", data=int(row["a"]))
        data.disable_sync()
        return seen

    def iterated(rows: Any) -> list[Any]:
        found = [plain(next(rows)), plain(rows.get_next()) if hasattr(rows, "get_next") else None]
        rows.stop()
        return found

    def read_by_schemas() -> Any:
        """Return what rows of one and of three values are by schemas in files, and by Schema."""
        place = Path(__file__).resolve().parents[2] / "tools" / "data_pipelines" / "files.py"
        runpy.run_path(str(place))["tfrecord"]("1.tfrecord", [{"a": [7]}])
        runpy.run_path(str(place))["tfrecord"]("3.tfrecord", [{"a": [7, 8, 9]}])
        found: dict[str, Any] = {}
        forms: list[dict[str, Any]] = [
            {},
            {"rank": 0},
            {"rank": 1},
            {"rank": 2},
            {"shape": [3]},
            {"shape": []},
            {"shape": [-1]},
            {"shape": [-1, 1]},
        ]
        for told in forms:
            rank = {"rank": len(told["shape"])} if "shape" in told else {}
            columns = {"columns": {"a": {"type": "int32", **rank, **told}}}
            file = write("s.json", json.dumps(columns))
            for name in ("1.tfrecord", "3.tfrecord"):
                made = ds.Schema()
                made.from_json(columns)
                kinds = [
                    outcome(lambda s=s, n=name: shapes(ds.TFRecordDataset(n, s, shuffle=False))) for s in (file, made)
                ]
                found[f"{told} {name}"] = kinds
        return found

    def limited_by_schema() -> Any:
        """Return the sizes of what is read where a schema says how many rows there are."""
        place = Path(__file__).resolve().parents[2] / "tools" / "data_pipelines" / "files.py"
        runpy.run_path(str(place))["tfrecord"]("rows.tfrecord", [{"a": [k]} for k in range(5)])
        file = write("rows.json", json.dumps({"numRows": 2, "columns": {"a": {"type": "int32", "rank": 1}}}))
        made = ds.Schema()
        made.from_json(json.loads(Path(file).read_text()))
        found = []
        for given in (file, made):
            for options in ({}, {"num_samples": 3}, {"num_shards": 2, "shard_id": 0, "shard_equal_rows": True}):
                data = ds.TFRecordDataset("rows.tfrecord", given, shuffle=False, **options)
                found.append([data.get_dataset_size(), len(shapes(data))])
        return found

    def numbered_schema(rows: int) -> Any:
        made = ds.Schema()
        made.from_json({"numRows": rows, "columns": {"a": {"type": "int32"}}})
        return made

    def own_sampler() -> Any:
        class Own(ds.samplers.Sampler):
            def __init__(self) -> None:
                super().__init__(num_samples=3)

            def __iter__(self) -> Any:
                yield from (5, 0, 2)

        return Own()

    def paged() -> Any:
        """Return what pages of records hold."""
        writer = mr.FileWriter("pages.mindrecord", 1, True)
        writer.add_schema({"label": {"type": "int32"}, "name": {"type": "string"}}, "rows")
        writer.add_index(["label"])
        writer.write_raw_data([{"label": k % 2, "name": f"n{k}"} for k in range(5)])
        writer.commit()
        pages = mr.MindPage("pages.mindrecord")
        fields, pages.category_field = sorted(pages.candidate_fields), "label"
        rows = [
            pages.read_at_page_by_id(0, 0, 2),
            pages.read_at_page_by_name("1", 0, 5),
            outcome(pages.read_at_page_by_id, 9, 0, 1),
        ]
        return plain([fields, pages.category_field, json.loads(pages.read_category_info()), rows])

    own = {name: value for name, value in globals().items() if not name.startswith("_")}
    return own | {
        "ms": ms, "ds": ds, "mr": mr, "vision": ds.vision, "transforms": ds.transforms, "text": ds.text, "numbers": numbers,
        "shuffled": lambda size: ds.NumpySlicesDataset(np.arange(size), ["a"]), "sampled": sampled, "added": added,
        "initial": initial, "child": child, "schema": schema, "parsed": parsed, "loaded": loaded, "events": events,
        "synchronized": synchronized, "iterated": iterated, "at": os.path.abspath, "read_by_schemas": read_by_schemas,
        "limited_by_schema": limited_by_schema, "numbered_schema": numbered_schema, "own_sampler": own_sampler, "paged": paged,
        "numbers_of_files": lambda: ds.Cifar10Dataset(cifar()).batch(2),
    }  # fmt: skip


def answers(ms: Any, ds: Any, mr: Any) -> dict[str, Any]:
    """Return what each call gives, in the present folder."""
    found, known = {}, names(ms, ds, mr)
    for call in CALLS:
        found[call] = outcome(eval, call, known)
    return json.loads(json.dumps(found))
