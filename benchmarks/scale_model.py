"""Simulation of the start of many ranks on an empty compile cache.

Usage: ``python benchmarks/scale_model.py [RANKS] [PER_NODE] [KERNELS]``
(1000, 8, 20). Each rank starts, then needs the kernels one after the other. It
looks for an entry in the cache, takes the entry's lock or waits for it in
pauses that double from 2 to 50 ms, as `pycuda/_compile/cache_lock.py` does,
and loads the entry. Requests to a shared file system wait in one queue. The
defaults are those of nodes with eight GPUs. ``32 32 4 --processors 2 --start
0.36 --compile 0.2`` models the machine on which 32 processes were measured.

SPDX-License-Identifier: MIT
"""

import argparse
import heapq
import random
from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

CACHES = ("none", "local", "shared", "shared, no locks", "broadcast")
PAUSES = 0.002, 0.05  # seconds: first and longest pause of a waiting process


@dataclass
class Settings:
    """Sizes, and times in seconds."""

    ranks: int = 1000
    per_node: int = 8
    kernels: int = 20
    processors: int = 64  # per node
    start: float = 1.5  # of a rank, until it needs the first kernel
    compile: float = 0.3
    load: float = 0.001
    shared: float = 0.0005  # the shared file system's time for one request
    local: float = 0.00002  # a node's time for one request
    message: float = 0.00002  # between two ranks


@dataclass
class Server:
    """Something that serves one request after the other."""

    seconds: float
    is_free_at: float = 0.0
    requests: int = 0

    def serve(self, now: float) -> float:
        """Return when a request that comes now has been served."""
        self.requests += 1
        self.is_free_at = max(self.is_free_at, now) + self.seconds
        return self.is_free_at


@dataclass
class World:
    """The state of one run.

    Attributes
    ----------
    entries, locks
        Cache entries that exist, and locks that are held: pairs of a folder
        and a kernel.
    running
        Number of processes that compute on each node.
    """

    settings: Settings
    cache: str
    shared: Server
    nodes: list[Server]
    entries: set[tuple[int, int]] = field(default_factory=set)
    locks: set[tuple[int, int]] = field(default_factory=set)
    running: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    compilations: int = 0

    def compute(self, node: int, seconds: float) -> float:
        """Return the time of some work on a node that may be overloaded."""
        load = self.running[node] / self.settings.processors
        return seconds * max(1.0, load)


def _compile(world: World, node: int) -> Iterator[float]:
    world.compilations += 1
    world.running[node] += 1
    yield world.compute(node, world.settings.compile)
    world.running[node] -= 1


def _rank(world: World, rank: int) -> Generator[float, float, None]:
    """Live as one rank: yield seconds to wait, receive the time."""
    settings, node = world.settings, rank // world.settings.per_node
    is_shared = world.cache.startswith("shared")
    server = world.shared if is_shared else world.nodes[node]
    folder = 0 if is_shared or world.cache == "broadcast" else node
    world.running[node] += 1
    # uneven by 10 per cent
    uneven = random.Random(rank).uniform(0.95, 1.05)
    now = yield world.compute(node, settings.start) * uneven
    world.running[node] -= 1
    for kernel in range(settings.kernels):
        entry, pause = (folder, kernel), PAUSES[0]
        if world.cache == "none":
            yield from _compile(world, node)
            continue
        while True:
            if world.cache == "broadcast" and rank:
                # the broadcast arrives when the root has the entry
                steps = max(settings.ranks - 1, 1).bit_length()
                now = yield settings.message * steps
            else:
                now = yield server.serve(now) - now  # look up, or lock
            if entry in world.entries:
                break
            has_locks = world.cache != "shared, no locks"
            is_held = entry in world.locks or (
                world.cache == "broadcast" and rank
            )
            if not (has_locks and is_held):
                world.locks.add(entry)
                yield from _compile(world, node)
                now = yield 0.0
                if world.cache != "broadcast":
                    now = yield server.serve(now) - now  # write
                world.entries.add(entry)
                break
            now = yield pause
            pause = min(2 * pause, PAUSES[1])
        now = yield settings.load


def simulate(settings: Settings, cache: str) -> tuple[int, float, int]:
    """Return compilations, seconds, and requests to the shared file system.

    Parameters
    ----------
    settings
        Sizes and times.
    cache
        "none": each rank compiles. "local": a cache folder on each node.
        "shared": one folder for all. "shared, no locks": the same on a file
        system without locks. "broadcast": rank 0 compiles, and MPI broadcasts
        the result.
    """
    nodes = -(-settings.ranks // settings.per_node)
    servers = [Server(settings.local) for _ in range(nodes)]
    world = World(settings, cache, Server(settings.shared), servers)
    ranks = [_rank(world, rank) for rank in range(settings.ranks)]
    events = [(next(steps), rank) for rank, steps in enumerate(ranks)]
    heapq.heapify(events)
    now = 0.0
    while events:
        now, rank = heapq.heappop(events)
        try:
            wait = ranks[rank].send(now)
        except StopIteration:
            continue
        heapq.heappush(events, (now + wait, rank))
    return world.compilations, now, world.shared.requests


def main() -> None:
    """Print the table."""
    known = Settings()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("ranks", "per_node", "kernels"):
        parser.add_argument(
            name, type=int, nargs="?", default=getattr(known, name)
        )
    parser.add_argument("--processors", type=int, default=known.processors)
    for name in ("start", "compile", "shared"):
        parser.add_argument(
            f"--{name}", type=float, default=getattr(known, name)
        )
    settings = Settings(**vars(parser.parse_args()))
    print(f"{settings.ranks} ranks, {settings.kernels} kernels")
    print("| cache | compilations | seconds | shared requests |")
    print("|---|---:|---:|---:|")
    for cache in CACHES:
        count, seconds, requests = simulate(settings, cache)
        print(f"| {cache} | {count} | {seconds:.2f} | {requests} |")


if __name__ == "__main__":
    main()
