"""Building blocks of random kernels, and the NumPy machine that runs them.

An expression or a statement is a pair of C text and a Python function that
does the same for all threads of a block together, as arrays with a mask.
"""

# SPDX-License-Identifier: MIT

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

INPUT = 256
# Items of a shared array: a power of two, at least the largest block size.
SIZE = 256


class Machine:
    """State of one block; each value is an array with one item per thread."""

    def __init__(self, kernel, ctaid, data) -> None:
        block = kernel.block
        self.threads = threads = block[0] * block[1] * block[2]
        t = np.arange(threads, dtype=np.uint32)
        self.data = data
        self.loops = []
        self.alive = np.ones(threads, bool)
        self.shared = {}
        self.local = {}
        self.vars = {
            "t": t,
            "threadIdx.x": t % np.uint32(block[0]),
            "threadIdx.y": t // np.uint32(block[0]) % np.uint32(block[1]),
            "threadIdx.z": t // np.uint32(block[0] * block[1]),
            "p": self.fill(kernel.p),
            "q": self.fill(kernel.q),
            "n": self.fill(threads),
        }
        for axis, size, at in zip("xyz", kernel.grid, ctaid, strict=True):
            self.vars[f"gridDim.{axis}"] = self.fill(size)
            self.vars[f"blockIdx.{axis}"] = self.fill(at)
        for axis, size in zip("xyz", block, strict=True):
            self.vars[f"blockDim.{axis}"] = self.fill(size)
        for name in ("t", "threadIdx.x"):
            self.vars[f"({name} / 16)"] = self.vars[name] // np.uint32(16)
        self.out = np.zeros(threads, np.uint32)

    def fill(self, value) -> np.ndarray:
        return np.full(self.threads, value, np.uint32)

    def set(self, name, value, mask) -> None:
        old = self.vars.get(name)
        if old is None:
            self.vars[name] = value.copy()
        else:
            self.vars[name] = np.where(mask, value, old)


@dataclass
class Expr:
    text: str
    value: Callable[[Machine], np.ndarray]


@dataclass
class Stmt:
    lines: list[str]
    # Each statement's function returns the mask of threads that continue.
    run: Callable[[Machine, np.ndarray], np.ndarray]


@dataclass
class Shared:
    """Allowed use of a shared array until the next barrier.

    "free": any use; "read": all threads read; "own": each thread uses only
    item t ^ key; the name of an operation: only that atomic operation;
    "unknown": none.
    """

    name: str
    mode: str = "free"
    key: int = 0


def sequence(body: list[Stmt]) -> Callable:
    def run(machine, mask):
        for statement in body:
            if not mask.any():
                break
            mask = statement.run(machine, mask)
        return mask

    return run


def indent(body: list[Stmt]) -> list[str]:
    return ["    " + line for statement in body for line in statement.lines]


def u32(value) -> np.ndarray:
    return np.asarray(value).astype(np.uint32)


OPERATIONS = {
    "{} + {}": lambda a, b: a + b,
    "{} - {}": lambda a, b: a - b,
    "{} * {}": lambda a, b: a * b,
    "{} ^ {}": lambda a, b: a ^ b,
    "{} & {}": lambda a, b: a & b,
    "{} | {}": lambda a, b: a | b,
    "{} / ({} | 1u)": lambda a, b: a // (b | np.uint32(1)),
    "{} % ({} | 1u)": lambda a, b: a % (b | np.uint32(1)),
    "{} << ({} & 7u)": lambda a, b: a << (b & np.uint32(7)),
    "{} >> ({} & 15u)": lambda a, b: a >> (b & np.uint32(15)),
    "min({}, {})": np.minimum,
    "umulhi({}, {})": lambda a, b: u32(
        (a.astype(np.uint64) * b.astype(np.uint64)) >> np.uint64(32)
    ),
    "(unsigned)max((int){}, (int){})": lambda a, b: np.maximum(
        a.view(np.int32), b.view(np.int32)
    ).view(np.uint32),
    "(unsigned)((int){} >> ({} & 7u))": lambda a, b: (
        a.view(np.int32) >> (b & np.uint32(7)).view(np.int32)
    ).view(np.uint32),
    "(unsigned)(signed char)({} + {})": lambda a, b: u32(
        (a + b).astype(np.int8).astype(np.int32).view(np.uint32)
    ),
}
BOUNDS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
COMPARISONS = {
    "{} < {}": lambda a, b: a < b,
    "(int){} <= (int){}": lambda a, b: a.view(np.int32) <= b.view(np.int32),
    "{} != {}": lambda a, b: a != b,
    "({} & 7u) == ({} & 7u)": lambda a, b: (
        (a & np.uint32(7)) == (b & np.uint32(7))
    ),
    "({} & 3u) > ({} & 3u)": lambda a, b: (
        (a & np.uint32(3)) > (b & np.uint32(3))
    ),
}
ATOMICS = {
    "atomicAdd": np.add,
    "atomicXor": np.bitwise_xor,
    "atomicOr": np.bitwise_or,
    "atomicMax": np.maximum,
    "atomicMin": np.minimum,
}
