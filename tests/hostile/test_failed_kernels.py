"""Kernels that once crashed the process, or broke later kernels."""

import ctypes
import os

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule, compile

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.filterwarnings("ignore:The CUDA compiler succeeded"),
]


@pytest.fixture
def own_context():
    """Return a context that a test may make unusable."""
    drv.init()
    context = drv.Device(0).make_context()
    yield context
    context.detach()


def run(source: str, *arguments, block=(64, 1, 1), grid=(2, 1)) -> np.ndarray:
    """Run kernel k with an array for its results as the first argument."""
    out = drv.to_device(np.zeros(1024, np.int32))
    kernel = SourceModule(source).get_function("k")
    kernel(out, *arguments, block=block, grid=grid)
    drv.Context.synchronize()
    return drv.from_device(out, 1024, np.int32)


@pytest.mark.parametrize("barrier", ["", "if (threadIdx.x & 1)"])
def test_alloca(own_context, barrier: str) -> None:
    """A thread's end frees the memory, in thread loops and on fibers."""
    source = f"""
    __global__ void k(int *out, int n)
    {{
        volatile int *a = (int *)__builtin_alloca(4 * n);
        // __PYCUDA_CPU__ has it, NVRTC does not
        for (int i = 0; i < n; i++)
            a[i] = threadIdx.x + i;
        {barrier} {"__syncwarp(__activemask());" if barrier else ""}
        out[threadIdx.x] = a[n - 1];
    }}
    """
    n = 4096  # for 1024 threads together: 16 MiB
    got = run(source, np.int32(n), block=(1024, 1, 1), grid=(1, 1))
    assert got.tolist() == list(range(n - 1, n + 1023))


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("size", [1 << 24, 1 << 30])
def test_alloca_of_too_much(own_context, size: int) -> None:
    source = """
    __global__ void k(int *out, int n)
    {
        volatile char *a = (char *)__builtin_alloca(n); // __PYCUDA_CPU__
        a[0] = 1;
        out[threadIdx.x] = a[0];
    }
    """
    with pytest.raises(drv.LogicError, match="stack|address"):
        run(source, np.int32(size))


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("words", [16, 3000, 12000])
@pytest.mark.parametrize("barrier", ["", "if (threadIdx.x & 1)"])
def test_recursion_does_not_step_over_the_stack_s_end(
    own_context, words: int, barrier: str
) -> None:
    """A frame may be larger than the guard area below a stack."""
    source = f"""
    __device__ int deep(int n, volatile int *p)
    {{
        volatile int a[{words}];
        a[{words} - 1] = n;
        return n < 0 ? *p : deep(n + 1, p) + a[{words} - 1];
    }}
    __global__ void k(int *out)
    {{
        {barrier} {"__syncwarp(__activemask());" if barrier else ""}
        out[threadIdx.x] = deep(1, out);
    }}
    """
    with pytest.raises(drv.LogicError, match="stack"):
        run(source)


@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    "store",
    ["*(int *)0 = 1;", "*(double2 *)0 = make_double2(1, 2);"],
)
@pytest.mark.parametrize(
    "around", ["%s", "__syncthreads(); %s", "if (n) %s", "__syncwarp(); %s"]
)
def test_null_that_is_seen(own_context, store: str, around: str) -> None:
    """The compiler must not remove such a store."""
    source = f"""
    __global__ void k(int *out, int n) {{ {around % store} out[0] = 3; }}
    """
    with pytest.raises(drv.LogicError, match="illegal memory access"):
        run(source, np.int32(1))


def test_no_return(own_context) -> None:
    """The function returns an unspecified value, and the kernel continues."""
    source = """
    __device__ __noinline__ int f(int n) { if (n) return 5; }
    __global__ void k(int *out, int n)
    {
        for (int i = 0; i < 3; i++)
            out[i] = f(n) | 1;
        out[3] = 7;
    }
    """
    source = "#define __noinline__ __attribute__((noinline))\n" + source
    got = run(source, np.int32(0), block=(1, 1, 1), grid=(1, 1))
    assert got[3] == 7 and all(got[:3] & 1)


PRINTS = {
    "%460d|": 461,
    "%600d|": 601,
    "%-3000x|": 3001,
    "%070000d|": 65537,
    "%2000000000d|": 65537,
}


@pytest.mark.parametrize("form", PRINTS)
@pytest.mark.parametrize("fiber", [False, True])
def test_wide_fields(own_context, form: str, fiber: bool, capfd) -> None:
    """Field widths up to 65,536 are honored; larger ones do not add output."""
    wait = "if (threadIdx.x & 1) __syncwarp(__activemask());" if fiber else ""
    source = f"""
    __global__ void k(int *out) {{ {wait} printf("{form}", 1); }}
    """
    run(source, block=(1, 1, 1), grid=(1, 1))
    assert len(capfd.readouterr().out) == PRINTS[form]


def test_long_numbers_on_fibers(own_context, capfd) -> None:
    """Formatting long numbers needs more stack than a fiber has."""
    source = """
    __global__ void k(int *out)
    {
        if (threadIdx.x & 1) __syncwarp(__activemask());
        printf("%.5000f|", 1e300 + threadIdx.x);
        out[threadIdx.x] = threadIdx.x;
    }
    """
    got = run(source, block=(64, 1, 1), grid=(1, 1))
    text = capfd.readouterr().out
    assert got[:64].tolist() == list(range(64))
    assert text == f"{1e300:.5000f}|" * 64


@pytest.mark.no_sanitizer  # sanitizers delay the reuse of freed memory
def test_what_kernels_allocate_goes_with_the_context() -> None:
    """Kernels allocate up to 8 MiB each time; nothing may leak."""
    source = """
    __global__ void k(int *out)
    {
        for (int i = 0; i < 70; i++) {
            char *p = (char *)malloc(100000);
            for (int j = 0; p && j < 100000; j += 4096)
                p[j] = 1;
        }
    }
    """
    sizes = []
    for _ in range(30):
        context = drv.Device(0).make_context()
        run(source, block=(1, 1, 1), grid=(1, 1))
        context.detach()
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[1])
        sizes.append(pages * os.sysconf("SC_PAGESIZE"))
    assert sizes[-1] - sizes[4] < 64 << 20


def test_a_block_that_leaves_a_grid_s_barrier_out(own_context) -> None:
    """The other blocks do not wait forever."""
    source = """
    #include <cooperative_groups.h>
    extern "C" __global__ void k(int *out)
    {
        if (blockIdx.x == 0)
            cooperative_groups::this_grid().sync();
    }
    """
    library = driver_library()
    image = compile(source, no_extern_c=True)
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.cuModuleLoadData(ctypes.byref(module), image) == 0
    assert (
        library.cuModuleGetFunction(ctypes.byref(function), module, b"k") == 0
    )
    address = ctypes.c_uint64(0)
    params = (ctypes.c_void_p * 1)(ctypes.addressof(address))
    said = library.cuLaunchCooperativeKernel(
        function, 2, 1, 1, 32, 1, 1, 0, None, params
    )
    assert said == 0
    with pytest.raises(drv.Error, match="launch failure"):
        drv.Context.synchronize()


def driver_library() -> ctypes.CDLL:
    """Return the library that pycuda.driver has open."""
    import pycuda

    inside = os.path.dirname(pycuda.__file__) + "/lib/libpycuda_cpu.so"
    return ctypes.CDLL(os.environ.get("PYCUDA_CPU_LIBRARY", inside))
