"""What lies below `mindspore.numpy` and `mindspore.scipy`."""
