"""The cache of compiled images, without a compiler."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
import threading

import pytest

from pycuda._compile import cache, cache_trim, commands, identity

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


@pytest.mark.parametrize("step", ["fdopen", "rename"])
def test_a_writer_that_is_killed_leaves_no_torn_entry(tmp_path, step):
    code = (
        "import os, sys\n"
        "from pycuda._compile import cache\n"
        f"os.{step} = lambda *args: os._exit(9)\n"
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
    first = identity._compiler.__wrapped__(False, ())
    library.write_bytes(b"another")
    assert identity._compiler.__wrapped__(False, ()) != first


def test_an_entry_under_the_name_of_another_is_a_miss(tmp_path):
    cache.store(str(tmp_path), KEY, COMPILER, "cubin", b"image")
    other = "1" * 40
    entry(tmp_path).rename(tmp_path / f"{other}-{COMPILER}.cubin")
    assert load(tmp_path, keys=[other]) is None


def test_the_read_only_folders_take_every_key(tmp_path, monkeypatch):
    one, two = tmp_path / "one", tmp_path / "two"
    keys = ["1" * 40, "2" * 40]
    cache.store(str(one), keys[0], COMPILER, "ptx", b"not this kind")
    cache.store(str(two), keys[1], "other", "cubin", b"second")
    monkeypatch.setenv("PYCUDA_CACHE_READONLY", f"{one}:/nowhere:{two}")
    assert load(tmp_path, keys=keys) == b"second"
    assert load(tmp_path, keys=keys[:1]) is None
    cache.store(str(tmp_path), keys[1], COMPILER, "cubin", b"own")
    monkeypatch.delenv("PYCUDA_CACHE_READONLY")
    assert load(tmp_path, keys=keys) is None  # only its own key


def test_a_used_entry_is_young(tmp_path):
    cache.store(str(tmp_path), KEY, COMPILER, "cubin", b"image")
    os.utime(entry(tmp_path), (1000, 1000))
    assert load(tmp_path) == b"image"
    young = entry(tmp_path).stat().st_mtime
    assert young > 1000
    load(tmp_path)
    assert entry(tmp_path).stat().st_mtime == young


def fill(folder, count, size=1000):
    """Create entries, least recently used first, and return their names."""
    names = []
    for number in range(count):
        key = f"{number:040x}"
        cache.store(str(folder), key, COMPILER, "cubin", b"x" * size)
        names.append(f"{key}-{COMPILER}.cubin")
        os.utime(folder / names[-1], (1000 + number, 1000 + number))
    return names


def test_the_longest_unused_go_first(tmp_path):
    names = fill(tmp_path, 20)
    (tmp_path / "a file of the user's").write_text("stays")
    (tmp_path / "front").mkdir()
    size = (tmp_path / names[0]).stat().st_size
    assert cache_trim.run(str(tmp_path), 20 * size) == 0
    assert cache_trim.run(str(tmp_path), 10 * size) == 12
    left = {entry.name for entry in cache_trim.entries(str(tmp_path))}
    assert left == set(names[12:])
    assert cache_trim.run(str(tmp_path), None) == 0
    assert cache_trim.run(str(tmp_path), 0) == 8
    others = {"a file of the user's", "front"}
    assert set(os.listdir(tmp_path)) == others


def test_a_write_now_and_then_trims(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_SIZE", "0.005")
    monkeypatch.setattr(cache_trim, "is_due", lambda: True)
    fill(tmp_path, 20)
    assert 1 <= len(os.listdir(tmp_path)) <= 5
    monkeypatch.undo()
    assert 0 < sum(cache_trim.is_due() for _ in range(2000)) < 200


@pytest.mark.parametrize(
    ("text", "most"),
    [("", 2**30), ("2", 2**21), ("0.5", 2**19), ("0", None), ("inf", None)],
)
def test_the_limit(text, most, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_SIZE", text)
    assert cache_trim.limit() == most


@pytest.mark.parametrize("text", ["-1", "many", "nan", "1,5"])
def test_a_wrong_limit(text, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_SIZE", text)
    cache_trim._warn_size.cache_clear()
    with pytest.warns(UserWarning, match=f"SIZE is '{text}'") as caught:
        assert cache_trim.limit() == cache_trim.limit() == 2**30
    assert len(caught) == 1


def test_a_writer_at_work_is_not_disturbed(tmp_path):
    temporary = tmp_path / cache_trim.temporary_name(entry(tmp_path).name)
    temporary.write_bytes(b"half")
    assert cache_trim.run(str(tmp_path), 0) == 0
    os.utime(temporary, (1000, 1000))
    assert cache_trim.run(str(tmp_path), None) == 1


def test_a_full_disk_warns_and_leaves_nothing(tmp_path):
    """A limit on the file size simulates the full disk."""
    code = f"""
import resource, warnings
from pycuda._compile import cache
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        cache.store({str(tmp_path)!r}, {KEY!r}, "c", "cubin", b"x" * 5000)
assert len(caught) == 1, caught
assert "cannot write" in str(caught[0].message), caught[0]
"""
    subprocess.run([sys.executable, "-P", "-c", code], check=True)
    assert os.listdir(tmp_path) == []


def in_the_way(tmp_path):
    (tmp_path / "file").write_text("")
    return str(tmp_path / "file")


def circle(tmp_path):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    return str(tmp_path / "circle")


ODD = {
    "below a file": lambda tmp_path: in_the_way(tmp_path) + "/cache",
    "a file": in_the_way,
    "a link to itself": circle,
    "of the kernel": lambda _: "/proc/self/cache",
    "with a null": lambda tmp_path: str(tmp_path / "a\0b"),
    "of a long name": lambda tmp_path: str(tmp_path / ("x" * 300)),
}


@pytest.mark.parametrize("kind", ODD)
def test_a_folder_that_cannot_be_warns_and_works(kind, tmp_path):
    folder = ODD[kind](tmp_path)
    with pytest.warns(UserWarning, match="are not kept"):
        cache.store(folder, KEY, COMPILER, "cubin", b"image")
    assert load(folder) is None


@pytest.mark.parametrize(
    "name", ["a b", "ä", "new\nline", "-x", "%s", "\udcff"]
)
def test_a_folder_with_an_odd_name_works(name, tmp_path):
    folder = str(tmp_path / name)
    cache.store(folder, KEY, COMPILER, "cubin", b"image")
    assert load(folder) == b"image"


def test_a_folder_relative_to_the_current_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cache.store("cache", KEY, COMPILER, "cubin", b"image")
    assert entry(tmp_path / "cache").is_file()


def test_levels(monkeypatch):
    monkeypatch.setenv("PYCUDA_CPU_TARGET", "x86-64-v3")
    assert identity.levels() == ["x86-64-v3"]
    monkeypatch.delenv("PYCUDA_CPU_TARGET")
    found = identity.levels()
    assert found[0].startswith("x86-64-v") or len(found) == 1


def command(capsys, *arguments):
    status = commands.main([*arguments[:1], "--cache", *arguments[1:]])
    return status, capsys.readouterr()


def test_commands(tmp_path, capsys):
    folder, other = tmp_path / "cache", tmp_path / "other"
    status, said = command(capsys, "export", str(folder), str(other))
    assert (status, "holds no kernels" in said.err) == (1, True)
    names = fill(folder, 3)
    (folder / names[1]).write_bytes(b"damaged")
    status, said = command(capsys, "info", str(folder))
    assert (status, "entries: 3\n" in said.out) == (0, True)
    status, said = command(capsys, "export", str(folder), str(other))
    assert (status, said.out.split()[0]) == (0, "2")
    assert "1 damaged" in said.err
    assert sorted(os.listdir(other)) == [names[0], names[2]]
    status, said = command(capsys, "trim", str(folder), "--size", "0.001")
    assert (status, os.listdir(folder)) == (0, [names[1]])  # the newest
    fill(folder, 2)
    assert command(capsys, "clear", str(folder))[0] == 0
    assert os.listdir(folder) == []
    (tmp_path / "file").write_text("")
    fill(folder, 1)
    status, said = command(
        capsys, "export", str(folder), str(tmp_path / "file")
    )
    assert (status, "file" in said.err) == (1, True)


def test_commands_where_the_cache_is_off(monkeypatch, capsys):
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "1")
    assert commands.main(["info"]) == 1
    assert "PYCUDA_DISABLE_CACHE" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        commands.main(["trim", "--size", "-3"])
    with pytest.raises(SystemExit):
        commands.main([])


def test_the_headers_of_the_cpu_device_stand_for_it(tmp_path, monkeypatch):
    header = tmp_path / "below" / "math.h"
    header.parent.mkdir()
    monkeypatch.setenv("PYCUDA_CUDA_HEADERS", str(tmp_path))
    identities = set()
    for text in ("", "1", "22"):
        header.write_text(text)
        identities.add(b"".join(identity._cpu_compiler()))
    assert len(identities) == 3


def test_folder_of_headers_with_links_that_never_end(tmp_path, monkeypatch):
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "loop").symlink_to("loop")
    for name in ("up", "again"):
        (below / name).symlink_to(tmp_path)
        (below / f"{name}-here").symlink_to(".")
    monkeypatch.setenv("PYCUDA_CUDA_HEADERS", str(tmp_path))
    assert len(identity._cpu_compiler()) < 50


def test_the_files_of_an_nvrtc_stand_for_it(tmp_path, monkeypatch):
    library = tmp_path / "libnvrtc.so.13"
    library.write_bytes(b"1")
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path / 'no'}:{tmp_path}")
    before = identity._gpu_compiler()
    assert any(str(library).encode() in part for part in before)
    library.write_bytes(b"22")
    assert identity._gpu_compiler() != before
    monkeypatch.setenv("PYCUDA_NVRTC", str(library))
    assert str(library).encode() in identity._gpu_compiler()[0]


def test_a_folder_that_is_no_path_holds_no_nvrtc(monkeypatch):
    before = identity._gpu_compiler()
    monkeypatch.syspath_prepend("a\0b")
    assert identity._gpu_compiler() == before


@pytest.mark.cpu
@pytest.mark.parametrize("name", identity._SHAPING)
def test_what_shapes_the_code_counts_at_any_time(name, monkeypatch):
    monkeypatch.delenv(name, raising=False)
    before = identity.compiler(False)
    monkeypatch.setenv(name, "0")
    assert identity.compiler(False) != before
    monkeypatch.delenv(name)
    assert identity.compiler(False) == before
