"""What neural networks are made of.

Reading order: `activation`, `normalization`, `dropout`, `linear`, `embedding`, `sequences`, `sliding_window`, `convolution`,
`convolution_transpose`, `deformable`, `unfold`, `pooling`, `adaptive_pooling`, `fractional_pooling`, `recurrent`,
`dynamic_rnn`, `rnnt`, `attention`, `inference_attention`, `paged_attention`, `sparse_attention`, `moe`, `classification_loss`,
`regression_loss`, `ctc`; `layer_kernels` and `second_moments` (for Cells only), `update_rules` (for optimizers).
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
    sparse_attention,
    unfold,
)
