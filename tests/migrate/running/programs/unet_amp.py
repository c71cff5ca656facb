"""A small U-Net for masks, trained with a GradScaler, accumulated gradients and an average of the weights."""

import argparse
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.amp import GradScaler


def double_conv(inside, outside):
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, padding=1, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
        nn.Conv2d(outside, outside, 3, padding=1, bias=False),
        nn.GroupNorm(2, outside),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, channels=(4, 8, 16)):
        super().__init__()
        self.inc = double_conv(1, channels[0])
        self.down = nn.ModuleList(double_conv(a, b) for a, b in zip(channels[:-1], channels[1:]))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(channels[:-1], channels[1:]))
        self.merge = nn.ModuleList(double_conv(2 * a, a) for a in channels[:-1])
        self.outc = nn.Conv2d(channels[0], 1, 1)

    def forward(self, x):
        skips = [self.inc(x)]
        for block in self.down:
            skips.append(block(F.max_pool2d(skips[-1], 2)))
        x = skips.pop()
        for up, merge in zip(reversed(self.up), reversed(self.merge)):
            x = merge(torch.cat([skips.pop(), up(x)], dim=1))
        return self.outc(x)


def dice_loss(logits, target, eps=1e-6):
    prob = torch.sigmoid(logits)
    inter = (prob * target).sum(dim=(1, 2, 3))
    union = prob.sum(dim=(1, 2, 3)) + target.sum(dim=(1, 2, 3))
    return 1 - ((2 * inter + eps) / (union + eps)).mean()


@torch.no_grad()
def update_ema(ema, model, decay=0.9):
    for p_ema, p in zip(ema.parameters(), model.parameters()):
        p_ema.copy_(p_ema * decay + p * (1 - decay))


def make_batch(rng, size=16, count=4):
    y, x = np.mgrid[:size, :size]
    centre = rng.uniform(4, size - 4, (count, 2, 1, 1))
    mask = ((y - centre[:, 0]) ** 2 + (x - centre[:, 1]) ** 2 < 12).astype(np.float32)[:, None]
    image = mask + rng.normal(0, 0.3, mask.shape).astype(np.float32)
    return torch.from_numpy(image), torch.from_numpy(mask)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--save")
    parser.add_argument("--weights")
    parser.add_argument("--losses", required=True)
    args = parser.parse_args()
    use_amp = torch.cuda.is_available()
    device = torch.device("cuda" if use_amp else "cpu")
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(0)
    model = UNet().to(device)
    if args.save:
        np.savez(args.save, **{name: value.numpy() for name, value in model.state_dict().items()})
    if args.weights:
        kept = np.load(args.weights)
        model.load_state_dict({name: torch.from_numpy(kept[name]) for name in kept.files})
    ema = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    scaler = GradScaler("cuda", enabled=use_amp)
    rng = np.random.default_rng(0)
    losses = []
    for step in range(20):
        model.train()
        image, mask = make_batch(rng)
        with torch.autocast(device_type=device.type, dtype=torch.float16, enabled=use_amp):
            logits = model(image.to(device))
            loss = F.binary_cross_entropy_with_logits(logits, mask.to(device)) + dice_loss(logits, mask.to(device))
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        update_ema(ema, model)
        losses.append(loss.item())
    ema.eval()
    with torch.no_grad():
        losses.append(dice_loss(ema(image), mask).item())
    np.savetxt(args.losses, losses)


if __name__ == "__main__":
    main()
