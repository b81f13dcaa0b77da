"""Folders that a compilation searches, and the files it can reach there.

Called by `pycuda.compiler`.  The scan follows every #include of the text, on
both sides of each #if, so that the cache's key covers all files that the
compiler may read (NVRTC lists no dependencies).  Files are named relative to
the searched folders, so that a cache can be moved with the program.  Folders
of the toolkit and of pip's wheels are not scanned: size and date of some of
their headers identify them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os
import re
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from pycuda._compile import files
from pycuda._compile import source as _source

#: Header of this package that declares texture and surface references.
REFERENCES = "texture_reference.h"

_WHEEL_FOLDERS = (
    "nvidia/cu13/include",
    "nvidia/cu13/include/cccl",
    "nvidia/cuda_runtime/include",
    "nvidia/cuda_cccl/include",
    "nvidia/curand/include",
    "nvidia/cuda_nvcc/include",
)
# In CUDA 13, cub, thrust and libcu++ (which cooperative_groups.h includes) are
# in the subfolder cccl. The last two folders are those of conda.
_TOOLKIT_FOLDERS = (
    "include",
    "include/cccl",
    "targets/x86_64-linux/include",
    "targets/x86_64-linux/include/cccl",
)
_TOOLKIT_VARIABLES = ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CONDA_PREFIX")
_TOOLKIT_DEFAULT = "/usr/local/cuda"

# Headers that NVIDIA ships separately from NVRTC, and their packages.
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


_DEFINITION = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\\\n]|\\.|\\\n)*", re.M)
_QUOTED = re.compile(r'"[^"\n]{1,255}"|<[^<>\n]{1,255}>')
_WHEEL = re.compile(r"nvidia_(?:cuda|curand)_?\w*-[\w.]+\.dist-info$")


class SpecialFile(ValueError):
    """An include that names a pipe, a socket or a device.

    A compiler would read it, and might wait forever.
    """


@dataclass
class Scan:
    """Result of `scan`: one pair (name, content or identity) per file."""

    files: list[tuple[str, bytes]] = field(default_factory=list)
    uses_references: bool = False
    complete: bool = True
    names_files: bool = False  # whether the image may hold paths (__FILE__)


@dataclass
class Folders:
    """The include folders of a compilation.

    They are searched for at first use: cached sources without includes do not
    need them.
    """

    find: Callable[[], list[str]]

    @functools.cached_property
    def all(self) -> list[str]:
        """All folders, in search order."""
        return self.find()

    @functools.cached_property
    def foreign(self) -> list[str]:
        """The folders of a toolkit or a wheel."""
        return [os.path.normpath(d) for d in self.all if _is_toolkit(d)]


def package_for(header: str, cuda_major: int = 13) -> str | None:
    """Return the pip package that ships NVIDIA's `header`, or None."""
    for prefix, package in _PACKAGES:
        if header.startswith(prefix):
            if cuda_major >= 13:
                return package
            old = package.replace("cuda-crt", "cuda-nvcc")
            return f"{old}-cu{cuda_major}"
    return None


@functools.cache
def package_dir() -> str:
    """Return the folder of the installed package `pycuda`."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def find_program(name: str, path: str | None = None) -> str | None:
    """Return the path of a program in PATH; importing shutil is slow."""
    if "/" in name:
        folders = [""]
    else:
        path = os.environ.get("PATH", os.defpath) if path is None else path
        folders = [folder or "." for folder in path.split(os.pathsep)]
    for folder in folders:
        found = os.path.join(folder, name)
        if os.access(found, os.X_OK) and not os.path.isdir(found):
            return found
    return None


def ours(name: str) -> str:
    """Return the path of one of this package's headers for kernels."""
    return os.path.join(package_dir(), "cuda", name)


@functools.cache
def wheel_dirs() -> tuple[str, ...]:
    """Return the include folders of NVIDIA's wheels on Python's path."""
    found = (
        os.path.join(entry, name)
        for entry in sys.path
        if os.path.isdir(os.path.join(entry, "nvidia"))
        for name in _WHEEL_FOLDERS
    )
    return tuple(dict.fromkeys(d for d in found if os.path.isdir(d)))


@functools.cache
def wheel_lib_dirs() -> tuple[str, ...]:
    """Return the library folders of NVIDIA's wheels on Python's path."""
    names = ("nvidia/cu13/lib", "nvidia/cuda_runtime/lib")
    found = (os.path.join(entry, name) for entry in sys.path for name in names)
    return tuple(dict.fromkeys(d for d in found if os.path.isdir(d)))


def toolkit_dirs() -> list[str]:
    """Return the include folders of an installed CUDA toolkit."""
    roots = [os.environ.get(name) for name in _TOOLKIT_VARIABLES]
    roots += [_TOOLKIT_DEFAULT, _root_of_nvcc(os.environ.get("PATH", ""))]
    dirs = [
        os.path.join(root, folder)
        for root in roots
        if root
        for folder in _TOOLKIT_FOLDERS
    ]
    return [d for d in dict.fromkeys(dirs) if _is_toolkit(d)]


@functools.cache
def _root_of_nvcc(path: str) -> str | None:
    """Return the folder of the toolkit whose nvcc is found in `path`."""
    nvcc = find_program("nvcc", path)
    if nvcc is None:
        return None
    return os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))


@functools.cache
def _is_toolkit(folder: str) -> bool:
    """Return whether the folder holds NVIDIA's headers.

    This package's replacement headers do not count.
    """
    ours = os.path.join(package_dir(), "cuda")
    if f"{files.absolute(folder)}/".startswith(f"{ours}/"):
        return False
    if not os.path.isdir(folder):
        return False
    signs = (
        "cuda_runtime.h", "cub/cub.cuh", "curand_kernel.h",
        "crt/host_defines.h",
    )  # fmt: skip
    return any(os.path.isfile(os.path.join(folder, sign)) for sign in signs)


def search_dirs(user_dirs: list[str], on_gpu: bool) -> list[str]:
    """Return every include folder of a compilation, in order.

    The user's folders come first.  On a GPU this package's replacement headers
    follow, before any folder of a toolkit, because they extend its headers by
    #include_next.
    """
    ours = os.path.join(package_dir(), "cuda")
    if not on_gpu:
        return [*user_dirs, ours]
    plain = [d for d in user_dirs if not _is_toolkit(d)]
    toolkits = [d for d in user_dirs if _is_toolkit(d)]
    stand_ins = [os.path.join(ours, "nvrtc"), os.path.join(ours, "std")]
    additions = os.path.join(ours, "cccl")
    dirs = [*plain, *stand_ins, ours, additions, *toolkits]
    return list(dict.fromkeys([*dirs, *wheel_dirs(), *toolkit_dirs()]))


@functools.cache
def _foreign_identity(folder: str) -> bytes:
    """Return the identity of a toolkit's or wheel's include folder."""
    return _version_of(folder) or _dates_in(folder)


def _version_of(folder: str) -> bytes:
    """Return versions of NVIDIA's wheels, or of the toolkit, in `folder`."""
    site, nvidia, _ = folder.rpartition(f"{os.sep}nvidia{os.sep}")
    if nvidia:
        names = sorted(os.listdir(site))
        return files.encode("\n".join(filter(_WHEEL.match, names)))
    for _ in range(4):
        folder = os.path.dirname(folder)
        try:
            with open(os.path.join(folder, "version.json"), "rb") as stream:
                return stream.read()
        except OSError:
            continue
    return b""


def _dates_in(folder: str) -> bytes:
    """Return size and date of some headers, if no version can be found."""
    parts = []
    for name in ("cuda.h", "cuda_runtime.h", "nvrtc.h", "cub/cub.cuh"):
        try:
            status = os.stat(os.path.join(folder, name))
        except OSError:
            continue
        parts.append(f"{name}:{status.st_size}:{status.st_mtime_ns}")
    return files.encode("\n".join(parts))


def _find(name: str, here: str, folders: Folders) -> list[str]:
    """Return the files that `name`, in its <> or "", can mean.

    The result has all of them, not only the first: an #include_next reaches
    the others.
    """
    bare = name[1:-1]
    if name.startswith('"') and f"{here}/".startswith(ours("")):
        next_to_it = os.path.normpath(os.path.join(here, bare))
        if _is_file(next_to_it):
            # a file next to the including file takes precedence over files in
            # the program's include folders
            return [next_to_it]
    if os.path.isabs(bare):
        places = [""]
    elif name.startswith('"'):
        places = [here, *folders.all]
    else:
        places = folders.all
    paths = (os.path.normpath(os.path.join(d, bare)) for d in places)
    return [p for p in dict.fromkeys(paths) if _is_file(p)]


def _is_file(path: str) -> bool:
    """Return whether a path is a regular file; raise for pipes and devices."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise SpecialFile(f"{path!r} cannot be included: no regular file")
    return stat.S_ISREG(mode)


def scan(
    text: str, pre_includes: list[str], folders: Folders, definitions: str = ""
) -> Scan:
    """Follow the includes of `text` and of the pre-included headers.

    `definitions` is the text of the options, which may define macros.
    """
    result = Scan(uses_references=_source.names_reference(text))
    here = files.current_folder()
    todo = [(name, here) for name in _source.included_names(text)]
    todo += [(f'"{name}"', here) for name in pre_includes]
    seen: set[str] = set()
    while todo:
        name, here = todo.pop()
        if name[0] not in '<"':
            # the #include names a macro, so the file is not known
            result.complete = False
            continue
        paths = _find(name, here, folders)
        if not paths:
            result.files.append((name, b""))
        for path in paths:
            if path not in seen:
                seen.add(path)
                todo += _read(path, folders, result)
    if not result.complete:
        texts = [files.decode(content) for _, content in result.files]
        lines = [
            line
            for each in [text, *texts]
            for line in _DEFINITION.findall(each)
        ]
        _refuse_special_files([definitions, *lines], folders)
    return result


def _refuse_special_files(definitions: list[str], folders: Folders) -> None:
    """Raise SpecialFile if a macro is the name of a special file."""
    here = files.current_folder()
    names = {name for text in definitions for name in _QUOTED.findall(text)}
    for name in names:
        _find(f'"{name[1:-1]}"', here, folders)


def _read(path: str, folders: Folders, result: Scan) -> list[tuple[str, str]]:
    """Add one file to `result`; return its includes with its folder."""
    ours = os.path.join(package_dir(), "cuda") + os.sep
    is_ours = path.startswith(ours)
    if is_ours:
        name = path.removeprefix(ours)
    else:
        name = _label(path, folders.all)
        for folder in folders.foreign:
            if path.startswith(folder + os.sep):
                result.files.append((name, _foreign_identity(folder)))
                return []
    try:
        content, refers, found = (
            _look_at_ours(path) if is_ours else _read_source(path)
        )
    except OSError:
        result.complete = False
        return []
    result.files.append((name, content))
    if refers and not (is_ours and name == REFERENCES):
        result.uses_references = True
    if not is_ours and _source.names_files(files.decode(content)):
        result.names_files = True
    here = os.path.dirname(path)
    return [(name, here) for name in found]


def _read_source(path: str) -> tuple[bytes, bool, list[str]]:
    """Return a file's content, whether it uses references, its includes."""
    content = files.read_regular(path)
    text = files.decode(content)
    refers = _source.names_reference(text)
    return content, refers, _source.included_names(text)


_look_at_ours = functools.cache(_read_source)


def _label(path: str, dirs: list[str]) -> str:
    """Return a file's name relative to the searched folders, or its path."""
    for number, folder in enumerate([*dirs, files.current_folder()]):
        inside = os.path.normpath(folder) + os.sep
        if path.startswith(inside):
            return f"{number}:{path[len(inside) :]}"
    return path
