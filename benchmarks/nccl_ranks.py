"""NCCL operations, one process per rank, also in C and other packages.

Usage: ``python benchmarks/nccl_ranks.py [--ranks N] [--operations NAMES]
[--bytes SIZES] [--peers NAMES]``.  The times are those of one of many
operations in a stream, from the first call to the end of the last one.  The
C twin is `twins/nccl_twin.c`; other peers are used if they can be imported.
"graph" is a graph with 20 operations, "threads" this package with all ranks
in one process.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from common import BUILD, HERE, print_table

PEERS = ("this package", "graph", "threads", "C", "CuPy", "nccl4py", "torch")
OPERATIONS = (
    "all_reduce", "broadcast", "all_gather", "reduce_scatter", "send_recv",
)  # fmt: skip
IN_GRAPH = 20


def number_of_calls(size: int) -> int:
    return 2000 if size <= 1 << 16 else 1000 if size <= 1 << 22 else 20


def shared_id(rank: int, path: Path, make: Callable[[], bytes]) -> bytes:
    """Return rank 0's id, passed by a file."""
    if rank == 0:
        made = make()
        path.with_suffix(".new").write_bytes(made)
        path.with_suffix(".new").rename(path)
        return made
    while not path.exists():
        time.sleep(0.01)
    return path.read_bytes()


def report(
    rank: int,
    calls: int,
    call: Callable[[], object],
    wait: Callable[[], Any],
    operations: int = 1,
) -> None:
    """Print the least time of an operation in 3 rounds, in microseconds."""
    for _ in range(5):
        call()
    wait()
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        best = min(best, (time.perf_counter() - start) / calls)
    if rank == 0:
        print(f"{best * 1e6 / operations:.3f}", flush=True)


def our_calls(comm: Any, operation: str, size: int) -> Callable[[], object]:
    from pycuda import gpuarray, nccl

    a = gpuarray.zeros(size // 4, np.float32)
    b = gpuarray.zeros((comm.size, size // 4 // comm.size), np.float32)
    after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size

    def send_recv() -> None:
        with nccl.group():
            comm.send(a, after)
            comm.recv(other, before)

    other = gpuarray.zeros_like(a) if operation == "send_recv" else None
    part = b[0].copy()
    calls: dict[str, Callable[[], object]] = {
        "all_reduce": lambda: comm.all_reduce(a, a),
        "broadcast": lambda: comm.broadcast(a),
        "all_gather": lambda: comm.all_gather(part, b),
        "reduce_scatter": lambda: comm.reduce_scatter(b, part),
        "send_recv": send_recv,
    }
    return calls[operation]


def our_rank(
    rank: int, size: int, path: Path, cases: list[Any], graph: bool
) -> None:
    import pycuda.driver as cuda
    from pycuda import nccl

    cuda.init()
    device = cuda.Device(rank % cuda.Device.count())
    context = device.retain_primary_context()
    context.push()
    stream = cuda.Stream()
    made = shared_id(rank, path, nccl.unique_id)
    with nccl.Communicator(size, rank, made) as comm, stream:
        for operation, length in cases:
            call = our_calls(comm, operation, length)
            calls = number_of_calls(length)
            if graph:
                call()
                stream.synchronize()
                with stream.capture() as captured:
                    for _ in range(IN_GRAPH):
                        call()
                launch = captured.instantiate()
                calls = max(calls // IN_GRAPH, 1)
                call = lambda launch=launch: launch.launch(stream)  # noqa: E731
            report(
                rank, calls, call, stream.synchronize,
                IN_GRAPH if graph else 1,
            )  # fmt: skip
    context.pop()


def our_threads(size: int, cases: list[Any]) -> None:
    import pycuda.driver as cuda
    from pycuda import nccl

    cuda.init()
    contexts = [
        cuda.Device(rank % cuda.Device.count()).retain_primary_context()
        for rank in range(size)
    ]

    def work(comm: Any) -> None:
        with contexts[comm.rank], cuda.Stream() as stream:
            for operation, length in cases:
                call = our_calls(comm, operation, length)
                report(
                    comm.rank, number_of_calls(length), call,
                    stream.synchronize,
                )  # fmt: skip

    threads = [
        threading.Thread(target=work, args=(comm,))
        for comm in nccl.init_all(contexts)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def cupy_rank(rank: int, size: int, path: Path, cases: list[Any]) -> None:
    import cupy
    from cupy.cuda import nccl

    cupy.cuda.Device(rank).use()
    made = shared_id(
        rank, path,
        lambda: bytes(x & 255 for x in nccl.get_unique_id()),
    )  # fmt: skip
    try:
        comm = nccl.NcclCommunicator(size, made, rank)
    except TypeError:  # CuPy 13 takes a tuple of signed numbers
        number = tuple(x - 256 if x > 127 else x for x in made)
        comm = nccl.NcclCommunicator(size, number, rank)
    stream = cupy.cuda.Stream(non_blocking=True)
    after, before = (rank + 1) % size, (rank - 1) % size
    kind, op = nccl.NCCL_FLOAT32, nccl.NCCL_SUM
    for operation, length in cases:
        count = length // 4
        arrays = [cupy.zeros(count, np.float32) for _ in range(2)]
        a, b = (array.data.ptr for array in arrays)
        part, handle = count // size, stream.ptr

        def send_recv(
            a: int = a, b: int = b, count: int = count, handle: int = handle
        ) -> None:
            nccl.groupStart()
            comm.send(a, count, kind, after, handle)
            comm.recv(b, count, kind, before, handle)
            nccl.groupEnd()

        cupy.cuda.Device().synchronize()
        call = {
            "all_reduce": lambda a=a, n=count, s=handle: comm.allReduce(
                a, a, n, kind, op, s
            ),
            "broadcast": lambda a=a, n=count, s=handle: comm.broadcast(
                a, a, n, kind, 0, s
            ),
            "all_gather": lambda a=a, b=b, n=part, s=handle: comm.allGather(
                a, b, n, kind, s
            ),
            "reduce_scatter": lambda a=a, b=b, n=part, s=handle: (
                comm.reduceScatter(b, a, n, kind, op, s)
            ),
            "send_recv": send_recv,
        }[operation]
        report(rank, number_of_calls(length), call, stream.synchronize)


def torch_rank(rank: int, size: int, path: Path, cases: list[Any]) -> None:
    import torch
    import torch.distributed as dist

    torch.cuda.set_device(rank)
    dist.init_process_group(
        "nccl", init_method=f"file://{path}", rank=rank, world_size=size
    )
    after, before = (rank + 1) % size, (rank - 1) % size
    for operation, length in cases:
        a = torch.zeros(length // 4, device="cuda")
        b = torch.zeros(length // 4, device="cuda")
        part = torch.zeros(length // 4 // size, device="cuda")

        def send_recv(a: Any = a, b: Any = b) -> None:
            works = dist.batch_isend_irecv([
                dist.P2POp(dist.isend, a, after),
                dist.P2POp(dist.irecv, b, before),
            ])  # fmt: skip
            for work in works:
                work.wait()

        call = {
            "all_reduce": lambda a=a: dist.all_reduce(a),
            "broadcast": lambda a=a: dist.broadcast(a, 0),
            "all_gather": lambda b=b, part=part: dist.all_gather_into_tensor(
                b, part
            ),
            "reduce_scatter": lambda b=b, part=part: (
                dist.reduce_scatter_tensor(part, b)
            ),
            "send_recv": send_recv,
        }[operation]
        report(rank, number_of_calls(length), call, torch.cuda.synchronize)
    dist.destroy_process_group()


def nccl4py_rank(rank: int, size: int, path: Path, cases: list[Any]) -> None:
    """nccl4py with the arrays and the stream of this package."""
    from nccl import core

    import pycuda.driver as cuda
    from pycuda import gpuarray

    cuda.init()
    cuda.Device(rank % cuda.Device.count()).retain_primary_context().push()
    made = shared_id(rank, path, lambda: core.get_unique_id().as_bytes)
    comm = core.Communicator.init(size, rank, core.UniqueId.from_bytes(made))
    stream = cuda.Stream()
    after, before = (rank + 1) % size, (rank - 1) % size
    for operation, length in cases:
        a = gpuarray.zeros(length // 4, np.float32)
        b = gpuarray.zeros(length // 4, np.float32)
        part = gpuarray.zeros(length // 4 // size, np.float32)
        cuda.Context.synchronize()

        def send_recv(a: Any = a, b: Any = b) -> None:
            with core.group():
                comm.send(a, after, stream=stream)
                comm.recv(b, before, stream=stream)

        call = {
            "all_reduce": lambda a=a: comm.allreduce(
                a, a, core.SUM, stream=stream
            ),
            "broadcast": lambda a=a: comm.broadcast(a, a, 0, stream=stream),
            "all_gather": lambda b=b, p=part: comm.allgather(
                p, b, stream=stream
            ),
            "reduce_scatter": lambda b=b, p=part: comm.reduce_scatter(
                b, p, core.SUM, stream=stream
            ),
            "send_recv": send_recv,
        }[operation]
        report(rank, number_of_calls(length), call, stream.synchronize)
    comm.destroy()


def c_twin() -> str:
    BUILD.mkdir(parents=True, exist_ok=True)
    built = BUILD / "nccl_twin"
    subprocess.run(
        ["gcc", "-O2", "-o", built, HERE / "twins" / "nccl_twin.c", "-ldl"],
        check=True,
    )
    return str(built)


def libraries() -> tuple[str, str]:
    """Return the paths of the driver's library and of NCCL."""
    program = (
        "import os, pycuda.driver as d; from pycuda import nccl, _driver\n"
        "d.init(); path = nccl.library()\n"
        "maps = [l.split()[-1] for l in open('/proc/self/maps')]\n"
        "path = next((m for m in maps if 'libnccl' in m), path)\n"
        "print('libcuda.so.1' if _driver._device_kind() == 'gpu' else path)\n"
        "print(path)"
    )
    said = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", program],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    return said[-2], said[-1]


def commands(peer: str, size: int, path: str, cases: list[Any]) -> list[Any]:
    """Return the command of each process of a peer."""
    if peer == "C":
        rows = [f"{op}:{n}:{number_of_calls(n)}" for op, n in cases]
        twin, both = c_twin(), libraries()
        return [[twin, *both, str(r), str(size), path, *rows]
                for r in range(size)]  # fmt: skip
    rows = [f"{op}:{n}" for op, n in cases]
    return [
        [sys.executable, "-P", "-W", "ignore", __file__, "--worker", peer,
         str(r), "--ranks", str(size), "--id", path, *rows]
        for r in range(1 if peer == "threads" else size)
    ]  # fmt: skip


def times(peer: str, size: int, cases: list[Any], limit: float) -> list[float]:
    """Return a peer's times in microseconds, in the order of the cases."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as on:
        started = [
            on.enter_context(subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True, env={**os.environ, "PYTHONPATH": search_path()},
            ))
            for command in commands(peer, size, f"{folder}/id", cases)
        ]  # fmt: skip
        end = time.monotonic() + limit
        said = ["", ""]
        for process in started:
            try:
                found = process.communicate(
                    timeout=max(end - time.monotonic(), 1)
                )
            except subprocess.TimeoutExpired:
                process.kill()
                found = process.communicate()
            said = [said[0] or found[0], said[1] or found[1]]
            if process.returncode:
                print(f"{peer}: {found[1].strip()[-400:]}", file=sys.stderr)
    return [float(line) for line in said[0].split()]


def search_path() -> str:
    return os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])


def rows_of(
    found: dict[str, list[float]], cases: list[Any]
) -> Iterator[list[str]]:
    for number, (operation, size) in enumerate(cases):
        row = [operation, str(size)]
        for peer in found:
            got = found[peer]
            if number >= len(got):
                row.append("")
            elif size < 1 << 22:
                row.append(f"{got[number]:.1f} us")
            else:
                rate = size / got[number] / 1e3
                row.append(f"{got[number]:.0f} us, {rate:.0f} GB/s")
        yield row


def worker(options: argparse.Namespace) -> None:
    peer, rank = options.worker[0], int(options.worker[1])
    cases = []
    for row in options.rows:
        operation, size = row.split(":")
        cases.append((operation, int(size)))
    path = Path(options.id)
    if peer in ("this package", "graph"):
        our_rank(rank, options.ranks, path, cases, peer == "graph")
    elif peer == "threads":
        our_threads(options.ranks, cases)
    else:
        ranks = {"CuPy": cupy_rank, "torch": torch_rank,
                 "nccl4py": nccl4py_rank}  # fmt: skip
        ranks[peer](rank, options.ranks, path, cases)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--operations", default="all_reduce")
    parser.add_argument("--bytes", default=f"{1 << 10},{1 << 20},{1 << 28}")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--id", help=argparse.SUPPRESS)
    parser.add_argument("rows", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options)
        return
    cases = [(op, int(n)) for op in options.operations.split(",")
             for n in options.bytes.split(",")]  # fmt: skip
    found = {
        peer: times(peer, options.ranks, cases, options.limit)
        for peer in options.peers.split(",")
    }
    print_table(["operation", "bytes", *found], list(rows_of(found, cases)))


if __name__ == "__main__":
    main()
