"""Jacobi's method on several devices of one process, with peer copies.

One thread issues the work of all devices. Each device computes a slab of rows
and writes its edge rows to the halos of its neighbours, while it computes its
inner rows. To run it on four virtual CPU devices::

    PYCUDA_DEVICE=cpu PYCUDA_CPU_DEVICES=4 python jacobi_peers.py
"""

from __future__ import annotations

import sys
import time

import numpy as np
from jacobi import Slab, expected, plate

import pycuda.driver as drv


class Devices:
    """One slab on each of the devices.

    Parameters
    ----------
    parts
        The slabs' first contents, or their sizes.
    """

    def __init__(self, parts: list) -> None:
        self.contexts = [
            drv.Device(i).retain_primary_context() for i in range(len(parts))
        ]
        self._enable_access()
        self.slabs, self.moved = [], []
        for context, part in zip(self.contexts, parts, strict=True):
            with context:
                self.slabs.append(Slab(part))
                self.moved.append(drv.Event(drv.event_flags.DISABLE_TIMING))

    def _enable_access(self) -> None:
        """Let neighbours copy directly, where the machine can do it."""
        for i, context in enumerate(self.contexts):
            for j in {i - 1, i + 1} & set(range(len(self.contexts))):
                if drv.Device(i).can_access_peer(drv.Device(j)):
                    with context:
                        context.enable_peer_access(self.contexts[j])

    def step(self) -> None:
        """Start a step on all devices."""
        for context, slab in zip(self.contexts, self.slabs, strict=True):
            with context:
                slab.start_step()
        for i, (context, slab) in enumerate(
            zip(self.contexts, self.slabs, strict=True)
        ):
            with context:
                if i > 0:
                    self._send(slab, 1, i - 1, self.slabs[i - 1].rows + 1)
                if i + 1 < len(self.slabs):
                    self._send(slab, slab.rows, i + 1, 0)
                self.moved[i].record(slab.edges)
        for i, (context, slab) in enumerate(
            zip(self.contexts, self.slabs, strict=True)
        ):
            with context:
                for j in {i - 1, i + 1} & set(range(len(self.slabs))):
                    slab.edges.wait_for_event(self.moved[j])
                slab.end_step()

    def _send(self, slab: Slab, row: int, to: int, into: int) -> None:
        """Copy a row to a neighbour's halo, which nothing reads any more.

        The neighbour's previous step, which read the halo, precedes: this
        slab's step has waited for the neighbour's edges (`moved`), which
        follow that step.
        """
        target = self.slabs[to].after
        nbytes = slab.width * 4
        drv.memcpy_peer_async(
            target.ptr + into * nbytes,
            slab.after.ptr + row * nbytes,
            nbytes,
            self.contexts[to],
            self.contexts[self.slabs.index(slab)],
            slab.edges,
        )

    def wait(self) -> None:
        """Wait for all devices."""
        for context in self.contexts:
            with context:
                drv.Context.synchronize()

    def rows(self) -> np.ndarray:
        """Return the rows of all slabs."""
        self.wait()
        found = []
        for context, slab in zip(self.contexts, self.slabs, strict=True):
            with context:
                found.append(slab.now.get()[1:-1])
        return np.concatenate(found)

    def close(self) -> None:
        """Free the slabs and the contexts."""
        while self.slabs:
            with self.contexts[len(self.slabs) - 1]:
                self.slabs.pop()
                self.moved.pop()
        for context in self.contexts:
            context.detach()


def main() -> None:
    """Compare some steps with NumPy's, and print the time of one."""
    drv.init()
    devices, rows, width, steps = drv.Device.count(), 64, 512, 50
    start = plate(devices * rows, width)
    parts = [start[i * rows : (i + 1) * rows + 2] for i in range(devices)]
    work = Devices(parts)
    begin = time.perf_counter()
    for _ in range(steps):
        work.step()
    found = work.rows()
    seconds = time.perf_counter() - begin
    work.close()
    if not np.array_equal(found, expected(start, steps)[1:-1]):
        sys.exit("wrong numbers")
    print(f"{devices} devices, {seconds / steps * 1e6:.0f} us for a step")
    print("Success")


if __name__ == "__main__":
    main()
