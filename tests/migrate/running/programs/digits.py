"""A small convolutional network for images of ten classes, and its training, as a script."""

import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    """Noisy images, of which each class has one pattern."""

    def __init__(self, count, transform=None, seed=0):
        rng = np.random.default_rng(seed)
        self.targets = rng.integers(0, 10, count)
        patterns = np.random.default_rng(9).normal(0, 1, (10, 1, 12, 12))
        self.data = (patterns[self.targets] + rng.normal(0, 0.5, (count, 1, 12, 12))).astype(np.float32)
        self.transform = transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        image, target = torch.from_numpy(self.data[index]), int(self.targets[index])
        if self.transform is not None:
            image = self.transform(image)
        return image, target


class Net(nn.Module):
    def __init__(self, width=8):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, width, 3, 1)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, 1)
        self.norm = nn.BatchNorm2d(2 * width)
        self.dropout = nn.Dropout(0.0)
        self.fc1 = nn.Linear(2 * width * 16, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.norm(self.conv2(x)))
        x = F.max_pool2d(x, 2)
        x = torch.flatten(x, 1)
        x = self.dropout(F.relu(self.fc1(x)))
        return F.log_softmax(self.fc2(x), dim=1)


def train(args, model, device, loader, optimizer, epoch, losses):
    model.train()
    for batch_idx, (data, target) in enumerate(loader):
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if batch_idx % args.log_interval == 0:
            print(f"Train Epoch: {epoch} [{batch_idx * len(data)}/{len(loader.dataset)}] Loss: {loss.item():.6f}")


def test(model, device, loader):
    model.eval()
    correct, total = 0, 0.0
    with torch.no_grad():
        for data, target in loader:
            data, target = data.to(device), target.to(device)
            output = model(data)
            total += F.nll_loss(output, target, reduction="sum").item()
            correct += (
                output.argmax(dim=1, keepdim=True).eq(target.view_as(output.argmax(dim=1, keepdim=True))).sum().item()
            )
    print(f"Test: average loss {total / len(loader.dataset):.4f}, {correct} of {len(loader.dataset)} right")
    return total / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser(description="Digits")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--gamma", type=float, default=0.7)
    parser.add_argument("--log-interval", type=int, default=5)
    parser.add_argument("--save")
    parser.add_argument("--weights")
    parser.add_argument("--losses", required=True)
    args = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    model = Net().to(device)
    if args.save:
        np.savez(args.save, **{name: value.numpy() for name, value in model.state_dict().items()})
    if args.weights:
        kept = np.load(args.weights)
        model.load_state_dict({name: torch.from_numpy(kept[name]) for name in kept.files})

    loader = DataLoader(Digits(160), batch_size=args.batch_size, shuffle=False)
    test_loader = DataLoader(Digits(48, seed=1), batch_size=16)
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
    losses = []
    for epoch in range(1, args.epochs + 1):
        train(args, model, device, loader, optimizer, epoch, losses)
        losses.append(test(model, device, test_loader))
        scheduler.step()
    np.savetxt(args.losses, losses)


if __name__ == "__main__":
    main()
