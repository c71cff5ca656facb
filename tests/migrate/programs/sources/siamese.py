"""A Siamese network that tells whether two curves are alike; margin losses, saved and loaded again half-way."""

import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import SGD
from torch.optim.lr_scheduler import ExponentialLR
from torch.utils.data import BatchSampler, DataLoader, Dataset, SequentialSampler

LENGTH = 24


def curve(rng, kind):
    """A sine, a saw or a step with noise, as one channel."""
    t = np.linspace(0, 3, LENGTH) + rng.uniform(0, 0.3)
    clean = (np.sin(2 * np.pi * t), 2 * (t % 1) - 1, np.sign(t - 1.5))[kind]
    return (clean + rng.normal(0, 0.2, LENGTH)).astype(np.float32)[None]


class CurvePairs(Dataset):
    """Pairs of curves and 1 for two of a kind, else 0."""

    def __init__(self, length, seed=0):
        self.length = length
        self.seed = seed

    def __getitem__(self, index):
        rng = np.random.default_rng([self.seed, index])
        first, second = rng.integers(0, 3, 2)
        if index % 2:
            second = first
        x1, x2 = curve(rng, first), curve(rng, second)
        target = np.float32(first == second)
        return x1, x2, target

    def __len__(self):
        return self.length


class Branch(nn.Module):
    """What both sides share."""

    def __init__(self, channels=(1, 6, 12)):
        super().__init__()
        blocks = []
        for c_in, c_out in zip(channels[:-1], channels[1:], strict=True):
            blocks += [
                nn.Conv1d(c_in, c_out, kernel_size=5, padding=2, padding_mode="zeros", bias=False),
                nn.BatchNorm1d(c_out),
                nn.PReLU(c_out),
                nn.AvgPool1d(2),
            ]
        self.convnet = nn.Sequential(*blocks)
        self.fc = nn.Sequential(
            nn.Flatten(),
            nn.Linear(channels[-1] * LENGTH // 4, 16),
            nn.PReLU(),
            nn.Linear(16, 4),
        )

    def forward(self, x):
        return self.fc(self.convnet(x))


class SiameseNet(nn.Module):
    def __init__(self, embedding_net):
        super().__init__()
        self.embedding_net = embedding_net
        self.temperature = nn.Parameter(torch.tensor(1.0))

    def forward(self, x1, x2):
        output1 = self.embedding_net(x1)
        output2 = self.embedding_net(x2)
        return output1 * self.temperature, output2 * self.temperature

    def get_embedding(self, x):
        return self.embedding_net(x)


class ContrastiveLoss(nn.Module):
    """
    Contrastive loss
    Takes embeddings of two samples and a target label == 1 if samples are from the same class and label == 0 otherwise
    """

    def __init__(self, margin):
        super(ContrastiveLoss, self).__init__()
        self.margin = margin
        self.eps = 1e-6

    def forward(self, output1, output2, target, size_average=True):
        distances = F.pairwise_distance(output1, output2, eps=self.eps)  # Euclidean
        losses = 0.5 * (
            target * distances.pow(2) + (1 + -1 * target) * F.relu(self.margin - (distances + self.eps)).pow(2)
        )
        return losses.mean() if size_average else losses.sum()


def build_model():
    return SiameseNet(Branch())


def example_inputs():
    dataset = CurvePairs(5, seed=1)
    columns = zip(*(dataset[i] for i in range(5)), strict=True)
    return tuple(torch.from_numpy(np.stack(column)) for column in columns)


def predict(model, inputs):
    x1, x2, _ = inputs
    output1, output2 = model(x1, x2)
    return output1, output2, F.cosine_similarity(output1, output2)


def forward_loss(model, inputs):
    x1, x2, target = inputs
    return ContrastiveLoss(1.5)(*model(x1, x2), target)


def fit(train_loader, val_loader, model, loss_fn, optimizer, scheduler, n_epochs, cuda, start_epoch=0):
    """Train, and test after every epoch; return the losses of all batches."""
    for epoch in range(start_epoch):
        scheduler.step()

    history = []
    for epoch in range(start_epoch, n_epochs):
        # Train stage
        history += train_epoch(train_loader, model, loss_fn, optimizer, cuda)
        scheduler.step()
        message = "Epoch: {}/{}. Train set: Average loss: {:.4f}".format(epoch + 1, n_epochs, np.mean(history))

        val_loss, accuracy = test_epoch(val_loader, model, loss_fn, cuda)
        message += "\nEpoch: {}/{}. Validation set: Average loss: {:.4f}, accuracy {:.2f}".format(
            epoch + 1, n_epochs, val_loss / len(val_loader), accuracy
        )
        print(message)
    return history


def train_epoch(train_loader, model, loss_fn, optimizer, cuda):
    model.train()
    losses = []

    for _, (*data, target) in enumerate(train_loader):
        if cuda:
            data = tuple(d.cuda() for d in data)
            target = target.cuda()

        optimizer.zero_grad()
        outputs = model(*data)
        loss_inputs = outputs + (target,)
        loss = loss_fn(*loss_inputs)
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
    return losses


def test_epoch(val_loader, model, loss_fn, cuda):
    with torch.no_grad():
        model.eval()
        val_loss = 0.0
        hits = []
        for x1, x2, target in val_loader:
            if cuda:
                x1, x2, target = x1.cuda(), x2.cuda(), target.cuda()
            output1, output2 = model(x1, x2)
            val_loss += loss_fn(output1, output2, target).item()
            near = torch.norm(output1 - output2, p=2, dim=1) < 0.75
            hits.append(near.eq(target.bool()).float().mean().item())
    return val_loss, float(np.mean(hits))


def train(model, steps=20):
    cuda = torch.cuda.is_available()
    if cuda:
        model.cuda()
    dataset = CurvePairs(25)
    batch_sampler = BatchSampler(SequentialSampler(dataset), batch_size=5, drop_last=True)
    train_loader = DataLoader(dataset, batch_sampler=batch_sampler)
    val_loader = DataLoader(CurvePairs(10, seed=2), batch_size=5, shuffle=False)
    loss_fn = ContrastiveLoss(margin=1.5)
    n_epochs = steps // len(train_loader)

    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    scheduler = ExponentialLR(optimizer, gamma=0.8)
    history = fit(train_loader, val_loader, model, loss_fn, optimizer, scheduler, n_epochs // 2, cuda)

    # the second half starts from a file, with a fresh optimizer at the decayed rate
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "siamese.pth")
        torch.save(model.state_dict(), path)
        state_dict = torch.load(path, weights_only=True)
    model.load_state_dict(state_dict, strict=True)
    optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    scheduler = ExponentialLR(optimizer, gamma=0.8)
    history += fit(train_loader, val_loader, model, loss_fn, optimizer, scheduler, n_epochs, cuda, n_epochs // 2)
    return history


if __name__ == "__main__":
    torch.manual_seed(0)
    train(build_model())
