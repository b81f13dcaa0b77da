"""Every warp function in every situation that a program may create.

`CASES` lists them; `run` runs one on the current device and returns its
results as text. A case is a kernel (an operation of a type, in a shape of
control flow) and its data: the block, the lanes that take the branch, each
lane's mask, argument and value. `tools/record_warps.py` records a GPU's
results; test_warp_table.py compares with the recorded table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from warp_operations import OPERATIONS, SHAPES, Operation

import pycuda.driver as cuda

WARP = 32
FULL = 0xFFFFFFFF
POISON = 0xA5A5A5A5A5A5A5A5
#: Lanes that take the branch, or do not return.
SOME = (0x000000FF, 0xFFFFFF00, 0x55555555, 0x7FFFFFFF)
#: More block shapes, for cases in which all lanes take part.
WHOLE = [(8, 1), (40, 1), (16, 4)]
RANDOM = np.random.default_rng(7).integers(0, 32, WARP)

#: Mask of each lane as a function of the lane, the lanes in the branch, and
#: the lanes that the warp has.
MASKS = {
    "full": lambda lane, here, there: FULL,
    "here": lambda lane, here, there: here,
    "there": lambda lane, here, there: there,
    "halves": lambda lane, here, there: 0xFFFF << (lane & 16),
    "pairs": lambda lane, here, there: 3 << (lane & 30),
    "own": lambda lane, here, there: 1 << lane,
    "others": lambda lane, here, there: FULL ^ (1 << lane),
    "none": lambda lane, here, there: 0,
    "low": lambda lane, here, there: 0xFF,
    "mixed": lambda lane, here, there: FULL if lane < 16 else 0xFFFF0000,
}
#: Argument of each lane, if it differs between lanes.
ARGUMENTS = {
    "lane": lambda lane: lane,
    "reverse": lambda lane: 31 - lane,
    "random": lambda lane: int(RANDOM[lane]),
}
#: Number of each thread, from which its value is derived.
VALUES = {
    "distinct": lambda thread: thread + 1,
    "equal": lambda thread: 5,
    "parity": lambda thread: thread & 1,
    "zero": lambda thread: 0,
    "most": lambda thread: int(thread % WARP != 3),
    "thirds": lambda thread: thread % 3,
}


def _words(kind: str, number: int) -> int:
    """Return the bits of a type's value that represents a number."""
    half = np.array([number + 0.5, -number], np.float16).view(np.uint16)
    bfloat = np.array([number, -number], np.float32).view(np.uint32) >> 16
    made = {
        "int": number,
        "unsigned": number | 0x80000000,
        "float": int(np.float32(number + 0.5).view(np.uint32)),
        "double": int(np.float64(number + 0.1).view(np.uint64)),
        "__half": int(half[0]),
        "__half2": int(half[0]) | int(half[1]) << 16,
        "__nv_bfloat16": int(bfloat[0]),
        "__nv_bfloat162": int(bfloat[0]) | int(bfloat[1]) << 16,
    }
    return made.get(kind, number | (number + 256) << 32)


@dataclass(frozen=True)
class Case:
    """One launch of one kernel."""

    operation: Operation
    shape: str
    block: tuple[int, int] = (32, 1)
    mask: str = "full"
    argument: int | str = 1
    width: int = 32
    here: int = FULL
    value: str = "distinct"

    @property
    def kernel(self) -> str:
        return f"{self.shape}_{self.operation.name}"

    @property
    def name(self) -> str:
        """The name of the case in the table."""
        parts = [self.kernel, "x".join(map(str, self.block))]
        if not self.operation.fixed:
            parts += [self.mask, str(self.argument), str(self.width)]
        return " ".join([*parts, f"{self.here:08x}", self.value])

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1]

    @cached_property
    def inputs(self) -> np.ndarray:
        """Return the bits of each thread's value."""
        number, kind = VALUES[self.value], self.operation.type
        return np.array(
            [_words(kind, number(t)) for t in range(self.threads)], np.uint64
        )

    @property
    def masks(self) -> np.ndarray:
        """Return the mask of each thread."""
        made = []
        for thread in range(self.threads):
            left = min(WARP, self.threads - thread // WARP * WARP)
            there = (1 << left) - 1
            mask = MASKS[self.mask](thread % WARP, self.here, there)
            made.append(mask & FULL)
        return np.array(made, np.uint32)

    @property
    def arguments(self) -> np.ndarray:
        """Return each lane's argument, then those of the other branch."""
        if isinstance(self.argument, str):
            row = [ARGUMENTS[self.argument](lane) for lane in range(WARP)]
        else:
            row = [self.argument] * WARP
        both = np.array([row, np.array(row) + 1], np.int64)
        return both.astype(np.uint32).view(np.int32)


# ---- list of the cases ----


def _straight_shuffles(operation: Operation) -> Iterator[Case]:
    for block, widths, arguments in (
        ((32, 1), (32, 16, 8, 4, 2, 1), (0, 1, 3, 5, 8, 16, 31)),
        ((24, 1), (32, 16, 8, 4, 2, 1), (1, 3, 8, 16)),
        ((8, 1), (32, 8), (1, 16)),
        ((40, 1), (32, 8), (1, 16)),
        ((5, 5), (32, 8), (1, 16)),
        ((32, 1), (0, 3, 12, 33, 64, -1), (1, 5, 9)),
        ((32, 1), (32, 8), (-1, 32, 33, 100, -(2**31))),
        ((32, 1), (32, 8), tuple(ARGUMENTS)),
        ((24, 1), (32, 8), tuple(ARGUMENTS)),
    ):
        for width in widths:
            for argument in arguments:
                yield Case(
                    *(operation, "straight", block, "full", argument, width)
                )
    for block in (32, 1), (24, 1):
        for mask in set(MASKS) - {"full", "here"}:
            for argument in 1, 16:
                yield Case(operation, "straight", block, mask, argument)


def _other_types(operation: Operation) -> Iterator[Case]:
    if operation.group != "shuffle":
        for block in (32, 1), (24, 1):
            for value in "equal", "thirds", "distinct":
                yield Case(operation, "straight", block, value=value)
        return
    for block in (32, 1), (24, 1):
        for width in 32, 8:
            for argument in 1, 3, 16:
                yield Case(
                    *(operation, "straight", block, "full", argument, width)
                )
    for argument in 1, 16:
        yield Case(*(operation, "branch", (32, 1), "full", argument, 32, 0xFF))


def _straight_votes(operation: Operation) -> Iterator[Case]:
    for block in (32, 1), (24, 1), (8, 1), (40, 1), (5, 5):
        for mask in MASKS.keys() - {"here"}:
            for value in operation.values:
                yield Case(operation, "straight", block, mask, value=value)


def _apart(operation: Operation) -> Iterator[Case]:
    """Cases in which not all lanes take part."""
    shuffle = operation.group == "shuffle"
    for shape in operation.shapes:
        for here in SOME if shape != "straight" else ():
            for mask in ("full",) if operation.fixed else ("full", "here"):
                for argument in (1, 16) if shuffle else (1,):
                    yield Case(
                        *(operation, shape, (32, 1), mask, argument, 32),
                        here=here,
                        value=operation.values[0],
                    )
        yield Case(
            *(operation, shape, (24, 1)),
            here=0x0000FF0F,
            value=operation.values[0],
        )


def _groups(operation: Operation) -> Iterator[Case]:
    """Operations of cooperative groups, which compute their own masks."""
    for shape in operation.shapes:
        for block in (32, 1), (24, 1), (8, 1), (40, 1):
            for argument in (1, 5) if "A" in operation.text else (1,):
                here = 0x00F3FF0F
                if shape == "straight":
                    here = FULL
                yield Case(
                    *(operation, shape, block, "full", argument),
                    here=here,
                    value=operation.values[0],
                )


def _masked(operation: Operation) -> Iterator[Case]:
    """Operations with masks that leave out lanes, or differ between them."""
    for mask in () if operation.fixed else MASKS.keys() - {"full", "here"}:
        for block in (32, 1), (24, 1):
            yield Case(operation, "straight", block, mask)
    parameter = operation.name.endswith("param")
    for shape in operation.shapes:
        whole = shape in ("straight", "warp")
        for block in (32, 1), (24, 1), *WHOLE * whole:
            for here in 0xFF, 0xFFFF, 0xFF00, FULL:
                if here == FULL if whole and not parameter else here != FULL:
                    yield Case(operation, shape, block, here=here)


def _cases() -> Iterator[Case]:
    for operation in OPERATIONS:
        if operation.module == "masks":
            yield from _masked(operation)
        elif operation.module == "groups":
            yield from _groups(operation)
        elif operation.fixed:
            for block in (32, 1), (24, 1):
                yield Case(
                    *(operation, "straight", block),
                    value=operation.values[0],
                )
            yield from _apart(operation)
        elif operation.few:
            yield from _other_types(operation)
        else:
            straight = (
                _straight_shuffles
                if operation.group == "shuffle"
                else _straight_votes
            )
            yield from straight(operation)
            yield from _apart(operation)


CASES = sorted(
    {case.name: case for case in _cases()}.values(), key=lambda c: c.name
)


# ---- running ----


def sources() -> dict[str, str]:
    """Return the source of each module."""
    made = {}
    for module in dict.fromkeys(o.module for o in OPERATIONS):
        shapes = {
            (case.operation, case.shape): None
            for case in CASES
            if case.operation.module == module
        }
        texts = [SHAPES[shape].kernel(o, shape) for o, shape in shapes]
        made[module] = "\n".join([SHAPES["straight"].head(module), *texts])
    return made


def run(case: Case, function: cuda.Function) -> str:
    """Run the case and return the results of all threads, as text."""
    out = np.full((2, case.threads), POISON, np.uint64)
    function(
        *(cuda.InOut(out), cuda.In(case.inputs), cuda.In(case.masks)),
        *(cuda.In(case.arguments), np.int32(case.width)),
        np.uint32(case.here),
        block=(*case.block, 1),
    )
    rows = [encode(row, case) for row in out]
    return rows[0] if rows[1] == f"-*{case.threads}" else " ; ".join(rows)


def _tokens(row: np.ndarray, case: Case) -> list[tuple[str, int]]:
    """Return each word as a token.

    ("-", 0): not written; ("#", n): value of thread n; or ("", the word).
    """
    thread_of = {}
    if case.operation.group == "shuffle" and case.value == "distinct":
        thread_of = {int(word): t for t, word in enumerate(case.inputs)}
    made = []
    for word in map(int, row):
        if word == POISON:
            made.append(("-", 0))
        elif word in thread_of:
            made.append(("#", thread_of[word]))
        else:
            made.append(("", word))
    return made


def encode(row: np.ndarray, case: Case) -> str:
    """Encode words as text: `3..7` counts up, `-*5` repeats five times."""
    tokens, parts, at = _tokens(row, case), [], 0
    while at < len(tokens):
        mark, word = tokens[at]
        shown = mark if mark == "-" else f"{mark}{word:x}"
        same = up = 1
        while tokens[at + same : at + same + 1] == [(mark, word)]:
            same += 1
        while tokens[at + up : at + up + 1] == [(mark, word + up)]:
            up += 1
        if same > 1:
            parts.append(f"{shown}*{same}")
        elif up > 2:
            parts.append(f"{shown}..{word + up - 1:x}")
        else:
            parts.append(shown)
            up = 1
        at += max(same, up)
    return " ".join(parts)
