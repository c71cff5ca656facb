"""What a captured graph is: its stages, its text, its layout of images, its checks, why it was made again, where it came from."""
