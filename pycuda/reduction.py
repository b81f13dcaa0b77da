"""Reductions from two expressions in C.

A first kernel maps the elements and reduces them to one value per block; a
second kernel reduces these values until one is left.  The threads of a block
exchange values in shared memory, with barriers only.  The first kernel has few
blocks, so that each thread processes many elements.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as _drv
import pycuda.gpuarray as gpuarray
from pycuda._array.exchange import as_array
from pycuda._array.layout import loadable
from pycuda._compile.source import includes_of
from pycuda._context_cache import ByContext
from pycuda._kernels import building, calls, reduction_axes
from pycuda._kernels.lengths import is_guarded
from pycuda._kernels.macros import find as find_macros
from pycuda._kernels.operations import is_short_float
from pycuda._kernels.vector_types import check_vector
from pycuda.compiler import SourceModule
from pycuda.elementwise import same_order
from pycuda.tools import (
    VectorArg,
    context_dependent_memoize,
    dtype_to_ctype,
    parse_c_arg,
)

if TYPE_CHECKING:
    import numpy.typing as npt


__all__ = [
    "ReductionKernel",
    "get_all_kernel",
    "get_any_kernel",
    "get_dot_kernel",
    "get_minmax_kernel",
    "get_minmax_neutral",
    "get_reduction_kernel_and_types",
    "get_reduction_module",
    "get_subset_dot_kernel",
    "get_subset_minmax_kernel",
    "get_subset_sum_kernel",
    "get_sum_kernel",
]


@dataclass(frozen=True)
class _Shape:
    """How a reduction is divided into blocks and threads on a device."""

    block: int  # threads per block
    lanes: int  # accumulators per thread, if the elements are numbers
    sequence: int  # minimum number of elements per thread
    max_blocks: int


def _shape() -> _Shape:
    """Return the partition of a reduction for the current device.

    If threads run sequentially on a processor core, one thread per block reads
    its share of the memory in order.
    """
    if building.runs_threads_in_turn():
        return _Shape(block=1, lanes=16, sequence=32768, max_blocks=4096)
    count = _drv.device_attribute.MULTIPROCESSOR_COUNT
    resident = 4 * _drv.Context.get_device().get_attribute(count)
    return _Shape(512, 4, 4, min(resident, 1024))


# REDUCE and READ_AND_MAP are macros, so names in expressions must not collide
# with the kernel's: BLOCK_SIZE, out_type, out, seq_count, n, sdata, tid, i,
# acc and those that begin with `pycuda_`. A block reduces `seq_count` elements
# per thread. Each thread has {lanes} accumulators, so that an addition need
# not wait for the result of the previous one.
_KERNEL = """\
#define BLOCK_SIZE {block_size}
#define READ_AND_MAP(i) ({map_expr})
#define REDUCE(a, b) ({reduce_expr})

{preamble}

typedef {out_type} out_type;

extern "C" __global__ void {name}(out_type *out, {arguments},
                                  unsigned int seq_count, size_t n)
{{
  extern __shared__ out_type sdata[];
  const unsigned int tid = threadIdx.x;
  const size_t pycuda_share = (size_t)BLOCK_SIZE * seq_count;
  const size_t pycuda_first = pycuda_share * blockIdx.x;
  const size_t pycuda_end =
      n - pycuda_first < pycuda_share ? n : pycuda_first + pycuda_share;
  size_t i = pycuda_first + tid;
  out_type pycuda_partial[{lanes}];

  #pragma unroll
  for (int pycuda_lane = 0; pycuda_lane < {lanes}; pycuda_lane++) {{
    pycuda_partial[pycuda_lane] = {neutral};
  }}
  for (; i + BLOCK_SIZE * ({lanes} - 1) < pycuda_end;
       i += BLOCK_SIZE * {lanes}) {{
    const size_t pycuda_at = i;
    #pragma unroll
    for (int pycuda_lane = 0; pycuda_lane < {lanes}; pycuda_lane++) {{
      const size_t i = pycuda_at + BLOCK_SIZE * pycuda_lane;
      out_type &acc = pycuda_partial[pycuda_lane];
      acc = REDUCE(acc, READ_AND_MAP(i));
    }}
  }}
  out_type &acc = pycuda_partial[0];
  for (; i < pycuda_end; i += BLOCK_SIZE) {{
    acc = REDUCE(acc, READ_AND_MAP(i));
  }}
  #pragma unroll
  for (int pycuda_half = {lanes} / 2; pycuda_half > 0; pycuda_half /= 2) {{
    #pragma unroll
    for (int pycuda_lane = 0; pycuda_lane < pycuda_half; pycuda_lane++) {{
      pycuda_partial[pycuda_lane] =
          REDUCE(pycuda_partial[pycuda_lane],
                 pycuda_partial[pycuda_lane + pycuda_half]);
    }}
  }}
#if BLOCK_SIZE > 1
  sdata[tid] = acc;
  for (unsigned int pycuda_half = BLOCK_SIZE / 2; pycuda_half > 0;
       pycuda_half /= 2) {{
    __syncthreads();
    if (tid < pycuda_half) {{
      sdata[tid] = REDUCE(sdata[tid], sdata[tid + pycuda_half]);
    }}
  }}
  if (tid == 0) {{
    out[blockIdx.x] = sdata[0];
  }}
#else
  out[blockIdx.x] = acc;
#endif
}}
"""


def get_reduction_module(
    out_type: str,
    block_size: int,
    neutral: Any,
    reduce_expr: str,
    map_expr: str,
    arguments: str,
    name: str = "reduce_kernel",
    keep: bool = False,
    options: list[str] | None = None,
    preamble: str = "",
    lanes: int = 1,
) -> Any:
    """Compile a module with the kernel `name` for one stage of a reduction.

    `block_size` and `lanes`, the accumulators of a thread, are powers of 2.
    """
    source = _KERNEL.format(
        lanes=lanes,
        block_size=block_size,
        out_type=out_type,
        neutral=neutral,
        reduce_expr=reduce_expr,
        map_expr=map_expr,
        arguments=arguments,
        name=name,
        preamble=preamble,
    )
    source = includes_of(source, arguments) + source
    return SourceModule(source, options=options, keep=keep, no_extern_c=True)


def get_reduction_kernel_and_types(
    stage: int,
    out_type: str,
    block_size: int,
    neutral: Any,
    reduce_expr: str,
    map_expr: str | None = None,
    arguments: str | None = None,
    name: str = "reduce_kernel",
    keep: bool = False,
    options: list[str] | None = None,
    preamble: str = "",
    lanes: int = 1,
) -> tuple[Any, list[Any]]:
    """Return (prepared kernel, its arguments) for stage 1 or 2.

    Raises
    ------
    ValueError
        If there are no arguments.
    """
    if stage == 1:
        map_expr = "in[i]" if map_expr is None else map_expr
    else:
        assert stage == 2, "stage must be 1 or 2"
        map_expr = "pycuda_reduction_inp[i]"
        inputs = f"const {out_type} *pycuda_reduction_inp"
        arguments = f"{inputs}, {arguments}" if arguments else inputs
    if not arguments:
        raise ValueError(
            "ReductionKernel needs arguments=, C declarators such as "
            "'const float *in'"
        )
    module = get_reduction_module(
        out_type, block_size, neutral, reduce_expr, map_expr, arguments,
        name, keep, options, preamble, lanes,
    )  # fmt: skip
    function = module.get_function(name)
    types = [parse_c_arg(text) for text in arguments.split(",")]
    function.prepare(["P", *(a.struct_char for a in types), "I", "N"])
    return function, types


def _letters_of(arguments: Any) -> bool:
    """Return whether the type of an argument is a letter (any type)."""
    return isinstance(arguments, str) and any(
        isinstance(argument, calls.GenericArg)
        for argument in calls.parse_arguments(arguments)
    )


def _check_count(
    name: str, types: Sequence[Any], given: Sequence[Any]
) -> None:
    if len(given) != len(types):
        raise TypeError(
            f"{name}: {len(types)} arguments expected "
            f"({', '.join(a.name for a in types)}), {len(given)} given"
        )


def _warn_of_unknown(name: str, keywords: Iterable[str]) -> None:
    """Warn of unknown keywords, which the original PyCUDA ignores.

    A program may expect that such a keyword selects elements, but all
    elements are reduced.
    """
    warnings.warn(
        f"{name}: unknown keyword arguments are left out: "
        f"{', '.join(keywords)}; to reduce a part, pass a view such as "
        "x[start:stop]",
        stacklevel=3,
    )


class ReductionKernel:
    """Maps each element and reduces the results to one value.

    Parameters
    ----------
    dtype_out
        Dtype of accumulator and result, or a letter of `arguments`.
    neutral
        C expression (or number) that is the neutral value of the reduction.
    reduce_expr
        C expression in ``a`` and ``b``; associative and commutative.
    map_expr
        C expression in the arguments and the index ``i``; default
        ``in[i]``.
    arguments
        C declarators with commas; at least one vector.  A capital letter as
        a type is any type: arrays decide at each call, and it is a C type in
        the expressions and the preamble.
    name, keep, options, preamble
        As in `pycuda.elementwise.ElementwiseKernel`.
    """

    def __init__(
        self,
        dtype_out: npt.DTypeLike,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: str | None = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: list[str] | None = None,
        preamble: str = "",
    ) -> None:
        self._letters = _letters_of(arguments)
        if self._letters:
            self.name: str = name
            self._generic = (
                dtype_out, neutral, reduce_expr, map_expr, arguments, name,
                keep, options, preamble,
            )  # fmt: skip
            self._bound: dict[tuple[Any, ...], ReductionKernel] = {}
            return
        self.dtype_out: np.dtype[Any] = np.dtype(dtype_out)
        self._shape = _shape()
        self.block_size: int = self._shape.block
        self.name = name
        self._spec = {
            "out_type": dtype_to_ctype(self.dtype_out),
            "block_size": self.block_size,
            "neutral": neutral,
            "reduce_expr": reduce_expr,
            "map_expr": map_expr,
            "arguments": arguments,
            "keep": keep,
            "options": options,
            "preamble": preamble,
            "lanes": 1 if self.dtype_out.kind == "V" else self._shape.lanes,
        }
        self._stages = ByContext()
        self._others: dict[np.dtype, ReductionKernel] = {}
        self.stage1_func: Any
        self.stage2_func: Any
        self.stage1_arg_types: Any
        self.stage2_arg_types: Any
        self.stage1_func, self.stage1_arg_types = self._stage(1)
        self.stage2_func, self.stage2_arg_types = self._stage(2)
        assert any(isinstance(a, VectorArg) for a in self.stage1_arg_types), (
            "ReductionKernel can only be used with functions that have at "
            "least one vector argument"
        )
        self._read_by_element = self._find_read_by_element(map_expr or "in[i]")

    def _find_read_by_element(self, map_expr: str) -> set[str]:
        """Return the names of the vectors of which each element is read."""
        spec = self._spec
        macros = find_macros(spec["preamble"], spec["options"])
        map_expr = macros.expand(map_expr)
        if is_guarded(map_expr):
            return set()
        types = self.stage1_arg_types
        plain = calls.plain_vectors(types, map_expr)
        return {
            argument.name
            for argument, is_plain in zip(types, plain, strict=True)
            if is_plain and argument.name in map_expr
        }

    def _stage(self, stage: int) -> tuple[Any, Any]:
        """Return (kernel, arguments) of a stage for the current context."""
        key = (_drv.Context.get_current(), stage)
        made = self._stages.get(key)
        if made is None:
            try:
                made = get_reduction_kernel_and_types(
                    stage, name=f"{self.name}_stage{stage}", **self._spec
                )
            except _drv.CompileError as error:
                # without the frames below this one
                raise error.with_traceback(None) from error.__cause__
            self._stages[key] = made
        return made

    def __call__(
        self,
        *args: Any,
        stream: _drv.Stream | None = None,
        out: Any = None,
        allocator: Any = None,
        kernel_wrapper: Any = None,
        axis: Any = None,
        keepdims: bool = False,
        dtype: npt.DTypeLike | None = None,
        **unknown: Any,
    ) -> gpuarray.GPUArray:
        """Reduce; the number of elements is that of the first vector.

        Parameters
        ----------
        stream
            Stream to run in.
        out
            Array whose first element receives the result.
        allocator
            Allocates result and partial results; default: the allocator of the
            first vector.
        kernel_wrapper
            Called with each of the two launching functions; its result is
            called in place of the function.
        axis : int or tuple of int, optional
            Axes to reduce; None reduces everything.  With an axis all vectors
            have one shape, and ``i`` counts in C order with these axes last.
        keepdims
            Whether the axes stay, with length 1.
        dtype
            Dtype of accumulator and result in this call, in place of
            `dtype_out`.

        Returns
        -------
        GPUArray
            `out`, or a new array without the axes reduced.

        Raises
        ------
        TypeError, ValueError
            If arguments have other types or shapes than the kernel takes.
        """
        if unknown:
            _warn_of_unknown(self.name, unknown)
        if self._letters:
            args = tuple(as_array(x, None, stream) for x in args)
        if out is not None:
            out = as_array(out, None, stream)
        kernel = self._bind(args) if self._letters else self
        if dtype is not None and np.dtype(dtype) != kernel.dtype_out:
            kernel = kernel._with_dtype(np.dtype(dtype))
        if kernel is not self:
            return kernel(
                *args, stream=stream, out=out, allocator=allocator,
                kernel_wrapper=kernel_wrapper, axis=axis, keepdims=keepdims,
            )  # fmt: skip
        if axis is not None or keepdims:
            return self._over_axes(
                args, axis, keepdims, stream, out, allocator
            )
        wrap = kernel_wrapper or (lambda launch: launch)
        values, first = self._prepare_arguments(args, stream)
        allocator = allocator or first.allocator
        if out is not None:
            if out.size == 0:
                raise ValueError("out array is empty")
            if out.dtype != self.dtype_out:
                raise ValueError("out must have the same dtype as dtype_out")
        launch = wrap(self._stage(1)[0].prepared_async_call)
        inputs: list[Any] = []
        size = first.size
        while True:
            blocks, sequence = self._plan(size)
            target = self._target(blocks, out, allocator)
            given = [target, *inputs, *values]
            # kernel_wrapper expects addresses, as in the original PyCUDA
            if kernel_wrapper:
                given = [getattr(a, "gpudata", a) for a in given]
            launch(
                (blocks, 1),
                (self.block_size, 1, 1),
                stream,
                *given,
                sequence,
                size,
                shared_size=self.block_size * self.dtype_out.itemsize,
            )
            if blocks == 1:
                return target
            launch = wrap(self._stage(2)[0].prepared_async_call)
            inputs = [target]
            size = blocks

    def _bind(self, values: Sequence[Any]) -> ReductionKernel:
        """Return the kernel for a call, with dtypes in place of type letters.

        The arrays in `values` determine the dtypes.
        """
        arguments = calls.parse_arguments(self._generic[4])
        _check_count(self.name, arguments, values)
        letters = calls.bind(self.name, arguments, values)
        key = tuple(sorted(letters.items()))
        if key not in self._bound:
            out, neutral, reduce_expr, map_expr, _, *rest = self._generic
            names = "".join(
                f"typedef {dtype_to_ctype(dtype)} {letter};\n"
                for letter, dtype in key
            )
            bound = [
                a.bound(letters[a.letter])
                if isinstance(a, calls.GenericArg)
                else a
                for a in arguments
            ]
            rest[-1] = names + rest[-1]
            self._bound[key] = ReductionKernel(
                letters.get(out, out) if isinstance(out, str) else out,
                neutral, reduce_expr, map_expr,
                ", ".join(a.declarator() for a in bound), *rest,
            )  # fmt: skip
        return self._bound[key]

    def _with_dtype(self, dtype: np.dtype) -> ReductionKernel:
        """Return the same reduction, accumulated in another dtype."""
        if dtype not in self._others:
            spec = self._spec
            self._others[dtype] = ReductionKernel(
                dtype, spec["neutral"], spec["reduce_expr"], spec["map_expr"],
                spec["arguments"], self.name, spec["keep"], spec["options"],
                spec["preamble"],
            )  # fmt: skip
        return self._others[dtype]

    def _over_axes(
        self,
        args: Any,
        axis: Any,
        keepdims: bool,
        stream: Any,
        out: Any,
        allocator: Any,
    ) -> Any:
        types = self._stage(1)[1]
        arrays = self._check_arguments(types, args, stream)
        reduction_axes.check_shapes(self.name, types, arrays)
        plan = reduction_axes.Plan(tuple(arrays[0].shape), axis)
        shape = plan.full if keepdims else plan.remaining
        if out is None:
            out = gpuarray.empty(
                shape, self.dtype_out, allocator or arrays[0].allocator
            )
        elif out.dtype != self.dtype_out or out.shape != shape:
            raise ValueError(
                f"out must have dtype {self.dtype_out} and shape {shape}, "
                f"not {out.dtype} and {out.shape}"
            )
        target = out
        if not out.flags.c_contiguous:
            target = gpuarray.empty(
                shape, self.dtype_out, allocator or arrays[0].allocator
            )
        if plan.rows:
            packed = iter([plan.packed(a, stream) for a in arrays])
            values = self._values(types, args, packed)
            threads = reduction_axes.threads_of(plan.length)
            reduction_axes.launch(
                self._rows_kernel(threads), threads, plan,
                [target, *values], self.dtype_out.itemsize, stream,
            )  # fmt: skip
            if target is not out:
                out.set_async(target, stream)
        return out

    def _rows_kernel(self, threads: int) -> Any:
        key = (_drv.Context.get_current(), "rows", threads)
        made = self._stages.get(key)
        if made is None:
            made = self._stages[key] = reduction_axes.make(
                self._spec, self._stage(1)[1], f"{self.name}_rows", threads
            )
        return made

    def _target(self, blocks: int, out: Any, allocator: Any) -> Any:
        if blocks == 1 and out is not None:
            return out
        shape = () if blocks == 1 else (blocks,)
        return gpuarray.empty(shape, self.dtype_out, allocator=allocator)

    def _plan(self, size: int) -> tuple[int, int]:
        """Return (blocks, elements per thread) of one stage."""
        shape = self._shape
        blocks = -(-size // (shape.block * shape.sequence))
        blocks = max(min(blocks, shape.max_blocks), 1)
        sequence = max(-(-size // (blocks * shape.block)), 1)
        return max(-(-size // (shape.block * sequence)), 1), sequence

    def _prepare_arguments(
        self, args: Any, stream: Any
    ) -> tuple[list[Any], Any]:
        """Return (argument values for the kernel, the first array)."""
        types = self._stage(1)[1]
        arrays = self._check_arguments(types, args, stream)
        self._check_sizes(types, arrays)
        if not same_order(arrays):
            arrays = [
                a if a.flags.c_contiguous else a.copy("C", stream)
                for a in arrays
            ]
        return self._values(types, args, iter(arrays)), arrays[0]

    def _check_sizes(self, types: list[Any], arrays: list[Any]) -> None:
        """Raise ValueError for a vector that is too short for the kernel."""
        vectors = [a for a in types if isinstance(a, VectorArg)]
        for argument, array in zip(vectors, arrays, strict=True):
            if (
                array.size < arrays[0].size
                and argument.name in self._read_by_element
            ):
                raise ValueError(
                    f"{self.name}: argument '{argument.name}' has "
                    f"{array.size} elements, but '{vectors[0].name}' has "
                    f"{arrays[0].size}, and each is read"
                )

    def _check_arguments(
        self, types: list[Any], args: Any, stream: Any
    ) -> list[Any]:
        """Return the arrays among the arguments.

        Arrays are converted to the declared type where this is allowed.
        """
        _check_count(self.name, types, args)
        arrays = []
        for argument, value in zip(types, args, strict=True):
            if not isinstance(argument, VectorArg):
                continue
            value = as_array(value, argument.dtype, stream)
            if not hasattr(value, "dtype") or not hasattr(value, "gpudata"):
                raise TypeError(
                    f"{self.name}: argument '{argument.name}' must be a "
                    f"GPUArray, not {type(value).__name__}; move host data "
                    "to the device with gpuarray.to_gpu()"
                )
            array = check_vector(self.name, argument, value, stream)
            arrays.append(loadable(array, stream))
        return arrays

    @staticmethod
    def _values(types: list[Any], args: Any, arrays: Any) -> list[Any]:
        """Return the argument values of the kernel, with arrays as addresses.

        An array without memory has the address 0.
        """
        return [
            calls.memory_of(next(arrays))
            if isinstance(t, VectorArg)
            else value
            for t, value in zip(types, args, strict=True)
        ]


# Kernels for common reductions.


def _c(dtype: npt.DTypeLike) -> str:
    return dtype_to_ctype(dtype)


@context_dependent_memoize
def get_sum_kernel(
    dtype_out: npt.DTypeLike | None, dtype_in: npt.DTypeLike
) -> ReductionKernel:
    """Return a kernel that sums `in` in `dtype_out` (default: `dtype_in`)."""
    dtype_out = dtype_in if dtype_out is None else dtype_out
    return ReductionKernel(
        dtype_out,
        "0",
        "a+b",
        map_expr=f"({_c(dtype_out)})in[i]",
        arguments=f"const {_c(dtype_in)} *in",
    )


@context_dependent_memoize
def get_any_kernel(
    dtype_out: npt.DTypeLike | None, dtype_in: npt.DTypeLike
) -> ReductionKernel:
    """Return a kernel that tests whether any element of `in` is nonzero."""
    return ReductionKernel(
        dtype_out,
        "false",
        "a || b",
        map_expr=f"(in[i] != ({_c(dtype_in)})0)",
        arguments=f"const {_c(dtype_in)} *in",
    )


@context_dependent_memoize
def get_all_kernel(
    dtype_out: npt.DTypeLike | None, dtype_in: npt.DTypeLike
) -> ReductionKernel:
    """Return a kernel that tests whether all elements of `in` are nonzero."""
    return ReductionKernel(
        dtype_out,
        "true",
        "a && b",
        map_expr=f"(in[i] != ({_c(dtype_in)})0)",
        arguments=f"const {_c(dtype_in)} *in",
    )


@context_dependent_memoize
def get_subset_sum_kernel(
    dtype_out: npt.DTypeLike | None, dtype_subset: Any, dtype_in: npt.DTypeLike
) -> ReductionKernel:
    """Return a kernel that sums the elements of `in` at given indices."""
    dtype_out = dtype_in if dtype_out is None else dtype_out
    return ReductionKernel(
        dtype_out,
        "0",
        "a+b",
        map_expr=f"({_c(dtype_out)})in[lookup_tbl[i]]",
        arguments=(
            f"const {_c(dtype_subset)} *lookup_tbl, const {_c(dtype_in)} *in"
        ),
    )


def _product(dtype_out: npt.DTypeLike, index: str) -> str:
    out = _c(dtype_out)
    return f"({out})a_in[{index}] * ({out})b_in[{index}]"


@context_dependent_memoize
def get_dot_kernel(
    dtype_out: npt.DTypeLike | None, dtype_a: Any, dtype_b: Any
) -> ReductionKernel:
    """Return a kernel that sums the products of two vectors' elements."""
    if dtype_out is None:
        dtype_out = np.result_type(dtype_a, dtype_b)
    return ReductionKernel(
        dtype_out,
        "0",
        "a+b",
        map_expr=_product(dtype_out, "i"),
        arguments=f"const {_c(dtype_a)} *a_in, const {_c(dtype_b)} *b_in",
    )


@context_dependent_memoize
def get_subset_dot_kernel(
    dtype_out: npt.DTypeLike | None,
    dtype_subset: Any,
    dtype_a: Any = None,
    dtype_b: Any = None,
) -> ReductionKernel:
    """Return a kernel that sums the products of elements at given indices."""
    dtype_a = dtype_out if dtype_a is None else dtype_a
    dtype_b = dtype_a if dtype_b is None else dtype_b
    if dtype_out is None:
        dtype_out = np.result_type(dtype_a, dtype_b)
    return ReductionKernel(
        dtype_out,
        "0",
        "a+b",
        map_expr=_product(dtype_out, "lookup_tbl[i]"),
        arguments=(
            f"const {_c(dtype_subset)} *lookup_tbl, "
            f"const {_c(dtype_a)} *a_in, const {_c(dtype_b)} *b_in"
        ),
    )


def get_minmax_neutral(what: str, dtype: npt.DTypeLike) -> str:
    """Return the neutral value of a maximum or minimum, in C.

    `what` is "max" or "min".
    """
    dtype = np.dtype(dtype)
    sign = "-" if what == "max" else ""
    if dtype.kind == "f" or is_short_float(dtype):
        return f"{sign}MY_INFINITY"
    if dtype.kind == "b":
        return "false" if what == "max" else "true"
    limits = np.iinfo(dtype)
    value = limits.min if what == "max" else limits.max
    if value == np.iinfo(np.int64).min:
        return f"({value + 1}ll - 1)"
    return f"{value}ull" if dtype.kind == "u" else f"{value}ll"


_MINMAX_PREAMBLE = "#define MY_INFINITY INFINITY\n"


def _minmax_expr(what: str, dtype: npt.DTypeLike) -> str:
    """Return the C expression for the larger or smaller of a and b, or NaN."""
    sign = ">" if what == "max" else "<"
    if np.dtype(dtype).kind == "f" or is_short_float(np.dtype(dtype)):
        return f"(a {sign} b || a != a) ? a : b"
    return f"a {sign} b ? a : b"


@context_dependent_memoize
def get_minmax_kernel(what: str, dtype: npt.DTypeLike) -> ReductionKernel:
    """Return a kernel for the "max" or "min" element; NaN if any is NaN."""
    return ReductionKernel(
        dtype,
        get_minmax_neutral(what, dtype),
        _minmax_expr(what, dtype),
        arguments=f"const {_c(dtype)} *in",
        preamble=_MINMAX_PREAMBLE,
    )


@context_dependent_memoize
def get_subset_minmax_kernel(
    what: str, dtype: npt.DTypeLike, dtype_subset: Any
) -> ReductionKernel:
    """Return a kernel for the "max" or "min" element at given indices."""
    return ReductionKernel(
        dtype,
        get_minmax_neutral(what, dtype),
        _minmax_expr(what, dtype),
        map_expr="in[lookup_tbl[i]]",
        arguments=(
            f"const {_c(dtype_subset)} *lookup_tbl, const {_c(dtype)} *in"
        ),
        preamble=_MINMAX_PREAMBLE,
    )
