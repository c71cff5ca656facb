"""Denoising diffusion of small waves: a noise schedule in buffers, a U-shaped denoiser, a moving average of weights."""

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim

TIMESTEPS = 20


def exists(x):
    return x is not None


def default(val, d):
    return val if exists(val) else d


def extract(a, t, x_shape):
    """The entries of a at t, shaped to be broadcast over x."""
    b, *_ = t.shape
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(x_shape) - 1)))


def cosine_beta_schedule(timesteps, s=0.008):
    """The schedule of https://openreview.net/forum?id=-NEXDKk8gZ"""
    steps = timesteps + 1
    x = torch.linspace(0, timesteps, steps, dtype=torch.float64)
    alphas_cumprod = torch.cos(((x / timesteps) + s) / (1 + s) * math.pi * 0.5) ** 2
    alphas_cumprod = alphas_cumprod / alphas_cumprod[0]
    betas = 1 - (alphas_cumprod[1:] / alphas_cumprod[:-1])
    return torch.clip(betas, 0, 0.999)


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        device = x.device
        half_dim = self.dim // 2
        emb = math.log(10000) / (half_dim - 1)
        emb = torch.exp(torch.arange(half_dim, device=device) * -emb)
        emb = x[:, None] * emb[None, :]
        emb = torch.cat((emb.sin(), emb.cos()), dim=-1)
        return emb


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, *args, **kwargs):
        return self.fn(x, *args, **kwargs) + x


class WeightStandardized(nn.Module):
    """Convolution in one dimension whose weights are standardised."""

    def __init__(self, dim, dim_out):
        super().__init__()
        self.conv = nn.Conv1d(dim, dim_out, 3, padding=1)

    def forward(self, x):
        weight = self.conv.weight
        mean = weight.mean(dim=(1, 2), keepdim=True)
        var = weight.var(dim=(1, 2), keepdim=True, unbiased=False)
        return F.conv1d(x, (weight - mean) * (var + 1e-5).rsqrt(), self.conv.bias, padding=1)


class ResnetBlock(nn.Module):
    def __init__(self, dim, dim_out, *, time_emb_dim=None, groups=2):
        super().__init__()
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(time_emb_dim, dim_out * 2)) if exists(time_emb_dim) else None
        self.proj = WeightStandardized(dim, dim_out)
        self.norm = nn.GroupNorm(groups, dim_out)
        self.act = nn.SiLU()
        self.res_conv = nn.Conv1d(dim, dim_out, 1) if dim != dim_out else nn.Identity()

    def forward(self, x, time_emb=None):
        h = self.norm(self.proj(x))
        if exists(self.mlp) and exists(time_emb):
            time_emb = self.mlp(time_emb)[..., None]
            scale, shift = time_emb.chunk(2, dim=1)
            h = h * (scale + 1) + shift
        return self.act(h) + self.res_conv(x)


class LinearAttention(nn.Module):
    def __init__(self, dim, heads=2, dim_head=4):
        super().__init__()
        self.heads = heads
        self.scale = dim_head**-0.5
        self.to_qkv = nn.Conv1d(dim, heads * dim_head * 3, 1, bias=False)
        self.to_out = nn.Conv1d(heads * dim_head, dim, 1)

    def forward(self, x):
        b, _, n = x.shape
        q, k, v = (t.view(b, self.heads, -1, n) for t in self.to_qkv(x).chunk(3, dim=1))
        q = q.softmax(dim=-2) * self.scale
        k = k.softmax(dim=-1)
        context = torch.einsum("b h d n, b h e n -> b h d e", k, v)
        out = torch.einsum("b h d e, b h d n -> b h e n", context, q)
        return self.to_out(out.reshape(b, -1, n))


class Unet1D(nn.Module):
    def __init__(self, dim=8, channels=1, out_dim=None):
        super().__init__()
        time_dim = dim * 2
        self.init_conv = nn.Conv1d(channels, dim, 7, padding=3)
        self.time_mlp = nn.Sequential(
            SinusoidalPosEmb(dim), nn.Linear(dim, time_dim), nn.GELU(), nn.Linear(time_dim, time_dim)
        )
        self.down = nn.ModuleDict(
            {
                "block": ResnetBlock(dim, dim, time_emb_dim=time_dim),
                "sample": nn.Conv1d(dim, dim * 2, 4, 2, 1),
            }
        )
        self.mid_block = ResnetBlock(dim * 2, dim * 2, time_emb_dim=time_dim)
        self.mid_attn = Residual(LinearAttention(dim * 2))
        self.up = nn.ModuleDict(
            {
                "sample": nn.Sequential(
                    nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv1d(dim * 2, dim, 3, padding=1)
                ),
                "block": ResnetBlock(dim * 2, dim, time_emb_dim=time_dim),
            }
        )
        self.final_conv = nn.Conv1d(dim, default(out_dim, channels), 1)

    def forward(self, x, time):
        x = self.init_conv(x)
        t = self.time_mlp(time)
        skip = self.down["block"](x, t)
        x = self.down["sample"](skip)
        x = self.mid_block(x, t)
        x = self.mid_attn(x)
        x = self.up["sample"](x)
        x = self.up["block"](torch.cat((x, skip), dim=1), t)
        return self.final_conv(x)


class GaussianDiffusion(nn.Module):
    def __init__(self, model, timesteps=TIMESTEPS):
        super().__init__()
        self.model = model
        self.num_timesteps = timesteps
        betas = cosine_beta_schedule(timesteps)
        alphas = 1.0 - betas
        alphas_cumprod = torch.cumprod(alphas, dim=0)
        # helper function to register buffer from float64 to float32
        register_buffer = lambda name, val: self.register_buffer(name, val.to(torch.float32))
        register_buffer("betas", betas)
        register_buffer("sqrt_alphas_cumprod", torch.sqrt(alphas_cumprod))
        register_buffer("sqrt_one_minus_alphas_cumprod", torch.sqrt(1.0 - alphas_cumprod))
        register_buffer("sqrt_recip_alphas", torch.sqrt(1.0 / alphas))

    def q_sample(self, x_start, t, noise):
        return (
            extract(self.sqrt_alphas_cumprod, t, x_start.shape) * x_start
            + extract(self.sqrt_one_minus_alphas_cumprod, t, x_start.shape) * noise
        )

    @torch.no_grad()
    def sample(self, noise):
        """The mean of each reverse step, from noise to a wave."""
        x = noise
        for i in reversed(range(self.num_timesteps)):
            t = torch.full((x.shape[0],), i, dtype=torch.long)
            predicted = self.model(x, t.float())
            beta = extract(self.betas, t, x.shape)
            x = extract(self.sqrt_recip_alphas, t, x.shape) * (
                x - beta * predicted / extract(self.sqrt_one_minus_alphas_cumprod, t, x.shape)
            )
        return x

    def forward(self, x_start, t, noise):
        x = self.q_sample(x_start, t, noise)
        model_out = self.model(x, t.float())
        loss = F.mse_loss(model_out, noise, reduction="none")
        return loss.flatten(1).mean(dim=1).mean()


class EMA:
    def __init__(self, beta):
        self.beta = beta

    def update_model_average(self, ma_model, current_model):
        for current_params, ma_params in zip(current_model.parameters(), ma_model.parameters(), strict=True):
            old_weight, up_weight = ma_params.data, current_params.data
            ma_params.data = self.update_average(old_weight, up_weight)

    def update_average(self, old, new):
        if old is None:
            return new
        return old * self.beta + (1 - self.beta) * new


def make_batch(rng, n, length=16):
    phase = rng.uniform(0, 2 * np.pi, (n, 1, 1))
    waves = np.sin(np.arange(length) * 2 * np.pi / 8 + phase)
    steps = rng.integers(0, TIMESTEPS, n)
    noise = rng.standard_normal((n, 1, length))
    return torch.from_numpy(waves).float(), torch.from_numpy(steps).long(), torch.from_numpy(noise).float()


def build_model():
    return GaussianDiffusion(Unet1D())


def example_inputs():
    return make_batch(np.random.default_rng(1), 3)


def predict(model, inputs):
    waves, steps, noise = inputs
    return model.model(model.q_sample(waves, steps, noise), steps.float())


def forward_loss(model, inputs):
    return model(*inputs)


def train(model, steps=20):
    rng = np.random.default_rng(0)
    optimizer = optim.RAdam(model.parameters(), lr=5e-3, betas=(0.9, 0.99))
    ema = EMA(0.9)
    ema_model = copy.deepcopy(model)
    history = []
    step = 0
    while step < steps:
        loss = model(*make_batch(rng, 4))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()

        if step % 2 == 0:
            ema.update_model_average(ema_model, model)
        history.append(loss.item())
        step += 1
    waves = ema_model.sample(make_batch(rng, 2)[2])
    print(f"loss: {sum(history[-5:]) / 5:.4f}, samples within ±{waves.abs().max().item():.2f}")
    return history


if __name__ == "__main__":
    torch.manual_seed(0)
    train(build_model())
