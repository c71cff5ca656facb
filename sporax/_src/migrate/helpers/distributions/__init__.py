"""What `torch.distributions` has: distributions, their transforms and constraints."""
