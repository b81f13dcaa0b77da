"""The C twin, in the process that it is compared with.

As a program it prints the processors with the fastest launches.

SPDX-License-Identifier: MIT
"""

import ctypes
import json
import os
from collections.abc import Callable

from common import best_of, build_c

MEASURES = ("launch", "round trip", "copy in", "copy out")


def device_kind() -> str:
    """Return the device of `import pycuda`: "gpu" or "cpu"."""
    import pycuda.driver as cuda
    from pycuda import _driver

    cuda.init()
    return _driver._device_kind()


def cpu_library() -> str | None:
    """Return the CPU device's library, if the package runs on it."""
    import pycuda

    if device_kind() == "gpu":
        return None
    package = os.path.dirname(pycuda.__file__)
    return os.environ.get(
        "PYCUDA_CPU_LIBRARY", os.path.join(package, "lib/libpycuda_cpu.so")
    )


class Twin:
    """`twins/launch_twin.c` in the thread's current context."""

    def __init__(self) -> None:
        path = build_c("twins/launch_twin.c", "-O2", shared=True)
        self._library = ctypes.CDLL(str(path))
        self._library.twin_measure.restype = ctypes.c_double
        self.open()

    def open(self) -> None:
        """Use the current context of the calling thread, from this thread."""
        library = cpu_library()
        self._library.twin_open(library.encode() if library else None)

    def measure(self, what: str) -> float:
        """Return microseconds of one operation, over 1000 in a row."""
        return self._library.twin_measure(MEASURES.index(what))

    def quiet_cores(self) -> list[int]:
        """Return processors, the one with the fastest launches first."""
        may = os.sched_getaffinity(0)
        best = dict.fromkeys(may, float("inf"))
        for _ in range(3):
            for core in may:
                os.sched_setaffinity(0, {core})
                launch = min(self.measure("launch") for _ in range(3))
                best[core] = min(best[core], launch)
        os.sched_setaffinity(0, may)
        return sorted(may, key=best.__getitem__)


def take_turns(
    calls: dict[str, str],
    finish: Callable[[], object],
    rounds: int,
    names: dict[str, object],
    beside: dict[str, str | None],
) -> dict[str, float | list[float]]:
    """Return the least microseconds of the twin's operations and of `calls`.

    The twin's are named ``raw launch``, ``raw copy in`` and so on.  `calls`
    are statements with `names`.  ``above ROW`` has for each round the figure
    of a row minus that of the twin's operation that `beside` assigns to it.

    A round measures every operation 1000 times in a row: all see the same
    machine.
    """
    twin = Twin()
    raw = dict.fromkeys(MEASURES, float("inf"))
    ours = dict.fromkeys(calls, float("inf"))
    above: dict[str, list[float]] = {row: [] for row in calls if beside[row]}
    for _ in range(rounds):
        now = {what: twin.measure(what) for what in MEASURES}
        raw = {what: min(raw[what], now[what]) for what in MEASURES}
        for row, call in calls.items():
            time = best_of(call, finish, 1, names=names)
            ours[row] = min(ours[row], time)
            if row in above:
                above[row].append(time - now[beside[row]])
    return (
        ours
        | {f"raw {what}": raw[what] for what in MEASURES}
        | {f"above {row}": above[row] for row in above}
    )


if __name__ == "__main__":
    import pycuda.driver as cuda
    from pycuda.tools import make_default_context

    cuda.init()
    context = make_default_context()
    print(json.dumps(Twin().quiet_cores()))
    context.pop()
