"""PyCUDA's array interface as a table: every name with its signature.

Each line is a function, method or class as PyCUDA 2026.1 declares it.  Ours
may take more, but must take these by the same names, in the same places and
with the same defaults.  A name without parentheses is an attribute.
"""

# SPDX-License-Identifier: MIT
# ruff: noqa: E501

MODULES = {
    "pycuda.gpuarray": """
    GPUArray(shape, dtype, allocator=drv.mem_alloc, base=None, gpudata=None, strides=None, order="C")
    to_gpu(ary, allocator=drv.mem_alloc)
    to_gpu_async(ary, allocator=drv.mem_alloc, stream=None)
    zeros(shape, dtype=np.float64, allocator=drv.mem_alloc, order="C")
    ones(shape, dtype=np.float64, allocator=drv.mem_alloc, order="C")
    empty_like(other_ary, dtype=None, order="K")
    zeros_like(other_ary, dtype=None, order="K")
    ones_like(other_ary, dtype=None, order="K")
    arange(*args, **kwargs)
    concatenate(arrays, axis=0, allocator=None)
    stack(arrays, axis=0, allocator=None)
    reshape(a, *shape, **kwargs)
    transpose(a, axes=None)
    take(a, indices, out=None, stream=None)
    multi_take(arrays, indices, out=None, stream=None)
    multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None, src_offsets=None)
    multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None)
    if_positive(criterion, then_, else_, out=None, stream=None)
    where(criterion, then_, else_, out=None, stream=None)
    maximum(a, b, out=None, stream=None)
    minimum(a, b, out=None, stream=None)
    logical_and(x1, x2, /, out=None, *, allocator=None)
    logical_or(x1, x2, /, out=None, *, allocator=None)
    logical_not(x, /, out=None, *, allocator=drv.mem_alloc)
    sum(a, dtype=None, stream=None, allocator=None)
    any(a, stream=None, allocator=None)
    all(a, stream=None, allocator=None)
    dot(a, b, dtype=None, stream=None, allocator=None)
    max(a, stream=None)
    min(a, stream=None)
    subset_sum(subset, a, dtype=None, stream=None, allocator=None)
    subset_dot(subset, a, b, dtype=None, stream=None, allocator=None)
    subset_min(subset, a, stream=None)
    subset_max(subset, a, stream=None)
    splay(n, dev=None)
    _get_common_dtype(obj1, obj2)
    _memcpy_discontig(dst, src, async_=False, stream=None)
    _compact_strides(a)
    empty
    vec
    """,
    "pycuda.elementwise": """
    ElementwiseKernel(arguments, operation, name="kernel", keep=False, options=None, **kwargs)
    get_elwise_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop="")
    get_elwise_range_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop="")
    get_elwise_kernel_and_types(arguments, operation, name="kernel", keep=False, options=None, use_range=False, **kwargs)
    get_elwise_kernel(arguments, operation, name="kernel", keep=False, options=None, **kwargs)
    get_take_kernel(dtype, idx_dtype, vec_count=1)
    get_take_put_kernel(dtype, idx_dtype, with_offsets, vec_count=1)
    get_put_kernel(dtype, idx_dtype, vec_count=1)
    get_copy_kernel(dtype_dest, dtype_src)
    get_linear_combination_kernel(summand_descriptors, dtype_z)
    get_axpbyz_kernel(dtype_x, dtype_y, dtype_z, x_is_scalar=False, y_is_scalar=False)
    get_axpbz_kernel(dtype_x, dtype_z)
    get_binary_op_kernel(dtype_x, dtype_y, dtype_z, operator, x_is_scalar=False, y_is_scalar=False)
    get_rdivide_elwise_kernel(dtype_x, dtype_z)
    get_binary_func_kernel(func, dtype_x, dtype_y, dtype_z)
    get_binary_func_scalar_kernel(func, dtype_x, dtype_y, dtype_z)
    get_binary_minmax_kernel(func, dtype_x, dtype_y, dtype_z, use_scalar)
    get_fill_kernel(dtype)
    get_reverse_kernel(dtype)
    get_real_kernel(dtype, real_dtype)
    get_imag_kernel(dtype, real_dtype)
    get_conj_kernel(dtype, conj_dtype)
    get_arange_kernel(dtype)
    get_pow_array_kernel(dtype_x, dtype_y, dtype_z, is_base_array, is_exp_array)
    get_fmod_kernel()
    get_modf_kernel()
    get_frexp_kernel()
    get_ldexp_kernel()
    get_unary_func_kernel(func_name, in_dtype, out_dtype=None)
    get_if_positive_kernel(crit_dtype, dtype)
    get_where_kernel(crit_dtype, dtype)
    get_scalar_op_kernel(dtype_x, dtype_a, dtype_y, operator)
    get_logical_not_kernel(dtype_x, dtype_out)
    VectorArg
    ScalarArg
    dtype_to_ctype
    context_dependent_memoize
    """,
    "pycuda.reduction": """
    ReductionKernel(dtype_out, neutral, reduce_expr, map_expr=None, arguments=None, name="reduce_kernel", keep=False, options=None, preamble="")
    get_reduction_module(out_type, block_size, neutral, reduce_expr, map_expr, arguments, name="reduce_kernel", keep=False, options=None, preamble="")
    get_reduction_kernel_and_types(stage, out_type, block_size, neutral, reduce_expr, map_expr=None, arguments=None, name="reduce_kernel", keep=False, options=None, preamble="")
    get_sum_kernel(dtype_out, dtype_in)
    get_any_kernel(dtype_out, dtype_in)
    get_all_kernel(dtype_out, dtype_in)
    get_subset_sum_kernel(dtype_out, dtype_subset, dtype_in)
    get_dot_kernel(dtype_out, dtype_a, dtype_b)
    get_subset_dot_kernel(dtype_out, dtype_subset, dtype_a=None, dtype_b=None)
    get_minmax_neutral(what, dtype)
    get_minmax_kernel(what, dtype)
    get_subset_minmax_kernel(what, dtype, dtype_subset)
    """,
    "pycuda.cumath": """
    fabs(array, stream_or_out=None, *, out=None, stream=None)
    ceil(array, stream_or_out=None, *, out=None, stream=None)
    floor(array, stream_or_out=None, *, out=None, stream=None)
    exp(array, stream_or_out=None, *, out=None, stream=None)
    log(array, stream_or_out=None, *, out=None, stream=None)
    log10(array, stream_or_out=None, *, out=None, stream=None)
    sqrt(array, stream_or_out=None, *, out=None, stream=None)
    sin(array, stream_or_out=None, *, out=None, stream=None)
    cos(array, stream_or_out=None, *, out=None, stream=None)
    tan(array, stream_or_out=None, *, out=None, stream=None)
    asin(array, stream_or_out=None, *, out=None, stream=None)
    acos(array, stream_or_out=None, *, out=None, stream=None)
    atan(array, stream_or_out=None, *, out=None, stream=None)
    sinh(array, stream_or_out=None, *, out=None, stream=None)
    cosh(array, stream_or_out=None, *, out=None, stream=None)
    tanh(array, stream_or_out=None, *, out=None, stream=None)
    fmod(arg, mod, stream=None)
    frexp(arg, stream=None)
    ldexp(significand, exponent, stream=None)
    modf(arg, stream=None)
    """,
    "pycuda.scan": """
    InclusiveScanKernel(dtype, scan_expr, neutral=None, name_prefix="scan", options=None, preamble="", devices=None)
    ExclusiveScanKernel(dtype, scan_expr, neutral=None, name_prefix="scan", options=None, preamble="", devices=None)
    """,
}  # fmt: skip

CLASSES = {
    "pycuda.gpuarray.GPUArray": """
    set(self, ary, async_=False, stream=None)
    set_async(self, ary, stream=None)
    get(self, ary=None, pagelocked=False, async_=False, stream=None)
    get_async(self, stream=None, ary=None)
    copy(self)
    fill(self, value, stream=None)
    astype(self, dtype, stream=None)
    reshape(self, *shape, order="C")
    ravel(self)
    view(self, dtype=None)
    squeeze(self)
    transpose(self, axes=None)
    reverse(self, stream=None)
    conj(self, out=None)
    conjugate(self, out=None)
    any(self, stream=None, allocator=None)
    all(self, stream=None, allocator=None)
    mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None)
    bind_to_texref(self, texref, allow_offset=False)
    bind_to_texref_ext(self, texref, channels=1, allow_double_hack=False, allow_complex_hack=False, allow_offset=False)
    _new_like_me(self, dtype=None, order="C")
    _axpbyz(self, selffac, other, otherfac, out, add_timer=None, stream=None)
    _axpbz(self, selffac, other, out, stream=None)
    _elwise_multiply(self, other, out, stream=None)
    _rdiv_scalar(self, other, out, stream=None)
    _div(self, other, out, stream=None)
    _pow(self, other, new)
    __array_priority__
    __cuda_array_interface__
    """,
    "pycuda.elementwise.ElementwiseKernel": """
    get_texref(self, name, use_range=False)
    generate_stride_kernel_and_types(self, use_range)
    """,
}  # fmt: skip

# What an instance of GPUArray has besides.
ATTRIBUTES = [
    "shape",
    "dtype",
    "strides",
    "size",
    "mem_size",
    "nbytes",
    "itemsize",
    "allocator",
    "gpudata",
    "base",
    "_grid",
    "_block",
    "ndim",
    "flags",
    "ptr",
    "T",
    "real",
    "imag",
]
ASSIGNABLE = ["shape", "dtype", "strides", "allocator", "gpudata", "base"]

DUNDERS = [
    "len",
    "bool",
    "hash",
    "str",
    "repr",
    "getitem",
    "setitem",
    "abs",
    "pos",
    "neg",
    "add",
    "radd",
    "iadd",
    "sub",
    "rsub",
    "isub",
    "mul",
    "rmul",
    "imul",
    "div",
    "rdiv",
    "idiv",
    "truediv",
    "rtruediv",
    "itruediv",
    "pow",
    "rpow",
    "ipow",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
]

VECTORS = {
    name: range(1, 5 if name not in ("longlong", "ulonglong", "double") else 3)
    for name in [
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "float",
        "longlong",
        "ulonglong",
        "double",
    ]
}
