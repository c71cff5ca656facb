"""MNIST and CIFAR: the rows of the tables, and files that are broken."""

import pytest
from data_tables import pipelines_of
from dataset_rows import values

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.sources.mnist_cifar")


def test_readers_refuse_broken_files(tmp_path):
    tmp_path /= "raw"
    tmp_path.mkdir()
    (tmp_path / "train-images-idx3-ubyte").write_bytes(b"\0" * 16)
    with pytest.raises(RuntimeError, match=r"lacks \['t10k-images-idx3-ubyte', .*, 'train-labels-idx1-ubyte'\]\.$"):
        ds.MnistDataset(str(tmp_path))
    with pytest.raises(RuntimeError, match=r"lacks \['train-labels-idx1-ubyte'\]\.$"):
        ds.MnistDataset(str(tmp_path), "train")
    with pytest.raises(RuntimeError, match=rf"lacks \[.*\]; {tmp_path} has some\.$"):
        ds.MnistDataset(str(tmp_path.parent))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes((2049).to_bytes(4, "big") + (1).to_bytes(4, "big") + b"\0")
    with pytest.raises(RuntimeError, match="expected an IDX file of 3 axes"):
        ds.MnistDataset(str(tmp_path))
    head = b"".join(n.to_bytes(4, "big") for n in (2051, 2, 28, 28))
    (tmp_path / "train-images-idx3-ubyte").write_bytes(head)
    with pytest.raises(RuntimeError, match=r"needs 1568 bytes; it has 0"):
        ds.MnistDataset(str(tmp_path))
    (tmp_path / "train-images-idx3-ubyte").write_bytes(head + bytes(1568))
    with pytest.raises(RuntimeError, match="has 2 images but 1 labels"):
        ds.MnistDataset(str(tmp_path))
    with pytest.raises(ValueError, match=r"usage must be one of .*got 'dev'"):
        ds.MnistDataset(str(tmp_path), "dev")
    (tmp_path / "test_batch.bin").write_bytes(b"\0" * 10)
    with pytest.raises(RuntimeError, match="rows of 3073 bytes; it has 10"):
        ds.Cifar10Dataset(str(tmp_path))
    nothing = ds.ImageFolderDataset(str(tmp_path)).batch(2)
    assert nothing.dataset_size is None and nothing.get_dataset_size() == nothing.dataset_size == 0
    with pytest.raises(RuntimeError, match="has no files ending in"):
        list(nothing)
    (tmp_path / "cat").mkdir()
    (tmp_path / "cat" / "a.png").write_bytes(b"no image")
    with pytest.raises(RuntimeError, match="class_indexing names"):
        ds.ImageFolderDataset(str(tmp_path), class_indexing={"dog": 0})
    with pytest.raises(TypeError, match="class_indexing must be a dict"):
        ds.ImageFolderDataset(str(tmp_path), class_indexing=[0])
    with pytest.raises(RuntimeError, match=r"a.png cannot be decoded"):
        list(ds.ImageFolderDataset(str(tmp_path), decode=True))
    secret = ds.ImageFolderDataset(str(tmp_path), decrypt=lambda path: b"plain")
    assert values(secret) == [list(b"plain")]
