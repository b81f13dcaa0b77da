"""Programs with several streams, with and without the order they need.

Each function of `MISSING` gets a `Streams`. Its method `order(first, later)`
makes one stream wait for another one; if the event is left out, the check
`streams` must report the conflict of the given kind. The functions of `RIGHT`
need no more order than they make.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import time

import numpy as np

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
__device__ float table[64];
__global__ void put(float *a) { a[threadIdx.x] = threadIdx.x; }
__global__ void get(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }
__global__ void change(float *a) { a[threadIdx.x] *= 2; }
__global__ void put_half(float *a, int half) {
    if (threadIdx.x / 32 == half) a[threadIdx.x] = 1;
}
__global__ void put_odd(float *a, int odd) { a[2 * threadIdx.x + odd] = odd; }
__global__ void count(int *n) { atomicAdd(n, 1); }
__global__ void get_one(const float *a, float *b) { *b = a[40]; }
__global__ void get_table(float *b) { b[threadIdx.x] = table[threadIdx.x]; }
"""  # noqa: E501
BLOCK = (64, 1, 1)
NON_BLOCKING = 1
BYTES = 256


class Streams:
    """Two streams, kernels and memory of a program."""

    def __init__(self, ordered):
        self.ordered = ordered
        self.one, self.two = drv.Stream(), drv.Stream()
        self.module = SourceModule(SOURCE)
        self.a, self.b, self.c = (drv.mem_alloc(BYTES) for _ in range(3))
        self.host = drv.pagelocked_empty(64, np.float32)
        self.host[:] = 0

    def order(self, first, later):
        """Let the stream `later` wait for `first`, unless that is planted."""
        if self.ordered:
            event = drv.Event()
            event.record(first)
            later.wait_for_event(event)

    def run(self, name, stream, *arguments, block=BLOCK):
        kernel = self.module.get_function(name)
        kernel(*arguments, block=block, stream=stream)


def read_after_write(s):
    s.run("put", s.one, s.a)
    s.order(s.one, s.two)
    s.run("get", s.two, s.a, s.b)


def write_after_read(s):
    s.run("get", s.one, s.a, s.b)
    s.order(s.one, s.two)
    s.run("put", s.two, s.a)


def write_after_write(s):
    s.run("put", s.one, s.a)
    s.order(s.one, s.two)
    s.run("put", s.two, s.a)


def update_after_write(s):
    s.run("put", s.one, s.a)
    s.order(s.one, s.two)
    s.run("change", s.two, s.a)


def kernel_after_upload(s):
    drv.memcpy_htod_async(s.a, s.host, s.one)
    s.order(s.one, s.two)
    s.run("get", s.two, s.a, s.b)


def kernel_after_pageable_upload(s):
    drv.memcpy_htod_async(s.a, np.zeros(64, np.float32), s.one)
    s.order(s.one, s.two)
    s.run("get", s.two, s.a, s.b)


def download_after_kernel(s):
    s.run("put", s.one, s.a)
    s.order(s.one, s.two)
    drv.memcpy_dtoh_async(s.host, s.a, s.two)


def kernel_after_device_copy(s):
    drv.memcpy_dtod_async(s.a, s.b, BYTES, s.one)
    s.order(s.one, s.two)
    s.run("get", s.two, s.a, s.c)


def kernel_after_fill(s):
    drv.memset_d32_async(s.a, 0, 64, s.one)
    s.order(s.one, s.two)
    s.run("change", s.two, s.a)


def fill_after_kernel(s):
    s.run("get", s.one, s.a, s.b)
    s.order(s.one, s.two)
    drv.memset_d32_async(s.a, 0, 64, s.two)


def event_recorded_too_early(s):
    event = drv.Event()
    if not s.ordered:
        event.record(s.one)
    s.run("put", s.one, s.a)
    if s.ordered:
        event.record(s.one)
    s.two.wait_for_event(event)
    s.run("get", s.two, s.a, s.b)


def event_of_another_stream(s):
    third = drv.Stream()
    s.run("put", s.one, s.a)
    event = drv.Event()
    event.record(s.one if s.ordered else third)
    s.two.wait_for_event(event)
    s.run("get", s.two, s.a, s.b)


def wait_in_another_stream(s):
    third = drv.Stream()
    s.run("put", s.one, s.a)
    event = drv.Event()
    event.record(s.one)
    (s.two if s.ordered else third).wait_for_event(event)
    s.run("get", s.two, s.a, s.b)


def default_stream_does_not_wait(s):
    stream = drv.Stream(NON_BLOCKING)
    s.run("put", stream, s.a)
    if s.ordered:
        stream.synchronize()
    s.run("get", None, s.a, s.b)


def stream_does_not_wait_for_default(s):
    stream = drv.Stream(NON_BLOCKING)
    s.run("put", None, s.a)
    if s.ordered:
        drv.Context.synchronize()
    s.run("get", stream, s.a, s.b)


def third_stream(s):
    third = drv.Stream()
    s.run("put", s.one, s.a)
    event = drv.Event()
    event.record(s.one)
    s.two.wait_for_event(event)
    s.run("get", s.two, s.a, s.b)
    s.order(s.two, third)
    s.run("change", third, s.b)


def target_of_download_is_uploaded(s):
    drv.memcpy_dtoh_async(s.host, s.a, s.one)
    s.order(s.one, s.two)
    drv.memcpy_htod_async(s.b, s.host, s.two)


def target_of_download_is_copied_at_once(s):
    stream = drv.Stream(NON_BLOCKING)
    drv.memcpy_dtoh_async(s.host, s.a, stream)
    if s.ordered:
        stream.synchronize()
    drv.memcpy_htod(s.b, s.host)


def target_of_download_is_freed(s):
    host = drv.pagelocked_empty(64, np.float32)
    drv.memcpy_dtoh_async(host, s.a, s.one)
    if s.ordered:
        s.one.synchronize()
    host.base.free()


def result_is_copied_at_once(s):
    stream = drv.Stream(NON_BLOCKING)
    s.run("put", stream, s.a)
    if s.ordered:
        stream.synchronize()
    drv.memcpy_dtoh(np.empty(64, np.float32), s.a)


def one_element(s):
    s.run("put_half", s.one, s.a, np.int32(1))
    s.order(s.one, s.two)
    s.run("get_one", s.two, s.a, s.b, block=(1, 1, 1))


def atomic_and_plain(s):
    s.run("count", s.one, s.a)
    s.order(s.one, s.two)
    drv.memcpy_dtoh_async(s.host, s.a, s.two)


def graph(s):
    with s.one.capture() as graph:
        s.run("put", s.one, s.a)
    s.executable = graph.instantiate()
    s.executable.launch(s.one)
    s.order(s.one, s.two)
    s.run("get", s.two, s.a, s.b)


def double_buffer(s):
    buffers = [s.a, s.b]
    for i in range(3):
        if s.ordered:
            event = drv.Event()
            event.record(s.two)
            s.one.wait_for_event(event)
        drv.memcpy_htod_async(buffers[i % 2], s.host, s.one)
        event = drv.Event()
        event.record(s.one)
        s.two.wait_for_event(event)
        s.run("change", s.two, buffers[i % 2])


def device_variable(s):
    address, size = s.module.get_global("table")
    drv.memcpy_htod_async(address, s.host, s.one)
    s.order(s.one, s.two)
    s.run("get_table", s.two, s.b)


def asynchronous_free(s):
    memory = drv.mem_alloc_async(BYTES, s.one)
    event = drv.Event()
    event.record(s.one)
    s.two.wait_for_event(event)
    s.run("put", s.two, np.uintp(int(memory)))
    s.order(s.two, s.one)
    # A free in the same instant as the kernel is not always reported.
    time.sleep(0.05)
    memory.free(s.one)


# Function -> kind of the report if the order is missing.
MISSING = {
    read_after_write: "unordered-read",
    write_after_read: "unordered-write",
    write_after_write: "unordered-writes",
    update_after_write: "unordered-read",
    kernel_after_upload: "unordered-read",
    kernel_after_pageable_upload: "unordered-read",
    download_after_kernel: "unordered-read",
    kernel_after_device_copy: "unordered-read",
    kernel_after_fill: "unordered-read",
    fill_after_kernel: "unordered-write",
    event_recorded_too_early: "unordered-read",
    event_of_another_stream: "unordered-read",
    wait_in_another_stream: "unordered-read",
    default_stream_does_not_wait: "unordered-read",
    stream_does_not_wait_for_default: "unordered-read",
    third_stream: "unordered-read",
    target_of_download_is_uploaded: "unordered-read",
    target_of_download_is_copied_at_once: "unordered-read",
    target_of_download_is_freed: "freed-target",
    result_is_copied_at_once: "unordered-read",
    one_element: "unordered-read",
    atomic_and_plain: "unordered-read",
    graph: "unordered-read",
    double_buffer: "unordered-write",
    device_variable: "unordered-read",
    asynchronous_free: "unordered-free",
}


def reads_only(s):
    s.run("get", s.one, s.a, s.b)
    s.run("get", s.two, s.a, s.c)


def halves(s):
    s.run("put_half", s.one, s.a, np.int32(0))
    s.run("put_half", s.two, s.a, np.int32(1))


def interleaved(s):
    s.run("put_odd", s.one, s.a, np.int32(0), block=(32, 1, 1))
    s.run("put_odd", s.two, s.a, np.int32(1), block=(32, 1, 1))


def atomics(s):
    s.run("count", s.one, s.a)
    s.run("count", s.two, s.a)


def default_stream_between(s):
    s.run("put", s.one, s.a)
    s.run("change", None, s.a)
    s.run("get", s.two, s.a, s.b)


def synchronous_copy_between(s):
    s.run("put", s.one, s.a)
    drv.memcpy_dtoh(np.empty(64, np.float32), s.a)
    s.run("put", s.two, s.a)


def host_waits_for_event(s):
    s.run("put", s.one, s.a)
    event = drv.Event()
    event.record(s.one)
    event.synchronize()
    s.run("get", s.two, s.a, s.b)


def host_asks_event(s):
    s.run("put", s.one, s.a)
    event = drv.Event()
    event.record(s.one)
    while not event.query():
        pass
    s.run("get", s.two, s.a, s.b)


def host_asks_stream(s):
    s.run("put", s.one, s.a)
    while not s.one.is_done():
        pass
    s.run("get", s.two, s.a, s.b)


def transitive_events(s):
    third = drv.Stream()
    s.run("put", s.one, s.a)
    for first, later in ((s.one, third), (third, s.two)):
        event = drv.Event()
        event.record(first)
        later.wait_for_event(event)
    s.run("get", s.two, s.a, s.b)


def stream_is_destroyed(s):
    stream = drv.Stream()
    s.run("put", stream, s.a)
    del stream
    drv.memcpy_dtoh(np.empty(64, np.float32), s.a)


def callback(s):
    done = []
    s.run("put", s.one, s.a)
    s.one.launch_host_function(done.append, 1)
    while not done:
        pass
    s.run("get", s.two, s.a, s.b)


def memory_is_used_again(s):
    for stream in (s.one, s.two):
        memory = drv.mem_alloc(BYTES)
        s.run("put", stream, memory)
        memory.free()


def other_target_is_freed(s):
    first, second = (drv.pagelocked_empty(8, np.float32) for _ in range(2))
    drv.memcpy_dtoh_async(first, s.a, s.one)
    second.base.free()
    s.one.synchronize()


def target_waits_with_the_default_stream(s):
    drv.memcpy_dtoh_async(s.host, s.a, s.one)
    drv.memcpy_htod(s.b, s.host)


def arrays(s):
    x = gpuarray.to_gpu(np.ones(1000, np.float32))
    for _ in range(3):
        x = 2 * x + 1
    assert x.get()[0] == 15
    y = x.copy()
    assert float(gpuarray.sum(y).get()) == 15000


def graph_twice(s):
    with s.one.capture() as graph:
        s.run("put", s.one, s.a)
        s.run("change", s.one, s.a)
    executable = graph.instantiate()
    for _ in range(3):
        executable.launch(s.one)
    s.run("get", s.one, s.a, s.b)


RIGHT = (
    reads_only,
    halves,
    interleaved,
    atomics,
    default_stream_between,
    synchronous_copy_between,
    host_waits_for_event,
    host_asks_event,
    host_asks_stream,
    transitive_events,
    stream_is_destroyed,
    callback,
    memory_is_used_again,
    other_target_is_freed,
    target_waits_with_the_default_stream,
    arrays,
    graph_twice,
)
