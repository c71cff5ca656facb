"""What neural networks are made of.

Reading order: `activation`, `normalization`, `dropout`, `linear`, `embedding`, `sequences`, `sliding_window`, `convolution`,
`convolution_transpose`, `deformable`, `unfold`, the poolings, `recurrent`, `dynamic_rnn`, `attention`, the attentions of
inference, `moe`, the losses, and `layer_kernels`, `second_moments` for what only Cells ask for.
"""

from sporax._src.ops.nn import (  # noqa: F401  (importing a family registers its rows)
    activation,
    adaptive_pooling,
    attention,
    classification_loss,
    convolution,
    convolution_transpose,
    ctc,
    deformable,
    dropout,
    dynamic_rnn,
    embedding,
    fractional_pooling,
    inference_attention,
    layer_kernels,
    linear,
    moe,
    normalization,
    paged_attention,
    pooling,
    recurrent,
    regression_loss,
    rnnt,
    second_moments,
    sequences,
    sliding_window,
    unfold,
)
