"""Calls that do not match, and what the ranks are told about them.

Run as ``mistakes.py``, with PYCUDA_CPU_DEVICES=3. Prints each mistake that is
not diagnosed, and exits with their number.

SPDX-License-Identifier: MIT
"""

import re
import sys
import time

import numpy as np
from ranks import ranks  # the folder of this file

import pycuda.driver as drv
from pycuda import gpuarray, nccl

SIZE = 3
LATEST = 5.0  # seconds

COLLECTIVES = {
    "all_reduce": lambda c, a: c.all_reduce(a),
    "reduce": lambda c, a: c.reduce(a, root=1),
    "broadcast": lambda c, a: c.broadcast(a, root=1),
    "all_gather": lambda c, a: c.all_gather(a),
    "gather": lambda c, a: c.gather(a, root=1),
    "scatter": lambda c, a: c.scatter(a, gpuarray.empty(a.size // SIZE,
                                                        a.dtype), root=1),
    "reduce_scatter": lambda c, a: c.reduce_scatter(a),
    "all_to_all": lambda c, a: c.all_to_all(a),
}  # fmt: skip


def array(size=12, dtype=np.float32):
    return gpuarray.zeros(size, dtype)


def missing(call):
    def run(comm):
        if comm.rank == 2:
            comm.destroy()  # as at the end of its program
        else:
            call(comm, array())

    return run, "rank 2 has left the communicator", (0, 1)


def other_size(call):
    return (
        lambda comm: call(comm, array(24 if comm.rank == 2 else 12)),
        r"different operations: operation 1 of rank 0 .* operation 1 of "
        "rank 2",
        (0, 1, 2),
    )


def other_type(call):
    return (
        lambda comm: call(
            comm, array(dtype=np.int32 if comm.rank == 1 else np.float32)
        ),
        r"of float32.* of int32",
        (0, 1, 2),
    )


def other_order(call):
    def run(comm):
        a, b = array(), array(6)
        if comm.rank == 2:
            comm.all_reduce(b, op="max")
            call(comm, a)
        else:
            call(comm, a)
            comm.all_reduce(b, op="max")

    return run, r"of rank 2 is ncclAllReduce\(6 .*, max", (0, 1, 2)


def other_root(name):
    def run(comm):
        root = 1 if comm.rank == 1 else 0
        arrays = [array(12), array(4)] if name == "scatter" else [array()]
        getattr(comm, name)(*arrays, root=root)

    return run, r"root 0.* of rank 1 is .*root 1", (0, 1, 2)


def other_op(name):
    def run(comm):
        op = "prod" if comm.rank == 2 else "sum"
        getattr(comm, name)(array(), op=op)

    return run, "sum.* of rank 2 is .*prod", (0, 1, 2)


def one_more(comm):
    comm.all_reduce(array())
    if comm.rank == 2:
        comm.all_reduce(array())
    else:
        drv.Context.synchronize()
        comm.destroy()


def later(comm):
    for number in range(50):
        comm.all_reduce(array(12 + (comm.rank == 1 and number == 49)))


def in_group(comm):
    with nccl.group():
        comm.send(array(12), (comm.rank + 1) % SIZE)
        comm.recv(array(6 if comm.rank == 1 else 12), (comm.rank - 1) % SIZE)


def wrong_peer(comm):
    if comm.rank == 0:
        comm.send(array(), 1)
    elif comm.rank == 1:
        comm.recv(array(), 2)
    else:
        comm.destroy()


def send_missing(comm):
    """Send more than the library stores for a receiver that comes later."""
    if comm.rank == 0:
        comm.send(array(1 << 22), 1)
    elif comm.rank == 1:
        comm.destroy()


def split_missing(comm):
    if comm.rank == 2:
        comm.all_reduce(array())
        drv.Context.synchronize()
    else:
        comm.split(0)


def circle(comm):
    comm.recv(array(), (comm.rank + 1) % SIZE)


def message_size(comm):
    if comm.rank == 0:
        comm.send(array(100), 1)
    elif comm.rank == 1:
        comm.recv(array(50), 0)


def message_type(comm):
    if comm.rank == 0:
        comm.send(array(100), 1)
    elif comm.rank == 1:
        comm.recv(array(100, np.int32), 0)


def message_missing(comm):
    if comm.rank == 0:
        comm.recv(array(), 1)
    elif comm.rank == 1:
        comm.destroy()


def message_or_collective(comm):
    if comm.rank == 0:
        comm.recv(array(), 1)
    else:
        comm.all_reduce(array())


def late(comm):
    if comm.rank != 2:
        comm.all_reduce(array())


def bad_memory(comm):
    """The other ranks learn of an error of one rank's context."""
    if comm.rank == 2:
        comm.abort()
    else:
        comm.all_reduce(array())


def cases():
    """Yield (name, function of a rank, pattern, ranks that get the text)."""
    for name, call in COLLECTIVES.items():
        for mistake in (missing, other_size, other_type, other_order):
            yield (f"{name}: {mistake.__name__}", *mistake(call))
    for name in ("broadcast", "reduce", "gather", "scatter"):
        yield (f"{name}: other_root", *other_root(name))
    for name in ("all_reduce", "reduce", "reduce_scatter"):
        yield (f"{name}: other_op", *other_op(name))
    yield "one_more", one_more, "rank [01] has left", (2,)
    yield "later", later, r"operation 50 of rank 0 .*ncclAllReduce", (0, 1, 2)
    yield (
        "in_group", in_group,
        "rank 1 receives 6 elements of float32 from rank 0, which sends 12",
        (1,),
    )  # fmt: skip
    yield "wrong_peer", wrong_peer, "rank 2 has left", (1,)
    yield "send_missing", send_missing, "rank 1 has left", (0,)
    yield "split_missing", split_missing, "split|Split", (0, 1)
    yield "circle", circle, "has waited 1 s for rank", (0, 1, 2)
    yield (
        "message_size", message_size,
        "rank 1 receives 50 elements of float32 from rank 0, which sends 100",
        (1,),
    )  # fmt: skip
    yield (
        "message_type", message_type,
        "of int32 from rank 0, which sends 100 elements of float32", (1,),
    )  # fmt: skip
    yield "message_missing", message_missing, "rank 1 has left", (0,)
    yield (
        "message_or_collective", message_or_collective,
        "rank 0 waits in ncclRecv for rank 1 .*which executes operation 1, "
        r"ncclAllReduce\(12", (0, 1, 2),
    )  # fmt: skip
    yield "late", late, "has waited 1 s for rank 2", (0, 1)
    yield "aborted", bad_memory, "rank 2 has left", (0, 1)


def diagnosed(function, pattern, told):
    """Return whether each of the ranks `told` gets a matching error."""

    def run(comm):
        start = time.monotonic()
        text = "no error"
        try:
            function(comm)
            drv.Context.synchronize()
        except Exception as error:
            text = str(error)
        return text, time.monotonic() - start

    # only these cases wait for the time limit
    limit = 1 if function in (late, circle) else 60
    with ranks(SIZE, timeout=limit) as group:
        results = group.run(run)
    wrong = [
        results[rank]
        for rank in told
        if not re.search(pattern, results[rank][0])
        or results[rank][1] > LATEST
    ]
    return wrong


def main():
    drv.init()
    count, failed = 0, 0
    for name, *case in cases():
        wrong = diagnosed(*case)
        count += 1
        failed += bool(wrong)
        if wrong:
            print(name, wrong, flush=True)
    print(f"{count} mistakes, {failed} not diagnosed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
