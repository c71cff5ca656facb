"""Embedding tables."""

from sporax._src.nn.embedding import Embedding, EmbeddingExt, EmbeddingLookup, MultiFieldEmbeddingLookup

__all__ = ["Embedding", "EmbeddingExt", "EmbeddingLookup", "MultiFieldEmbeddingLookup"]
