"""Prefix scans from an expression in C.

One kernel reads each element once and writes it once; its blocks pass on the
totals of preceding elements (`pycuda._kernels.scan`).  Operands keep their
order, so the expression need only be associative.  They are combined in the
same way in each run, so that rounded results are reproducible.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.driver as _drv
import pycuda.gpuarray as gpuarray
from pycuda._array.common import check_array
from pycuda._array.exchange import as_array
from pycuda._array.layout import apart, is_misaligned
from pycuda._cluda import CLUDA_PREAMBLE
from pycuda._compile.source import includes_of
from pycuda._context_cache import ByContext
from pycuda._driver import _apply
from pycuda._kernels import scan as scan_kernels
from pycuda._kernels.vector_types import check_vector
from pycuda._numpy_functions import normalize_axis_tuple
from pycuda.compiler import SourceModule
from pycuda.tools import VectorArg, dtype_to_ctype

if TYPE_CHECKING:
    import numpy.typing as npt


__all__ = ["ExclusiveScanKernel", "InclusiveScanKernel"]

_SHAPES = scan_kernels.default_shape


def _heads(segments: Any, source: Any, stream: Any) -> Any:
    """Return contiguous bytes that are nonzero where segments begin."""
    if getattr(segments, "shape", None) != source.shape:
        raise ValueError(
            f"segments must be a GPUArray of shape {source.shape}, as the "
            f"input is, not {getattr(segments, 'shape', segments)!r}"
        )
    if segments.dtype.itemsize == 1 and segments.flags.c_contiguous:
        return segments
    return _apply("not_equal", (segments, 0), None, None, stream)


class _ScanKernel:
    """Common base of the inclusive and the exclusive scan."""

    _exclusive: bool

    def __init__(
        self,
        dtype: npt.DTypeLike,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: list[str] | None = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        if self._exclusive and neutral is None:
            raise ValueError("neutral element is required for exclusive scan")
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.neutral = neutral
        self._shape = _SHAPES()
        self._prefix = name_prefix
        self._options = options
        self._preamble = preamble
        self._scan_expr = scan_expr
        self._argument = VectorArg(self.dtype, "input_ary")
        self._kernels = ByContext()
        kernel = self._compiled(False)
        self.scan_wg_size: int = kernel.block
        self.update_wg_size: int = kernel.block
        self.scan_wg_seq_batches: int = kernel.tile // kernel.block
        # One kernel does the work of two kernels of the original PyCUDA, so
        # both attributes refer to it.
        self.scan_intervals_knl: Any = kernel.function
        self.final_update_knl: Any = kernel.function

    def _source(self, segmented: bool) -> scan_kernels.ScanSource:
        kind, size = dtype_to_ctype(self.dtype), self.dtype.itemsize
        parts = (kind, self._scan_expr, self._preamble, str(self.neutral))
        source = scan_kernels.ScanSource(
            name=f"{self._prefix}_scan_intervals",
            stored=kind,
            out=kind,
            value=kind,
            expression=self._scan_expr,
            map="pycuda_v",
            finish="pycuda_x",
            neutral=str(self.neutral) if self._exclusive else None,
            sizes=(size, size, size),
            is_foreign=True,
            segmented=segmented,
        )
        preamble = (
            includes_of("\n".join(parts))
            + CLUDA_PREAMBLE
            + scan_kernels.language(source, self._shape)
            + self._preamble
        )
        return source._replace(expression="SCAN_EXPR(a, b)", preamble=preamble)

    def _compiled(self, segmented: bool) -> scan_kernels.ScanKernel:
        """Compile the kernel for the current context."""
        key = (_drv.Context.get_current(), segmented)
        if key not in self._kernels:
            source = self._source(segmented)
            module = SourceModule(
                scan_kernels.source_of(source, self._shape),
                options=self._options,
                no_extern_c=True,
            )
            self._kernels[key] = scan_kernels.wrap(
                source, self._shape, module.get_function(source.name)
            )
        return self._kernels[key]

    def __call__(
        self,
        input_ary: Any,
        output_ary: Any = None,
        allocator: Any = None,
        stream: _drv.Stream | None = None,
        *,
        segments: Any = None,
        axis: int | None = None,
    ) -> gpuarray.GPUArray:
        """Scan `input_ary`, in place unless `output_ary` is given.

        Parameters
        ----------
        input_ary
            A contiguous GPUArray of one dimension.
        output_ary
            GPUArray of the same shape, or "new" for a new one.
        allocator
            Allocates a new output; default: the allocator of `input_ary`.
        stream
            Stream to run in.
        segments
            GPUArray of the same shape and any dtype; the scan restarts at
            each nonzero element.
        axis
            Scan along this axis of an input of any shape and strides; each row
            of the other axes is scanned separately.

        Returns
        -------
        GPUArray
            The output.
        """
        new = isinstance(output_ary, str) and output_ary == "new"
        input_ary = as_array(input_ary, None, stream)
        check_array(input_ary, "input_ary")
        if output_ary is not None and not new:
            output_ary = as_array(output_ary, None, stream)
            check_array(output_ary, "output_ary")
        if new:
            output_ary = gpuarray.empty(
                input_ary.shape, input_ary.dtype,
                allocator=allocator or input_ary.allocator,
            )  # fmt: skip
        elif output_ary is None:
            output_ary = input_ary
        if axis is not None:
            return self._along(input_ary, output_ary, segments, axis, stream)
        self._check(input_ary, output_ary)
        heads = (
            () if segments is None else (_heads(segments, input_ary, stream),)
        )
        (n,) = input_ary.shape
        if n:
            if input_ary.ptr != output_ary.ptr:
                input_ary = apart(output_ary, input_ary, stream)
            heads = tuple(apart(output_ary, one, stream) for one in heads)
            kernel = self._compiled(bool(heads))
            kernel((input_ary, *heads, output_ary), n, stream)
        return output_ary

    def _along(
        self, source: Any, target: Any, segments: Any, axis: int, stream: Any
    ) -> Any:
        """Scan along `axis`: each row is a segment of a single flat scan."""
        self._check_types(source, target)
        (axis,) = normalize_axis_tuple(axis, source.ndim)
        order = [k for k in range(source.ndim) if k != axis] + [axis]
        if segments is not None:
            segments = _heads(segments, source, stream).transpose(order)
        if source.size == 0:
            return target
        packed = source.transpose(order).copy("C", stream)
        heads = gpuarray.empty(packed.shape, np.uint8, source.allocator)
        if segments is None:
            heads.fill(0, stream)
        else:
            heads.set_async(segments.astype(np.uint8, stream), stream)
        heads[..., 0].fill(1, stream)
        flat = packed.reshape(-1)
        self._compiled(True)((flat, heads, flat), flat.size, stream)
        target.transpose(order).set_async(packed, stream)
        return target

    def _check_types(self, source: Any, target: Any) -> None:
        if source.shape != target.shape:
            raise ValueError("input and output must have the same shape")
        for array in (source, target):
            if check_vector(self._prefix, self._argument, array) is not array:
                raise TypeError(
                    f"{self._prefix}: an array of {self.dtype} is needed, "
                    f"not of {array.dtype}"
                )

    def _check(self, source: Any, target: Any) -> None:
        if source.shape != target.shape:
            raise ValueError("input and output must have the same shape")
        if not (source.flags.forc and target.flags.forc):
            raise RuntimeError(
                "ScanKernel cannot deal with non-contiguous arrays"
            )
        if is_misaligned(source) or is_misaligned(target):
            raise ValueError(
                "ScanKernel cannot deal with arrays whose elements are not "
                f"aligned for {source.dtype}; copy() them"
            )
        if len(source.shape) != 1:
            raise ValueError(
                "a scan needs an array of one dimension, not "
                f"{len(source.shape)}: use axis= or .ravel()"
            )
        self._check_types(source, target)


class InclusiveScanKernel(_ScanKernel):
    """Element i of the result combines elements 0 to i.

    Parameters
    ----------
    dtype
        Dtype of the arrays.
    scan_expr
        C expression in ``a`` (the earlier operand) and ``b``; associative.
    neutral
        C expression or number that is the neutral value; only the exclusive
        scan uses it.
    name_prefix, options, preamble
        As in `pycuda.elementwise.ElementwiseKernel`.
    devices
        Ignored.
    """

    _exclusive = False


class ExclusiveScanKernel(_ScanKernel):
    """Element i of the result combines elements 0 to i - 1.

    The parameters are those of `InclusiveScanKernel`; `neutral` is required
    and becomes element 0.
    """

    _exclusive = True
