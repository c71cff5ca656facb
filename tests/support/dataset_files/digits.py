"""Small copies of data sets whose files hold whole arrays."""

import numpy as np

from dataset_files.common import Case, idx, matrices, raw, text, variants


def _bytes(seed: int, *shape: int) -> np.ndarray:
    return np.random.RandomState(seed).randint(0, 256, shape).astype(np.uint8)


def write() -> None:
    """Write them into the working folder."""
    for part, size in (("train", 5), ("t10k", 3)):
        idx(f"kmnist/{part}-images-idx3-ubyte", _bytes(size, size, 28, 28))
        idx(f"kmnist/{part}-labels-idx1-ubyte", _bytes(size + 1, size) % 10)
    for name, part, size in (("mnist", "train", 4), ("mnist", "test", 2), ("letters", "train", 3)):
        idx(f"emnist/emnist-{name}-{part}-images-idx3-ubyte", _bytes(size, size, 28, 28))
        idx(f"emnist/emnist-{name}-{part}-labels-idx1-ubyte", _bytes(size + 1, size) % 26)
    for name, size in (("qmnist-train", 4), ("qmnist-test", 3), ("xnist", 2)):
        idx(f"qmnist/{name}-images-idx3-ubyte", _bytes(size, size, 28, 28))
        labels = np.random.RandomState(size).randint(0, 2**31 - 1, (size, 8)).astype(np.int32)
        labels[:, 0] %= 10
        idx(f"qmnist/{name}-labels-idx2-int", labels)
    rng = np.random.RandomState(8)
    rows = [(rng.randint(0, 2, 256), rng.randint(10)) for _ in range(4)]
    text("semeion/semeion.data", *(" ".join([f"{p:.4f}" for p in pixels] + ["01"[k == label] for k in range(10)]) + " "
                                   for pixels, label in rows))  # fmt: skip
    for name, size in (("usps", 4), ("usps.t", 2)):
        lines = [(rng.randint(1, 11), rng.uniform(-1, 1, 256)) for _ in range(size)]
        text(f"usps/{name}", *(f"{label} " + " ".join(f"{k + 1}:{v:.6f}" for k, v in enumerate(pixels)) + " "
                               for label, pixels in lines))  # fmt: skip
    for name, size in (("train", 3), ("test", 2), ("unlabeled", 2)):
        raw(f"stl10/{name}_X.bin", _bytes(size, size, 3, 96, 96).tobytes())
        if name != "unlabeled":
            raw(f"stl10/{name}_y.bin", bytes(range(1, size + 1)))
    for name, size in (("train", 3), ("test", 2), ("extra", 2)):
        matrices(
            f"svhn/{name}_32x32.mat", {"X": _bytes(size, 32, 32, 3, size), "y": np.arange(10 - size, 10)[:, None] + 1}
        )


def cases() -> list[Case]:
    """Return the calls that are recorded."""
    return [
        *variants("KMnist", "'kmnist'"),
        *(f"KMnistDataset('kmnist', {usage!r}, shuffle=False)" for usage in ("train", "test", "all", "wrong", 3)),
        *variants("EMnist", "'emnist', 'mnist'"),
        "EMnistDataset('emnist', 'letters', 'train', shuffle=False)",
        "EMnistDataset('emnist', 'letters', 'test', shuffle=False)",
        "EMnistDataset('emnist', 'letters', shuffle=False)",
        "EMnistDataset('emnist', 'balanced', shuffle=False)",
        "EMnistDataset('emnist', 'wrong', shuffle=False)",
        "EMnistDataset('emnist', 'mnist', 'wrong', shuffle=False)",
        *variants("QMnist", "'qmnist'"),
        *(f"QMnistDataset('qmnist', {usage!r}, shuffle=False)" for usage in ("train", "test", "nist", "wrong")),
        "QMnistDataset('qmnist', 'train', False, shuffle=False)",
        "QMnistDataset('qmnist', 'test50k', shuffle=False)",
        "QMnistDataset('qmnist', compat=1)",
        *variants("Semeion", "'semeion'"),
        *variants("USPS", "'usps'", mappable=False),
        *(f"USPSDataset('usps', {usage!r}, shuffle=False)" for usage in ("train", "test", "all", "wrong")),
        *variants("STL10", "'stl10'"),
        *(f"STL10Dataset('stl10', {usage!r}, shuffle=False)"
          for usage in ("train", "test", "unlabeled", "train+unlabeled", "wrong")),
        *variants("SVHN", "'svhn'"),
        *(f"SVHNDataset('svhn', {usage!r}, shuffle=False)" for usage in ("train", "test", "extra", "wrong")),
        *(f"FakeImageDataset(5, (3, 4, 3), 4, {options})" for options in (
            "shuffle=False", "", "num_samples=3", "num_shards=2, shard_id=1", "sampler=PKSampler(1)", "base_seed=7")),
        "FakeImageDataset(2, (9, 11, 3), shuffle=False)",
        "FakeImageDataset(0)",
        "FakeImageDataset(2, (3, 4))",
        "FakeImageDataset(2, (3, 4, 0))",
        "FakeImageDataset(2, num_classes=0)",
        "FakeImageDataset(2, 5)",
        "FakeImageDataset().get_dataset_size()",
        *(f"RandomDataset({options})" for options in (
            "3, schema=schema()", "3, schema=schema(), shuffle=True", "2", "total_rows=4, num_samples=3",
            "columns_list=['c0'], total_rows=2", "'3'", "num_shards=2")),
    ]  # fmt: skip
