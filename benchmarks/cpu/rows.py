"""The rows of cpu_kernels.py: for each task a kernel, a C loop, NumPy."""

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
SIZES = (12, 16, 20, 24)


def histogram_blocks(n: int, multiprocessors: int) -> int:
    """Return how many blocks of 256 threads count `n` bytes.

    Each ends with 256 atomic additions, so a block has at least 16 bytes per
    thread, and there are no more blocks than the device holds at a time: 2048
    threads per multiprocessor.  The kernel's loop supports any number of them.
    """
    return max(1, min(n // (256 * 16), 8 * multiprocessors))


@dataclass
class Row:
    """One task, implemented in up to three ways."""

    name: str
    kernel: Callable[[], None]
    loop: Callable[[], object]
    numpy: Callable[[], object] | None
    right: Callable[[], bool]
    goal: float = 0.5
    compute_bound: bool = False


class Workload:
    """Arrays on both sides, and a method for each task.

    Parameters
    ----------
    library
        `reference.c`, compiled.
    """

    def __init__(self, library: str) -> None:
        import pycuda.autoinit
        import pycuda.driver as cuda
        from pycuda import cpu, gpuarray
        from pycuda.compiler import SourceModule

        self.synchronize = cuda.Context.synchronize
        self.memcpy_htod = cuda.memcpy_htod
        self.device = pycuda.autoinit.device.name()
        self.multiprocessors = pycuda.autoinit.device.multiprocessor_count
        self.to_gpu = gpuarray.to_gpu
        self.module = SourceModule((HERE / "kernels.cu").read_text())
        cpu.finish_compilation()
        self.c = ctypes.CDLL(library)
        self.c.sum.restype = ctypes.c_float
        self.random = np.random.default_rng(1)
        self.a = self.random.random(1 << 24, np.float32)
        self.b = self.random.random(1 << 24, np.float32)
        self.a_gpu, self.b_gpu = map(gpuarray.to_gpu, (self.a, self.b))
        self.out = np.empty_like(self.a)
        self.out_gpu = gpuarray.empty_like(self.a_gpu)

    def launch(self, name: str, *arguments, block, grid) -> Callable:
        """Return a call that runs a kernel to its end."""
        function = self.module.get_function(name)
        block = (*block, 1, 1)[:3]

        def call() -> None:
            function(*arguments, block=block, grid=grid)
            self.synchronize()

        return call

    def host(self, name: str, *arguments) -> Callable:
        """Return a call of the reference's function of this name."""
        function = getattr(self.c, name)
        passed = [
            argument.ctypes.data_as(ctypes.c_void_p)
            if isinstance(argument, np.ndarray)
            else ctypes.c_long(argument)
            for argument in arguments
        ]
        return lambda: function(*passed)

    def on_both(self, array: np.ndarray):
        return array, self.to_gpu(array)

    def close(self, gpu, host, rtol=1e-5, atol=1e-6) -> bool:
        """Return whether an array of the device and one of the host agree."""
        found = gpu.get().ravel()[: host.size]
        return bool(np.allclose(found, host.ravel(), rtol, atol))

    # ---- element-wise, at several sizes ----

    def multiply(self, bits: int, name: str = "multiply") -> Row:
        n = 1 << bits
        a, b, out = self.a[:n], self.b[:n], self.out[:n]
        gpu = (self.out_gpu, self.a_gpu, self.b_gpu, np.int32(n))
        blocks = n // 256 if name == "multiply" else min(n // 256, 64)
        label = "d = a * b" if name == "multiply" else "grid-stride a * b"
        return Row(
            f"{label}, 2^{bits}",
            self.launch(name, *gpu, block=(256,), grid=(blocks, 1)),
            self.host("multiply", out, a, b, n),
            lambda: np.multiply(a, b, out=out),
            lambda: self.close(self.out_gpu, a * b),
            0.95 if bits >= 16 else 0.5,
        )

    def sine(self, bits: int) -> Row:
        n = 1 << bits
        a, out = self.a[:n], self.out[:n]
        gpu = (self.out_gpu, self.a_gpu, np.int32(n))
        return Row(
            f"sin, 2^{bits}",
            self.launch("sine", *gpu, block=(256,), grid=(n // 256, 1)),
            self.host("sine", out, a, n),
            lambda: np.sin(a, out=out),
            lambda: self.close(self.out_gpu, np.sin(a)),
            0.9,
        )

    def block_sum(self, bits: int) -> Row:
        n = 1 << bits
        a = self.a[:n]
        gpu = (self.out_gpu, self.a_gpu, np.int32(n))
        return Row(
            f"block sum, 2^{bits}",
            self.launch("block_sum", *gpu, block=(256,), grid=(n // 256, 1)),
            self.host("sum", a, n),
            lambda: a.sum(),
            lambda: self.close(
                self.out_gpu, a.reshape(-1, 256).sum(axis=1), 1e-4
            ),
        )

    # ---- one size each ----

    def shuffle_sum(self) -> Row:
        n, blocks = 1 << 24, 64
        gpu = (self.out_gpu, self.a_gpu, np.int32(n))
        return Row(
            "reduction by shuffles, 2^24",
            self.launch("shuffle_sum", *gpu, block=(256,), grid=(blocks, 1)),
            self.host("sum", self.a, n),
            lambda: self.a.sum(),
            lambda: np.isclose(
                self.out_gpu.get()[:blocks].sum(dtype=float),
                self.a.sum(dtype=float),
                rtol=1e-5,
            ),
        )

    def warp_scan(self) -> Row:
        n = 1 << 22
        a, out = self.a[:n], self.out[:n]
        gpu = (self.out_gpu, self.a_gpu, np.int32(n))
        parts = a.reshape(-1, 256)
        return Row(
            "scan of 256 by shuffles, 2^22",
            self.launch("warp_scan", *gpu, block=(256,), grid=(n // 256, 1)),
            self.host("warp_scan", out, a, n),
            lambda: np.cumsum(parts, axis=1, out=out.reshape(-1, 256)),
            lambda: self.close(self.out_gpu, np.cumsum(parts, axis=1), 1e-4),
            compute_bound=True,
        )

    def compact(self) -> Row:
        n = 1 << 22
        a, out = self.a[:n], self.out[: n + 1]
        counts, counts_gpu = self.on_both(np.zeros(n // 256, np.int32))
        gpu = (self.out_gpu, counts_gpu, self.a_gpu, np.int32(n))
        places = np.arange(256)

        def right() -> bool:
            valid = places < counts_gpu.get()[:, None]
            parts = [self.out_gpu.get()[:n], a]
            sums = [x.reshape(-1, 256).astype(float) for x in parts]
            return np.array_equal(counts, counts_gpu.get()) and np.allclose(
                (sums[0] * valid).sum(1), (sums[1] * (sums[1] > 0.5)).sum(1)
            )

        return Row(
            "compaction by votes, 2^22",
            self.launch("compact", *gpu, block=(256,), grid=(n // 256, 1)),
            self.host("compact", out, counts, a, n),
            lambda: a[a > 0.5],
            right,
            compute_bound=True,
        )

    def matmul(self) -> Row:
        n = 1024
        a, b, out = (x[: n * n] for x in (self.a, self.b, self.out))
        gpu = (self.out_gpu, self.a_gpu, self.b_gpu, np.int32(n))
        return Row(
            "matmul 1024^3",
            self.launch("matmul", *gpu, block=(16, 16), grid=(64, 64)),
            self.host("matmul", out, a, b, n),
            None,  # BLAS is another program; the goal applies to plain loops
            lambda: self.close(
                self.out_gpu, a.reshape(n, n) @ b.reshape(n, n), 1e-4
            ),
            2.0,
            True,
        )

    def mandelbrot(self) -> Row:
        n = 1024
        steps, steps_gpu = self.on_both(np.zeros((n, n), np.int32))
        gpu = (steps_gpu, np.int32(n), np.int32(256))
        return Row(
            "Mandelbrot 1024^2",
            self.launch("mandelbrot", *gpu, block=(16, 16), grid=(64, 64)),
            self.host("mandelbrot", steps, n, 256),
            None,
            lambda: np.mean(steps_gpu.get() == steps) > 0.99,
            1.0,
            True,
        )

    def black_scholes(self) -> Row:
        n = 1 << 20
        price, strike, years = (
            self.on_both(
                (low + (high - low) * self.random.random(n)).astype(np.float32)
            )
            for low, high in ((5, 30), (1, 100), (0.25, 10))
        )
        call, call_gpu = self.on_both(np.zeros(n, np.float32))
        put, put_gpu = self.on_both(np.zeros(n, np.float32))
        gpu = (call_gpu, put_gpu, price[1], strike[1], years[1], np.int32(n))
        return Row(
            "Black-Scholes, 2^20",
            self.launch("black_scholes", *gpu, block=(256,), grid=(4096, 1)),
            self.host(
                "black_scholes", call, put, price[0], strike[0], years[0], n
            ),
            None,
            lambda: (
                self.close(call_gpu, call, 1e-3, 1e-4)
                and self.close(put_gpu, put, 1e-3, 1e-4)
            ),
            compute_bound=True,
        )

    def nbody(self) -> Row:
        n = 8192
        body, body_gpu = self.on_both(
            self.random.random((n, 4)).astype(np.float32)
        )
        force, force_gpu = self.on_both(np.zeros_like(body))
        gpu = (force_gpu, body_gpu, np.int32(n))
        return Row(
            "N-body, 8192",
            self.launch("nbody", *gpu, block=(256,), grid=(n // 256, 1)),
            self.host("nbody", force, body, n),
            None,
            lambda: self.close(force_gpu, force, 1e-2, 0.1),
            compute_bound=True,
        )

    def convolve(self) -> Row:
        n = 2048
        weights = (np.arange(25, dtype=np.float32) % 7) / 80
        image, image_gpu = self.on_both(
            self.random.random((n + 4, n + 4)).astype(np.float32)
        )
        self.memcpy_htod(self.module.get_global("weights")[0], weights)
        out = self.out[: n * n]
        gpu = (self.out_gpu, image_gpu, np.int32(n))
        return Row(
            "convolution 5x5, 2048^2",
            self.launch(
                "convolve", *gpu, block=(32, 8), grid=(n // 32, n // 8)
            ),
            self.host("convolve", out, image, weights, n),
            None,
            lambda: self.close(self.out_gpu, out),
            compute_bound=True,
        )

    def transpose(self) -> Row:
        n = 2048
        a, out = self.a[: n * n].reshape(n, n), self.out[: n * n]
        gpu = (self.out_gpu, self.a_gpu, np.int32(n))
        square = out.reshape(n, n)
        return Row(
            "transpose 2048^2",
            self.launch(
                "transpose", *gpu, block=(32, 8), grid=(n // 32, n // 32)
            ),
            self.host("transpose", out, a, n),
            lambda: np.copyto(square, a.T),
            lambda: self.close(self.out_gpu, a.T.copy()),
        )

    def radix_pass(self) -> Row:
        n = 1 << 22
        keys, keys_gpu = self.on_both(
            self.random.integers(0, 1 << 32, n, dtype=np.uint32)
        )
        to, to_gpu = self.on_both(np.zeros_like(keys))
        counts, counts_gpu = self.on_both(np.zeros(n // 256, np.uint32))
        shift = np.int32(4)
        shape = {"block": (64,), "grid": (n // 4096, 1)}
        steps = (
            self.launch("radix_count", counts_gpu, keys_gpu, shift, **shape),
            self.launch(
                "radix_offsets",
                counts_gpu,
                np.int32(counts.size),
                block=(1024,),
                grid=(1, 1),
            ),
            self.launch(
                "radix_move", to_gpu, keys_gpu, counts_gpu, shift, **shape
            ),
        )
        return Row(
            "radix sort pass, 2^22",
            lambda: [step() for step in steps][0],
            self.host("radix_pass", to, keys, n, 4),
            None,
            lambda: np.array_equal(to_gpu.get(), to),
        )

    def graph(self, n: int, most: int):
        """Return rows of random lengths: their starts, and their columns."""
        lengths = self.random.integers(0, most, n)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        columns = self.random.integers(0, n, starts[-1], dtype=np.int32)
        return self.on_both(starts), self.on_both(columns)

    def spmv(self) -> Row:
        n = 1 << 18
        starts, columns = self.graph(n, 32)
        values, values_gpu = self.on_both(self.a[: columns[0].size].copy())
        y, y_gpu = self.on_both(np.zeros(n, np.float32))
        gpu = (y_gpu, starts[1], columns[1], values_gpu, self.b_gpu)
        return Row(
            "sparse matrix x vector, 2^18 rows",
            self.launch(
                "spmv", *gpu, np.int32(n), block=(256,), grid=(n // 256, 1)
            ),
            self.host("spmv", y, starts[0], columns[0], values, self.b, n),
            None,
            lambda: self.close(y_gpu, y, 1e-4),
        )

    def bfs_level(self) -> Row:
        n = 1 << 20
        starts, targets = self.graph(n, 16)
        first = np.full(n, -1, np.int32)
        first[::7] = 3
        levels, levels_gpu = self.on_both(first)
        gpu = (levels_gpu, starts[1], targets[1], np.int32(3), np.int32(n))
        return Row(
            "BFS level, 2^20 vertices",
            self.launch("bfs_level", *gpu, block=(256,), grid=(n // 256, 1)),
            self.host("bfs_level", levels, starts[0], targets[0], 3, n),
            None,
            lambda: np.array_equal(levels_gpu.get(), levels),
        )

    def fft(self) -> Row:
        rows = 1024
        x, x_gpu = self.on_both(
            (
                self.random.random((rows, 1024))
                + 1j * self.random.random((rows, 1024))
            ).astype(np.complex64)
        )
        turns = np.exp(-2j * math.pi * np.arange(1024) / 1024)
        roots, roots_gpu = self.on_both(turns.astype(np.complex64))
        y, y_gpu = self.on_both(np.zeros_like(x))
        return Row(
            "FFT 1024, 1024 of them",
            self.launch(
                "fft", y_gpu, x_gpu, roots_gpu, block=(512,), grid=(rows, 1)
            ),
            self.host("fft", y, x, roots, rows),
            lambda: np.fft.fft(x, axis=1),
            lambda: (
                self.close(y_gpu, np.fft.fft(x, axis=1), 1e-3, 1e-2)
                and np.allclose(y_gpu.get(), y, 1e-3, 1e-2)
            ),
            compute_bound=True,
        )

    def histogram(self) -> Row:
        n = 1 << 24
        data, data_gpu = self.on_both(
            self.random.integers(0, 256, n, dtype=np.uint8)
        )
        bins, bins_gpu = self.on_both(np.zeros(256, np.uint32))

        def right() -> bool:
            bins_gpu.fill(0)
            kernel()
            return np.array_equal(
                bins_gpu.get(), np.bincount(data, minlength=256)
            )

        kernel = self.launch(
            "histogram",
            bins_gpu,
            data_gpu,
            np.int32(n),
            block=(256,),
            grid=(histogram_blocks(n, self.multiprocessors), 1),
        )
        return Row(
            "histogram, 2^24 bytes",
            kernel,
            self.host("histogram", bins, data, n),
            lambda: np.bincount(data, minlength=256),
            right,
        )

    def lu_tile(self) -> Row:
        count = 1024
        tiles = self.random.random((count, 32, 32)).astype(np.float32)
        tiles += 32 * np.eye(32, dtype=np.float32)
        host, gpu = self.on_both(tiles)
        # Later rounds factorise the factors: the work is the same.
        return Row(
            "LU of 32x32, 1024 of them",
            self.launch("lu_tile", gpu, block=(32, 8), grid=(count, 1)),
            self.host("lu_tile", host, count),
            None,
            lambda: self.close(gpu, host, 1e-3, 1e-3),
            compute_bound=True,
        )

    def rows(self) -> list[Row]:
        """Return all tasks, the simple ones at each of `SIZES`."""
        made = [self.multiply(bits) for bits in SIZES]
        made += [self.multiply(bits, "stride_multiply") for bits in (16, 24)]
        made += [self.sine(bits) for bits in SIZES]
        made += [self.block_sum(bits) for bits in SIZES]
        names = """shuffle_sum warp_scan compact matmul mandelbrot
            black_scholes nbody convolve transpose radix_pass spmv fft
            histogram bfs_level lu_tile"""
        return made + [getattr(self, name)() for name in names.split()]
