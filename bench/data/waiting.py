"""Times how long training waits for JPEG files: ResNet-18 at 224², in sporax.

``python -m bench.data.waiting`` writes the part "waiting" of DATA.md.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.data.jpeg import mindspore_rows, write_files
from bench.data.turns import machine, write_part

_BATCH = 32


class Waits:
    """Makes a callback that adds up the seconds between the end of a step and the start of the next one."""

    def __init__(self, ms: Any) -> None:
        waits = self
        self.seconds = self.ended = 0.0

        class Callback(ms.train.Callback):
            def on_train_epoch_begin(self, run_context: Any) -> None:
                waits.seconds, waits.ended = 0.0, time.perf_counter()

            def on_train_step_begin(self, run_context: Any) -> None:
                waits.seconds += time.perf_counter() - waits.ended

            def on_train_step_end(self, run_context: Any) -> None:
                float(run_context.original_args().net_outputs)  # until it is computed
                waits.ended = time.perf_counter()

        self.callback = Callback()


def network(ms: Any) -> Any:
    """Return ResNet-18, as for ImageNet."""
    nn = ms.nn

    def conv(cin: int, cout: int, kernel: int, stride: int) -> Any:
        layer = nn.Conv2d(cin, cout, kernel, stride, pad_mode="pad", padding=kernel // 2)
        return nn.SequentialCell(layer, nn.BatchNorm2d(cout))

    class Residual(nn.Cell):
        def __init__(self, cin: int, cout: int, stride: int) -> None:
            super().__init__()
            self.a, self.b, self.relu = conv(cin, cout, 3, stride), conv(cout, cout, 3, 1), nn.ReLU()
            self.down = conv(cin, cout, 1, stride) if stride > 1 else nn.Identity()

        def construct(self, x: Any) -> Any:
            return self.relu(self.b(self.relu(self.a(x))) + self.down(x))

    widths = (64, 64, 128, 256, 512)
    blocks = [
        Residual(widths[k] if first else widths[k + 1], widths[k + 1], 2 if first and k else 1)
        for k in range(4)
        for first in (True, False)
    ]
    stem = [conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, pad_mode="same")]
    return nn.SequentialCell(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dense(512, 10))


def measured(folder: str, workers: int, count: int) -> dict[str, float]:
    """Return the seconds of a batch: of steps on images in memory, of the pipeline, of both together, and of waiting."""
    ms = importlib.import_module("sporax")
    ms.set_context(mode=ms.GRAPH_MODE)
    rows = mindspore_rows("sporax", folder, "RandomResizedCrop", workers, _BATCH)
    net = network(ms)
    loss = ms.nn.CrossEntropyLoss()
    waits = Waits(ms)
    model = ms.Model(net, loss, ms.nn.Momentum(net.trainable_params(), 0.01, 0.9))
    images = np.zeros((count, 3, 224, 224), np.float32)
    memory = ms.dataset.NumpySlicesDataset((images, np.zeros(count, np.int32)), ["image", "label"], shuffle=False)
    memory = memory.batch(_BATCH)
    steps = count // _BATCH
    found = {}
    model.train(1, memory, waits.callback)  # it compiles
    for name, data in (("step", memory), ("both", rows)):
        start = time.perf_counter()
        model.train(1, data, waits.callback)
        found[name] = (time.perf_counter() - start) / steps
    found["waiting"] = waits.seconds / steps
    start = time.perf_counter()
    for _ in rows.create_tuple_iterator(num_epochs=1, output_numpy=True):
        pass
    return found | {"pipeline": (time.perf_counter() - start) / steps}


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=512)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), options.images)
        for workers in (1, 2):
            found = measured(folder, workers, options.images)
            slower = max(found["step"], found["pipeline"])
            cells = [f"{1000 * found[name]:.0f}" for name in ("step", "pipeline", "both")]
            rows.append(
                f"| {workers} | {' | '.join(cells)} | {1000 * found['waiting']:.1f} | {found['waiting'] / slower:.1%} |"
            )
    text = f"""
## Training on JPEG files

ResNet-18 in graph mode on batches of {_BATCH} images of 224 × 224 pixels, from the files of the first table with RandomResizedCrop.
Milliseconds of a batch on {machine()}: a step on images in memory, the pipeline alone, both together,
and for how long a step waits for its images, also as a part of the slower of the first two.
`python -m bench.data.waiting` writes this part.

| workers | a step | the pipeline | both | waiting | |
|---|---|---|---|---|---|
{chr(10).join(rows)}
"""
    print(text)
    write_part("waiting", text)


if __name__ == "__main__":
    main()
