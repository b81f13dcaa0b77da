"""Vector addition with NVIDIA's cuda.core, without changes for this device."""

# SPDX-License-Identifier: MIT

import ctypes

import numpy as np
from cuda.core import (
    Device,
    EventOptions,
    LaunchConfig,
    Program,
    ProgramOptions,
    launch,
)

SOURCE = """
template <typename T>
__global__ void add(const T *a, const T *b, T *c, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * (size_t)blockDim.x)
        c[i] = a[i] + b[i];
}
"""


def view(buffer, dtype, count):
    """Return a NumPy view, as the host can access CPU device memory."""
    kind = ctypes.c_char * (count * np.dtype(dtype).itemsize)
    return np.frombuffer(kind.from_address(int(buffer.handle)), dtype)


def main():
    device = Device()
    device.set_current()
    print("device:", device.name, device.compute_capability)
    stream = device.create_stream()
    arch = "".join(str(part) for part in device.compute_capability)
    program = Program(
        SOURCE,
        code_type="c++",
        options=ProgramOptions(std="c++17", arch=f"sm_{arch}"),
    )
    module = program.compile("cubin", name_expressions=("add<float>",))
    kernel = module.get_kernel("add<float>")
    print("kernel:", kernel.attributes.max_threads_per_block)

    n = 50000
    buffers = [device.allocate(4 * n, stream=stream) for _ in range(3)]
    stream.sync()
    rng = np.random.default_rng(1)
    a, b, c = (view(buffer, np.float32, n) for buffer in buffers)
    a[:], b[:], c[:] = rng.random(n), rng.random(n), 0
    start = stream.record(options=EventOptions(timing_enabled=True))
    launch(
        stream,
        LaunchConfig(grid=64, block=128),
        kernel,
        *buffers,
        np.uint64(n),
    )
    end = stream.record(options=EventOptions(timing_enabled=True))
    stream.sync()
    assert np.array_equal(c, a + b)
    assert end - start >= 0

    copy = device.allocate(4 * n, stream=stream)
    buffers[2].copy_to(copy, stream=stream)
    stream.sync()
    assert np.array_equal(view(copy, np.float32, n), c)

    builder = device.create_graph_builder()
    builder.begin_building()
    launch(
        builder,
        LaunchConfig(grid=64, block=128),
        kernel,
        buffers[0],
        buffers[2],
        buffers[2],
        np.uint64(n),
    )
    graph = builder.end_building().complete()
    graph.launch(stream)
    graph.launch(stream)
    stream.sync()
    assert np.allclose(c, 3 * a + b)
    for buffer in (*buffers, copy):
        buffer.close(stream)
    stream.sync()
    print("Success")


if __name__ == "__main__":
    main()
