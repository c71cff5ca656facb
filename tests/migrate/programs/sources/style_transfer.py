"""Style transfer: an image is optimised so that a frozen network's features match; hooks, Gram matrices, a closure."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

IMSIZE = 12
CONTENT_LAYERS = ["conv_3"]
STYLE_LAYERS = ["conv_1", "conv_2", "conv_3"]


class Normalization(nn.Module):
    """(img - mean) / std, to put in front of the features."""

    def __init__(self, mean, std):
        super(Normalization, self).__init__()
        # .view the mean and std to make them [C x 1 x 1] so that they can
        # directly work with image Tensor of shape [B x C x H x W].
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1))

    def forward(self, img):
        return (img - self.mean) / self.std


def make_features():
    """What stands for the first layers of VGG: frozen, average pooling."""
    features = nn.Sequential()
    features.add_module("norm", Normalization([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    channels = [3, 8, 8, 12]
    for i in range(1, 4):
        features.add_module(f"conv_{i}", nn.Conv2d(channels[i - 1], channels[i], kernel_size=3, padding="same"))
        features.add_module(f"relu_{i}", nn.ReLU(inplace=False))
        if i < 3:
            features.add_module(f"pool_{i}", nn.AvgPool2d(kernel_size=2, stride=2, ceil_mode=True))
    for layer in features:
        if isinstance(layer, nn.Conv2d):
            nn.init.orthogonal_(layer.weight)
            nn.init.zeros_(layer.bias)
    for param in features.parameters():
        param.requires_grad_(False)
    return features.eval()


def gram_matrix(input):
    a, b, c, d = input.size()  # a=batch size(=1), b=number of feature maps
    features = input.view(a * b, c * d)  # resize F_XL into \hat F_XL
    G = torch.mm(features, features.t())  # compute the gram product
    # we 'normalize' the values of the gram matrix by dividing by the number of elements in each feature map.
    return G.div(a * b * c * d)


class FeatureExtractor:
    """Remembers what named layers return, by forward hooks."""

    def __init__(self, features, names):
        self.features = features
        self.outputs = {}
        self.handles = []
        for name, layer in features.named_children():
            if name in names:
                self.handles.append(layer.register_forward_hook(self.save_as(name)))

    def save_as(self, name):
        def hook(module, input, output):
            self.outputs[name] = output

        return hook

    def __call__(self, image):
        self.outputs = {}
        self.features(image)
        return dict(self.outputs)

    def remove(self):
        for handle in self.handles:
            handle.remove()
        self.handles.clear()


class StyleTransfer(nn.Module):
    """The image as a parameter, and the network that judges it."""

    def __init__(self):
        super().__init__()
        self.features = make_features()
        self.image = nn.Parameter(torch.rand(1, 3, IMSIZE, IMSIZE))

    def forward(self):
        return self.features(self.image)


def total_variation(image):
    across = (image[:, :, :, 1:] - image[:, :, :, :-1]).abs().mean()
    down = (image[:, :, 1:, :] - image[:, :, :-1, :]).abs().mean()
    return across + down


def make_images(seed=0):
    """A disc as content, stripes as style, both from 0 to 1."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:IMSIZE, :IMSIZE]
    disc = ((rows - IMSIZE / 2) ** 2 + (columns - IMSIZE / 2) ** 2 < 16).astype(np.float32)
    stripes = 0.5 + 0.5 * np.sin(rows + 0.5 * columns)
    content = np.stack([disc, 0.5 * disc, 1 - disc]) + rng.uniform(0, 0.1, (3, IMSIZE, IMSIZE))
    style = np.stack([stripes, stripes**2, 1 - stripes])
    to_tensor = lambda x: torch.tensor(x[None], dtype=torch.float).clamp_(0, 1)
    return to_tensor(content), to_tensor(style)


def compute_losses(extractor, image, content_targets, style_grams):
    outputs = extractor(image)
    style_score = 0
    content_score = 0
    for name, target in content_targets.items():
        content_score += F.mse_loss(outputs[name], target)
    for name, target in style_grams.items():
        style_score += F.mse_loss(gram_matrix(outputs[name]), target)
    return content_score, style_score


def make_targets(extractor, content, style):
    with torch.no_grad():
        content_features = extractor(content)
        style_features = extractor(style)
    content_targets = {name: content_features[name].detach() for name in CONTENT_LAYERS}
    style_grams = {name: gram_matrix(style_features[name]).detach() for name in STYLE_LAYERS}
    return content_targets, style_grams


def build_model():
    return StyleTransfer()


def example_inputs():
    return make_images(seed=1)


def predict(model, inputs):
    content, style = inputs
    return model.features(content), gram_matrix(model.features(style)), model()


def forward_loss(model, inputs):
    extractor = FeatureExtractor(model.features, set(CONTENT_LAYERS + STYLE_LAYERS))
    targets = make_targets(extractor, *inputs)
    content_score, style_score = compute_losses(extractor, model.image, *targets)
    extractor.remove()
    return content_score + 100 * style_score + 0.1 * total_variation(model.image)


def get_input_optimizer(model):
    # this line to show that input is a parameter that requires a gradient
    optimizer = optim.NAdam([model.image.requires_grad_()], lr=0.05)
    return optimizer


def train(model, steps=20, style_weight=100, content_weight=1, tv_weight=0.1):
    """Run the style transfer."""
    content_img, style_img = make_images()
    extractor = FeatureExtractor(model.features, set(CONTENT_LAYERS + STYLE_LAYERS))
    content_targets, style_grams = make_targets(extractor, content_img, style_img)
    model.image.data.copy_(content_img)
    optimizer = get_input_optimizer(model)

    losses = []
    run = [0]
    print("Optimizing..")
    while run[0] < steps:

        def closure():
            # correct the values of updated input image
            with torch.no_grad():
                model.image.clamp_(0, 1)

            optimizer.zero_grad()
            content_score, style_score = compute_losses(extractor, model.image, content_targets, style_grams)
            style_score *= style_weight
            content_score *= content_weight

            loss = style_score + content_score + tv_weight * total_variation(model.image)
            loss.backward()

            run[0] += 1
            if run[0] % 10 == 0:
                print("run {}:".format(run))
                print("Style Loss : {:4f} Content Loss: {:4f}".format(style_score.item(), content_score.item()))
            return loss

        loss = optimizer.step(closure)
        losses.append(loss.item())

    # a last correction...
    with torch.no_grad():
        model.image.clamp_(0, 1)
    extractor.remove()
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    transfer = build_model()
    train(transfer)
    print("mean colour:", transfer.image.detach().mean(dim=(0, 2, 3)).tolist())
