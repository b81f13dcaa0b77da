"""Full versions of kernels, which a thread compiles in the background.

Each case is a separate process.  A script in place of pycuda-jit notes or
delays the compilation of full versions.
"""

# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest
from isolated import run

pytestmark = [pytest.mark.cpu, pytest.mark.alone]

JIT = Path(
    os.environ.get("PYCUDA_JIT")
    or Path(sysconfig.get_path("platlib")) / "pycuda/bin/pycuda-jit"
)
SCRIPT = f"""#!/bin/sh
case "$*" in *--replaces*)
    echo $$ >>"$FOLDER/compilations"
    if [ -e "$FOLDER/delay" ]; then exec sleep 60; fi
    if [ -e "$FOLDER/remove" ]; then rm -rf "$FOLDER/cache"; fi
    if [ -e "$FOLDER/fail" ]; then exit 2; fi
esac
exec "{JIT}" "$@"
"""
PRELUDE = """
import ctypes, gc, os, signal, sys, threading, time
from pathlib import Path
import numpy as np
import pycuda.driver as drv
from pycuda import cpu
from pycuda.compiler import compile

FOLDER = Path(os.environ["FOLDER"])
LIBRARY = ctypes.CDLL(str(cpu.library()))
drv.init()
context = drv.Device(0).make_context()

def image(number=0):
    return compile(
        f"__global__ void k(int *a) {{ a[threadIdx.x] += {number} + 5; }}"
    )

def result(module):
    out = np.arange(4, dtype=np.int32)
    module.get_function("k")(drv.InOut(out), block=(4, 1, 1))
    return out.tolist()

def pending():
    return LIBRARY.pycuda_cpu_upgrades_wait(0)

def compilations():
    try:
        return len((FOLDER / "compilations").read_text().split())
    except FileNotFoundError:
        return 0

def await_compilation():
    while compilations() == 0:
        time.sleep(0.005)
"""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the script, and a cache with two quick versions."""
    folder = tmp_path_factory.mktemp("versions")
    (folder / "jit").write_text(SCRIPT)
    (folder / "jit").chmod(0o700)
    (folder / "cache").mkdir(mode=0o700)
    run(PRELUDE + "image(0)\nimage(3)", environment=environment(folder))
    assert full_versions(folder) == []
    return folder


@pytest.fixture
def folder(tmp_path: Path, prepared: Path) -> Path:
    """Folder with a copy of the prepared cache."""
    shutil.copytree(prepared / "cache", tmp_path / "cache")
    (tmp_path / "jit").symlink_to(prepared / "jit")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    return {
        "FOLDER": str(folder),
        "PYCUDA_CPU_QUICK": "always",
        "PYCUDA_CACHE_DIR": str(folder / "cache"),
        "PYCUDA_JIT": str((folder / "jit").resolve()),
    }


def isolated(folder: Path, code: str, **more: str) -> str:
    """Run the code after the prelude; return its output."""
    return run(PRELUDE + code, environment={**environment(folder), **more})


def full_versions(folder: Path) -> list[Path]:
    """Cache files that are images: no precompiled headers."""
    files = (folder / "cache").rglob("*.pch")
    return [file for file in files if file.read_bytes()[:4] != b"CPCH"]


def has_ended(pid: int) -> bool:
    """Whether a process ends soon."""
    for _ in range(500):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().split(")")[1]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state.split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


def test_modules_of_one_image_share_a_compilation(folder):
    (folder / "delay").touch()
    code = """
data = image()
modules = [drv.module_from_buffer(data) for _ in range(20)]
assert [result(module) for module in modules] == [[5, 6, 7, 8]] * 20
await_compilation()
os.unlink(FOLDER / "delay")
os.kill(int((FOLDER / "compilations").read_text()), signal.SIGKILL)
assert cpu.finish_compilation(60)
# The first compilation failed; the second is for all other modules.
assert compilations() == 2, compilations()
assert [result(module) for module in modules] == [[5, 6, 7, 8]] * 20
print("right")
"""
    # without the cache, in which each module would find the version
    assert isolated(folder, code, PYCUDA_DISABLE_CACHE="1") == "right\n"


def test_unloaded_modules_leave_few_compilations(folder):
    """A program may load modules faster than they are compiled."""
    (folder / "delay").touch()
    code = """
images = [image(number) for number in range(40)]
first = drv.module_from_buffer(images[0])
await_compilation()
for _ in range(500):
    drv.module_from_buffer(images[1])
assert pending() == 2, pending()
for each in images:
    drv.module_from_buffer(each)
assert 10 < pending() < 20, pending()
modules = [drv.module_from_buffer(each) for each in images]
assert len(modules) <= pending() < 60, pending()
# The kernels of unloaded modules are compiled as well.
modules.clear()
assert 10 < pending() < 20, pending()
os.unlink(FOLDER / "delay")
os.kill(int((FOLDER / "compilations").read_text()), signal.SIGKILL)
assert cpu.finish_compilation(60)
assert 10 < compilations() < 20, compilations()
assert result(first) == [5, 6, 7, 8]
print("right")
"""
    assert isolated(folder, code) == "right\n"


def test_an_interrupt_ends_the_wait(folder):
    (folder / "delay").touch()
    code = """
signal.signal(signal.SIGINT, signal.default_int_handler)
module = drv.module_from_buffer(image())
await_compilation()
sent = []

def interrupt():
    time.sleep(0.3)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    cpu.finish_compilation(50)
except KeyboardInterrupt:
    late = time.monotonic() - sent[0]
assert late < 0.5, late
assert not cpu.finish_compilation(0)
assert not cpu.finish_compilation(-1)
assert result(module) == [5, 6, 7, 8]
print("right")
"""
    begun = time.monotonic()
    assert isolated(folder, code) == "right\n"
    # The process did not wait for the compilation, and ended it.
    assert time.monotonic() - begun < 30
    assert has_ended(int((folder / "compilations").read_text()))


def test_a_context_and_a_process_end_during_a_compilation(folder):
    (folder / "delay").touch()
    code = """
module = drv.module_from_buffer(image())
await_compilation()
context.pop()
context.detach()
del module, context
gc.collect()
context = drv.Device(0).make_context()
assert result(drv.module_from_buffer(image())) == [5, 6, 7, 8]
print("right", flush=True)
os._exit(0) if os.environ.get("HARD") else sys.exit(0)
"""
    for more in ({}, {"HARD": "1"}):
        (folder / "compilations").unlink(missing_ok=True)
        assert isolated(folder, code, **more) == "right\n"
        assert has_ended(int((folder / "compilations").read_text()))


@pytest.mark.parametrize("event", ["fail", "remove"])
def test_the_quick_version_stays_right(folder, event):
    """The compilation fails, or the cache is removed during it."""
    (folder / event).touch()
    code = """
module = drv.module_from_buffer(image())
assert cpu.finish_compilation(60) and compilations() == 1
assert result(module) == [5, 6, 7, 8]
print("right")
"""
    assert isolated(folder, code) == "right\n"
    if event == "fail":
        assert full_versions(folder) == []


LOADS = """
module = drv.module_from_buffer(image())
assert result(module) == [5, 6, 7, 8]
assert cpu.finish_compilation(60)
assert result(module) == [5, 6, 7, 8]
print(compilations())
"""


def damage_by_zeros(path: Path) -> None:
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[: size // 2] + bytes(size - size // 2))


def damage_a_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 4
    path.write_bytes(data)


def damage_by_truncation(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def damage_by_emptying(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def swap_with_another(path: Path) -> None:
    """A valid file of another kernel, under this kernel's name."""
    done = PRELUDE + "module = drv.module_from_buffer(image(3))\n"
    done += "assert cpu.finish_compilation(60)"
    run(done, environment=environment(path.parents[2]))
    (other,) = {*full_versions(path.parents[2])} - {path}
    other.replace(path)


@pytest.mark.parametrize(
    "damage",
    [
        damage_by_zeros,
        damage_a_byte,
        damage_by_truncation,
        damage_by_emptying,
        replace_by_fifo,
        replace_by_folder,
        replace_by_link,
        swap_with_another,
    ],
)
def test_a_damaged_full_version_is_compiled_again(folder, damage):
    assert isolated(folder, LOADS) == "1\n"
    assert isolated(folder, LOADS) == "1\n"  # from the cache
    (path,) = full_versions(folder)
    damage(path)
    (folder / "compilations").unlink(missing_ok=True)
    assert isolated(folder, LOADS) == "1\n"
    if damage is not replace_by_folder:
        assert isolated(folder, LOADS) == "1\n"
        assert full_versions(folder) == [path]


@pytest.mark.skipif(os.geteuid() != 0, reason="changes owners")
@pytest.mark.parametrize("change", ["owner", "mode", "folder"])
def test_a_full_version_of_another_user_is_not_run(folder, change):
    assert isolated(folder, LOADS) == "1\n"
    (path,) = full_versions(folder)
    if change == "owner":
        os.chown(path, 12345, 12345)
    elif change == "mode":
        path.chmod(0o666)
    else:
        os.chown(path.parent, 12345, 12345)
    assert isolated(folder, LOADS) == "2\n"


def test_a_cache_that_cannot_be_written(folder):
    assert isolated(folder, LOADS) == "1\n"
    (path,) = full_versions(folder)
    path.unlink()
    # Files end after a kilobyte: this stops root, too.
    limit = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
"""
    assert isolated(folder, limit + LOADS) == "2\n"
    assert full_versions(folder) == []


def test_processes_that_compile_one_version(folder):
    """All of them write the same file of the cache."""
    code = PRELUDE + LOADS
    variables = {**os.environ, **environment(folder)}
    variables.setdefault("PYCUDA_DEVICE", "cpu")
    running = [
        subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-c", code],
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    for process in running:
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert output.strip() in (b"1", b"2", b"3", b"4")
    assert len(full_versions(folder)) == 1
    (folder / "compilations").unlink()
    assert isolated(folder, LOADS) == "0\n"
