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


@pytest.mark.parametrize("kernel", ["parent_spin", "endless"])
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
@pytest.mark.parametrize("kernel", ["parent_spin", "endless"])
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
