"""Products of arrays through NumPy's BLAS: see test_blas.py.

Prints the name of the requested check after it has passed.
"""

# SPDX-License-Identifier: MIT

import os
import sys
import threading

import numpy as np

import pycuda.autoinit
import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda._array import blas
from pycuda.compiler import SourceModule

LATE = """
__global__ void late(float *to, int n, float value, volatile int *count,
                     volatile int *open)
{
    while (!*open) {
        __nanosleep(1000);
    }
    for (int i = 0; i < 20000000; i++) {
        *count = *count + 1;
    }
    for (int i = 0; i < n; i++) {
        to[i] = value;
    }
}
"""


def ones(side):
    return gpuarray.to_gpu(np.ones((side, side), np.float32))


def check_used():
    """BLAS computes products of its types; kernels compute the others."""
    rng = np.random.default_rng(1)
    made = []
    real = blas.multiply
    blas.multiply = lambda *given: made.append(real(*given)) or made[-1]
    for char in "fdFDeil":
        a, b = (rng.integers(-4, 5, (9, 9)).astype(char) for _ in "ab")
        got = gpuarray.to_gpu(a) @ gpuarray.to_gpu(b)
        assert got.dtype == a.dtype
        assert np.array_equal(got.get(), a @ b), char
    assert made == [True, True, True, True, False, False, False]


def check_unused():
    """BLAS is not used with PYCUDA_CUBLAS=0, or with the checks on."""
    real, made = blas.multiply, []
    blas.multiply = lambda *given: made.append(real(*given)) or made[-1]
    for side in (9, 300):
        assert np.all((ones(side) @ ones(side)).get() == side)
    assert made == [False, False]


def order_of(side, late, gate, more):
    """Compare the order of work; a free would wait for the gate."""
    a, b, stream = ones(side), ones(side), drv.Stream(1)  # non-blocking
    out = gpuarray.zeros((side, side), np.float32)
    size, one = np.int32(side * side), (1, 1, 1)
    gate[0] = 0
    drv.Context.synchronize()
    late(a, size, np.float32(3), *more, block=one, stream=stream)
    gpuarray.matmul(a, b, out=out, stream=stream)
    late(out, size, np.float32(5), *more, block=one, stream=stream)
    copy = out.copy(stream=stream)
    gpuarray.matmul(a, copy, out=out, stream=stream)
    assert not stream.is_done()
    gate[0] = 1
    stream.synchronize()
    assert np.all(copy.get() == 5)
    assert np.all(out.get() == 3 * 5 * side)


def check_order():
    """A product follows earlier work of its stream and precedes later work."""
    late = SourceModule(LATE).get_function("late")
    count = gpuarray.zeros(1, np.int32)
    mapped = drv.host_alloc_flags.DEVICEMAP
    gate = drv.pagelocked_zeros(1, np.int32, mem_flags=mapped)
    more = (count, np.intp(gate.base.get_device_pointer()))
    for side in (8, 400):
        order_of(side, late, gate, more)


def check_freed():
    """Operands are freed before the product is computed."""
    for _ in range(30):
        got = ones(500) @ ones(500)
        filled = [gpuarray.to_gpu(np.full((500, 500), 7, "f"))]
        assert np.all(got.get() == 500)
        assert filled[0].get()[0, 0] == 7


def check_captures():
    """A captured product uses our kernel; BLAS does before and after."""
    a, stream = ones(64), drv.Stream()
    out = gpuarray.zeros((64, 64), np.float32)
    drv.Context.synchronize()
    gpuarray.matmul(a, a, out=out, stream=stream)
    with stream.capture() as graph:
        gpuarray.matmul(a, a, out=out, stream=stream)
    stream.synchronize()
    out.fill(0)
    drv.Context.synchronize()
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert np.all(out.get() == 64)


def check_threads():
    """Threads with a stream each, while NumPy computes products too."""
    wrong = []

    def work(seed):
        pycuda.autoinit.context.push()
        rng, stream = np.random.default_rng(seed), drv.Stream()
        try:
            for _ in range(20):
                rows, inner, columns = rng.integers(1, 200, 3)
                a = rng.integers(-4, 5, (rows, inner)).astype("d")
                b = rng.integers(-4, 5, (inner, columns)).astype("d")
                left, right = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
                got = gpuarray.matmul(left, right, stream=stream)
                stream.synchronize()
                if not np.array_equal(got.get(), a @ b):
                    wrong.append((rows, inner, columns))
        finally:
            drv.Context.pop()

    threads = [
        threading.Thread(target=work, args=(seed,)) for seed in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def check_forks():
    """A fork waits for the running product; both processes continue."""
    a = np.ones((400, 400), np.float32)
    for _ in range(15):
        got = ones(400) @ ones(400)
        child = os.fork()
        if child == 0:
            good = np.all(a @ a == 400)
            try:
                ones(4)
            except drv.Error:
                os._exit(0 if good else 2)
            os._exit(1)
        assert np.all(got.get() == 400)
        assert np.all((ones(400) @ ones(400)).get() == 400)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


if __name__ == "__main__":
    assert _driver._device_kind() == "cpu"
    globals()[f"check_{sys.argv[1]}"]()
    print(f"{sys.argv[1]}: Success")
