"""Sizes and arguments of the kernels in `kernels.cu`.

An argument that is an array is an input or an output; all arrays are compared
after each side ran once: their elements, or only their sums if `check` is
False.  `twin` has the arguments that only the twin gets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

RNG = np.random.default_rng(1)


def real(*shape: int, low: float = 0.1) -> np.ndarray:
    return RNG.uniform(low, 1, shape).astype(np.float32)


def whole(end: int, *shape: int) -> np.ndarray:
    return RNG.integers(0, end, shape).astype(np.int32)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


@dataclass
class Row:
    """One kernel: block, grid, and a function that makes the arguments."""

    name: str
    block: tuple[int, ...]
    grid: tuple[int, ...]
    make: Callable[[], list[Any]]
    twin: list[int] = field(default_factory=list)
    shared: int = 0
    texture: int = (
        0  # number of elements of the texture, the twin's argument 0
    )
    check: bool = True  # False: only the sums of the arrays are comparable


def csr(n: int) -> list[np.ndarray]:
    counts = RNG.integers(4, 28, n)
    first = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    return [first, whole(n, int(first[-1]))]


def spmv_arguments(n: int) -> list[Any]:
    first, column = csr(n)
    return [first, column, real(len(column)), real(n), zeros(n), n]


def bfs_arguments(n: int) -> list[Any]:
    first, edges = csr(n)
    mask = RNG.integers(0, 2, n).astype(np.int8)
    seen = RNG.integers(0, 2, n).astype(np.int8)
    return [first, edges, mask, np.zeros(n, np.int32), seen, n]


P = 1 << 20
I32 = np.int32
F32 = np.float32
ROWS = [
    Row(
        "gemm",
        (32, 8),
        (16, 64),
        lambda: [
            real(512, 512),
            real(512, 512),
            real(512, 512),
            512,
            F32(1.5),
            F32(0.5),
        ],
    ),
    Row(
        "two_mm",
        (16, 16),
        (32, 32),
        lambda: [real(512, 512), real(512, 512), zeros(512, 512), 512],
    ),
    Row(
        "syrk",
        (32, 8),
        (12, 48),
        lambda: [real(384, 384), real(384, 384), 384, 384],
    ),
    Row(
        "atax_rows",
        (256,),
        (8,),
        lambda: [real(2048, 2048), real(2048), zeros(2048), 2048],
    ),
    Row(
        "atax_columns",
        (256,),
        (8,),
        lambda: [real(2048, 2048), zeros(2048), real(2048), 2048],
    ),
    Row(
        "bicg",
        (256,),
        (8,),
        lambda: [real(2048, 2048), real(2048), zeros(2048), 2048],
    ),
    Row(
        "mvt",
        (256,),
        (8,),
        lambda: [real(2048, 2048), zeros(2048), real(2048), 2048],
    ),
    Row(
        "gesummv",
        (256,),
        (6,),
        lambda: [
            real(1536, 1536),
            real(1536, 1536),
            real(1536),
            zeros(1536),
            1536,
        ],
    ),
    Row(
        "jacobi2d",
        (32, 8),
        (32, 128),
        lambda: [real(1024, 1024), zeros(1024, 1024), 1024],
    ),
    Row(
        "heat3d",
        (64, 4),
        (2, 32),
        lambda: [real(64, 128, 128), zeros(64, 128, 128), 128, 128, 64],
    ),
    Row(
        "fdtd",
        (32, 8),
        (32, 128),
        lambda: [real(1024, 1024), real(1024, 1024), 1024],
    ),
    Row(
        "conv2d",
        (32, 8),
        (32, 128),
        lambda: [real(1024, 1024), zeros(1024, 1024), 1024],
    ),
    Row(
        "conv3d",
        (32, 8),
        (16, 64),
        lambda: [real(3, 512, 512), zeros(3, 512, 512), 512, 1],
    ),
    Row(
        "filter",
        (16, 16),
        (32, 32),
        lambda: [real(512, 512), real(49), zeros(512, 512), 512, 3],
    ),
    Row(
        "hotspot",
        (16, 16),
        (74, 74),
        lambda: [real(1024, 1024), real(1024, 1024), zeros(1024, 1024), 1024],
    ),
    Row(
        "pathfinder",
        (256,),
        (466,),
        lambda: [
            whole(10, 24, 100000),
            whole(10, 100000),
            np.zeros(100000, I32),
            100000,
            1,
            20,
        ],
    ),
    Row(
        "srad",
        (16, 16),
        (64, 64),
        lambda: [real(1024, 1024), zeros(1024, 1024), 1024, F32(0.05)],
    ),
    Row(
        "lavamd",
        (128,),
        (64,),
        lambda: [
            real(64 * 100, 4),
            real(6400),
            zeros(6400, 4),
            100,
            4,
            F32(0.5),
        ],
        [64],
    ),
    Row(
        "needle",
        (16,),
        (64,),
        lambda: [whole(10, 1025, 1025), whole(10, 1025, 1025), 1025, 63, 10],
    ),
    Row("bfs", (256,), (512,), lambda: bfs_arguments(1 << 17)),
    Row(
        "nn",
        (256,),
        (P // 256,),
        lambda: [real(P, 2), zeros(P), P, F32(0.3), F32(0.4)],
    ),
    Row(
        "backprop",
        (16, 16),
        (1, 4096),
        lambda: [real(17), 16, real(65537), real(65537, 17), real(65537, 17)],
        [65536],
    ),
    Row(
        "lud_internal", (16, 16), (63, 63), lambda: [real(1024, 1024), 1024, 0]
    ),
    Row(
        "kmeans",
        (256,),
        (256,),
        lambda: [
            real(34, 65536),
            real(5, 34),
            np.zeros(65536, I32),
            65536,
            5,
            34,
        ],
    ),
    Row(
        "streamcluster",
        (256,),
        (256,),
        lambda: [real(64, 65536), real(65536), zeros(65536), 65536, 64, 77],
        shared=256,
    ),
    Row(
        "particle",
        (128,),
        (80,),
        lambda: [
            RNG.integers(0, 256, P).astype(np.uint8),
            whole(P, 10000, 70),
            zeros(10000),
            70,
            10000,
        ],
    ),
    Row(
        "guarded",
        (32, 8),
        (32, 128),
        lambda: [real(1024, 1024), zeros(1024, 1024), 1024, 1024],
    ),
    Row("spmv", (256,), (256,), lambda: spmv_arguments(65536)),
    Row(
        "histogram",
        (256,),
        (64,),
        lambda: [
            RNG.integers(0, 256, 4 * P).astype(np.uint8),
            np.zeros(256, np.uint32),
            4 * P,
        ],
    ),
    Row(
        "reduce",
        (256,),
        (64,),
        lambda: [real(4 * P), zeros(64), 4 * P],
        check=False,  # the kernel writes one sum for each block
    ),
    Row("scan", (256,), (P // 256,), lambda: [real(P), zeros(P)], [P]),
    Row(
        "transpose",
        (16, 16),
        (64, 64),
        lambda: [real(1024, 1024), zeros(1024, 1024), 1024],
    ),
    Row(
        "black_scholes",
        (128,),
        (480,),
        lambda: [real(P), real(P), real(P), zeros(P), zeros(P), P],
    ),
    Row(
        "mandelbrot",
        (16, 16),
        (32, 32),
        lambda: [np.zeros((512, 512), I32), 512, 200],
        check=False,  # rounding decides where the iteration ends
    ),
    Row("nbody", (256,), (16,), lambda: [real(4096, 4), zeros(4096, 4), 4096]),
    Row(
        "softmax",
        (256,),
        (1024,),
        lambda: [real(1024, 1024), zeros(1024, 1024), 1024],
        [1024],
    ),
    Row(
        "softmax_thread",
        (128,),
        (32,),
        lambda: [real(4096, 128), zeros(4096, 128), 4096, 128],
    ),
    Row(
        "layer_norm",
        (256,),
        (1024,),
        lambda: [real(1024, 768), real(768), real(768), zeros(1024, 768), 768],
        [1024],
    ),
    Row(
        "attention",
        (64,),
        (8,),
        lambda: [
            real(64, 512),
            real(512, 64),
            real(512, 64),
            zeros(64, 512),
            512,
            64,
        ],
    ),
    Row("gelu", (256,), (P // 256,), lambda: [real(P), zeros(P), P]),
    Row(
        "embedding",
        (128,),
        (4096,),
        lambda: [whole(8192, 4096), real(8192, 256), zeros(4096, 256), 256],
        [4096],
    ),
    Row(
        "texture_sum",
        (256,),
        (1024,),
        lambda: [zeros(1 << 18), 1 << 18, 16],
        texture=(1 << 18) + 16,
    ),
    Row(
        "powers",
        (256,),
        (1024,),
        lambda: [
            real(1 << 18),
            real(1 << 18).astype(np.float64),
            zeros(1 << 18),
            1 << 18,
        ],
    ),
    Row(
        "digest",
        (128,),
        (512,),
        lambda: [whole(1 << 30, 65536), np.zeros(65536, I32), 65536, 64],
    ),
    Row(
        "flux",
        (192,),
        (512,),
        lambda: [
            whole(98304, 4, 98304) - 2000,
            real(4, 98304),
            real(3, 98304),
            zeros(3, 98304),
            98304,
        ],
    ),
    Row(
        "dct8x8",
        (8, 8),
        (128, 128),
        lambda: [real(1024, 1024), real(64), zeros(1024, 1024), 1024],
    ),
    Row(
        "butterfly",
        (256,),
        (2048,),
        lambda: [real(P), real(P), real(512), real(512), 512],
        [P],
    ),
    Row(
        "gaussian",
        (16, 16),
        (64, 64),
        lambda: [real(1024, 1024), real(1024, 1024), 1024, 3],
    ),
    Row("monte_carlo", (256,), (256,), lambda: [zeros(65536), 65536, 32]),
    Row(
        "knn",
        (128,),
        (32,),
        lambda: [
            real(2048, 2).astype(np.float64),
            real(4096, 2).astype(np.float64),
            np.zeros(4096),
            2048,
            4096,
        ],
    ),
]
