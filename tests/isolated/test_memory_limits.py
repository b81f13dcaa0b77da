"""Programs that allocate all memory reported as free, under limits."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

HEAD = """
import resource, sys
import numpy as np
import pycuda.driver as drv

def limit(name, room):
    used = {"RLIMIT_AS": 0, "RLIMIT_DATA": 5}[name]
    pages = int(open("/proc/self/statm").read().split()[used])
    value = pages * resource.getpagesize() + room
    resource.setrlimit(getattr(resource, name), (value, value))

def fill(free):
    '''All of it, one allocation after the other, each touched.'''
    try:
        while True:
            filled.append(drv.mem_alloc(step))
            drv.memset_d8(filled[-1], 1, step)
    except drv.MemoryError as error:
        return len(filled) * step, str(error)

step = 8 << 20
filled = []
"""


def child(code, **variables):
    done = subprocess.run(
        [sys.executable, "-c", HEAD + code],
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
        env={**os.environ, "PYCUDA_CPU_THREADS": "1", **variables},
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout


UNDER_A_LIMIT = """
limit({name!r}, 600 << 20)
drv.init()
context = drv.Device(0).make_context()
free, total = drv.mem_get_info()
assert 100 << 20 < free < 600 << 20 < total, (free, total)
taken, text = fill(free)
assert free * 0.9 < taken <= free, (taken, free)
assert {name!r} + " of the process is" in text, text
assert "out of memory" in text and "8388608 bytes requested" in text
rest = drv.mem_get_info()[0]
assert rest < 2 * step, rest
assert rest <= free - taken + (1 << 20), (rest, free, taken)
# Python itself may allocate memory between the two readings.
said = int(text.split("the device has ")[1].split(" free")[0])
assert abs(rest - said) <= 2 << 20, (rest, text)
"""


@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_limits_of_the_process(name):
    child(UNDER_A_LIMIT.format(name=name))


def test_no_addresses_at_all():
    child(
        """
drv.init()
context = drv.Device(0).make_context()
limit("RLIMIT_AS", 4 << 20)
assert drv.mem_get_info()[0] == 0
try:
    drv.mem_alloc(32)
except drv.MemoryError as error:
    text = str(error)
assert "RLIMIT_AS of the process is" in text, text
assert "32 bytes requested; the device has 0 free" in text, text
"""
    )


def test_a_size_of_the_users():
    code = """
drv.init()
context = drv.Device(0).make_context()
free, total = drv.mem_get_info()
assert (free, total) == (300 << 20, 300 << 20), (free, total)
memory = drv.mem_alloc(100 << 20)
assert drv.mem_get_info() == (200 << 20, total)
memory.free()
assert drv.mem_get_info() == (free, total)
"""
    child(code, PYCUDA_CPU_MEMORY="300M")
    code = "drv.init(); print(drv.Device(0).total_memory())"
    assert child(code, PYCUDA_CPU_MEMORY="123456789") == "123456789\n"
    assert child(code, PYCUDA_CPU_MEMORY="2G") == f"{2 << 30}\n"
    wrong = """
try:
    drv.init()
except drv.Error:
    sys.exit(0)
sys.exit(1)
"""
    for text in ("much", "-5", "5X", "5MB", "0", "99999999999G"):
        child(wrong, PYCUDA_CPU_MEMORY=text)


def test_devices_share_what_is_there():
    child(
        """
drv.init()
limit("RLIMIT_DATA", 600 << 20)
first = drv.Device(0).make_context()
free, total = drv.mem_get_info()
memory = drv.mem_alloc(200 << 20)
first.pop()
second = drv.Device(1).make_context()
left, _ = drv.mem_get_info()
assert 190 << 20 < free - left < 230 << 20, (free, left)
""",
        PYCUDA_CPU_DEVICES="2",
    )


def test_variables_of_modules_count():
    child(
        """
from pycuda.compiler import SourceModule
drv.init()
context = drv.Device(0).make_context()
limit("RLIMIT_DATA", 300 << 20)
try:
    SourceModule("__device__ char big[400 << 20];\\n"
                 "__global__ void k(int i) { big[i] = 1; }")
    sys.exit(1)
except drv.MemoryError as error:
    text = str(error)
assert "out of memory" in text and "RLIMIT_DATA" in text, text
"""
    )


# ---- a control group of the system ----


def new_group(limit):
    """Create a control group with a limit in bytes; skip if impossible."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if names.split(",") == ["memory"]:
            top, name = Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"
        elif (
            names == "" and Path("/sys/fs/cgroup/cgroup.controllers").exists()
        ):
            top, name = Path("/sys/fs/cgroup"), "memory.max"
        else:
            continue
        for parent in (top / path.lstrip("/"), top):
            folder = parent / f"pycuda-test-{os.getpid()}"
            try:
                folder.mkdir()
            except OSError:
                continue
            try:
                (folder / name).write_text(f"{limit}\n")
                return folder
            except OSError:
                folder.rmdir()
    pytest.skip("no cgroup can be made here")


@pytest.fixture
def group():
    folder = new_group(500 << 20)
    inner = folder / "inner"
    try:
        inner.mkdir()
        yield inner
    finally:
        if inner.exists():
            inner.rmdir()
        folder.rmdir()


@pytest.mark.slow
def test_a_group_of_the_systems(group):
    """No process is killed, whether it fills memory immediately or later."""
    child(
        f"""
import os
open("{group}/cgroup.procs", "w").write(str(os.getpid()))
drv.init()
context = drv.Device(0).make_context()
free, total = drv.mem_get_info()
assert total == 500 << 20, total
assert 200 << 20 < free < 500 << 20, free
one = drv.mem_alloc(int(free * 0.95))          # untouched
left = drv.mem_get_info()[0]
assert left < free * 0.06, (free, left)
try:
    drv.mem_alloc(100 << 20)
    sys.exit(1)
except drv.MemoryError as error:
    assert "of the cgroup" in str(error), error
drv.memset_d8(one, 1, int(free * 0.95))        # the killer stays away
assert abs(drv.mem_get_info()[0] - left) < 40 << 20
one.free()
assert abs(drv.mem_get_info()[0] - free) < 40 << 20
taken, text = fill(free)
assert free * 0.85 < taken < free * 1.05, (taken, free)
assert "of the cgroup" in text, text
# Fills that still run do not hide the memory that they will touch.
for _ in range(5):
    held, stream = [], drv.Stream()
    try:
        while True:
            held.append(drv.mem_alloc(8 << 20))
            drv.memset_d8_async(int(held[-1]), 1, 8 << 20, stream)
    except drv.MemoryError:
        assert len(held) << 23 < free * 1.02, (len(held), free)
    stream.synchronize()
    del held
pinned = drv.pagelocked_empty
try:
    pinned(100 << 20, np.uint8)
    sys.exit(2)
except drv.MemoryError as error:
    assert "of the cgroup" in str(error), error
""",
    )
