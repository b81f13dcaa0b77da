"""Typical mistakes of beginners: each message names the mistake."""

# SPDX-License-Identifier: MIT

import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.scan import InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__constant__ float weights[4];
__global__ void scale(float *x, float by) { x[threadIdx.x] *= by; }
__global__ void clear(float *x) { x[threadIdx.x] = 0; }
__global__ void turn(float *x)
{
    __shared__ float own[32];
    own[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = own[31 - threadIdx.x];
}
"""


@pytest.fixture(scope="module")
def module(context):
    return SourceModule(SOURCE)


@pytest.fixture
def clear(module):
    return module.get_function("clear")


@pytest.fixture
def x():
    return gpuarray.to_gpu(np.ones(32, np.float32))


@pytest.mark.parametrize(
    ("launch", "said"),
    [
        ({"block": (0, 1, 1)}, r"block\[0\] is 0, "),
        ({"block": (1, 1, 1025)}, r"block\[2\] is 1025, but must be at most"),
        ({"block": (64, 64, 1)}, "a block of 4096 threads, but at most"),
        ({"block": (1, 1, 1), "grid": (1, 0)}, r"grid\[1\] is 0, "),
        (
            {"block": (1, 1, 1), "grid": (1, 70000)},
            r"grid\[1\] is 70000, but must be at most 65535",
        ),
        (
            {"block": (1, 1, 1), "shared": 1 << 24},
            "16777216 bytes of dynamic and 0 of static shared memory",
        ),
    ],
)
def test_a_launch_beyond_a_limit(clear, x, launch, said):
    with pytest.raises(drv.LogicError, match=said):
        clear(x, **launch)


def test_shared_memory_of_the_kernels_own_counts(module, x):
    turn = module.get_function("turn")
    with pytest.raises(drv.LogicError, match=" and 128 of static shared"):
        turn(x, block=(32, 1, 1), shared=1 << 24)


def test_a_limit_that_is_kept_is_not_named(clear, x):
    with pytest.raises(drv.LogicError) as caught:
        clear(x, block=(64, 64, 1))
    assert "grid[" not in str(caught.value)
    assert "block[" not in str(caught.value)
    assert "static" not in str(caught.value)


def test_a_kernel_of_another_context(clear, x):
    other = drv.Context.get_device().make_context()
    try:
        with pytest.raises(drv.LogicError, match="in another context than"):
            clear(np.intp(x.ptr), block=(32, 1, 1))
    finally:
        other.pop()
        other.detach()


@pytest.mark.parametrize("size", [(32.0, 1, 1), (np.float64(2), 1)])
def test_sizes_that_were_divided(clear, x, size):
    with pytest.raises(TypeError, match="// divides integers"):
        clear(x, block=(32, 1, 1), grid=size)


def test_a_kernel_that_is_not_there(module):
    with pytest.raises(drv.LogicError, match="kernels: .*scale") as caught:
        module.get_function("scal")
    assert "not found - scal;" in str(caught.value)
    assert "_Z" not in str(caught.value)


def test_a_kernel_under_its_cpp_name():
    module = SourceModule(SOURCE, no_extern_c=True)
    with pytest.raises(drv.LogicError, match='extern "C"') as caught:
        module.get_function("scale")
    assert "_Z5scalePff" in str(caught.value)


def test_a_module_without_kernels():
    module = SourceModule("__device__ void clear(float *x) { *x = 0; }")
    with pytest.raises(drv.LogicError, match="begin with __global__ void"):
        module.get_function("clear")


@pytest.mark.cpu  # a GPU's driver may not detect it
def test_copies_that_are_too_long(module):
    memory = drv.mem_alloc(128)
    host = np.zeros(100, np.float32)
    said = "400 bytes, but the device memory ends after 128"
    with pytest.raises(drv.LogicError, match=said):
        drv.memcpy_htod(memory, host)
    with pytest.raises(drv.LogicError, match=said):
        drv.memcpy_dtoh(host, memory)
    with pytest.raises(drv.LogicError, match="ends after 64"):
        drv.memcpy_dtoh(host, int(memory) + 64)
    with pytest.raises(drv.LogicError, match="ends after 16"):
        drv.memcpy_htod(module.get_global("weights")[0], host)


@pytest.mark.cpu  # a GPU's driver may not detect it
def test_fills_and_copies_on_the_device_that_are_too_long():
    small, large = drv.mem_alloc(128), drv.mem_alloc(4096)
    said = "bytes, but the device memory ends after 128"
    for call in (
        lambda: drv.memset_d8(small, 0, 1 << 20),
        lambda: drv.memset_d32(small, 0, 1 << 20),
        lambda: drv.memcpy_dtod(small, large, 4096),
        lambda: drv.memcpy_dtod(large, small, 4096),
        lambda: drv.memcpy_dtod_async(large, small, 4096, drv.Stream()),
    ):
        with pytest.raises(drv.LogicError, match=said):
            call()


def test_copies_beyond_a_cuda_array():
    shape = drv.ArrayDescriptor()
    shape.width, shape.height, shape.num_channels = 8, 0, 2
    shape.format = drv.array_format.UNSIGNED_INT16
    small, large = drv.Array(shape), drv.mem_alloc(400)
    shape.width = 100
    wide = drv.Array(shape)
    host = np.zeros(40, np.uint8)
    for call in (
        lambda: drv.memcpy_htoa(small, 4, host),
        lambda: drv.memcpy_atoh(host, small, 4),
        lambda: drv.memcpy_dtoa(small, 4, large, 40),
        lambda: drv.memcpy_atod(large, small, 4, 40),
        lambda: drv.memcpy_atoa(small, 4, wide, 0, 40),
        lambda: drv.memcpy_atoa(wide, 0, small, 4, 40),
    ):
        said = "40 bytes at offset 4, but the array holds 32"
        with pytest.raises(drv.LogicError, match=said):
            call()


def test_arrays_of_no_shape():
    with pytest.raises(drv.LogicError, match="descriptor's width is 0"):
        drv.Array(drv.ArrayDescriptor())
    with pytest.raises(ValueError, match="2 dimensions, not 3"):
        drv.matrix_to_array(np.zeros((2, 2, 2), np.float32), "C")


def test_copies_the_wrong_way_round():
    memory = drv.mem_alloc(128)
    host = np.zeros(32, np.float32)
    with pytest.raises(TypeError, match="not numpy.ndarray, which is in host"):
        drv.memcpy_htod(host, memory)
    with pytest.raises(TypeError, match="not numpy.ndarray, which is in host"):
        drv.memcpy_dtoh(memory, host)


def test_allocations_say_how_much_was_asked_for():
    with pytest.raises(drv.LogicError, match="an allocation of 0 bytes"):
        drv.mem_alloc(0)
    with pytest.raises(drv.LogicError, match="an allocation of 0 bytes"):
        drv.In(np.zeros(0, np.float32)).get_device_alloc()
    said = f"{1 << 60} bytes requested; the device has "
    with pytest.raises(drv.MemoryError, match=said):
        drv.mem_alloc(1 << 60)
    with pytest.raises(drv.MemoryError, match=said):
        gpuarray.empty(1 << 60, np.uint8)


def test_a_gpuarray_within_in(clear, x):
    for handler in (drv.In, drv.Out, drv.InOut):
        with pytest.raises(ValueError, match="pass a GPUArray directly"):
            clear(handler(x), block=(32, 1, 1))


def test_a_thread_without_a_context(x):
    said = []

    def work():
        for call in (lambda: x + x, lambda: drv.mem_alloc(4)):
            with pytest.raises(drv.LogicError) as caught:
                call()
            said.append(str(caught.value))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(said) == 2
    for text in said:
        assert "Import pycuda.autoinit, or make or push a context" in text


def test_a_device_that_is_not_there():
    count = drv.Device.count()
    with pytest.raises(drv.LogicError, match=f"no device 99: {count} device"):
        drv.Device(99)


def test_times_between_events_that_have_none():
    first, last = drv.Event(), drv.Event()
    last.record()
    last.synchronize()
    with pytest.raises(drv.LogicError, match="must be recorded"):
        last.time_since(first)
    silent = drv.Event(drv.event_flags.DISABLE_TIMING)
    silent.record()
    silent.synchronize()
    with pytest.raises(drv.LogicError, match="DISABLE_TIMING"):
        last.time_since(silent)


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("kernels/scale.cu", r"open\(name\).read\(\)"),
        pytest.param(
            "void host() { float *x; cudaMalloc(&x, 4); }",
            "launched from Python",
            marks=pytest.mark.cpu,
        ),
        pytest.param(
            "int f() { return 1; }\n__global__ void k(int *x) { *x = f(); }",
            "write __device__ before",
            marks=pytest.mark.cpu,
        ),
        pytest.param(
            "__global__ void k(int n) { __shared__ int s[n]; s[0] = n; }",
            "extern __shared__ float",
            marks=pytest.mark.cpu,
        ),
        pytest.param(
            "struct one { int x = 1; };\n"
            "__global__ void k() { __shared__ one a, b[2]; a = b[0]; }",
            "in a separate statement",
            marks=pytest.mark.cpu,
        ),
    ],
)
def test_sources_that_do_not_compile(source, advice):
    with pytest.raises(drv.CompileError, match=advice):
        SourceModule(source)


@pytest.mark.parametrize("folders", ["/usr/include", Path("/usr/include")])
def test_one_folder_for_a_list_of_them(folders):
    with pytest.raises(TypeError, match="include_dirs must be a list"):
        SourceModule(SOURCE, include_dirs=folders)


@pytest.mark.cpu
def test_an_nvcc_is_not_needed_on_the_cpu_device(x):
    with pytest.warns(UserWarning, match="compiles with its own compiler"):
        module = SourceModule(SOURCE, nvcc="/usr/local/cuda/bin/nvcc")
    module.get_function("clear")(x, block=(32, 1, 1))
    assert not x.get().any()


@pytest.mark.parametrize("length", [2, 32])
def test_host_arrays_given_to_scans(x, length):
    scan = InclusiveScanKernel(np.float32, "a+b")
    host = np.ones(length, np.float32)
    for arguments in ((host,), (host, "new"), (x[:length], host)):
        with pytest.raises(TypeError, match="host array"):
            scan(*arguments)
    assert (x.get() == 1).all()


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("__shared__ float s[12289];", "'k' has 49156 bytes of static"),
        ("__shared__ float s[12288];", None),
    ],
)
def test_more_static_shared_memory_than_a_gpu_has(declared, said):
    source = f"""__global__ void k(float *x) {{
        {declared}
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = s[31 - threadIdx.x];
    }}"""
    check_warning(source, said)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("length", "said"), [(16385, "65540 bytes of __constant__"), (16384, None)]
)
def test_more_constants_than_a_gpu_has(length, said):
    source = f"""__constant__ float c[{length}];
        __global__ void k(float *x) {{ x[threadIdx.x] = c[threadIdx.x]; }}"""
    check_warning(source, said)


def check_warning(source, said):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module = SourceModule(source, cache_dir=False)
    texts = [str(warning.message) for warning in caught]
    assert (said is None) == (texts == [])
    assert said is None or said in texts[0]
    x = gpuarray.to_gpu(np.arange(32, dtype=np.float32))
    module.get_function("k")(x, block=(32, 1, 1))
    assert x.get()[31] == 0


UNSET = """__global__ void k(float *x)
{
    float t;
    t += x[0];
    x[0] = t;
}"""
SET = """__global__ void k(float *x, int n)
{
    float t, u, v;
    if (n > 3) t = 1; else if (n > 2) t = 2;
    for (int i = 0; i < n; i++) u = i;
    asm("mov.f32 %0, 0f3f800000;" : "=f"(v));
    __shared__ float s;
    x[0] = t + u + v + s;
}"""


@pytest.mark.cpu
@pytest.mark.parametrize("options", [[], ["-w"]])
def test_a_variable_that_is_never_set(options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SourceModule(UNSET, options=options, cache_dir=False)
    texts = [str(warning.message) for warning in caught]
    assert len(texts) == (not options)
    if not options:
        assert "kernel.cu:4:" in texts[0]
        assert "'t' is uninitialized when used here" in texts[0]


@pytest.mark.cpu
def test_variables_that_some_path_sets():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SourceModule(SET, cache_dir=False)
