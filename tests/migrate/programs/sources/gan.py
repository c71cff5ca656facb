"""A DCGAN of rings: two optimizers, detached fakes, two backward passes before a step, a penalty on the gradient."""

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

nz = 8  # size of the latent vector
ngf = 8  # feature maps of the generator
ndf = 8  # feature maps of the discriminator
nc = 1  # channels of an image
batch_size = 6
lr = 2e-3
beta1 = 0.5
r1_gamma = 0.2

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


# custom weights initialization called on netG and netD
def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.1)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.main = nn.Sequential(
            # input is Z, going into a convolution
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            # state size. (ngf*2) x 4 x 4
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            # state size. (ngf) x 8 x 8
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
            # state size. (nc) x 16 x 16
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.main = nn.Sequential(
            # input is (nc) x 16 x 16
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            # state size. (ndf) x 8 x 8
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            # state size. (ndf*2) x 4 x 4
            nn.Conv2d(ndf * 2, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, input):
        return self.main(input).view(-1)


def rings(rng, n, size=16):
    """Rings of random radius, from -1 to 1."""
    axis = np.linspace(-1, 1, size, dtype=np.float32)
    distance = np.sqrt(axis[:, None] ** 2 + axis[None, :] ** 2)
    radii = rng.uniform(0.3, 0.9, (n, 1, 1)).astype(np.float32)
    images = np.exp(-(((distance - radii) / 0.15) ** 2)) * 2 - 1
    return torch.from_numpy(images[:, None])


def latent(rng, n):
    return torch.from_numpy(rng.standard_normal((n, nz, 1, 1)).astype(np.float32))


def build_model():
    netG = Generator().to(device)
    netD = Discriminator().to(device)
    netG.apply(weights_init)
    netD.apply(weights_init)
    return netG, netD


def example_inputs():
    rng = np.random.default_rng(1)
    return latent(rng, 4), rings(rng, 4)


def predict(model, inputs):
    netG, netD = model
    noise, real = inputs
    fake = netG(noise)
    return fake, netD(fake), netD(real)


def forward_loss(model, inputs):
    netG, netD = model
    noise, real = inputs
    criterion = nn.BCELoss()
    on_real, on_fake = netD(real), netD(netG(noise))
    return criterion(on_real, torch.ones_like(on_real)) + criterion(on_fake, torch.zeros_like(on_fake))


def gradient_penalty(netD, real):
    """Half the squared norm of the discriminator's gradient at real images, times r1_gamma."""
    real = real.detach().requires_grad_(True)
    output = netD(real)
    (grad_real,) = torch.autograd.grad(outputs=output.sum(), inputs=real, create_graph=True)
    return 0.5 * r1_gamma * grad_real.pow(2).reshape(grad_real.size(0), -1).sum(1).mean()


def train(model, steps=20):
    netG, netD = model
    rng = np.random.default_rng(0)
    criterion = nn.BCELoss()

    # Establish convention for real and fake labels during training
    real_label = 1.0
    fake_label = 0.0

    # Setup Adam optimizers for both G and D
    optimizerD = optim.Adam(netD.parameters(), lr=lr, betas=(beta1, 0.999))
    optimizerG = optim.Adam(netG.parameters(), lr=lr, betas=(beta1, 0.999))

    losses = []
    G_losses = []
    D_losses = []
    netG.train()
    netD.train()
    for i in range(steps):
        ############################
        # (1) Update D network: maximize log(D(x)) + log(1 - D(G(z)))
        ###########################
        ## Train with all-real batch
        netD.zero_grad()
        real = rings(rng, batch_size).to(device)
        label = torch.full((batch_size,), real_label, dtype=torch.float, device=device)
        output = netD(real)
        errD_real = criterion(output, label) + gradient_penalty(netD, real)
        errD_real.backward()
        D_x = output.mean().item()

        ## Train with all-fake batch
        noise = latent(rng, batch_size).to(device)
        fake = netG(noise)
        label.fill_(fake_label)
        output = netD(fake.detach())
        errD_fake = criterion(output, label)
        errD_fake.backward()
        D_G_z1 = output.mean().item()
        errD = errD_real + errD_fake
        optimizerD.step()

        ############################
        # (2) Update G network: maximize log(D(G(z)))
        ###########################
        netG.zero_grad()
        label.fill_(real_label)  # fake labels are real for generator cost
        # Since we just updated D, perform another forward pass of all-fake batch through D
        output = netD(fake)
        errG = criterion(output, label)
        errG.backward()
        D_G_z2 = output.mean().item()
        optimizerG.step()

        if i % 5 == 0:
            print(
                "[%d/%d]\tLoss_D: %.4f\tLoss_G: %.4f\tD(x): %.4f\tD(G(z)): %.4f / %.4f"
                % (i, steps, errD.item(), errG.item(), D_x, D_G_z1, D_G_z2)
            )
        G_losses.append(errG.item())
        D_losses.append(errD.item())
        losses.append(errD.item() + errG.item())
    return losses


def sample(netG, n=2):
    netG.eval()
    with torch.no_grad():
        return netG(latent(np.random.default_rng(3), n).to(device)).detach().cpu().numpy()


if __name__ == "__main__":
    torch.manual_seed(999)
    nets = build_model()
    train(nets)
    print("a generated image lies between %.2f and %.2f" % (sample(nets[0]).min(), sample(nets[0]).max()))
