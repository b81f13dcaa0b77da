"""The C programs in this folder, on the current device."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# These would test results of a GPU's driver that NVIDIA does not define.
MARKS = {
    "faults": [pytest.mark.cpu],
    # Its children compile although threads of the parent were in malloc at the
    # fork, which AddressSanitizer of GCC 12 does not prepare for: sometimes a
    # child waits forever (SizeClassAllocator64::GetFromAllocator, under
    # opendir).
    "forks": [pytest.mark.cpu, pytest.mark.no_sanitizer],
    # The sanitizer intercepts the lock between the library and the program.
    "preempted_workers": [pytest.mark.cpu, pytest.mark.no_sanitizer],
}
PROGRAMS = [
    pytest.param(name, marks=MARKS.get(name, ()))
    for name in sorted(path.stem for path in HERE.glob("*.c"))
]

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="no C compiler: apt install gcc"
)


def libraries(device: str) -> dict[str, str]:
    """Return the library names that native.h opens."""
    import pycuda
    from pycuda import _driver

    if device == "gpu":
        return {
            "NATIVE_DRIVER": "libcuda.so.1",
            "NATIVE_NVRTC": _driver._nvrtc_info()[0],
        }
    inside = Path(pycuda.__file__).parent / "lib/libpycuda_cpu.so"
    library = os.environ.get("PYCUDA_CPU_LIBRARY", str(inside))
    return {"NATIVE_DRIVER": library, "NATIVE_NVRTC": library}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, device: str, tmp_path: Path) -> None:
    """The program builds without a warning, and all checks pass."""
    program = tmp_path / name
    command = ["cc", "-g", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/src"]
    command += [str(HERE / f"{name}.c"), "-o", str(program), "-ldl", "-lm"]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [str(program)],
        env=os.environ | libraries(device),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"{name}: Success\n"
