"""Programs in which every system call of the package is made to fail once.

Each is a function that uses a part of the package, checks what it computed,
and leaves nothing behind.  The module's own imports load nothing of the
package: a fault may be planted in its first import.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, Callable[[], None]] = {}
# Whether a check may miss an error, since a fault is planted.
may_miss = False


def program(function: Callable[[], None]) -> Callable[[], None]:
    """Enter a function in `PROGRAMS`, run in a context of its own."""

    def run() -> None:
        import pycuda.driver as drv

        drv.init()
        context = drv.Device(0).make_context()
        try:
            function()
            drv.Context.synchronize()
        finally:
            gc.collect()
            context.pop()
            context.detach()
            del context
            gc.collect()

    PROGRAMS[function.__name__] = run
    return run


def expect(is_right: object) -> None:
    """A failed check is no exception that a fault may cause."""
    if not is_right:
        raise ArithmeticError("wrong result")


SOURCE = """
#include <cooperative_groups.h>
__constant__ int factor = 3;
__device__ int table[100];
__managed__ int shared_word;
texture<float, 2> reference;

struct Pair { int x; float y; };

__global__ void scale(int *a, const Pair *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = a[i] * factor + p->x;
        atomicMax(&table[i % 100], i);
    }
}

__global__ void turn(int *a)
{
    extern __shared__ int s[];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void waits(int *a)
{
    __shared__ volatile int s[64];
    for (int i = 0; i < a[0]; i++) {
        if (threadIdx.x < a[1]) s[threadIdx.x] = i;
        cooperative_groups::this_thread_block().sync();
        if (s[threadIdx.x % a[1]] != i) return;
    }
    a[threadIdx.x + 2] = __shfl_xor_sync(~0u, (int)threadIdx.x, 1);
}

__global__ void grids(int *a)
{
    cooperative_groups::this_grid().sync();
    atomicAdd(a, 1);
}

__global__ void heap(int *a)
{
    int *p = (int *)malloc(400);
    p[3] = 7;
    *a = p[3] + shared_word;
    free(p);
    printf("%d\\n", *a);
}

__global__ void reads(float *a, cudaTextureObject_t t)
{
    *a = tex2D(reference, 1, 1) + tex2D<float>(t, 2, 1);
}
"""


def launch_kernels(module: Any) -> None:
    """Kernels of each kind of execution, and a module's variables."""
    import pycuda.driver as drv

    a = drv.mem_alloc(4000)
    pair = np.zeros(1, [("x", "i4"), ("y", "f4")])
    pair["x"] = 5
    host = np.arange(1000, dtype=np.int32)
    drv.memcpy_htod(a, host)
    scale = module.get_function("scale")
    scale(a, drv.In(pair), np.int32(1000), block=(128, 1, 1), grid=(8, 1))
    drv.memcpy_dtoh(host, a)
    expect(host[10] == 35)
    module.get_function("turn")(a, block=(64, 1, 1), shared=256)
    drv.memcpy_dtoh(host, a)
    expect(host[0] == 63 * 3 + 5)
    words = np.array([3, 32] + [0] * 64, np.int32)
    waits = module.get_function("waits")
    waits(drv.InOut(words), block=(64, 1, 1), grid=(1, 1))
    expect(words[2] == 1)
    pointer, size = module.get_global("table")
    expect(size == 400 and drv.from_device(pointer, 100, np.int32)[7] == 907)
    counter = np.zeros(1, np.int32)
    grids = module.get_function("grids")
    memory = drv.to_device(counter)
    expect(scale.num_regs > 0)
    grids(memory, block=(32, 1, 1), grid=(4, 1), cooperative=True)
    expect(drv.from_device_like(memory, counter)[0] == 128)


@program
def small() -> None:
    """A few bytes there and back; no kernel."""
    import pycuda.driver as drv

    memory = drv.mem_alloc(64)
    drv.memset_d8(memory, 3, 64)
    expect(drv.from_device(memory, 64, np.uint8)[63] == 3)


@program
def kernels() -> None:
    """A source is compiled (unless it is in the cache) and runs."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    module = SourceModule(SOURCE)
    launch_kernels(module)
    out = np.zeros(1, np.int32)
    module.get_function("heap")(drv.Out(out), block=(1, 1, 1))
    expect(out[0] == 7)
    drv.Context.synchronize()
    drv.matrix_to_texref(
        np.ones((4, 4), "f4"), module.get_texref("reference"), "C"
    )
    array = drv.matrix_to_array(np.full((4, 4), 2, "f4"), "C")
    texture = drv.TextureObject(array)
    result = drv.mem_alloc(4)
    module.get_function("reads")(
        result,
        np.uint64(int(texture)),
        block=(1, 1, 1),
        texrefs=[module.get_texref("reference")],
    )
    expect(drv.from_device(result, 1, np.float32)[0] == 3)


@program
def refused() -> None:
    """A source with an error, and one that cannot be linked."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    for text, words in (
        ("__global__ void k() { x = 1; }", "undeclared identifier 'x'"),
        ("#error a", "error: a"),
    ):
        try:
            SourceModule(text)
        except drv.CompileError as error:
            if words not in str(error):
                raise
        else:
            expect(False)


@program
def rewritten() -> None:
    """A source that the front end accepts at its second attempt only."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    module = SourceModule(
        "struct P { float x; __device__ P() : x(3) {} };"
        "__global__ void k(float *a)"
        "{ __shared__ P p[4]; p[1].x = 2; *a = p[1].x; }"
    )
    value = np.zeros(1, np.float32)
    module.get_function("k")(drv.Out(value), block=(1, 1, 1))
    expect(value[0] == 2)


@program
def linked() -> None:
    """Separate compilation and the linker."""
    import pycuda.driver as drv
    from pycuda.compiler import compile

    one = compile(
        "extern __device__ int f(int);"
        'extern "C" __global__ void k(int *a) { *a = f(*a); }',
        no_extern_c=True,
        options=["-rdc=true"],
        target="cubin",
    )
    two = compile(
        "__device__ int f(int x) { return x + 1; }",
        no_extern_c=True,
        options=["-rdc=true"],
        target="cubin",
    )
    linker = drv.Linker()
    for image in (one, two):
        linker.add_data(image, drv.jit_input_type.CUBIN, "part")
    module = linker.link_module()
    value = np.array([4], np.int32)
    module.get_function("k")(drv.InOut(value), block=(1, 1, 1))
    expect(value[0] == 5)


@program
def arrays() -> None:
    """GPUArray: operations, reductions, scans, slices, random numbers."""
    import pycuda.cumath as cumath
    import pycuda.driver as drv
    from pycuda import curandom, gpuarray
    from pycuda.elementwise import ElementwiseKernel
    from pycuda.reduction import ReductionKernel
    from pycuda.scan import InclusiveScanKernel

    a = gpuarray.to_gpu(np.arange(3000, dtype=np.float32))
    b = (2 * a + 1)[::3] - a[:1000]
    expect(b.get()[10] == 51)
    expect(gpuarray.sum(a).get() == 3000 * 2999 / 2)
    expect(gpuarray.max(a).get() == 2999)
    expect(gpuarray.dot(a, a).get() > 0)
    expect((a > 5).get()[6])
    expect(abs(cumath.sin(a).get()[1] - np.sin(1.0)) < 1e-5)
    a[5:10] = 7
    expect(a.get()[9] == 7)
    m = a.reshape(30, 100).T.copy()
    expect(m.get()[1, 0] == 1)
    expect(gpuarray.take(a, gpuarray.to_gpu(np.array([1, 2]))).get()[1] == 2)
    expect(gpuarray.if_positive(a, a, a).shape == a.shape)
    expect(a.astype(np.int32).get()[9] == 7)
    c = gpuarray.concatenate([a, a])
    expect(c.shape == (6000,) and c[3001].get() == 1)
    kernel = ElementwiseKernel("float *x, float y", "x[i] += y", "plus")
    kernel(a, 2.0)
    expect(a.get()[0] == 2)
    total = ReductionKernel(
        np.float32, "0", "a+b", "x[i]*x[i]", "const float *x"
    )
    expect(total(gpuarray.zeros(100, np.float32) + 2).get() == 400)
    scan = InclusiveScanKernel(np.int32, "a+b")
    ones = gpuarray.zeros(500, np.int32) + 1
    scan(ones)
    expect(ones.get()[499] == 500)
    generator = curandom.XORWOWRandomNumberGenerator()
    expect(0 < generator.gen_uniform(100, np.float32).get()[3] <= 1)
    expect(curandom.rand((10,)).shape == (10,))
    pinned = drv.pagelocked_zeros(3000, np.float32)
    a.get_async(ary=pinned)
    drv.Context.synchronize()
    expect(pinned[1] == 3)
    expect("[" in repr(a[:3]))


@program
def memory() -> None:
    """Every kind of memory, copies between them, and what is said of it."""
    import pycuda.driver as drv

    big = drv.mem_alloc(12 << 20)
    pitched, pitch = drv.mem_alloc_pitch(100, 20, 4)
    pinned = drv.pagelocked_zeros(5000, np.int32)
    aligned = drv.aligned_zeros(5000, np.int32)
    registered = drv.register_host_memory(aligned)
    managed = drv.managed_zeros(
        70000, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL
    )
    managed[5] = 3
    drv.memcpy_htod(big, pinned)
    drv.memcpy_dtod(int(big) + 20000, big, 20000)
    drv.memcpy_dtoh(pinned, big)
    drv.memset_d32(big, 9, 5000)
    stream = drv.Stream()
    drv.memcpy_dtoh_async(pinned, big, stream)
    stream.synchronize()
    expect(pinned[4999] == 9)
    copy = drv.Memcpy2D()
    copy.set_src_host(np.ones((20, 100), np.uint8))
    copy.set_dst_device(pitched)
    copy.width_in_bytes = copy.src_pitch = 100
    copy.dst_pitch, copy.height = pitch, 20
    copy(aligned=False)
    pool = drv.DeviceMemoryPool()
    parts = [pool.allocate(n) for n in (10, 5000, 3 << 20)]
    del parts
    pool.free_held()
    pool.stop_holding()
    pinned_pool = drv.PageLockedMemoryPool(drv.PageLockedAllocator(0))
    part = pinned_pool.allocate((100,), np.float32)
    del part
    pinned_pool.stop_holding()
    ordered = drv.mem_alloc_async(3000, stream)
    drv.memset_d8_async(ordered, 3, 3000, stream)
    ordered.free()
    own = drv.AsyncMemoryPool()
    stored = own.allocate(1 << 20)
    stream.synchronize()
    handle = drv.mem_get_ipc_handle(big)
    expect(len(handle) == 64)
    attribute = drv.pointer_attribute.MEMORY_TYPE
    drv.Context.get_current()
    expect(drv.mem_get_info()[0] > 0)
    expect(managed[5] == 3)
    del stored, own, attribute, registered
    many = [drv.mem_alloc(n) for n in range(1, 20000, 500)]
    del many


@program
def streams() -> None:
    """Streams, events, callbacks, captures and graphs."""
    import pycuda.driver as drv
    from pycuda import gpuarray

    one, two = drv.Stream(), drv.Stream(priority=-1)
    event, timed = drv.Event(), drv.Event()
    memory = drv.mem_alloc(1 << 20)
    event.record(one)
    drv.memset_d32_async(memory, 1, 1 << 18, one)
    timed.record(one)
    two.wait_for_event(timed)
    seen: list[int] = []
    one.add_callback(lambda *rest: seen.append(1))
    for stream in (one, two):
        stream.synchronize()
    expect(timed.time_since(event) >= 0)
    a = gpuarray.zeros(1000, np.float32)
    b = a + 1
    with one.capture() as graph:
        drv.memset_d8_async(memory, 2, 1000, one)
        drv.memcpy_dtod_async(int(memory) + 1000, memory, 1000, one)
    execution = graph.instantiate()
    for _ in range(3):
        execution.launch(one)
    one.synchronize()
    expect(drv.from_device(memory, 2000, np.uint8)[1999] == 2)
    expect(b.get()[3] == 1)
    shared = drv.Event(
        drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING
    )
    expect(len(shared.ipc_handle()) == 64)
    shared.record(two)
    shared.synchronize()
    busy = [drv.Stream() for _ in range(20)]
    for number, stream in enumerate(busy):
        drv.memset_d8_async(int(memory) + 64 * number, 7, 64, stream)
    for stream in busy:
        stream.synchronize()
    for _ in range(1000):  # it is called by a thread of Python's
        if seen:
            break
        time.sleep(0.01)
    expect(seen == [1])


@program
def textures() -> None:
    """CUDA arrays, texture references, texture and surface objects."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    image = np.arange(64, dtype=np.float32).reshape(8, 8)
    array = drv.matrix_to_array(image, "C")
    module = SourceModule(
        "texture<float, 2> t; surface<void, 2> s;"
        "__global__ void k(float *a) { *a = tex2D(t, 2, 1);"
        " surf2Dwrite(5.f, s, 4, 0); }"
    )
    reference = module.get_texref("t")
    reference.set_array(array)
    out = np.zeros(1, np.float32)
    function = module.get_function("k")
    shape = drv.ArrayDescriptor3D()
    shape.width = shape.height = 8
    shape.depth, shape.num_channels = 0, 1
    shape.format = drv.array_format.FLOAT
    shape.flags = drv.array3d_flags.SURFACE_LDST
    surface = drv.Array(shape)
    module.get_surfref("s").set_array(surface)
    function(drv.Out(out), block=(1, 1, 1), texrefs=[reference])
    expect(out[0] == 10)
    volume = drv.np_to_array(np.ones((4, 4, 4), np.float32), "C")
    del volume


@program
def failing() -> None:
    """A kernel with an error; the context is lost, a new one works."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    lost = drv.Device(0).make_context()
    try:
        module = SourceModule("__global__ void k(int *a) { a[1] = 2; }")
        try:
            module.get_function("k")(np.uintp(64), block=(1, 1, 1))
            drv.Context.synchronize()
        except drv.LogicError as error:
            if "illegal" not in str(error):
                raise
        else:
            expect(False)
    finally:
        lost.pop()
        lost.detach()
    memory = drv.mem_alloc(8)
    drv.memset_d32(memory, 4, 2)
    expect(drv.from_device(memory, 2, np.int32)[1] == 4)


PROGRAMS["start"] = PROGRAMS["small"]


@program
def checked() -> None:
    """Kernels with checks; one is found faulty."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    launch_kernels(SourceModule(SOURCE))
    lost = drv.Device(0).make_context()
    try:
        module = SourceModule("__global__ void k(int *a) { a[16] = 2; }")
        memory = drv.mem_alloc(64)
        try:
            module.get_function("k")(memory, block=(1, 1, 1))
            drv.Context.synchronize()
        except drv.LogicError as error:
            if "illegal" not in str(error):
                raise
        else:
            expect(False)
        del memory, module
    finally:
        lost.pop()
        lost.detach()


ORDERED_SOURCE = """
__global__ void write(int *a) { a[threadIdx.x] = threadIdx.x; }
__global__ void read(const int *a, int *b)
{
    __shared__ int tile[32][32];
    tile[threadIdx.x][0] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = tile[31 - threadIdx.x][0];
}
"""


@program
def ordered() -> None:
    """Streams that events order, with the checks `streams` and `bank`.

    A right program must not get a report where memory is lacking, and counts
    that lack something say so.
    """
    import pycuda.debug
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    module = SourceModule(ORDERED_SOURCE)
    write, read = map(module.get_function, ("write", "read"))
    one, two, three = drv.Stream(), drv.Stream(), drv.Stream()
    pycuda.debug.access_counts(clear=True)
    a, b, c = (drv.mem_alloc(128) for _ in range(3))
    block = (32, 1, 1)
    for _ in range(4):
        write(a, block=block, stream=one)
        two.wait_for_event(drv.Event().record(one))
        read(a, b, block=block, stream=two)
        three.wait_for_event(drv.Event().record(two))
        read(b, c, block=block, stream=three)
        one.wait_for_event(drv.Event().record(three))
    with one.capture() as graph:
        write(b, block=block, stream=one)
        read(b, c, block=block, stream=one)
    execution = graph.instantiate()
    execution.launch(one)
    two.wait_for_event(drv.Event().record(one))
    drv.memcpy_dtod_async(b, c, 128, two)
    two.synchronize()
    expect(drv.from_device(b, 32, np.int32)[3] == 28)
    counts = pycuda.debug.access_counts(clear=True)
    rows = [row for row in counts if row.space == "shared"]
    expect(len(rows) == 2 or not counts.complete)
    for row in rows if counts.complete else []:
        expect((row.requests, row.transactions) == (9, 9 * 32))
    _unordered(ORDERED_SOURCE)


def _unordered(source: str) -> None:
    """Two kernels that nothing orders, in a context of their own."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    lost = drv.Device(0).make_context()
    try:
        module = SourceModule(source)
        memory = drv.mem_alloc(128)
        write = module.get_function("write")
        # A destroyed stream counts as one that the host has waited for.
        streams = [drv.Stream(), drv.Stream()]
        for stream in streams:
            write(memory, block=(32, 1, 1), stream=stream)
        try:
            drv.Context.synchronize()
        except drv.LaunchError as error:
            if "nothing orders" not in str(error):
                raise
        else:
            expect(may_miss)
        del memory, module, write, streams, stream
    finally:
        lost.pop()
        lost.detach()


PTX_HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"
PTX_ADD = """
.func (.param .b32 s) add(.param .b32 a, .param .b32 b)
{
    .reg .b32 x<3>;
    ld.param.b32 x0, [a];
    ld.param.b32 x1, [b];
    add.s32 x2, x0, x1;
    st.param.b32 [s], x2;
    ret;
}
"""
PTX_KERNEL = """
.global .u32 table[2] = {3, 4};
.visible .entry k(.param .u64 out)
{
    .shared .align 4 .b8 tile[128];
    .reg .u64 d, s;
    .reg .b32 r<4>;
    ld.param.u64 d, [out];
    mov.u64 s, tile;
    ld.global.u32 r0, [table];
    st.shared.u32 [s], r0;
    bar.sync 0;
    ld.shared.u32 r1, [s];
    { .param .b32 a; .param .b32 b; .param .b32 s;
      st.param.b32 [a], r1; st.param.b32 [b], 4;
      call (s), add, (a, b);
      ld.param.b32 r2, [s]; }
    st.global.u32 [d], r2;
    ret;
}
"""


@program
def ptx() -> None:
    """PTX as a module, in a link, and with an error."""
    import pycuda.driver as drv

    whole = (PTX_HEAD + PTX_ADD + PTX_KERNEL).encode()
    modules = [drv.module_from_buffer(whole)]
    linker = drv.Linker()
    declared = PTX_ADD[: PTX_ADD.index("{")].rstrip()
    for text in (f".extern {declared};" + PTX_KERNEL, ".visible" + PTX_ADD):
        part = (PTX_HEAD + text).encode()
        linker.add_data(part, drv.jit_input_type.PTX, "part")
    modules.append(linker.link_module())
    for module in modules:
        value = np.zeros(1, np.int32)
        module.get_function("k")(drv.InOut(value), block=(32, 1, 1))
        expect(value[0] == 7)
        expect(module.get_global("table")[1] == 8)
    try:
        drv.module_from_buffer(whole.replace(b"bar.sync", b"bar.sing"))
    except drv.Error as error:
        if "ptx:25: error: 'bar' does not" not in str(error):
            raise
    else:
        expect(False)


CHILDREN = """
__global__ void add(int *a, int i) { atomicAdd(&a[i], i); }
__global__ void last(int *a) { a[9] = a[1] + a[2] + a[3]; }
extern "C" __global__ void parent(int *a, int depth)
{
    cudaStream_t stream;
    cudaEvent_t event;
    int error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (!error)
        error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (!error) {
        add<<<2, 4, 0, stream>>>(a, 1);
        error = cudaEventRecord(event, stream);
    }
    if (!error)
        error = cudaStreamWaitEvent(0, event, 0);
    if (!error)
        error = cudaMemsetAsync(a + 4, 1, 4, 0);
    add<<<1, 3>>>(a, 2);
    add<<<1, 3, 0, cudaStreamFireAndForget>>>(a, 3);
    last<<<1, 1, 0, cudaStreamTailLaunch>>>(a);
    if (depth)
        parent<<<1, 1>>>(a, depth - 1);
    if (!error)
        error = cudaGetLastError();
    if (error)
        atomicMax(&a[0], error);
}
"""


@program
def children() -> None:
    """Kernels that launch kernels, with streams and events.

    A launch that fails for want of memory is an error code in the kernel.
    """
    import pycuda.driver as drv
    from pycuda.compiler import DynamicSourceModule

    module = DynamicSourceModule(CHILDREN, no_extern_c=True)
    out = np.zeros(10, np.int32)
    parent = module.get_function("parent")
    parent(drv.InOut(out), np.int32(2), block=(1, 1, 1))
    if out[0] == 2:  # cudaErrorMemoryAllocation
        raise MemoryError("in a kernel")
    expect(list(out) == [0, 24, 18, 27, 0x01010101, 0, 0, 0, 0, 69])


@program
def quick() -> None:
    """A quick version, and the full version that replaces it."""
    import pycuda.driver as drv
    from pycuda import cpu
    from pycuda.compiler import SourceModule

    module = SourceModule(
        "__constant__ float by = 3; __device__ int launches;"
        "__global__ void k(float *a) { __shared__ float s[64];"
        " s[threadIdx.x] = a[threadIdx.x] * by; __syncthreads();"
        " a[threadIdx.x] = s[63 - threadIdx.x] + 1;"
        " if (!threadIdx.x) launches++; }"
    )
    function = module.get_function("k")
    values = np.arange(64, dtype=np.float32)
    for _ in range(2):
        out = values.copy()
        function(drv.InOut(out), block=(64, 1, 1))
        expect(np.array_equal(out, values[::-1] * 3 + 1))
        expect(cpu.finish_compilation(300))
    address, _ = module.get_global("launches")
    expect(drv.from_device(address, 1, np.int32)[0] == 2)


@program
def cub() -> None:
    """A primitive of CUB, where its headers are installed."""
    import pycuda.driver as drv
    from pycuda._compile import cccl
    from pycuda.compiler import SourceModule

    if cccl.folder() is None:
        return
    module = SourceModule(
        "#include <cub/block/block_reduce.cuh>\n"
        'extern "C" __global__ void k(int *a) {'
        " using Reduce = cub::BlockReduce<int, 64>;"
        " __shared__ Reduce::TempStorage storage;"
        " int sum = Reduce(storage).Sum(a[threadIdx.x]);"
        " if (!threadIdx.x) a[0] = sum; }",
        no_extern_c=True,
    )
    out = np.arange(64, dtype=np.int32)
    module.get_function("k")(drv.InOut(out), block=(64, 1, 1))
    expect(out[0] == 2016)


def counts() -> dict[str, int]:
    """What the process holds."""
    with open("/proc/self/maps") as maps:
        mappings = sum(1 for _ in maps)
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "mappings": mappings,
    }
