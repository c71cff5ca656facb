"""Pipelines of datasets: map, batch, padding, filters, iterators, and images."""

import numpy as np

import sporax.dataset as ds
from sporax.dataset import transforms, vision
from sporax.dataset.vision import Inter


def rows():
    for i in range(10):
        yield np.full((8, 8, 3), i, np.uint8), np.array([i], np.int32)


def double(label: np.ndarray) -> np.ndarray:
    return label * 2


def main() -> None:
    ds.config.set_seed(3)
    data = ds.GeneratorDataset(rows, ["image", "label"])
    data = data.map(
        operations=[vision.Resize((4, 4), Inter.LINEAR), vision.Rescale(1.0 / 255.0, 0.0), vision.HWC2CHW()],
        input_columns="image",
        num_parallel_workers=1,
    )
    data = data.map(double, input_columns=["label"])
    data = data.map(transforms.TypeCast(np.float32), "label")
    data = data.filter(lambda label: bool(label[0] < 16), input_columns=["label"])
    data = data.shuffle(4).repeat(2).batch(4, drop_remainder=True)
    print(data.get_dataset_size(), data.get_col_names(), data.output_shapes(), data.output_types(), len(data))
    for row in data.create_dict_iterator(num_epochs=1):
        print(row["image"].shape, row["label"].mean())
    for batch in data.create_dict_iterator(num_epochs=1, output_numpy=True):
        print(batch["image"].sum(axis=0).tolist())
    for image, label in data.create_tuple_iterator(num_epochs=1):
        print(image.shape, (label + 1).max())
    for image, label in data:
        print(image.dtype, label.dtype)
    words = ds.NumpySlicesDataset({"text": ["a", "b"], "n": [1, 2]}, shuffle=False)
    train, valid = words.split([0.5, 0.5])
    for one in words.zip(ds.NumpySlicesDataset([3, 4], ["m"])).take(1).create_dict_iterator(output_numpy=True):
        print(one["m"], train, valid)


if __name__ == "__main__":
    main()
