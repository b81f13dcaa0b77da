"""The C programs beside this file, on the device that the tests run on."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# Of a GPU's driver these would ask answers that NVIDIA does not promise.
MARKS = {
    "faults": [pytest.mark.cpu],
    # Its children compile while threads of the parent were in malloc, which
    # AddressSanitizer of GCC 12 does not prepare for fork(): now and then one
    # waits for good (SizeClassAllocator64::GetFromAllocator, under opendir).
    "forks": [pytest.mark.cpu, pytest.mark.no_sanitizer],
    # It stands between the library and its lock.
    "held": [pytest.mark.cpu, pytest.mark.no_sanitizer],
}
PROGRAMS = [
    pytest.param(name, marks=MARKS.get(name, ()))
    for name in sorted(path.stem for path in HERE.glob("*.c"))
]

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="no C compiler: apt install gcc"
)


def libraries(device: str) -> dict[str, str]:
    """The names that native.h opens."""
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
    """It builds without a warning and finds nothing wrong."""
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
