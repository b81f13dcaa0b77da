"""Uses of GPUArray that type checkers accept, and that run."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import copy
import pathlib
import pickle
from typing import Any

import numpy as np

import pycuda.autoinit
import pycuda.curandom as curandom
import pycuda.driver as drv
import pycuda.gpuarray as ga
from pycuda import cumath
from pycuda.gpuarray import GPUArray


def attributes(a: GPUArray) -> None:
    """Each attribute has its type."""
    shape: tuple[int, ...] = a.shape
    strides: tuple[int, ...] = a.strides
    dtype: np.dtype[Any] = a.dtype
    numbers: list[int] = [a.size, a.mem_size, a.ndim, a.nbytes, a.itemsize]
    numbers.append(a.ptr)
    numbers.append(len(a))
    numbers.append(int(a.gpudata))
    order: bool = a.flags.c_contiguous and a.flags.forc
    print(shape[0] + 1, strides[-1] * 2, dtype.name, numbers, order)
    print(a.flags.f_contiguous, a.base is None, a.allocator is not None)
    print(a.T.shape, a.mT.dtype.itemsize, a.real.size, a.imag.size)
    print(sorted(a.__cuda_array_interface__))
    for length in a.shape:
        assert length % 2 == 0
    rows, columns = a.shape
    assert rows * columns == a.size


def operators(a: GPUArray, b: GPUArray, i: GPUArray) -> list[GPUArray]:
    """Operators with arrays, Python's numbers and NumPy's."""
    made = [a + b, a - b, a * b, a / b, a // b, a % b, a**b]
    made += [a + 1, 1 + a, a - 1.5, 1.5 - a, 2 * a, a / 2, 2 / a]
    made += [a**2, 2**a, a % 3, 3 % a, a // 2, 2 // a, a * np.float32(2)]
    made += [np.float32(2) * a, a * np.int32(2), a + True]
    made += [-a, +a, abs(a), ~i, i & 3, i | i, i ^ 1, i << 1, i >> 1, 1 << i]
    made += [a == b, a != b, a < b, a <= 1, a > 0.5, a >= b, a == 0]
    made += [(a > 0) & (b > 0), a @ b.T, a.conj(), a.conj().T]
    made += [1j * a, a + 2j, a * np.complex64(1j)]
    a += 1
    a -= b
    a *= 2
    a /= 2.0
    a **= 2
    i |= 1
    i &= 7
    i ^= 1
    i <<= 1
    i >>= 1
    i //= 2
    i %= 5
    quotient, rest = divmod(a, 2)
    return [*made, quotient, rest]


def indexing(a: GPUArray, i: GPUArray, mask: GPUArray) -> list[GPUArray]:
    """Indices of all kinds."""
    made = [a[0], a[-1], a[1:3], a[::2], a[:, 1], a[0, 1], a[..., 0]]
    made += [a[None], a[:, None], a[np.newaxis, 0], a[()], a[i], a[mask]]
    made += [a[[0, 1]], a[np.array([1, 0])], a[:, ::-1], a[np.int64(1)]]
    a[0] = 1
    a[1:3] = 2.5
    a[:, 0] = a[:, 1]
    a[...] = np.float32(3)
    a[mask] = 0
    a[0] = np.ones(a.shape[1], np.float32)
    a[a > 1] = 1
    value: float = float(a[0, 0])
    number = int(a[0, 1].get())
    item: float = a[0, 0].item()
    assert value == item == number
    for row in a:
        made.append(row)
    assert bool(a[0, 0] == a[0, 0]) and 1 in a
    return made


def shapes(a: GPUArray) -> list[GPUArray]:
    """Methods that change the shape."""
    n = a.size
    made = [a.reshape(n), a.reshape(-1), a.reshape((2, -1)), a.reshape(2, -1)]
    made += [a.reshape(n, order="F"), a.ravel(), a.flatten(), a.squeeze()]
    made += [a.transpose(), a.transpose((1, 0)), a.T, a.swapaxes(0, 1)]
    made += [a.view(), a.view(np.int32), a.copy(), a.copy("F")]
    made += [a.astype(np.float64), a.astype("int32"), a.astype(int)]
    made += [a.diagonal(), a.repeat(2), a.repeat(2, axis=0), copy.copy(a)]
    made += [ga.reshape(a, n), ga.transpose(a), ga.expand_dims(a, 0)]
    made += [ga.concatenate((a, a)), ga.stack([a, a]), ga.hstack((a, a))]
    made += [ga.tile(a, 2), ga.roll(a, 1), ga.flip(a), ga.squeeze(a)]
    made += [*ga.split(a, 2), ga.broadcast_to(a[0], a.shape), ga.tril(a)]
    made += [pickle.loads(pickle.dumps(a))]
    return made


def results(a: GPUArray, b: GPUArray) -> list[GPUArray]:
    """Methods and functions that compute."""
    made = [a.sum(), a.sum(axis=0), a.sum(dtype=np.float64), a.mean(), a.std()]
    made += [a.min(), a.max(axis=1), a.prod(), a.var(), a.ptp(), a.argmax()]
    made += [a.argmin(axis=0), a.cumsum(), a.cumprod(axis=0), a.any(), a.all()]
    made += [a.clip(0, 1), a.round(2), a.trace(), a.argsort(), *a.nonzero()]
    made += [a.take([0, 1]), a.compress([True, False], axis=0)]
    made += [a.mul_add(2, b, 3), a.reverse(), a.fill(1), a.sum(keepdims=True)]
    made += [ga.sum(a), ga.max(a), ga.min(a, axis=0), ga.dot(a[0], b[0])]
    made += [ga.sum(a, np.float64), ga.mean(a, axis=1), ga.matmul(a, b.T)]
    made += [ga.where(a > 0, a, 1), *ga.where(a > 0)]
    made += [ga.where(a > 0, a, b), ga.maximum(a, b), ga.minimum(a, 0)]
    made += [ga.if_positive(a, a, b), ga.clip(a, 0, 1), ga.outer(a[0], b[0])]
    made += [ga.sort(a), ga.argsort(a), ga.unique(a), ga.diff(a), ga.ptp(a)]
    made += [ga.take(a, np.array([0])), ga.subset_sum(ga.arange(2), a[0])]
    made += [ga.sin(a), ga.exp(a, stream=None), ga.add(a, b), ga.power(a, 2)]
    made += [ga.sqrt(a, out=b), ga.multiply(2, a), ga.arctan2(a, 1.0)]
    made += [cumath.sin(a), cumath.sqrt(abs(a)), cumath.exp(a, out=b)]
    made += [cumath.fmod(a, b), *cumath.modf(a), *cumath.frexp(a)]
    a.sort()
    a.put([0], [1])
    a.set(b)
    a.set(np.zeros(b.shape, np.float32))
    a.set_async(b)
    return made


def creation(host: np.ndarray) -> list[GPUArray]:
    """Functions that make arrays."""
    made = [ga.to_gpu(host), ga.to_gpu_async(host), ga.asarray([1, 2, 3])]
    made += [ga.zeros(3, np.float32), ga.zeros((2, 3), "f"), ga.empty(4, int)]
    made += [ga.ones((2,), dtype=np.int32), ga.full((2, 2), 7, np.float64)]
    made += [ga.zeros_like(made[0]), ga.empty_like(made[0], dtype=np.int8)]
    made += [ga.full_like(made[0], 2), ga.ones_like(made[0]), ga.eye(3)]
    made += [ga.arange(5), ga.arange(0, 1, 0.1), ga.arange(3, dtype=np.int32)]
    made += [ga.linspace(0, 1, 5), ga.identity(2), ga.diag(made[0][0])]
    made += [GPUArray((2, 3), np.float32), GPUArray(5, "f4", order="F")]
    made += [GPUArray(3, np.float32, drv.mem_alloc), *ga.meshgrid(made[0][0])]
    made += [GPUArray(3, np.float32, gpudata=made[0].gpudata, base=made[0])]
    made += [curandom.rand((3, 4)), curandom.rand(5, np.float64)]
    made += [ga.from_dlpack(made[0]), ga.asarray(made[0], copy=True)]
    made += [ga.to_gpu(host, drv.mem_alloc), made[0]._new_like_me()]
    point = ga.vec.make_float3(1, 2.5, z=np.float32(3))
    made += [
        ga.zeros(4, ga.vec.float3),
        ga.zeros(2, ga.vec.uchar4).fill(ga.vec.make_uchar4(*range(4))),
    ]
    made += [ga.zeros(1, ga.vec.float3).fill(point)]
    assert point["z"] == 3 and ga.splay(10)[0][0] == 1
    return made


def transfers(a: GPUArray, stream: drv.Stream) -> list[np.ndarray]:
    """Copies to the host, and kernels' arguments."""
    host = np.empty(a.shape, a.dtype)
    made = [a.get(), a.get(host), a.get(pagelocked=True), a.get_async(stream)]
    made += [a.get(stream=stream), a.get(ary=host, async_=True)]
    made += [a.get() + 1, np.asarray(a.get()), np.sqrt(a.get())]
    assert a.get().tolist() == a.tolist()
    pinned = drv.pagelocked_zeros(4096, np.uint8)
    registered = drv.register_host_memory(drv.aligned_zeros(4096, np.uint8))
    managed = drv.managed_empty_like(host, drv.mem_attach_flags.GLOBAL)
    print(pinned.base.get_device_pointer(), managed.base.get_device_pointer())
    registered.base.unregister()
    made += [pinned, registered, managed, pinned + 1]
    drv.memcpy_dtoh(host, a.gpudata)
    drv.memcpy_htod(a.gpudata, host)
    drv.memcpy_dtod(a.gpudata, a.gpudata, a.nbytes)
    drv.memset_d32(a.gpudata, 0, a.size)
    print(f"{a[0, 0]:.2f} {a} {a!r}", float(ga.sum(a).get()), str(a))
    return made


def main(folder: pathlib.Path) -> None:
    """Run all lines."""
    host = np.arange(16, dtype=np.float32).reshape(4, 4)
    i = ga.arange(4, dtype=np.int32)

    def new() -> GPUArray:
        return ga.to_gpu(host + 1)

    attributes(new())
    operators(new(), new(), i.copy())
    indexing(new(), i, new() > 3)
    shapes(new())
    results(new(), new())
    creation(host)
    transfers(new(), drv.Stream())
    ga.save(folder / "a.npy", new())
    pycuda.autoinit.context.synchronize()


if __name__ == "__main__":
    main(pathlib.Path("."))
