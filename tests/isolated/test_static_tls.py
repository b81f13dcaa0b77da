"""Programs whose other libraries have used the loader's static TLS memory.

glibc reserves about 1,600 bytes for the thread-local variables of libraries
that are loaded after the start and access them at fixed offsets.
"""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

LIBRARY = """
static _Thread_local char bytes[SIZE]
    __attribute__((tls_model("initial-exec"), aligned(1)));
char *use(void) { return bytes; }
"""
PROGRAM = """
import ctypes, sys
held = []
for path in sys.argv[1:]:
    try:
        ctypes.CDLL(path).use()
    except OSError:
        break
    held.append(path)
print(len(held))
import pycuda.driver as drv
drv.init()
context = drv.Device(0).make_context()
memory = drv.to_device(bytearray(b"abcd"))
print(drv.from_device(memory, 4, "S1").tobytes())
context.pop()
"""


@pytest.fixture(scope="module")
def libraries(
    tmp_path_factory: pytest.TempPathFactory, compiler: None
) -> list[str]:
    """Return libraries that use 100 bytes of static TLS memory each."""
    folder = tmp_path_factory.mktemp("tls")
    (folder / "tls.c").write_text(LIBRARY)
    first = folder / "tls0.so"
    words = ["cc", "-shared", "-fPIC", "-DSIZE=100", str(folder / "tls.c")]
    subprocess.run([*words, "-o", str(first)], check=True)
    paths = [first]
    for index in range(1, 40):
        paths.append(folder / f"tls{index}.so")
        paths[-1].write_bytes(first.read_bytes())
    return [str(path) for path in paths]


def run(libraries: list[str], **variables: str) -> tuple[int, list[str], str]:
    """Load libraries, then use the device; return what a process said."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, *libraries],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd="/",
        env={**os.environ, "PYCUDA_DEVICE": "cpu", **variables},
    )
    return done.returncode, done.stdout.split(), done.stderr


def test_the_device_needs_little_of_it(libraries: list[str]) -> None:
    """All but 200 bytes of the memory are used by others."""
    _, said, _ = run(libraries)
    most = int(said[0])
    assert 5 < most < 40
    status, said, errors = run(libraries[: most - 2])
    assert status == 0, errors
    assert said == [str(most - 2), "b'abcd'"]


def test_none_is_left(libraries: list[str], tmp_path: Path) -> None:
    status, said, errors = run(libraries)
    assert status == 1
    assert "cannot allocate memory in static TLS block" in errors
    if "RuntimeError" in errors:  # the device, not the extension module
        advice = "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096"
        assert advice in errors
    tunable = "glibc.rtld.optional_static_tls=8192"
    status, said, errors = run(libraries, GLIBC_TUNABLES=tunable)
    assert (status, said) == (0, ["40", "b'abcd'"]), errors
