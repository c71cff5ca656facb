"""A U-Net that finds discs in noise; Dice plus cross-entropy, one function for an epoch, a cosine schedule."""

import argparse

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.optim import AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, Dataset


class DiscDataset(Dataset):
    """Grey images of one disc each, with the mask of the disc."""

    def __init__(self, length, size=16, seed=0):
        self.length = length
        self.size = size
        rng = np.random.default_rng(seed)
        self.centres = rng.uniform(4, size - 4, (length, 2))
        self.radii = rng.uniform(2, 5, length)
        self.noise = rng.normal(0, 0.2, (length, 1, size, size)).astype(np.float32)

    def __len__(self):
        return self.length

    def __getitem__(self, idx):
        rows, columns = np.mgrid[: self.size, : self.size]
        cy, cx = self.centres[idx]
        mask = ((rows - cy) ** 2 + (columns - cx) ** 2 < self.radii[idx] ** 2).astype(np.float32)[None]
        image = self.noise[idx] + 0.8 * mask
        return torch.from_numpy(image), torch.from_numpy(mask)


class DoubleConv(nn.Module):
    """(convolution => [GN] => ReLU) * 2"""

    def __init__(self, in_channels, out_channels, mid_channels=None):
        super().__init__()
        if not mid_channels:
            mid_channels = out_channels
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, mid_channels, kernel_size=3, padding=1, bias=False),
            nn.GroupNorm(2, mid_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(mid_channels, out_channels, kernel_size=3, padding=1, bias=False),
            nn.GroupNorm(2, out_channels),
            nn.LeakyReLU(0.1, inplace=True),
        )

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    """Downscaling with maxpool then double conv"""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(in_channels, out_channels))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    """Upscaling then double conv"""

    def __init__(self, in_channels, out_channels, bilinear=True):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(in_channels + out_channels, out_channels, in_channels // 2)
        else:
            self.up = nn.ConvTranspose2d(in_channels, in_channels // 2, kernel_size=2, stride=2)
            self.conv = DoubleConv(in_channels // 2 + out_channels, out_channels)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        # input is CHW
        diff_y = x2.size()[2] - x1.size()[2]
        diff_x = x2.size()[3] - x1.size()[3]
        x1 = F.pad(x1, [diff_x // 2, diff_x - diff_x // 2, diff_y // 2, diff_y - diff_y // 2])
        x = torch.cat([x2, x1], dim=1)
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, n_channels=1, n_classes=1, width=4):
        super().__init__()
        self.n_channels = n_channels
        self.n_classes = n_classes
        self.inc = DoubleConv(n_channels, width)
        self.down1 = Down(width, width * 2)
        self.down2 = Down(width * 2, width * 4)
        self.up1 = Up(width * 4, width * 2, bilinear=True)
        self.up2 = Up(width * 2, width, bilinear=False)
        self.outc = nn.Conv2d(width, n_classes, kernel_size=1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x = self.up1(x3, x2)
        x = self.up2(x, x1)
        return self.outc(x)


class DiceBCELoss(nn.Module):
    """Binary cross-entropy and one minus the Dice coefficient."""

    def __init__(self, smooth=1.0, weight=0.5):
        super().__init__()
        self.smooth = smooth
        self.weight = weight

    def forward(self, logits, targets):
        bce = F.binary_cross_entropy_with_logits(logits, targets)
        probs = torch.sigmoid(logits).view(logits.size(0), -1)
        targets = targets.reshape(targets.shape[0], -1)
        intersection = (probs * targets).sum(dim=1)
        dice = (2.0 * intersection + self.smooth) / (probs.sum(1) + targets.sum(1) + self.smooth)
        return self.weight * bce + (1 - self.weight) * (1 - dice).mean()


def build_model():
    return UNet()


def example_inputs():
    dataset = DiscDataset(2, seed=1)
    images, masks = zip(*[dataset[i] for i in range(len(dataset))], strict=True)
    return torch.stack(images), torch.stack(masks)


def predict(model, inputs):
    images, _ = inputs
    return torch.sigmoid(model(images))


def forward_loss(model, inputs):
    images, masks = inputs
    return DiceBCELoss()(model(images), masks)


def train_one_epoch(model, loader, criterion, optimizer, device):
    model.train()
    losses = []
    for images, masks in loader:
        images, masks = images.to(device), masks.to(device)
        logits = model(images)
        loss = criterion(logits, masks)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def validate(model, loader, device):
    """Mean intersection over union of the masks."""
    model.eval()
    total = 0.0
    for images, masks in loader:
        images, masks = images.to(device), masks.to(device)
        predicted = (torch.sigmoid(model(images)) > 0.5).float()
        intersection = (predicted * masks).sum(dim=(1, 2, 3))
        union = ((predicted + masks) > 0).float().sum(dim=(1, 2, 3))
        total += (intersection / union.clamp(min=1.0)).mean().item()
    return total / len(loader)


def train(model, steps=20, args=None):
    args = args or get_args([])
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model.to(device)
    train_loader = DataLoader(
        DiscDataset(4 * args.batch_size), batch_size=args.batch_size, shuffle=False, num_workers=0
    )
    val_loader = DataLoader(DiscDataset(4, seed=2), batch_size=2, shuffle=False, drop_last=True)
    criterion = DiceBCELoss()
    optimizer = AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    epochs = steps // len(train_loader)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs, eta_min=1e-4)

    history = []
    best_iou = 0.0
    for epoch in range(epochs):
        losses = train_one_epoch(model, train_loader, criterion, optimizer, device)
        scheduler.step()
        iou = validate(model, val_loader, device)
        best_iou = max(best_iou, iou)
        print(f"Epoch {epoch + 1}/{epochs}: train loss {np.mean(losses):.4f}, IoU {iou:.3f} (best {best_iou:.3f})")
        history.extend(losses)
    return history


def get_args(argv=None):
    parser = argparse.ArgumentParser(description="Train the UNet on images and target masks")
    parser.add_argument("--batch-size", "-b", type=int, default=2, help="Batch size")
    parser.add_argument("--lr", type=float, default=3e-3, help="Learning rate")
    parser.add_argument("--weight-decay", type=float, default=1e-2)
    return parser.parse_args(argv)


if __name__ == "__main__":
    torch.manual_seed(0)
    train(build_model(), args=get_args())
