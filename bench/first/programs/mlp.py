"""A perceptron of three layers, trained from a dataset."""

import mindspore as ms
import numpy as np
from common import random, trainer
from mindspore import dataset, nn

images = random.standard_normal((512, 784)).astype(np.float32)
digits = random.integers(0, 10, 512).astype(np.int32)
data = dataset.NumpySlicesDataset({"image": images, "label": digits}, shuffle=False).batch(64)
net = nn.SequentialCell(nn.Dense(784, 256), nn.ReLU(), nn.Dense(256, 128), nn.ReLU(), nn.Dense(128, 10))
step = trainer(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-3))
for _ in range(2):
    for image, label in data.create_tuple_iterator():
        loss = step(image, label)
    print(f"{float(loss.asnumpy()):.5f}")
net.set_train(False)
print(int((net(ms.Tensor(images)).asnumpy().argmax(1) == digits).sum()))
