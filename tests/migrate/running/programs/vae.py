"""A variational autoencoder whose noise comes from NumPy."""

import argparse

import numpy as np
import torch
from torch import nn, optim
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--save")
parser.add_argument("--weights")
parser.add_argument("--losses", required=True)
args = parser.parse_args()
rng = np.random.default_rng(3)


class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(64, 40)
        self.fc21 = nn.Linear(40, 6)
        self.fc22 = nn.Linear(40, 6)
        self.fc3 = nn.Linear(6, 40)
        self.fc4 = nn.Linear(40, 64)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.from_numpy(rng.standard_normal(tuple(std.shape)).astype(np.float32))
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 64))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    bce = F.binary_cross_entropy(recon_x, x.view(-1, 64), reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = VAE().to(device)
if args.save:
    np.savez(args.save, **{name: value.numpy() for name, value in model.state_dict().items()})
if args.weights:
    kept = np.load(args.weights)
    model.load_state_dict({name: torch.from_numpy(kept[name]) for name in kept.files})
optimizer = optim.Adam(model.parameters(), lr=1e-3)
images = torch.from_numpy(rng.uniform(0, 1, (20, 16, 1, 8, 8)).astype(np.float32))
losses = []


def train(epoch):
    model.train()
    train_loss = 0
    for batch_idx in range(10):
        data = images[10 * epoch + batch_idx].to(device)
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        losses.append(loss.item() / len(data))
        optimizer.step()
    print(f"====> Epoch: {epoch} Average loss: {train_loss / 160:.4f}")


def test():
    model.eval()
    with torch.no_grad():
        data = images[0].to(device)
        recon_batch, mu, logvar = model(data)
        return loss_function(recon_batch, data, mu, logvar).item() / len(data)


if __name__ == "__main__":
    for epoch in range(2):
        train(epoch)
    losses.append(test())
    np.savetxt(args.losses, losses)
