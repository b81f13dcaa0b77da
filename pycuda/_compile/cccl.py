"""NVIDIA's C++ libraries for kernels (CCCL: CUB, libcu++, Thrust).

Called by `job`, `nvrtc` and the installation report.  The CPU device's library
looks for CCCL next to the package and in CUDA toolkits; this module also looks
on `sys.path`, and passes the folder that it found to the library.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

from pycuda._compile import files, includes

VARIABLE = "PYCUDA_CCCL"
#: Command that installs CCCL.
INSTALL = "pip install nvidia-cuda-cccl"

_WHEELS = ("nvidia/cu13/include/cccl", "nvidia/cuda_cccl/include")
_TOOLKITS = ("include/cccl", "targets/x86_64-linux/include/cccl")
_ROOTS = ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CONDA_PREFIX")
_VERSION = "cub/version.cuh"
_NAMES = ("<cub/", "<cuda/", "<nv/", "<thrust/")
_NUMBER = re.compile(r"#define\s+CUB_VERSION\s+(\d+)")


def is_folder(path: str) -> bool:
    """Return whether a folder has CCCL's headers, and no others.

    The include folder of a CUDA 12 toolkit also has headers that the CPU
    device does not read.
    """
    return os.path.isfile(os.path.join(path, _VERSION)) and not os.path.exists(
        os.path.join(path, "cuda_runtime.h")
    )


def _places() -> Iterable[str]:
    """Return the folders that may have CCCL, in the library's order."""
    site = os.path.dirname(includes.package_dir())
    for entry in dict.fromkeys([site, *sys.path]):
        if os.path.isdir(os.path.join(entry, "nvidia")):
            yield from (os.path.join(entry, name) for name in _WHEELS)
    roots = [os.environ.get(name) for name in _ROOTS]
    for root in filter(None, [*roots, "/usr/local/cuda"]):
        yield from (os.path.join(root, name) for name in _TOOLKITS)


def folder() -> str | None:
    """Return the folder of CCCL's headers for the CPU device, or None."""
    given = os.environ.get(VARIABLE)
    if given:
        return given if is_folder(given) else None
    return next(filter(is_folder, _places()), None)


def tell_folder() -> None:
    """Tell the CPU device's library the folder of CCCL.

    The library itself does not look in other folders of `sys.path`.
    """
    found = folder()
    if found is not None:
        os.environ.setdefault(VARIABLE, found)


def version(path: str) -> str | None:
    """Return the version of CUB in a folder, such as "3.0.1", or None."""
    try:
        text = files.decode(files.read_regular(os.path.join(path, _VERSION)))
    except OSError:
        return None
    found = _NUMBER.search(text)
    if found is None:
        return None
    number = int(found[1])
    return f"{number // 100000}.{number // 100 % 1000}.{number % 100}"


def identity(names: Iterable[str]) -> bytes:
    """Return the identity of CCCL if one of the includes may be its header.

    `names` has names of headers as in the source, with their <>.
    """
    if not any(name.startswith(_NAMES) for name in names):
        return b""
    path = folder()
    if path is None:
        return b"none"
    status = os.stat(os.path.join(path, _VERSION))
    found = f"{version(path)}:{status.st_size}:{status.st_mtime_ns}"
    return files.encode(found)
