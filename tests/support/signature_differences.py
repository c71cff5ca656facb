"""Where public names, parameters and attributes are not those of MindSpore 2.7.0, and why; "*" stands for any characters."""

# Beside the names that docs/coverage.md lists with their reasons.
MISSING: dict[str, str] = {
    "primitives and functions of MindSpore's graph compiler, which its own passes insert":
        "ops.DtypeToEnum ops.Expand ops.GeSwitch ops.J ops.MapCacheIdx ops.Merge ops.SliceGetItem ops.array_reduce "
        "ops.array_to_scalar ops.broadcast_gradient_args ops.coo_tensor_get_dense_shape ops.coo_tensor_get_indices "
        "ops.coo_tensor_get_values ops.csr_tensor_get_dense_shape ops.csr_tensor_get_indices ops.csr_tensor_get_indptr "
        "ops.csr_tensor_get_values ops.dict_setitem ops.distribute ops.embed ops.env_get ops.environ_add "
        "ops.environ_create ops.environ_get ops.environ_set ops.geswitch ops.hastype ops.hyper_add "
        "ops.is_dynamic_sequence_element_unknown ops.is_tensor_bool_cond ops.isconstant ops.iter_converter "
        "ops.make_coo_tensor ops.make_csr_tensor ops.make_dict ops.make_map_parameter ops.make_row_tensor "
        "ops.make_row_tensor_inner ops.make_sparse_tensor ops.merge ops.ms_hasnext ops.ms_next ops.prim_arg_register "
        "ops.reduced_shape ops.ref_to_embed ops.row_tensor_add ops.row_tensor_get_dense_shape "
        "ops.row_tensor_get_indices ops.row_tensor_get_values ops.shape_mul ops.switch ops.switch_layer ops.tail "
        "ops.tensor_muls ops.tensor_slice ops.tuple_div ops.zip_operation",
    "MindSpore's private forms of functions of `mint` and methods of Tensor, which are there":
        "ops.baddbmm_ext ops.bernoulli_ ops.bernoulli_ext ops.chunk_ext ops.clamp_ ops.diff_ext ops.einsum_ext "
        "ops.erfinv_ ops.exponential_ ops.float_power_ext ops.isnan_ext ops.random_ ops.reshape_ ops.tanh_ ops.zero_",
    "Ascend's kernels, clusters and tools":
        "mindio_preload nn.VirtualDatasetCellTriple ops.AkgAscendRegOp ops.AkgGpuRegOp ops.CpuRegOp ops.DumpGradient "
        "ops.moe_distribute_combine ops.moe_distribute_dispatch ops.moe_init_routing_v2 "
        "ops.multi_scale_deformable_attn_function ops.ring_attention_update "
        "set_mindio_server_info",
    "a decorator by which MindSpore's own operations tell its pipeline what they are; `transforms` has one for programs":
        "dataset.vision.not_random",
    "rewriting of a network's source, and MindIR":
        "ScopedValue export_split_mindir train.export_split_mindir",
}  # fmt: skip

SIGNATURES: dict[str, str] = {
    "one `__call__` for all operations, which takes any number of columns":
        "dataset.text.PythonTokenizer.__call__ dataset.transforms.RandomOrder.__call__ dataset.vision.Decode.__call__ "
        "dataset.vision.FiveCrop.__call__ dataset.vision.Grayscale.__call__ dataset.vision.HsvToRgb.__call__ "
        "dataset.vision.LinearTransformation.__call__ dataset.vision.MixUp.__call__ "
        "dataset.vision.RandomCropDecodeResize.__call__ dataset.vision.RandomErasing.__call__ "
        "dataset.vision.RandomGrayscale.__call__ dataset.vision.RandomPerspective.__call__ "
        "dataset.vision.RgbToHsv.__call__ dataset.vision.TenCrop.__call__ dataset.vision.ToNumpy.__call__ "
        "dataset.vision.ToPIL.__call__",
    "there the Tensor is the first of *args":
        "mint.randint_like",
    "its documents say that x and y must be given, or neither; `nonzero` is the form without them":
        "numpy.where",
    "a list as default, which means what the empty tuple means":
        "ops.ReduceStd.__init__",
    "None means all axes, as () does":
        "ops.reduce_mean",
    "as in MindSpore 2.10":
        "mint.nn.Dropout2d.construct",
}  # fmt: skip

# What newer releases have, beside the tables of 2.7.
NEWER_SIGNATURES: dict[str, str] = {
    "there the first arguments are those of Cell; here the layers take none":
        "mint.nn.Mish.__init__ mint.nn.SELU.__init__",
    'None means "ij"':
        "mint.meshgrid",
}  # fmt: skip

NEWER_MEMBERS: dict[str, str] = {
    "MindSpore's own mark of contexts":
        "*StreamCtx.ctx_attr *StreamLimitCtx.ctx_attr",
}  # fmt: skip

MEMBERS: dict[str, str] = {
    "MindSpore's pipeline in C++ is built by them":
        "dataset.*.parse dataset.*.parse_* dataset.*Dataset.create_ir_tree dataset.*Dataset.post_parse "
        "dataset.*Dataset.pre_parse dataset.*Dataset.pre_process dataset.*Dataset.iterator_bootstrap "
        "dataset.*Dataset.prepare_multiprocessing dataset.*Dataset.get_sync_notifiers "
        "dataset.*Dataset.copy_batch_size dataset.transforms.Compose.* "
        "dataset.DSCallback.create_runtime_obj",
    "pipelines and their operations as JSON; `Dataset.to_json` writes what a pipeline is":
        "dataset.*.from_json dataset.*.to_json",
    "queues and operations of Ascend devices":
        "dataset.*Dataset.device_que *Helper.get_* *mstx.* *Profiler.* *Stream.* "
        "communication.GlobalComm.* profiler.schedule.to_dict",
    "slots of MindSpore's Tensors in C++: slices of caches, servers of parameters, files of offloaded memory":
        "Parameter.asnumpy_of_slice_persistent_data Parameter.assign_value_cpp "
        "Parameter.const_arg Parameter.getitem_index_info Parameter.index_of_parent_ Parameter.init_finished "
        "Parameter.init_flag Parameter.is_persistent_data Parameter.offload_file_path "
        "Parameter.parallel_optimizer_comm_recompute Parameter.parent_tensor_ Parameter.persistent_data_from_numpy "
        "Parameter.remove_hook Parameter.set_cast_dtype Parameter.set_device_address Parameter.set_init_flag "
        "Parameter.set_param_fl Parameter.set_param_info Parameter.setitem_index_info "
        "Parameter.slice_num_of_persistent_data_ Parameter.slice_shape_of_persistent_data_ "
        "Parameter.symbolic_shape Tensor.asnumpy_of_slice_persistent_data Tensor.assign_value_cpp Tensor.const_arg "
        "Tensor.delta_seed Tensor.getitem_index_info Tensor.index_of_parent_ Tensor.init_finished Tensor.init_flag "
        "Tensor.is_persistent_data Tensor.offload_file_path Tensor.parent_tensor_ Tensor.persistent_data_from_numpy "
        "Tensor.remove_hook Tensor.set_cast_dtype Tensor.set_device_address Tensor.set_init_flag Tensor.set_param_info "
        "Tensor.setitem_index_info Tensor.slice_num_of_persistent_data Tensor.slice_num_of_persistent_data_ "
        "Tensor.slice_shape_of_persistent_data Tensor.slice_shape_of_persistent_data_ "
        "Tensor.symbolic_shape",
    "attributes of objects, which are there once one is made; here they are no properties of the class":
        "CheckpointConfig.append_dict CheckpointConfig.async_save CheckpointConfig.crc_check CheckpointConfig.enc_key "
        "CheckpointConfig.enc_mode CheckpointConfig.format CheckpointConfig.integrated_save "
        "CheckpointConfig.keep_checkpoint_max CheckpointConfig.keep_checkpoint_per_n_minutes "
        "CheckpointConfig.save_checkpoint_seconds CheckpointConfig.save_checkpoint_steps CheckpointConfig.saved_network "
        "train.CheckpointConfig.append_dict train.CheckpointConfig.async_save train.CheckpointConfig.crc_check "
        "train.CheckpointConfig.enc_key train.CheckpointConfig.enc_mode train.CheckpointConfig.format "
        "train.CheckpointConfig.integrated_save train.CheckpointConfig.keep_checkpoint_max "
        "train.CheckpointConfig.keep_checkpoint_per_n_minutes train.CheckpointConfig.save_checkpoint_seconds "
        "train.CheckpointConfig.save_checkpoint_steps train.CheckpointConfig.saved_network",
    "hooks of MindSpore's graph compiler: inference of shapes, signatures, files of compiled operators":
        "ops.ApproximateEqual.do_infer_dtype ops.BitwiseAnd.do_infer_dtype ops.BitwiseOr.do_infer_dtype "
        "ops.BitwiseXor.do_infer_dtype ops.Custom.attr_dict ops.Custom.compiled_bin ops.Custom.custom_aot_warning "
        "ops.Custom.get_bprop ops.Custom.op_path_in_cache ops.Custom.registered_func ops.Custom.tbe_path_checked "
        "ops.Custom.tbe_path_failed ops.Depend.side_effect_propagate ops.DiagPart.infer_value ops.Fill.infer_value "
        "ops.FillV2.infer_value ops.GradOperation.set_signatures ops.HyperMap.set_signatures ops.Map.set_signatures "
        "ops.Mod.do_infer_dtype ops.MulNoNan.do_infer_dtype ops.MultitypeFuncGraph.register_default_fn "
        "ops.MultitypeFuncGraph.register_fn ops.MultitypeFuncGraph.set_doc_url_ ops.MultitypeFuncGraph.set_need_raise "
        "ops.MultitypeFuncGraph.set_need_raise_ ops.MultitypeFuncGraph.set_signatures ops.Partial.side_effect_propagate "
        "ops.Primitive.check_elim ops.Primitive.set_const_input_indexes "
        "ops.Primitive.set_const_prim ops.Primitive.set_hook_fn ops.Primitive.set_inplace_prim "
        "ops.Primitive.set_instance_name ops.Primitive.set_prim_type ops.Primitive.set_signatures "
        "ops.Primitive.update_parameter ops.PrimitiveWithCheck.check_dtype "
        "ops.PrimitiveWithCheck.check_shape ops.PrimitiveWithInfer.infer_dtype ops.PrimitiveWithInfer.infer_shape "
        "ops.PrimitiveWithInfer.infer_value ops.Sub.do_infer_dtype ops.TensorAdd.do_infer_dtype "
        "ops.TensorToTuple.infer_value ops.Xdivy.infer_dtype ops.Xdivy.infer_shape ops.Xdivy.infer_value",
    "a choice of MindSpore's implementation of each update":
        "experimental.optim.*.implementation",
    "what MindSpore's own code calls":
        "CheckpointConfig.map_param_inc Int.to_complex Int.to_real SummaryRecord.count Symbol.to_dict "
        "TensorType.element_type common.initializer.Initializer.seed "
        "nn.AdaFactor.init_ada_factor_state nn.Flatten.check_axis_valid "
        "nn.InstanceNorm1d.check_types_valid nn.InstanceNorm2d.check_types_valid nn.InstanceNorm3d.check_types_valid "
        "nn.probability.bijector.Bijector.shape_mapping "
        "train.CheckpointConfig.map_param_inc train.SummaryRecord.count",
    "bookkeeping of MindSpore's compiler and of its state dicts":
        "nn.Cell.IGNORE_LIST nn.Cell.T_destination nn.Cell.cell_init_args nn.Cell.create_time "
        "nn.Cell.enable_backward_hook nn.Cell.exist_names nn.Cell.exist_objs "
        "nn.Cell.get_func_graph_proto nn.Cell.get_mixed_precision_type nn.Cell.global_cells "
        "nn.Cell.parallel_parameter_merge_net_dict nn.Cell.parallel_parameter_name_list nn.Cell.pipeline_segment "
        "nn.Cell.set_mixed_precision_type "
        "nn.Cell.total_instance_count",
}  # fmt: skip

# Of objects, beside what is missing on their classes.
OBJECTS: dict[str, str] = {
    "how MindSpore keeps hooks, scopes, caches of graphs and slots of its C++ objects; what programs use of it is there":
        "_add_attr _add_init_args _add_mixed_precision_flag _backward_hook _backward_pre_hook _base_type "
        "_bprop_debug _call_custom_bprop _call_post_process _call_pre_process _cast_type _cell_backward_hook "
        "_cell_backward_pre_hook _cell_tag _check_construct_args _check_group_params _check_parameter_consistency "
        "_check_shard_strategy _check_shard_strategy_in_out_match _children_scope_recursive "
        "_clone _compile_cache _complex_call _construct_sig _convert_scalar_ _create_time _data_ptr "
        "_del_attr _dtensor_info _dtype _dynamic_shape_inputs _exist_names _exist_objs _extract_layout_value "
        "_fill_signature _flatten_tensors _flush_from_cache _forward_hook _forward_hook_with_kwargs _forward_pre_hook "
        "_forward_pre_hook_with_kwargs _from_tensor _func_graph_flags _get_base_class "
        "_get_cell_parallel_mode _get_compile_args _get_flattened_params "
        "_get_flattened_tensors _get_fusion_size _get_init_data_args _get_name _get_parameter_group_id "
        "_get_parameter_new_args _get_prims_recursively _get_user_data _getitem _getitem_origin _grad _grad_fn "
        "_has_auto_grad _has_config_recompute _has_mutable_args_list _id _in_strategy _init_check _init_flag "
        "_inited_param _insert _is_check_and_refresh _is_flattened _is_recursion_hook _is_test_stub _item _itemsize "
        "_jit_backward_hook _jit_backward_pre_hook _jit_config_dict _jit_forward_hook _jit_forward_pre_hook "
        "_jit_graph_name _lazy_backward_hook _lazy_backward_pre_hook _lazy_construct_sig _lazy_forward_hook "
        "_lazy_forward_hook_with_kwargs _lazy_forward_pre_hook _lazy_forward_pre_hook_with_kwargs "
        "_lazy_load_state_dict_post_hooks _lazy_load_state_dict_pre_hooks _lazy_non_persistent_buffers_set "
        "_lazy_state_dict_hooks _lazy_state_dict_pre_hooks _lazy_user_parameters _load "
        "_load_state_dict_post_hooks _load_state_dict_pre_hooks _mp_comm_recompute _nbytes "
        "_need_contiguous _no_auto_lazy_inline _offload _order_and_adjust_group_params "
        "_out_strategy _parallel_optimizer_comm_recompute _parallel_parameter_merge_net_dict "
        "_parallel_parameter_name_list _param_info _parameter_layout_dict _params_list _parse_group_params _phase_cache "
        "_pipeline_stage_list _predict _primitives _raise_type_error _recompute_cell _recompute_slice_activation "
        "_remove_hook _repr_ignore_list _requires_grad _retain_grad _run_construct _run_forward_hook "
        "_run_forward_pre_hook _save_to_state_dict _self_check _set_attr_for_cell _set_attr_for_object "
        "_set_attr_for_param_or_param_tuple _set_attr_for_parameter_in_list_or_tuple _set_attr_for_params "
        "_set_data_check_input_valid _set_jit_graph_name _set_prim_arg _set_prim_arg_with_handler _set_recompute_scope "
        "_set_scope _set_user_data _setitem _setitem_origin _shape _shard_fn _size _sliced _state_dict_hooks "
        "_state_dict_pre_hooks _strides _to _tolist _unique _update_local_parameters_name _update_parameter "
        "_update_tensor_data _use_parallel_optimizer _user_parameters",
    "the same, under public names":
        "IGNORE_LIST T_destination arguments_key asnumpy_of_slice_persistent_data assign_value_cpp "
        "cell_init_args check_elim const_arg create_time delta_seed enable_backward_hook exist_names "
        "exist_objs get_func_graph_proto get_mixed_precision_type getitem_index_info "
        "global_cells grad_ops_label has_bprop index_of_parent_ init_attrs init_finished init_flag init_mode "
        "is_default_input_init is_persistent_data is_top_cell load mixed_precision_type offload_file_path "
        "parallel_optimizer_comm_recompute parallel_parameter_merge_net_dict parallel_parameter_name_list "
        "parent_tensor_ persistent_data_from_numpy pipeline_segment pull_weight_from_server push_weight_to_server "
        "remove_hook requires_aggr set_cast_dtype set_const_input_indexes set_const_prim "
        "set_device_address set_hook_fn set_init_flag set_inplace_prim set_instance_name "
        "set_mixed_precision_type set_param_fl set_param_info set_prim_type set_signatures "
        "setitem_index_info skip_auto_parallel_compile slice_num slice_num_of_persistent_data "
        "slice_num_of_persistent_data_ slice_shape_of_persistent_data slice_shape_of_persistent_data_ "
        "symbolic_shape total_instance_count update_parameter",
}  # fmt: skip
