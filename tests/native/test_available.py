"""Free memory as the CPU device determines it, on simulated machines.

A machine is a set of files of /proc and /sys/fs/cgroup; a program compiled
from the product's `available.c` reads them from a temporary folder.
"""

# SPDX-License-Identifier: MIT

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
PROGRAM = r"""
#include <stdio.h>

#include "cpu/memory/available.h"

int
main(int argc, char **argv)
{
    struct cpu_available found;

    if (argc != 2) {
        return 2;
    }
    cpu_available_read(argv[1], &found);
    printf("%llu\n%s\n%llu\n%s\n%llu\n%llu\n",
           (unsigned long long)found.pages.bytes, found.pages.source,
           (unsigned long long)found.mappings.bytes, found.mappings.source,
           (unsigned long long)found.total, (unsigned long long)found.reserve);
    return 0;
}
"""

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
]


class Found(NamedTuple):
    pages: int
    source: str
    mappings: int
    mappings_source: str
    total: int
    reserve: int


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("available") / "available"
    code = path.with_suffix(".c")
    code.write_text(PROGRAM)
    subprocess.run(
        ["cc", "-Wall", "-Werror", "-D_GNU_SOURCE", f"-I{ROOT}/src", code,
         ROOT / "src/cpu/memory/available.c", "-o", path],
        check=True,
    )  # fmt: skip
    return path


class Machine:
    """A folder with the system's files."""

    def __init__(self, root, program):
        self.root, self.program = root, program
        self.write("/proc/self/statm", "1000 500 100 10 0 400 0\n")
        self.memory(total=8192 * MIB, available=6000 * MIB)

    def write(self, path, text):
        place = Path(f"{self.root}{path}")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def memory(self, total, available, limit=0, taken=0, mode=0):
        self.write(
            "/proc/meminfo",
            f"MemTotal: {total >> 10} kB\nMemFree: 1 kB\n"
            f"MemAvailable:   {available >> 10} kB\n"
            f"CommitLimit: {limit >> 10} kB\nCommitted_AS: {taken >> 10} kB\n",
        )
        self.write("/proc/sys/vm/overcommit_memory", f"{mode}\n")

    def mounts(self, *lines):
        begin = "22 1 0:21 / / rw - ext4 /dev/sda rw\n"
        self.write(
            "/proc/self/mountinfo",
            begin
            + "".join(f"3{i} 22 0:3{i} {s}\n" for i, s in enumerate(lines)),
        )

    def group(self, folder, limit, used, cache=0, version=2, high="max"):
        names = {
            1: ("memory.limit_in_bytes", "memory.usage_in_bytes",
                "total_inactive_file"),
            2: ("memory.max", "memory.current", "inactive_file"),
        }[version]  # fmt: skip
        self.write(f"{folder}/{names[0]}", f"{limit}\n")
        self.write(f"{folder}/{names[1]}", f"{used}\n")
        self.write(
            f"{folder}/memory.stat",
            f"anon 5\ninactive_file_not 7\n{names[2]} {cache}\n",
        )
        if version == 2:
            self.write(f"{folder}/memory.high", f"{high}\n")

    def look(self, **limits):
        import resource

        def limit():
            for name, value in limits.items():
                resource.setrlimit(getattr(resource, name), (value, value))

        done = subprocess.run(
            [self.program, self.root], capture_output=True, text=True,
            check=True, preexec_fn=limit,
        )  # fmt: skip
        lines = done.stdout.split("\n")
        return Found(
            int(lines[0]), lines[1], int(lines[2]), lines[3], int(lines[4]),
            int(lines[5]),
        )  # fmt: skip


@pytest.fixture
def machine(tmp_path, program):
    return Machine(tmp_path, program)


V2 = "/ /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate"
V1 = "/ /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
CPU = "/ /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct"


def reserve(total):
    return total // 64 + 16 * MIB


def test_a_machine_without_groups(machine):
    found = machine.look()
    assert found.total == 8192 * MIB
    assert found.reserve == reserve(8192 * MIB)
    assert found.pages == 6000 * MIB - found.reserve
    assert "MemAvailable" in found.source and str(6000 * MIB) in found.source
    assert found.mappings == 2**64 - 1


def test_a_machine_with_nothing_left(machine):
    machine.memory(total=8192 * MIB, available=100 * MIB)
    assert machine.look().pages == 0


@pytest.mark.parametrize("version", [1, 2])
def test_the_groups_own_limit(machine, version):
    top = "/sys/fs/cgroup" + ("/memory" if version == 1 else "")
    machine.mounts(CPU, V1 if version == 1 else V2)
    machine.write(
        "/proc/self/cgroup",
        "5:cpu,cpuacct:/else\n4:memory:/a/b\n"
        if version == 1
        else "0::/a/b\n",
    )
    limit, used, cache = 2048 * MIB, 900 * MIB, 300 * MIB
    machine.group(f"{top}/a/b", limit, used, cache, version)
    found = machine.look()
    assert found.total == limit
    assert found.pages == limit - (used - cache) - reserve(limit)
    assert f"the cgroup {top}/a/b is {limit} bytes" in found.source
    # A limit above it is smaller, and then the machine's memory is.
    machine.group(f"{top}/a", 1500 * MIB, 1000 * MIB, 0, version)
    found = machine.look()
    assert found.pages == 500 * MIB - reserve(1500 * MIB)
    assert f"the cgroup {top}/a is" in found.source
    assert found.total == 1500 * MIB
    machine.memory(total=8192 * MIB, available=600 * MIB)
    found = machine.look()
    assert "MemAvailable" in found.source
    assert found.pages == 600 * MIB - reserve(8192 * MIB)
    machine.memory(total=8192 * MIB, available=6000 * MIB)
    machine.group(top, 1400 * MIB, 1300 * MIB, 0, version)
    assert f"the cgroup {top} is" in machine.look().source


def test_groups_without_limits(machine):
    machine.mounts(V2, V1)
    machine.write("/proc/self/cgroup", "4:memory:/a\n0::/b\n")
    machine.group("/sys/fs/cgroup/b", "max", 10)
    machine.group("/sys/fs/cgroup/memory/a", 2**63 - 4096, 10, 0, 1)
    assert "MemAvailable" in machine.look().source


def test_the_limit_that_slows_a_group_down(machine):
    machine.mounts(V2)
    machine.write("/proc/self/cgroup", "0::/b\n")
    machine.group("/sys/fs/cgroup/b", "max", 10 * MIB, high=900 * MIB)
    found = machine.look()
    assert found.pages == 890 * MIB - reserve(900 * MIB)
    assert "memory.high" in found.source


def test_both_versions_at_once(machine):
    machine.mounts(V1, "/ /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw")
    machine.write("/proc/self/cgroup", "4:memory:/a\n0::/a\n")
    machine.group("/sys/fs/cgroup/memory/a", 800 * MIB, 0, 0, 1)
    assert machine.look().total == 800 * MIB


def test_a_container_that_sees_its_own_group_at_the_top(machine):
    """Without a cgroup namespace the path is the host's."""
    machine.mounts("/docker/x /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
    machine.write("/proc/self/cgroup", "0::/docker/x/inner\n")
    machine.group("/sys/fs/cgroup", 1000 * MIB, 0)
    machine.group("/sys/fs/cgroup/inner", 700 * MIB, 0)
    assert machine.look().total == 700 * MIB
    machine.write("/proc/self/cgroup", "0::/docker/x\n")
    assert machine.look().total == 1000 * MIB
    machine.write("/proc/self/cgroup", "0::/docker/other\n")
    assert machine.look().total == 1000 * MIB


@pytest.mark.parametrize("version", [1, 2])
def test_a_container_without_a_mount(machine, version):
    """A folder is bound over the mount point, or mountinfo is hidden."""
    top = "/sys/fs/cgroup" + ("/memory" if version == 1 else "")
    machine.mounts("/ /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw")
    machine.write("/proc/self/cgroup", "4:memory:/a\n0::/a\n")
    machine.group(top, 600 * MIB, 0, 0, version)
    assert machine.look().total == 600 * MIB


def test_a_system_that_promises_no_more_than_it_has(machine):
    machine.memory(8192 * MIB, 6000 * MIB, limit=900 * MIB, taken=200 * MIB)
    assert machine.look().mappings == 2**64 - 1
    machine.memory(8192 * MIB, 6000 * MIB, 900 * MIB, 200 * MIB, mode=2)
    found = machine.look()
    assert found.mappings == 700 * MIB
    assert "overcommit_memory" in found.mappings_source


@pytest.mark.no_sanitizer  # ASan reserves more address space than the limit
def test_a_limit_of_the_process(machine):
    found = machine.look(RLIMIT_DATA=1000 * MIB)
    assert found.mappings == 1000 * MIB - 400 * 4096
    assert f"RLIMIT_DATA of the process is {1000 * MIB}" in (
        found.mappings_source
    )


def test_files_that_cannot_be_read(machine):
    shutil.rmtree(f"{machine.root}/proc")
    assert machine.look().pages == 2**64 - 1
    machine.write("/proc/meminfo", "nonsense\n\n:\n")
    machine.write("/proc/self/cgroup", "::\nx\n4:memory\n")
    machine.mounts("broken line", "/ - - cgroup2")
    assert machine.look().pages == 2**64 - 1
