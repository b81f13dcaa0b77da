"""Two streams at work at once, ordered and timed by events."""

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void scale(float *out, const float *in, float factor, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        out[i] = in[i] * factor;
}

__global__ void add(float *out, const float *a, const float *b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        out[i] = a[i] + b[i];
}
"""


def main() -> None:
    n = 1 << 20
    module = SourceModule(SOURCE)
    scale, add = module.get_function("scale"), module.get_function("add")
    block, grid = (256, 1, 1), (64, 1)

    x = cuda.pagelocked_empty(n, np.float32)
    result = cuda.pagelocked_empty(n, np.float32)
    x[:] = np.random.randn(n).astype(np.float32)
    x_gpu, twice, thrice, out = (cuda.mem_alloc(x.nbytes) for _ in range(4))

    first, second = cuda.Stream(), cuda.Stream()
    begin, copied, scaled, end = (cuda.Event() for _ in range(4))
    count = np.int32(n)

    begin.record(first)
    cuda.memcpy_htod_async(x_gpu, x, first)
    copied.record(first)
    second.wait_for_event(copied)
    scale(
        twice,
        x_gpu,
        np.float32(2),
        count,
        block=block,
        grid=grid,
        stream=first,
    )
    scale(
        thrice,
        x_gpu,
        np.float32(3),
        count,
        block=block,
        grid=grid,
        stream=second,
    )
    scaled.record(second)
    first.wait_for_event(scaled)
    add(out, twice, thrice, count, block=block, grid=grid, stream=first)
    cuda.memcpy_dtoh_async(result, out, first)
    end.record(first)
    end.synchronize()

    assert first.is_done() and end.query()
    assert np.array_equal(result, x * np.float32(2) + x * np.float32(3)), (
        "wrong numbers"
    )
    milliseconds = begin.time_till(end)
    assert milliseconds > 0
    print(f"copy, two kernels side by side, sum, copy: {milliseconds:.2f} ms")
    print("Success")


if __name__ == "__main__":
    main()
