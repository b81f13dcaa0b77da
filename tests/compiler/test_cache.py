"""The cache of compiled images, without a compiler."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
import threading

import pytest

from pycuda._compile import cache

KEY, COMPILER = "0" * 40, "c" * 16


def entry(folder):
    return folder / f"{KEY}-{COMPILER}.cubin"


def test_what_is_stored_is_loaded(tmp_path):
    folder = str(tmp_path / "made" / "on" / "demand")
    assert cache.load(folder, KEY, COMPILER, "cubin") is None
    cache.store(folder, KEY, COMPILER, "cubin", b"image")
    assert cache.load(folder, KEY, COMPILER, "cubin") == b"image"
    assert cache.load(folder, KEY, COMPILER, "ptx") is None
    assert cache.load(folder, KEY, "d" * 16, "cubin") is None
    assert len(os.listdir(folder)) == 1


@pytest.mark.parametrize("length", [0, 7, 20, 40, -1])
def test_a_torn_entry_is_a_miss(tmp_path, length):
    cache.store(str(tmp_path), KEY, COMPILER, "cubin", b"image" * 10)
    whole = entry(tmp_path).read_bytes()
    entry(tmp_path).write_bytes(whole[:length])
    assert cache.load(str(tmp_path), KEY, COMPILER, "cubin") is None


def test_a_changed_byte_is_a_miss(tmp_path):
    cache.store(str(tmp_path), KEY, COMPILER, "cubin", b"image")
    whole = bytearray(entry(tmp_path).read_bytes())
    whole[-1] ^= 1
    entry(tmp_path).write_bytes(whole)
    assert cache.load(str(tmp_path), KEY, COMPILER, "cubin") is None


def test_a_folder_that_cannot_be_made_warns_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    folder = str(tmp_path / "file" / "cache")
    with pytest.warns(UserWarning, match="PYCUDA_CACHE_DIR") as caught:
        cache.store(folder, KEY, COMPILER, "cubin", b"image")
        cache.store(folder, KEY, COMPILER, "cubin", b"image")
    assert len(caught) == 1


def test_a_read_only_folder_in_front(tmp_path, monkeypatch):
    shipped, own = tmp_path / "shipped", tmp_path / "own"
    cache.store(str(shipped), KEY, "other compiler", "cubin", b"shipped")
    monkeypatch.setenv("PYCUDA_CACHE_READONLY", str(shipped))
    assert cache.load(str(own), KEY, COMPILER, "cubin") == b"shipped"
    assert cache.load(str(own), "1" * 40, COMPILER, "cubin") is None


def test_which_folder(monkeypatch, tmp_path):
    for name in ("PYCUDA_CACHE_DIR", "PYCUDA_DISABLE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.directory(None).startswith(str(tmp_path / "pycuda-c"))
    monkeypatch.setenv("PYCUDA_CACHE_DIR", "/named")
    assert cache.directory(None) == "/named"
    assert cache.directory("/argument") == "/argument"
    assert cache.directory(False) is None
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "")
    assert cache.directory("/argument") is None


def test_many_writers_and_readers(tmp_path):
    image = b"x" * 100_000
    bad = []

    def work():
        for _ in range(10):
            cache.store(str(tmp_path), KEY, COMPILER, "cubin", image)
            if cache.load(str(tmp_path), KEY, COMPILER, "cubin") != image:
                bad.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not bad
    assert os.listdir(tmp_path) == [entry(tmp_path).name]


def test_a_writer_that_is_killed_leaves_no_torn_entry(tmp_path):
    code = (
        "import os, sys\n"
        "from pycuda._compile import cache\n"
        "os.fsync = lambda fd: os._exit(9)\n"
        f"cache.store({str(tmp_path)!r}, {KEY!r}, {COMPILER!r}, 'cubin', "
        "b'image')\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], check=False)
    assert done.returncode == 9
    assert cache.load(str(tmp_path), KEY, COMPILER, "cubin") is None


def test_the_identity_follows_the_compiler(tmp_path, monkeypatch):
    library = tmp_path / "libpycuda_cpu.so"
    library.write_bytes(b"one")
    monkeypatch.setenv("PYCUDA_CPU_LIBRARY", str(library))
    first = cache.compiler_identity.__wrapped__(False)
    library.write_bytes(b"another")
    assert cache.compiler_identity.__wrapped__(False) != first
