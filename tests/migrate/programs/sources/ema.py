"""Sentences classified by a CNN with adversarial training of the embedding and an average of the weights."""

import copy
import os
import tempfile

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

VOCAB = 30
LENGTH = 10
NUM_CLASSES = 3


class ModelEMA:
    """Exponential moving average of a model's parameters; buffers are copied."""

    def __init__(self, model, decay=0.9, warmup=5):
        self.module = copy.deepcopy(model)
        self.module.eval()
        self.decay = decay
        self.warmup = warmup
        self.num_updates = 0
        for p in self.module.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        self.num_updates += 1
        d = self.decay * min(1.0, self.num_updates / self.warmup)
        for ema_p, model_p in zip(self.module.parameters(), model.parameters()):
            ema_p.mul_(d).add_(model_p.detach(), alpha=1.0 - d)
        for ema_b, model_b in zip(self.module.buffers(), model.buffers()):
            ema_b.copy_(model_b)


class Shadow:
    """The same by name, put into the model and taken out again."""

    def __init__(self, model, decay):
        self.model = model
        self.decay = decay
        self.shadow = {}
        self.backup = {}

    def register(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                self.shadow[name] = param.data.clone()

    def update(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                assert name in self.shadow
                new_average = (1.0 - self.decay) * param.data + self.decay * self.shadow[name]
                self.shadow[name] = new_average.clone()

    def apply_shadow(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                self.backup[name] = param.data
                param.data = self.shadow[name]

    def restore(self):
        for name, param in self.model.named_parameters():
            if param.requires_grad:
                param.data = self.backup[name]
        self.backup = {}


class Highway(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.transform = nn.Linear(size, size)
        self.gate = nn.Linear(size, size)
        nn.init.constant_(self.gate.bias, -1.0)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        return gate * F.relu(self.transform(x)) + (1 - gate) * x


class TextCNN(nn.Module):
    def __init__(self, embed_dim=8, num_filters=6, kernel_sizes=(2, 3, 4)):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, embed_dim)
        self.convs = nn.ModuleDict({str(k): nn.Conv1d(embed_dim, num_filters, k, bias=False) for k in kernel_sizes})
        self.bn = nn.BatchNorm1d(num_filters * len(kernel_sizes))
        self.highway = Highway(num_filters * len(kernel_sizes))
        self.fc = nn.Linear(num_filters * len(kernel_sizes), NUM_CLASSES)
        self.register_buffer("class_bias", torch.zeros(NUM_CLASSES))

    def embed(self, tokens):
        return self.embedding(tokens)

    def classify(self, embedded):
        x = embedded.transpose(1, 2)  # (N, E, L)
        pooled = [F.relu(conv(x)).amax(dim=2) for _, conv in self.convs.items()]
        x = torch.cat(pooled, 1)
        x = self.highway(self.bn(x))
        return self.fc(x) + self.class_bias

    def forward(self, tokens):
        return self.classify(self.embed(tokens))


def make_batch(rng, batch_size):
    """Words of the class's third of the vocabulary, mixed with any."""
    labels = rng.integers(0, NUM_CLASSES, batch_size)
    third = VOCAB // NUM_CLASSES
    own = labels[:, None] * third + rng.integers(0, third, (batch_size, LENGTH))
    anything = rng.integers(0, VOCAB, (batch_size, LENGTH))
    tokens = np.where(rng.random((batch_size, LENGTH)) < 0.4, own, anything)
    return torch.as_tensor(tokens), torch.as_tensor(labels)


def adversarial(model, embedded, labels, epsilon=0.5):
    """The embedded words, moved along the gradient of the loss (Miyato et al., 2017)."""
    embedded = embedded.detach().clone().requires_grad_(True)
    loss = F.cross_entropy(model.classify(embedded), labels)
    grad = torch.autograd.grad(loss, embedded)[0]
    norm = grad.flatten(1).norm(dim=1).clamp_min(1e-8)
    return (epsilon * grad / norm[:, None, None]).detach()


def build_model():
    return TextCNN()


def example_inputs():
    return make_batch(np.random.default_rng(1), 5)


def predict(model, inputs):
    return model(inputs[0])


def forward_loss(model, inputs):
    tokens, labels = inputs
    return F.cross_entropy(model(tokens), labels)


@torch.no_grad()
def evaluate(model, batches):
    was_training = model.training
    model.eval()
    correct = sum((model(tokens).argmax(1) == labels).sum().item() for tokens, labels in batches)
    model.train(was_training)
    return correct / sum(len(labels) for _, labels in batches)


def save_checkpoint(path, step, model, ema, optimizer):
    torch.save(
        {
            "step": step,
            "model": model.state_dict(),
            "ema": ema.module.state_dict(),
            "optimizer": optimizer.state_dict(),
        },
        path,
    )


def load_checkpoint(path, model, ema, optimizer):
    checkpoint = torch.load(path, map_location="cpu")
    model.load_state_dict(checkpoint["model"])
    ema.module.load_state_dict(checkpoint["ema"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["step"]


def train(model, steps=20):
    rng = np.random.default_rng(0)
    test_batches = [make_batch(np.random.default_rng(7), 8) for _ in range(2)]
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0, rho=0.9)
    ema = ModelEMA(model)
    shadow = Shadow(model, decay=0.8)
    shadow.register()

    losses = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        for step in range(steps):
            tokens, labels = make_batch(rng, 6)
            model.train()
            optimizer.zero_grad()
            embedded = model.embed(tokens)
            clean_loss = F.cross_entropy(model.classify(embedded), labels)
            perturbation = adversarial(model, embedded, labels)
            adversarial_loss = F.cross_entropy(model.classify(embedded + perturbation), labels)
            loss = 0.5 * (clean_loss + adversarial_loss)
            loss.backward()
            optimizer.step()
            ema.update(model)
            shadow.update()
            losses.append(loss.item())

            if (step + 1) % 10 == 0:
                save_checkpoint(path, step + 1, model, ema, optimizer)
                step = load_checkpoint(path, model, ema, optimizer)
                accuracy = evaluate(model, test_batches)
                shadow.apply_shadow()
                shadow_accuracy = evaluate(model, test_batches)
                shadow.restore()
                print(
                    f"step {step}: loss {loss.item():.4f} (clean {clean_loss.item():.4f}), accuracy {accuracy:.2f}, "
                    f"averaged {evaluate(ema.module, test_batches):.2f} and {shadow_accuracy:.2f}"
                )
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    train(build_model())
