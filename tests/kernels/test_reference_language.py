"""The language: recursion, classes, templates, structs, globals, printf."""

import ctypes
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import reference

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

RECURSION = """
__device__ int ways(int down, int right)
{
    return down == 0 || right == 0
        ? 1 : ways(down - 1, right) + ways(down, right - 1);
}

__global__ void kernel(int *out)
{
    out[threadIdx.y * blockDim.x + threadIdx.x]
        = ways(threadIdx.y, threadIdx.x);
}
"""


def test_recursion():
    out = np.empty((6, 7), np.int32)
    reference.kernel(RECURSION)(cuda.Out(out), block=(7, 6, 1))
    expected = [
        [reference.call("ways", y, x) for x in range(7)] for y in range(6)
    ]
    assert out.tolist() == expected


DEPTHS = """
__device__ int place(int depth)
{
    return depth ? place(depth - 1) + 1
                 : threadIdx.x + 100 * threadIdx.y + 1000 * blockIdx.x;
}
__global__ void kernel(int *out)
{
    out[(blockIdx.x * 3 + threadIdx.y) * 4 + threadIdx.x] = place(5);
}
"""


def test_a_recursion_knows_its_thread():
    out = np.empty((2, 3, 4), np.int32)
    reference.kernel(DEPTHS)(cuda.Out(out), block=(4, 3, 1), grid=(2, 1))
    block, y, x = np.indices(out.shape)
    assert np.array_equal(out, 5 + x + 100 * y + 1000 * block)


MUTUAL = """
__device__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }

__global__ void kernel(int *out)
{
    __shared__ int answer[40];
    int t = threadIdx.x;
    answer[t] = even(t);
    __syncthreads();
    out[t] = answer[39 - t];
}
"""


def test_mutual_recursion_beside_a_barrier():
    out = np.empty(40, np.int32)
    reference.kernel(MUTUAL)(cuda.Out(out), block=(40, 1, 1))
    assert np.array_equal(out, np.arange(40) % 2)


VIRTUAL = """
struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape() {}
};
struct square : shape {
    float a;
    __device__ square(float a) : a(a) {}
    __device__ float area() const override { return a * a; }
};
struct box : square {
    float b;
    __device__ box(float a, float b) : square(a), b(b) {}
    __device__ float area() const override { return a * b; }
};

extern "C" __global__ void kernel(float *out)
{
    int t = threadIdx.x;
    square first(t);
    box second(t, 2);
    const shape *chosen = &first;
    if (t % 3)
        chosen = &second;
    out[t] = chosen->area();
}
"""


def test_virtual_functions():
    out = np.empty(50, np.float32)
    reference.kernel(VIRTUAL, no_extern_c=True)(
        cuda.Out(out), block=(50, 1, 1)
    )
    t = np.arange(50)
    assert np.array_equal(out, np.where(t % 3, 2 * t, t * t))


POINTERS = """
typedef int (*operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ operation table[3] = { add, subtract, multiply };

__global__ void kernel(int *out)
{
    int t = threadIdx.x;
    out[t] = table[t % 3](t, 7);
}
"""


def test_function_pointers():
    out = np.empty(60, np.int32)
    reference.kernel(POINTERS)(cuda.Out(out), block=(60, 1, 1))
    t = np.arange(60)
    assert np.array_equal(out, np.choose(t % 3, [t + 7, t - 7, t * 7]))


TEMPLATES = """
template <class T, int N> struct vector {
    T values[N];
    __device__ T sum() const
    {
        T total{};
        for (const T &value : values)
            total += value;
        return total;
    }
};
template <class... Ts> __device__ auto fold(Ts... values)
{
    return (values + ... + 0);
}
template <class T> __device__ constexpr int kind()
{
    if constexpr (sizeof(T) == 8)
        return 8;
    else
        return 4;
}
template <class T> struct pair {
    T first, second;
    __device__ pair(T first, T second) : first(first), second(second) {}
};

template <class T> __global__ void typed(T *out)
{
    vector<T, 3> v{ T(threadIdx.x), 2, 3 };
    auto [first, second] = pair{ v.sum(), T(kind<T>()) };
    T offset = second;
    auto twice = [=](T x) { return x * 2 + offset; };
    out[threadIdx.x] = twice(first) + fold(1, 2, 3);
}

extern "C" __global__ void kernel(float *f, double *d)
{
    static_assert(kind<double>() == 8);
    vector<float, 2> v{ 1, 2 };
    f[threadIdx.x] = v.sum() + kind<float>();
    d[threadIdx.x] = fold(1.5, 2, threadIdx.x);
}
template __global__ void typed<float>(float *);
"""


def test_templates_and_cxx17():
    module = SourceModule(TEMPLATES, no_extern_c=True, options=["-std=c++17"])
    f, d = np.empty(8, np.float32), np.empty(8, np.float64)
    module.get_function("kernel")(cuda.Out(f), cuda.Out(d), block=(8, 1, 1))
    assert np.all(f == 7)
    assert np.array_equal(d, 3.5 + np.arange(8))
    # A template instance is looked up by its mangled name.
    module.get_function("_Z5typedIfEvPT_")(cuda.Out(f), block=(8, 1, 1))
    assert np.array_equal(f, (np.arange(8) + 5) * 2 + 4 + 6)


STRUCTS = """
struct inner { short a; char b; };
struct outer { char tag; double value; struct inner in[2]; float3 v; };

__global__ void kernel(double *out, char first, struct outer o, short middle,
                       double2 pair, char c, float4 four, int last)
{
    double all[19], *next = all;
    *next++ = first;
    *next++ = o.tag;
    *next++ = o.value;
    for (int i = 0; i < 2; ++i) {
        *next++ = o.in[i].a;
        *next++ = o.in[i].b;
    }
    *next++ = o.v.x, *next++ = o.v.y, *next++ = o.v.z;
    *next++ = middle;
    *next++ = pair.x, *next++ = pair.y;
    *next++ = c;
    *next++ = four.x, *next++ = four.y, *next++ = four.z, *next++ = four.w;
    *next++ = last;
    out[threadIdx.x] = all[threadIdx.x];
}
"""


def test_struct_arguments_are_aligned_as_in_c():
    inner = np.dtype([("a", np.int16), ("b", np.int8)], align=True)
    outer = np.dtype(
        [
            ("tag", np.int8),
            ("value", np.float64),
            ("in", inner, 2),
            ("v", np.float32, 3),
        ],
        align=True,
    )
    record = np.array((1, 2.5, [(3, 4), (5, 6)], (7, 8, 9)), outer)
    out = np.empty(19)
    reference.kernel(STRUCTS)(
        cuda.Out(out),
        np.int8(-1),
        record,
        np.int16(10),
        np.array([11, 12], np.float64),
        np.int8(13),
        np.array([14, 15, 16, 17], np.float32),
        np.int32(18),
        block=(19, 1, 1),
    )
    assert out.tolist() == [-1, 1, 2.5, *range(3, 19)]


CONSTANT = """
__constant__ float weights[4] = { 1, 2, 3, 4 };
__constant__ int scale = 10;
__device__ int counter = 5;
__device__ double table[3] = { 0.5, 1.5, 2.5 };
static __device__ int calls;

__global__ void kernel(float *out)
{
    int t = threadIdx.x;
    out[t] = weights[t % 4] * scale;
    atomicAdd(&counter, 1);
    if (t < 3)
        table[t] *= 2;
    if (t == 0)
        calls += 1;
}

__global__ void read_calls(int *out) { *out = calls; }
"""


def test_constants_and_globals():
    module = SourceModule(CONSTANT)
    function = module.get_function("kernel")
    out = np.empty(8, np.float32)
    function(cuda.Out(out), block=(8, 1, 1))
    assert out.tolist() == [10, 20, 30, 40] * 2

    address, size = module.get_global("weights")
    assert size == 16
    cuda.memcpy_htod(address, np.array([4, 3, 2, 1], np.float32))
    cuda.memcpy_htod(module.get_global("scale")[0], np.int32(100))
    function(cuda.Out(out), block=(8, 1, 1))
    assert out.tolist() == [400, 300, 200, 100] * 2

    address, size = module.get_global("counter")
    counter = np.zeros(1, np.int32)
    assert size == 4
    cuda.memcpy_dtoh(counter, address)
    assert counter[0] == 5 + 16
    table = np.zeros(3)
    cuda.memcpy_dtoh(table, module.get_global("table")[0])
    assert table.tolist() == [2, 6, 10]
    calls = np.zeros(1, np.int32)
    module.get_function("read_calls")(cuda.Out(calls), block=(1, 1, 1))
    assert calls[0] == 2
    with pytest.raises(cuda.LogicError, match="not found"):
        module.get_global("nothing")


def test_two_modules_have_their_own_globals():
    first, second = (SourceModule(CONSTANT, cache_dir=False) for _ in "ab")
    out = np.empty(8, np.float32)
    first.get_function("kernel")(cuda.Out(out), block=(8, 1, 1))
    counter = np.zeros(1, np.int32)
    cuda.memcpy_dtoh(counter, second.get_global("counter")[0])
    assert counter[0] == 5


PRINTF = r"""
#include <stdio.h>
__global__ void kernel(const float *x, long long wide)
{
    int t = threadIdx.x;
    if (t == 0)
        printf("%d|%5d|%-5d|%05d|%+d|%u|%x|%X|%o\n", -7, 42, 42, 42, 42,
               4000000000u, 255, 255, 8);
    if (t == 1)
        printf("%lld|%llu|%c|%s|%%|%10s|%.3s\n", wide,
               (unsigned long long)wide, 'c', "text", "right", "abcdef");
    if (t == 2)
        printf("%f|%.2f|%8.3f|%e|%g\n", x[0], x[0], (double)x[0], 12345.678,
               0.0001);
    if (t == 3)
        printf("no arguments\n");
}
"""


def test_printf(capfd):
    x = np.array([1.5], np.float32)
    reference.kernel(PRINTF)(
        cuda.In(x), np.int64(-5_000_000_000), block=(4, 1, 1)
    )
    cuda.Context.synchronize()
    ctypes.CDLL(None).fflush(None)
    lines = capfd.readouterr().out.split("\n")
    for line in [
        "-7|   42|42   |00042|+42|4000000000|ff|FF|10",
        f"-5000000000|{2**64 - 5_000_000_000}|c|text|%|     right|abc",
        "1.500000|1.50|   1.500|1.234568e+04|0.0001",
        "no arguments",
    ]:
        assert lines.count(line) == 1, lines


ASSERT = """
    import numpy as np
    import pycuda.autoinit
    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    kernel = SourceModule('''
    #include <assert.h>
    __global__ void kernel(int limit)
    {
        assert(threadIdx.x < limit);
    }
    ''').get_function("kernel")
    kernel(np.int32(40), block=(40, 1, 1))
    cuda.Context.synchronize()
    print("forty hold")
    try:
        kernel(np.int32(39), block=(40, 1, 1))
        cuda.Context.synchronize()
    except cuda.LogicError as error:
        print("LogicError:", error)
    try:
        cuda.mem_alloc(4)
        cuda.Context.synchronize()
    except cuda.Error:
        print("the context stays broken")
"""


def test_assert_ends_the_launch_and_the_context(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ASSERT)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout + done.stderr
    assert "forty hold" in done.stdout
    assert re.search("LogicError: .*assert", done.stdout)
    assert "the context stays broken" in done.stdout
    # The message has the user's line, the thread and the expression.
    assert re.search(
        r"kernel\.cu:5: .*thread: \[39,0,0\].*"
        r"Assertion .threadIdx\.x < limit.",
        said,
    )


NO_RESULT = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

kernel = SourceModule(\'\'\'
__device__ int none(int x) { __builtin_unreachable(); }
__device__ int same(int x) { return x; }
__global__ void kernel(int *out, int n)
{
    int (*f)(int) = n ? none : same;
    *out = f(5);
}
\'\'\').get_function("kernel")
out = np.zeros(1, np.int32)
try:
    kernel(cuda.Out(out), np.int32(1), block=(1, 1, 1))
except cuda.LogicError as error:
    print(error)
"""


@pytest.mark.cpu
def test_what_cannot_be_reached_is_a_fault_if_it_is(tmp_path):
    """Execution must not continue in another function's code."""
    done = subprocess.run(
        [sys.executable, "-c", NO_RESULT],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "an illegal instruction was encountered" in done.stdout, done.stderr


LOCALS = """
__global__ void kernel(int *out, int n)
{
    int big[500];
    for (int i = 0; i < 500; ++i)
        big[i] = i * threadIdx.x;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += big[(i * 7) % 500];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


def test_large_local_arrays_beside_a_barrier():
    out = np.empty((4, 64), np.int32)
    reference.kernel(LOCALS)(
        cuda.Out(out), np.int32(500), block=(64, 1, 1), grid=(4, 1)
    )
    assert np.all(out == np.arange(64) * 499 * 250)


HEAP = """
__global__ void kernel(int **kept, int *out)
{
    int t = threadIdx.x;
    int *mine = (int *)malloc(4 * (t + 1));
    for (int i = 0; i <= t; ++i)
        mine[i] = i;
    kept[t] = mine;
    __syncthreads();
    int *other = kept[blockDim.x - 1 - t];
    out[t] = other[blockDim.x - 1 - t];
    __syncthreads();
    free(mine);
}
"""


NEW = """
struct Pair { int a, b; __device__ Pair() : a(3), b(4) {} };
extern "C" __global__ void f(int *out, size_t n)
{
    int *p = new int[n];
    out[0] = p ? 1 : 2;
    if (p)
        p[n - 1] = 5;
    delete[] p;
    Pair *q = new Pair[n];
    out[1] = q ? q[n - 1].a : 7;
    delete[] q;
    Pair *r = new Pair;
    out[2] = r ? r->b : 8;
    delete r;
}
"""


@pytest.mark.cpu
def test_new_where_the_heap_is_used_up():
    function = SourceModule(NEW, no_extern_c=True).get_function("f")
    for n, expected in ((4, [1, 3, 4]), (1 << 28, [2, 7, 4])):
        out = np.zeros(3, np.int32)
        function(cuda.Out(out), np.uint64(n), block=(1, 1, 1))
        assert out.tolist() == expected


def test_malloc_in_a_kernel():
    stored, out = np.zeros(64, np.uint64), np.empty(64, np.int32)
    reference.kernel(HEAP)(cuda.InOut(stored), cuda.Out(out), block=(64, 1, 1))
    assert np.array_equal(out, np.arange(64)[::-1])
    assert np.unique(stored).size == 64


PLACES = """
__device__ int by_recursion(int n)
{
    return n ? by_recursion(n - 1) + threadIdx.x + blockDim.y
             : 10 * blockIdx.y + 100 * gridDim.x + 1000 * threadIdx.z;
}

__device__ int through_pointer(int n)
{
    return n * blockDim.x + threadIdx.y + 100 * blockIdx.z;
}

__global__ void kernel(int *out, int n)
{
    int (*volatile called)(int) = through_pointer;
    int thread = threadIdx.x
        + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + thread]
        = by_recursion(n) + 100000 * called(n);
}
"""


def test_places_in_functions_that_stay_calls():
    """Source locations in recursive functions and behind function pointers."""
    shape = z, y, x, tz, ty, tx = (2, 3, 2, 2, 3, 4)
    out = np.empty(shape, np.int32)
    reference.kernel(PLACES)(
        cuda.Out(out), np.int32(3), grid=(x, y, z), block=(tx, ty, tz)
    )
    bz, by, _, kz, ky, kx = np.indices(shape)
    expected = 3 * (kx + ty) + 10 * by + 100 * x + 1000 * kz
    expected = expected + 100000 * (3 * tx + ky + 100 * bz)
    assert np.array_equal(out, expected)


SHARED = """
__shared__ int before[5], room[64];

__device__ int sum_of(int n)
{
    return n == 0 ? before[3] : room[n - 1] + sum_of(n - 1);
}

__global__ void kernel(int *out)
{
    room[threadIdx.x] = threadIdx.x + blockIdx.x;
    before[threadIdx.x % 5] = 1000;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum_of(threadIdx.x + 1);
}
"""


@pytest.fixture
def deep_stack():
    """Set 16 KiB of stack per thread; a GPU's default of 1 is too small."""
    before = cuda.Context.get_limit(cuda.limit.STACK_SIZE)
    cuda.Context.set_limit(cuda.limit.STACK_SIZE, 16 << 10)
    yield
    cuda.Context.set_limit(cuda.limit.STACK_SIZE, before)


def test_shared_memory_in_a_recursive_function(deep_stack):
    out = np.empty((3, 64), np.int32)
    reference.kernel(SHARED)(cuda.Out(out), grid=(3, 1), block=(64, 1, 1))
    rows = np.arange(64) + np.arange(3)[:, None]
    assert np.array_equal(out, 1000 + rows.cumsum(axis=1))


def tripled_calls(levels):
    """Return functions that each call the previous one three times."""
    lines = ["__device__ unsigned f0(unsigned x) { return 5 * x + 1; }"]
    lines += [
        f"__device__ unsigned f{n}(unsigned x)\n"
        f"{{ return f{n - 1}(x) + 3 * f{n - 1}(x + {n}) ^ f{n - 1}(x - 1); }}"
        for n in range(1, levels + 1)
    ]
    lines += [
        "__global__ void kernel(unsigned *out)",
        f"{{ out[threadIdx.x] = f{levels}(threadIdx.x); }}",
    ]
    return "\n".join(lines)


@pytest.mark.cpu  # a GPU's compiler has its own rules
def test_not_everything_is_inlined():
    """Half a million copies of f0 would never finish compiling."""
    out = np.empty(4, np.uint32)
    reference.kernel(tripled_calls(12))(cuda.Out(out), block=(4, 1, 1))
    x = np.arange(-12, 4 + 12 * 13 // 2, dtype=np.int64)
    values = (5 * x + 1) & 0xFFFFFFFF
    for n in range(1, 13):
        here, there = values[1 : values.size - n], values[1 + n :]
        values = (here + 3 * there & 0xFFFFFFFF) ^ values[: here.size]
    assert np.array_equal(out, values[:4])


BUILTINS = """
#ifdef __PYCUDA_CPU__  // NVRTC has no such builtins
__global__ void kernel(int *out)
{
    int t = __nvvm_read_ptx_sreg_tid_x(), b = __nvvm_read_ptx_sreg_ctaid_x();
    __shared__ int s[8];
    s[t] = __nvvm_read_ptx_sreg_nctaid_x();
    __nvvm_bar_warp_sync(-1);
    out[b * __nvvm_read_ptx_sreg_ntid_x() + t] = 100 * b + 10 * t + s[7 - t];
}
#endif
"""


@pytest.mark.cpu
def test_builtins_of_the_front_end():
    out = np.empty((3, 8), np.int32)
    reference.kernel(BUILTINS)(cuda.Out(out), block=(8, 1, 1), grid=(3, 1))
    block, thread = np.indices(out.shape)
    assert np.array_equal(out, 100 * block + 10 * thread + 3)


LABELS = """
__global__ void kernel(int *out)
{
    static void *const to[] = {&&one, &&two};
    int t = threadIdx.x;
    goto *to[t & 1];
one:
    out[t] = 1;
    return;
two:
    out[t] = 2;
}
"""


def test_addresses_of_labels_are_no_cuda():
    with pytest.raises(cuda.CompileError):
        reference.kernel(LABELS)
