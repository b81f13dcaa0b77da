"""Compilation and loading on the current device."""

# SPDX-License-Identifier: MIT

import contextlib
import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import _driver, compiler
from pycuda._compile import cache, cache_trim

SOURCE = """
__global__ void twice(float *a)
{
  a[threadIdx.x] *= 2;
}
"""

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Use an empty cache folder for the test."""
    monkeypatch.delenv("PYCUDA_DISABLE_CACHE", raising=False)
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entries(folder):
    """Return cached images; the CPU device stores its headers next to them."""
    return [path for path in folder.glob("*") if path.is_file()]


def run(module, name="twice", n=32):
    data = np.arange(n, dtype=np.float32)
    module.get_function(name)(drv.InOut(data), block=(n, 1, 1))
    return data


def test_a_module(folder):
    expected = 2 * np.arange(32)
    module = compiler.SourceModule(SOURCE)
    assert (run(module) == expected).all()
    assert isinstance(module.module, drv.Module)
    assert len(entries(folder)) == 1
    repeated = compiler.SourceModule(SOURCE)
    assert (run(repeated) == expected).all()
    assert len(entries(folder)) == 1


def test_a_hit_asks_no_compiler(folder, monkeypatch):
    image = compiler.compile(SOURCE)

    def refuse(*arguments):
        raise AssertionError("the compiler was asked")

    monkeypatch.setattr(_driver, "_compile", refuse)
    monkeypatch.setattr(_driver, "_nvrtc_info", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert compiler.compile(SOURCE) == image
    with pytest.raises(AssertionError, match="was asked"):
        compiler.compile(SOURCE + "// other")


def test_an_empty_source(folder):
    compiler.SourceModule("")


def test_the_key_holds_what_matters(folder, tmp_path):
    (tmp_path / "scale.h").write_text("#define SCALE 2\n")
    source = '#include "scale.h"\n' + SOURCE.replace("2;", "SCALE;")
    dirs = [str(tmp_path)]

    def compiled(**kwargs):
        compiler.compile(source, include_dirs=dirs, **kwargs)
        return len(entries(folder))

    assert compiled() == 1
    assert compiled() == 1
    assert compiled(options=["-DX"]) == 2
    assert compiled(no_extern_c=True) == 3
    assert compiled(target="ptx") == 4
    (tmp_path / "scale.h").write_text("#define SCALE 3\n")
    assert compiled() == 5
    module = compiler.SourceModule(source, include_dirs=dirs)
    assert (run(module) == 3 * np.arange(32)).all()


def test_the_key_does_not_hold_where_headers_lie(folder, tmp_path):
    source = '#include "scale.h"\n' + SOURCE.replace("2;", "SCALE;")
    for place, count in (("one", 1), ("two", 1), ("three", 2)):
        (tmp_path / place).mkdir()
        text = "#define SCALE 2\n" + "// assert\n" * (place == "three")
        (tmp_path / place / "scale.h").write_text(text)
        compiler.compile(source, include_dirs=[str(tmp_path / place)])
        assert len(entries(folder)) == count
    compiler.compile(source, options=[f"-I{tmp_path / 'two'}"])
    assert len(entries(folder)) == 2


def test_debug_information_holds_where_headers_lie(folder, tmp_path):
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        dirs = [str(tmp_path / place)]
        compiler.compile(SOURCE, include_dirs=dirs, options=["-lineinfo"])
    assert len(entries(folder)) == 2


def test_an_image_that_the_driver_refuses_is_made_anew(folder):
    compiler.SourceModule(SOURCE)
    (path,) = entries(folder)
    cache.write(str(folder), path.name, b"no image, though whole")
    assert (run(compiler.SourceModule(SOURCE)) == 2 * np.arange(32)).all()
    assert cache.read(str(folder), path.name) != b"no image, though whole"


def test_no_cache(folder):
    compiler.compile(SOURCE, cache_dir=False)
    assert entries(folder) == []


def test_a_torn_entry_is_made_anew(folder):
    compiler.SourceModule(SOURCE)
    (path,) = entries(folder)
    path.write_bytes(path.read_bytes()[:100])
    assert (run(compiler.SourceModule(SOURCE)) == 2 * np.arange(32)).all()


@pytest.mark.parametrize("wrapped", [True, False])
def test_an_error_names_the_users_line(wrapped):
    source = "\n\n__global__ void f(int *a)\n{\n  a[0] = nonsense;\n}\n"
    with pytest.raises(drv.CompileError) as caught:
        compiler.compile(source, no_extern_c=not wrapped, cache_dir=False)
    error = caught.value
    assert "nonsense" in error.stderr
    assert "kernel.cu(5)" in error.stderr or "kernel.cu:5:" in error.stderr
    assert error.stderr in str(error)
    assert error.msg in str(error)
    assert isinstance(error.command_line, list)
    assert issubclass(drv.CompileError, drv.Error)


def test_the_compilers_words_become_a_warning():
    with pytest.warns(UserWarning) as caught:
        compiler.SourceModule(
            SOURCE, options=["--ptxas-options=-v"], cache_dir=False
        )
    text = str(caught[0].message)
    start = "The CUDA compiler succeeded, but said the following:\n"
    assert text.startswith(start)
    assert "Compiling entry function 'twice'" in text
    assert caught[0].filename == __file__


def test_quiet_where_there_is_nothing_to_say():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiler.SourceModule(SOURCE, cache_dir=False)


def test_a_warning_of_the_source_reaches_the_user():
    with pytest.warns(UserWarning, match="care"):
        compiler.compile('#warning "take care"\n' + SOURCE, cache_dir=False)


def test_host_options_change_nothing():
    options = ["-O3", "-Xcompiler", "-fPIC", "-m64", "-lineinfo"]
    module = compiler.SourceModule(SOURCE, options=options)
    assert (run(module) == 2 * np.arange(32)).all()


def test_macros_and_folders(tmp_path):
    (tmp_path / "factor.h").write_text("#define FACTOR (N + 1)\n")
    source = '#include "factor.h"\n' + SOURCE.replace("2;", "FACTOR;")
    options = ["-DN=4", f"-I{tmp_path}"]
    module = compiler.SourceModule(source, options=options)
    assert (run(module) == 5 * np.arange(32)).all()


def test_names_of_the_prelude():
    source = """
    __global__ void twice(float *a)
    {
      uint i = threadIdx.x;
      size_t k = i;
      a[k] = (float)(M_PI * 0) + a[k] * (INFINITY > 0 ? 2 : 0);
    }
    """
    assert (run(compiler.SourceModule(source)) == 2 * np.arange(32)).all()


def test_templates_without_extern_c():
    source = """
    template <class T> __device__ T twice_of(T x) { return 2 * x; }
    extern "C" __global__ void twice(float *a)
    {
      a[threadIdx.x] = twice_of(a[threadIdx.x]);
    }
    """
    module = compiler.SourceModule(source, no_extern_c=True)
    assert (run(module) == 2 * np.arange(32)).all()


def test_two_sources_linked():
    helper = "__device__ float twice_of(float x) { return 2 * x; }"
    caller = """
    extern "C" __device__ float twice_of(float x);
    extern "C" __global__ void twice(float *a)
    {
      a[threadIdx.x] = twice_of(a[threadIdx.x]);
    }
    """
    module = compiler.DynamicModule()
    options = ["-rdc=true", "-lcudadevrt"]
    module.add_source(helper, nvcc_options=options)
    module.add_source(caller, nvcc_options=options)
    assert module.link() is module
    assert (run(module) == 2 * np.arange(32)).all()
    with pytest.raises(RuntimeError, match="was called before"):
        module.link()
    with pytest.raises((OSError, RuntimeError), match="not found|Cannot find"):
        compiler.DynamicModule(cuda_libdir=".").add_stdlib("nonesuch")


def test_keep(capsys):
    compiler.compile(SOURCE, keep=True, cache_dir=False)
    line = capsys.readouterr().out.strip()
    assert line.startswith("*** compiler output in ")
    stored = os.listdir(line.removeprefix("*** compiler output in "))
    assert {"kernel.cu", "kernel.cubin"} <= set(stored)


def test_a_full_cache_is_trimmed_of_all_that_is_kept(tmp_path):
    for target in ("cubin", "ptx"):
        compiler.compile(SOURCE, cache_dir=str(tmp_path), target=target)
    assert len(os.listdir(tmp_path)) == 2
    assert cache_trim.run(str(tmp_path), 0) == 2
    assert os.listdir(tmp_path) == []


def test_bad_arguments():
    with pytest.raises(AssertionError, match="cubin"):
        compiler.compile(SOURCE, target="elf")
    with pytest.raises(TypeError, match="list of strings"):
        compiler.compile(SOURCE, options="-O3")
    with pytest.raises(FileNotFoundError, match="nvcc"):
        compiler.compile(SOURCE, nvcc="/nonexistent/nvcc")


def test_options_are_not_changed():
    options = ["-O3"]
    compiler.compile(SOURCE, options=options)
    assert options == ["-O3"]


@pytest.mark.gpu
def test_a_higher_architecture_warns():
    with (
        pytest.warns(UserWarning, match="higher than selected GPU"),
        contextlib.suppress(drv.Error),
    ):
        compiler.SourceModule(SOURCE, arch="sm_999")


HIT = """
    import os, sys, warnings
    warnings.simplefilter("ignore")
    import numpy as np
    import pycuda.autoinit
    from pycuda import compiler
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
    def used():
        "Seconds of processors, which others may have meanwhile."
        each = map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN))
        return sum(one.ru_utime + one.ru_stime for one in each)
    source = {source!r}
    started = used()
    image = compiler.compile(source)
    seconds = used() - started
    maps = open("/proc/self/maps").read()
    names = ("libnvrtc", "libLLVM", "libclang")
    print([name for name in names if name in maps], seconds)
"""


def test_a_hit_loads_no_compiler_and_is_quick(folder):
    code = textwrap.dedent(HIT).format(source=SOURCE)
    environment = {**os.environ, "PYCUDA_CACHE_DIR": str(folder)}
    times = []
    for turn in range(4):
        done = subprocess.run(
            [sys.executable, "-P", "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        libraries, seconds = done.stdout.strip().rsplit(" ", 1)
        times.append(float(seconds))
        if turn:
            assert libraries == "[]"
    # The goal is 2 ms (benchmarks measure it); the limit is for a busy
    # machine.
    assert min(times[1:]) < 0.02


def test_many_processes_on_one_cold_cache(folder):
    code = textwrap.dedent(HIT).format(source=SOURCE)
    environment = {**os.environ, "PYCUDA_CACHE_DIR": str(folder)}
    started = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", code],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in started:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert len(entries(folder)) == 1
    compiler.SourceModule(SOURCE)


@pytest.mark.cpu
@pytest.mark.timeout(60)
def test_unknown_long_names_are_errors_at_once():
    """Clang's search for similar names would take many minutes."""
    name = "x" * 400_000
    with pytest.raises(drv.CompileError, match="undeclared identifier"):
        compiler.SourceModule(f"__global__ void k(int *a) {{ *a = {name}; }}")
    compiler.SourceModule(f"__global__ void k(int *a) {{ int {name} = *a; }}")
