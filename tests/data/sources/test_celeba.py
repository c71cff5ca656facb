"""CelebA."""

from pathlib import Path

import numpy as np
from PIL import Image

import sporax.dataset as ds


def test_celeba(tmp_path: Path) -> None:
    names = [f"{k:06d}.png" for k in range(1, 5)]
    for k, name in enumerate(names):
        Image.new("RGB", (3, 2), (k, 0, 0)).save(tmp_path / name)
    head = "4\n" + " ".join(f"A{k}" for k in range(5)) + "\n"
    body = "".join(
        f"{n}  " + " ".join("1" if (k + j) % 3 == 0 else "-1" for j in range(5)) + "\n" for k, n in enumerate(names)
    )
    (tmp_path / "list_attr_celeba.txt").write_text(head + body)
    (tmp_path / "list_eval_partition.txt").write_text("".join(f"{n} {k % 3}\n" for k, n in enumerate(names)))
    every = ds.CelebADataset(str(tmp_path), shuffle=False, decode=True)
    rows = list(every.create_dict_iterator(1, output_numpy=True))
    assert [r["image"][0, 0, 0].item() for r in rows] == [0, 1, 2, 3] and rows[0]["image"].shape == (2, 3, 3)
    assert rows[1]["attr"].tolist() == [0, 0, 1, 0, 0] and rows[1]["attr"].dtype == np.uint32
    sizes = [ds.CelebADataset(str(tmp_path), usage=u).get_dataset_size() for u in ("train", "valid", "test")]
    assert sizes == [2, 1, 1]
