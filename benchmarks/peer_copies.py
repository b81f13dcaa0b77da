"""Copies between all pairs of devices: GB/s, and whether they are right.

Usage: ``python benchmarks/peer_copies.py [MIB]``. Row: the device that is
read, column: the device that is written; 256 MiB unless MIB is given.

SPDX-License-Identifier: MIT
"""

import sys
import time

import numpy as np

import pycuda.driver as drv
from pycuda import gpuarray

ROUNDS = 10


def bandwidth(
    contexts: list[drv.Context], arrays: list, one: int, other: int
) -> float:
    """Return the GB/s of a copy from a device to another."""
    source, target = arrays[one], arrays[other]
    with contexts[one]:
        stream = drv.Stream()
        seconds = float("inf")
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            drv.memcpy_peer_async(
                target.ptr,
                source.ptr,
                source.nbytes,
                contexts[other],
                contexts[one],
                stream,
            )
            stream.synchronize()
            seconds = min(seconds, time.perf_counter() - begin)
    with contexts[other]:
        found = target[:: max(target.size // 4, 1)].get()
        if not np.all(found == one):
            sys.exit(f"wrong numbers from device {one} on device {other}")
        target.fill(other)
        drv.Context.synchronize()
    return source.nbytes / seconds / 1e9


def main() -> None:
    """Print the table."""
    drv.init()
    number = drv.Device.count()
    nbytes = (int(sys.argv[1]) if len(sys.argv) > 1 else 256) << 20
    devices = [drv.Device(i) for i in range(number)]
    contexts = [device.retain_primary_context() for device in devices]
    arrays = []
    for i, context in enumerate(contexts):
        with context:
            made = gpuarray.empty(nbytes // 4, np.float32)
            made.fill(i)
            drv.Context.synchronize()
            arrays.append(made)
            for j in range(number):
                if i != j and devices[i].can_access_peer(devices[j]):
                    context.enable_peer_access(contexts[j])
    print(f"{number} x {devices[0].name()}, {nbytes >> 20} MiB")
    print("| from, to |" + "".join(f" {i} |" for i in range(number)))
    print("|---|" + "---:|" * number)
    for one in range(number):
        row = [
            f" {bandwidth(contexts, arrays, one, other):.0f} |"
            if one != other
            else " |"
            for other in range(number)
        ]
        print(f"| {one} |" + "".join(row))
    while arrays:
        with contexts[len(arrays) - 1]:
            arrays.pop()
    for context in contexts:
        context.detach()


if __name__ == "__main__":
    main()
