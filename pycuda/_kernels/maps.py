"""CUDA C for element-wise operations: one kernel per layout of the operands.

The top of ``src/array/elementwise_task.c`` describes the launch parameters.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pycuda._kernels import building, functions
from pycuda._kernels.building import compile_kernel, indent, load_template
from pycuda._kernels.operations import c_type, cast, computed, expression_of
from pycuda._kernels.tuning import tuned

_BLOCK = 256
# If threads run sequentially: elements along the side of a tile, elements per
# block, and strides in elements for which a kernel has separate loops.
_TILE_SIDE_IN_TURN = 32
_PART_IN_TURN = 4096
_STEPS_IN_TURN = (-1, 2)
_STRIDED = 2  # code for an operand whose stride is known only at run time


class Map(NamedTuple):
    """Source of one element-wise kernel; elementwise_task.c has the fields."""

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
        """Indices of the inputs that are arrays."""
        return [k for k, dtype in enumerate(self.stored) if dtype is not None]

    @property
    def name(self) -> str:
        """Name of the kernel."""
        layout = "tiles" if self.is_tiled else self.layout
        return f"{self.operation}_{layout}"

    @property
    def is_tiled(self) -> bool:
        """Whether the kernel works on tiles."""
        return self.layout in ("tiles", "small_tiles")

    def parameters(self) -> str:
        """Return the kernel's parameters: the result, then the inputs."""
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
        """Return `const float x = in0[i];` for each input."""
        lines = []
        for k, (stored, loop) in enumerate(
            zip(self.stored, self.loop, strict=True)
        ):
            inner = computed(loop)
            if stored is None:
                value = cast(f"scalar{k}", loop, inner)
            else:
                # An input is first rounded to the type that NumPy would use.
                value = cast(cast(element(k), stored, loop), loop, inner)
            lines.append(f"const {c_type(inner)} {'xyz'[k]} = {value};")
        return lines

    def value(self) -> str:
        """Return C of the value to store."""
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
        """Return the source for operands that are contiguous in one order."""
        return load_template("map/dense.cu").substitute(
            name=self.name,
            parameters=self.parameters(),
            loads=indent(self.loads(lambda k: f"in{k}[i]"), 8),
            result=self.value(),
        )

    def width(self) -> int:
        """Return the number of elements in a word."""
        types = [self.out, *(self.stored[k] for k in self.arrays)]
        return max(1, 16 // max(dtype.itemsize for dtype in types))

    def aligned(self) -> str:
        """Return the source for contiguous operands, moved as words."""
        packs = [
            f"const Pack<{c_type(self.stored[k])}> pack{k} = "
            f"load_word<Pack<{c_type(self.stored[k])}>>(in{k} + first);"
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
            packs=indent(packs, 8),
            pack_loads=indent(
                index + self.loads(lambda k: f"pack{k}.at[k]"), 12
            ),
            loads=indent(self.loads(lambda k: f"in{k}[i]"), 12),
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
        """Return C for element j of a row.

        `step` is the stride in elements, if it is known at compile time.
        """
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
        """Return a map from an input to its index in the layout."""
        return {k: at + 1 for at, k in enumerate(self.arrays)}

    def _rows(self) -> list[str]:
        """Return pointers to the start of a row, or of a tile."""
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
        """Return the source with one element per thread, any strides."""
        return load_template(template).substitute(
            self._strided_fields(),
            index_type="unsigned long long" if self.wide else "unsigned int",
            rows=indent(self._rows(), 4 if self.layout == "rows" else 8),
            loads=indent(self._row_loads(), 8),
            out_element=self._element(0, self.out, "out"),
        )

    def rows_in_turn(self) -> str:
        """Return the source for rows, if threads run sequentially."""
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
            rows=indent(self._rows(), 8),
            loops="".join(loops).rstrip("\n"),
        )

    def _loop(self, step: int) -> str:
        """Return the loop over a run of a row."""
        return load_template("map/row_loop.cu").substitute(
            result=self.value(),
            loads=indent(self._row_loads(step), 12),
            out_element=self._element(0, self.out, "out", step),
        )

    def packs(self) -> str:
        """Return the source for rows that are moved as words."""
        operand = self._operands()
        packed = [k for k in self.arrays if self.inner[operand[k]] == 1]
        packs = [
            f"const Pack<{c_type(self.stored[k])}> pack{k} = "
            f"load_word<Pack<{c_type(self.stored[k])}>>(in{k}_row + first);"
            for k in packed
        ]
        loads = self.loads(
            lambda k: f"pack{k}.at[k]" if k in packed else f"(*in{k}_row)"
        )
        return load_template("map/packs.cu").substitute(
            self._strided_fields(),
            width=self.width(),
            out_type=c_type(self.out),
            rows=indent(self._rows(), 4),
            packs=indent(packs, 8),
            pack_loads=indent(loads, 12),
            loads=indent(self._row_loads(), 12),
            out_element="(out_row + j)",
        )

    def _in_tile(
        self, operand: int, dtype: np.dtype, name: str, slow: str, fast: str
    ) -> str:
        """Return C for a tile's element; `slow` is the outer index."""
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
        """Return the source for tiles, if threads run sequentially."""
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
            rows=indent(self._rows(), 4),
            turns=indent(turns, 4),
            loads=indent(loads, 12),
            out_element=f"&{out}",
        )

    def tiles(self) -> str:
        """Return the source for tiles that are transposed in shared memory."""
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
            memory=indent(memory, 4),
            rows=indent(self._rows(), 4),
            buffers=indent(buffers, 4),
            across_loads=indent(across_loads, 16),
            direct_loads=indent(direct_loads, 16),
            turns=indent(turns, 12),
            loads=indent(loads, 16),
            out_element=f"&{out}",
        )

    def side(self) -> int:
        """Return the side of a tile that fits shared memory and registers."""
        widest = max(self.stored[k].itemsize for k in self.arrays)
        if self.layout == "small_tiles" or widest > 4 or len(self.arrays) > 2:
            return 32
        return tuned("tile_side")

    def types(self) -> tuple:
        """Return all dtypes in the source."""
        return (
            *(dtype for dtype in self.stored if dtype is not None),
            *self.loop,
            self.result,
            self.out,
        )

    def source(self, in_turn: bool) -> tuple[str, int, int]:
        """Return (CUDA C, threads per block, elements per thread)."""
        if self.is_tiled and in_turn:
            return self.tiles_in_turn(), 1, _TILE_SIDE_IN_TURN
        if self.is_tiled:
            return self.tiles(), _BLOCK, self.side()
        if self.layout == "packs" and not in_turn:
            return self.packs(), _BLOCK, self.width()
        if self.layout == "aligned" and not in_turn:
            return self.aligned(), _BLOCK, self.width()
        if self.layout in ("flat", "rows", "packs") and in_turn:
            return self.rows_in_turn(), 1, _PART_IN_TURN
        if self.layout == "flat":
            # A thread computes the complete offset of an element.
            flat = self._replace(inner=())
            return flat.strided("map/flat.cu"), _BLOCK, 1
        if self.layout == "rows":
            return self.strided("map/rows.cu"), _BLOCK, 1
        return self.dense(), _BLOCK, 1

    def make(self) -> tuple[Any, int, int, int]:
        """Return the result of `factory.make_kernel`."""
        in_turn = building.runs_threads_in_turn()
        source, block, per_thread = self.source(in_turn)
        function = compile_kernel(source, self.types(), self.name)
        return function, block, per_thread, 0
