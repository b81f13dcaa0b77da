"""Resources of a process stay constant while objects come and go.

The test counts mappings, file descriptors, threads, child processes, shared
memory objects, device memory and host memory in a separate process. The counts
after the first repetitions are compared with those at the end: exactly, except
for host memory, where steps of the C heap are allowed.
"""

import os

import pytest
from isolated import run

CYCLES = """
import gc, os, random, time
import numpy as np
import pycuda.driver as drv
import threading
from pycuda import _driver, cpu, curandom, gpuarray
from pycuda.compiler import DynamicSourceModule, SourceModule, compile
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

drv.init()
context = drv.Device(0).make_context()
choice = random.Random(7)
SIZES = [1, 100, 5000, 64 << 10, 1 << 20, 4 << 20, 10 << 20]
pool = drv.DeviceMemoryPool()
host_pool = drv.PageLockedMemoryPool(drv.PageLockedAllocator(0))
async_pool = drv.AsyncMemoryPool()
image = compile(
    "__global__ void k(int *a) { *a = 1; }"
    "texture<float, 2> t; surface<void, 2> s;"
    "__global__ void r(float *a) { *a = tex2D(t, 1, 1);"
    " surf2Dwrite(*a, s, 0, 0); }"
    "__global__ void busy(int *a) { extern __shared__ int x[];"
    " x[0] = *a; __nanosleep(2000000); *a = x[0]; }"
)
loose = compile(
    "extern \\"C\\" __global__ void l(int *a) { *a = 1; }",
    no_extern_c=True,
    options=["-rdc=true"],
)
PTX = b'''.version 7.0
.target sm_70
.address_size 64
.extern .func other(.param .b32 a);
.global .u32 words[1000];
.visible .entry p(.param .u64 a)
{
    .reg .u64 d;
    .reg .u32 v;
    ld.param.u64 d, [a];
    cvta.to.global.u64 d, d;
    ld.global.u32 v, [words];
    st.global.u32 [d], v;
    ret;
}
'''
PTX_PART = PTX[: PTX.index(b".extern")] + b".visible .func other" + (
    b"(.param .b32 a) { ret; }"
)
PARENT = '''
__global__ void child(int *a) { atomicAdd(a, 1); }
extern "C" __global__ void parent(int *a)
{
    cudaStream_t s;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    child<<<2, 1, 0, s>>>(a);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(0, e, 0);
    child<<<1, 1>>>(a);
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(a);
}
'''
os.environ["PYCUDA_CPU_QUICK"] = "always"
quick_image = compile("__global__ void q(int *a) { *a += 1; }")
del os.environ["PYCUDA_CPU_QUICK"]
shape = drv.ArrayDescriptor()
shape.width = shape.height = 64
shape.format, shape.num_channels = drv.array_format.FLOAT, 1
surface = drv.ArrayDescriptor3D()
surface.width, surface.height, surface.depth = 32, 32, 0
surface.format, surface.num_channels = drv.array_format.FLOAT, 1
surface.flags = drv.array3d_flags.SURFACE_LDST
stream = drv.Stream()
module = drv.module_from_buffer(image)
kernel = module.get_function("k")


def occupy_workers():
    '''Each worker maps its stacks when it first runs a kernel.'''
    busy = module.get_function("busy")
    for _ in range(4):
        busy(word, block=(1, 1, 1), grid=(32, 1), shared=4096, stream=stream)
        stream.synchronize()
        kernel(word, block=(1, 1, 1))
        context.synchronize()


def size():
    return choice.choice(SIZES)


def other_context():
    other = drv.Device(0).make_context()
    drv.mem_alloc(size())
    drv.Stream()
    other.pop()
    other.detach()


def captured():
    with stream.capture() as graph:
        drv.memset_d8_async(word, 1, 4, stream)
    return graph


def linked():
    linker = drv.Linker()
    linker.add_data(loose, drv.jit_input_type.CUBIN, "loose")
    return linker.link_module()


def loaded_ptx():
    loaded = drv.module_from_buffer(PTX)
    loaded.get_function("p")(word, block=(1, 1, 1))
    return loaded


def linked_ptx():
    linker = drv.Linker()
    for part in (PTX, PTX_PART):
        linker.add_data(part, drv.jit_input_type.PTX, "part")
    return linker.link_module()


def parents():
    loaded = DynamicSourceModule(PARENT, no_extern_c=True)
    for _ in range(20):
        loaded.get_function("parent")(word, block=(1, 1, 1), grid=(3, 1))
    return loaded


def quick():
    loaded = drv.module_from_buffer(quick_image)
    loaded.get_function("q")(word, block=(1, 1, 1))
    return loaded


def texture():
    array = drv.Array(shape)
    reference = module.get_texref("t")
    reference.set_array(array)
    return reference, drv.TextureObject(array)


def surfaces():
    array = drv.Array(surface)
    reference = module.get_surfref("s")
    reference.set_array(array)
    return reference, drv.SurfaceObject(array)


def shared():
    memory = drv.mem_alloc(size())
    drv.mem_get_ipc_handle(memory)
    event = drv.Event(
        drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING
    )
    event.ipc_handle()
    return memory, event


def prepared():
    function = module.get_function("k")
    function.prepare("P")
    function.prepared_call((1, 1), (1, 1, 1), word)
    function.prepared_async_call((1, 1), (1, 1, 1), stream, word)
    return function


def classes():
    '''Each text is in the cache, so that nothing is compiled.'''
    added = ElementwiseKernel("float *x, float y", "x[i] += y", "plus")
    added(values, np.float32(1))
    total = ReductionKernel(
        np.float32, "0", "a+b", "x[i]", arguments="float *x"
    )
    scan = InclusiveScanKernel(np.int32, "a+b")
    return added, total, total(values), scan, scan(numbers)


def random_numbers():
    generator = curandom.XORWOWRandomNumberGenerator()
    return generator, generator.gen_uniform(100, np.float32)


def executed():
    execution = captured().instantiate()
    execution.launch(stream)
    return execution


def pool_with_streams():
    own = drv.DeviceMemoryPool()
    streams = [drv.Stream() for _ in range(2)]
    arrays = []
    for each in streams:
        with each:
            array = gpuarray.empty(size(), np.uint8, allocator=own.allocate)
            arrays.append(array.fill(1))
    return own, streams, arrays


def thread():
    def work():
        context.push()
        memory = drv.mem_alloc(size())
        kernel(memory, block=(1, 1, 1), stream=drv.Stream())
        context.synchronize()
        context.pop()

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()


def failed():
    '''Calls that are refused, each after a part of its work.'''
    for call in (
        lambda: drv.mem_alloc(1 << 50),
        lambda: drv.module_from_buffer(image[: len(image) // 2]),
        lambda: module.get_function("no such kernel"),
        lambda: kernel(word, word, word, block=(1, 1, 1)),
        lambda: kernel(word, block=(5000, 1, 1)),
    ):
        try:
            call()
        except (drv.Error, TypeError):
            continue
        raise AssertionError("not refused")


word = drv.mem_alloc(4)
values = gpuarray.zeros(100, np.float32)
numbers = gpuarray.zeros(100, np.int32)
MAKERS = {
    "device memory": lambda: drv.mem_alloc(size()),
    "large device memory": lambda: drv.mem_alloc(10 << 20),
    "page-locked memory": lambda: drv.pagelocked_empty(size(), np.uint8),
    "managed memory": lambda: drv.managed_empty(
        size(), np.uint8, mem_flags=drv.mem_attach_flags.GLOBAL
    ),
    "registered memory": lambda: drv.register_host_memory(
        np.zeros(size() + 4096, np.uint8)
    ),
    "pool": lambda: pool.allocate(size()),
    "page-locked pool": lambda: host_pool.allocate((size(),), np.uint8),
    "stream-ordered memory": lambda: async_pool.allocate(size()),
    "arrays": lambda: gpuarray.empty(size(), np.uint8),
    "streams": lambda: drv.Stream(),
    "events": lambda: drv.Event(),
    "modules": lambda: drv.module_from_buffer(image),
    "CUDA arrays": lambda: drv.Array(shape),
    "graphs": captured,
    "contexts": other_context,
    "linkers": linked,
    "textures": texture,
    "surfaces": surfaces,
    "shared memory": shared,
    "prepared functions": prepared,
    "kernel classes": classes,
    "random generators": random_numbers,
    "executable graphs": executed,
    "pools with streams": pool_with_streams,
    "threads": thread,
    "refused calls": failed,
}
if _driver._device_kind() == "cpu":
    # On a GPU these need NVIDIA's linker and device runtime.
    MAKERS |= {
        "PTX modules": loaded_ptx,
        "linked PTX": linked_ptx,
        "launches by kernels": parents,
        "quick versions": quick,
    }


def counts():
    gc.collect()
    drv.Context.synchronize()
    if _driver._device_kind() == "cpu":
        assert cpu.finish_compilation(60)
        await_end_of_threads()
    with open("/proc/self/maps") as maps:
        mappings = sum(1 for line in maps)
    files = [file_name(name) for name in os.listdir("/proc/self/fd")]
    return (
        mappings,
        len(files),
        len(os.listdir("/proc/self/task")),
        len(children()),
        sum("memfd" in name or "/dev/shm" in name for name in files),
        device_bytes(),
    )


def await_end_of_threads():
    '''The thread that compiles full versions ends soon after the last.'''
    before = 0
    while before != len(os.listdir("/proc/self/task")):
        before = len(os.listdir("/proc/self/task"))
        time.sleep(0.05)


def device_bytes():
    # Other processes may use a GPU at the same time.
    if _driver._device_kind() == "gpu":
        return 0
    free, total = drv.mem_get_info()
    return total - free


def file_name(number):
    try:
        return os.readlink("/proc/self/fd/" + number)
    except OSError:  # the folder itself
        return ""


def children():
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/children") as stream:
                found += stream.read().split()
        except FileNotFoundError:  # the thread has ended
            continue
    return found


def live(make, times):
    alive = []
    for _ in range(times):
        alive.append(make())
        if len(alive) > 20:
            alive[choice.randrange(20)] = alive[-1]
            alive.pop()
    alive.clear()
    for kept in (pool, host_pool):
        kept.free_held()


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) << 12
"""

ONE_KIND = """
make = MAKERS[{name!r}]
occupy_workers()
live(make, {first})
for _ in range(3):  # a leak of mappings grows in each round, the C heap in one
    before = counts()
    live(make, {times})
    after = counts()
    if after[0] <= before[0] + 2 or after[1:] != before[1:]:
        break
print(before, after)
context.pop()
"""

ALL_KINDS = """
del MAKERS["contexts"]
names = sorted(MAKERS)
SELDOM = {
    "linkers", "random generators", "pools with streams", "threads",
    "PTX modules", "linked PTX", "launches by kernels",
}
names += [name for name in names for _ in range(50) if name not in SELDOM]
make = lambda: MAKERS[choice.choice(names)]()
live(make, 20000)
drv.mem_get_info()  # trims the pools
before, bytes_before = counts(), resident()
live(make, 80000)
drv.mem_get_info()
after, grown = counts(), resident() - bytes_before
print(before, after)
assert grown < 32 << 20, grown
# The last slab of each size class stays, and which classes have one depends
# on the last lives.
assert after[0] - before[0] <= 8, (before, after)
assert after[1:] == before[1:], (before, after)
context.pop()
"""

CPU_KINDS = [
    "PTX modules",
    "linked PTX",
    "launches by kernels",
    "quick versions",
]
KINDS = [
    "device memory",
    "page-locked memory",
    "managed memory",
    # ASan keeps freed memory of NumPy, and mappings with it.
    pytest.param("registered memory", marks=pytest.mark.no_sanitizer),
    "pool",
    "page-locked pool",
    "stream-ordered memory",
    "arrays",
    "streams",
    "events",
    "modules",
    "CUDA arrays",
    "graphs",
    "contexts",
    "linkers",
    "textures",
    "surfaces",
    "shared memory",
    "prepared functions",
    "kernel classes",
    "random generators",
    "executable graphs",
    "pools with streams",
    "threads",
    "refused calls",
    *(pytest.param(name, marks=pytest.mark.cpu) for name in CPU_KINDS),
]
# Repetitions that take a hundred times as long as the others.
SLOW_KINDS = {
    "PTX modules",
    "contexts",
    "launches by kernels",
    "linked PTX",
    "kernel classes",
    "linkers",
    "random generators",
    "refused calls",
    "shared memory",
}


# The C library maps arenas for threads that allocate at the same time.
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}


def check_equal(output: str) -> None:
    """Compare the counts; mappings of the C heap may vary."""
    before, after = (
        [int(word) for word in part.split(", ")]
        for part in output.strip().strip("()").split(") (")
    )
    # ThreadSanitizer maps memory for each thread.
    more = 20 if "TSAN_OPTIONS" in os.environ else 2
    assert after[0] <= before[0] + more, output
    assert after[1:] == before[1:], output


@pytest.mark.parametrize("name", KINDS)
def test_lives_of_one_kind(name: str) -> None:
    """Some hundred repetitions leave no mapping, descriptor or thread."""
    times = 40 if name in SLOW_KINDS else 500
    code = CYCLES + ONE_KIND.format(name=name, first=times, times=times)
    environment = dict(ONE_ARENA)
    if name == "quick versions":
        # so that full versions are compiled, not found
        environment["PYCUDA_DISABLE_CACHE"] = "1"
    check_equal(run(code, seconds=300, environment=environment))


def test_more_lives_than_a_process_has_mappings() -> None:
    """The system's default limit is 65,530 mappings per process."""
    code = CYCLES + ONE_KIND.format(
        name="large device memory", first=100, times=70000
    )
    check_equal(run(code, seconds=300, environment=ONE_ARENA))


@pytest.mark.slow
@pytest.mark.alone
def test_lives_of_all_kinds() -> None:
    """100,000 repetitions in random order."""
    print(run(CYCLES + ALL_KINDS, seconds=600))


READS_BEFORE = """
import numpy as np
import pycuda.driver as drv
import pycuda.autoinit
from pycuda.compiler import SourceModule

before = SourceModule(
    "__global__ void before(const int *a, int *sum)"
    "{ *sum = a[-1] + a[-4] + a[-8]; }"
).get_function("before")
sum = drv.mem_alloc(4)
for size in [4, 1000, 5000, 60 << 10, 64 << 10, 65 << 10, 1 << 20, 9 << 20]:
    for _ in range(3):
        first = drv.mem_alloc(size)
        before(first, sum, block=(1, 1, 1))
        drv.Context.synchronize()
print("all read")
"""


@pytest.mark.cpu  # on an H100 nothing is mapped before the first allocation
@pytest.mark.parametrize("pool", ["0", "1"])
def test_bytes_before_an_allocation_are_mapped(pool: str) -> None:
    """A kernel may load ``a[i - 1]`` before it tests ``i``."""
    output = run(READS_BEFORE, environment={"PYCUDA_POOL": pool})
    assert output == "all read\n"
