"""The classes of `torch.distributions`: distributions, transforms and constraints."""
