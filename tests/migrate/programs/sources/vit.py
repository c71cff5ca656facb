"""A vision transformer, trained by a Trainer class with a warm-up and cosine schedule, and saved when it is best."""

import math
import os
import tempfile
from functools import partial

import numpy as np
import torch
import torch.nn as nn
from torch import Tensor


class PatchEmbed(nn.Module):
    """2D image to patch embedding."""

    def __init__(self, img_size: int = 8, patch_size: int = 4, in_chans: int = 3, embed_dim: int = 16):
        super().__init__()
        self.grid_size = (img_size // patch_size, img_size // patch_size)
        self.num_patches = self.grid_size[0] * self.grid_size[1]
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size)

    def forward(self, x: Tensor) -> Tensor:
        x = self.proj(x)
        return x.flatten(2).transpose(1, 2)  # BCHW -> BNC


class Attention(nn.Module):
    def __init__(self, dim: int, num_heads: int = 4, qkv_bias: bool = True, attn_drop: float = 0.0):
        super().__init__()
        assert dim % num_heads == 0, "dim should be divisible by num_heads"
        self.num_heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.attn_drop = nn.Dropout(attn_drop)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        attn = self.attn_drop(attn.softmax(dim=-1))
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class Mlp(nn.Module):
    def __init__(self, in_features: int, hidden_features: int, act_layer=nn.GELU):
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden_features)
        self.act = act_layer()
        self.fc2 = nn.Linear(hidden_features, in_features)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.act(self.fc1(x)))


class LayerScale(nn.Module):
    def __init__(self, dim: int, init_values: float = 0.1):
        super().__init__()
        self.gamma = nn.Parameter(init_values * torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma


class Block(nn.Module):
    def __init__(self, dim: int, num_heads: int, mlp_ratio: float = 2.0, norm_layer=nn.LayerNorm):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = Attention(dim, num_heads=num_heads)
        self.ls1 = LayerScale(dim)
        self.norm2 = norm_layer(dim)
        self.mlp = Mlp(dim, int(dim * mlp_ratio))
        self.ls2 = LayerScale(dim)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.ls1(self.attn(self.norm1(x)))
        x = x + self.ls2(self.mlp(self.norm2(x)))
        return x


class VisionTransformer(nn.Module):
    def __init__(self, num_classes: int = 3, embed_dim: int = 16, depth: int = 2, num_heads: int = 4):
        super().__init__()
        norm_layer = partial(nn.LayerNorm, eps=1e-6)
        self.patch_embed = PatchEmbed(embed_dim=embed_dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, self.patch_embed.num_patches + 1, embed_dim))
        self.blocks = nn.ModuleList([Block(embed_dim, num_heads, norm_layer=norm_layer) for _ in range(depth)])
        self.norm = norm_layer(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes) if num_classes > 0 else nn.Identity()

        nn.init.trunc_normal_(self.pos_embed, std=0.02)
        nn.init.normal_(self.cls_token, std=1e-6)
        self.apply(self._init_weights)

    def _init_weights(self, m: nn.Module) -> None:
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            if m.bias is not None:
                nn.init.zeros_(m.bias)

    def forward_features(self, x: Tensor) -> Tensor:
        x = self.patch_embed(x)
        cls_token = self.cls_token.expand(x.shape[0], -1, -1)
        x = torch.cat((cls_token, x), dim=1)
        x = x + self.pos_embed
        for blk in self.blocks:
            x = blk(x)
        return self.norm(x)

    def forward(self, x: Tensor) -> Tensor:
        x = self.forward_features(x)
        return self.head(x[:, 0])


class Trainer:
    """Owns the model and its optimizer; keeps the weights of the lowest loss in a file."""

    def __init__(self, model: nn.Module, total_steps: int, lr: float = 2e-3, warmup: int = 5):
        self.model = model
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.98), weight_decay=0.05)

        def schedule(step: int) -> float:
            if step < warmup:
                return (step + 1) / warmup
            progress = (step - warmup) / max(1, total_steps - warmup)
            return 0.5 * (1.0 + math.cos(math.pi * progress))

        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lr_lambda=schedule)
        self.best_loss = float("inf")
        self.losses = []

    def training_step(self, images: Tensor, labels: Tensor) -> float:
        self.model.train()
        self.optimizer.zero_grad()
        logits = self.model(images)
        loss = self.criterion(logits, labels)
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        accuracy = (logits.argmax(dim=-1) == labels).float().mean()
        print(f"step {len(self.losses):2d}  loss {loss.item():.4f}  accuracy {accuracy.item():.2f}")
        return loss.item()

    def fit(self, batches, checkpoint: str) -> list:
        for images, labels in batches:
            loss = self.training_step(images, labels)
            self.losses.append(loss)
            if loss < self.best_loss:
                self.best_loss = loss
                torch.save(self.model.state_dict(), checkpoint)
        return self.losses


def make_batches(n: int, batch_size: int = 6, seed: int = 0):
    """Stripes: across, upright or none, in noise."""
    rng = np.random.default_rng(seed)
    stripes = np.sin(np.arange(8) * np.pi / 2).astype(np.float32)
    for _ in range(n):
        labels = rng.integers(0, 3, batch_size)
        images = rng.normal(0, 0.3, (batch_size, 3, 8, 8)).astype(np.float32)
        images[labels == 1] += stripes
        images[labels == 2] += stripes[:, None]
        yield torch.tensor(images), torch.tensor(labels, dtype=torch.long)


def build_model():
    return VisionTransformer()


def example_inputs():
    return next(make_batches(1, batch_size=3, seed=1))


def predict(model, inputs):
    return model(inputs[0])


def forward_loss(model, inputs):
    images, labels = inputs
    return nn.CrossEntropyLoss(label_smoothing=0.1)(model(images), labels)


def train(model, steps=20):
    trainer = Trainer(model, total_steps=steps)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = os.path.join(folder, "best.pt")
        losses = trainer.fit(make_batches(steps), checkpoint)
        model.load_state_dict(torch.load(checkpoint))
    model.eval()
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    train(build_model())
