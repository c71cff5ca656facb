"""What the examples in MindSpore's style share: the command line, weights as .npz files, and pictures of digits made on the spot.

They import this module first, so that `python FILE` finds the name `mindspore` as `sporax run FILE` does.
"""

import argparse
import importlib.util
import json
from pathlib import Path

if importlib.util.find_spec("mindspore") is None:
    import sporax

    sporax.compat.install()

import mindspore as ms
import numpy as np
from mindspore import nn

GLYPHS = """
.###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ..##. ..##. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. .#... ....# ##### ....# #...# ..#.. #...# ....#
#...# ..#.. #.... #...# ...#. #...# #...# .#... #...# ....#
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .###.
"""


def parse_args(description: str, steps: int) -> argparse.Namespace:
    """Return the command line that every example understands, and select graph or pynative mode."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph", help="how programs run")
    parser.add_argument("--steps", type=int, default=steps, help=f"training steps (default: {steps})")
    parser.add_argument("--weights", type=Path, metavar="FILE.npz", help="initial weights by parameter name")
    parser.add_argument("--save-weights", type=Path, metavar="FILE.npz", help="write the weights after training")
    parser.add_argument("--losses", type=Path, metavar="FILE.json", help="write the list of losses")
    parser.add_argument("--text", type=Path, metavar="FILE.txt", help="text to learn from (char_gpt)")
    args = parser.parse_args()
    ms.set_seed(0)
    ms.set_context(mode=ms.GRAPH_MODE if args.mode == "graph" else ms.PYNATIVE_MODE)
    return args


def load_weights(net: nn.Cell, path: Path | None) -> None:
    """Set the network's parameters to the arrays of the same names in a file."""
    if path is None:
        return
    with np.load(path) as arrays:
        missing, unknown = ms.load_param_into_net(
            net, {name: ms.Parameter(ms.Tensor(arrays[name]), name=name) for name in arrays}
        )
    if missing or unknown:
        raise ValueError(f"{path}: missing {missing}, unknown {unknown}")


def finish(args: argparse.Namespace, net: nn.Cell, losses: list[float]) -> None:
    """Print how the loss went, and write the files that the command line asks for."""
    if losses:
        print(f"loss: {losses[0]:.4f} at first, {losses[-1]:.4f} after {len(losses)} steps")
    if args.losses:
        args.losses.write_text(json.dumps(losses) + "\n")
    if args.save_weights:
        np.savez(args.save_weights, **{item.name: item.asnumpy() for item in net.get_parameters()})


def digit_images(count: int, size: int, scale: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return pictures (count, 1, size, size) of digits at random places under noise, and the digits."""
    rows = [line.split() for line in GLYPHS.strip().splitlines()]
    glyphs = np.array([[[c == "#" for c in row[digit]] for row in rows] for digit in range(10)], np.float32)
    glyphs = glyphs.repeat(scale, 1).repeat(scale, 2)
    height, width = glyphs.shape[1:]
    random = np.random.RandomState(seed)
    labels = random.randint(0, 10, count).astype(np.int32)
    images = 0.15 * random.rand(count, 1, size, size).astype(np.float32)
    for image, label in zip(images, labels, strict=True):
        top, left = random.randint(0, size - height + 1), random.randint(0, size - width + 1)
        image[0, top : top + height, left : left + width] += 0.8 * glyphs[label]
    return images, labels
