"""What runs a program: gradients, optimizers, schedules, data, files and devices."""
