"""Primitives that stand ready-made, under the names of MindSpore's function modules."""

from sporax._src.api.ops import PUBLIC

arg_max_with_value_ = PUBLIC["ArgMaxWithValue"]()
arg_min_with_value_ = PUBLIC["ArgMinWithValue"]()
tracev2_grad_op = PUBLIC["TraceV2Grad"]()
addcmul_ext_op = PUBLIC["AddcmulExt"]()
dropout_ext_op = PUBLIC["DropoutExt"]()
add_ext = PUBLIC["AddExt"]()
sub_ext = PUBLIC["SubExt"]()
