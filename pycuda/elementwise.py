"""Element-wise kernels from short expressions in C.

`ElementwiseKernel` writes the loop around an operation; the ``get_*_kernel``
functions return prepared kernels for common operations.  Kernels are generated
here as CUDA C and compiled by `pycuda.compiler`.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import pycuda.driver as _drv
from pycuda._array.exchange import as_array
from pycuda._array.layout import is_misaligned
from pycuda._context_cache import ByContext, by_context
from pycuda._driver import ElementwiseBase, _apply
from pycuda._kernels import calls as _calls
from pycuda._kernels import canned as _canned
from pycuda._kernels import elementwise_modules as _modules
from pycuda._kernels import macros as _macros
from pycuda._kernels import strided_elementwise as _strided
from pycuda._kernels import writes as _writes
from pycuda._kernels.building import runs_threads_in_turn
from pycuda._kernels.calls import GenericArg, parse_arguments
from pycuda._kernels.canned import *  # noqa: F403
from pycuda._kernels.elementwise_modules import (
    get_elwise_kernel,
    get_elwise_kernel_and_types,
    get_elwise_module,
    get_elwise_range_module,
)
from pycuda._kernels.lengths import Lengths, is_guarded
from pycuda._kernels.tuning import tuned
from pycuda._kernels.vector_types import check_vector
from pycuda.compiler import SourceModule
from pycuda.tools import (
    Argument,
    ScalarArg,
    VectorArg,
    context_dependent_memoize,
    dtype_to_ctype,
)

__all__ = [
    "ElementwiseKernel",
    "ScalarArg",
    "VectorArg",
    "context_dependent_memoize",
    "dtype_to_ctype",
    "get_elwise_kernel",
    "get_elwise_kernel_and_types",
    "get_elwise_module",
    "get_elwise_range_module",
    *_canned.__all__,
]

# a second name, since programs may replace the name SourceModule
_SourceModule = SourceModule
_BLOCK = 256
# Minimum array size for kernels whose threads compute several elements each.
_SEVERAL_FROM = 1 << 20
_UINTP = np.dtype(np.uintp)
_INTP = np.dtype(np.intp)

# Assignments to the index `i`. An operation that has one may access any
# element of a vector.
_MOVES = re.compile(
    r"\bi\s*(?:=(?!=)|(?:[-+*/%&|^]|<<|>>)=|\+\+|--)"
    r"|(?:\+\+|--|&)\s*i\b"
)
# An operation needs a grid-stride loop if it contains one of these words or an
# assignment to `i`. Any other operation works with one thread per element.
_NEEDS_LOOP = re.compile(
    r"\b(?:total_threads|cta_start|tid|break|continue|return|goto|asm"
    r"|blockIdx|blockDim|gridDim|threadIdx|__shared__"
    r"|__(?:sync|shfl|ballot|any|all|active|match|reduce|thread)\w*)\b"
)


# Words of operations for which a thread never computes several elements: loops
# would grow too large, and textures and surfaces are bound to one module.
_ONE_IS_ENOUGH = re.compile(r"\b(?:for|while|do|tex\w*|surf\w*)\b")
_MOST_TEXT = 200
_NO_CODE = re.compile(r"\s*(?:typedef\s[\w\s:<>]+;\s*)*")


def same_order(arrays: Sequence[Any]) -> bool:
    """Return whether kernels can process the elements in memory order.

    All arrays must be contiguous with the same order of axes.
    """
    flags = [a.flags for a in arrays]
    return all(f.c_contiguous for f in flags) or (
        all(f.f_contiguous for f in flags)
        and len({tuple(a.shape) for a in arrays}) == 1
    )


class ElementwiseKernel(ElementwiseBase):
    """A kernel that runs an operation for each element of arrays.

    Parameters
    ----------
    arguments
        C declarators with commas, or a list of `VectorArg`, `ScalarArg`;
        at least one vector.
    operation
        C statements for one element, with index ``i`` of ``n``; they may use
        ``tid``, ``total_threads`` and ``cta_start``.
    name
        Name of the kernel.
    keep, options
        As in `pycuda.compiler.compile`.
    preamble, loop_prep, after_loop
        C before the kernel, before its loop and after it.

    Raises
    ------
    pycuda.driver.CompileError
        At the first call: the compiler refuses the source.
    TypeError, ValueError
        At a call: arguments of other types or shapes than the kernel takes.

    Notes
    -----
    A call ``kernel(*args, range=None, slice=None, stream=None)`` runs it for
    every element of the first vector.  `range` is a ``slice(start, stop,
    step)`` of integers, used unchanged, that selects the elements; `slice` has
    the meaning that it has as an index of the array.

    Arrays may have any strides.  If they are not all contiguous in the same
    order, ``i`` counts in C order and the vectors can only be indexed.  A
    vector that is smaller than the first one, and only used as ``name[i]``, is
    broadcast to the first one's shape; ValueError if that is impossible and
    the operation has no condition or loop.  If the operation assigns to the
    smaller vector, the call has only as many elements as that vector, with one
    warning.

    A bool array for a numeric vector is converted; if the operation assigns to
    it, nonzero results become True.

    A vector may be given as None: the call then allocates and returns an
    array, of the shape to which the vectors used as ``name[i]`` broadcast.  A
    capital letter as a type, as in ``"T *x, T *y"``, is any type; it is a C
    type in the operation and the preamble.
    """

    def __init__(
        self,
        arguments: str | Sequence[Argument],
        operation: str,
        name: str = "kernel",
        keep: bool = False,
        options: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self.arguments: Any = parse_arguments(arguments)
        self.operation = operation
        self.name = name
        self.gen_kwargs: dict[str, Any] = {
            "keep": keep,
            "options": options,
            **kwargs,
        }
        self._texts = {
            key: kwargs.get(key, "")
            for key in ("preamble", "loop_prep", "after_loop")
        }
        unknown = set(kwargs) - set(self._texts)
        if unknown:
            raise TypeError(
                f"ElementwiseKernel has no argument {sorted(unknown)[0]!r}"
            )
        self._vectors = [
            k
            for k, argument in enumerate(self.arguments)
            if _calls.is_vector(argument)
        ]
        assert self._vectors, (
            "ElementwiseKernel can only be used with functions that have at "
            "least one vector argument"
        )
        texts = self._texts
        macros = _macros.find(texts["preamble"], options)
        expanded = macros.expand(operation)
        self._one_a_thread = not (
            texts["loop_prep"].strip()
            or texts["after_loop"].strip()
            or macros.may_be_more
            or _NEEDS_LOOP.search(expanded)
            or _MOVES.search(expanded)
        )
        self._plain = (
            [False] * len(self.arguments)
            if _MOVES.search(expanded)
            else _calls.plain_vectors(
                self.arguments, expanded, *texts.values()
            )
        )
        around = (texts["loop_prep"], expanded, texts["after_loop"])
        self._changed, self._may_change = _writes.of(
            self.arguments,
            arguments,
            macros.expand(";\n".join(around)),
            texts["preamble"],
            macros.may_be_more,
        )
        self._changed_vectors = self._select_changed()
        # empty if a letter stands for the type of a vector
        self._itemsizes = tuple(
            self.arguments[k].dtype.itemsize
            for k in self._vectors
            if not isinstance(self.arguments[k], GenericArg)
        )
        self._lengths = Lengths(
            name, self.arguments, self._plain, self._changed, expanded
        )
        self._may_make_several = (
            self._one_a_thread
            and all(self._plain[k] for k in self._vectors)
            and len(operation) <= _MOST_TEXT
            and not _ONE_IS_ENOUGH.search(expanded)
            and _NO_CODE.fullmatch(texts["preamble"]) is not None
        )
        # Whether kernels for arrays of any strides may compute the address of
        # a row instead of the address of each element.
        self._may_walk_rows = self._one_a_thread and all(
            self._plain[k] for k in self._vectors
        )
        self._uses_index = _calls.uses_index(self.arguments, expanded)
        self._may_copy = not is_guarded(expanded)
        self._is_generic = any(
            isinstance(argument, GenericArg) for argument in self.arguments
        )
        self._functions = ByContext()
        self._stride_kernels: dict[bool, Any] = {}
        self._bound: dict[tuple[Any, ...], ElementwiseKernel] = {}

    def _bind(self, values: Sequence[Any]) -> ElementwiseKernel:
        """Return the kernel for a call, with dtypes in place of type letters.

        The arrays in `values` determine the dtypes.
        """
        letters = _calls.bind(self.name, self.arguments, values)
        key = tuple(sorted(letters.items()))
        made = self._bound.get(key)
        if made is None:
            names = "".join(
                f"typedef {dtype_to_ctype(dtype)} {letter};\n"
                for letter, dtype in key
            )
            texts = {**self._texts}
            texts["preamble"] = names + texts["preamble"]
            arguments = [
                a.bound(letters[a.letter]) if isinstance(a, GenericArg) else a
                for a in self.arguments
            ]
            made = self._bound[key] = ElementwiseKernel(
                arguments,
                self.operation,
                self.name,
                self.gen_kwargs["keep"],
                self.gen_kwargs["options"],
                **texts,
            )
            # The declarations of `made` were rewritten and do not show which
            # vectors are `const`.
            made._may_change = self._may_change
            made._changed_vectors = made._select_changed()
        return made

    def _select_changed(self) -> tuple[bool, ...]:
        """Return for each vector whether the operation may write to it."""
        return tuple(self._may_change[k] for k in self._vectors)

    def generate_stride_kernel_and_types(
        self, use_range: bool
    ) -> tuple[Any, Any, list[Argument]]:
        """Return (module, prepared kernel, arguments) for any array size."""
        if use_range not in self._stride_kernels:
            self._stride_kernels[use_range] = get_elwise_kernel_and_types(
                self.arguments,
                self.operation,
                self.name,
                use_range=use_range,
                **self.gen_kwargs,
            )
        return self._stride_kernels[use_range]

    def get_texref(
        self, name: str, use_range: bool = False
    ) -> _drv.TextureReference:
        """Return texture reference `name`, for contiguous arrays."""
        return self._compiled(use_range, ())[0].get_texref(name)

    def _compiled(
        self,
        use_range: bool,
        layout: tuple[int, ...],
        each_several: bool = False,
    ) -> tuple[Any, Any]:
        """Return (module, prepared kernel) for the current context."""
        context = _drv.Context.get_current()
        key = (context, use_range, layout, each_several)
        made = self._functions.get(key)
        if made is None:
            made = self._functions[key] = self._make(*key[1:])
        return made

    def _make_replaced(self, use_range: bool) -> tuple[Any, Any] | None:
        """Build with the program's replacement of a ``get_elwise_*`` function.

        Returns (module, prepared kernel), or None if none is replaced.
        """
        make: Any = get_elwise_range_module if use_range else get_elwise_module
        if get_elwise_kernel_and_types is not (
            _modules.get_elwise_kernel_and_types
        ):
            return get_elwise_kernel_and_types(
                self.arguments,
                self.operation,
                self.name,
                use_range=use_range,
                **self.gen_kwargs,
            )[:2]
        own = _modules.get_elwise_range_module, _modules.get_elwise_module
        if make in own:
            return None
        return _modules.prepare(
            make, self.arguments, self.name, use_range,
            operation=self.operation, **self.gen_kwargs,
        )[:2]  # fmt: skip

    def _make(
        self, use_range: bool, layout: tuple[int, ...], each_several: bool
    ) -> tuple[Any, Any]:
        if not layout:
            made = self._make_replaced(use_range)
            if made is not None:
                return made
        full = [
            *self.arguments,
            *(_modules.RANGE_SIZE if use_range else _modules.SIZE),
        ]
        template = _modules.GUARD if self._one_a_thread else _modules.LOOP
        if each_several:
            template = _modules.EACH_SEVERAL
        source = _modules.generate(
            _modules.RANGE if use_range else template,
            full,
            self.operation,
            self.name,
            layout=layout,
            **self._texts,
        )
        axes = [*layout, 0, 0, 0] if layout else [0] * len(full)
        return self._build(
            source,
            [
                f"{_modules.record_bytes(axes[k])}s"
                if axes[k]
                else argument.struct_char
                for k, argument in enumerate(full)
            ],
        )

    def _call(
        self,
        *args: Any,
        range: slice | None = None,
        slice: slice | None = None,
        stream: _drv.Stream | None = None,
        **kwargs: Any,
    ) -> Any:
        """Run a call that the fast path of `ElementwiseBase` declines."""
        if kwargs:
            raise TypeError(
                "invalid keyword arguments specified: " + ", ".join(kwargs)
            )
        if len(args) != len(self.arguments):
            raise TypeError(
                f"{self.name}: {len(self.arguments)} arguments expected "
                f"({', '.join(a.name for a in self.arguments)}), "
                f"{len(args)} given"
            )
        values = list(args)
        if self._is_generic:
            for k in self._vectors:
                values[k] = as_array(values[k], None, stream)
            return self._bind(values)(
                *values, range=range, slice=slice, stream=stream
            )
        for k in self._vectors:
            values[k] = as_array(values[k], self.arguments[k].dtype, stream)
        results = _calls.make_results(
            self.name, self.arguments, values, self._plain, self._changed
        )
        given = [values[k] for k in self._vectors]
        arrays = converted = self._check_vectors(values, stream)
        size = arrays[0].size
        if range is None and slice is None:
            arrays, size = self._lengths.fit(arrays)
        try:
            self._launch(values, arrays, size, range, slice, stream)
        except _drv.CompileError as error:
            raise error.with_traceback(None) from error.__cause__
        for k, array, copy in zip(
            self._vectors, given, converted, strict=True
        ):
            is_copy = copy is not array and array.dtype.kind == "b"
            if is_copy and self._may_change[k]:
                _apply("not_equal", (copy, 0), array, None, stream)
        if not results:
            return None
        return results[0] if len(results) == 1 else tuple(results)

    def _launch(
        self,
        values: list[Any],
        arrays: list[Any],
        size: int,
        range: slice | None,
        slice: slice | None,
        stream: Any,
    ) -> None:
        self._check_alignment(arrays)
        alike = same_order(arrays)
        is_whole = range is None and slice is None
        may_walk_rows = is_whole and size and self._may_walk_rows and not alike
        if may_walk_rows and self._run_rows(values, arrays, size, stream):
            return
        layout = self._insert_vectors(values, arrays, alike)
        if is_whole:
            if size:
                self._run(layout, values, arrays, size, stream)
            return
        if range is not None and slice is not None:
            raise TypeError("may not specify both range and slice keywords")
        if slice is not None:
            bounds = slice.indices(size)
        else:
            assert range is not None
            step = 1 if range.step is None else range.step
            bounds = (range.start, range.stop, step)
        self._run_range(layout, values, bounds, stream)

    def _check_vectors(self, values: list[Any], stream: Any) -> list[Any]:
        """Return the arrays among `values`, converted if that is allowed.

        An array that is given twice is converted once.
        """
        arrays = []
        copies: dict[tuple[Any, ...], Any] = {}
        for k in self._vectors:
            array = values[k]
            dtype = getattr(array, "dtype", None)
            if dtype is None or not hasattr(array, "gpudata"):
                raise TypeError(
                    f"{self.name}: argument '{self.arguments[k].name}' must "
                    f"be a GPUArray, not {type(array).__name__}; move host "
                    "data to the device with gpuarray.to_gpu()"
                )
            wanted = self.arguments[k].dtype
            if dtype != wanted:
                key = (
                    dtype, wanted, array.ptr if array.size else 0,
                    tuple(array.shape), tuple(array.strides),
                )  # fmt: skip
                if key not in copies:
                    copies[key] = check_vector(
                        self.name, self.arguments[k], array, stream
                    )
                array = copies[key]
            arrays.append(array)
        return arrays

    def _check_alignment(self, arrays: list[Any]) -> None:
        for k, array in zip(self._vectors, arrays, strict=True):
            if is_misaligned(array):
                raise ValueError(
                    f"{self.name}: the elements of argument "
                    f"'{self.arguments[k].name}' are not aligned for "
                    f"{array.dtype}; copy() the array"
                )

    def _insert_vectors(
        self, values: list[Any], arrays: list[Any], alike: bool
    ) -> tuple[int, ...]:
        """Replace the arrays in `values` by arguments for the kernel.

        Returns the number of axes of each argument that is passed with its
        strides, else 0; () if all arrays are passed as plain pointers, since
        they are `alike`: contiguous in one order.
        """
        layout = [0] * len(values)
        for k, array in zip(self._vectors, arrays, strict=True):
            if alike or array.flags.c_contiguous:
                values[k] = _calls.memory_of(array)
            else:
                layout[k], values[k] = _modules.strided_record(array)
        if alike:
            return ()
        return tuple(layout)

    def _run_rows(
        self, values: list[Any], arrays: list[Any], n: int, stream: Any
    ) -> bool:
        """Run a call with strides by a kernel of `strided_elementwise`.

        Returns False, without an effect, if none of them can run the call.
        """
        plan = _strided.plan(
            tuple([(tuple(a.shape), tuple(a.strides)) for a in arrays]),
            self._itemsizes,
            n,
            self._changed_vectors,
            self._uses_index,
            self._may_copy,
            _in_turn(),
        )
        if plan is None:
            return False
        for k, array in zip(self._vectors, arrays, strict=True):
            values[k] = _calls.memory_of(array)
        key = (_drv.Context.get_current(), plan.key)
        made = self._functions.get(key)
        if made is None:
            made = self._functions[key] = self._make_rows(
                plan.form, len(plan.layout)
            )
        made[1].prepared_async_call(
            (plan.blocks, 1),
            (plan.threads, 1, 1),
            stream,
            *values,
            n,
            plan.layout,
        )
        return True

    def _make_rows(
        self, form: _strided.Form, layout_bytes: int
    ) -> tuple[Any, Any]:
        full = [*self.arguments, *_modules.SIZE]
        source = _strided.generate(
            form,
            full,
            self.operation,
            self.name,
            self._texts["preamble"],
        )
        return self._build(
            source, [*(a.struct_char for a in full), f"{layout_bytes}s"]
        )

    def _build(self, source: str, formats: list[str]) -> tuple[Any, Any]:
        """Compile a source; return (module, prepared kernel)."""
        module = _modules.build(
            source,
            self.gen_kwargs["keep"],
            self.gen_kwargs["options"],
            None if SourceModule is _SourceModule else SourceModule,
        )
        function = module.get_function(self.name)
        function.prepare(formats)
        return module, function

    def _run(
        self,
        layout: tuple[int, ...],
        values: list[Any],
        arrays: list[Any],
        n: int,
        stream: Any,
    ) -> None:
        may_make_several = (
            not layout and self._may_make_several and _several_pay()
        )
        several = (
            may_make_several
            and n >= _SEVERAL_FROM
            and self._lie_apart(arrays, n)
        )
        most = 0 if self._one_a_thread else _resident_blocks()
        each = tuned("elementwise_several") if may_make_several else 1
        blocks = -(-n // (_BLOCK * (each if several else 1)))
        function = self._compiled(False, layout, several)[1]
        function.prepared_async_call(
            (min(blocks, most or blocks), 1),
            (_BLOCK, 1, 1),
            stream,
            *values,
            n,
        )
        if not layout:
            expected = tuple(
                (k, self.arguments[k].dtype, self._plain[k])
                for k in self._vectors
            )
            self._set_plan(
                function,
                len(self.arguments),
                expected,
                most,
                several,
                (_SEVERAL_FROM, each) if may_make_several else None,
            )

    @staticmethod
    def _lie_apart(arrays: Sequence[Any], n: int) -> bool:
        """Return whether no two vectors overlap in their `n` elements."""
        spans = sorted(
            (array.ptr, n * array.dtype.itemsize) for array in arrays
        )
        return all(a + size <= b for (a, size), (b, _) in pairwise(spans))

    def _run_range(
        self,
        layout: tuple[int, ...],
        values: list[Any],
        bounds: tuple[int, int, int],
        stream: Any,
    ) -> None:
        start, stop, step = bounds
        if step == 0:
            raise ValueError("the step of a range must not be zero")
        count = max(-(-(stop - start) // step), 0)
        if count == 0:
            return
        blocks = min(-(-count // _BLOCK), _resident_blocks())
        self._compiled(True, layout)[1].prepared_async_call(
            (blocks, 1), (_BLOCK, 1, 1), stream, *values, start, stop, step
        )


@by_context
def _resident_blocks() -> int:
    """Return how many blocks a grid-stride loop needs to fill the device."""
    device = _drv.Context.get_device()
    count = _drv.device_attribute.MULTIPROCESSOR_COUNT
    return 8 * device.get_attribute(count)


@by_context
def _in_turn() -> bool:
    """Return whether the device runs its threads sequentially."""
    return runs_threads_in_turn()


@by_context
def _several_pay() -> bool:
    """Return whether several elements per thread are faster on this device."""
    return not runs_threads_in_turn()
