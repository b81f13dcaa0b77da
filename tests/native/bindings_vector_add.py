"""Vector addition with NVIDIA's cuda-bindings, after its documentation.

Run by test_cuda_bindings.py under ``python -m pycuda.cpu run``; prints the
device's name and "Success".
"""

import sys

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void add(const float *a, const float *b, float *c,
                               size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
"""


def check(result):
    """Return the value of a call; raise an error unless it succeeded."""
    code, *values = result
    if int(code) != 0:
        raise RuntimeError(repr(code))
    return values[0] if len(values) == 1 else values


def compile_cubin(device):
    names = driver.CUdevice_attribute
    major, minor = (
        check(driver.cuDeviceGetAttribute(attribute, device))
        for attribute in (
            names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        )
    )
    options = [b"--fmad=false", b"--gpu-architecture=sm_%d%d" % (major, minor)]
    program = check(nvrtc.nvrtcCreateProgram(SOURCE, b"add.cu", 0, [], []))
    check(nvrtc.nvrtcCompileProgram(program, len(options), options))
    cubin = b" " * check(nvrtc.nvrtcGetCUBINSize(program))
    check(nvrtc.nvrtcGetCUBIN(program, cubin))
    check(nvrtc.nvrtcDestroyProgram(program))
    return np.frombuffer(cubin, np.uint8)


def create_context(device):
    try:
        return check(driver.cuCtxCreate(None, 0, device))
    except TypeError:  # before CUDA 13
        return check(driver.cuCtxCreate(0, device))


def main():
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    name = check(driver.cuDeviceGetName(128, device))
    print(name.rstrip(b"\0").decode())
    context = create_context(device)
    cubin = compile_cubin(device)
    module = check(driver.cuModuleLoadData(cubin.ctypes.data))
    kernel = check(driver.cuModuleGetFunction(module, b"add"))
    stream = check(driver.cuStreamCreate(0))

    n = 100_003
    rng = np.random.default_rng(7)
    a, b = rng.random((2, n), np.float32)
    c = np.zeros_like(a)
    buffers = [check(driver.cuMemAlloc(a.nbytes)) for _ in range(3)]
    for buffer, host in zip(buffers, (a, b), strict=False):
        check(
            driver.cuMemcpyHtoDAsync(
                buffer, host.ctypes.data, host.nbytes, stream
            )
        )
    values = [np.array([int(buffer)], np.uint64) for buffer in buffers]
    values.append(np.array([n], np.uint64))
    pointers = np.array([value.ctypes.data for value in values], np.uint64)
    check(
        driver.cuLaunchKernel(
            kernel,
            (n + 255) // 256, 1, 1,
            256, 1, 1,
            0, stream, pointers.ctypes.data, 0,
        )
    )  # fmt: skip
    check(
        driver.cuMemcpyDtoHAsync(c.ctypes.data, buffers[2], c.nbytes, stream)
    )
    check(driver.cuStreamSynchronize(stream))
    assert np.array_equal(c, a + b), "the sum is wrong"

    for buffer in buffers:
        check(driver.cuMemFree(buffer))
    check(driver.cuStreamDestroy(stream))
    check(driver.cuModuleUnload(module))
    check(driver.cuCtxDestroy(context))
    print("Success")


if __name__ == "__main__":
    sys.exit(main())
