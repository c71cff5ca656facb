"""Checkpoints: by callbacks and by hand, resumed, and exported."""

import tempfile
from pathlib import Path

import numpy as np

import sporax as ms
from sporax import nn
from sporax.dataset import NumpySlicesDataset
from sporax.train import CheckpointConfig, Model, ModelCheckpoint


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    net = nn.Dense(4, 2)
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    data = NumpySlicesDataset((np.ones((8, 4), np.float32), np.zeros((8, 2), np.float32)), ["x", "y"]).batch(4)
    config = CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=3, append_info=[{"epoch": 1}])
    saving = ModelCheckpoint(prefix="net", directory=str(folder), config=config)
    Model(net, nn.MSELoss(), optimizer).train(1, data, callbacks=saving)

    file = folder / "last.ckpt"
    ms.save_checkpoint(net, file, append_dict={"epoch": 3, "rate": 0.1})
    values = ms.load_checkpoint(file)
    epoch = int(values.pop("epoch").asnumpy())
    rate = values.pop("rate")
    not_loaded, unused = ms.load_param_into_net(net, values, strict_load=True)
    print(epoch, rate, not_loaded, unused)
    for name, parameter in values.items():
        print(name, parameter.shape, parameter.data.asnumpy().mean(), parameter.requires_grad)
    ms.save_checkpoint([{"name": "w", "data": net.weight}], str(folder / "one.ckpt"))
    ms.save_checkpoint(net.parameters_dict(), str(folder / "net.safetensors"), format="safetensors")
    ms.load_checkpoint(str(folder / "last.ckpt"), net)
    ms.load_checkpoint(str(folder / "net.safetensors"), format="safetensors", choice_func=lambda n: n == "weight")
    ms.export(net, ms.Tensor(np.ones((1, 4), np.float32)), file_name=str(folder / "net"), file_format="MINDIR")
    graph = nn.GraphCell(ms.load_mindir(str(folder / "net.mindir")))
    print(graph(ms.Tensor(np.ones((1, 4), np.float32))))


if __name__ == "__main__":
    main()
