"""Random MPI calls with device arrays, compared with NumPy.

Started by test_device_arrays.py as `mpirun -n N python -m mpi4py
random_calls.py CALLS SEED TRANSFER PIECE`. All ranks draw the same numbers, so
that each knows the elements of all others. Prints the number of calls of each
kind; an error ends all ranks.
"""

# SPDX-License-Identifier: MIT

import sys
from collections import Counter

import numpy as np
from mpi4py import MPI

import pycuda.driver as drv
import pycuda.mpi
from pycuda import gpuarray

MOVED = [
    "f4", "f8", "i4", "i8", "u1", "i2", "c8", "c16", "f2", "?",
    [("a", "i4"), ("b", "f8")],
]  # fmt: skip
COMBINED = ["f4", "f8", "i4", "i8", "u1", "i2", "c16", "f2"]
OPERATIONS = {"SUM": np.add, "MAX": np.maximum, "MIN": np.minimum}


def assert_same(array, expected, what):
    found = array.get() if isinstance(array, gpuarray.GPUArray) else array
    np.testing.assert_array_equal(found, expected, err_msg=str(what))


class Calls:
    def __init__(self, comm, seed):
        self.comm = comm
        self.rank, self.size = comm.rank, comm.size
        self.common = np.random.default_rng(seed)  # the same on all ranks
        self.own = np.random.default_rng((seed, comm.rank))
        self.count = Counter()

    # --- what the calls work on -------------------------------------------

    def dtype(self, names):
        return np.dtype(names[self.common.integers(len(names))])

    def values(self, shape, dtype):
        """Return small integers of any dtype, from the common generator."""
        numbers = self.common.integers(0, 9, shape)
        if dtype.names:
            made = np.zeros(shape, dtype)
            for name in dtype.names:
                made[name] = numbers
            return made
        return numbers.astype(dtype)

    def shape(self):
        sizes = (0, 1, 3, 20, 200, 3000, 12000)
        rows = int(self.common.integers(1, 4))
        return rows, int(sizes[self.common.integers(len(sizes))])

    def placed(self, values):
        """Return the values as an array of a random kind and layout."""
        kind = self.own.integers(9)
        if kind == 0:
            return values.copy()
        if kind == 5 and values.size:  # a part of an array
            flat = np.ascontiguousarray(values).reshape(-1)
            whole = gpuarray.to_gpu(np.concatenate([flat[:1], flat, flat]))
            return whole[1 : 1 + values.size].reshape(values.shape)
        if kind == 6 and values.size:  # memory that is freed, not pooled
            return gpuarray.to_gpu(
                np.ascontiguousarray(values), allocator=drv.mem_alloc
            )
        if kind == 7 and values.size:  # memory without a handle for IPC
            return gpuarray.to_gpu(
                np.ascontiguousarray(values), allocator=drv.mem_alloc_async
            )
        if kind == 1:
            return np.repeat(values, 2, -1)[..., ::2]
        if kind == 2 and not values.dtype.names:
            return gpuarray.to_gpu(np.repeat(values, 2, -1))[..., ::2]
        if kind == 3 and values.ndim == 2:
            return gpuarray.to_gpu(np.ascontiguousarray(values.T)).T
        if kind == 4 and not values.dtype.names:
            return gpuarray.to_gpu(np.ascontiguousarray(values[..., ::-1]))[
                ..., ::-1
            ]
        return gpuarray.to_gpu(np.ascontiguousarray(values))

    def ranks(self, shape, dtype):
        return [self.values(shape, dtype) for _ in range(self.size)]

    def root(self):
        return int(self.common.integers(self.size))

    # --- the calls --------------------------------------------------------

    def ring(self):
        dtype, shape = self.dtype(MOVED), self.shape()
        all_values = self.ranks(shape, dtype)
        step, tag = self.root(), int(self.common.integers(100))
        to, source = (
            (self.rank + step) % self.size,
            (self.rank - step) % self.size,
        )
        sent = self.placed(all_values[self.rank])
        taken = self.placed(self.values(shape, dtype))
        way = self.common.integers(3)
        status = MPI.Status()
        if way == 0:
            self.comm.Sendrecv(sent, to, tag, taken, source, tag, status)
        elif way == 1:
            receive = self.comm.Irecv(taken, source, tag)
            self.comm.Send(sent, to, tag)
            receive.Wait(status)
        else:
            send = self.comm.Isend(sent, to, tag)
            self.comm.Recv(taken, MPI.ANY_SOURCE, tag, status)
            while not send.Test():
                pass
        self.comm.Barrier()
        assert status.Get_source() == source
        assert status.Get_tag() == tag
        assert status.Get_count(MPI.BYTE) == all_values[0].nbytes
        assert_same(taken, all_values[source], "ring")

    def crossed(self):
        """Several messages of one pair, completed in another order."""
        dtype = self.dtype(MOVED)
        shapes = [self.shape() for _ in range(3)]
        values = [self.ranks(shape, dtype) for shape in shapes]
        to, source = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        taken = [self.placed(np.zeros_like(v[source])) for v in values]
        receives = [self.comm.Irecv(t, source, 5) for t in taken]
        sends = [
            self.comm.Isend(self.placed(v[self.rank]), to, 5) for v in values
        ]
        for request in self.own.permutation(len(receives)):
            receives[request].Wait()
        pycuda.mpi.Request.Waitall(sends)
        for array, value in zip(taken, values, strict=True):
            assert_same(array, value[source], "crossed")

    def shorter(self):
        """A message shorter than the array leaves the rest unchanged."""
        dtype = self.dtype(["f4", "i8"])
        before, extra = (
            self.ranks((300,), dtype),
            int(self.common.integers(1, 2000)),
        )
        to, source = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        old = self.values((300 + extra,), dtype)
        taken, status = self.placed(old), MPI.Status()
        self.comm.Sendrecv(
            self.placed(before[self.rank]), to, 0, taken, source, 0, status
        )
        assert status.Get_count(MPI.BYTE) == before[0].nbytes
        assert_same(
            taken, np.concatenate([before[source], old[300:]]), "short"
        )

    def posted(self):
        """A posted receive completes a send while its rank waits elsewhere."""
        dtype, shape = self.dtype(MOVED), self.shape()
        values = self.ranks(shape, dtype)
        to, source = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        taken = self.placed(np.zeros_like(values[source]))
        request = self.comm.Irecv(taken, source, 3)
        if self.rank % 2:
            self.comm.comm.Barrier()
        self.comm.Send(self.placed(values[self.rank]), to, 3)
        if not self.rank % 2:
            self.comm.comm.Barrier()
        request.Wait()
        assert_same(taken, values[source], "posted")

    def longer(self):
        """A message longer than the array raises, for its receiver only."""
        sizes = (100, 5000, 60000)
        size = sizes[self.common.integers(len(sizes))]
        to, source = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        request = self.comm.Irecv(self.placed(np.zeros(size, "f4")), source)
        send = self.comm.Isend(self.placed(np.ones(size + 5, "f4")), to)
        try:
            request.Wait()
        except MPI.Exception as error:
            assert error.Get_error_class() == MPI.ERR_TRUNCATE
        else:
            raise AssertionError("a longer message was received")
        send.Wait()

    def bcast(self):
        dtype, shape, root = self.dtype(MOVED), self.shape(), self.root()
        values = self.values(shape, dtype)
        other = self.values(shape, dtype)
        array = self.placed(values if self.rank == root else other)
        self.comm.Bcast(array, root)
        assert_same(array, values, "bcast")

    def reduction(self):
        dtype, shape, root = self.dtype(COMBINED), self.shape(), self.root()
        names = list(OPERATIONS)[: 1 if dtype.kind == "c" else 3]
        name = names[self.common.integers(len(names))]
        all_values = self.ranks(shape, dtype)
        expected = OPERATIONS[name].reduce(all_values, dtype=dtype)
        in_place, to_all = self.common.integers(2, size=2)
        operation = getattr(MPI, name)
        sent = self.placed(all_values[self.rank])
        # The result's shape is free; only its size matters.
        shapes = (shape, shape[::-1], (shape[0] * shape[1],))
        other = shapes[self.own.integers(len(shapes))]
        taken = self.placed(self.values(shape, dtype).reshape(other))
        if to_all:
            if in_place:
                taken = sent
            self.comm.Allreduce(
                MPI.IN_PLACE if in_place else sent, taken, operation
            )
        elif self.rank == root:
            if in_place:
                taken = sent
            self.comm.Reduce(
                MPI.IN_PLACE if in_place else sent, taken, operation, root
            )
        else:
            self.comm.Reduce(sent, None, operation, root)
        if to_all or self.rank == root:
            expected = expected.reshape(taken.shape)
            assert_same(taken, expected, (name, in_place, to_all))

    def gather(self):
        dtype, shape, root = self.dtype(MOVED), self.shape(), self.root()
        all_values = self.ranks(shape, dtype)
        to_all, in_place = self.common.integers(2, size=2)
        expected = np.stack(all_values)
        taken = np.zeros_like(expected)
        is_here = bool(in_place) and (bool(to_all) or self.rank == root)
        if is_here:
            taken[self.rank] = all_values[self.rank]
        taken = self.placed(taken)
        sent = MPI.IN_PLACE if is_here else self.placed(all_values[self.rank])
        if to_all:
            self.comm.Allgather(sent, taken)
        else:
            self.comm.Gather(sent, taken if self.rank == root else None, root)
        if to_all or self.rank == root:
            assert_same(taken, expected, ("gather", in_place, to_all))

    def gatherv(self):
        dtype, root = self.dtype(MOVED), self.root()
        counts = [int(n) for n in self.common.integers(0, 300, self.size)]
        gaps = [int(n) for n in self.common.integers(0, 4, self.size)]
        offsets, at = [], 0
        for count, gap in zip(counts, gaps, strict=True):
            offsets.append(at + gap)
            at += gap + count
        parts = [self.values((n,), dtype) for n in counts]
        expected = self.values((at + 2,), dtype)
        taken = self.placed(expected)
        for offset, part in zip(offsets, parts, strict=True):
            expected[offset : offset + len(part)] = part
        sent = self.placed(parts[self.rank])
        target = [taken, (counts, offsets)]
        if self.common.integers(2):
            self.comm.Allgatherv(sent, target)
        elif self.rank == root:
            self.comm.Gatherv(sent, target, root)
        else:
            self.comm.Gatherv(sent, None, root)
            return
        assert_same(taken, expected, "gatherv")

    def scatter(self):
        dtype, shape, root = self.dtype(MOVED), self.shape(), self.root()
        values = np.stack(self.ranks(shape, dtype))
        taken = self.placed(self.values(shape, dtype))
        sent = self.placed(values) if self.rank == root else None
        if self.common.integers(2) and self.rank == root:
            self.comm.Scatter(sent, MPI.IN_PLACE, root)
            return
        self.comm.Scatter(sent, taken, root)
        assert_same(taken, values[self.rank], "scatter")

    def scatterv(self):
        dtype, root = self.dtype(MOVED), self.root()
        counts = [int(n) for n in self.common.integers(0, 300, self.size)]
        values = self.values((sum(counts),), dtype)
        offsets = [sum(counts[:i]) for i in range(self.size)]
        start = offsets[self.rank]
        expected = values[start : start + counts[self.rank]]
        taken = self.placed(np.zeros_like(expected))
        sent = [self.placed(values), counts] if self.rank == root else None
        self.comm.Scatterv(sent, taken, root)
        assert_same(taken, expected, "scatterv")

    def alltoall(self):
        dtype, shape = self.dtype(MOVED), self.shape()
        table = [self.ranks(shape, dtype) for _ in range(self.size)]
        expected = np.stack([row[self.rank] for row in table])
        sent = self.placed(np.stack(table[self.rank]))
        if self.common.integers(2):
            taken = sent
            self.comm.Alltoall(MPI.IN_PLACE, taken)
        else:
            taken = self.placed(np.zeros_like(expected))
            self.comm.Alltoall(sent, taken)
        assert_same(taken, expected, "alltoall")

    def alltoallv(self):
        dtype = self.dtype(MOVED)
        counts = self.common.integers(0, 50, (self.size, self.size))
        table = [
            [self.values((int(n),), dtype) for n in row] for row in counts
        ]
        expected = np.concatenate([row[self.rank] for row in table])
        taken = self.placed(np.zeros_like(expected))
        self.comm.Alltoallv(
            [self.placed(np.concatenate(table[self.rank])),
             counts[self.rank].tolist()],
            [taken, counts[:, self.rank].tolist()],
        )  # fmt: skip
        assert_same(taken, expected, "alltoallv")


KINDS = [
    "ring", "crossed", "shorter", "posted", "bcast", "reduction", "gather",
    "gatherv", "scatter", "scatterv", "alltoall", "alltoallv",
]  # fmt: skip


def main(calls, seed, transfer, piece):
    context = pycuda.mpi.context()
    is_far = transfer == "pieces"  # as between two machines
    if is_far:
        transfer = "staged"
    comm = pycuda.mpi.Communicator(transfer=transfer, piece=piece)
    if is_far:
        comm._messages.pages = None
    elif transfer == "staged":
        assert comm._messages.pages.readers == set(range(comm.size))
    assert comm.transfer == transfer
    if transfer == "ipc":
        assert comm._exchanges is not None
    work = Calls(comm, seed)
    for _ in range(20 * (transfer != "direct")):
        work.longer()
    for _ in range(calls):
        kind = KINDS[work.common.integers(len(KINDS))]
        getattr(work, kind)()
        work.count[kind] += 1
    comm.Barrier()
    if comm.rank == 0:
        print(sum(work.count.values()), "calls right", dict(work.count))
    comm.Free()
    del context


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
