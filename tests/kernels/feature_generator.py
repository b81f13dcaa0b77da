"""Random kernels that use the less common features of CUDA C++.

The features are saturating conversions, 64-bit division, mathematical
functions outside their common range, module-scope variables, functions that
are recursive or not inlined, struct copies, variables that are not initialized
on every path, volatile shared memory, and histograms filled by all threads of
a grid. Each feature adds a number to the thread's output and computes the same
number in NumPy.
"""

# SPDX-License-Identifier: MIT

import math
import random
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from kernel_machine import INPUT

U32 = np.uint32
BLOCKS = [32, 64, 96, 256]  # multiples of the warp size
# Integer types to convert to, and the range of the source values.
TARGETS = {
    "int": (-(2**31), 2**31 - 1),
    "unsigned": (0, 2**32 - 1),
    "short": (-(2**31), 2**31 - 1),
    "unsigned char": (0, 2**32 - 1),
    "long long": (-(2**62), 2**62),
    "unsigned long long": (0, 2**62),
}
NARROW = {"short": np.int16, "unsigned char": np.uint8}


class Threads(NamedTuple):
    """Values of all threads of a launch; each row is a block."""

    t: np.ndarray
    block: np.ndarray
    x: np.ndarray  # in[g & 255] for the global thread index g
    data: np.ndarray


class Feature(NamedTuple):
    """Lines that add to `v`, their declarations, and the amount added."""

    lines: list[str]
    adds: Callable[[Threads], np.ndarray]
    before: list[str] = []


def conversion(pick: random.Random, _: str) -> Feature:
    target = pick.choice(list(TARGETS))
    kind, of = pick.choice([("float", np.float32), ("double", np.float64)])
    factor = pick.choice([0.37, -0.6, 3.5, -129.0, 1e4])
    low, high = TARGETS[target]

    def adds(threads: Threads) -> np.ndarray:
        y = threads.x.astype(of) * of(factor)
        whole = np.clip(np.trunc(y.astype(np.float64)), low, high)
        made = whole.astype(np.int64)
        if target in NARROW:
            made = made.astype(NARROW[target]).astype(np.int64)
        return made.view(np.uint64).astype(U32)

    suffix = "f" if kind == "float" else ""
    text = f"({kind})x * {of(factor)!s}{suffix}"
    return Feature([f"v += (unsigned)({target})({text});"], adds)


def division(pick: random.Random, _: str) -> Feature:
    shift, sign = pick.randrange(33), pick.choice([1, -1])
    rest = pick.random() < 0.5

    def adds(threads: Threads) -> np.ndarray:
        a = threads.x.astype(np.int64) << (shift // 2)
        b = threads.t.astype(np.int64) + 3
        made = a % b if rest else a // b
        return (sign * made).view(np.uint64).astype(U32)

    text = f"({sign} * ((long long)x << {shift // 2}))"
    sign_text = "%" if rest else "/"
    return Feature([f"v += (unsigned)({text} {sign_text} (t + 3LL));"], adds)


def math_function(pick: random.Random, _: str) -> Feature:
    """Exact functions, or a sum equal to 1, of arguments that may be large."""
    kind, of = pick.choice([("float", np.float32), ("double", np.float64)])
    f = "f" if kind == "float" else ""
    size = of(pick.choice([1.0, 1048576.0, 2.0**60]))
    large = f"{kind} y = ({kind})x * {size!s}{f};"
    form = pick.choice(["circle", "fmod", "remainder"])
    if form == "circle":
        sine, cosine = f"sin{f}(y)", f"cos{f}(y)"
        text = f"({sine} * {sine} + {cosine} * {cosine} + 0.25{f})"
        return Feature(
            [f"{{ {large}", f"  v += (unsigned){text}; }}"],
            lambda threads: np.ones_like(threads.x),
        )

    def adds(threads: Threads) -> np.ndarray:
        y = threads.x.astype(of) * size
        if form == "fmod":
            left = np.fmod(y, of(7.25))
        else:
            left = np.vectorize(math.remainder)(y.astype(np.float64), 7.25)
        return (left * 4).astype(np.int64).view(np.uint64).astype(U32)

    text = f"(unsigned)(int)({form}{f}(y, 7.25{f}) * 4)"
    return Feature([f"{{ {large}", f"  v += {text}; }}"], adds)


def variables(pick: random.Random, name: str) -> Feature:
    numbers = [pick.randrange(1000) for _ in range(9)]
    listed = ", ".join(map(str, numbers[:8]))
    space = pick.choice(["__device__", "__constant__"])
    before = [
        f"{space} unsigned row_{name}[8] = {{{listed}}};",
        f"static __device__ unsigned one_{name} = {numbers[8]};",
    ]
    text = f"v += row_{name}[x & 7u] + one_{name};"
    row = np.array(numbers[:8], U32)
    return Feature(
        [text], lambda threads: row[threads.x & 7] + U32(numbers[8]), before
    )


def function(pick: random.Random, name: str) -> Feature:
    """A function that is not inlined and reads its thread index."""
    factor = pick.randrange(1, 99)
    before = [
        f"__device__ __noinline__ unsigned call_{name}(",
        "    const unsigned *in, unsigned a) {",
        f"    return in[(a + threadIdx.x) & {INPUT - 1}u] * {factor}u",
        "        + blockIdx.x * blockDim.x; }",
    ]

    def adds(threads: Threads) -> np.ndarray:
        at = (threads.x + threads.t) & U32(INPUT - 1)
        width = U32(threads.t.shape[1])
        return threads.data[at] * U32(factor) + threads.block * width

    return Feature([f"v += call_{name}(in, x);"], adds, before)


def recursion(pick: random.Random, name: str) -> Feature:
    deep = pick.choice([1, 3, 7])
    before = [
        f"__device__ unsigned down_{name}(unsigned n, unsigned a) {{",
        f"    return n ? down_{name}(n - 1, a * 3 + 1) ^ threadIdx.x : a; }}",
    ]

    def adds(threads: Threads) -> np.ndarray:
        a, n = threads.x.copy(), threads.x & U32(deep)
        for k in range(deep):
            a = np.where(n > k, a * U32(3) + U32(1), a)
        return np.where(n & 1, a ^ threads.t, a)

    return Feature([f"v += down_{name}(x & {deep}u, x);"], adds, before)


def structs(pick: random.Random, name: str) -> Feature:
    size = pick.choice([8, 16, 32])
    before = [
        f"struct Row_{name} {{ unsigned a; unsigned char c[{size}]; }};",
    ]
    lines = [
        f"{{ Row_{name} one = {{x, {{0}}}};",
        f"  one.c[x % {size}u] = (unsigned char)(x >> 8);",
        f"  Row_{name} two = one;",
        f"  v += two.a + two.c[(x >> 3) % {size}u]; }}",
    ]

    def adds(threads: Threads) -> np.ndarray:
        x = threads.x
        set_here = x % U32(size) == (x >> U32(3)) % U32(size)
        return x + np.where(set_here, x >> U32(8) & U32(255), U32(0))

    return Feature(lines, adds, before)


def late_value(pick: random.Random, _: str) -> Feature:
    """A variable that is not initialized in a loop's first iteration."""
    rounds = pick.choice(["3", "(x & 3u)"])
    lines = [
        "{ unsigned last;",
        f"  for (unsigned k = 0; k < {rounds}; ++k) {{",
        "    if (k) v += last;",
        "    last = (k & 1u) ? x >> k : in[(x + k) & 255u]; } }",
    ]

    def adds(threads: Threads) -> np.ndarray:
        x, total = threads.x, np.zeros_like(threads.x)
        most = U32(3) if rounds == "3" else x & U32(3)
        for k in range(1, 3):
            before = k - 1
            at = (x + U32(before)) & U32(INPUT - 1)
            last = x >> U32(before) if before & 1 else threads.data[at]
            total += np.where(most > k, last, U32(0))
        return total

    return Feature(lines, adds)


def lockstep(pick: random.Random, name: str) -> Feature:
    """Volatile shared memory that some lanes of a warp write."""
    bit, other = pick.choice([(1, 2), (2, 1), (4, 16), (8, 4)])
    lines = [
        f"__shared__ volatile unsigned level_{name}[256];",
        f"level_{name}[t] = x; __syncwarp();",
        f"{{ unsigned y = level_{name}[t ^ {other}u]; __syncwarp();",
        f"  if (t & {bit}u) level_{name}[t] = y + 1; }}",
        f"__syncwarp(); v += level_{name}[t ^ {bit}u]; __syncwarp();",
    ]

    def adds(threads: Threads) -> np.ndarray:
        t, x = threads.t[0], threads.x
        level = np.where(t & U32(bit), x[:, t ^ U32(other)] + U32(1), x)
        return level[:, t ^ U32(bit)]

    return Feature(lines, adds)


def bins(pick: random.Random, name: str) -> Feature:
    """A histogram of the input in a grid-stride loop over all blocks."""
    count = pick.choice([16, 32])
    lines = [
        f"__shared__ unsigned bins_{name}[{count}];",
        f"if (t < {count}u) bins_{name}[t] = 0;",
        "__syncthreads();",
        "for (unsigned i = blockIdx.x * blockDim.x + t;",
        f"     i < {INPUT}u; i += gridDim.x * blockDim.x)",
        f"    atomicAdd(&bins_{name}[in[i] % {count}u], 1u);",
        "__syncthreads();",
        f"v += bins_{name}[x % {count}u];",
        "__syncthreads();",
    ]

    def adds(threads: Threads) -> np.ndarray:
        blocks, width = threads.t.shape
        owner = np.arange(INPUT) // width % blocks
        counts = [
            np.bincount(threads.data[owner == b] % count, minlength=count)
            for b in range(blocks)
        ]
        return np.array(counts, U32)[threads.block, threads.x % U32(count)]

    return Feature(lines, adds)


FEATURES = [
    conversion, division, math_function, variables, function, recursion,
    structs, late_value, lockstep, bins,
]  # fmt: skip


class FeatureGenerator:
    """Generates one kernel, with the interface of `Generator`."""

    def __init__(self, seed: int, name: str = "kernel") -> None:
        self.seed, self.name = seed, name
        pick = random.Random(seed)
        self.block = (pick.choice(BLOCKS), 1, 1)
        self.grid = (pick.randrange(1, 4), 1, 1)
        self.p, self.q = pick.randrange(1, 9), pick.randrange(1000)
        # The seed selects the first feature, so that every feature occurs.
        first = FEATURES[seed % len(FEATURES)]
        chosen = [first, *pick.choices(FEATURES, k=pick.randrange(3))]
        self.features = [
            make(pick, f"{name}_{k}") for k, make in enumerate(chosen)
        ]
        self.text = "\n".join(self.whole_text())

    def whole_text(self) -> list[str]:
        return [
            *(line for one in self.features for line in one.before),
            f"__global__ void {self.name}(unsigned *out, const unsigned *in,",
            "    unsigned p, unsigned q)",
            "{",
            "    unsigned t = threadIdx.x;",
            "    unsigned g = blockIdx.x * blockDim.x + t;",
            f"    unsigned x = in[g & {INPUT - 1}u], v = p * x + q;",
            *(f"    {line}" for one in self.features for line in one.lines),
            "    out[g] = v;",
            "}",
        ]

    def outputs(self) -> int:
        """Return the number of values that the launch writes."""
        return self.block[0] * self.grid[0]

    def run(self, data: np.ndarray) -> np.ndarray:
        """Return the expected contents of `out` after the launch."""
        shape = (self.grid[0], self.block[0])
        g = np.arange(self.outputs(), dtype=U32).reshape(shape)
        block, t = g // U32(shape[1]), g % U32(shape[1])
        threads = Threads(t, block, data[g & U32(INPUT - 1)], data)
        with np.errstate(over="ignore"):
            v = U32(self.p) * threads.x + U32(self.q)
            for feature in self.features:
                v = v + feature.adds(threads)
        return v.ravel()
