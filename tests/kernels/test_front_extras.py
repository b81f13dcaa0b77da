"""Our headers for the CPU device, and vector types."""

import time

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

LAYOUTS = {
    "char1": (1, 1),
    "uchar3": (3, 1),
    "uchar4": (4, 4),
    "short2": (4, 4),
    "ushort3": (6, 2),
    "int2": (8, 8),
    "uint3": (12, 4),
    "int4": (16, 16),
    "float2": (8, 8),
    "float3": (12, 4),
    "float4": (16, 16),
    "longlong2": (16, 16),
    "double2": (16, 16),
    "double3": (24, 8),
    "dim3": (12, 4),
}


def test_layout_of_vectors():
    lines = "".join(
        f"out[{2 * i}] = sizeof({name}); out[{2 * i + 1}] = alignof({name});\n"
        for i, name in enumerate(LAYOUTS)
    )
    out = np.empty((len(LAYOUTS), 2), np.int32)
    module = SourceModule(f"__global__ void kernel(int *out) {{ {lines} }}")
    module.get_function("kernel")(cuda.Out(out), block=(1, 1, 1))
    assert out.tolist() == [list(pair) for pair in LAYOUTS.values()]


def test_geometry_as_values():
    module = SourceModule(
        """
        __device__ int flat(dim3 i, uint3 n) { return i.x + n.x * i.y; }
        __global__ void kernel(int *out)
        {
            uint3 thread = threadIdx;
            const dim3 size = blockDim;
            auto block = blockIdx;
            int i = flat(thread, size);
            out[size.x * size.y * block.x + i] = flat(threadIdx, blockDim)
                + 1000 * gridDim.x + 10000 * warpSize;
        }
        """
    )
    out = np.empty((3, 12), np.int32)
    module.get_function("kernel")(cuda.Out(out), block=(4, 3, 1), grid=(3, 1))
    assert (out == np.arange(12) + 323000).all()


@pytest.mark.cpu
def test_half_precision():
    module = SourceModule(
        """
        #include <cuda_fp16.h>
        __global__ void kernel(__half *x, float *y)
        {
            int i = threadIdx.x;
            __half a = x[i], b = __float2half(0.5f);
            __half2 pair = __floats2half2_rn(y[i], 2.0f);
            y[i] = __half2float(__hfma(a, b, a)) + __low2float(pair);
            x[i] = a < b ? hsqrt(a) : __hadd(a * b, a);
        }
        """
    )
    x = np.linspace(0, 4, 32).astype(np.float16)
    y = np.linspace(-1, 1, 32).astype(np.float32)
    got_x, got_y = x.copy(), y.copy()
    module.get_function("kernel")(
        cuda.InOut(got_x), cuda.InOut(got_y), block=(32, 1, 1)
    )
    half = np.float16(0.5)
    fused = (x.astype(float) * 0.5 + x).astype(np.float16)
    assert np.array_equal(
        got_y, fused.astype("f4") + y.astype(np.float16).astype("f4")
    )
    root = np.sqrt(x.astype("f4")).astype(np.float16)
    assert np.array_equal(got_x, np.where(x < half, root, x * half + x))


@pytest.mark.cpu
def test_cooperative_groups():
    module = SourceModule(
        """
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void kernel(int *out)
        {
            auto block = cg::this_thread_block();
            auto tile = cg::tiled_partition<8>(block);
            int value = block.thread_rank();
            for (int i = tile.size() / 2; i > 0; i /= 2) {
                value += tile.shfl_down(value, i);
            }
            value = tile.shfl(value, 0);
            block.sync();
            out[block.thread_rank()] = value * 10 + tile.thread_rank();
        }
        """
    )
    out = np.empty(48, np.int32)
    module.get_function("kernel")(cuda.Out(out), block=(16, 3, 1))
    sums = np.arange(48).reshape(6, 8).sum(1)
    assert np.array_equal(out.reshape(6, 8), sums[:, None] * 10 + np.arange(8))


@pytest.mark.cpu
def test_cu_complex():
    module = SourceModule(
        """
        #include <cuComplex.h>
        __global__ void kernel(cuDoubleComplex *z)
        {
            z[0] = cuCadd(cuCmul(z[1], z[2]), cuCdiv(z[1], z[2]));
            z[3] = make_cuDoubleComplex(cuCabs(z[1]), cuCimag(cuConj(z[2])));
        }
        """
    )
    z = np.array([0, 1 + 2j, 3 - 1j, 0])
    module.get_function("kernel")(cuda.InOut(z), block=(1, 1, 1))
    a, b = 1 + 2j, 3 - 1j
    assert np.allclose(z, [a * b + a / b, a, b, abs(a) + 1j], rtol=1e-15)


def test_new_and_delete():
    module = SourceModule(
        """
        struct Node { int value; Node *next; };
        __global__ void kernel(int *out)
        {
            Node *list = nullptr;
            for (int i = 0; i < 10; i++) {
                list = new Node{i + (int)threadIdx.x, list};
            }
            int sum = 0;
            while (list) {
                Node *next = list->next;
                sum += list->value;
                delete list;
                list = next;
            }
            int *array = new int[20];
            array[19] = sum;
            out[threadIdx.x] = array[19];
            delete[] array;
        }
        """
    )
    out = np.empty(40, np.int32)
    module.get_function("kernel")(cuda.Out(out), block=(40, 1, 1))
    assert out.tolist() == [45 + 10 * t for t in range(40)]


@pytest.mark.parametrize(
    "options",
    [["-G"], ["-use_fast_math"], ["-O0"], ["-std=c++11"], ["--fmad=false"]],
)
def test_options_leave_the_result(options):
    module = SourceModule(
        "__global__ void kernel(float *x)"
        "{ x[threadIdx.x] = sqrtf(x[threadIdx.x]) * 2.0f; }",
        options=options,
    )
    x = np.arange(32, dtype=np.float32)
    want = np.sqrt(x) * 2
    module.get_function("kernel")(cuda.InOut(x), block=(32, 1, 1))
    assert np.allclose(x, want, rtol=1e-6)


@pytest.mark.cpu
def test_global_timer_is_the_hosts_clock():
    module = SourceModule(
        "/* for clang: __PYCUDA_CPU__ */"
        "__global__ void kernel(unsigned long long *t)"
        "{ t[threadIdx.x] = __nvvm_read_ptx_sreg_globaltimer(); }"
    )
    times = np.zeros(2, np.uint64)
    before = time.time_ns()
    module.get_function("kernel")(cuda.Out(times), block=(2, 1, 1))
    assert before <= times.min() <= times.max() <= time.time_ns()


@pytest.mark.parametrize(
    "kind", ["float4", "double2", "uint4", "float2", "int", "char"]
)
def test_streamed_words(kind):
    """A later launch, on any thread, sees data stored past the caches."""
    n = 20_000
    module = SourceModule(
        f"""
        __global__ void store(const {kind} *x, {kind} *y)
        {{
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            __stcs(&y[gridDim.x * blockDim.x - 1 - i], __ldcs(&x[i]));
        }}
        """
    )
    store = module.get_function("store")
    size = {"float2": 8, "int": 4, "char": 1}.get(kind, 16)
    random = np.random.default_rng(size)
    host = random.integers(0, 256, (n, size), np.uint8)
    x, y, z = (cuda.mem_alloc(host.nbytes) for _ in range(3))
    cuda.memcpy_htod(x, host)
    store(x, y, block=(100, 1, 1), grid=(n // 100, 1))
    assert (cuda.from_device_like(y, host) == host[::-1]).all()
    store(y, z, block=(100, 1, 1), grid=(n // 100, 1))
    assert (cuda.from_device_like(z, host) == host).all()


@pytest.mark.parametrize("head", ["", "#include <alloca.h>"])
def test_alloca_is_unknown_as_to_nvrtc(head):
    with pytest.raises(cuda.CompileError, match="alloca"):
        SourceModule(
            f"{head}\n__global__ void kernel(int *out)"
            "{ int *own = (int *)alloca(threadIdx.x * 4 + 4); own[0] = 1;"
            " out[threadIdx.x] = own[0]; }"
        )
