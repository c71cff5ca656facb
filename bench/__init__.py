"""Side-by-side benchmark of sporax, MindSpore, JAX written by hand and PyTorch; see README.md."""
