"""Recurrent layers."""

from sporax._src.nn.recurrent import GRU, LSTM, RNN

__all__ = ["GRU", "LSTM", "RNN"]
