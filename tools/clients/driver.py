"""What runs in the process of a network, under MindSpore and under sporax alike: build it, draw its weights, run it and train it.

    python driver.py JOB        # under MindSpore
    sporax run driver.py JOB    # under sporax

JOB is JSON: `paths` to import from, and `networks`, each with its name, the statements of `setup`, the expressions of what to
`build` and of its `inputs`, the `modes`, and where it is not plain SGD the `optimizer` of its `params`, whose Parameters are then
recorded as well. Where a golden is there, it says whether the network trains (`training`), and `nearby` asks for the losses and
norms of so many networks whose weights are those of this one up to rounding. After each piece a line of JSON is printed.
A job that says `timed` has one network in one mode; it is trained step by step as standard input asks.
"""

import json
import os
import re
import resource
import sys
import time
import traceback
import zlib
from itertools import chain

import mindspore as ms
import numpy as np
from mindspore import nn, ops

STEPS = 3
SAMPLES = 8
ROUNDING = 1e-6
MARK = "@@programs@@"


def draws(name):
    """Return the generator of random numbers that belongs to a name."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def floats(*shape):
    """Return an input of normal numbers."""
    return ms.Tensor(draws(f"floats{shape}").standard_normal(shape).astype(np.float32))


def uniform(*shape):
    """Return an input of numbers between 0 and 1."""
    return ms.Tensor(draws(f"uniform{shape}").random(shape).astype(np.float32))


def image(size, batch=2, channels=3):
    """Return images, (N, C, H, W)."""
    return floats(batch, channels, size, size)


def integers(high, *shape, dtype=np.int32):
    """Return an input of integers of [0, high)."""
    return ms.Tensor(draws(f"integers{high}{shape}").integers(0, high, shape).astype(dtype))


def ones(*shape, dtype=np.float32):
    """Return an input of ones."""
    return ms.Tensor(np.ones(shape, dtype))


def as_float(value):
    """Return a Tensor as an array of float64."""
    return value.astype(ms.float32).asnumpy().astype(np.float64)


def drawn(parameter, name):
    """Return the value that a Parameter gets: what is constant at first varies about it, matrices keep their input's scale."""
    value = parameter.asnumpy()
    if value.dtype.kind != "f":
        return None
    noise = draws(name).standard_normal(value.shape)
    if value.ndim < 2:
        constant = value.ndim == 0 or (
            value.size and (value == value.flat[0]).all() and (value.size > 1 or value[0] in (0, 1))
        )
        if not constant and not parameter.requires_grad:
            return None
        noise = (value.flat[0] if constant else 0) + 0.1 * noise
    elif parameter.requires_grad:
        noise = noise / np.sqrt(max(1, np.prod(value.shape[1:])))
    else:
        return None
    return noise.astype(value.dtype)


def draw_weights(net):
    """Give every Parameter of a network the value that its name stands for."""
    for name, parameter in net.parameters_and_names():
        value = drawn(parameter, name)
        if value is not None:
            parameter.set_data(ms.Tensor(value, parameter.dtype))


def shake_weights(net, number):
    """Change every weight of a network by as little as what is lost in sums of float32."""
    for name, parameter in net.parameters_and_names():
        value = parameter.asnumpy()
        if value.dtype.kind == "f":
            noise = draws(f"{number} {name}").standard_normal(value.shape)
            parameter.set_data(ms.Tensor((value * (1 + ROUNDING * noise)).astype(value.dtype), parameter.dtype))


def floats_in(value, path=()):
    """Return the places of the float Tensors in what a network returned."""
    if isinstance(value, ms.Tensor):
        return (path,) if value.dtype in (ms.float16, ms.float32, ms.float64) and value.size else ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (tuple, list)) else ()
    return tuple(place for key, item in items for place in floats_in(item, (*path, key)))


def at(outputs, path):
    """Return what is at a place."""
    for key in path:
        outputs = outputs[key]
    return outputs


def described(outputs):
    """Return the shape, the dtype, the norm and some values of each float Tensor of what a network returned."""
    entries = []
    for path in floats_in(outputs):
        tensor = at(outputs, path)
        value = as_float(tensor).ravel()
        sample = value[np.linspace(0, value.size - 1, min(SAMPLES, value.size)).astype(int)]
        entries.append(
            [list(tensor.shape), str(tensor.dtype), rounded(np.linalg.norm(value)), [rounded(v) for v in sample]]
        )
    return entries


def rounded(number):
    """Return a number with the digits that float32 has."""
    return float(f"{number:.7g}")


def built(network, names):
    """Build a network, with weights that its names give.

    Returns:
        The network and its inputs.
    """
    np.random.seed(0)
    ms.set_seed(0)
    net = eval(network["build"], names)
    draw_weights(net)
    inputs = eval(network["inputs"], names)
    return net, inputs if isinstance(inputs, tuple) else (inputs,)


def start_training(net, training):
    """Set a network to train, without what it drops at random."""
    net.set_train(training)
    for _, cell in net.cells_and_names():
        if "drop" in type(cell).__name__.lower():
            cell.set_train(False)


def trained_outputs(net, inputs):
    """Return what a network that trains returns, in PyNative mode; its Parameters stay as they are."""
    kept = [(parameter, parameter.asnumpy().copy()) for parameter in net.get_parameters()]
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.PYNATIVE_MODE)
    start_training(net, True)
    outputs = net(*inputs)
    ms.set_context(mode=mode)
    for parameter, value in kept:
        parameter.set_data(ms.Tensor(value, parameter.dtype))
    return outputs


def outputs_of(net, inputs, training):
    """Return what a network returns that is trained, or evaluated."""
    if training:
        return trained_outputs(net, inputs)
    net.set_train(False)
    return net(*inputs)


def draws_nothing(net, inputs):
    """Return whether a network that trains returns the same twice."""
    first, second = described(trained_outputs(net, inputs)), described(trained_outputs(net, inputs))
    return all(
        np.allclose([a[2], *a[3]], [b[2], *b[3]], 1e-4, 1e-4 * a[2] / np.sqrt(np.prod(a[0])))
        for a, b in zip(first, second, strict=True)
    )


def made_optimizer(network, net, names):
    """Return the optimizer of a network."""
    expression = network.get("optimizer", "nn.SGD(params, learning_rate=0.01)")
    return eval(expression, names | {"net": net, "params": net.trainable_params()})


def state_of(optimizer):
    """Return the name, the shape and the norm of each Parameter of an optimizer."""
    return [[p.name, list(p.shape), rounded(np.linalg.norm(as_float(p)))] for p in optimizer.get_parameters()]


def training_step(net, outputs, graph, optimizer):
    """Return what trains a network for a step: a function of its inputs that gives the loss and the gradients."""
    paths = floats_in(outputs)
    targets = tuple(
        ms.Tensor(draws(f"target{path}").standard_normal(at(outputs, path).shape).astype(np.float32)) for path in paths
    )

    def forward(*data):
        result = net(*data)
        total = 0.0
        for path, target in zip(paths, targets):  # noqa: B905 - a graph takes no keywords here
            value = result
            for key in path:
                value = value[key]
            total = total + ops.square(value.astype(ms.float32) - target).mean()
        return total

    gradients_of = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(*data):
        loss, gradients = gradients_of(*data)
        optimizer(ops.clip_by_global_norm(gradients, 1.0))
        return loss, gradients

    return ms.jit(step) if graph else step


def losses_and_norms(net, inputs, outputs, graph, optimizer):
    """Train a network for a few steps.

    Returns:
        The losses, and the norms of the gradients of the first step, one for each trainable Parameter.
    """
    step = training_step(net, outputs, graph, optimizer)
    losses, norms = [], []
    for _ in range(STEPS):
        loss, gradients = step(*inputs)
        losses.append(rounded(float(loss.asnumpy())))
        norms = norms or [rounded(np.linalg.norm(as_float(gradient))) for gradient in gradients]
    return losses, norms


LONG_PATH = r"(?<![\w./])/(?:[\w.+-]+/)+((?:[\w.+-]+/){2}[\w.+-]+)"  # of which the last three names are told


def shown(error):
    """Return what an error says, short, and where the program was."""
    text = re.sub(LONG_PATH, r"\1", " ".join(f"{type(error).__name__}: {error}".split()))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    place = f" [{'/'.join(frames[-1].filename.split('/')[-3:])}:{frames[-1].lineno}]" if frames else ""
    return text[:400] + place


def pieces(network, names):
    """Run a network piece by piece; each piece is a dict of what it gave."""
    net, inputs = built(network, names)
    yield {"parameters": [[name, list(p.shape), p.requires_grad] for name, p in net.parameters_and_names()],
           "own_names": [p.name for p in net.get_parameters()]}  # fmt: skip
    training = network.get("training")
    for mode in network.get("modes", ("pynative", "graph")):
        graph = mode == "graph"
        ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
        try:
            if graph:
                net, inputs = built(network, names)
            net.set_train(False)
            outputs = net(*inputs)
            yield {mode: {"forward": described(outputs)}}
            if training is None:
                training = draws_nothing(net, inputs)
                yield {"training": training}
            outputs = outputs_of(net, inputs, training)
            start_training(net, training)
            optimizer = made_optimizer(network, net, names)
            losses, norms = losses_and_norms(net, inputs, outputs, graph, optimizer)
            yield {mode: {"losses": losses, "norms": norms}}
            if "optimizer" in network:
                yield {mode: {"state": state_of(optimizer)}}
        except Exception as error:
            yield {mode: {"error": shown(error)}}
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)


def timed(network, names, tell):
    """Train a network as often as a line on standard input says, line by line, and tell the seconds of a step."""
    graph = network["modes"] == ["graph"]
    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    net, inputs = built(network, names)
    outputs = outputs_of(net, inputs, network.get("training", True))
    start_training(net, network.get("training", True))
    step = training_step(net, outputs, graph, made_optimizer(network, net, names))

    def seconds(count):
        began = time.perf_counter()
        for _ in range(count):
            loss, _ = step(*inputs)
        loss.asnumpy()
        return time.perf_counter() - began

    first = seconds(1)
    tell(network["name"], first=first)
    for line in sys.stdin:
        tell(network["name"], step=seconds(int(line)) / int(line))
    tell(network["name"], peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def nearby(network, names):
    """Train networks whose weights are nearly those of a network; each piece holds the losses and norms of one more."""
    found = []
    for number in range(network.get("nearby", 0)):
        net, inputs = built(network, names)
        shake_weights(net, number)
        outputs = outputs_of(net, inputs, network["training"])
        start_training(net, network["training"])
        found.append(losses_and_norms(net, inputs, outputs, False, made_optimizer(network, net, names)))
        yield {"nearby": found}


def main():
    """Run the networks of a job, or time the one of a job that says `timed`."""
    with open(sys.argv[1]) as file:
        job = json.load(file)
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(name, **piece):
        report.write(MARK + json.dumps({"name": name, **piece}) + "\n")
        report.flush()

    sys.path[:0] = job["paths"]
    sys.argv = ["train.py"]
    helpers = (floats, uniform, image, integers, ones)
    for network in job["networks"]:
        began = time.perf_counter()
        names = {helper.__name__: helper for helper in helpers} | {"ms": ms, "nn": nn, "ops": ops, "np": np}
        tell(network["name"], begun=True)
        try:
            ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
            exec(network["setup"], names)
            if job.get("timed"):
                timed(network, names, tell)
                continue
            for piece in chain(pieces(network, names), nearby(network, names)):
                tell(network["name"], **piece)
        except (Exception, SystemExit) as error:
            tell(network["name"], error=shown(error))
        tell(network["name"], seconds=round(time.perf_counter() - began, 1), done=True)


if __name__ == "__main__":
    main()
