"""Folders that a compilation searches, and the files it can reach there.

Called by `pycuda.compiler`.  The scan follows every #include of the text,
both sides of each #if, so that the cache's key covers whatever the compiler
may read (NVRTC lists no dependencies).  Folders of the toolkit and of pip's
wheels are not followed: their place, size and date stand for them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass, field

from pycuda._compile import source as _source

#: Our header that declares texture and surface references.
REFERENCES = "texture_reference.h"

_WHEEL_FOLDERS = (
    "nvidia/cu13/include",
    "nvidia/cu13/include/cccl",
    "nvidia/cuda_runtime/include",
    "nvidia/cuda_cccl/include",
)
# CUDA 13 keeps cub, thrust and libcu++ apart; cooperative_groups.h needs them.
_TOOLKIT_FOLDERS = ("include", "include/cccl")
_TOOLKIT_VARIABLES = ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT")
_TOOLKIT_DEFAULT = "/usr/local/cuda"

# Headers that NVIDIA ships apart from NVRTC, and the package that has them.
_PACKAGES = (
    ("cub/", "nvidia-cuda-cccl"),
    ("thrust/", "nvidia-cuda-cccl"),
    ("cuda/", "nvidia-cuda-cccl"),
    ("curand", "nvidia-curand"),
    ("crt/", "nvidia-cuda-crt"),
    ("cuda", "nvidia-cuda-runtime"),
    ("cooperative_groups", "nvidia-cuda-runtime"),
    ("mma.h", "nvidia-cuda-runtime"),
)


@dataclass
class Scan:
    """Result of `scan`: one (name, content or identity) pair a file."""

    files: list[tuple[str, bytes]] = field(default_factory=list)
    uses_references: bool = False
    complete: bool = True


def package_for(header: str) -> str | None:
    """Name of the pip package that ships NVIDIA's `header`, or None."""
    for prefix, package in _PACKAGES:
        if header.startswith(prefix):
            return package
    return None


def package_dir() -> str:
    """Folder of the installed package `pycuda`."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@functools.cache
def wheel_dirs() -> tuple[str, ...]:
    """Include folders of NVIDIA's wheels on Python's path."""
    found = (
        os.path.join(entry, name)
        for entry in sys.path
        for name in _WHEEL_FOLDERS
    )
    return tuple(dict.fromkeys(d for d in found if os.path.isdir(d)))


def toolkit_dirs() -> list[str]:
    """Include folders of an installed CUDA toolkit."""
    roots = [os.environ.get(name) for name in _TOOLKIT_VARIABLES]
    roots.append(_TOOLKIT_DEFAULT)
    dirs = [
        os.path.join(root, folder)
        for root in roots
        if root
        for folder in _TOOLKIT_FOLDERS
    ]
    return [d for d in dict.fromkeys(dirs) if os.path.isdir(d)]


@functools.cache
def _is_toolkit(folder: str) -> bool:
    """Does the folder hold NVIDIA's headers?  Our stand-ins do not count."""
    ours = os.path.join(package_dir(), "cuda")
    if os.path.commonpath([ours, os.path.abspath(folder)]) == ours:
        return False
    signs = ("cuda_runtime.h", "cub/cub.cuh")
    return any(os.path.isfile(os.path.join(folder, sign)) for sign in signs)


def search_dirs(user_dirs: list[str], on_gpu: bool) -> list[str]:
    """Every include folder of a compilation, in order.

    The user's come first.  On a GPU our stand-ins follow, before any folder
    of the toolkit (theirs too), because they extend its headers by
    #include_next.
    """
    ours = os.path.join(package_dir(), "cuda")
    if not on_gpu:
        return [*user_dirs, ours]
    plain = [d for d in user_dirs if not _is_toolkit(d)]
    toolkits = [d for d in user_dirs if _is_toolkit(d)]
    dirs = [*plain, os.path.join(ours, "nvrtc"), ours, *toolkits]
    return list(dict.fromkeys([*dirs, *wheel_dirs(), *toolkit_dirs()]))


@functools.cache
def _foreign_identity(folder: str) -> bytes:
    """Stands for the content of a toolkit's or wheel's include folder."""
    parts = [folder]
    for name in ("cuda.h", "cuda_runtime.h", "nvrtc.h", "cub/cub.cuh"):
        try:
            status = os.stat(os.path.join(folder, name))
        except OSError:
            continue
        parts.append(f"{name}:{status.st_size}:{status.st_mtime_ns}")
    return "\n".join(parts).encode()


def _find(name: str, here: str, dirs: list[str]) -> list[str]:
    """Files that `name`, in its <> or "", can mean.

    All of them, not only the first: an #include_next reaches the others.
    """
    places = [here, *dirs] if name.startswith('"') else dirs
    bare = name[1:-1]
    paths = (os.path.normpath(os.path.join(d, bare)) for d in places)
    return [p for p in dict.fromkeys(paths) if os.path.isfile(p)]


def scan(text: str, pre_includes: list[str], dirs: list[str]) -> Scan:
    """Follow the includes of `text` and of the pre-included headers."""
    result = Scan(uses_references=_source.names_reference(text))
    foreign = {os.path.normpath(d) for d in dirs if _is_toolkit(d)}
    todo = [(name, os.getcwd()) for name in _source.included_names(text)]
    todo += [(f'"{name}"', os.getcwd()) for name in pre_includes]
    seen: set[str] = set()
    while todo:
        name, here = todo.pop()
        if name[0] not in '<"':
            result.complete = False  # a macro names the file
            continue
        paths = _find(name, here, dirs)
        if not paths:
            result.files.append((name, b""))
        for path in paths:
            if path not in seen:
                seen.add(path)
                todo += _read(path, foreign, result)
    return result


def _read(path: str, foreign: set[str], result: Scan) -> list[tuple[str, str]]:
    """Add one file to `result`; what it includes, with its folder."""
    for folder in foreign:
        if path.startswith(folder + os.sep):
            result.files.append((path, _foreign_identity(folder)))
            return []
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError:
        result.complete = False
        return []
    ours = os.path.join(package_dir(), "cuda") + os.sep
    name = path.removeprefix(ours)
    result.files.append((name, content))
    text = content.decode("utf-8", "replace")
    if name != REFERENCES and _source.names_reference(text):
        result.uses_references = True
    here = os.path.dirname(path)
    return [(found, here) for found in _source.included_names(text)]
