"""DynamicModule and DynamicSourceModule."""

# SPDX-License-Identifier: MIT

import os

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import compiler
from pycuda._compile import includes

HELPER = """
extern "C" __device__ float twice_of(float x) { return 2 * x; }
__device__ float by = 3;
"""
CALLER = """
extern "C" __device__ float twice_of(float x);
extern "C" __global__ void twice(float *a)
{
    a[threadIdx.x] = twice_of(a[threadIdx.x]);
}
"""
OPTIONS = ["-rdc=true", "-lcudadevrt"]
RELOCATABLE = ["-rdc=true"]

pytestmark = pytest.mark.usefixtures("context")


def check(module):
    data = np.arange(8, dtype=np.float32)
    module.get_function("twice")(drv.InOut(data), block=(8, 1, 1))
    assert (data == 2 * np.arange(8)).all()


def test_sources():
    module = compiler.DynamicModule(no_extern_c=True, cache_dir=False)
    assert module.add_source(HELPER, nvcc_options=OPTIONS) is module
    assert module.add_source(CALLER, OPTIONS, name="caller") is module
    assert isinstance(module.linker, drv.Linker)
    assert module.link() is module
    check(module)
    assert module.linker is None
    assert isinstance(module.module, drv.Module)
    assert module.get_global("by")[1] == 4
    with pytest.raises(RuntimeError, match="was called before"):
        module.link()
    with pytest.raises(drv.LogicError):
        module.get_function("nowhere")


def test_images_and_files(tmp_path):
    kind = drv.jit_input_type.CUBIN
    images = [
        compiler.compile(source, options=RELOCATABLE, no_extern_c=True)
        for source in (HELPER, CALLER)
    ]
    (tmp_path / "caller.cubin").write_bytes(images[1])
    module = compiler.DynamicModule()
    assert module.add_data(images[0], kind, name="helper") is module
    assert module.add_file(str(tmp_path / "caller.cubin"), kind) is module
    check(module.link())
    with pytest.raises(drv.Error):
        compiler.DynamicModule().add_file("nowhere.cubin", kind).link()
    with pytest.raises(drv.Error):
        compiler.DynamicModule().add_data(b"no image", kind).link()


def test_settings_are_kept():
    settings = {
        "nvcc": "nvcc",
        "keep": False,
        "no_extern_c": True,
        "arch": "sm_70",
        "code": None,
        "cache_dir": False,
        "include_dirs": ["/mine"],
        "cuda_libdir": "/lib",
    }
    module = compiler.DynamicModule(**settings)
    assert {name: getattr(module, name) for name in settings} == settings
    assert (module.libdir, module.libptn, module.module) == (None, None, None)


def test_what_is_missing_is_named():
    module = compiler.DynamicModule(no_extern_c=True)
    module.add_source(CALLER, nvcc_options=RELOCATABLE)
    with pytest.raises(drv.Error, match="twice_of"):
        module.link()


def test_messages():
    heard = []

    def handler(success, information, errors):
        heard.append((success, information, errors))

    module = compiler.DynamicModule(
        no_extern_c=True, message_handler=handler, log_verbose=True
    )
    module.add_source(HELPER, nvcc_options=RELOCATABLE)
    module.add_source(CALLER, nvcc_options=RELOCATABLE)
    check(module.link())
    assert heard and heard[0][0]


def test_libraries(tmp_path):
    (tmp_path / "libcudadevrt.a").write_bytes(b"!<arch>\n")
    module = compiler.DynamicModule(cuda_libdir=str(tmp_path))
    with pytest.raises(OSError, match="libnone.a.* not found"):
        module.add_stdlib("none")
    assert module.libdir == str(tmp_path)
    assert module.libptn == "lib%s.a"


@pytest.mark.parametrize("variable", ["CUDA_ROOT", "LD_LIBRARY_PATH"])
def test_where_libraries_are_looked_for(variable, tmp_path, monkeypatch):
    folder = tmp_path / "lib64"
    folder.mkdir()
    (folder / "libcudadevrt.a").write_bytes(b"!<arch>\n")
    root = {"CUDA_ROOT": tmp_path, "LD_LIBRARY_PATH": f"/none:{folder}"}
    monkeypatch.setenv(variable, str(root[variable]))
    module = compiler.DynamicModule()
    with pytest.raises(OSError, match="not found"):
        module.add_stdlib("none")
    assert module.libdir == str(folder)


def test_libraries_of_wheels(tmp_path, monkeypatch):
    """Libraries are found in wheels if there is no toolkit."""
    if os.path.isfile("/usr/lib/x86_64-linux-gnu/libcudadevrt.a"):
        pytest.skip("a toolkit has them")
    for name in ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True)
    (folder / "libcudadevrt.a").write_bytes(b"!<arch>\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = compiler.DynamicModule(nvcc="no nvcc")
    includes.wheel_lib_dirs.cache_clear()
    try:
        with pytest.raises(OSError, match="not found"):
            module.add_stdlib("none")
    finally:
        includes.wheel_lib_dirs.cache_clear()
    assert module.libdir == str(folder)


@pytest.mark.cpu
def test_the_cpu_device_needs_no_device_runtime():
    module = compiler.DynamicModule(no_extern_c=True)
    module.add_source(HELPER, nvcc_options=OPTIONS)
    module.add_source(CALLER, nvcc_options=OPTIONS)
    assert module.add_stdlib("cudadevrt") is module
    check(module.link())


@pytest.mark.cpu
def test_one_source():
    options = ["-DBY=2"]
    module = compiler.DynamicSourceModule(
        CALLER.replace(";", " { return BY * x; }", 1).replace(
            'extern "C"', "", 1
        ),
        options=options,
    )
    check(module)
    assert options == ["-DBY=2"]
    with pytest.raises(drv.CompileError):
        compiler.DynamicSourceModule("nonsense")


def test_an_older_device(monkeypatch):
    class Old:
        def compute_capability(self):
            return (3, 0)

    monkeypatch.setattr(drv.Context, "get_device", staticmethod(Old))
    with pytest.raises(RuntimeError, match=r"3.5 \(found: 3.0\)"):
        compiler.DynamicModule()
