"""Calls of communicators, compared with NumPy.

Run as ``calls.py``; prints each wrong check and exits with their number.

SPDX-License-Identifier: MIT
"""

import sys
import threading

import numpy as np
from ranks import ranks  # the folder of this file

import pycuda.driver as drv
from pycuda import gpuarray, nccl
from pycuda.compiler import SourceModule

drv.init()
SIZE = min(4, drv.Device.count())
OTHERS = range(SIZE)
# less, as much and more than a chunk of shared memory
COUNTS = (0, 1, 12, 65536, 100_003)
DTYPES = ("i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8")


def data(rank, shape, dtype=np.float32):
    """Return the array of a rank; small integers, whose sums are exact."""
    numbers = np.arange(int(np.prod(shape))) * 7 + rank * 3
    return (numbers % 5 + 1).reshape(shape).astype(dtype)


def expect(actual, wanted):
    if isinstance(actual, gpuarray.GPUArray):
        actual = actual.get()
    assert actual.dtype == wanted.dtype, (actual.dtype, wanted.dtype)
    np.testing.assert_array_equal(actual, wanted)


def moved_elements(comm):
    for count in COUNTS:
        for dtype in ("f4", "i2", "c16", "M8[s]", "V3"):
            mine = data(comm.rank, count, "u1")
            mine = np.resize(mine, count * np.dtype(dtype).itemsize)
            every = [
                np.resize(data(r, count, "u1"), mine.size).view(dtype)
                for r in OTHERS
            ]
            sent = gpuarray.to_gpu(every[comm.rank])
            expect(comm.all_gather(sent), np.stack(every))
            root = SIZE - 1
            gathered = comm.gather(sent, root=root)
            if comm.rank == root:
                expect(gathered, np.stack(every))
            else:
                assert gathered is None
            array = gpuarray.to_gpu(every[comm.rank])
            assert comm.broadcast(array, root=root) is array
            expect(array, every[root])


def divided_elements(comm):
    for count in COUNTS:
        every = [data(r, (SIZE * count, 2), "i4") for r in OTHERS]
        part = slice(comm.rank * count, (comm.rank + 1) * count)
        sent = gpuarray.to_gpu(every[comm.rank])
        expect(comm.all_to_all(sent), np.concatenate([a[part] for a in every]))
        expect(comm.reduce_scatter(sent, op="max"), np.max(every, 0)[part])
        recv = gpuarray.empty((count, 2), np.int32)
        if comm.rank == 0:
            comm.scatter(sent, recv)
        else:
            comm.scatter(None, recv)
        expect(recv, every[0][part])


def reductions(comm):
    functions = {"sum": np.add, "prod": np.multiply,
                 "max": np.maximum, "min": np.minimum}  # fmt: skip
    for dtype in DTYPES:
        every = [data(r, 12, dtype) for r in OTHERS]
        sent = gpuarray.to_gpu(every[comm.rank])
        for op, function in functions.items():
            wanted = function.reduce(every).astype(dtype)
            expect(comm.all_reduce(sent, op=op), wanted)
            reduced = comm.reduce(sent, op=op, root=SIZE - 1)
            if comm.rank == SIZE - 1:
                expect(reduced, wanted)
        total = np.add.reduce(every, dtype=np.float64)
        if np.dtype(dtype).kind == "f":
            expect(comm.all_reduce(sent, op="avg"),
                   (total / SIZE).astype(dtype))  # fmt: skip


def large_reduction(comm):
    for count in COUNTS:
        every = [data(r, count) for r in OTHERS]
        expect(comm.all_reduce(gpuarray.to_gpu(every[comm.rank])),
               np.add.reduce(every))  # fmt: skip


def other_reductions(comm):
    every = [data(r, 9, "c8") * (1 - 2j) for r in OTHERS]
    every = [a.astype("c8") for a in every]
    expect(comm.all_reduce(gpuarray.to_gpu(every[comm.rank])),
           np.add.reduce(every))  # fmt: skip
    flags = [data(r, 9) > 3 for r in OTHERS]
    expect(comm.all_reduce(gpuarray.to_gpu(flags[comm.rank]), op="max"),
           np.logical_or.reduce(flags))  # fmt: skip
    factor = comm.scaled_sum(comm.rank + 0.5, np.float32)
    ones = gpuarray.to_gpu(np.full(5, 2, np.float32))
    wanted = sum(2 * (r + 0.5) for r in OTHERS)
    expect(comm.all_reduce(ones, op=factor), np.full(5, wanted, np.float32))
    factor.free()


def narrow_floats(comm):
    # The order of more than one addition is not defined: exact sums there.
    third = 1 / 3 if SIZE == 2 else 21 / 64
    values = np.array([1.0, third, 65504, 6e-8, -2.5, np.inf], np.float16)
    every = [(values * (r + 1)).astype("f2") for r in OTHERS]
    wanted = np.add.reduce([a.astype("f4") for a in every]).astype("f2")
    expect(comm.all_reduce(gpuarray.to_gpu(every[comm.rank])), wanted)


def in_place(comm):
    array = gpuarray.to_gpu(data(comm.rank, 30))
    assert comm.all_reduce(array, array) is array
    expect(array, np.add.reduce([data(r, 30) for r in OTHERS]))
    parts = gpuarray.zeros((SIZE, 10), np.float32)
    parts[comm.rank] = gpuarray.to_gpu(data(comm.rank, 10))
    comm.all_gather(parts[comm.rank], parts)
    expect(parts, np.stack([data(r, 10) for r in OTHERS]))
    own = comm.rank * 10
    sums = gpuarray.to_gpu(data(comm.rank, 10 * SIZE))
    comm.reduce_scatter(sums, sums[own : own + 10])
    wanted = np.add.reduce([data(r, 10 * SIZE) for r in OTHERS])
    expect(sums[own : own + 10], wanted[own : own + 10])


def overlapping(comm):
    """Positions that NCCL forbids: the array that is sent is copied."""
    every = [data(r, (SIZE, 10)) for r in OTHERS]
    array = gpuarray.to_gpu(every[comm.rank])
    assert comm.all_to_all(array, array) is array
    expect(array, np.stack([a[comm.rank] for a in every]))
    every = [data(r, 30) for r in OTHERS]
    array = gpuarray.to_gpu(every[comm.rank])
    comm.all_reduce(array[:20], array[1:21])
    expect(array[1:21], np.add.reduce([a[:20] for a in every]))
    whole = gpuarray.to_gpu(np.resize(every[comm.rank], 10 * SIZE + 3))
    comm.all_gather(whole[3:13], whole[: 10 * SIZE])
    wanted = [np.resize(a, 10 * SIZE + 3)[3:13] for a in every]
    expect(whole[: 10 * SIZE], np.concatenate(wanted))
    whole = gpuarray.to_gpu(np.resize(every[comm.rank], 10 * SIZE + 3))
    comm.reduce_scatter(whole[3:], whole[:10])
    first = 3 + 10 * comm.rank
    wanted = [np.resize(a, 10 * SIZE + 3)[first : first + 10] for a in every]
    expect(whole[:10], np.add.reduce(wanted))


def layouts(comm):
    every = [data(r, (6, 8)) for r in OTHERS]
    wanted = np.add.reduce(every)
    sent = gpuarray.to_gpu(np.asfortranarray(every[comm.rank]))
    recv = gpuarray.zeros((12, 8), np.float32)
    comm.all_reduce(sent[:, ::-1], recv[::2])
    expect(recv.get()[::2], wanted[:, ::-1])
    assert not recv.get()[1::2].any()
    with nccl.group():
        comm.all_reduce(sent, recv[1::2])
    expect(recv.get()[1::2], wanted)
    comm.broadcast(recv[1::2], root=0)
    expect(recv.get()[1::2], wanted)


def messages(comm):
    after, before = (comm.rank + 1) % SIZE, (comm.rank - 1) % SIZE
    for count in COUNTS:
        sent = [gpuarray.to_gpu(data(comm.rank, count) + k) for k in (0, 1)]
        recv = [gpuarray.zeros(count, np.float32) for _ in sent]
        with nccl.group():
            for array in sent:
                comm.send(array, after)
            for array in recv:
                comm.recv(array, before)
        for k, array in enumerate(recv):
            expect(array, data(before, count) + np.float32(k))
    if SIZE > 1 and comm.rank == 0:
        comm.send(sent[0], 1)
    elif comm.rank == 1:
        other = gpuarray.zeros((COUNTS[-1], 2), np.float32)
        expect(comm.recv(other[:, 1], 0), data(0, COUNTS[-1]))


def to_itself(comm):
    array = gpuarray.to_gpu(data(comm.rank, 50_000))
    other = gpuarray.zeros_like(array)
    with nccl.group():
        comm.send(array, comm.rank)
        comm.recv(other, comm.rank)
    expect(other, data(comm.rank, 50_000))


SLOW = """
__global__ void fill(float *x, float value, int n)
{
    for (int k = 0; k < 20000; k++)
        x[threadIdx.x] = value + k * 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = value;
}
"""


def stream_order(comm):
    fill = SourceModule(SLOW).get_function("fill")
    first, second = drv.Stream(), drv.Stream()
    array = gpuarray.zeros(1000, np.float32)
    for turn in range(3):
        with first:
            value = np.float32(comm.rank + turn)
            fill(array, value, np.int32(1000), block=(32, 1, 1))
            total = comm.all_reduce(array)
        # the next operation of the communicator, in another stream
        more = comm.all_reduce(total, stream=second)
        with second:
            wanted = SIZE * sum(r + turn for r in OTHERS)
            expect(more + 0, np.full(1000, wanted, np.float32))


def capture(comm):
    stream = drv.Stream()
    array = gpuarray.to_gpu(data(comm.rank, 100))
    total = gpuarray.zeros_like(array)
    passed = gpuarray.zeros_like(array)
    comm.all_reduce(array, total)  # connects the ranks
    drv.Context.synchronize()
    with stream.capture() as graph, stream:
        comm.all_reduce(array, total)
        with nccl.group():
            comm.send(total, (comm.rank + 1) % SIZE)
            comm.recv(passed, (comm.rank - 1) % SIZE)
    launch = graph.instantiate()
    for turn in range(3):
        array.fill(np.float32(turn + comm.rank))
        drv.Context.synchronize()
        launch.launch(stream)
        stream.synchronize()
        wanted = sum(turn + r for r in OTHERS)
        expect(passed, np.full(100, wanted, np.float32))


def split(comm):
    part = comm.split(comm.rank % 2, key=-comm.rank)
    members = [r for r in OTHERS if r % 2 == comm.rank % 2][::-1]
    assert part.size == len(members)
    assert members[part.rank] == comm.rank
    ranks_there = gpuarray.to_gpu(np.array([comm.rank], np.int32))
    expect(part.all_gather(ranks_there).ravel(), np.array(members, np.int32))
    part.destroy()
    assert comm.split(None if comm.rank else 0) is None or comm.rank == 0
    expect(comm.all_reduce(ranks_there),
           np.array([sum(OTHERS)], np.int32))  # fmt: skip


def attributes(comm):
    assert comm.size == SIZE
    assert comm.device == drv.Context.get_device()
    assert comm.error() is None
    assert f"rank {comm.rank} of {SIZE}" in repr(comm)


CHECKS = (
    moved_elements, divided_elements, reductions, large_reduction,
    other_reductions, narrow_floats, in_place, overlapping, layouts,
    messages, to_itself, stream_order, capture, split, attributes,
)  # fmt: skip


def one_thread(group):
    """One thread makes the calls of all ranks."""
    arrays = []
    for context in group.contexts:
        with context:
            arrays.append(gpuarray.to_gpu(np.ones(50_000, np.float32)))
    with nccl.group():
        for comm, context, array in zip(
            group.comms, group.contexts, arrays, strict=True
        ):
            with context:
                comm.all_reduce(array, array)
    for context, array in zip(group.contexts, arrays, strict=True):
        with context:
            expect(array, np.full(50_000, SIZE, np.float32))


def main():
    with ranks(SIZE) as group:
        failed = group.count_wrong(CHECKS)
        one_thread(group)
        group.comms[0].destroy()
        with group.contexts[0]:
            try:
                group.comms[0].all_reduce(gpuarray.zeros(3, np.float32))
            except drv.LogicError as error:
                assert "destroyed" in str(error)
            else:
                failed += 1
                print("a destroyed communicator works")
    assert threading.active_count() < 5
    print(f"{len(CHECKS) + 2} checks, {failed} wrong")
    return failed


if __name__ == "__main__":
    sys.exit(main())
