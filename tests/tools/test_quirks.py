"""Quirks of PyCUDA's compiler and tools: those kept and those not."""

# SPDX-License-Identifier: MIT

import subprocess
import sys

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import compiler, gpuarray, tools
from pycuda._compile import job
from pycuda.elementwise import ElementwiseKernel

pytestmark = pytest.mark.usefixtures("context")

SOURCE = "__global__ void f(int *x) { *x = 1; }\n"


def test_options_may_be_a_tuple():
    compiler.compile(SOURCE, options=("-DX", "-w"))


def test_the_cache_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.delenv("PYCUDA_DISABLE_CACHE", raising=False)
    compiler.compile(SOURCE, cache_dir=str(tmp_path / "a" / "b"))
    assert list((tmp_path / "a" / "b").glob("*.cubin"))
    compiler.compile(SOURCE, cache_dir=tmp_path / "path object")
    assert list((tmp_path / "path object").glob("*.cubin"))


@pytest.mark.parametrize(
    ("device", "arch", "warns"),
    [
        ("sm_90", "sm_100", True),
        ("sm_100", "sm_90", False),
        ("sm_120", "sm_120a", False),
        ("sm_90", "sm_90", False),
        ("sm_89", "sm_90", True),
        ("sm_90", "compute_100", True),
        ("sm_90", "native", False),
        ("sm_90", None, False),
        (None, "sm_90", False),
    ],
)
def test_architectures_of_three_digits(
    device, arch, warns, monkeypatch, recwarn
):
    monkeypatch.setattr(compiler, "_on_gpu", lambda: True)
    monkeypatch.setattr(compiler, "_device_arch", lambda: device)
    compiler.CudaModule()._check_arch(arch)
    assert [
        "higher than selected GPU" in str(warning.message)
        for warning in recwarn
    ] == [True] * warns


def test_the_architecture_without_a_context(monkeypatch):
    def none(*_):
        raise drv.LogicError("no context")

    wanted = job.device_arch()
    monkeypatch.setattr(drv.Context, "get_device", staticmethod(none))
    assert job.device_arch() == wanted
    monkeypatch.setattr(drv, "Device", none)
    assert job.device_arch() is None
    assert compiler.compile(SOURCE, cache_dir=False)


def test_dot_prints_nothing(capfd, monkeypatch):
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "1")
    a = gpuarray.arange(7, dtype=np.int16)
    assert int(gpuarray.dot(a, a).get()) == 91
    assert capfd.readouterr().out == ""


def test_a_list_of_arguments_is_left_alone():
    arguments = [
        tools.VectorArg(np.float32, "x"),
        tools.ScalarArg(np.float32, "by"),
    ]
    before = list(arguments)
    kernel = ElementwiseKernel(arguments, "x[i] *= by", "scale")
    a = gpuarray.arange(5, dtype=np.float32)
    kernel(a, np.float32(2))
    assert (a.get() == 2 * np.arange(5)).all()
    assert arguments == before


def test_kernels_belong_to_a_context():
    kernel = ElementwiseKernel("float *x", "x[i] += 1", "increase")
    for _ in range(2):
        other = drv.Device(0).make_context()
        try:
            a = gpuarray.zeros(5, np.float32)
            kernel(a)
            assert (a.get() == 1).all()
            del a
        finally:
            other.pop()
    a = gpuarray.zeros(5, np.float32)
    kernel(a)
    assert (a.get() == 1).all()


def test_the_structs_of_a_user():
    pair = np.dtype([("re", "f4"), ("im", "f4")])
    with pytest.warns(DeprecationWarning):
        tools.register_dtype(pair, "quirky_pair")
    assert tools.dtype_to_ctype(pair) == "quirky_pair"
    argument = tools.parse_c_arg("quirky_pair const *p")
    assert argument.dtype == pair
    assert tools.get_arg_type("quirky_pair p") == "8s"
    assert tools.ScalarArg(pair, "p").declarator() == "quirky_pair p"
    with pytest.raises(RuntimeError, match="different dtype"):
        tools.get_or_register_dtype("quirky_pair", np.int32)


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (np.float32, "fp_tex_float"),
        (np.float64, "fp_tex_double"),
        (np.complex64, "fp_tex_cfloat"),
        (np.complex128, "fp_tex_cdouble"),
        (np.int32, "int"),
    ],
)
def test_names_of_textures(dtype, name):
    assert tools.dtype_to_ctype(dtype, with_fp_tex_hack=True) == name


def test_arguments():
    plain = tools.Argument(np.int32, "n")
    assert (plain.dtype, plain.name) == (np.int32, "n")
    assert repr(plain) == "Argument('n', int32)"
    assert repr(tools.VectorArg("f8", "x")) == "VectorArg('x', float64)"
    assert tools.ScalarArg(np.float64, "x").struct_char == "d"
    assert tools.ScalarArg(np.float64, "x").declarator() == "double x"
    with pytest.raises(ValueError, match="unable to map"):
        tools.VectorArg(np.longdouble, "x").declarator()


def test_what_is_not_needed():
    code = """
import sys
import pycuda.autoinit, pycuda.gpuarray, pycuda.compiler, pycuda.scan
import pycuda.curandom, pycuda.reduction, pycuda.tools
found = {"mako", "pytools", "platformdirs", "pytest"} & set(sys.modules)
assert not found, found
"""
    subprocess.run(
        [sys.executable, "-W", "ignore", "-P", "-c", code], check=True
    )


def test_bitlog2_of_nothing():
    assert [tools.bitlog2(n) for n in (0, 1, 2, np.int32(9))] == [0, 0, 1, 3]
