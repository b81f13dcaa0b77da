"""CUDA C for the operations of `pycuda.gpuarray`.

The C extension asks `make_kernel` when its kernel table has no entry, and
`resolve_types` when it meets an operation on types that it has not seen.  Both
answers are kept in C, so nothing here is on a hot path.  Templates lie in
``templates``, a folder a subject; the launch parameters that they take are
described at the top of ``src/array/task.c`` and ``src/array/reduce.c``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os
import re
import string
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pycuda import _driver
from pycuda._kernels import functions
from pycuda._kernels.operations import (
    c_type,
    cast,
    computed,
    expression_of,
    resolve_types,
)

_BLOCK = 256
_TILE_SIDE_IN_TURN = 32  # of a tile
_PART_IN_TURN = 4096  # elements of a block
_SHARE_IN_TURN = 1 << 16  # elements of a block that reduces
_STEPS_IN_TURN = (-1, 2)  # of strided rows that have loops of their own
_STRIDED = 2  # how an operand whose walk is not known is walked
_LANES_IN_TURN = 64  # accumulators of a reduction
_LOADS = 8  # words of 16 bytes that a reducing thread has under way
_OPTIONS = ["--fmad=false", "-w"]
_INCLUDE = re.compile(r'^#include "(.+)"\n', re.MULTILINE)


@functools.cache
def load_template(name: str) -> string.Template:
    """The file `name`, with its folder, of ``templates``.

    Files of ``templates`` that it includes stand in it, fields and all.
    """
    path = os.path.join(os.path.dirname(__file__), "templates", name)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    return string.Template(
        _INCLUDE.sub(lambda found: load_template(found[1]).template, text)
    )


# --- kernels -------------------------------------------------------------


def device_attribute(name: str) -> int:
    """An attribute of the current context's device, by its PyCUDA name."""
    from pycuda import driver

    attribute = getattr(driver.device_attribute, name)
    return driver.Context.get_device().get_attribute(attribute)


def runs_threads_in_turn() -> bool:
    """Whether a multiprocessor is a processor core.

    An integrated device with full double precision throughput is one: it
    gains nothing from many threads in a block or from wide loads.
    """
    return (
        device_attribute("INTEGRATED") == 1
        and device_attribute("SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO") <= 2
    )


def compile_kernel(source: str, types: tuple, name: str) -> Any:
    """The Function `name` of `source`, with what `types` need before it."""
    from pycuda.compiler import SourceModule

    parts = []
    if any(dtype.char == "e" for dtype in types):
        parts.append("#include <cuda_fp16.h>\n")
    if any(dtype.char == "E" for dtype in types):
        parts.append(load_template("numbers/bfloat16.cuh").template)
    if any(dtype.kind == "c" for dtype in types):
        parts.append("#include <pycuda-complex.hpp>\n")
        parts.append(load_template("numbers/complex.cuh").template)
    parts += [load_template("numbers/arithmetic.cuh").template]
    parts += _functions_in(source, types)
    parts += [source]
    module = SourceModule("\n".join(parts), options=_OPTIONS, no_extern_c=True)
    return module.get_function(name)


def _functions_in(source: str, types: tuple) -> list[str]:
    """The headers of the functions that a source calls."""
    names = []
    if "number_" in source:
        names += ["functions"]
        if any(dtype.kind == "c" for dtype in types):
            names += ["complex_numbers"]
        if "number_half" in source:
            names += ["half_functions"]
        if "number_bfloat16" in source:
            names += ["bfloat16_functions"]
    if "principal_" in source:
        names += ["complex_functions"]
    return [load_template(f"numbers/{name}.cuh").template for name in names]


def _indent(lines: list[str], depth: int) -> str:
    return "\n".join(" " * depth + line for line in lines)


class _Map(NamedTuple):
    """Source of one element-wise kernel; fields as task.c lists them."""

    operation: str
    stored: tuple  # dtypes of the arrays; None: a scalar
    loop: tuple
    result: np.dtype
    out: np.dtype
    layout: str
    ndim: int
    inner: tuple[int, ...]
    wide: bool

    @property
    def arrays(self) -> list[int]:
        """Which of the inputs are arrays."""
        return [k for k, dtype in enumerate(self.stored) if dtype is not None]

    @property
    def name(self) -> str:
        """Of the kernel."""
        return f"{self.operation}_{self.layout}"

    def parameters(self) -> str:
        texts = [f"{c_type(self.out)} *out"]
        for k, (stored, loop) in enumerate(
            zip(self.stored, self.loop, strict=True)
        ):
            if stored is None:
                texts.append(f"const {c_type(loop)} scalar{k}")
            else:
                texts.append(f"const {c_type(stored)} *in{k}")
        return ", ".join(texts)

    def loads(self, element: Callable[[int], str]) -> list[str]:
        """`const float x = in0[i];` for each input."""
        lines = []
        for k, (stored, loop) in enumerate(
            zip(self.stored, self.loop, strict=True)
        ):
            inner = computed(loop)
            if stored is None:
                value = cast(f"scalar{k}", loop, inner)
            else:
                # An input is first rounded to the type that numpy has.
                value = cast(cast(element(k), stored, loop), loop, inner)
            lines.append(f"const {c_type(inner)} {'xyz'[k]} = {value};")
        return lines

    def value(self) -> str:
        types = tuple(computed(dtype) for dtype in self.loop)
        result = computed(self.result)
        operation = self.operation
        if self.loop:
            short = (self.loop[0].char, operation)
            operation = functions.SHORT.get(short, operation)
        text = expression_of(operation, types)
        text = f"({c_type(result)})({text})"
        if result != self.result:
            text = cast(text, result, self.result)
        if self.result.kind == "c" and c_type(self.result) != c_type(self.out):
            text = f"({text})"
        return cast(text, self.result, self.out)

    def dense(self) -> str:
        return load_template("map/dense.cu").substitute(
            name=self.name,
            parameters=self.parameters(),
            loads=_indent(self.loads(lambda k: f"in{k}[i]"), 8),
            result=self.value(),
        )

    def width(self) -> int:
        types = [self.out, *(self.stored[k] for k in self.arrays)]
        return max(1, 16 // max(dtype.itemsize for dtype in types))

    def aligned(self) -> str:
        packs = [
            f"const Pack<{c_type(self.stored[k])}> pack{k} = "
            f"*reinterpret_cast<const Pack<{c_type(self.stored[k])}> *>"
            f"(in{k} + first);"
            for k in self.arrays
        ]
        index = (
            ["const unsigned long long i = first + k;"]
            if self.operation == "arange"
            else []
        )
        return load_template("map/aligned.cu").substitute(
            name=self.name,
            parameters=self.parameters(),
            width=self.width(),
            out_type=c_type(self.out),
            packs=_indent(packs, 8),
            pack_loads=_indent(
                index + self.loads(lambda k: f"pack{k}.at[k]"), 12
            ),
            loads=_indent(self.loads(lambda k: f"in{k}[i]"), 12),
            result=self.value(),
        )

    def _row(self, operand: int, dtype: np.dtype, name: str) -> str:
        const = "" if name == "out" else "const "
        pointer = f"{const}{c_type(dtype)} *"
        bytes_ = f"{const}char *"
        return (
            f"{pointer}{name}_row = ({pointer})"
            f"(({bytes_}){name} + offset[{operand}]);"
        )

    def _element(
        self, operand: int, dtype: np.dtype, name: str, step: int = 0
    ) -> str:
        """Element j of a row; `step`: a walk in elements, if it is known."""
        walk = self.inner[operand] if self.inner else 0
        if walk == 0:
            return f"{name}_row"
        if walk == 1:
            return f"({name}_row + j)"
        if step:
            return f"({name}_row + j * {step})"
        const = "" if name == "out" else "const "
        return (
            f"(({const}{c_type(dtype)} *)(({const}char *){name}_row + j * "
            f"layout.strides[{operand}][{self.ndim - 1}]))"
        )

    def _operands(self) -> dict[int, int]:
        """Input -> its place in the layout."""
        return {k: at + 1 for at, k in enumerate(self.arrays)}

    def _rows(self) -> list[str]:
        """Pointers to where a row, or a tile, begins."""
        operand = self._operands()
        rows = [self._row(0, self.out, "out")]
        return rows + [
            self._row(operand[k], self.stored[k], f"in{k}")
            for k in self.arrays
        ]

    def _row_loads(self, step: int = 0) -> list[str]:
        operand = self._operands()
        return self.loads(
            lambda k: (
                "(*"
                + self._element(operand[k], self.stored[k], f"in{k}", step)
                + ")"
            )
        )

    def _strided_fields(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "parameters": self.parameters(),
            "ndim": self.ndim,
            "operands": len(self.arrays) + 1,
            "result": self.value(),
        }

    def strided(self, template: str) -> str:
        return load_template(template).substitute(
            self._strided_fields(),
            index_type="unsigned long long" if self.wide else "unsigned int",
            rows=_indent(self._rows(), 4 if self.layout == "rows" else 8),
            loads=_indent(self._row_loads(), 8),
            out_element=self._element(0, self.out, "out"),
        )

    def rows_in_turn(self) -> str:
        if not self.inner:
            inner = (_STRIDED,) * (len(self.arrays) + 1)
            return self._replace(inner=inner).rows_in_turn()
        types = [self.out, *(self.stored[k] for k in self.arrays)]
        strided = [
            (f"layout.strides[{k}][{self.ndim - 1}]", c_type(dtype))
            for k, dtype in enumerate(types)
            if self.inner[k] == _STRIDED
        ]
        loops = [self._loop(0)]
        for step in _STEPS_IN_TURN if strided else ():
            known = " && ".join(
                f"{stride} == {step} * (long long)sizeof({kind})"
                for stride, kind in strided
            )
            head, tail = f"        if ({known}) {{\n", "        } else {\n"
            loops = [head, self._loop(step), tail, *loops, "        }\n"]
        return load_template("map/rows_thread.cu").substitute(
            self._strided_fields(),
            part=_PART_IN_TURN,
            rows=_indent(self._rows(), 8),
            loops="".join(loops).rstrip("\n"),
        )

    def _loop(self, step: int) -> str:
        """Over a run of a row."""
        return load_template("map/row_loop.cu").substitute(
            result=self.value(),
            loads=_indent(self._row_loads(step), 12),
            out_element=self._element(0, self.out, "out", step),
        )

    def packs(self) -> str:
        operand = self._operands()
        packed = [k for k in self.arrays if self.inner[operand[k]] == 1]
        packs = [
            f"const Pack<{c_type(self.stored[k])}> pack{k} = "
            f"*reinterpret_cast<const Pack<{c_type(self.stored[k])}> *>"
            f"(in{k}_row + first);"
            for k in packed
        ]
        loads = self.loads(
            lambda k: f"pack{k}.at[k]" if k in packed else f"(*in{k}_row)"
        )
        return load_template("map/packs.cu").substitute(
            self._strided_fields(),
            width=self.width(),
            out_type=c_type(self.out),
            rows=_indent(self._rows(), 4),
            packs=_indent(packs, 8),
            pack_loads=_indent(loads, 12),
            loads=_indent(self._row_loads(), 12),
            out_element="(out_row + j)",
        )

    def _in_tile(
        self, operand: int, dtype: np.dtype, name: str, slow: str, fast: str
    ) -> str:
        """An element of a tile; `slow` counts along the axis before."""
        const = "" if name == "out" else "const "
        strides = f"layout.strides[{operand}]"
        step = f"{strides}[LAST]"
        if self.inner[operand] == 1:
            step = f"(long long)sizeof({c_type(dtype)})"
        return (
            f"(*({const}{c_type(dtype)} *)(({const}char *){name}_row + "
            f"{slow} * {strides}[BEFORE] + {fast} * {step}))"
        )

    def tiles_in_turn(self) -> str:
        operand, turns = self._operands(), []
        if self.operation != "copy":
            turned = [k for k in self.arrays if self.inner[operand[k]] == 3]
            for k in turned:
                kind = c_type(self.stored[k])
                element = self._in_tile(
                    operand[k], self.stored[k], f"in{k}", "fast", "slow"
                )
                turns += [
                    f"{kind} turned{k}[SIDE][SIDE];",
                    "for (int slow = 0; slow < fast_end; slow++) {",
                    "    for (int fast = 0; fast < slow_end; fast++) {",
                    f"        turned{k}[fast][slow] = {element};",
                    "    }",
                    "}",
                ]
        else:
            turned = []
        loads = self.loads(
            lambda k: (
                f"turned{k}[slow][fast]"
                if k in turned
                else self._in_tile(
                    operand[k], self.stored[k], f"in{k}", "slow", "fast"
                )
            )
        )
        out = self._in_tile(0, self.out, "out", "slow", "fast")
        return load_template("map/tiles_thread.cu").substitute(
            self._strided_fields(),
            side=_TILE_SIDE_IN_TURN,
            rows=_indent(self._rows(), 4),
            turns=_indent(turns, 4),
            loads=_indent(loads, 12),
            out_element=f"&{out}",
        )

    def tiles(self) -> str:
        operand, side = self._operands(), self.side()
        memory, buffers, turns = [], [], []
        across_loads, direct_loads = [], []
        for k in self.arrays:
            kind, at = c_type(self.stored[k]), operand[k]
            buffers.append(f"{kind} buffer{k}[DOWN][WIDE];")
            turned = self.inner[at] == 3
            order = ("fast", "slow") if turned else ("slow", "fast")
            element = self._in_tile(at, self.stored[k], f"in{k}", *order)
            load = f"buffer{k}[a][b] = {element};"
            (across_loads if turned else direct_loads).append(load)
            if turned:
                pitch = side + max(1, 4 // self.stored[k].itemsize)
                memory += [
                    f"__shared__ __align__(16) unsigned char memory{k}"
                    f"[SIDE * {pitch} * sizeof({kind})];",
                    f"{kind} (*tile{k})[{pitch}] = "
                    f"reinterpret_cast<{kind} (*)[{pitch}]>(memory{k});",
                ]
                turns.append(f"tile{k}[slow][fast] = buffer{k}[a][b];")
        loads = self.loads(
            lambda k: (
                f"tile{k}[fast][slow]"
                if self.inner[operand[k]] == 3
                else f"buffer{k}[a][b]"
            )
        )
        out = self._in_tile(0, self.out, "out", "slow", "fast")
        return load_template("map/tiles.cu").substitute(
            self._strided_fields(),
            block=_BLOCK,
            side=side,
            memory=_indent(memory, 4),
            rows=_indent(self._rows(), 4),
            buffers=_indent(buffers, 4),
            across_loads=_indent(across_loads, 16),
            direct_loads=_indent(direct_loads, 16),
            turns=_indent(turns, 12),
            loads=_indent(loads, 16),
            out_element=f"&{out}",
        )

    def side(self) -> int:
        """Of a tile: what fits shared memory and registers."""
        widest = max(self.stored[k].itemsize for k in self.arrays)
        return 64 if widest <= 4 and len(self.arrays) < 3 else 32

    def types(self) -> tuple:
        return (
            *(dtype for dtype in self.stored if dtype is not None),
            *self.loop,
            self.result,
            self.out,
        )

    def source(self, in_turn: bool) -> tuple[str, int, int]:
        """(CUDA C, threads of a block, elements of a thread)."""
        if self.layout == "tiles" and in_turn:
            return self.tiles_in_turn(), 1, _TILE_SIDE_IN_TURN
        if self.layout == "tiles":
            return self.tiles(), _BLOCK, self.side()
        if self.layout == "packs" and not in_turn:
            return self.packs(), _BLOCK, self.width()
        if self.layout == "aligned" and not in_turn:
            return self.aligned(), _BLOCK, self.width()
        if self.layout in ("flat", "rows", "packs") and in_turn:
            return self.rows_in_turn(), 1, _PART_IN_TURN
        if self.layout == "flat":
            # a thread finds all of an element's place
            flat = self._replace(inner=())
            return flat.strided("map/flat.cu"), _BLOCK, 1
        if self.layout == "rows":
            return self.strided("map/rows.cu"), _BLOCK, 1
        return self.dense(), _BLOCK, 1

    def make(self) -> tuple[Any, int, int, int]:
        source, block, per_thread = self.source(runs_threads_in_turn())
        function = compile_kernel(source, self.types(), self.name)
        return function, block, per_thread, 0


# name -> how its values combine
_REDUCTIONS = {
    "sum": "sum",
    "dot": "sum",
    "any": "any",
    "all": "all",
    "max": "max",
    "min": "min",
}


def _combine(kind: str, dtype: np.dtype) -> str:
    if kind == "sum":
        return expression_of("add", (dtype, dtype))
    if kind in ("any", "all"):
        return "x || y" if kind == "any" else "x && y"
    name = "maximum" if kind == "max" else "minimum"
    return expression_of(name, (dtype, dtype))


def _lowest(dtype: np.dtype) -> str:
    """The least value of a dtype as C."""
    if dtype.kind == "b":
        return "false"
    if dtype.kind == "u":
        return "0"
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        return f"(-{info.max}LL - 1)"
    return "-INFINITY"


def _highest(dtype: np.dtype) -> str:
    if dtype.kind == "b":
        return "true"
    if dtype.kind == "u":
        return f"{np.iinfo(dtype).max}ULL"
    if dtype.kind == "i":
        return f"{np.iinfo(dtype).max}LL"
    return "INFINITY"


def neutral_of(kind: str, dtype: np.dtype) -> str:
    """C of the value that changes no result of the reduction `kind`."""
    if kind == "sum":
        return "Value(0)"
    if kind in ("any", "all"):
        return "false" if kind == "any" else "true"
    limit = _lowest(dtype) if kind == "max" else _highest(dtype)
    if dtype.kind == "c":
        return f"Value({limit}, {limit})"
    return f"Value({limit})"


def _mapped(types: tuple, out: np.dtype, element: str = "in{k}[i]") -> str:
    """C for the value that element i contributes."""
    casts = [
        cast(element.format(k=k), dtype, out) for k, dtype in enumerate(types)
    ]
    if len(casts) == 1:
        return casts[0]
    return f"multiply_values({casts[0]}, {casts[1]})"


def _packed_fields(types: tuple, out: np.dtype) -> dict[str, Any]:
    """Of the template of reductions that load words of 16 bytes."""
    width = max(1, 16 // max(dtype.itemsize for dtype in types))
    each = _LOADS // len(types)
    packs, loads = [], []
    for k, dtype in enumerate(types):
        kind = f"Pack<{c_type(dtype)}>"
        packs.append(f"{kind} pack{k}[{each}];")
        loads.append(
            f"pack{k}[j] = *reinterpret_cast<const {kind} *>"
            f"(in{k} + at + j * {_BLOCK * width});"
        )
    addresses = (f"(unsigned long long)in{k}" for k in range(len(types)))
    return {
        "width": width,
        "packs_each": each,
        "tile": _BLOCK * width * each,
        "addresses": " | ".join(addresses),
        "packs": _indent(packs, 12),
        "pack_loads": _indent(loads, 16),
        "map_packed": _mapped(types, out, "pack{k}[j].at[k]"),
    }


def _reduction_source(
    name: str, stage: int, types: tuple, out: np.dtype, serial: bool
) -> tuple[str, int]:
    """(CUDA C, elements of a tile)."""
    from pycuda._kernels.axes import kept_sums

    kind = _REDUCTIONS[name]
    block = 1 if serial else _BLOCK
    fields = {
        "name": f"{name}_stage{stage}",
        "type": c_type(out),
        "combine": _combine(kind, out),
        "parameters": ", ".join(
            f"const {c_type(dtype)} *in{k}" for k, dtype in enumerate(types)
        ),
        "neutral": neutral_of(kind, out),
        "map": _mapped(types, out),
        "block": block,
        "lanes": _LANES_IN_TURN,
        "tile": _SHARE_IN_TURN,
    }
    fields |= kept_sums(out, kind != "sum" or out.kind not in "fc")
    fields["keep_functions"] = "".join(
        load_template(part).substitute(fields)
        for part in ("reduce/keep.cuh", "reduce/combined.cuh")
    )
    template = "reduce/reduce.cu"
    if not serial:
        template = "reduce/packs.cu"
        fields |= _packed_fields(types, out)
    how = "reduce/thread.cuh" if serial else "reduce/block.cuh"
    fields["block_sum"] = load_template(how).substitute(fields)
    fields["share"] = load_template("reduce/share.cuh").substitute(fields)
    fields["finish"] = load_template("reduce/finish.cu").substitute(fields)
    return load_template(template).substitute(fields), fields["tile"]


def make_reduction(
    name: str, stage: int, types: tuple, out: np.dtype
) -> tuple[Any, int, int, int]:
    """The kernel of one stage of a reduction, and how it is launched."""
    serial = runs_threads_in_turn()
    source, tile = _reduction_source(name, stage, types, out, serial)
    product = expression_of("multiply", (out, out))
    helper = (
        f"__device__ inline {c_type(out)} multiply_values({c_type(out)} x, "
        f"{c_type(out)} y)\n{{\n    return {product};\n}}\n"
    )
    function = compile_kernel(
        helper + source, (*types, out), f"{name}_stage{stage}"
    )
    if serial:
        return function, 1, tile, 4096
    most = 4 * device_attribute("MULTIPROCESSOR_COUNT")
    return function, _BLOCK, tile // _BLOCK, most


_UNITS = {
    1: "unsigned char",
    2: "unsigned short",
    4: "unsigned int",
    8: "unsigned long long",
}


# What arithmetic is there for, by numpy's character.
ARITHMETIC = "?bBhHiIlLqQeEfdFD"

_MOVES = {
    "get": "*(Item *)(plain + offset[0]) = inside ? *(const Item *)(indexed + "
    "offset[1]) : Item{};",
    "set": "if (inside) {\n        *(Item *)(indexed + offset[1]) = "
    "*(const Item *)(plain + offset[0]);\n    }",
    "fill": "if (inside) {\n        *(Item *)(indexed + offset[1]) = plain;"
    "\n    }",
}


def make_move(
    direction: str,
    unit: int,
    count: int,
    ndim: int,
    indices: tuple[np.dtype, ...],
    wide: bool,
) -> Any:
    """The kernel of ``index/move.cu`` for indices of these dtypes.

    Parameters
    ----------
    direction
        "get" from the indexed array, "set" in it, or "fill" it with an
        element that is passed by value.
    unit, count
        An element is `count` words of `unit` bytes.
    wide
        Whether there are more than 2**31 elements.
    """
    resolve = []
    for k, dtype in enumerate(indices):
        resolve += [
            f"place = place_of(*(const {c_type(dtype)} *)(index{k} + "
            f"offset[{k + 2}]), layout.length[{k}]);",
            "if (place < 0) {",
            f"    note(fault, layout.axis[{k}], (long long)*(const "
            f"{c_type(dtype)} *)(index{k} + offset[{k + 2}]), "
            f"layout.length[{k}]);",
            "    inside = false;",
            "}",
            f"offset[1] += place * layout.step[{k}];",
        ]
    source = load_template("index/move.cu").substitute(
        unit=_UNITS[unit],
        count=count,
        indices=len(indices),
        ndim=ndim,
        plain="const Item plain" if direction == "fill" else "char *plain",
        parameters="".join(
            f"const char *index{k},\n{' ' * 32}" for k in range(len(indices))
        ),
        index_type="unsigned long long" if wide else "unsigned int",
        resolve=_indent(resolve, 4),
        move=_MOVES[direction],
    )
    return compile_kernel(source, (), "move")


def make_take(
    unit: int, count: int, index: np.dtype, axis: int
) -> tuple[Any, int, int]:
    """(kernel of ``index/take.cu``, threads of a block, each's elements).

    Elements are `count` words of `unit` bytes; a fault names `axis`.
    """
    in_turn = runs_threads_in_turn()
    block, each = (1, _PART_IN_TURN) if in_turn else (_BLOCK, 1)
    source = load_template("index/take.cu").substitute(
        unit=_UNITS[unit],
        count=count,
        index=c_type(index),
        axis=axis,
        each=each,
    )
    return compile_kernel(source, (), "take"), block, each


def make_repeat_in_turn(unit: int, count: int, copies: int) -> tuple[Any, int]:
    """(kernel of ``templates/index/repeat_thread.cu``, elements of a block).

    Elements are `count` words of `unit` bytes.
    """
    each = max(1, _PART_IN_TURN // copies)
    source = load_template("index/repeat_thread.cu").substitute(
        unit=_UNITS[unit], count=count, copies=copies, each=each
    )
    return compile_kernel(source, (), "repeat"), each


def make_compact() -> Any:
    """``out[ends[i] - 1] = i`` where ends grow; of (out, ends, size)."""
    source = load_template("index/compact.cu").template
    return compile_kernel(source, (), "compact")


def make_compact_in_turn(unit: int, count: int) -> tuple[Any, Any]:
    """(count, compact) of ``templates/index/compact_thread.cu``.

    Elements are `count` words of `unit` bytes; with a unit of 0 the indices
    (int64) of those that are chosen are wanted instead.
    """
    source = load_template("index/compact_thread.cu").substitute(
        unit=_UNITS[unit or 8],
        count=count,
        item="items[first + i]"
        if unit
        else "Item{{(unsigned long long)(first + i)}}",
    )
    counting = compile_kernel(source, (), "count")
    return counting, compile_kernel(source, (), "compact")


def make_kernel(key: tuple) -> tuple[Any, int, int, int]:
    """Compile the kernel that a key of the C extension describes.

    Returns
    -------
    tuple
        The `pycuda.driver.Function`, the threads of a block, the elements
        that a thread does, and for reductions the most blocks of stage 1.
    """
    kind, *fields = key
    return _Map(*fields).make() if kind == "map" else make_reduction(*fields)


_driver._set_kernel_factory(make_kernel)
_driver._set_type_resolver(resolve_types)
