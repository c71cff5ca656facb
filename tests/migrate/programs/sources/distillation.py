"""A frozen teacher and a binarised student: straight-through gradients, softened targets, feature hints."""

import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function
from torch.optim.lr_scheduler import LinearLR
from torch.utils.data import DataLoader, Sampler, TensorDataset

NUM_FEATURES, NUM_CLASSES = 10, 4


class Binarize(Function):
    """The sign, times the mean size; the gradient passes where the input is within the bound."""

    @staticmethod
    def forward(ctx, input, bound):
        ctx.save_for_backward(input)
        ctx.bound = bound
        return input.sign() * input.abs().mean()

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        mask = (input.abs() <= ctx.bound).to(grad_output.dtype)
        return grad_output * mask, None


class GradientScale(torch.autograd.Function):
    """The identity, with the gradient made smaller."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.scale, None


class BinaryLinear(nn.Linear):
    """A linear layer whose weights are binary in the forward pass."""

    def __init__(self, in_features, out_features, bias=True, bound=1.0):
        super().__init__(in_features, out_features, bias)
        self.bound = bound

    def forward(self, input):
        return F.linear(input, Binarize.apply(self.weight, self.bound), self.bias)

    def extra_repr(self):
        return super().extra_repr() + f", bound={self.bound}"


class Teacher(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.features = nn.Sequential(
            nn.Linear(NUM_FEATURES, hidden),
            nn.LayerNorm(hidden),
            nn.Mish(),
            nn.Linear(hidden, hidden),
            nn.Tanh(),
        )
        self.classifier = nn.Linear(hidden, NUM_CLASSES)

    def forward(self, x):
        features = self.features(x)
        return self.classifier(features), features


class Student(nn.Module):
    def __init__(self, hidden=12, teacher_hidden=24):
        super().__init__()
        self.stem = nn.Linear(NUM_FEATURES, hidden)
        self.body = nn.ModuleList([BinaryLinear(hidden, hidden), BinaryLinear(hidden, hidden, bound=0.5)])
        self.norms = nn.ModuleList([nn.BatchNorm1d(hidden), nn.BatchNorm1d(hidden, affine=True, eps=1e-3)])
        self.classifier = nn.Linear(hidden, NUM_CLASSES)
        self.hint = nn.Linear(hidden, teacher_hidden, bias=False)

    def forward(self, x):
        x = F.hardtanh(self.stem(x))
        for layer, norm in zip(self.body, self.norms):
            x = x + F.hardtanh(norm(layer(x)))
        hint = self.hint(GradientScale.apply(x, 0.1))
        return self.classifier(x), hint


class DistillationLoss(nn.Module):
    def __init__(self, temperature=3.0, alpha=0.6, hint_weight=0.2):
        super().__init__()
        self.T = temperature
        self.alpha = alpha
        self.hint_weight = hint_weight
        self.kl = nn.KLDivLoss(reduction="batchmean")
        self.ce = nn.CrossEntropyLoss()

    def forward(self, student, teacher, target):
        student_logits, student_hint = student
        teacher_logits, teacher_features = teacher
        soft = self.kl(
            F.log_softmax(student_logits / self.T, dim=1),
            F.softmax(teacher_logits / self.T, dim=1),
        ) * (self.T * self.T)
        hard = self.ce(student_logits, target)
        hint = F.cosine_embedding_loss(
            student_hint, teacher_features, target=torch.ones(target.size(0), device=target.device)
        )
        return self.alpha * soft + (1.0 - self.alpha) * hard + self.hint_weight * hint, soft, hard


class Strided(Sampler):
    """Every nth index, then the next ones: a fixed order that mixes the classes."""

    def __init__(self, length, stride):
        self.length = length
        self.stride = stride

    def __iter__(self):
        for start in range(self.stride):
            yield from range(start, self.length, self.stride)

    def __len__(self):
        return self.length


def make_data(n, seed=0):
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(100).normal(0, 1.5, (NUM_CLASSES, NUM_FEATURES))
    y = np.sort(rng.integers(0, NUM_CLASSES, n))
    x = centres[y] + rng.normal(0, 1, (n, NUM_FEATURES))
    return torch.FloatTensor(x), torch.LongTensor(y)


def build_model():
    """The student, then its teacher."""
    student, teacher = Student(), Teacher()
    for p in teacher.parameters():
        p.requires_grad = False
    return student, teacher


def example_inputs():
    return make_data(6, seed=1)


def predict(model, inputs):
    student, teacher = model
    logits, hint = student(inputs[0])
    teacher_logits, _ = teacher(inputs[0])
    return logits, hint, teacher_logits


def forward_loss(model, inputs):
    student, teacher = model
    x, y = inputs
    with torch.no_grad():
        teacher_outputs = teacher(x)
    return DistillationLoss()(student(x), teacher_outputs, y)[0]


class AverageMeter(object):
    """Computes and stores the average and current value"""

    def __init__(self, name):
        self.name = name
        self.reset()

    def reset(self):
        self.val, self.sum, self.count = 0.0, 0.0, 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)

    def __str__(self):
        return f"{self.name} {self.val:.4f} ({self.avg:.4f})"


def train_distill(epoch, train_loader, module_list, criterion, optimizer, opt):
    """One epoch distillation"""
    # set modules as train()
    for module in module_list:
        module.train()
    # set teacher as eval()
    module_list[-1].eval()
    model_s, model_t = module_list

    losses, soft_losses = AverageMeter("Loss"), AverageMeter("Soft")
    epoch_losses = []
    for idx, (input, target) in enumerate(train_loader):
        if torch.cuda.is_available():
            input = input.cuda()
            target = target.cuda()

        # ===================forward=====================
        output_s = model_s(input)
        with torch.no_grad():
            logit_t, feat_t = model_t(input)
            feat_t = feat_t.detach()
        loss, soft, hard = criterion(output_s, (logit_t, feat_t), target)
        losses.update(loss.item(), input.size(0))
        soft_losses.update(soft.item(), input.size(0))

        # ===================backward=====================
        optimizer.zero_grad()
        loss.backward()
        grad_norm = sum(p.grad.norm() ** 2 for p in model_s.parameters() if p.grad is not None) ** 0.5
        optimizer.step()

        # ===================meters=====================
        epoch_losses.append(loss.item())
        if idx % opt.print_freq == 0:
            print(f"Epoch: [{epoch}][{idx}/{len(train_loader)}]\t{losses}\t{soft_losses}\tgrad {grad_norm:.3f}")
    return epoch_losses


def train(model, steps=20, opt=None):
    opt = opt or parse_option([])
    student, teacher = model
    x, y = make_data(5 * opt.batch_size)
    dataset = TensorDataset(x, y)
    train_loader = DataLoader(dataset, batch_size=opt.batch_size, sampler=Strided(len(dataset), 7))
    criterion = DistillationLoss(temperature=opt.kd_T)
    optimizer = torch.optim.SGD(
        filter(lambda p: p.requires_grad, student.parameters()), lr=opt.learning_rate, momentum=0.9, dampening=0.1
    )
    scheduler = LinearLR(optimizer, start_factor=0.5, end_factor=1.0, total_iters=3)
    if torch.cuda.is_available():
        student.cuda()
        teacher.cuda()

    history = []
    for epoch in range(1, steps // len(train_loader) + 1):
        history += train_distill(epoch, train_loader, [student, teacher], criterion, optimizer, opt)
        scheduler.step()
    return history


def parse_option(argv=None):
    parser = argparse.ArgumentParser("argument for training")
    parser.add_argument("--print_freq", type=int, default=5, help="print frequency")
    parser.add_argument("--batch_size", type=int, default=7)
    parser.add_argument("--learning_rate", type=float, default=0.05)
    parser.add_argument("-T", "--kd_T", type=float, default=3.0, help="temperature for KD distillation")
    return parser.parse_args(argv)


if __name__ == "__main__":
    torch.manual_seed(0)
    train(build_model(), opt=parse_option())
