"""SimCLR on synthetic images: two views of each, NT-Xent loss, one-cycle rates, mixed precision where there is CUDA."""

import argparse
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, Dataset

SIZE = 10


class TwoViews(Dataset):
    """Gratings of random direction; a view is shifted, flipped and noisy."""

    def __init__(self, n, seed=0):
        self.rng = np.random.default_rng(seed)
        self.angles = self.rng.uniform(0, np.pi, n)
        self.views = [(self.view(angle), self.view(angle)) for angle in self.angles]

    def view(self, angle):
        axis = np.arange(SIZE)
        shift = self.rng.uniform(0, 1)
        wave = np.sin(axis[:, None] * np.cos(angle) + axis * np.sin(angle) + shift)
        image = np.stack([wave, wave**2]) + self.rng.normal(0, 0.1, (2, SIZE, SIZE))
        if self.rng.random() < 0.5:
            image = image[:, ::-1, ::-1]
        return np.ascontiguousarray(image, dtype=np.float32)

    def __len__(self):
        return len(self.views)

    def __getitem__(self, index):
        first, second = self.views[index]
        return first, second


class ConvBlock(nn.Sequential):
    def __init__(self, in_channels, out_channels, stride=1, groups=1):
        super().__init__(
            nn.Conv2d(in_channels, out_channels, 3, stride, 1, groups=groups, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.Hardswish(inplace=True),
        )


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduction=4):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(
            nn.Conv2d(channels, channels // reduction, 1),
            nn.SiLU(),
            nn.Conv2d(channels // reduction, channels, 1),
            nn.Hardsigmoid(),
        )

    def forward(self, x):
        return x * self.fc(self.pool(x))


class SimCLR(nn.Module):
    def __init__(self, width=8, out_dim=8):
        super().__init__()
        self.backbone = nn.Sequential()
        self.backbone.add_module("stem", ConvBlock(2, width))
        self.backbone.add_module("depthwise", ConvBlock(width, width, stride=2, groups=width))
        self.backbone.add_module("pointwise", ConvBlock(width, width * 2, stride=2))
        self.backbone.add_module("squeeze", SqueezeExcite(width * 2))
        dim_mlp = width * 2
        # add mlp projection head
        self.head = nn.Sequential(nn.Linear(dim_mlp, dim_mlp), nn.ReLU(), nn.Linear(dim_mlp, out_dim, bias=False))

    def forward(self, x):
        features = self.backbone(x).mean(dim=[2, 3])
        return self.head(features)


def info_nce_loss(features, n_views=2, temperature=0.5):
    """Logits whose first column is the positive pair, and labels of zeros."""
    batch_size = features.shape[0] // n_views
    labels = torch.cat([torch.arange(batch_size) for _ in range(n_views)], dim=0)
    labels = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()
    labels = labels.to(features.device)

    features = F.normalize(features, dim=1)
    similarity_matrix = torch.matmul(features, features.T)

    # discard the main diagonal from both: labels and similarities matrix
    mask = torch.eye(labels.shape[0], dtype=torch.bool).to(features.device)
    labels = labels[~mask].view(labels.shape[0], -1)
    similarity_matrix = similarity_matrix[~mask].view(similarity_matrix.shape[0], -1)

    # select and combine multiple positives
    positives = similarity_matrix[labels.bool()].view(labels.shape[0], -1)

    # select only the negatives
    negatives = similarity_matrix[~labels.bool()].view(similarity_matrix.shape[0], -1)

    logits = torch.cat([positives, negatives], dim=1)
    labels = torch.zeros(logits.shape[0], dtype=torch.long).to(features.device)
    return logits / temperature, labels


def accuracy(output, target, topk=(1,)):
    """Computes the accuracy over the k top predictions for the specified values of k"""
    with torch.no_grad():
        maxk = max(topk)
        batch_size = target.size(0)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        res = []
        for k in topk:
            correct_k = correct[:k].reshape(-1).float().sum(0, keepdim=True)
            res.append(correct_k.mul_(100.0 / batch_size))
        return res


def build_model():
    return SimCLR()


def example_inputs():
    dataset = TwoViews(4, seed=1)
    first, second = zip(*dataset.views, strict=True)
    return (torch.from_numpy(np.concatenate([np.stack(first), np.stack(second)])),)


def predict(model, inputs):
    return model(inputs[0])


def forward_loss(model, inputs):
    logits, labels = info_nce_loss(model(*inputs))
    return F.cross_entropy(logits, labels)


class Learner(object):
    def __init__(self, model, optimizer, scheduler, args):
        self.args = args
        self.model = model.to(args.device)
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.criterion = torch.nn.CrossEntropyLoss().to(self.args.device)
        self.history = []

    def train(self, train_loader, epochs):
        scaler = torch.amp.GradScaler("cuda", enabled=self.args.fp16_precision)
        n_iter = 0
        print(f"Start SimCLR training for {epochs} epochs.")

        for epoch_counter in range(epochs):
            for views in train_loader:
                images = torch.cat(views, dim=0)
                images = images.to(self.args.device)

                with torch.autocast("cuda", enabled=self.args.fp16_precision):
                    features = self.model(images)
                    logits, labels = info_nce_loss(features, temperature=self.args.temperature)
                    loss = self.criterion(logits, labels)

                self.optimizer.zero_grad()
                scaler.scale(loss).backward()
                scaler.step(self.optimizer)
                scaler.update()
                self.scheduler.step()

                self.history.append(loss.item())
                if n_iter % self.args.log_every_n_steps == 0:
                    top1, top5 = accuracy(logits, labels, topk=(1, 5))
                    lr = self.scheduler.get_last_lr()[0]
                    print(f"{n_iter}: loss {loss:.4f} top1 {top1[0]:.1f} top5 {top5[0]:.1f} lr {lr:.5f}")
                n_iter += 1
            print(f"Epoch: {epoch_counter}\tLoss: {loss.item():.4f}")
        return self.history


def train(model, steps=20):
    args = SimpleNamespace(
        device="cuda" if torch.cuda.is_available() else "cpu",
        fp16_precision=torch.cuda.is_available(),
        temperature=0.5,
        log_every_n_steps=5,
    )
    train_loader = DataLoader(
        TwoViews(24), batch_size=6, shuffle=False, num_workers=0, pin_memory=False, drop_last=True
    )
    optimizer = torch.optim.Adam(model.parameters(), 3e-3, weight_decay=1e-4)
    scheduler = OneCycleLR(optimizer, max_lr=1e-2, total_steps=steps + 1, pct_start=0.25, cycle_momentum=False)
    model.train()
    return Learner(model, optimizer, scheduler, args).train(train_loader, steps // len(train_loader))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="PyTorch SimCLR")
    parser.add_argument("--seed", default=0, type=int, help="seed for initializing training.")
    torch.manual_seed(parser.parse_args().seed)
    train(build_model())
