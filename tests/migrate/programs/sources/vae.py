"""A variational autoencoder of blobs: reparameterisation, KL divergence warmed up, best weights kept in a file."""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.utils.data
from torch import nn, optim
from torch.nn import functional as F

parser = argparse.ArgumentParser(description="VAE blob example")
parser.add_argument("--batch-size", type=int, default=8, metavar="N", help="input batch size for training")
parser.add_argument("--lr", type=float, default=5e-3)
parser.add_argument("--log-interval", type=int, default=4, metavar="N")
parser.add_argument("--no-cuda", action="store_true", default=False, help="disables CUDA training")

SIDE = 8


class Blobs(torch.utils.data.Dataset):
    """Images of one soft blob each, with noise for the latent space, so that runs repeat."""

    def __init__(self, n, latent_dim=4, seed=0):
        rng = np.random.default_rng(seed)
        axis = np.arange(SIDE, dtype=np.float32)
        centres = rng.uniform(1, SIDE - 1, (n, 2, 1, 1)).astype(np.float32)
        squared = (axis[:, None] - centres[:, 0]) ** 2 + (axis - centres[:, 1]) ** 2
        self.images = np.exp(-squared / 4).astype(np.float32)
        self.noise = rng.standard_normal((n, latent_dim)).astype(np.float32)

    def __getitem__(self, index):
        return self.images[index], self.noise[index]

    def __len__(self):
        return len(self.images)


class Encoder(nn.Module):
    def __init__(self, hidden_dims, latent_dim):
        super().__init__()
        modules = []
        in_channels = 1
        for h_dim in hidden_dims:
            modules.append(
                nn.Sequential(
                    nn.Conv2d(in_channels, out_channels=h_dim, kernel_size=3, stride=2, padding=1),
                    nn.ELU(),
                )
            )
            in_channels = h_dim
        self.layers = nn.Sequential(*modules)
        self.fc_mu = nn.Linear(hidden_dims[-1] * 4, latent_dim)
        self.fc_var = nn.Linear(hidden_dims[-1] * 4, latent_dim)

    def forward(self, x):
        h = torch.flatten(self.layers(x), start_dim=1)
        return self.fc_mu(h), self.fc_var(h)


class VAE(nn.Module):
    def __init__(self, latent_dim=4, hidden_dims=(6, 12)):
        super().__init__()
        self.latent_dim = latent_dim
        self.encoder = Encoder(list(hidden_dims), latent_dim)
        self.decoder = nn.Sequential(
            nn.Linear(latent_dim, 32),
            nn.Softplus(),
            nn.Linear(32, SIDE * SIDE),
            nn.Unflatten(1, (1, SIDE, SIDE)),
        )

    def reparameterize(self, mu, logvar, noise):
        std = torch.exp(0.5 * logvar)
        return mu + noise * std

    def decode(self, z):
        return torch.sigmoid(self.decoder(z))

    def forward(self, x, noise):
        mu, logvar = self.encoder(x)
        z = self.reparameterize(mu, logvar, noise) if self.training else mu
        return self.decode(z), mu, logvar


# Reconstruction + KL divergence losses summed over all elements and batch
def loss_function(recon_x, x, mu, logvar, beta=1.0):
    BCE = F.binary_cross_entropy(recon_x, x, reduction="sum")

    # see Appendix B from VAE paper: 0.5 * sum(1 + log(sigma^2) - mu^2 - sigma^2)
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())

    return {"loss": (BCE + beta * KLD) / x.size(0), "bce": BCE.detach(), "kld": KLD.detach()}


def build_model():
    return VAE()


def example_inputs():
    dataset = Blobs(4, seed=1)
    return torch.from_numpy(dataset.images).unsqueeze(1), torch.from_numpy(dataset.noise)


def predict(model, inputs):
    return model(*inputs)


def forward_loss(model, inputs):
    data, noise = inputs
    recon_batch, mu, logvar = model(data, noise)
    return loss_function(recon_batch, data, mu, logvar)["loss"]


def train_epoch(epoch, model, train_loader, optimizer, device, log_interval):
    model.train()
    train_loss = 0
    losses = []
    beta = min(1.0, (epoch + 1) / 3)
    for batch_idx, (data, noise) in enumerate(train_loader):
        data = data.unsqueeze(1).to(device)
        noise = noise.to(device)
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data, noise)
        results = loss_function(recon_batch, data, mu, logvar, beta)
        loss = results["loss"]
        loss.backward()
        train_loss += loss.item()
        losses.append(loss.item())
        optimizer.step()
        if batch_idx % log_interval == 0:
            print(
                "Train Epoch: {} [{}/{}]\tLoss: {:.6f}\tBCE: {:.3f}\tKLD: {:.3f}".format(
                    epoch, batch_idx, len(train_loader), loss.item(), results["bce"].item(), results["kld"].item()
                )
            )
    print(f"====> Epoch: {epoch} Average loss: {train_loss / len(train_loader):.4f}")
    return losses


def test(model, test_loader, device):
    model.eval()
    test_loss = 0.0
    with torch.no_grad():
        for data, noise in test_loader:
            data = data.unsqueeze(1).to(device)
            recon, mu, logvar = model(data, noise.to(device))
            test_loss += loss_function(recon, data, mu, logvar)["loss"].item()
    return test_loss / len(test_loader)


def train(model, steps=20, args=None):
    args = args if args is not None else parser.parse_args([])
    use_cuda = not args.no_cuda and torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    model = model.to(device)
    train_loader = torch.utils.data.DataLoader(Blobs(5 * args.batch_size), batch_size=args.batch_size, shuffle=False)
    test_loader = torch.utils.data.DataLoader(Blobs(8, seed=2), batch_size=4)
    optimizer = optim.Adam(model.parameters(), lr=args.lr)

    history = []
    best = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vae.pth"
        for epoch in range(steps // len(train_loader)):
            history.extend(train_epoch(epoch, model, train_loader, optimizer, device, args.log_interval))
            test_loss = test(model, test_loader, device)
            if test_loss < best:
                best = test_loss
                state = {"epoch": epoch, "state_dict": model.state_dict(), "optimizer": optimizer.state_dict()}
                torch.save(state, path)
        checkpoint = torch.load(path, map_location=device)
        model.load_state_dict(checkpoint["state_dict"])
        print("best epoch: {}".format(checkpoint["epoch"]))
    return history


def main():
    torch.manual_seed(1)
    model = build_model()
    train(model, args=parser.parse_args())
    with torch.no_grad():
        z = torch.from_numpy(np.random.default_rng(3).standard_normal((2, model.latent_dim)).astype(np.float32))
        print(model.decode(z).view(2, SIDE, SIDE).mean(dim=0))


if __name__ == "__main__":
    main()
