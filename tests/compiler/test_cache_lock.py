"""One compilation per entry, of many threads and processes."""

# SPDX-License-Identifier: MIT

import contextlib
import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pycuda._compile import cache, cache_lock, cache_trim, job

WORKER = Path(__file__).parent / "cache_worker.py"
KEY, COMPILER = "a" * 40, "b" * 16
NAME = f"{KEY}-{COMPILER}.cubin"


def make_entry(folder, make):
    return job.cached(folder, [KEY], COMPILER, "cubin", make)


def in_threads(count, folder, make):
    """Call `make_entry` in many threads; return results and exceptions."""
    results = []

    def work():
        try:
            results.append(make_entry(folder, make))
        except RuntimeError as error:
            results.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class Maker:
    """A compilation that counts its calls, and how many run concurrently.

    With `parties`, it ends when so many calls run.
    """

    def __init__(self, content=b"image", parties=1):
        self.content, self.calls, self.running, self.most = content, 0, 0, 0
        self.lock = threading.Lock()
        self.gate = threading.Barrier(parties)

    def __call__(self):
        with self.lock:
            self.calls += 1
            self.running += 1
            self.most = max(self.most, self.running)
        self.gate.wait(30)
        time.sleep(0.1)
        with self.lock:
            self.running -= 1
        if self.content is None:
            raise RuntimeError("refused")
        return self.content


def leftovers(folder):
    return [name for name in os.listdir(folder) if name != NAME]


def test_one_of_many_makes_an_entry(tmp_path):
    make = Maker()
    results = in_threads(8, str(tmp_path), make)
    assert make.calls == 1
    assert sorted(results) == [(b"image", False)] + 7 * [(b"image", True)]
    assert leftovers(tmp_path) == []


def test_failures_do_not_wait_for_each_other(tmp_path):
    make = Maker(None)
    start = time.monotonic()
    assert in_threads(8, str(tmp_path), make) == 8 * ["refused"]
    assert make.calls == 8 and make.most > 1
    assert time.monotonic() - start < 0.6
    assert leftovers(tmp_path) == []


def test_an_entry_that_cannot_be_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "store", lambda *args: None)
    make = Maker()
    assert in_threads(8, str(tmp_path), make) == 8 * [(b"image", False)]
    assert make.most > 1


HOLDER = """
import sys, time
from pycuda._compile import cache_lock
with cache_lock.only_one(sys.argv[1], sys.argv[2], lambda: None):
    print("held", flush=True)
    time.sleep(60)
"""


@contextlib.contextmanager
def other_owner(folder):
    """Let another process own the lock of the entry."""
    command = [sys.executable, "-P", "-c", HOLDER, str(folder), NAME]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_killed_owner_is_replaced_by_one(tmp_path):
    make = Maker()
    with other_owner(tmp_path) as process:
        killer = threading.Timer(0.3, process.kill)
        killer.start()
        start = time.monotonic()
        results = in_threads(4, str(tmp_path), make)
        assert 0.2 < time.monotonic() - start < 5
        killer.join()
    assert make.calls == 1 and len(results) == 4
    assert leftovers(tmp_path) == []


def test_a_stopped_owner_is_waited_for_within_the_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_WAIT", "0.4")
    make = Maker()
    with other_owner(tmp_path) as process:
        process.send_signal(signal.SIGSTOP)
        start = time.monotonic()
        assert make_entry(str(tmp_path), make) == (b"image", False)
        assert 0.4 < time.monotonic() - start < 5


def no_locks(*args):
    raise OSError(errno.ENOLCK, "No locks available")


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", no_locks)
    make = Maker(parties=4)
    results = in_threads(4, str(tmp_path), make)
    assert make.calls == 4 and len(results) == 4


def test_no_waiting(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_WAIT", "0")
    make = Maker(parties=4)
    in_threads(4, str(tmp_path), make)
    assert make.calls == 4


def test_a_wrong_limit_is_a_warning(monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_WAIT", "soon")
    with pytest.warns(UserWarning, match=r"PYCUDA_CACHE_WAIT is 'soon'.*120"):
        assert cache_lock.limit() == 120


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path):
    target = tmp_path / "target"
    (tmp_path / cache_trim.lock_name(NAME)).symlink_to(target)
    assert make_entry(str(tmp_path), Maker()) == (b"image", False)
    assert not target.exists()


def test_abandoned_locks_are_removed(tmp_path):
    path = tmp_path / cache_trim.lock_name(NAME)
    path.touch()
    cache_trim.run(str(tmp_path), None)
    assert path.exists()
    os.utime(path, (0, 0))
    cache_trim.run(str(tmp_path), None)
    assert not path.exists()


def cold_start(folder, processes, kernels):
    """Start processes on one folder; return how often each compiled."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    environment["PYCUDA_CACHE_DIR"] = str(folder)
    started = [
        subprocess.Popen(
            [sys.executable, "-P", str(WORKER), str(kernels)],
            env=environment, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(processes)
    ]  # fmt: skip
    counts = [p.communicate(timeout=280)[0] for p in started]
    assert [p.returncode for p in started] == [0] * processes
    return [int(count) for count in counts]


def test_6_processes_on_a_cold_cache(tmp_path):
    assert sum(cold_start(tmp_path / "cold", 6, 2)) == 2


@pytest.mark.slow
def test_32_processes_on_a_cold_cache(tmp_path):
    assert sum(cold_start(tmp_path / "cold", 32, 4)) == 4
