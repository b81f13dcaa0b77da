"""What a process holds stays constant over many lives of each object.

Counted are mappings, file descriptors, threads and host memory, in a process
of its own. The counts after the first lives are compared with those at the
end, exactly, but for host memory, where steps of the C heap are allowed.
"""

import pytest
from isolated import run

CYCLES = """
import gc, os, random
import numpy as np
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule, compile

drv.init()
context = drv.Device(0).make_context()
choice = random.Random(7)
SIZES = [1, 100, 5000, 64 << 10, 1 << 20, 4 << 20, 10 << 20]
pool = drv.DeviceMemoryPool()
host_pool = drv.PageLockedMemoryPool(drv.PageLockedAllocator(0))
async_pool = drv.AsyncMemoryPool()
image = compile("__global__ void k(int *a) { *a = 1; }")
shape = drv.ArrayDescriptor()
shape.width = shape.height = 64
shape.format, shape.num_channels = drv.array_format.FLOAT, 1
stream = drv.Stream()


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


word = drv.mem_alloc(4)
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
}


def counts():
    gc.collect()
    drv.Context.synchronize()
    with open("/proc/self/maps") as maps:
        mappings = sum(1 for line in maps)
    return (
        mappings,
        len(os.listdir("/proc/self/fd")),
        len(os.listdir("/proc/self/task")),
    )


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
live(make, {first})
before = counts()
live(make, {times})
print(before, counts())
context.pop()
"""

ALL_KINDS = """
names = sorted(MAKERS)
del MAKERS["contexts"]
make = lambda: choice.choice(list(MAKERS.values()))()
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

KINDS = [
    "device memory",
    "page-locked memory",
    "managed memory",
    "registered memory",
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
]


def check_equal(output: str) -> None:
    before, after = output.strip().split(") (")
    assert before.strip("()") == after.strip("()"), output


@pytest.mark.parametrize("name", KINDS)
def test_lives_of_one_kind(name: str) -> None:
    """Some hundred lives leave no mapping, descriptor or thread behind."""
    times = 100 if name == "contexts" else 1000
    code = CYCLES + ONE_KIND.format(name=name, first=times, times=times)
    check_equal(run(code))


def test_more_lives_than_a_process_has_mappings() -> None:
    """65,530 mappings are the system's usual limit for a process."""
    code = CYCLES + ONE_KIND.format(
        name="large device memory", first=100, times=70000
    )
    check_equal(run(code))


@pytest.mark.slow
@pytest.mark.alone
def test_lives_of_all_kinds() -> None:
    """100,000 lives in random order."""
    run(CYCLES + ALL_KINDS, seconds=600)


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


@pytest.mark.parametrize("pool", ["0", "1"])
def test_bytes_before_an_allocation_are_mapped(pool: str) -> None:
    """Kernels that load ``a[i - 1]`` before they test ``i`` run on a GPU."""
    output = run(READS_BEFORE, environment={"PYCUDA_POOL": pool})
    assert output == "all read\n"
