"""Small files in the layouts that the pipelines read, drawn with fixed seeds.

`tools/data_pipelines.py` runs the statements `data` of its tables under MindSpore, in an empty folder, with the names of this
file. So files of MindRecord are MindSpore's own.
"""

import csv
import io
import json
import os
import struct
import wave

import numpy as np
from PIL import Image

rng = np.random.default_rng(0)


def picture(height, width, channels=3):
    """Return a smooth random picture of uint8."""
    small = rng.integers(0, 256, (height // 8 + 2, width // 8 + 2, 3), np.uint8)
    array = np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC))
    return array if channels == 3 else array[..., 0].copy()


def save(path, array):
    """Write a picture to a file of the format that its name says."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    Image.fromarray(array).save(path)
    return path


def encoded(array, kind="JPEG"):
    """Return the bytes of a picture."""
    stream = io.BytesIO()
    Image.fromarray(array).save(stream, kind)
    return stream.getvalue()


def sizes(count, low=48, high=96):
    """Return random heights and widths."""
    return [tuple(map(int, rng.integers(low, high, 2))) for _ in range(count)]


def pictures(folder, count, low=48, high=96, end=".jpg", channels=3):
    """Write pictures of random sizes, and return their paths."""
    return [
        save(f"{folder}/{number:04d}{end}", picture(height, width, channels))
        for number, (height, width) in enumerate(sizes(count, low, high))
    ]


def classes(folder, names, count, low=48, high=96):
    """Write a folder of pictures for each class."""
    for name in names:
        pictures(f"{folder}/{name}", count, low, high)


def mnist(folder, count=64, start="train"):
    """Write digits of MNIST."""
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{start}-images-idx3-ubyte", "wb") as file:
        file.write(struct.pack(">4i", 2051, count, 28, 28) + rng.integers(0, 256, (count, 28, 28), np.uint8).tobytes())
    with open(f"{folder}/{start}-labels-idx1-ubyte", "wb") as file:
        file.write(struct.pack(">2i", 2049, count) + rng.integers(0, 10, count, np.uint8).tobytes())


def cifar(folder, hundred=False):
    """Write the binary files of CIFAR-10 or CIFAR-100; MindSpore reads files of 10,000 or 50,000 pictures only."""
    os.makedirs(folder, exist_ok=True)
    tens = [f"data_batch_{number}.bin" for number in range(1, 6)] + ["test_batch.bin"]
    for name in ["train.bin", "test.bin"] if hundred else tens:
        count = 50_000 if name == "train.bin" else 10_000
        labels = rng.integers(0, 100 if hundred else 10, (count, 2 if hundred else 1), np.uint8)
        if hundred:
            labels[:, 0] //= 5
        with open(f"{folder}/{name}", "wb") as file:
            file.write(np.concatenate([labels, rng.integers(0, 256, (count, 3072), np.uint8)], 1).tobytes())


def boxes(count, height, width):
    """Return boxes as x, y, width and height."""
    corner = rng.uniform(0, 0.5, (count, 2)) * (width, height)
    return np.concatenate([corner, rng.uniform(0.2, 0.45, (count, 2)) * (width, height)], 1).round(1)


def coco(images, annotations, count=8, low=96, high=160, people=False, names=None):
    """Write pictures and an annotation file of COCO, with boxes, polygons and, for people, 17 points."""
    names = names or {1: "person", 2: "bicycle", 3: "car"}
    found = {"images": [], "annotations": [], "categories": [{"id": key, "name": name} for key, name in names.items()]}
    for path, number in zip(pictures(images, count, low, high), range(1, count + 1), strict=True):
        width, height = Image.open(path).size
        found["images"].append({"id": number, "file_name": os.path.basename(path), "height": height, "width": width})
        for x, y, w, h in boxes(3, height, width).tolist():
            one = {
                "id": len(found["annotations"]) + 1,
                "image_id": number,
                "bbox": [x, y, w, h],
                "area": w * h,
                "iscrowd": 0,
            }
            one["category_id"] = 1 if people else int(rng.choice(list(names)))
            one["segmentation"] = [[x, y, x + w, y, x + w, y + h, x, y + h]]
            if people:
                points = rng.uniform(0, 1, (17, 2)) * (w, h) + (x, y)
                one["keypoints"] = np.concatenate([points.round(), np.full((17, 1), 2)], 1).ravel().tolist()
                one["num_keypoints"] = 17
            found["annotations"].append(one)
    os.makedirs(os.path.dirname(annotations), exist_ok=True)
    with open(annotations, "w") as file:
        json.dump(found, file)
    return found


def records(path, schema, rows, files=1):
    """Write rows to files of MindRecord, with MindSpore's writer."""
    from mindspore.mindrecord import FileWriter

    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    writer = FileWriter(path, files)
    writer.add_schema(schema, "data")
    writer.write_raw_data(rows)
    writer.commit()


def _field(number, data):
    size, head = len(data), bytes([number << 3 | 2])
    while size > 127:
        head, size = head + bytes([size & 127 | 128]), size >> 7
    return head + bytes([size]) + data


def _number(value):
    value, found = int(value) & 0xFFFFFFFFFFFFFFFF, b""
    while value > 127:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])


def _crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def tfrecord(path, rows):
    """Write rows, dictionaries of arrays, to a file of TFRecord."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        for row in rows:
            features = b""
            for name, value in row.items():
                value = np.asarray(value)
                if value.dtype.kind == "f":
                    feature = _field(2, _field(1, value.astype("<f4").tobytes()))
                else:
                    feature = _field(3, _field(1, b"".join(map(_number, value.ravel()))))
                features += _field(1, _field(1, name.encode()) + _field(2, feature))
            data = _field(1, features)
            size = struct.pack("<Q", len(data))
            file.write(size + _crc(size) + data + _crc(data))


def sound(path, count=16000, rate=16000):
    """Write a sound of one channel and 16 bits."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    moments = np.arange(count) / rate
    wanted = sum(np.sin(2 * np.pi * pitch * moments) for pitch in rng.uniform(100, 3000, 4)) / 8
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, rate, count, "NONE", ""))
        file.writeframes((32767 * (wanted + rng.normal(0, 0.01, count))).clip(-32768, 32767).astype("<i2").tobytes())
    return path


def words(count):
    """Return random words."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    return ["".join(rng.choice(letters, rng.integers(2, 8))) for _ in range(count)]


def table(path, rows):
    """Write rows to a file of comma-separated values."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)


def lines(path, found):
    """Write lines of text."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in found)


def dump(path, value):
    """Write JSON."""
    lines(path, [json.dumps(value, ensure_ascii=False)])
