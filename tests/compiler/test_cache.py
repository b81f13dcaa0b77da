"""The cache of compiled images, without a compiler."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
import threading

import pytest

from pycuda._compile import cache, identity

KEY, COMPILER = "0" * 40, "c" * 16


def load(folder, compiler=COMPILER, kind="cubin", keys=(KEY,)):
    return cache.load(str(folder), list(keys), compiler, kind)


def entry(folder):
    return folder / f"{KEY}-{COMPILER}.cubin"


def test_what_is_stored_is_loaded(tmp_path):
    folder = str(tmp_path / "made" / "on" / "demand")
    assert load(folder) is None
    cache.store(folder, KEY, COMPILER, "cubin", b"image")
    assert load(folder) == b"image"
    assert load(folder, kind="ptx") is None
    assert load(folder, "d" * 16) is None
    assert len(os.listdir(folder)) == 1


@pytest.mark.parametrize("length", [0, 7, 20, 40, -1])
def test_a_torn_entry_is_a_miss(tmp_path, length):
    cache.store(str(tmp_path), KEY, COMPILER, "cubin", b"image" * 10)
    whole = entry(tmp_path).read_bytes()
    entry(tmp_path).write_bytes(whole[:length])
    assert load(tmp_path) is None


def test_a_changed_byte_is_a_miss(tmp_path):
    cache.store(str(tmp_path), KEY, COMPILER, "cubin", b"image")
    whole = bytearray(entry(tmp_path).read_bytes())
    whole[-1] ^= 1
    entry(tmp_path).write_bytes(whole)
    assert load(tmp_path) is None


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
    assert load(own) == b"shipped"
    assert load(own, keys=["1" * 40]) is None


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
            if load(tmp_path) != image:
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
    assert load(tmp_path) is None


def test_the_identity_follows_the_compiler(tmp_path, monkeypatch):
    library = tmp_path / "libpycuda_cpu.so"
    library.write_bytes(b"one")
    monkeypatch.setenv("PYCUDA_CPU_LIBRARY", str(library))
    first = identity.compiler.__wrapped__(False)
    library.write_bytes(b"another")
    assert identity.compiler.__wrapped__(False) != first
