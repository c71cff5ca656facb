"""Where objects do not hold what MindSpore's objects hold, and why; "*" stands for any characters."""

MISSING: dict[str, str] = {
    "constants and operators of a formula by series and fractions; the functions are operators of their own here":
        "nn.DiGamma.* nn.IGamma.* nn.LBeta.* nn.LGamma.*",
    "operators of Ascend, or of MindSpore's own use, that no namespace has":
        "nn.MatDet.det_triangle nn.MatInverse.choleskytrsm nn.MatInverse.matmul nn.MatrixDiag.matrix_diag "
        "nn.MatrixDiagPart.matrix_diag_part nn.MatrixSetDiag.matrix_set_diag",
    "private Cells that run one layer in one direction; the layers are one operator here":
        "nn.GRU.rnn nn.LSTM.rnn nn.RNN.rnn",
    "how MindSpore counts its draws":
        "nn.DropoutExt.generator_step",
    "the first values, which the Parameter holds":
        "nn.Embedding.init_tensor",
    "a check inside `construct`, which says here which argument is wrong":
        "nn.Flatten.check_axis_valid",
    "how MindSpore makes a group of processes; `process_groups` says which processes are meant":
        "nn.SyncBatchNorm.group_name nn.SyncBatchNorm.is_global nn.SyncBatchNorm.rank_*",
}  # fmt: skip

DIFFERENT: dict[str, str] = {
    "None and () both stand for all axes":
        "nn.ClipByNorm.clip_by_norm",
}  # fmt: skip
