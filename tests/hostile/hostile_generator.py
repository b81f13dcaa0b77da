"""Hostile programs: kernels of random statements, and their outcomes.

`program(seed, checks)` is deterministic.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import random
from dataclasses import dataclass

from hostile_statements import ANY, END, FAIL, FILLERS, GROUPS, OK, Piece

HEAD = """
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <cooperative_groups.h>
#ifndef __CUDACC_RTC__
#define __noinline__ __attribute__((noinline))
#endif
struct wide { long long a[3]; };
"""
# The host passes the same arguments to each kernel: see `runner.World`.
PARAMETERS = (
    "unsigned *out, unsigned char *scratch, char *data, char *none, "
    "char *fixed, char *gap, char *freed, char *small, char *host, "
    "cudaTextureObject_t texture, cudaTextureObject_t linear, "
    "cudaTextureObject_t gone, cudaSurfaceObject_t surface, "
    "unsigned data_bytes, unsigned dynamic_bytes, "
    "int zero, int one, int armed"
)
OPENING = """
    unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y *
                 threadIdx.z), threads = blockDim.x * blockDim.y * blockDim.z;
    unsigned i = blockIdx.x * threads + t, acc = 0;
    volatile unsigned *words = (volatile unsigned *)data;
"""
CLOSING = "    out[i] = i * 2654435761u + (acc == 123456789u && zero);\n"
BLOCKS = [
    (1, 1, 1), (2, 1, 1), (31, 1, 1), (32, 1, 1), (33, 1, 1), (64, 1, 1),
    (128, 1, 1), (256, 1, 1), (1024, 1, 1), (8, 8, 1), (32, 2, 2), (5, 3, 2),
]  # fmt: skip
GRIDS = [1, 1, 2, 3, 5, 17, 100]
FLOATS = ["0.f", "-1e30f", "1e38f * 10", "-1.f / zero", "sqrtf(-1.f - zero)",
          "3.5f + i", "0x7fffffff", "-2.5e9f", "1e-40f"]  # fmt: skip
INTS = ["-1", "0x7fffffff + zero", "INT_MIN + zero", "100000 * (int)t",
        "-64 * (int)i - 4", "1 << 30"]  # fmt: skip
NUMBERS = {
    "odd": [1, 3],
    "frame": [16, 500, 3000, 40000],
    "depth": [5, 60, 200],
    "huge": [1 << 14, 1 << 16, 1 << 20, 1 << 24, 1 << 30],
    "local": [2048, 20000, 100000],
    "width": [20, 500, 5000, 60000, 3000000, 2000000000],
}


@dataclass
class Kernel:
    """A kernel, and the required outcome of a launch."""

    name: str
    text: str
    parts: list[str]
    armed: str  # outcome for armed = 1: OK, FAIL or ANY
    unarmed: str  # outcome for armed = 0
    whole_warps: bool  # blocks must consist of whole warps

    def shape(self, random: random.Random) -> tuple[int, tuple[int, ...]]:
        """Return a grid and a block for a launch."""
        blocks = [
            block
            for block in BLOCKS
            if not self.whole_warps or block[0] * block[1] * block[2] % 32 == 0
        ]
        return random.choice(GRIDS), random.choice(blocks)


@dataclass
class Program:
    """A source and its kernels."""

    source: str
    kernels: list[Kernel]


@dataclass
class _Guard:
    text: str
    certain: bool  # some thread certainly meets the condition
    harmless: bool = False  # no thread meets it


def _guard(random: random.Random) -> _Guard:
    return random.choice(
        [
            _Guard("", True),
            _Guard("", True),
            _Guard("if (t == 0) ", True),
            _Guard("if (t == threads - 1) ", True),
            _Guard("if (blockIdx.x == gridDim.x - 1) ", True),
            _Guard("if (blockIdx.x == 0 && t % 32 == 0) ", True),
            _Guard("if (t % 2) ", False),
            _Guard("if (t % 32 == 17) ", False),
            _Guard("if (i % 3 == 1) ", False),
            _Guard("if (zero) ", False, harmless=True),
            _Guard("for (int r = 0; r < 3 - zero; r++) ", True),
        ]
    )


def _filled(text: str, random: random.Random, name: str) -> str:
    text = text.replace("{k}", name)
    for key, choices in NUMBERS.items():
        text = text.replace(f"{{{key}}}", str(random.choice(choices)))
    for key in ("odd_x", "odd_y"):
        text = text.replace(f"{{{key}}}", random.choice(FLOATS))
    return text.replace("{odd_int}", random.choice(INTS))


def _fate(piece: Piece, guard: _Guard, checks: set[str]) -> str:
    fate = piece.fate
    if "memory" in checks and piece.checked:
        fate = piece.checked
    if guard.harmless:
        return OK
    return ANY if fate == FAIL and not guard.certain else fate


def _after(state: str, fate: str) -> str:
    """Return a kernel's outcome from that of its start and of a statement."""
    if state != OK:
        return state
    return ANY if fate == END else fate


def _choose(random: random.Random, checks: set[str]) -> Piece:
    while True:
        piece = random.choice(GROUPS[random.choice(sorted(GROUPS))])
        if "memory" in checks or not piece.only_checked:
            return piece


def _kernel(name: str, random: random.Random, checks: set[str]) -> Kernel:
    parts: list[Piece] = [_choose(random, checks)]
    parts += [_choose(random, checks) for _ in range(random.choice([0, 0, 1]))]
    fillers = random.choices(FILLERS, k=random.choice([0, 0, 1, 2, 3]))
    parts += fillers
    random.shuffle(parts)
    fuse = random.random() < 0.5
    armed = unarmed = OK
    before, lines, names = "", "", []
    for number, piece in enumerate(parts):
        own = f"{name}_{number}"
        guard = _Guard("", True)
        if not piece.uniform and piece not in fillers:
            guard = _guard(random)
        fate = _fate(piece, guard, checks)
        text = f"{guard.text}{{ {_filled(piece.body, random, own)} }}"
        if fuse and piece not in fillers:
            text = f"if (armed) {text}"
        else:
            unarmed = _after(unarmed, fate)
        armed = _after(armed, fate)
        before += _filled(piece.before, random, own) + "\n" * bool(
            piece.before
        )
        lines += f"    {text}\n"
        names.append(f"{guard.text}{piece.name}")
    return Kernel(
        name,
        f'{before}extern "C" __global__ void {name}({PARAMETERS})\n'
        f"{{{OPENING}{lines}{CLOSING}}}\n",
        names,
        armed,
        unarmed,
        any("shuffle" in piece.name for piece in fillers),
    )


def program(seed: int, checks: set[str], kernels: int = 6) -> Program:
    """Return the program of this seed, for a device with these checks."""
    source = random.Random(f"{seed} {sorted(checks)}")
    made = [_kernel(f"k{n}", source, checks) for n in range(kernels)]
    return Program(HEAD + "\n".join(k.text for k in made), made)
