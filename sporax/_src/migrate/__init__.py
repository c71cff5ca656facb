"""From PyTorch to here: each folder is one tool. Nothing here imports torch unless it is given something of torch's."""
