"""Translates images into their mirror images: an object whose attributes hold the batch, the fakes and the losses."""

import numpy as np
import torch
from torch import nn

LAMBDA = 10.0  # weight of the distance to the target


class Generator(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.down = nn.Conv2d(1, width, 4, stride=2, padding=1)
        self.norm = nn.InstanceNorm2d(width)
        self.up = nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1)

    def forward(self, image):
        hidden = torch.relu(self.norm(self.down(image)))
        return torch.tanh(self.up(hidden))


class Discriminator(nn.Module):
    """Judges patches of a pair: the source and what may be its translation."""

    def __init__(self, width=8):
        super().__init__()
        self.model = nn.Sequential(
            nn.Conv2d(2, width, 4, stride=2, padding=1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(width, 1, 4, padding=1),
        )

    def forward(self, pair):
        return self.model(pair)


class AdversarialLoss(nn.Module):
    """The least squares loss against labels that are as large as the prediction."""

    def __init__(self, real=1.0, fake=0.0):
        super().__init__()
        self.register_buffer("real", torch.tensor(real))
        self.register_buffer("fake", torch.tensor(fake))
        self.criterion = nn.MSELoss()

    def forward(self, prediction, is_real):
        label = self.real if is_real else self.fake
        return self.criterion(prediction, label.expand_as(prediction))


class Translation:
    """The networks, their optimizers, and the batch that is worked on."""

    def __init__(self, generator, discriminator, lr=2e-3):
        self.generator = generator
        self.discriminator = discriminator
        self.adversarial = AdversarialLoss()
        self.distance = nn.L1Loss()
        self.generator_optimizer = torch.optim.Adam(generator.parameters(), lr=lr, betas=(0.5, 0.999))
        self.discriminator_optimizer = torch.optim.Adam(discriminator.parameters(), lr=lr, betas=(0.5, 0.999))

    def set_input(self, batch):
        self.source = batch["source"]
        self.target = batch["target"]

    def forward(self):
        self.fake = self.generator(self.source)

    def backward_discriminator(self):
        fakes = torch.cat((self.source, self.fake), 1)
        self.loss_fake = self.adversarial(self.discriminator(fakes.detach()), False)
        pairs = torch.cat((self.source, self.target), 1)
        self.loss_real = self.adversarial(self.discriminator(pairs), True)
        self.loss_discriminator = (self.loss_fake + self.loss_real) * 0.5
        self.loss_discriminator.backward()

    def backward_generator(self):
        judged = self.discriminator(torch.cat((self.source, self.fake), 1))
        self.loss_adversarial = self.adversarial(judged, True)
        self.loss_distance = self.distance(self.fake, self.target) * LAMBDA
        self.loss_generator = self.loss_adversarial + self.loss_distance
        self.loss_generator.backward()

    def freeze(self, frozen):
        for parameter in self.discriminator.parameters():
            parameter.requires_grad = not frozen

    def optimize(self):
        self.forward()
        self.freeze(False)
        self.discriminator_optimizer.zero_grad()
        self.backward_discriminator()
        self.discriminator_optimizer.step()
        self.freeze(True)  # the generator's step needs no gradients of it
        self.generator_optimizer.zero_grad()
        self.backward_generator()
        self.generator_optimizer.step()

    def losses(self):
        names = ("loss_fake", "loss_real", "loss_adversarial", "loss_distance")
        return {name: float(getattr(self, name)) for name in names}


def images(rng, n=2, size=8):
    return torch.from_numpy(rng.uniform(-1, 1, (n, 1, size, size)).astype(np.float32))


def build_model():
    return Generator(), Discriminator()


def example_inputs():
    rng = np.random.default_rng(1)
    return images(rng), images(rng)


def predict(model, inputs):
    generator, discriminator = model
    source, target = inputs
    fake = generator(source)
    return fake, discriminator(torch.cat((source, fake), 1)), discriminator(torch.cat((source, target), 1))


def forward_loss(model, inputs):
    fake, on_fake, on_real = predict(model, inputs)
    return (fake - inputs[1]).abs().mean() + on_fake.pow(2).mean() + (on_real - 1).pow(2).mean()


def train(model, steps=20):
    translation = Translation(*model)
    rng = np.random.default_rng(0)
    history = []
    for _ in range(steps):
        source = images(rng)
        translation.set_input({"source": source, "target": source.flip(3)})
        translation.optimize()
        history.append(sum(translation.losses().values()))
    return history


def main():
    torch.manual_seed(0)
    history = train(build_model())
    print(f"loss {history[0]:.3f} to {history[-1]:.3f}")


if __name__ == "__main__":
    main()
