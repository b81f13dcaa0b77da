"""Compiled images on disk.

Called by `pycuda.compiler`.  An entry is one file, named

    <what was compiled>-<compiler that did it>.<target>

both strong hashes.  It is written under a temporary name, synced and renamed,
and carries a checksum, so that many processes may share one cold cache and a
torn entry is a miss.  A read-only folder (PYCUDA_CACHE_READONLY) is looked
into first; there an entry of any compiler will do.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import functools
import hashlib
import os

from pycuda._compile import includes
from pycuda._compile.warn import warn_user

_MAGIC = b"PYCUDAC1"
_DIGEST = 32
_DEFAULT = "compiler-cache-v1"

_NVRTC_PLACES = (
    "/usr/local/cuda/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
)
_NVRTC_WHEELS = ("nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib")


def directory(cache_dir: object) -> str | None:
    """Folder of the cache by PyCUDA's rules, None where it is off.

    PYCUDA_DISABLE_CACHE wins over the argument, that over PYCUDA_CACHE_DIR,
    that over the user's cache folder.  `False` turns the cache off.
    """
    if "PYCUDA_DISABLE_CACHE" in os.environ or cache_dir is False:
        return None
    if cache_dir is not None:
        return os.fspath(cache_dir)  # type: ignore[arg-type]
    named = os.environ.get("PYCUDA_CACHE_DIR")
    if named:
        return named
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "pycuda-c", _DEFAULT)


def digest(parts: list[bytes], size: int = 20) -> str:
    """Hash of `parts`, each counted with its length."""
    state = hashlib.blake2b(digest_size=size)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()


def _stat_line(path: str) -> bytes:
    try:
        status = os.stat(path)
    except OSError:
        return b""
    return f"{path}:{status.st_size}:{status.st_mtime_ns}".encode()


def _libraries(folder: str) -> list[bytes]:
    """NVRTC's files in `folder`."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [
        _stat_line(os.path.join(folder, name))
        for name in sorted(names)
        if name.startswith("libnvrtc")
    ]


def _gpu_compiler() -> list[bytes]:
    """Every NVRTC that the loader might choose, without opening one."""
    import sys

    named = os.environ.get("PYCUDA_NVRTC", "")
    parts = [_stat_line(named) if named else b""]
    places = [os.path.join(p, w) for p in sys.path for w in _NVRTC_WHEELS]
    for name in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(name):
            places.append(os.path.join(os.environ[name], "lib64"))
    places += os.environ.get("LD_LIBRARY_PATH", "").split(":")
    for place in dict.fromkeys([*places, *_NVRTC_PLACES]):
        if place:
            parts += _libraries(place)
    return parts


def _cpu_compiler() -> list[bytes]:
    """Our own library, helper and headers, and the front end by name."""
    package = includes.package_dir()
    library = os.environ.get("PYCUDA_CPU_LIBRARY") or os.path.join(
        package, "lib", "libpycuda_cpu.so"
    )
    helper = os.environ.get("PYCUDA_JIT") or os.path.join(
        package, "bin", "pycuda-jit"
    )
    parts = [
        _stat_line(library),
        _stat_line(helper),
        _stat_line(os.path.join(os.path.dirname(package), "ziglang", "zig")),
        os.environ.get("PYCUDA_CLANG", "").encode(),
    ]
    headers = os.environ.get("PYCUDA_CUDA_HEADERS") or os.path.join(
        package, "cuda"
    )
    for folder, _, names in sorted(os.walk(headers)):
        parts += [_stat_line(os.path.join(folder, n)) for n in sorted(names)]
    return parts


@functools.cache
def compiler_identity(on_gpu: bool) -> str:
    """Hash that changes when the compiler does; opens no library."""
    return digest(_gpu_compiler() if on_gpu else _cpu_compiler(), size=8)


def host_features() -> str:
    """Level of this host's instruction set, as the CPU device's images use.

    Need not be exactly what the library picks; it only has to differ between
    hosts that cannot share images.
    """
    import platform

    named = os.environ.get("PYCUDA_CPU_TARGET")
    if named:
        return named
    return _numpy_features(platform.machine())


@functools.cache
def _numpy_features(machine: str) -> str:
    try:
        from numpy._core._multiarray_umath import __cpu_features__ as have
    except ImportError:
        from numpy.core._multiarray_umath import __cpu_features__ as have
    names = ("AVX2", "FMA3", "AVX512F", "AVX512_SKX", "AVX512_ICL")
    return machine + "".join(f"+{n}" for n in names if have.get(n))


def _check(entry: bytes) -> bytes | None:
    """The image in an entry's bytes, None if they are torn."""
    head = len(_MAGIC) + _DIGEST
    if entry[: len(_MAGIC)] != _MAGIC or len(entry) < head:
        return None
    image = entry[head:]
    found = hashlib.blake2b(image, digest_size=_DIGEST).digest()
    return image if found == entry[len(_MAGIC) : head] else None


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return _check(stream.read())
    except OSError:
        return None


def load(folder: str, key: str, compiler: str, target: str) -> bytes | None:
    """Image kept under `key`, or None."""
    name = f"{key}-{compiler}.{target}"
    shipped = os.environ.get("PYCUDA_CACHE_READONLY")
    if shipped:
        image = _read(os.path.join(shipped, name))
        if image is None:
            image = _load_any(shipped, f"{key}-", f".{target}")
        if image is not None:
            return image
    return _read(os.path.join(folder, name))


def _load_any(folder: str, prefix: str, suffix: str) -> bytes | None:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return None
    for name in names:
        if name.startswith(prefix) and name.endswith(suffix):
            image = _read(os.path.join(folder, name))
            if image is not None:
                return image
    return None


def _write_synced(path: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o644), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def store(
    folder: str, key: str, compiler: str, target: str, image: bytes
) -> None:
    """Keep `image`; where that fails, warn once and go without."""
    name = f"{key}-{compiler}.{target}"
    temporary = os.path.join(
        folder, f".{name}.{os.getpid()}.{os.urandom(4).hex()}"
    )
    mark = hashlib.blake2b(image, digest_size=_DIGEST).digest()
    try:
        os.makedirs(folder, exist_ok=True)
        try:
            _write_synced(temporary, _MAGIC + mark + image)
            os.rename(temporary, os.path.join(folder, name))
        except OSError:
            _remove(temporary)
            raise
    except OSError as error:
        _warn_once(folder, str(error))


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


@functools.cache
def _warn_once(folder: str, reason: str) -> None:
    warn_user(
        f"Compiled kernels are not kept: cannot write to {folder!r} "
        f"({reason}). Set PYCUDA_CACHE_DIR to a folder that can be written, "
        "or PYCUDA_DISABLE_CACHE=1 to silence this."
    )
