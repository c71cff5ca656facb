"""A CRNN that reads digits drawn as bars; CTC loss over lines of different length, greedy decoding, edit distance."""

from collections import OrderedDict

import numpy as np
import torch
from torch import nn
from torch.optim import Adamax
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts
from torch.utils.data import DataLoader, Dataset

ALPHABET = "01234"
HEIGHT, GLYPH = 8, 6
BLANK = 0


class LabelConverter:
    """Convert between str and label. The blank is 0."""

    def __init__(self, alphabet):
        self.alphabet = alphabet
        self.dict = {char: i + 1 for i, char in enumerate(alphabet)}

    def encode(self, text):
        return [self.dict[char] for char in text]

    def decode(self, indices, raw=False):
        if raw:
            return "".join(self.alphabet[i - 1] if i > 0 else "-" for i in indices)
        chars = []
        previous = BLANK
        for i in indices:
            if i != BLANK and i != previous:
                chars.append(self.alphabet[i - 1])
            previous = i
        return "".join(chars)


converter = LabelConverter(ALPHABET)


def draw(text, rng, width):
    """Each digit is bars at heights of its own, with a gap after it."""
    image = rng.normal(0, 0.1, (1, HEIGHT, width))
    for position, char in enumerate(text):
        left = position * GLYPH
        image[0, int(char) : int(char) + 3, left : left + 4] += 1.0
        image[0, 7 - int(char), left + 1 : left + 3] += 0.5
    return image.astype(np.float32)


class Lines(Dataset):
    def __init__(self, n, max_chars=4, seed=0):
        rng = np.random.default_rng(seed)
        self.samples = []
        for _ in range(n):
            length = int(rng.integers(2, max_chars + 1))
            text = "".join(rng.choice(list(ALPHABET), length))
            self.samples.append((draw(text, rng, max_chars * GLYPH), text, length * GLYPH))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, item):
        return self.samples[item]


def collate_lines(batch):
    """Stack the images; join the labels into one row, as CTC takes them, with their lengths."""
    images, texts, widths = zip(*batch)
    images = torch.stack([torch.from_numpy(image) for image in images], 0)
    encoded = [converter.encode(text) for text in texts]
    max_len = max(len(e) for e in encoded)
    targets = torch.zeros(len(encoded), max_len, dtype=torch.long)
    for i, e in enumerate(encoded):
        targets[i, : len(e)] = torch.LongTensor(e)
    target_lengths = torch.LongTensor([len(e) for e in encoded])
    input_lengths = torch.LongTensor([w // 2 for w in widths])
    return images, targets, input_lengths, target_lengths


class BidirectionalLSTM(nn.Module):
    def __init__(self, nIn, nHidden, nOut):
        super(BidirectionalLSTM, self).__init__()
        self.rnn = nn.LSTM(nIn, nHidden, bidirectional=True)
        self.embedding = nn.Linear(nHidden * 2, nOut)

    def forward(self, input):
        recurrent, _ = self.rnn(input)
        T, b, h = recurrent.size()
        t_rec = recurrent.view(T * b, h)

        output = self.embedding(t_rec)  # [T * b, nOut]
        output = output.view(T, b, -1)
        return output


class CRNN(nn.Module):
    def __init__(self, nc=1, nclass=len(ALPHABET) + 1, nh=8, leakyRelu=False):
        super(CRNN, self).__init__()
        ks = [3, 3, 2]
        ps = [1, 1, 0]
        nm = [6, 12, 12]

        cnn = nn.Sequential()

        def convRelu(i, batchNormalization=False):
            nIn = nc if i == 0 else nm[i - 1]
            nOut = nm[i]
            cnn.add_module("conv{0}".format(i), nn.Conv2d(nIn, nOut, ks[i], 1, ps[i], bias=not batchNormalization))
            if batchNormalization:
                cnn.add_module("batchnorm{0}".format(i), nn.BatchNorm2d(nOut))
            if leakyRelu:
                cnn.add_module("relu{0}".format(i), nn.LeakyReLU(0.2, inplace=True))
            else:
                cnn.add_module("relu{0}".format(i), nn.ReLU(True))

        convRelu(0)
        cnn.add_module("pooling{0}".format(0), nn.MaxPool2d(2, 2))  # 4 x W/2
        convRelu(1, True)
        cnn.add_module("pooling{0}".format(1), nn.MaxPool2d((2, 1), (2, 1)))  # 2 x W/2
        cnn.add_module("padding", nn.ZeroPad2d((0, 1, 0, 0)))
        convRelu(2, True)  # 1 x W/2

        self.cnn = cnn
        self.rnn = nn.Sequential(
            OrderedDict(
                [
                    ("first", BidirectionalLSTM(nm[-1], nh, nh)),
                    ("second", BidirectionalLSTM(nh, nh, nclass)),
                ]
            )
        )
        self.log_softmax = nn.LogSoftmax(dim=2)

    def forward(self, input):
        # conv features
        conv = self.cnn(input)
        b, c, h, w = conv.size()
        assert h == 1, "the height of conv must be 1"
        conv = conv.squeeze(2)
        conv = conv.permute(2, 0, 1)  # [w, b, c]

        # rnn features
        output = self.rnn(conv)
        return self.log_softmax(output)


def weights_init(m):
    classname = type(m).__name__
    if classname.startswith("Conv"):
        m.weight.data.normal_(0.0, 0.2)
    elif classname.startswith("BatchNorm"):
        m.weight.data.fill_(1.0)
        m.bias.data.fill_(0)


def build_model():
    model = CRNN()
    model.apply(weights_init)
    return model


def example_inputs():
    dataset = Lines(3, seed=1)
    return collate_lines([dataset[i] for i in range(3)])


def predict(model, inputs):
    return model(inputs[0])


def forward_loss(model, inputs):
    images, targets, input_lengths, target_lengths = inputs
    criterion = nn.CTCLoss(blank=BLANK, reduction="sum")
    return criterion(model(images), targets, input_lengths, target_lengths) / images.size(0)


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def val(net, dataset, criterion, max_iter=2):
    """Mean loss and mean edit distance over the first batches."""
    net.eval()
    data_loader = DataLoader(dataset, batch_size=3, shuffle=False, collate_fn=collate_lines)
    loss_sum, distance, n = 0.0, 0, 0
    with torch.no_grad():
        for i, (images, targets, input_lengths, target_lengths) in enumerate(data_loader):
            if i >= max_iter:
                break
            preds = net(images)
            loss_sum += criterion(preds, targets, input_lengths, target_lengths).item()
            _, best = preds.max(2)
            best = best.transpose(1, 0).contiguous()
            for row, target, length in zip(best.cpu().numpy(), targets, target_lengths):
                truth = converter.decode(target[: int(length)].tolist())
                distance += edit_distance(converter.decode(row.tolist()), truth)
                n += 1
    for p in net.parameters():
        p.requires_grad = True
    net.train()
    return loss_sum / max_iter, distance / n


def train(model, steps=20):
    train_loader = DataLoader(Lines(20), batch_size=4, shuffle=False, collate_fn=collate_lines)
    test_dataset = Lines(6, seed=2)
    criterion = nn.CTCLoss(blank=BLANK, reduction="mean", zero_infinity=True)
    optimizer = Adamax(model.parameters(), lr=0.02, betas=(0.9, 0.999))
    scheduler = CosineAnnealingWarmRestarts(optimizer, T_0=10, T_mult=1, eta_min=1e-3)
    if torch.cuda.is_available():
        model = model.cuda()
        criterion = criterion.cuda()

    history = []
    model.train()
    for epoch in range(steps // len(train_loader)):
        train_iter = iter(train_loader)
        i = 0
        while i < len(train_loader):
            images, targets, input_lengths, target_lengths = next(train_iter)
            preds = model(images)
            cost = criterion(preds, targets, input_lengths, target_lengths)
            model.zero_grad()
            cost.backward()
            optimizer.step()
            scheduler.step(epoch + i / len(train_loader))
            history.append(cost.item())
            i += 1
        loss, distance = val(model, test_dataset, criterion)
        print("[%d] train %f, test %f, edit distance %.2f" % (epoch, history[-1], loss, distance))
    return history


if __name__ == "__main__":
    torch.manual_seed(0)
    train(build_model())
