"""One cache folder, many processes, some of which are killed."""

# SPDX-License-Identifier: MIT

import itertools
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pycuda._compile import cache, cache_trim

pytestmark = pytest.mark.alone

WORKER = Path(__file__).parent / "cache_worker.py"


def start(folder, kernels, environment=()):
    return subprocess.Popen(
        [sys.executable, "-P", str(WORKER), str(kernels)],
        env={
            **{k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
            "PYCUDA_CACHE_DIR": str(folder),
            **dict(environment),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def damaged(folder):
    """Return entries that are incomplete."""
    return [
        entry.name
        for entry in cache_trim.entries(str(folder))
        if cache.read(str(folder), entry.name) is None
    ]


def crowd(folder, processes, victims, kernels, seed):
    """Start processes, kill some, and return the errors of the others."""
    chance = random.Random(seed)
    started = [start(folder, kernels) for _ in range(processes)]
    doomed = chance.sample(started, victims)
    for process in doomed:
        time.sleep(chance.uniform(0, 1.5 / victims))
        process.send_signal(signal.SIGKILL)
    wrong = []
    for process in started:
        _, errors = process.communicate(timeout=280)
        if process not in doomed and process.returncode:
            wrong.append((process.returncode, errors))
    return wrong


def check_crowd(folder, processes, victims, kernels, seed):
    assert crowd(folder, processes, victims, kernels, seed) == []
    assert damaged(folder) == []
    stored = {entry.name for entry in cache_trim.entries(str(folder))}
    assert len(stored) == kernels
    # A later process uses the entries and adds none.
    process = start(folder, kernels)
    _, errors = process.communicate(timeout=280)
    assert process.returncode == 0, errors
    assert {e.name for e in cache_trim.entries(str(folder))} == stored


@pytest.mark.slow
def test_8_processes_of_which_3_are_killed(tmp_path):
    check_crowd(tmp_path / "cold", 8, 3, 4, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_64_processes_of_which_24_are_killed(tmp_path):
    check_crowd(tmp_path / "cold", 64, 24, 6, seed=2)


KEYS = [f"{number:040x}" for number in range(4)]


def content_of(key):
    return key.encode() * 20_000  # 0.8 MB: several writes


def write_for_ever(folder, seed):
    chance = random.Random(seed)
    while True:
        key = chance.choice(KEYS)
        cache.store(folder, key, "c" * 16, "cubin", content_of(key))


@pytest.mark.slow
def test_writers_killed_in_the_middle(tmp_path):
    """Readers see either a complete entry or none."""
    folder = str(tmp_path)
    make = multiprocessing.get_context("fork").Process
    chance = random.Random(3)
    read, left = 0, []
    for seed in itertools.count():
        writer = make(target=write_for_ever, args=(folder, seed))
        writer.start()
        until = time.monotonic() + chance.uniform(0.02, 0.1)
        while time.monotonic() < until:
            for key in KEYS:
                found = cache.load(folder, [key], "c" * 16, "cubin")
                assert found in (None, content_of(key))
                read += found is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        assert damaged(folder) == []
        left = [n for n in os.listdir(folder) if n.startswith(".")]
        if seed >= 25 and read and left:  # writers were killed during a write
            break
    for name in left:
        os.utime(os.path.join(folder, name), (0, 0))
    assert cache_trim.run(folder, None) == len(left)


COMPILERS = {
    "PYCUDA_CLANG": "/nonexistent/clang",
    "PYCUDA_JIT": "/nonexistent/pycuda-jit",
    "PYCUDA_ZIGLANG": "/nonexistent",
    "PYCUDA_NVRTC": "/nonexistent/libnvrtc.so",
    "PATH": "/nonexistent",
}


def test_an_exported_folder_needs_no_compiler(tmp_path):
    # an entry for an older processor is valid on newer ones too
    first = start(tmp_path / "own", 3, {"PYCUDA_CPU_TARGET": "x86-64-v3"})
    assert first.communicate()[1] is not None and first.returncode == 0
    shipped = tmp_path / "shipped"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pycuda.compiler", "export",
         "--cache", str(tmp_path / "own"), str(shipped)],
        capture_output=True,
        text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.startswith("3 kernels copied")
    for path in (shipped, *shipped.iterdir()):
        path.chmod(0o555)
    before = sorted(os.listdir(shipped))
    without = start(tmp_path / "empty", 3, COMPILERS)
    assert without.communicate()[1] and without.returncode == 1
    served = start(
        tmp_path / "empty",
        3,
        {**COMPILERS, "PYCUDA_CACHE_READONLY": str(shipped)},
    )
    _, errors = served.communicate()
    assert served.returncode == 0, errors
    assert sorted(os.listdir(shipped)) == before
    assert cache_trim.entries(str(tmp_path / "empty")) == []
