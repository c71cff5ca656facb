"""Import paths: `train`."""

TABLE = """
train._utils            = sporax._src.compat.shims.checkparam: check_value_type; sporax._src.checkpoint.sharded.redundancy:
    get_parameter_redundancy parse_strategy_ckpt remove_param_redundancy; sporax._src.compat.shims.train.utils:
    _make_directory
train.amp               = sporax.amp: auto_mixed_precision build_train_network custom_mixed_precision get_black_list
    get_white_list; sporax._src.train.amp: BLACK as AMP_BLACK_LIST OutputTo16 as _OutputTo16 OutputTo32 as _OutputTo32;
    sporax._src.compat.shims.train.amp: AMP_AUTO_BLACK_LIST AMP_AUTO_WHITE_LIST AMP_PRIM_ARG_TABLE AMP_WHITE_LIST
    _add_loss_network _auto_black_list _config_level
    _do_keep_batchnorm_fp32
train.callback          = sporax.train: BackupAndRestore Callback CallbackList CallbackList as _CallbackManager
    CallbackList as _ListCallback CheckpointConfig EarlyStopping FlopsUtilizationCollector History InternalCallbackParam
    InternalCallbackParam as _InternalCallbackParam LambdaCallback LearningRateScheduler LossMonitor ModelCheckpoint
    OnRequestExit ReduceLROnPlateau RunContext SummaryCollector SummaryLandscape TimeMonitor
train.callback._callback = sporax.train: Callback CallbackList as CallbackManager CallbackList as _CallbackManager
    InternalCallbackParam RunContext; sporax._src.train.callbacks.callback: last_loss as _handle_loss;
    sporax._src.compat.shims.train.callback.callback: set_cur_net
train.callback._callback = sporax.train: Callback RunContext                                                 @home
train.callback._checkpoint      = sporax.train: CheckpointConfig ModelCheckpoint;
    sporax._src.train.callbacks.checkpoint_manager: CheckpointManager
train.callback._checkpoint      = sporax.train: CheckpointConfig ModelCheckpoint                             @home
train.callback._backup_and_restore      = sporax.train: BackupAndRestore                                     @home
train.callback._early_stop      = sporax.train: EarlyStopping                                                @home
train.callback._flops_collector = sporax.train: FlopsUtilizationCollector                                    @home
train.callback._history = sporax.train: History                                                              @home
train.callback._lambda_callback = sporax.train: LambdaCallback                                               @home
train.callback._landscape       = sporax.train: SummaryLandscape                                             @home
train.callback._loss_monitor    = sporax.train: LossMonitor                                                  @home
train.callback._lr_scheduler_callback   = sporax.train: LearningRateScheduler                                @home
train.callback._on_request_exit = sporax.train: OnRequestExit                                                @home
train.callback._reduce_lr_on_plateau    = sporax.train: ReduceLROnPlateau                                    @home
train.callback._summary_collector       = sporax.train: SummaryCollector                                     @home
train.callback._time_monitor    = sporax.train: TimeMonitor                                                  @home
train.callback train.callback._train_fault_tolerance    = sporax._src.compat.shims.train.callback.train_fault_tolerance:
    TrainFaultTolerance
train.callback          = sporax._src.compat.shims.train.callback.callback: set_cur_net as _set_cur_net
train.data_sink         = sporax.train: data_sink
train.dataset_helper    = sporax.train: DatasetHelper connect_network_with_dataset
train.dataset_helper    = sporax.train: DatasetHelper                                                        @home
train.loss_scale_manager        = sporax: DynamicLossScaleManager FixedLossScaleManager LossScaleManager
train.loss_scale_manager = sporax.amp: DynamicLossScaleManager FixedLossScaleManager LossScaleManager        @home
{train,nn}.metrics      = sporax.nn: Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice
    EvaluationBase F1 Fbeta HausdorffDistance Loss MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity Perplexity
    Precision ROC Recall RootMeanSquareDistance Top1CategoricalAccuracy Top5CategoricalAccuracy TopKCategoricalAccuracy auc
    get_metric_fn get_metrics names rearrange_inputs
{train,nn}.metrics.metric       = sporax._src.train.metrics.metric: is_onehot as _check_onehot_data
nn.metrics.{accuracy,loss,metric}       = sporax.train.metrics
train.metrics.{accuracy,auc,bleu_score,confusion_matrix,cosine_similarity,dice,error,fbeta,hausdorff_distance,loss,
    mean_surface_distance,metric,occlusion_sensitivity,perplexity,precision,recall,roc,root_mean_square_surface_distance,
    topk} = sporax.train.metrics
train.metrics.topk      = sporax.train: Top1CategoricalAccuracy Top5CategoricalAccuracy TopKCategoricalAccuracy @home
train.metrics.root_mean_square_surface_distance = sporax.train: RootMeanSquareDistance                       @home
train.metrics.roc       = sporax.train: ROC                                                                  @home
train.metrics.recall    = sporax.train: Recall                                                               @home
train.metrics.precision = sporax.train: Precision                                                            @home
train.metrics.perplexity = sporax.train: Perplexity                                                          @home
train.metrics.occlusion_sensitivity     = sporax.train: OcclusionSensitivity                                 @home
train.metrics.metric    = sporax.train: Metric                                                               @home
train.metrics.mean_surface_distance     = sporax.train: MeanSurfaceDistance                                  @home
train.metrics.loss      = sporax.train: Loss                                                                 @home
train.metrics.hausdorff_distance = sporax.train: HausdorffDistance                                           @home
train.metrics.fbeta     = sporax.train: F1 Fbeta                                                             @home
train.metrics.error     = sporax.train: MAE MSE                                                              @home
train.metrics.dice      = sporax.train: Dice                                                                 @home
train.metrics.cosine_similarity = sporax.train: CosineSimilarity                                             @home
train.metrics.confusion_matrix  = sporax.train: ConfusionMatrix ConfusionMatrixMetric                        @home
train.metrics.bleu_score = sporax.train: BleuScore                                                           @home
train.metrics.accuracy  = sporax.train: Accuracy                                                             @home
train.model             = sporax: Model ParallelMode Tensor context load_checkpoint load_param_into_net nn save_checkpoint;
    sporax.train: Callback CallbackList as _CallbackManager DatasetHelper InternalCallbackParam as _InternalCallbackParam
    Loss ModelCheckpoint RunContext TimeMonitor amp connect_network_with_dataset; sporax.train.metrics: get_metric_fn
    get_metrics; sporax: _checkparam as Validator; sporax._src.compat.shims.parallel.utils: _device_number_check
    _get_device_num _get_parallel_mode _get_parameter_broadcast; sporax._src.compat.shims.parallel.ps_context:
    _is_role_pserver _is_role_sched; sporax._src.compat.shims.common.api: _pynative_executor;
    sporax._src.compat.shims.train.callback.train_fault_tolerance: TrainFaultTolerance;
    sporax._src.compat.shims.train.model: _StepSync _transfer_tensor_to_tuple;
    sporax._src.compat.shims.dataset.engine.datasets: _set_training_dataset
train.model             = sporax.train: Model                                                                @home
train.node_strategy_pb2 = sporax._src.sharding.parameter_proto: DevMatrix IndicesOffset ParallelGroupItem ParallelGroupMap
    ParallelGroupRanks ParallelLayoutItem ParallelLayouts ParallelStrategy ParallelStrategyItem ParallelStrategyMap
    ParallelStrategys ParamSplitShape TensorMap
train.serialization     = sporax: Tensor async_ckpt_thread_status check_checkpoint ckpt_to_safetensors export load
    load_checkpoint load_checkpoint_async load_distributed_checkpoint load_mindir load_param_into_net safetensors_to_ckpt
    save_checkpoint save_mindir; sporax.train: build_searched_strategy get_ckpt_path_with_strategy merge_sliced_parameter
    restore_group_info_list; sporax._src.checkpoint.background: finish as _wait_async_process_save_ckpt finish as
    _wait_async_thread_save_ckpt; sporax._src.compat.shims.train.serialization: _exec_save _convert_save_obj_to_param_list
    _get_merged_param_data _load_dismatch_prefix_params _update_param tensor_to_ms_type tensor_to_np_type
train.train_thor train.train_thor.convert_utils = sporax.train: ConvertModelUtils ConvertNetUtils
train.train_thor.convert_utils  = sporax.train: ConvertModelUtils ConvertNetUtils                            @home
train.train_thor.dataset_helper = sporax.train: DatasetHelper
train.train_thor.model_thor     = sporax._src.train.thor: ModelThor
train.summary train.summary.summary_record      = sporax: SummaryRecord
train.summary.summary_record    = sporax._src.compat.shims.train.summary.summary_record: _get_summary_tensor_data
train.summary.summary_record    = sporax.train: SummaryRecord                                                @home
"""
