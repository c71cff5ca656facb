"""Datasets of images, which are read from the files of torchvision's."""

import gzip
import pickle

import numpy as np
import PIL.Image
import pytest


def idx(values):
    """Return an array as a file of MNIST has it."""
    return np.array([0x800 + values.ndim, *values.shape], ">i4").tobytes() + values.tobytes()


def mnist_files(folder, ending=""):
    folder.mkdir(parents=True)
    for part, count in (("train", 5), ("t10k", 3)):
        images = np.arange(count * 784, dtype=np.uint32).astype(np.uint8).reshape(count, 28, 28)
        for name, values in (("images-idx3", images), ("labels-idx1", np.arange(count, dtype=np.uint8))):
            content = idx(values)
            (folder / f"{part}-{name}-ubyte{ending}").write_bytes(gzip.compress(content) if ending else content)


@pytest.mark.parametrize("name", ["MNIST", "FashionMNIST", "KMNIST"])
def test_mnist_and_its_like(run, tmp_path, name):
    mnist_files(tmp_path / name / "raw")
    program = f"""
d = datasets.{name}(root, train=False, transform=T.ToTensor())
x, y = d[1]
loader = torch.utils.data.DataLoader(d, batch_size=2, **options)
shapes = [tuple(a.shape) for a, b in loader]
count, numbers = tuple(d.data.shape), d.targets.tolist()
text = repr(d)
d.data, d.targets = d.data[:2], d.targets[:2]
"""
    names = run(program, root=str(tmp_path), options={"pin_memory": True, "persistent_workers": False})
    assert names["x"].shape == (1, 28, 28) and names["y"] == 1
    assert abs(float(names["x"][0, 0, 1]) - 17 / 255) < 1e-6
    assert names["shapes"] == [(2, 1, 28, 28), (1, 1, 28, 28)]
    assert (names["count"], names["numbers"]) == ((3, 28, 28), [0, 1, 2])
    assert names["text"] == (
        f"Dataset {name}\n    Number of datapoints: 3\n    Root location: {tmp_path}\n    Split: Test"
    )
    assert len(names["d"]) == 2
    assert len(names["d"].classes) == 10 and names["d"].class_to_idx[names["d"].classes[3]] == 3


def test_mnist_is_downloaded(run, tmp_path):
    mnist_files(tmp_path / "mirror", ".gz")
    program = """
class Here(datasets.MNIST):
    mirror = there

try:
    Here(root)
except RuntimeError as error:
    said = str(error)
d = Here(root, download=True)
"""
    names = run(program, root=str(tmp_path), there=(tmp_path / "mirror").as_uri() + "/")
    assert names["said"] == "Dataset not found. You can use download=True to download it"
    assert len(names["d"]) == 5 and (tmp_path / "Here" / "raw" / "train-images-idx3-ubyte").is_file()


def test_cifar(run, tmp_path):
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    for i, name in enumerate([*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]):
        batch = {"data": np.full((2, 3072), i, np.uint8), "labels": [i, i + 1]}
        (folder / name).write_bytes(pickle.dumps(batch))
    (folder / "batches.meta").write_bytes(pickle.dumps({"label_names": ["plane", "car"]}))
    program = """
d = datasets.CIFAR10(root=root, train=True, transform=T.ToTensor())
x, y = d[4]
shape, numbers, classes = d.data.shape, d.targets, d.classes
"""
    names = run(program, root=str(tmp_path))
    assert names["shape"] == (10, 32, 32, 3)
    assert names["numbers"] == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    assert names["y"] == 2 and abs(float(names["x"][0, 0, 0]) - 2 / 255) < 1e-6
    assert names["classes"] == ["plane", "car"]


def test_another_archive_than_cifars_is_not_unpacked(run, tmp_path):
    (tmp_path / "cifar-10-python.tar.gz").write_bytes(b"something else")
    program = """
class Here(datasets.CIFAR10):
    url = there
try:
    Here(root, download=True)
except RuntimeError as error:
    said = str(error)
"""
    names = run(program, root=str(tmp_path / "data"), there=(tmp_path / "cifar-10-python.tar.gz").as_uri())
    assert names["said"] == "File not found or corrupted."


def test_images_in_folders(run, tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        for i in range(2):
            PIL.Image.new("L", (4, 3), 51 * i).save(tmp_path / name / f"{i}.png")
        (tmp_path / name / "notes.txt").write_text("no image")
    program = """
d = ImageFolder(root, T.Compose([T.Resize((6, 8)), T.ToTensor()]))
x, y = d[3]
found = (d.classes, d.class_to_idx, d.targets, d.samples == d.imgs)
"""
    names = run(program, root=str(tmp_path))
    assert names["found"] == (["a", "b"], {"a": 0, "b": 1}, [0, 0, 1, 1], True)
    assert names["x"].shape == (3, 6, 8) and names["y"] == 1 and abs(float(names["x"][2, 1, 1]) - 0.2) < 1e-6
    (tmp_path / "c").mkdir()
    with pytest.raises(FileNotFoundError, match="Found no valid file for the classes c"):
        run(program, root=str(tmp_path))


def test_made_up_images(run):
    names = run("d = datasets.FakeData(4, (3, 5, 6), 7, T.ToTensor())\nx, y = d[2]\nz, _ = d[2]\n")
    assert names["x"].shape == (3, 5, 6) and 0 <= names["y"] < 7
    assert (names["x"] == names["z"]).all()
