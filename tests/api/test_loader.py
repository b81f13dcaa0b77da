"""Selection of the driver, NVRTC and cuBLAS, with libraries built here."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import declarations as decl
import pytest

pytestmark = pytest.mark.usefixtures("compiler")

SOURCES = ["table.c", "loader.c", "nvrtc_loader.c", "cublas_loader.c"]
SOURCES.append("nccl_loader.c")


def gcc(*arguments: object) -> None:
    done = subprocess.run(
        ["gcc", "-std=gnu11", "-D_GNU_SOURCE", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def library(path: Path, source: str) -> Path:
    """Build a shared library from C source."""
    path.parent.mkdir(parents=True, exist_ok=True)
    code = path.with_suffix(".c")
    code.write_text(source)
    gcc("-shared", "-fPIC", code, "-o", path)
    return path


def make_driver(folder: Path, code: int) -> Path:
    """Build a libcuda.so.1 with a cuInit that returns `code`."""
    library(
        folder / "libcuda.so.1",
        f"int cuInit(unsigned f) {{ return f ? 1 : {code}; }}\n"
        "int cuDriverGetVersion(int *v) { *v = 13000; return 0; }\n"
        "int cuDeviceGetCount(int *n) { *n = 1; return 0; }\n"
        "int cuGetErrorString(int c, const char **t)"
        '{ *t = c == 803 ? "driver mismatch" : "some text"; return 0; }\n',
    )
    return folder


def make_nvrtc(path: Path, version: int, archs: list[int]) -> Path:
    """Build a libnvrtc of `version` (major * 1000 + minor * 10)."""
    listed = ", ".join(map(str, archs))
    return library(
        path,
        "int nvrtcVersion(int *a, int *b)"
        f"{{ *a = {version // 1000}; *b = {version % 1000 // 10}; return 0; }}"
        f"static int archs[] = {{{listed}}};"
        "int nvrtcGetNumSupportedArchs(int *n)"
        "{ *n = sizeof archs / sizeof *archs; return 0; }"
        "int nvrtcGetSupportedArchs(int *to)"
        "{ __builtin_memcpy(to, archs, sizeof archs); return 0; }",
    )


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    """The compiled probe."""
    program = tmp_path_factory.mktemp("probe") / "probe"
    sources = [decl.API / name for name in SOURCES]
    here = Path(__file__).with_name("loader_probe.c")
    gcc(
        f"-I{decl.ROOT}/src", here, *sources, "-ldl", "-pthread", "-o", program
    )
    return program


@pytest.fixture
def ask(probe, tmp_path):
    """Run the probe; return its lines by their first word."""
    package = tmp_path / "pycuda"
    library(
        package / "lib" / "libpycuda_cpu.so",
        "int cuInit(unsigned f) { return f; }"
        "int nvrtcVersion(int *a, int *b) { *a = 13; *b = 0; return 0; }",
    )

    def run(
        *folders: Path,
        path: Path | None = None,
        driver: int = 13000,
        arch: int = 90,
        **variables: str,
    ) -> dict[str, str]:
        keep = {
            k: v
            for k, v in os.environ.items()
            # Dask sets MALLOC_TRIM_THRESHOLD_ in the process of its cluster
            if not re.match(r"PYCUDA_|CUDA_|LD_|MALLOC_|GLIBC_", k)
        }
        if path is not None:
            variables["LD_LIBRARY_PATH"] = str(path)
        done = subprocess.run(
            [probe, package, str(driver), str(arch), *map(str, folders)],
            env=keep | variables,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        lines = done.stdout.splitlines()
        return dict(line.split(" ", 1) for line in lines)

    return run


def test_functions_before_opening_say_not_initialised(ask):
    assert ask(PYCUDA_DEVICE="cpu")["before"] == "3, 3, invalid input"


def test_missing_functions_are_stubs(ask):
    said = ask(PYCUDA_DEVICE="cpu")["missing"]
    number = int(said.split(",")[0])
    assert number > 300
    assert said == f"{number}, cuMemAlloc 801, cuInit 0"


@pytest.mark.parametrize("code", [0])
def test_auto_takes_a_working_driver(ask, tmp_path, code):
    said = ask(path=make_driver(tmp_path / "gpu", code))["driver"]
    assert said.startswith("0 gpu fell_back=0")
    assert said.endswith("[libcuda.so.1] ")  # without an error text


@pytest.mark.parametrize("code", [100, 34])
def test_auto_falls_back_where_there_is_no_device(ask, tmp_path, code):
    said = ask(path=make_driver(tmp_path / "gpu", code))["driver"]
    assert said.startswith("0 cpu fell_back=1")
    assert f"cuInit failed: some text (code {code})" in said
    assert "using the CPU device" in said


@pytest.mark.parametrize("code", [803, 802, 999, 3])
def test_auto_refuses_a_broken_driver(ask, tmp_path, code):
    said = ask(path=make_driver(tmp_path / "gpu", code))["driver"]
    assert said.startswith("-1 closed")
    assert f"(code {code})" in said
    assert "PYCUDA_DEVICE=cpu" in said
    if code == 803:
        assert "cuInit failed: driver mismatch" in said


def test_auto_refuses_a_damaged_library(ask, tmp_path):
    (tmp_path / "libcuda.so.1").write_text("no library at all")
    said = ask(path=tmp_path)["driver"]
    assert said.startswith("-1 closed")
    assert "cannot be loaded" in said


def test_a_driver_that_lacks_a_library_is_broken_not_absent(ask, tmp_path):
    needed = library(tmp_path / "x" / "libneeded.so", "int needed;")
    source = tmp_path / "cuda.c"
    source.write_text("extern int needed; int cuInit(void){return needed;}")
    target = tmp_path / "gpu" / "libcuda.so.1"
    target.parent.mkdir()
    gcc("-shared", "-fPIC", source, needed, "-o", target)
    needed.unlink()
    said = ask(path=target.parent)["driver"]
    assert said.startswith("-1 closed")


def test_auto_without_libcuda_falls_back(ask):
    said = ask()["driver"]
    if "libcuda.so.1, NVIDIA's driver, was not found" not in said:
        pytest.skip("this machine has a libcuda")
    assert said.startswith("0 cpu fell_back=1")


@pytest.mark.parametrize("code", [100, 34, 803])
def test_gpu_never_falls_back(ask, tmp_path, code):
    folder = make_driver(tmp_path / "gpu", code)
    said = ask(path=folder, PYCUDA_DEVICE="gpu")["driver"]
    assert said.startswith("-1 closed")
    assert f"(code {code})" in said


def test_cpu_ignores_the_driver(ask, tmp_path):
    folder = make_driver(tmp_path / "gpu", 0)
    said = ask(path=folder, PYCUDA_DEVICE="cpu")["driver"]
    assert said.startswith("0 cpu fell_back=0")


def test_unknown_device_names_the_three(ask):
    said = ask(PYCUDA_DEVICE="tpu")["driver"]
    assert said.startswith("-1 closed")
    assert "'tpu'" in said
    assert "auto, gpu or cpu" in said


def test_cpu_library_that_is_not_there(ask):
    said = ask(PYCUDA_DEVICE="cpu", PYCUDA_CPU_LIBRARY="/nowhere/lib.so")
    assert said["driver"].startswith("-1 closed")
    assert "/nowhere/lib.so does not exist" in said["driver"]


def test_cpu_device_is_its_own_compiler(ask):
    said = ask(PYCUDA_DEVICE="cpu")["nvrtc"]
    assert said.startswith("0 cpu fell_back=0 version=13000")


@pytest.fixture
def gpu(tmp_path):
    """Return the folder of a driver that works."""
    return make_driver(tmp_path / "gpu", 0)


def wheel(folder: Path, name: str, version: int, archs: list[int]) -> Path:
    path = folder / name / f"libnvrtc.so.{version // 1000}"
    make_nvrtc(path, version, archs)
    return folder


def run_python(code: str, gpu: Path) -> str:
    """Return the output of a program that finds this driver."""
    settings = {"LD_LIBRARY_PATH": str(gpu), "PYCUDA_DEVICE": "gpu"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_init_is_needed_though_opening_a_driver_calls_it(gpu):
    code = (
        "import pycuda.driver as drv; drv.get_driver_version()\n"
        "try: drv.Device.count()\n"
        "except drv.LogicError as error: print(error)\n"
        "drv.init(); print(drv.Device.count())"
    )
    refused, count = run_python(code, gpu).splitlines()
    assert "init()" in refused and count == "1"


NEW, OLD = "nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"


def test_first_fitting_wheel_is_taken(ask, gpu, tmp_path):
    a = wheel(tmp_path / "a", NEW, 13000, [75, 80, 90, 100])
    wheel(a, OLD, 12090, [50, 70, 75, 80, 90])
    said = ask(a, path=gpu)["nvrtc"]
    assert "version=13000 arch=90 ptx=0" in said
    assert str(a / NEW) in said


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="the C library is not glibc"
)
def test_what_nvrtc_frees_is_kept_for_its_next_program(ask, gpu, tmp_path):
    a = wheel(tmp_path / "a", NEW, 13000, [75, 90])
    said = ask(a, path=gpu)
    assert said["nvrtc"].startswith("0 gpu"), said
    before, after = map(int, said["faults"].split())
    assert before > 1000 > 100 > after, said
    before, after = map(int, ask(PYCUDA_DEVICE="cpu")["faults"].split())
    assert after > 1000


def test_wheels_are_looked_for_below_the_folders_of_sys_path(gpu, tmp_path):
    a = wheel(tmp_path / "a", NEW, 13000, [75, 90])
    code = (
        f"import sys; sys.path.insert(0, {str(a)!r}); "
        "from pycuda import _driver; print(_driver._nvrtc_info())"
    )
    path = str(a / NEW / "libnvrtc.so.13")
    assert run_python(code, gpu) == f"{(path, 13, 0, [75, 90])}\n"


def test_newer_major_than_the_driver_is_refused(ask, gpu, tmp_path):
    a = wheel(tmp_path / "a", NEW, 13000, [75, 90])
    wheel(a, OLD, 12090, [50, 75, 90])
    said = ask(a, path=gpu, driver=12040)["nvrtc"]
    assert "version=12090 arch=90 ptx=0" in said


def test_old_device_needs_the_older_compiler(ask, gpu, tmp_path):
    a = wheel(tmp_path / "a", NEW, 13000, [75, 90])
    b = wheel(tmp_path / "b", OLD, 12090, [50, 61, 75, 90])
    said = ask(a, b, path=gpu, arch=61)["nvrtc"]
    assert "version=12090 arch=61 ptx=0" in said


def test_newer_device_goes_through_ptx(ask, gpu, tmp_path):
    a = wheel(tmp_path / "a", OLD, 12000, [75, 90])
    b = wheel(tmp_path / "b", NEW, 13000, [75, 90, 980])
    said = ask(a, b, path=gpu, arch=990)
    assert "version=13000 arch=980 ptx=1" in said["nvrtc"]
    assert "cannot compile for compute capability 6.1" in said["again"]


def test_none_that_fits_names_the_command(ask, gpu, tmp_path):
    a = wheel(tmp_path / "a", NEW, 13000, [75, 90])
    said = ask(a, path=gpu, arch=61)["nvrtc"]
    assert said.startswith("-1 closed")
    assert "compute capability 6.1" in said
    assert "supports no architecture of this device" in said
    assert "pip install 'nvidia-cuda-nvrtc-cu12'" in said


@pytest.mark.parametrize(
    ("driver", "requirement"),
    [
        (13000, "nvidia-cuda-nvrtc==13.0.*"),
        (12020, "nvidia-cuda-nvrtc-cu12==12.2.*"),
    ],
)
def test_none_at_all_names_the_drivers_own(ask, gpu, driver, requirement):
    said = ask(path=gpu, driver=driver)["nvrtc"]
    if said.startswith("0"):
        pytest.skip("this machine has an NVRTC")
    assert f"pip install '{requirement}'" in said


def test_variable_names_the_library(ask, gpu, tmp_path):
    a = wheel(tmp_path / "a", NEW, 13000, [75, 90])
    other = make_nvrtc(tmp_path / "mine.so", 12050, [80, 90])
    said = ask(a, path=gpu, PYCUDA_NVRTC=str(other))
    assert f"[{other}]" in said["nvrtc"]
    assert said["compile"] == "7", "it has no such function"
    refused = ask(a, path=gpu, driver=11080, PYCUDA_NVRTC=str(other))
    assert "newer than the driver" in refused["nvrtc"]
    absent = ask(a, path=gpu, PYCUDA_NVRTC="/nowhere.so")["nvrtc"]
    assert absent.startswith("-1")
    assert "/nowhere.so" in absent


def test_toolkit_folder_comes_after_the_wheels(ask, gpu, tmp_path):
    home = tmp_path / "toolkit"
    make_nvrtc(home / "lib64" / "libnvrtc.so.13", 13000, [75, 90])
    said = ask(path=gpu, CUDA_PATH=str(home))["nvrtc"]
    assert str(home / "lib64") in said
    a = wheel(tmp_path / "a", OLD, 12090, [90])
    said = ask(a, path=gpu, CUDA_HOME=str(home))["nvrtc"]
    assert "version=12090" in said


def test_the_loaders_own_path_comes_last(ask, gpu, tmp_path):
    make_nvrtc(gpu / "libnvrtc.so.13", 13000, [75, 90])
    said = ask(path=gpu)["nvrtc"]
    assert "version=13000" in said and "[libnvrtc.so.13]" in said
    a = wheel(tmp_path / "a", OLD, 12090, [90])
    assert "version=12090" in ask(a, path=gpu)["nvrtc"]


# -- cuBLAS


def make_cublas(folder: Path, major: int) -> Path:
    """Build both libraries of cuBLAS; every function succeeds."""
    rows = (decl.API / "cublas_rows.h").read_text()
    names = re.findall(r"^CUBLAS_ROW\(\w+, (\w+)", rows, re.M)
    made = "".join(f"int {name}(void) {{ return 0; }}\n" for name in names)
    library(folder / f"libcublasLt.so.{major}", "int lt;")
    return library(folder / f"libcublas.so.{major}", made)


def test_a_wheel_of_cublas_goes_before_the_toolkits(ask, gpu, tmp_path):
    """Within a major version a wheel comes first; the newest version wins."""
    home = tmp_path / "toolkit"
    toolkit = make_cublas(home / "lib64", 12)
    where = {"path": gpu, "CUDA_PATH": str(home)}
    said = ask(driver=12090, **where)["cublas"]
    assert said.startswith("0 gpu")
    assert f"[{toolkit}]" in said
    older = make_cublas(tmp_path / "a/nvidia/cublas/lib", 12)
    said = ask(tmp_path / "a", driver=12090, **where)["cublas"]
    assert f"[{older}]" in said
    newer = make_cublas(tmp_path / "b" / NEW, 13)
    both = tmp_path / "a", tmp_path / "b"
    assert f"[{newer}]" in ask(*both, path=gpu)["cublas"]
    said = ask(*both, path=gpu, driver=12090)["cublas"]
    assert f"[{older}]" in said, "13 is newer than the driver"


def test_cublas_that_is_not_whole_is_passed_over(ask, gpu, tmp_path):
    first, second = tmp_path / NEW, tmp_path / "nvidia/cublas/lib"
    make_cublas(first, 12)
    (first / "libcublasLt.so.12").unlink()
    older = make_cublas(second, 12)
    said = ask(tmp_path, path=gpu, driver=12090)["cublas"]
    assert f"[{older}]" in said
    make_cublas(first, 13)
    library(first / "libcublas.so.13", "int cublasCreate_v2 = 0;")
    assert f"[{older}]" in ask(tmp_path, path=gpu)["cublas"]


def test_the_cpu_device_takes_no_other_cublas(ask, tmp_path):
    """Only its own library is used, not the one built here."""
    make_cublas(tmp_path / NEW, 13)
    said = ask(tmp_path, PYCUDA_DEVICE="cpu")["cublas"]
    assert said.startswith("-1 closed")
