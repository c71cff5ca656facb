"""Where objects do not hold what MindSpore's objects hold, and why; "*" stands for any characters."""

MISSING: dict[str, str] = {
    "constants and operators of a formula by series and fractions; the functions are operators of their own here":
        "nn.DiGamma.* nn.IGamma.* nn.LBeta.* nn.LGamma.*",
    "operators of Ascend, or of MindSpore's own use, that no namespace has":
        "nn.MatDet.det_triangle nn.MatInverse.choleskytrsm nn.MatInverse.matmul nn.MatrixDiag.matrix_diag "
        "nn.MatrixDiagPart.matrix_diag_part nn.MatrixSetDiag.matrix_set_diag",
    "private Cells that run one layer in one direction; the layers are one operator here":
        "nn.GRU.rnn nn.LSTM.rnn nn.RNN.rnn",
    "what a graph of derivatives is made of there; here the transforms of JAX give them":
        "nn.Jvp.* nn.Vjp.*",
    "how MindSpore counts its draws":
        "mint.nn.Dropout.generator_step nn.DropoutExt.generator_step",
    "operators and functions of MindSpore's own use; the functions of mint.nn.functional do what they do":
        "mint.nn.BCELoss.bce_loss mint.nn.Conv?d.conv?d mint.nn.MSELoss.mse_loss mint.nn.SmoothL1Loss.smooth_l1_loss "
        "mint.nn.SyncBatchNorm.sync_batch_norm",
    "the first values, which the Parameter holds":
        "nn.Embedding.init_tensor",
    "a check inside `construct`, which says here which argument is wrong":
        "nn.Flatten.check_axis_valid",
    "how MindSpore makes a group of processes; `process_groups` says which processes are meant":
        "mint.nn.SyncBatchNorm.world_size nn.SyncBatchNorm.group_name nn.SyncBatchNorm.is_global nn.SyncBatchNorm.rank_*",
    "arguments that decorators keep, for weights that are sharded or loaded anew":
        "nn.*.init_args nn.*.init_learning_rate nn.*.init_params nn.*.skip_auto_parallel_compile",
    "optimizers whose updates are spread over processes by an operator for each Parameter":
        "nn.*.dense_adam_opts nn.*.dense_lazyadam_opts nn.*.distributed_opts nn.*.distributed_sparse_opts "
        "nn.*.sparse_adam_opts nn.*.sparse_lazyadam_opts nn.*.use_dense_opt_flags nn.*.use_dist_optimizer "
        "nn.*.use_distributed_opt_flags nn.*.use_distributed_sparse_opt_flags nn.*.use_sparse_opt_flags",
    "makes the Parameters of the state, which a private method of the base does here":
        "nn.AdaFactor.init_ada_factor_state",
    "its base is there made for one Parameter that stands for nothing; the learning rate is the other optimizer's":
        "nn.LARS.cache_enable nn.LARS.fake_param nn.LARS.optim_filter nn.LARS.origin_learning_rate nn.LARS.ps_parameters",
    "what batches left, under private names":
        "train.CosineSimilarity.sqr_mtx_res train.HausdorffDistance.y_edges train.HausdorffDistance.y_pred_edges "
        "train.ROC.sample_weights train.ROC.y train.ROC.y_pred",
    "a private metric that counts for this one":
        "train.ConfusionMatrixMetric.confusion_matrix",
}  # fmt: skip

DIFFERENT: dict[str, str] = {
    "None stands for all processes":
        "mint.nn.SyncBatchNorm.process_group",
    "0.0 and 0 are one value":
        "mint.nn.ZeroPad?d.value",
    "None and () both stand for all axes":
        "nn.ClipByNorm.clip_by_norm",
    "private Cells of learning rates, by other names":
        "nn.Adam.learning_rate nn.AdamWeightDecay.learning_rate nn.Momentum.group_lr nn.Momentum.learning_rate "
        "nn.SGD.learning_rate",
    "its base is there made for one Parameter that stands for nothing":
        "nn.LARS.exec_weight_decay nn.LARS.param_length",
}  # fmt: skip
