"""A small GPT over bytes: causal attention, tied embeddings, AdamW with and without decay, clipping, generation."""

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.nn import functional as F

TEXT = "the quick brown fox jumps over the lazy dog and the dog sleeps on while the fox runs away. " * 8


@dataclass
class GPTConfig:
    block_size: int = 16
    vocab_size: int = 32
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 16
    dropout: float = 0.0
    bias: bool = False


class LayerNorm(nn.Module):
    """LayerNorm but with an optional bias."""

    def __init__(self, ndim, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(ndim))
        self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None

    def forward(self, input):
        return F.layer_norm(input, self.weight.shape, self.weight, self.bias, 1e-5)


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.attn_dropout = nn.Dropout(config.dropout)
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        # causal mask to ensure that attention is only applied to the left in the input sequence
        mask = torch.tril(torch.ones(config.block_size, config.block_size))
        self.register_buffer("mask", mask.view(1, 1, config.block_size, config.block_size))

    def forward(self, x):
        B, T, C = x.size()  # batch size, sequence length, embedding dimensionality (n_embd)
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  # (B, nh, T, hs)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)  # re-assemble all head outputs side by side
        return self.c_proj(y)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = LayerNorm(config.n_embd, bias=config.bias)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = LayerNorm(config.n_embd, bias=config.bias)
        self.mlp = nn.ModuleDict(
            {
                "c_fc": nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias),
                "act": nn.GELU(approximate="tanh"),
                "c_proj": nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias),
            }
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        hidden = self.mlp["act"](self.mlp["c_fc"](self.ln_2(x)))
        return x + self.mlp["c_proj"](hidden)


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.block_size, config.n_embd)
        self.h = nn.ModuleList([Block(config) for _ in range(config.n_layer)])
        self.ln_f = LayerNorm(config.n_embd, bias=config.bias)
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight  # weight tying

        self.apply(self._init_weights)
        # apply special scaled init to the residual projections, per GPT-2 paper
        for pn, p in self.named_parameters():
            if pn.endswith("c_proj.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * config.n_layer))

    def get_num_params(self):
        return sum(p.numel() for p in self.parameters())

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets=None):
        _, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device)
        x = self.wte(idx) + self.wpe(pos)
        for block in self.h:
            x = block(x)
        x = self.ln_f(x)
        logits = self.lm_head(x)
        if targets is None:
            return logits, None
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        return logits, loss

    def configure_optimizers(self, weight_decay, learning_rate, betas):
        # any parameters that is 2D will be weight decayed, otherwise no
        params = [p for p in self.parameters() if p.requires_grad]
        decay = [p for p in params if p.dim() >= 2]
        nodecay = [p for p in params if p.dim() < 2]
        groups = [{"params": decay, "weight_decay": weight_decay}, {"params": nodecay, "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=learning_rate, betas=betas, eps=1e-8)

    @torch.no_grad()
    def generate(self, idx, max_new_tokens):
        """Append the likeliest token, max_new_tokens times."""
        for _ in range(max_new_tokens):
            idx_cond = idx if idx.size(1) <= self.config.block_size else idx[:, -self.config.block_size :]
            logits, _ = self(idx_cond)
            logits = logits[:, -1, :]
            _, idx_next = torch.topk(logits, k=1, dim=-1)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx


CHARS = sorted(set(TEXT))
DATA = np.array([CHARS.index(c) for c in TEXT], dtype=np.int64)


def get_batch(rng, batch_size, block_size):
    ix = rng.integers(0, len(DATA) - block_size - 1, batch_size)
    x = torch.stack([torch.from_numpy(DATA[i : i + block_size]) for i in ix])
    y = torch.stack([torch.from_numpy(DATA[i + 1 : i + 1 + block_size]) for i in ix])
    return x, y


def get_lr(it, learning_rate=5e-3, warmup_iters=5, lr_decay_iters=20, min_lr=5e-4):
    if it < warmup_iters:
        return learning_rate * (it + 1) / warmup_iters
    decay_ratio = min(1.0, (it - warmup_iters) / (lr_decay_iters - warmup_iters))
    coeff = 0.5 * (1.0 + math.cos(math.pi * decay_ratio))
    return min_lr + coeff * (learning_rate - min_lr)


def build_model():
    return GPT(GPTConfig())


def example_inputs():
    return get_batch(np.random.default_rng(1), batch_size=2, block_size=12)


def predict(model, inputs):
    logits, _ = model(inputs[0])
    return logits


def forward_loss(model, inputs):
    _, loss = model(*inputs)
    return loss


def train(model, steps=20):
    rng = np.random.default_rng(0)
    optimizer = model.configure_optimizers(weight_decay=0.1, learning_rate=5e-3, betas=(0.9, 0.95))
    history = []
    model.train()
    X, Y = get_batch(rng, 4, model.config.block_size)
    for iter_num in range(steps):
        # determine and set the learning rate for this iteration
        lr = get_lr(iter_num, lr_decay_iters=steps)
        for param_group in optimizer.param_groups:
            param_group["lr"] = lr

        logits, loss = model(X, Y)
        # immediately prefetch the next batch
        X, Y = get_batch(rng, 4, model.config.block_size)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

        lossf = loss.item()
        history.append(lossf)
        if iter_num % 5 == 0:
            print(f"iter {iter_num}: loss {lossf:.4f}, logits {tuple(logits.shape)}, lr {lr:.5f}")
    return history


def main():
    torch.manual_seed(1337)
    model = build_model()
    print("number of parameters: %d" % model.get_num_params())
    train(model)
    model.eval()
    start = torch.tensor([[CHARS.index(c) for c in "the "]], dtype=torch.long)
    completed = model.generate(start, 16)[0].tolist()
    print("".join(CHARS[i] if i < len(CHARS) else "?" for i in completed))


if __name__ == "__main__":
    main()
