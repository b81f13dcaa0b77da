"""NVRTC and nvJitLink link kernels that launch kernels, without a GPU.

The same steps as those of DynamicSourceModule on a GPU, where the driver
links: relocatable code of NVRTC and libcudadevrt.a.
"""

# SPDX-License-Identifier: MIT

import ctypes
import glob
import os
import sys

import pytest

from pycuda import _driver, compiler

FOLDERS = [
    "/usr/local/cuda/lib64",
    *(
        os.path.join(entry, "nvidia", part, "lib")
        for entry in sys.path
        for part in ("cu13", "cuda_nvrtc", "nvjitlink", "cuda_runtime")
    ),
]
SOURCE = b"""
__global__ void child(int *a) { a[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void parent(int *a)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    child<<<1, 4, 0, stream>>>(a);
    child<<<1, 4, 0, cudaStreamTailLaunch>>>(a);
    cudaStreamDestroy(stream);
}
"""


def find(name):
    """Return the path of a library of a toolkit or wheel, or skip."""
    for folder in FOLDERS:
        for path in sorted(glob.glob(os.path.join(folder, name))):
            return path
    return pytest.skip(f"no {name}")


def load(name):
    """Load a library of a toolkit or wheel, or skip."""
    path = find(name)
    try:
        return ctypes.CDLL(path)
    except OSError as error:  # a toolkit for another processor
        return pytest.skip(f"{path}: {error}")


def compiled():
    """Return the relocatable cubin of SOURCE, by NVRTC."""
    nvrtc = load("libnvrtc.so*")
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 2)(b"-rdc=true", b"-arch=sm_80")
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), SOURCE, b"k.cu", 0, None, None
    )
    assert nvrtc.nvrtcCompileProgram(program, 2, options) == 0
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetCUBIN(program, cubin) == 0
    return cubin.raw


def linker():
    """Return a function that calls nvJitLink's functions by their names."""
    library = load("libnvJitLink.so.1*")

    def call(name, *arguments):
        for suffix in ("_13_0", "_12_0", ""):
            function = getattr(library, f"__nvJitLink{name}{suffix}", None)
            if function is not None:
                return function(*arguments)
        raise AssertionError(name)

    return call


def test_linked_with_the_device_runtime():
    runtime, cubin, call = find("libcudadevrt.a"), compiled(), linker()
    handle = ctypes.c_void_p()
    options = (ctypes.c_char_p * 1)(b"-arch=sm_80")
    assert call("Create", ctypes.byref(handle), 1, options) == 0
    cubin_kind, library_kind = 1, 6
    assert (
        call(
            "AddData", handle, cubin_kind, cubin,
            ctypes.c_size_t(len(cubin)), b"k",
        ) == 0
    )  # fmt: skip
    assert call("AddFile", handle, library_kind, runtime.encode()) == 0
    assert call("Complete", handle) == 0
    size = ctypes.c_size_t()
    call("GetLinkedCubinSize", handle, ctypes.byref(size))
    linked = ctypes.create_string_buffer(size.value)
    assert call("GetLinkedCubin", handle, linked) == 0
    assert linked.raw.startswith(b"\x7fELF")
    assert b"parent" in linked.raw
    call("Destroy", ctypes.byref(handle))


@pytest.mark.parametrize(
    ("version", "package"),
    [(13, "nvidia-cuda-runtime"), (12, "nvidia-cuda-runtime-cu12")],
)
def test_the_missing_package_is_named(context, monkeypatch, version, package):
    monkeypatch.setattr(_driver, "_nvrtc_info", lambda: ("", version, 0, [80]))
    monkeypatch.setattr(os.path, "isfile", lambda path: False)
    module = compiler.DynamicModule()
    with pytest.raises(RuntimeError, match=f"pip install {package}$"):
        module.add_stdlib("none")
