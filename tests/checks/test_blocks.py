"""The race check for blocks that run in parallel on many threads."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import pytest
from test_behaviour import HEAD, run
from test_checks import HERE, _cases, run_cases

THREADS = "8"  # a fixed number of threads, independent of the processors

pytestmark = pytest.mark.cpu


@pytest.fixture(scope="session")
def found_in_blocks(tmp_path_factory):
    return run_cases(
        HERE / "cases_right_blocks.py",
        "memory,race,continue",
        tmp_path_factory.mktemp("blocks"),
        threads=THREADS,
    )


@pytest.mark.parametrize(
    "name", [case["name"] for case in _cases("right_blocks").CASES]
)
def test_right_blocks(found_in_blocks, name):
    assert found_in_blocks[name] == []


@pytest.fixture(scope="session")
def found_in_bytes(tmp_path_factory):
    return run_cases(
        HERE / "cases_race_bytes.py",
        "race,continue",
        tmp_path_factory.mktemp("bytes"),
    )


@pytest.mark.parametrize(
    "name", [case["name"] for case in _cases("race_bytes").CASES]
)
def test_races_of_bytes(found_in_bytes, name):
    assert {row["kind"] for row in found_in_bytes[name]} == {"block-race"}


# Block 0 has recorded all writes of its loop before the first iteration; block
# 1 writes to the last of these words long before that iteration.
IN_FLIGHT = (
    HEAD
    + """
SOURCE = '''
__global__ void k(float *out, int *flag, int n, float value)
{
    if (blockIdx.x == 0) {
        atomicExch(flag, 1);
        for (int i = 0; i < n; i++) {
            double v = i;
            for (int j = 0; j < 50; j++) v = 1 / (v + 2);
            for (int j = 0; j < 50; j++) v = 1 / (v + 3);
            for (int j = 0; j < 50; j++) v = 1 / (v + 4);
            out[i] = v == 7 ? 2 : 1;
        }
    } else {
        while (atomicAdd(flag, 0) == 0) { }
        __nanosleep(5000000);
        out[n - 1] = value;
    }
}'''
n = 1 << 19
out, flag = drv.mem_alloc(4 * n), drv.mem_alloc(4)
kernel = SourceModule(SOURCE).get_function("k")
for _ in range(3):
    drv.memset_d32(out, 0, n)
    drv.memset_d32(flag, 0, 1)
    kernel(out, flag, np.int32(n), np.float32(VALUE), grid=(2, 1),
           block=(1, 1, 1))
    drv.Context.synchronize()
"""
)


@pytest.mark.no_sanitizer  # the check before the loop would take too long
@pytest.mark.parametrize(("value", "reported"), [("1", False), ("2", True)])
def test_what_is_not_written_yet(value, reported, tmp_path):
    program = IN_FLIGHT.replace("VALUE", value)
    done, rows = run(
        program, "race,continue", tmp_path, PYCUDA_CPU_THREADS="2"
    )
    assert done.returncode == 0, done.stderr
    assert bool(rows) is reported


# The second launch is enqueued while the first one still reads.
QUEUED = (
    HEAD
    + """
READ = '''__global__ void k(int *out, const int *in, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += i ^ out[64 + i % 7];
    out[threadIdx.x + 80 * blockIdx.x] = in[threadIdx.x] + sum;
}'''
RACE = '''__global__ void k(int *out, int *in)
{
    if (blockIdx.x == 0) out[threadIdx.x] = in[threadIdx.x];
    else in[threadIdx.x] = 1;
}'''
read, race = (SourceModule(s).get_function("k") for s in (READ, RACE))
memory = drv.mem_alloc(4096)
drv.memset_d32(memory, 0, 1024)
for _ in range(20):
    read(memory, np.uintp(int(memory) + 2048), np.int32(20000), grid=(2, 1),
         block=(64, 1, 1))
race(memory, np.uintp(int(memory) + 2048), grid=(2, 1), block=(64, 1, 1))
drv.Context.synchronize()
"""
)


def test_launches_that_wait_for_others(tmp_path):
    done, rows = run(QUEUED, "race,continue", tmp_path, PYCUDA_CPU_THREADS="1")
    assert done.returncode == 0, done.stderr
    assert [row["kind"] for row in rows] == ["block-race"]


MANY = (
    HEAD
    + """
SOURCES = [
    "__global__ void k(int *o) { *o = blockIdx.x; }",
    "__global__ void k(int *o) { o[threadIdx.x] = blockIdx.x; }",
    "__global__ void k(int *o) { o[threadIdx.x] = blockIdx.x == 250; }",
    "__global__ void k(int *o) { o[threadIdx.x * threadIdx.x % 64] ="
    " 5 + (blockIdx.x == 490); }",
    "__global__ void k(long long *o) { *o = (1ll << blockIdx.x % 62); }",
    "__global__ void k(int *o) { o[0] += 1; }",
]
memory = drv.mem_alloc(4096)
for source in SOURCES:
    kernel = SourceModule(source).get_function("k")
    for _ in range(10):
        drv.memset_d32(memory, 0, 1024)
        kernel(memory, grid=(500, 1), block=(64, 1, 1))
        drv.Context.synchronize()
"""
)


def test_different_values_are_reported(tmp_path):
    done, rows = run(MANY, "race,continue", tmp_path, PYCUDA_CPU_THREADS="8")
    assert done.returncode == 0, done.stderr
    assert len(rows) >= 60  # one or two kinds for each launch
    assert {row["check"] for row in rows} == {"race"}
