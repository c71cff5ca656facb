"""Checks of arguments, as `mindspore._checkparam` and the validators of `mindspore.dataset` have them."""
