"""The CPU device uses only the CPUs and memory that a process may use."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TELL = """
import os
import pycuda.autoinit
import pycuda.driver as drv
device = drv.Device(0)
print(device.multiprocessor_count, device.total_memory() >> 20)
"""
LIMITED = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
LIMITED += ['mount --bind "$0" /sys/fs/cgroup && exec "$@"']

pytestmark = pytest.mark.cpu


TOGETHER = """
import pycuda.autoinit
import pycuda.driver as drv
small = [drv.mem_alloc(256) for _ in range(2000)]
for one in small[::2]:
    one.free()
small += [drv.mem_alloc(256) for _ in range(1000)]
places = [int(one) for one in small[1:2000:2] + small[2000:]]
assert len(set(places)) == 2000
print(max(places) - min(places), 0)
"""
GUARDED = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

def mappings():
    with open("/proc/self/maps") as maps:
        return sum(1 for line in maps)

deep = SourceModule('''
__device__ __noinline__ int down(int *x, int n)
{ return n ? down(x, n - 1) + x[n] : 0; }
__global__ void deep(int *x, int n)
{
    int sum = down(x, n);
    __syncthreads();
    x[threadIdx.x] = sum;
}
''').get_function("deep")
memory = drv.to_device(np.zeros(256, np.int32))
before = mappings()
deep(memory, np.int32(9), block=(256, 1, 1))
drv.Context.synchronize()
print(mappings() - before, 0)
"""


def told(*before: str | Path, code: str = TELL) -> tuple[int, int]:
    """Return the device's processor count and MiB, in a separate process."""
    env = {k: v for k, v in os.environ.items() if k != "PYCUDA_CPU_THREADS"}
    done = subprocess.run(
        [*before, sys.executable, "-P", "-W", "ignore", "-c", code],
        env=env | {"PYCUDA_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode and "Operation not permitted" in done.stderr:
        pytest.skip("no namespaces here")
    assert done.returncode == 0, done.stderr
    processors, mebibytes = map(int, done.stdout.split())
    return processors, mebibytes


@pytest.fixture
def processors() -> int:
    count = len(os.sched_getaffinity(0))
    if count < 2:
        pytest.skip("one processor")
    return count


@pytest.mark.skipif(shutil.which("taskset") is None, reason="no taskset")
def test_processors_that_it_may_run_on(processors: int) -> None:
    one, *_ = os.sched_getaffinity(0)
    assert told("taskset", "-c", str(one))[0] == 1


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare")
@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"cpu.max": "100000 100000\n"}, 1),
        ({"cpu.max": "40000 100000\n"}, 1),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu.cfs_quota_us": "120000", "cpu.cfs_period_us": "100000"}, 1),
        ({"cpu.cfs_quota_us": "-1", "cpu.cfs_period_us": "100000"}, None),
        ({"cpu.cfs_quota_us": "100000"}, None),
        ({}, None),
    ],
)
def test_quota_of_a_container(
    files: dict, wanted: int | None, processors: int, tmp_path: Path
) -> None:
    (tmp_path / "cpu").mkdir()
    for name, text in files.items():
        folder = "" if name == "cpu.max" else "cpu"
        (tmp_path / folder / name).write_text(text)
    assert told(*LIMITED, tmp_path)[0] == (wanted or processors)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare")
@pytest.mark.parametrize(
    "name", ["memory.max", "memory/memory.limit_in_bytes"]
)
def test_memory_of_a_container(name: str, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / name).write_text(f"{512 << 20}\n")
    limited, all_of_it = told(*LIMITED, tmp_path)[1], told()[1]
    assert limited <= 512 < all_of_it


def test_small_pieces_of_memory_lie_together() -> None:
    """Small allocations are adjacent and reuse freed space."""
    assert told(code=TOGETHER)[0] < 1 << 20  # bytes


def test_stacks_of_threads_that_recurse_go_with_the_launch() -> None:
    """Each stack needs a guard mapping, and a process has a limited number."""
    assert told(code=GUARDED)[0] < 100
