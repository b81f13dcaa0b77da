"""Faults, time limits and interrupts in kernels that kernels launch.

Each case is a separate process.
"""

# SPDX-License-Identifier: MIT

import pytest
from isolated import run

pytestmark = [pytest.mark.cpu, pytest.mark.alone]

PRELUDE = """
import os, signal, threading, time
import numpy as np
import pycuda.driver as drv
from pycuda.compiler import DynamicSourceModule

signal.signal(signal.SIGINT, signal.default_int_handler)
drv.init()
context = drv.Device(0).make_context()
SOURCE = '''
typedef void (*pointer)(int *);
__device__ void function(int *a) {}
__global__ void good(int *a) { a[0] = 7; }
__global__ void spin(volatile int *a) { while (a[0] >= 0) a[1]++; }
__global__ void fault(int *a) { *(int *)16 = 1; }
__global__ void stop(int *a) { __trap(); }
__global__ void checked(int *a) { assert(!a); }
extern "C" {
__global__ void parent_good(int *a) { good<<<1, 1>>>(a); }
__global__ void parent_spin(int *a) { spin<<<1, 1>>>(a); }
__global__ void parent_fault(int *a) { fault<<<1, 1>>>(a); }
__global__ void parent_stop(int *a) { stop<<<1, 1>>>(a); }
__global__ void parent_checked(int *a) { checked<<<1, 1>>>(a); }
__global__ void parent_copy(int *a) { cudaMemsetAsync((int *)16, 0, 4, 0); }
__global__ void faulty_parent(int *a)
{
    for (int i = 0; i < 100; i++)
        good<<<1, 1>>>(a);
    *(int *)16 = 1;
}
__global__ void endless(int *a)
{
    endless<<<1, 1, 0, cudaStreamTailLaunch>>>(a);
}
__global__ void tree(int *a)
{
    tree<<<1, 1>>>(a);
    tree<<<1, 1, 0, cudaStreamFireAndForget>>>(a);
    tree<<<1, 1, 0, cudaStreamTailLaunch>>>(a);
}
__global__ void pointers(int *a)
{
    pointer values[] = {function, (pointer)(void *)a, (pointer)32, nullptr};
    for (int i = 0; i < 4; i++) {
        values[i]<<<1, 1>>>(a);
        a[i] = cudaGetLastError();
    }
}
}
'''

def hide_reports():
    # what kernels write to stderr
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)

def start(name):
    module = DynamicSourceModule(SOURCE, no_extern_c=True)
    memory = drv.mem_alloc(64)
    drv.memset_d32(memory, 0, 16)
    module.get_function(name)(memory, block=(1, 1, 1))
    context.synchronize()
    result = np.zeros(16, np.int32)
    drv.memcpy_dtoh(result, memory)
    return result

def start_again():
    global context
    context.pop()
    context = drv.Device(0).make_context()
    assert start("parent_good")[0] == 7
    print("works")
"""


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        ("parent_fault", "an illegal memory access"),
        ("parent_copy", "an illegal memory access"),
        ("faulty_parent", "an illegal memory access"),
        ("parent_stop", "unspecified launch failure"),
        ("parent_checked", "device-side assert"),
    ],
)
def test_a_fault_ends_the_context(kernel, text):
    code = f"""
hide_reports()
try:
    start({kernel!r})
except drv.Error as error:
    assert {text!r} in str(error), error
    try:
        context.synchronize()
    except drv.Error:
        start_again()
"""
    assert run(PRELUDE + code) == "works\n"


@pytest.mark.parametrize("kernel", ["parent_spin", "endless", "tree"])
def test_the_time_limit_holds_for_children(kernel):
    code = f"""
begun = time.monotonic()
try:
    start({kernel!r})
except drv.LaunchError as error:
    assert "timed out" in str(error), error
    assert time.monotonic() - begun < 3
    start_again()
"""
    output = run(PRELUDE + code, environment={"PYCUDA_CPU_TIMEOUT": "0.3"})
    assert output == "works\n"


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("kernel", ["parent_spin", "endless", "tree"])
def test_an_interrupt_ends_children(kernel, threads):
    code = f"""
def interrupt():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)

start("parent_good")
threading.Thread(target=interrupt).start()
try:
    start({kernel!r})
except KeyboardInterrupt:
    start_again()
"""
    output = run(PRELUDE + code, environment={"PYCUDA_CPU_THREADS": threads})
    assert output == "works\n"


def test_pointers_to_no_kernel():
    code = """
print(start("pointers")[:4].tolist())
"""
    # cudaErrorInvalidDeviceFunction
    assert run(PRELUDE + code) == "[98, 98, 98, 98]\n"


def test_checks_find_errors_in_children():
    code = """
hide_reports()
module = DynamicSourceModule('''
__global__ void child(int *a, int n) { a[n + threadIdx.x] = 1; }
extern "C" __global__ void parent(int *a, int n)
{
    a[0] = 1;
    child<<<1, 8>>>(a, 0);
    child<<<1, 8>>>(a, n);
}
''', no_extern_c=True)
memory = drv.mem_alloc(64)
try:
    module.get_function("parent")(memory, np.int32(12), block=(1, 1, 1))
    context.synchronize()
except drv.Error as error:
    assert "kernel.cu:2" in str(error), error
    assert "memory: write of 4 bytes" in str(error), error
    assert "kernel child" in str(error), error
    print("found")
"""
    checks = {"PYCUDA_CPU_CHECK": "memory,race,sync,init"}
    assert run(PRELUDE + code, environment=checks) == "found\n"


@pytest.mark.no_sanitizer
def test_children_leave_no_memory():
    """Chains, streams and events of many children need no memory."""
    code = """
module = DynamicSourceModule('''
extern "C" {
__global__ void child() {}
__global__ void chain(int left)
{
    if (left)
        chain<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1);
}
__global__ void many()
{
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    for (int i = 0; i < 50; i++) {
        child<<<1, 1, 0, stream>>>();
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(0, event, 0);
        child<<<1, 1>>>();
        child<<<1, 1, 0, cudaStreamFireAndForget>>>();
    }
}
}
''', no_extern_c=True)

def size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def work(links, times):
    one = (1, 1, 1)
    module.get_function("chain")(np.int32(links), block=one)
    context.synchronize()
    for _ in range(times):
        module.get_function("many")(block=one)
        context.synchronize()

work(5000, 30)
before = size()
work(20000, 120)
grown = size() - before
assert grown < 8 << 20, grown
print("works")
"""
    assert run(PRELUDE + code) == "works\n"


BOMBS = """
bombs = DynamicSourceModule(r'''
#define UNTIL_ERROR(call) \\
    for (int i = 0; i < n && !a[0]; i++) \\
        if ((a[0] = (int)(call)) == 0) \\
            a[1]++;
__global__ void child(int *a) { atomicAdd(a + 2, 1); }
extern "C" {
__global__ void launches(int *a, int n)
{
    for (int i = 0; i < n && !a[0]; i++) {
        child<<<1, 1, 0, cudaStreamTailLaunch>>>(a);
        if ((a[0] = cudaGetLastError()) == 0)
            a[1]++;
    }
}
__global__ void copies(int *a, int n)
{
    UNTIL_ERROR(cudaMemsetAsync(a + 8, 0, 4, 0))
}
__global__ void records(int *a, int n)
{
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMemsetAsync(a + 8, 0, 4, 0);
    UNTIL_ERROR(cudaEventRecord(event, 0))
}
__global__ void streams(int *a, int n)
{
    cudaStream_t stream;
    UNTIL_ERROR(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
}
__global__ void events(int *a, int n)
{
    cudaEvent_t event;
    UNTIL_ERROR(cudaEventCreateWithFlags(&event, cudaEventDisableTiming))
}
__global__ void blocks(int *a, int n)
{
    child<<<1, 1>>>(a);
    atomicAdd(cudaGetLastError() ? a + 3 : a + 1, 1);
}
__global__ void used(int *a, int n)
{
    cudaStream_t stream;
    cudaEvent_t event;
    for (int i = 0; i < n && !a[0]; i++) {
        a[0] = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        a[0] |= cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        child<<<1, 1, 0, stream>>>(a);
        a[0] |= cudaEventRecord(event, stream);
        a[0] |= cudaStreamDestroy(stream);
        a[0] |= cudaEventDestroy(event);
    }
}
}
''', no_extern_c=True)

def bomb(name, n, blocks=1):
    memory = drv.mem_alloc(64)
    drv.memset_d32(memory, 0, 16)
    function = bombs.get_function(name)
    function(memory, np.int32(n), block=(1, 1, 1), grid=(blocks, 1))
    context.synchronize()
    result = np.zeros(16, np.int32)
    drv.memcpy_dtoh(result, memory)
    return result.tolist()

def peak():
    import resource
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

before = peak()
"""


@pytest.mark.no_sanitizer
@pytest.mark.parametrize("checks", ["", "memory,race,sync,init"])
def test_the_number_of_children_is_limited(checks):
    """A kernel that launches without end gets errors, not all memory."""
    code = """
# Tail launches, and all children where checks are on, wait for their parent.
for name in ("launches", "copies", "records"):
    error, right = bomb(name, 100000)[:2]
    waits = name == "launches" or os.environ["PYCUDA_CPU_CHECK"]
    assert (error, right) == (0, 100000) and not waits or (
        error == 69 and 2046 <= right < 100000), (name, error, right)
assert peak() - before < 64 << 20, peak() - before
error, right, *_ = bomb("streams", 2 << 20)
assert (error, right) == (2, 1 << 20), (error, right)
error, right, *_ = bomb("events", 2 << 20)
assert (error, right) == (2, 1 << 20), (error, right)
assert peak() - before < 256 << 20, peak() - before
print("limited")
"""
    environment = {"PYCUDA_CPU_CHECK": checks}
    output = run(PRELUDE + BOMBS + code, environment=environment)
    assert output == "limited\n"


@pytest.mark.no_sanitizer
def test_a_launch_by_each_of_many_blocks():
    """The time per block and the memory are constant."""
    code = """
def timed(blocks):
    begun = time.monotonic()
    result = bomb("blocks", 1, blocks)
    assert result[1] == result[2] and result[1] + result[3] == blocks
    return time.monotonic() - begun

timed(1000)
few, many = timed(20000), timed(300000)
# With a list of all blocks, the second took 1,000 times as long.
assert many < 100 * few, (few, many)
assert bomb("used", 200000)[0] in (0, 69)
assert peak() - before < 64 << 20, peak() - before
print("right")
"""
    assert run(PRELUDE + BOMBS + code) == "right\n"


def test_a_limit_beyond_all_memory():
    code = """
for limit in (
    drv.limit.DEV_RUNTIME_PENDING_LAUNCH_COUNT,
    drv.limit.MALLOC_HEAP_SIZE,
    drv.limit.PRINTF_FIFO_SIZE,
):
    before = drv.Context.get_limit(limit)
    for value in (1 << 44, (1 << 64) - 1):
        try:
            drv.Context.set_limit(limit, value)
        except drv.MemoryError:
            pass
        else:
            raise AssertionError(limit)
    assert drv.Context.get_limit(limit) == before
    drv.Context.set_limit(limit, 1 << 20)
print("right")
"""
    assert run(PRELUDE + code) == "right\n"
