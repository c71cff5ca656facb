"""What to write in place of a name that does not exist: a name like it, or MindSpore's way of a habit from PyTorch.

The hint is looked up when an error is shown, so that `hasattr` stays fast.
"""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from collections.abc import Iterable
from typing import Any

from sporax._src.base.errors import message

_GRADIENTS = "Write step = ms.value_and_grad(forward, None, optimizer.parameters), then loss, grads = step(x) and optimizer(grads)."
_DEVICE = "Write ms.set_device('GPU') at the start of the program: all Tensors and Parameters are then made there."
_LOADER = "Write ds.GeneratorDataset(source, ['image', 'label'], shuffle=True).batch(32)."

ATTRIBUTES: dict[str, dict[str, str]] = {
    "Tensor": {
        "backward": f"Gradients come from functions. {_GRADIENTS}",
        "grad": f"Gradients come from functions. {_GRADIENTS}",
        "grad_fn": f"Gradients come from functions. {_GRADIENTS}",
        "retain_grad": "Write ms.grad(f)(x): gradients come from functions.",
        "requires_grad": "Write ms.grad(f)(x), which differentiates with respect to x; only a Parameter has requires_grad.",
        "is_leaf": "Gradients come from functions: ms.grad(f)(x).",
        "detach": "Write ops.stop_gradient(x).",
        "cpu": "Write x.asnumpy() for a NumPy array, or x.move_to('CPU').",
        "cuda": _DEVICE,
        "npu": _DEVICE,
        "is_cuda": "Write ms.get_context('device_target').",
        "zero_grad": "Leave it out: gradients are returned, not collected.",
    },
    "Cell": {
        "jit": "Write ms.jit(net).",
        "forward": "Write construct in place of forward.",
        "parameters": "Write net.get_parameters(), or net.trainable_params() for an optimizer.",
        "named_parameters": "Write net.parameters_and_names().",
        "children": "Write net.cells().",
        "named_children": "Write net.name_cells().items().",
        "modules": "Write [cell for _, cell in net.cells_and_names()].",
        "named_modules": "Write net.cells_and_names().",
        "train": "Write net.set_train().",
        "eval": "Write net.set_train(False).",
        "zero_grad": "Leave it out: gradients are returned, not collected.",
        "requires_grad_": "Write net.set_grad(), or p.requires_grad = False for each Parameter p that is frozen.",
        "add_module": "Write net.insert_child_to_cell(name, cell).",
        "register_module": "Write net.insert_child_to_cell(name, cell).",
        "register_parameter": "Write net.insert_param_to_cell(name, parameter).",
        "cuda": _DEVICE,
        "cpu": "Write ms.set_device('CPU') at the start of the program.",
        "half": "Write net.to_float(ms.float16).",
        "backward": f"Gradients come from functions. {_GRADIENTS}",
        "fit": "Write model = train.Model(net, loss_fn, optimizer), then model.fit(epochs, dataset).",
        "predict": "Write net(x), or train.Model(net).predict(x).",
        "compile_model": "Write train.Model(net, loss_fn, optimizer).",
        "summary": "Write ms.summary(net, x).",
    },
    "Optimizer": {
        "step": "Write optimizer(grads), with the gradients that ms.value_and_grad(forward, None, optimizer.parameters) gives.",
        "zero_grad": "Leave it out: gradients are returned, not collected.",
        "param_groups": "Write optimizer.group_params, or learning_rate as a schedule from nn.",
        "add_param_group": "Give all groups when the optimizer is made: nn.Adam([{'params': ..., 'lr': ...}, ...]).",
        "minimize": f"Gradients come from functions. {_GRADIENTS}",
        "apply_gradients": "Write optimizer(grads).",
        "lr": "Write optimizer.learning_rate.",
        "state": "Write optimizer.parameters_dict().",
    },
    "Model": {
        "compile": "Give the loss, the optimizer and metrics to Model(network, loss_fn, optimizer, metrics).",
        "evaluate": "Write model.eval(dataset).",
        "save": "Write ms.save_checkpoint(net, 'net.ckpt').",
        "load": "Write ms.load_param_into_net(net, ms.load_checkpoint('net.ckpt')).",
        "summary": "Write ms.summary(net, x).",
        "parameters": "Write net.trainable_params() of the network.",
        "state_dict": "Write net.parameters_dict() of the network.",
    },
    "Dataset": {
        "cache": "Write ds.DatasetCache and the argument cache= of the source.",
        "prefetch": "Write ds.config.set_prefetch_size(n).",
        "dataset": "Write dataset.children for the pipeline's inputs.",
        "batch_size": "Write dataset.get_batch_size().",
        "num_workers": "Write dataset.get_num_parallel_workers() or set num_parallel_workers= of map and batch.",
    },
}

NAMES: dict[str, dict[str, str]] = {
    "sporax": {
        "device": "Write ms.set_device('GPU').",
        "cuda": "Write ms.set_device('GPU'); ms.runtime has streams, events and memory.",
        "optim": "Optimizers are in nn: nn.Adam, and as torch has them in mint.optim.",
        "save": "Write ms.save_checkpoint(net, 'net.ckpt').",
        "set_grad_enabled": "Write with ms._no_grad(): or ops.stop_gradient.",
        "Variable": "Write ms.Parameter(ms.Tensor(...), name='w') or ms.Tensor.",
        "autograd": "Write ms.grad or ms.value_and_grad.",
        "backends": "Write ms.set_context or ms.set_deterministic.",
    },
    "sporax.nn": {
        "Module": "Write nn.Cell, with construct in place of forward.",
        "Sequential": "Write nn.SequentialCell.",
        "ModuleList": "Write nn.CellList.",
        "ModuleDict": "Write nn.CellDict.",
        "ParameterList": "Write ms.ParameterTuple.",
        "Parameter": "Write ms.Parameter.",
        "functional": "Write ops, or mint.nn.functional.",
        "init": "Write sporax.common.initializer.initializer('xavier_uniform', shape).",
        "DataParallel": "Write ms.set_auto_parallel_context(parallel_mode='data_parallel'), and start by sporax launch.",
        "ConvTranspose2d": "Write nn.Conv2dTranspose.",
        "ConvTranspose1d": "Write nn.Conv1dTranspose.",
        "ConvTranspose3d": "Write nn.Conv3dTranspose.",
        "AdamW": "Write nn.AdamWeightDecay, or mint.optim.AdamW.",
        "RMSprop": "Write nn.RMSProp.",
    },
    "sporax.ops": {
        "view": "Write x.view(shape) or ops.reshape(x, shape).",
        "no_grad": "Write ops.stop_gradient(x), or with ms._no_grad():.",
        "linear": "Write ops.dense(x, weight, bias).",
        "from_numpy": "Write ms.from_numpy(array) or ms.Tensor(array).",
        "onehot": "Write ops.one_hot(indices, depth).",
    },
    "sporax.dataset": {
        "DataLoader": _LOADER,
        "TensorDataset": "Write ds.NumpySlicesDataset((images, labels), ['image', 'label']).",
        "random_split": "Write train, test = dataset.split([0.8, 0.2]), of a source with shuffle=False.",
        "Subset": "Write ds.SubsetSampler(indices) as sampler= of the source.",
        "ImageFolder": "Write ds.ImageFolderDataset(folder).",
    },
}

KEYWORDS = {  # of torch and Keras, and what nn, ops and train call them
    "bias": "has_bias",
    "lr": "learning_rate",
    "in_features": "in_channels",
    "out_features": "out_channels",
    "dim": "axis",
    "axis": "dim",
    "keepdim": "keep_dims",
    "keepdims": "keep_dims",
    "betas": "beta1 and beta2",
    "requires_grad": "ms.grad, or requires_grad of a Parameter",
    "padding_mode": "pad_mode",
    "num_embeddings": "vocab_size",
    "embedding_dim": "embedding_size",
    "num_workers": "num_parallel_workers",
    "epochs": "epoch",
    "optim": "optimizer",
    "loss": "loss_fn",
    "weight_init": "init",
}
_UNEXPECTED = re.compile(
    r"(?:.*[. ])?(\w+)(?:\.__init__|\.construct|(?<!__init__)(?<!construct))\(\) got an unexpected keyword argument '(\w+)'"
)
_TENSOR_ATTRIBUTES = "shape|dtype|ndim|astype|asnumpy|reshape|sum|mean|size"
MESSAGES = (  # a part of a message, and what to write
    (r"must have (?:[\d, or]*3 axes, got 2|4 axes, got 3|5 axes, got 4)\.", "Add a batch axis: x[None], or ops.expand_dims(x, 0)."),
    (r"\w+\[\d+, \d+, \d+, (\d+)\]\): axis 1 of x must be \w+=\1, got",
     "The channels are the last axis: write ops.transpose(x, (0, 3, 1, 2)), or vision.HWC2CHW() in the dataset."),
    (r"cross_entropy_with_logits\(.*sparse=True.* labels must have shape", "For one-hot labels write sparse=False."),
    (r"cross_entropy_with_logits\(.*sparse=False.* labels must have the shape", "For numbers of classes write sparse=True."),
    (r"labels must be integers if sparse=True", "Write labels.astype(ms.int32), or sparse=False for one-hot labels."),
    (r"cross_entropy\(.* target must have shape", "Numbers of classes have no axis of classes: write target.reshape(-1)."),
    (r"argument parameters must be a list of Parameters|elements of parameters must be Parameters",
     "Write net.trainable_params()."),
    (r"argument parameters must not be empty",
     "net.trainable_params() has nothing of layers in a Python list (write nn.CellList) nor of frozen Parameters."),
    (r"a list of learning rates should be in the range", "Give one rate for each step, or a schedule such as nn.CosineDecayLR."),
    (r"Model\.eval: the Model has no metrics", "Write Model(network, loss_fn, metrics={'accuracy'})."),
    (r"a row must be data and label", "Choose two columns by dataset.project([...]), or let the network compute the loss."),
    (r"mode must be an int, got '", "Write mode=ms.GRAPH_MODE or mode=ms.PYNATIVE_MODE."),
    (r"device_target must be one of .* got '(?i:cuda|gpu)", "Write 'GPU'."),
    (r"the method 'construct' is not defined", "Define construct, which is forward in torch."),
    (r"Dataset' object is not subscriptable", "Write next(dataset.create_tuple_iterator()) for the first row."),
    (r"Dataset' object has no len|the Dataset has no length", "Write dataset.get_dataset_size()."),
    (r"'NoneType' object has no attribute '(?:" + _TENSOR_ATTRIBUTES + ")'",
     "A Tensor is needed, got None: does a function or construct lack its return?"),
    (r"'(?:list|tuple|int|float|str|dict)' object has no attribute '(?:" + _TENSOR_ATTRIBUTES + ")'",
     "A Tensor is needed: write ms.Tensor(x)."),
    (r"ops\.cat\(.* axis must be an int, got tuple", "Put the Tensors into a list: ops.cat([a, b], axis=0)."),
    (r"(?i)incompatible shapes for broadcasting",
     "Axes, from the last one on, must be equal or 1: see x.reshape and ops.expand_dims."),
    (r"operands must be Tensors or numbers, got (\w+): \1\(", "A layer is called first: layer(x)."),
    (r"operands must be Tensors or numbers, got NoneType", "Does a function or construct lack its return?"),
    (r"operands must be Tensors or numbers, got (str|list|tuple)", "Write ms.Tensor(...) of numbers."),
    (r"Cannot iterate over a scalar", "Write for i in range(int(x)), or x.reshape(-1)."),
    (r"nested sequences must have equal lengths", "Fill the short ones up with zeros, or write a list of Tensors."),
    (r"padding must be 0 unless pad_mode is 'pad'", "Write pad_mode='pad'."),
    (r"must have one shape and type per batch", "Write padded_batch, or give the rows one shape in a map before."),
    (r"the checkpoint file .* does not exist|is not a folder\.|did not match any files",
     "Relative paths begin at os.getcwd()."),
    (r"cannot access local variable '(\w+)'", "Give it a value before the branch or loop."),
    (r"must be an integer Tensor, got Float", "Write x.astype(ms.int32)."),
    (r"must have an integer dtype, got Float", "Write x.astype(ms.int32), or a comparison such as x > 0."),
    (r"Tensor: elements of NumPy dtype", "Convert the array first: array.astype(np.float32)."),
    (r"should be in the range .* but got", "Check the numbers of classes or rows, which begin at 0."),
)  # fmt: skip
_CHOICES = re.compile(r"(?:must be (?:one of|in) \[?|known are )(.+?)(?:\]?, got \[?'([^']*)'.*|\.)['\"]?$", re.DOTALL)
_GIVEN = re.compile(r"unknown [a-z]+ '?(\w+)'?|unsupported [a-z]+ '(\w+)'")
_ARGUMENTS = re.compile(
    r"(?:.*[. ])?(\w+)(?:\.__init__|(\.construct)|(?<!__init__)(?<!construct))\(\) (?:missing \d|takes )"
)
_IMPORT = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


def add_hint(error: BaseException) -> None:
    """Add to an error's message what to write in place of a name that does not exist, if that is known."""
    text = message(error)
    hint = _hint(error, text)
    if hint and hint not in text and "id you mean" not in text and error.args:
        text = f"{text.rstrip('. ')}. {hint}"
        error.args = (text, *error.args[1:])
        if isinstance(error, ImportError):
            error.msg = text


def _hint(error: BaseException, text: str) -> str:
    if isinstance(error, AttributeError) and error.name and (hint := of_attribute(error.obj, error.name)):
        return hint
    if isinstance(error, KeyError) and (found := re.search(r"(\w+): the keywords besides .*, got (\w+)", text)):
        return of_keyword(found[1], found[2])
    if isinstance(error, ImportError) and (found := _IMPORT.match(text)):
        return of_attribute(sys.modules.get(found[2]), found[1])
    if isinstance(error, TypeError) and (found := _UNEXPECTED.match(text)):
        return of_keyword(found[1], found[2])
    if (
        isinstance(error, TypeError)
        and (found := _ARGUMENTS.match(text))
        and (names := _parameters(found[1], found[2]))
    ):
        return f"{'Call it with ' if found[2] else f'Write {found[1]}'}({', '.join(names)})."
    return next((hint for pattern, hint in MESSAGES if re.search(pattern, text)), "") or _of_choice(text)


def _of_choice(text: str) -> str:
    """Return the word that was meant, of those that a message lists."""
    found = _CHOICES.search(text)
    given = found and (found[2] or next(filter(None, (_GIVEN.search(text) or found).groups()), ""))
    return did_you_mean(given, re.findall(r"\w+", found[1])) if found and given else ""


def of_attribute(owner: object, name: str) -> str:
    """Return what to write in place of an attribute that an object, class or module of sporax lacks; empty if not known."""
    if inspect.ismodule(owner):
        home = owner.__name__.replace("mindspore", "sporax", 1)
        if home.partition(".")[0] != "sporax":
            return ""
        return NAMES.get(home, {}).get(name) or _elsewhere(owner, name)
    kinds = [kind for kind in (owner if isinstance(owner, type) else type(owner)).__mro__ if kind is not object]
    if not any((kind.__module__ or "").startswith(("sporax", "mindspore")) for kind in kinds):
        return ""
    habits = [ATTRIBUTES[kind.__name__][name] for kind in kinds if name in ATTRIBUTES.get(kind.__name__, ())]
    return habits[0] if habits else did_you_mean(name, dir(owner))


def _elsewhere(module: Any, name: str) -> str:
    """Return a name like this one in a module, or the module that has the very name."""
    top = module.__name__.partition(".")[0]
    known = {other: sys.modules.get(f"sporax.{other}") for other in ("nn", "ops", "mint", "train", "dataset")}
    homes = [
        f"{other}.{name}" for other, value in known.items() if value not in (None, module) and name in _public(value)
    ]
    close = did_you_mean(name, _public(module))
    return f"Write {homes[0]}." if homes and (top == module.__name__ or not close) else close


def _public(module: Any) -> list[str]:
    return list(getattr(module, "__all__", None) or dir(module))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `Did you mean 'relu'?` for the public name that is most like `name`; empty if none is."""
    lower = {other.lower(): other for other in known if not other.startswith("_")}
    close = difflib.get_close_matches(name.lower(), lower, 1, 0.7)
    begin = [other for other in sorted(lower) if len(name) > 3 and other.startswith(name.lower())]
    return f"Did you mean {lower[[*close, *begin][0]]!r}?" if close or begin else ""


def of_keyword(function: str, name: str) -> str:
    """Return which keyword to write in place of one that a public class or function of sporax lacks; empty if not known."""
    names = _parameters(function)
    if not names:
        return ""
    wanted = KEYWORDS.get(name, "")
    if wanted and (wanted in names or " " in wanted):
        return f"Write {wanted} in place of {name}."
    return did_you_mean(name, names) or f"{function} takes {', '.join(names)}."


def _parameters(function: str, method: str | None = None) -> list[str]:
    """Return the parameters of a public class or function of sporax, or of a class's `.construct`.

    There are none if there is no such name, or it is not Python's.
    """
    modules = [sys.modules.get(f"sporax{part}") for part in ("", ".nn", ".ops", ".mint", ".train", ".dataset", ".amp")]
    targets = [vars(module)[function] for module in modules if module is not None and function in vars(module)]
    if not targets or not callable(targets[0]):
        return []
    try:
        if method:
            return list(inspect.signature(targets[0].construct).parameters)[1:]
        return list(inspect.signature(targets[0]).parameters)
    except ValueError:  # written in C
        return []
