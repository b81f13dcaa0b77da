"""The CPU device for programs that do not use PyCUDA.

``python -m pycuda.cpu run PROGRAM ...`` runs a program that opens
``libcuda.so.1`` and ``libnvrtc.so.13`` with the CPU device in their place.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import sys
import tempfile
import time
from pathlib import Path

from pycuda._compile import files, identity

#: File names by which programs open the driver and NVRTC.
# Not libcublas.so.13: frameworks that are linked with it need all of cuBLAS.
STUBS = (
    "libcuda.so.1",
    "libcuda.so",
    "libnvrtc.so.13",
    "libnvrtc.so",
    "libcublas.so",
)
# longest time that `finish_compilation` waits without handling signals
_WAIT_SECONDS = 0.1
_PRELOADED = ("libcuda.so.1", "libnvrtc.so.13")


def library() -> Path:
    """Return the path of libpycuda_cpu.so.

    Raises
    ------
    FileNotFoundError
        If this installation was built without the CPU device.
    """
    package = Path(__file__).resolve().parents[1]
    path = Path(
        os.environ.get("PYCUDA_CPU_LIBRARY")
        or package / "lib" / "libpycuda_cpu.so"
    )
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing: pycuda-c was built without the CPU device"
        )
    return path.resolve()


def finish_compilation(timeout: float = 60.0) -> bool:
    """Wait until the kernels that are loaded run their full versions.

    A kernel whose compilation takes more than a quarter of a second first
    runs a quick version, which is optimised little. The full version is
    compiled in the background and computes the same bits. Programs that
    measure kernels call this function first.

    Parameters
    ----------
    timeout
        How long to wait, in seconds.

    Returns
    -------
    bool
        False if some full versions are not ready yet.

    Raises
    ------
    FileNotFoundError
        If this installation was built without the CPU device.
    """
    wait = ctypes.CDLL(str(library())).pycuda_cpu_upgrades_wait
    end = time.monotonic() + timeout
    while True:
        # Python runs signal handlers only between two calls of `wait`.
        left = max(0.0, min(end - time.monotonic(), _WAIT_SECONDS))
        if wait(ctypes.c_int(math.ceil(left * 1000))) == 0:
            return True
        if time.monotonic() >= end:
            return False


def _stub_parents() -> list[Path]:
    """Return folders in which the stubs may be created, best first."""
    cache = os.environ.get("PYCUDA_CACHE_DIR")
    if not cache:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser(
            "~/.cache"
        )
        cache = os.path.join(base, "pycuda-c")
    temporary = Path(tempfile.gettempdir(), f"pycuda-c-{os.getuid()}")
    return [Path(cache), temporary]


def _link(stub: Path, target: Path) -> None:
    """Link `stub` to `target`; safe if other processes do the same."""
    if stub.is_symlink() and stub.readlink() == target:
        return
    fresh = stub.with_name(f".{stub.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    fresh.replace(stub)


def stub_dir() -> Path:
    """Return the folder with CUDA's names for the library.

    The folder is created if needed, in the user's cache folder or, if that
    cannot be written, in the folder for temporary files.

    Raises
    ------
    OSError
        If none of these folders can be written, or there is no library.
    """
    target = library()
    name = hashlib.sha256(os.fsencode(target)).hexdigest()[:16]
    trouble: OSError | None = None
    for parent in _stub_parents():
        folder = parent / "stubs" / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not files.is_private(str(folder)):
                raise PermissionError(f"other users can write to {folder}")
            for stub in STUBS:
                _link(folder / stub, target)
        except OSError as error:
            trouble = error
            continue
        return folder
    assert trouble is not None
    raise trouble


def environment() -> dict[str, str]:
    """Return the environment in which programs find the CPU device.

    It has LD_PRELOAD in addition to LD_LIBRARY_PATH: some programs look for
    NVRTC in the folders of pip's wheels first, and then use a library that is
    already loaded.
    """
    folder = stub_dir()
    env = dict(os.environ)
    env["LD_LIBRARY_PATH"] = ":".join(
        filter(None, [str(folder), env.get("LD_LIBRARY_PATH")])
    )
    preload = [str(folder / stub) for stub in _PRELOADED]
    env["LD_PRELOAD"] = ":".join(
        filter(None, [*preload, env.get("LD_PRELOAD")])
    )
    zig = identity.zig_folder()
    if zig is not None:
        env.setdefault("PYCUDA_ZIGLANG", zig)
    return env


def command(program: list[str]) -> list[str]:
    """Return the command that runs `program`; .py files get this Python."""
    if program[0].endswith(".py") and not os.access(program[0], os.X_OK):
        return [sys.executable, *program]
    return program
