"""A broken or incomplete system: each case in a separate process."""

# SPDX-License-Identifier: MIT

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pycuda import _environment

ROOT = Path(__file__).resolve().parents[2]
FAKE_DRIVER = """
int cuInit(unsigned flags) { (void)flags; return CODE; }
int cuGetErrorString(int code, const char **text)
{
  (void)code;
  *text = "the text of the driver";
  return 0;
}
"""

COMPILE = """
    from pycuda.compiler import compile
    import pycuda.autoinit
    compile("__global__ void f(int *a) { *a = 1; }", cache_dir=False)
"""


def run(code, **environment):
    """Run Python `code`; return its exit status and output."""
    stored = {k: v for k, v in os.environ.items() if k != "PYCUDA_DEVICE"}
    done = subprocess.run(
        [sys.executable, "-P", "-W", "always", "-c", textwrap.dedent(code)],
        env={**stored, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def last_line(text):
    return text.strip().splitlines()[-1]


def test_use_before_init():
    status, text = run(
        """
        import pycuda.driver as drv
        for call in (
            lambda: drv.Device(0),
            lambda: drv.Device.count(),
            lambda: drv.mem_alloc(4),
        ):
            try:
                call()
            except drv.LogicError as error:
                print("refused:", error)
        """
    )
    assert status == 0, text
    assert text.count("refused:") == 3
    assert text.count("init()") >= 2


def test_no_context():
    status, text = run(
        """
        import numpy as np
        import pycuda.driver as drv
        import pycuda.gpuarray as gpuarray
        from pycuda.compiler import SourceModule
        drv.init()
        for call in (
            lambda: drv.mem_alloc(4),
            lambda: gpuarray.zeros(4, np.float32),
            lambda: SourceModule(""),
            lambda: drv.Context.synchronize(),
            lambda: drv.Stream(),
        ):
            try:
                call()
            except drv.LogicError as error:
                print("refused:", error)
        """
    )
    assert status == 0, text
    assert text.count("refused:") == 5, text
    assert text.count("context") >= 5


def test_an_unknown_device():
    status, text = run("import pycuda.autoinit", PYCUDA_DEVICE="quantum")
    assert status == 1
    assert "PYCUDA_DEVICE" in last_line(text)
    status, text = run("import pycuda.autoinit", CUDA_DEVICE="77")
    assert status == 1
    assert "LogicError" in last_line(text)
    status, text = run("import pycuda.autoinit", CUDA_DEVICE="first")
    assert status == 1
    assert "device number" in last_line(text)


@pytest.mark.cpu
def test_a_named_clang_that_is_missing():
    status, text = run(
        COMPILE, PYCUDA_DEVICE="cpu", PYCUDA_CLANG="/nonexistent/clang"
    )
    assert status == 1
    assert "CompileError" in text
    assert "PYCUDA_CLANG" in text


@pytest.fixture
def package_elsewhere(tmp_path):
    """Copy the package to a folder that has no ziglang."""
    import pycuda

    if os.path.exists("/usr/lib/llvm-19/bin/clang"):
        pytest.skip("the system's clang-19 is found by its full name")
    shutil.copytree(Path(pycuda.__file__).parent, tmp_path / "pycuda")
    return {
        "PYCUDA_DEVICE": "cpu",
        "PATH": str(tmp_path / "empty"),
        "PYTHONPATH": str(tmp_path),
    }


@pytest.mark.cpu
def test_ziglang_in_another_folder_than_the_package(package_elsewhere):
    import sysconfig

    if not (Path(sysconfig.get_path("platlib")) / "ziglang/zig").exists():
        pytest.skip("no ziglang")
    status, text = run(COMPILE, **package_elsewhere)
    assert status == 0, text


@pytest.mark.cpu
def test_no_clang_at_all(package_elsewhere):
    """Clang is not next to the package, not in the variable, not on PATH."""
    status, text = run(
        COMPILE, **package_elsewhere, PYCUDA_ZIGLANG="/nonexistent"
    )
    assert status == 1, text
    assert "CompileError" in text
    assert "ziglang" in text


@pytest.mark.cpu
def test_no_helper():
    status, text = run(
        COMPILE, PYCUDA_DEVICE="cpu", PYCUDA_JIT="/nonexistent/jit"
    )
    assert status == 1
    assert "CompileError" in text and "PYCUDA_JIT" in text


@pytest.mark.gpu
def test_no_nvrtc():
    status, text = run(
        COMPILE, PYCUDA_DEVICE="gpu", PYCUDA_NVRTC="/nonexistent/nvrtc.so"
    )
    assert status == 1
    assert "PYCUDA_NVRTC" in last_line(text)


@pytest.mark.cpu
def test_no_cpu_library():
    status, text = run(
        "import pycuda.autoinit",
        PYCUDA_DEVICE="cpu",
        PYCUDA_CPU_LIBRARY="/nonexistent/libpycuda_cpu.so",
    )
    assert status == 1
    assert "PYCUDA_CPU_LIBRARY" in last_line(text)


@pytest.fixture
def fake_driver(tmp_path):
    """Build a libcuda.so.1 with a cuInit that fails; return its folder."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")

    def make(code):
        source = tmp_path / "driver.c"
        source.write_text(FAKE_DRIVER)
        library = tmp_path / "libcuda.so.1"
        words = ["-shared", "-fPIC", f"-DCODE={code}", "-o", str(library)]
        subprocess.run([compiler, *words, str(source)], check=True)
        return str(tmp_path)

    return make


@pytest.mark.parametrize("code", [999, 802, 803])
@pytest.mark.parametrize("device", ["auto", "gpu"])
def test_a_broken_driver(fake_driver, code, device):
    status, text = run(
        "import pycuda.autoinit",
        LD_LIBRARY_PATH=fake_driver(code),
        PYCUDA_DEVICE=device,
    )
    assert status == 1
    line = last_line(text)
    assert "the text of the driver" in line
    assert str(code) in line
    assert "PYCUDA_DEVICE=cpu" in line


@pytest.mark.cpu
@pytest.mark.parametrize("code", [100, 34])
def test_a_driver_without_a_device(fake_driver, code):
    folder = fake_driver(code)
    status, text = run(
        "import pycuda.autoinit; print('on', pycuda.autoinit.device.name())",
        LD_LIBRARY_PATH=folder,
        PYCUDA_DEVICE="auto",
    )
    assert status == 0, text
    assert "UserWarning" in text and "CPU device" in text
    status, text = run(
        "import pycuda.autoinit",
        LD_LIBRARY_PATH=folder,
        PYCUDA_DEVICE="gpu",
    )
    assert status == 1
    assert "PYCUDA_DEVICE=cpu" in last_line(text)


def test_a_library_that_is_no_driver(tmp_path):
    (tmp_path / "libcuda.so.1").write_text("not a library")
    status, text = run(
        "import pycuda.autoinit",
        LD_LIBRARY_PATH=str(tmp_path),
        PYCUDA_DEVICE="auto",
    )
    assert status == 1
    assert "PYCUDA_DEVICE=cpu" in last_line(text)


def test_a_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    status, text = run(
        """
        import pycuda.autoinit
        from pycuda.compiler import SourceModule
        for n in range(2):
            SourceModule("__global__ void f(int *a) { *a = %d; }" % n)
        print("done")
        """,
        PYCUDA_CACHE_DIR=str(tmp_path / "file" / "cache"),
    )
    assert status == 0, text
    assert text.count("Compiled kernels are not kept") == 1
    assert "done" in text


@pytest.mark.cpu
@pytest.mark.parametrize("name", ["PYCUDA_CPU_DEVICES", "PYCUDA_CPU_THREADS"])
@pytest.mark.parametrize("value", ["many", "0", "-2", "2x", "1.5"])
def test_counts_that_are_none(name, value):
    status, text = run(
        "import pycuda.autoinit", PYCUDA_DEVICE="cpu", **{name: value}
    )
    assert status == 1
    line = last_line(text)
    assert f"{name} is '{value}'; it must be a whole number from 1" in line


WRONG = {
    "PYCUDA_CPU_DEVICES": (["65", "1000", "9999999999"], "from 1 to 64"),
    "PYCUDA_CPU_MEMORY": (["-1", "nan", "0", "1,5", "8Q"], "number of bytes"),
    "PYCUDA_CPU_TIMEOUT": (["-1", "nan", "0", "1,5", "5s"], "positive number"),
    "PYCUDA_CPU_CHECK": (["-1", "nan", "memory;race"], "list of memory"),
    "PYCUDA_CPU_ARCH": (
        ["81", "sm_100", "sm_80a", "8", "8.", "8.00", "-1", "ampere"],
        "sm_80 (the default)",
    ),
    "CUDA_DEVICE": (["-1", "7", "2e0", "", "nan"], "device number"),
    "CUDA_VISIBLE_DEVICES": (["", "-1", "gpu", "9", "0,0"], "no device"),
}


@pytest.mark.cpu
@pytest.mark.parametrize("name", WRONG)
def test_wrong_values(name):
    """The last line names the variable, the value and what is valid."""
    values, valid = WRONG[name]
    for value in values:
        status, text = run(
            "import pycuda.autoinit", PYCUDA_DEVICE="cpu", **{name: value}
        )
        assert status == 1, (value, text)
        line = last_line(text)
        assert name in line and f"'{value}'" in line, line
        assert valid in line, line


@pytest.mark.parametrize("name", ["PYCUDA_POOL", "PYCUDA_THREAD_CONTEXT"])
def test_wrong_switches(name):
    status, text = run("import pycuda.driver; print('done')", **{name: "yes"})
    assert status == 0
    assert f"{name} is 'yes'; it must be 0 or 1" in text
    assert "done" in text


@pytest.mark.cpu
def test_a_wrong_file_of_the_device(tmp_path):
    for value in ("-1", "many", "3\n"):
        (tmp_path / ".cuda_device").write_text(value)
        status, text = run(
            "import pycuda.autoinit", PYCUDA_DEVICE="cpu", HOME=str(tmp_path)
        )
        assert status == 1
        assert ".cuda_device must be a device number" in last_line(text)
        assert repr(value.strip()) in last_line(text)


def test_a_wrong_pool_variable():
    status, text = run("import pycuda.driver", PYCUDA_POOL="no")
    assert status == 0
    assert "UserWarning: PYCUDA_POOL is 'no'; it must be 0 or 1" in text


@pytest.mark.cpu
@pytest.mark.no_sanitizer  # ASan reserves terabytes of addresses
@pytest.mark.parametrize("mib", [100, 130])
def test_a_limit_of_addresses_that_is_set_late(mib):
    """A compiler that cannot start, or ends, is explained at once."""
    status, text = run(
        f"""
        import resource, time
        import pycuda.autoinit
        from pycuda.compiler import compile
        # Free memory for Python itself, which gets no more after the limit:
        # without it some layouts of the heap end in a MemoryError.
        small = [bytes(300) for _ in range(20_000)][::1000]
        large = [bytes(100_000) for _ in range(40)][::10]
        resource.setrlimit(resource.RLIMIT_AS, ({mib} << 20, -1))
        begun = time.monotonic()
        try:
            compile("__global__ void f(int *a) {{ *a = 1; }}", cache_dir=False)
        finally:
            assert time.monotonic() - begun < 5
        """,
        PYCUDA_DEVICE="cpu",
    )
    assert status == 1
    assert "CompileError" in text
    assert f"limited to {mib} MiB" in text, text
    assert "pip install" not in text


LOCALE = """
    import locale
    import numpy as np
    import pycuda.autoinit
    import pycuda.driver as drv
    from pycuda import gpuarray
    from pycuda.compiler import SourceModule
    from pycuda.elementwise import ElementwiseKernel
    from pycuda.scan import InclusiveScanKernel
    locale.setlocale(locale.LC_ALL, "de_XX")
    assert locale.str(0.5) == "0,5"
    code = r'''#include <cstdio>
    __global__ void k(float *a)
    { a[0] = 1.25f; a[1] = 0x1.8p1f;
      printf("%.2f %g %e %a %8.3f|", 0.5, 1e-3, 2.5, 0.5, 1.5f); }
    __global__ void inline_ptx(float *a)
    { asm("mov.f32 %0, 0f3FC00000;" : "=f"(a[0]));
      asm("add.f32 %0, %0, 0.25;" : "+f"(a[0])); }'''
    module = SourceModule(code, cache_dir=False, no_extern_c=False)
    a = gpuarray.zeros(2, np.float32)
    module.get_function("k")(a, block=(1, 1, 1))
    assert a.get().tolist() == [1.25, 3.0], a
    module.get_function("inline_ptx")(a, block=(1, 1, 1))
    assert a.get()[0] == 1.75, a
    pycuda.autoinit.context.synchronize()
    ElementwiseKernel("float *z", "z[i] = 0.5f * 3", "e")(a)
    assert (a.get() == 1.5).all()
    b = gpuarray.arange(4, dtype=np.float64) * 0.5 + 0.25
    assert b.get().tolist() == [0.25, 0.75, 1.25, 1.75]
    InclusiveScanKernel(np.float64, "a + b * 1.0", neutral="0.0")(b)
    assert b.get().tolist() == [0.25, 1.0, 2.25, 4.0]
    b.fill(0.125)
    assert float(gpuarray.sum(b).get()) == 0.5
    print("works")
"""


@pytest.fixture(scope="module")
def comma_locale(tmp_path_factory):
    """Make a locale with a decimal comma; return its folder."""
    localedef = shutil.which("localedef")
    folder = tmp_path_factory.mktemp("locales")
    words = ["-i", "de_DE", "-f", "UTF-8", str(folder / "de_XX")]
    if localedef is not None:
        subprocess.run([localedef, *words], capture_output=True, check=False)
    # Without sources, localedef makes an empty folder.
    if not (folder / "de_XX" / "LC_NUMERIC").exists():
        pytest.skip("needs localedef and the sources of locales")
    return folder


@pytest.mark.cpu
def test_a_locale_with_a_decimal_comma(comma_locale):
    status, text = run(
        LOCALE,
        LOCPATH=str(comma_locale),
        PYCUDA_DEVICE="cpu",
        PYCUDA_CPU_TIMEOUT="30.5",
        PYCUDA_CACHE_SIZE="0.5",
    )
    assert status == 0, text
    assert "works" in text
    assert "0.50 0.001 2.500000e+00 0x1p-1    1.500|" in text, text


@pytest.mark.cpu
def test_counts_that_are_set():
    status, text = run(
        """
        import pycuda.autoinit
        import pycuda.driver as drv
        print(drv.Device.count(), drv.Device(0).name())
        """,
        PYCUDA_DEVICE="cpu",
        PYCUDA_CPU_DEVICES=" 3",
        PYCUDA_CPU_THREADS="1",
    )
    assert status == 0
    assert last_line(text).startswith("3 PyCUDA CPU device (1 CPU thread")
    status, text = run(
        "import pycuda.autoinit", PYCUDA_DEVICE="cpu", PYCUDA_CPU_DEVICES=""
    )
    assert status == 0


# A planted fault of the compiler's tests, and the example of a docstring.
NOT_FOR_USERS = {"PYCUDA_JIT_PLANT", "PYCUDA_NO_SUCH"}


def test_the_page_has_every_variable():
    """docs/environment.md lists the variables that the sources read."""
    named = set()
    listed = ROOT / "pycuda/_environment.py"
    for folder in ("src", "pycuda"):
        for path in (ROOT / folder).rglob("*"):
            if path == listed:
                continue
            if path.suffix in {".c", ".h", ".py"}:
                found = re.findall(r'"(PYCUDA_[A-Z_0-9]+)"', path.read_text())
                named.update(found)
    page = (ROOT / "docs/environment.md").read_text()
    assert len(named) > 20
    assert set(re.findall(r"`(PYCUDA_[A-Z_0-9]+)`", page)) == (
        named - NOT_FOR_USERS
    )
    assert named - NOT_FOR_USERS == _environment.NAMES


UNKNOWN = "is unknown and has no effect: did you mean"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PYCUDA_CPU_CHECKS", "PYCUDA_CPU_CHECK"),
        ("PYCUDA_CHECK", "PYCUDA_CPU_CHECK"),
        ("PYCUDA_cpu_threads", "PYCUDA_CPU_THREADS"),
        ("PYCUDA_DISABLE_CACHING", "PYCUDA_DISABLE_CACHE"),
        ("PYCUDA_CPU_CHECK", None),
        ("PYCUDA_DEFAULT_NVCC_FLAGS", None),
        # names that programs or this project's own tools use
        ("PYCUDA_NVCC", None),
        ("PYCUDA_DEBUG", None),
        ("PYCUDA_JIT_PLANT", None),
        ("PYCUDA_TEST_RUN", None),
    ],
)
def test_a_misspelt_variable(monkeypatch, name, meant):
    for other in os.environ.keys() | {name}:
        if other.startswith("PYCUDA_"):
            monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, "1")
    assert _environment.misspelt() == ({name: meant} if meant else {})


@pytest.mark.cpu
def test_a_misspelt_variable_is_one_warning():
    status, text = run(
        """
        import pycuda.driver
        import pycuda.autoinit
        import pycuda.gpuarray
        """,
        PYCUDA_DEVICE="cpu",
        PYCUDA_CPU_CHECKS="memory",
        PYCUDA_CPU_THREAD="1",
    )
    assert status == 0, text
    assert text.count("UserWarning") == 1, text
    assert f"PYCUDA_CPU_CHECKS {UNKNOWN} PYCUDA_CPU_CHECK?" in text
    assert f"PYCUDA_CPU_THREAD {UNKNOWN} PYCUDA_CPU_THREADS?" in text
