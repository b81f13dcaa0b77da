"""Identity of the compiler and the instruction set of an image.

Called by `pycuda.compiler` for every compilation, cache hits included, so it
opens no library and starts no process.  Files are identified by size and date.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os
import platform
import sys
from collections.abc import Iterator

from pycuda._compile import files, includes

try:
    # hashlib has the same function, but loads OpenSSL, which takes
    # milliseconds.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

_NVRTC_PLACES = (
    "/usr/local/cuda/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
)
_NVRTC_NAMES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2")
_NVRTC_WHEELS = ("nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib")
_CLANG = "clang-19"

# Levels of x86-64, best first, and NumPy's names of the features that
# distinguish them.
_LEVELS = (
    ("x86-64-v4", ("AVX512F", "AVX512_SKX")),
    ("x86-64-v3", ("AVX2", "FMA3", "F16C")),
)


def digest(parts: list[bytes], size: int = 20) -> str:
    """Return a hash of `parts`, each hashed with its length."""
    state = blake2b(digest_size=size)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()


def _stat_line(path: str) -> bytes:
    try:
        status = os.stat(path)
    except OSError:
        return b""
    line = f"{path}:{status.st_size}:{status.st_mtime_ns}"
    return files.encode(line)


def _exists(path: str) -> bool:
    """Return whether a path exists; faster than a failing os.stat().

    Most of the paths do not exist, and a failing os.stat() takes twice as
    long.
    """
    try:
        return os.access(path, os.F_OK)
    except ValueError:  # the path has a null character, so no such file exists
        return False


def _libraries(folder: str) -> list[bytes]:
    """Return the NVRTC files in `folder` that the loader looks for."""
    # A system folder has thousands of files, so it is not listed.
    paths = [f"{folder}/{name}" for name in _NVRTC_NAMES]
    return [_stat_line(path) for path in paths if _exists(path)]


def _gpu_compiler() -> list[bytes]:
    """Identify every NVRTC that the loader may choose, without opening one."""
    named = os.environ.get("PYCUDA_NVRTC", "")
    parts = [_stat_line(named) if named else b""]
    wheels = [p for p in sys.path if _exists(f"{p}/nvidia")]
    places = [f"{p}/{w}" for p in wheels for w in _NVRTC_WHEELS]
    for name in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(name):
            places.append(os.path.join(os.environ[name], "lib64"))
    places += os.environ.get("LD_LIBRARY_PATH", "").split(":")
    for candidate in dict.fromkeys([*places, *_NVRTC_PLACES]):
        if candidate and _exists(candidate):
            parts += _libraries(candidate)
    return parts


def zig_folder() -> str | None:
    """Return the folder of the ziglang wheel, None if there is none.

    The wheel may be next to the package, at PYCUDA_ZIGLANG, or in a folder of
    `sys.path`: the package may be on PYTHONPATH and the wheel elsewhere.
    """
    beside = os.path.join(os.path.dirname(includes.package_dir()), "ziglang")
    named = os.environ.get("PYCUDA_ZIGLANG")
    folders = [beside, named] if named else [beside]
    if not named:
        folders += [os.path.join(path, "ziglang") for path in sys.path if path]
    for folder in folders:
        if _exists(os.path.join(folder, "zig")):
            return folder
    return None


def tell_zig_folder() -> None:
    """Tell the CPU device's library the folder of the ziglang wheel.

    The library itself looks next to the package and at PYCUDA_ZIGLANG.
    """
    folder = zig_folder()
    if folder is not None:
        os.environ.setdefault("PYCUDA_ZIGLANG", folder)


# Variables that change the output of the CPU device's compiler.
_SHAPING = (
    "PYCUDA_CPU_REGIONS",
    "PYCUDA_CPU_WARPS",
    "PYCUDA_CPU_CHECK",
    "PYCUDA_CPU_DEBUG",
    "PYCUDA_CPU_QUICK",
)


def _cpu_compiler() -> list[bytes]:
    """Identify this package's library, helper, headers and front end."""
    package = includes.package_dir()
    environment = os.environ.get
    library = environment("PYCUDA_CPU_LIBRARY") or os.path.join(
        package, "lib", "libpycuda_cpu.so"
    )
    helper = environment("PYCUDA_JIT") or os.path.join(
        package, "bin", "pycuda-jit"
    )
    zig = zig_folder()
    clang = environment("PYCUDA_CLANG") or _CLANG
    parts = [_stat_line(library), _stat_line(helper)]
    parts.append(_stat_line(os.path.join(zig, "zig")) if zig else b"")
    parts += [
        files.encode(clang),
        _stat_line(includes.find_program(clang) or ""),
    ]
    parts += [files.encode(environment(name, "")) for name in _SHAPING]
    headers = environment("PYCUDA_CUDA_HEADERS") or os.path.join(
        package, "cuda"
    )
    return parts + sorted(_lines_below(headers))


def _lines_below(folder: str) -> Iterator[bytes]:
    """Return size and date of every file in a folder and its subfolders."""
    try:
        entries = os.scandir(folder)
    except OSError:
        return
    with entries:
        for entry in entries:
            if _is_folder(entry):
                yield from _lines_below(entry.path)
            else:
                yield _stat_line(entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether to search a folder; links to parents are excluded."""
    try:
        if not entry.is_dir() or not entry.is_symlink():
            return entry.is_dir()
        target = os.path.join(os.path.realpath(entry.path), "")
        here = os.path.realpath(os.path.dirname(entry.path))
        return not os.path.join(here, "").startswith(target)
    # the entry cannot be examined: for example, a link to itself
    except OSError:
        return False


def compiler(on_gpu: bool) -> str:
    """Return a hash that changes with the compiler or its settings."""
    shaping = () if on_gpu else tuple(map(os.environ.get, _SHAPING))
    return _compiler(on_gpu, shaping)


@functools.cache
def _compiler(on_gpu: bool, shaping: tuple[str | None, ...]) -> str:
    """Return the hash; `shaping` only serves as the key of this cache."""
    return digest(_gpu_compiler() if on_gpu else _cpu_compiler(), size=8)


def levels() -> list[str]:
    """Return the instruction sets this host can run, best first.

    The CPU device compiles for the first.
    """
    named = os.environ.get("PYCUDA_CPU_TARGET")
    return [named] if named else list(_host_levels())


@functools.cache
def _host_levels() -> tuple[str, ...]:
    machine = platform.machine()
    if machine not in ("x86_64", "AMD64"):
        return (machine,)
    try:
        from numpy._core._multiarray_umath import __cpu_features__ as have
    except ImportError:
        from numpy.core._multiarray_umath import __cpu_features__ as have
    for position, (_, features) in enumerate(_LEVELS):
        if all(have.get(feature) for feature in features):
            return tuple(name for name, _ in _LEVELS[position:])
    return (machine,)
