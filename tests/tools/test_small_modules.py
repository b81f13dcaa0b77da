"""autoinit, autoprimaryctx, debug, _pvt_struct, _cluda, _mymako, compyte."""

# SPDX-License-Identifier: MIT

import os
import struct
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pycuda
import pycuda._pvt_struct as pvt
from pycuda._cluda import CLUDA_PREAMBLE
from pycuda.compyte import array, dtypes


def python(code, *arguments, environment=()):
    """Run code or (a list) arguments in a separate Python process."""
    head = [sys.executable, "-W", "ignore", "-P"]
    words = ["-c", textwrap.dedent(code)] if isinstance(code, str) else code
    return subprocess.run(
        [*head, *words, *arguments],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
            **dict(environment),
        },
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("module", ["autoinit", "autoprimaryctx"])
def test_a_context_by_import(module):
    done = python(f"""
        import sys
        import pycuda.{module} as auto
        import pycuda.driver as drv
        assert drv.Context.get_current() == auto.context
        assert auto.device == auto.context.get_device()
        import threading
        found = []
        look = lambda: found.append(drv.Context.get_current())
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert found == [None], found
        assert "mako" not in sys.modules
        import atexit
        atexit._run_exitfuncs()
        assert auto.context is None
        assert drv.Context.get_current() is None
    """)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_primary_context_is_one():
    done = python("""
        import pycuda.autoprimaryctx as auto
        other = auto.device.retain_primary_context()
        assert other.handle == auto.context.handle
        import pycuda.autoinit as both
        assert both.context != auto.context
    """)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("module", ["autoinit", "autoprimaryctx"])
def test_no_context_by_import(module):
    done = python(
        f"import pycuda.{module}", environment={"CUDA_DEVICE": "4711"}
    )
    assert done.returncode == 1
    assert "LogicError" in done.stderr


def test_debug(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, pycuda.driver, neighbour\n"
        "print(sys.argv[1:], pycuda.driver.CUDA_DEBUGGING, __name__)\n"
    )
    (tmp_path / "neighbour.py").write_text("")
    done = python(["-m", "pycuda.debug", str(script), "a", "-b"])
    assert done.stdout == "['a', '-b'] True __main__\n", done.stderr
    done = python(["-m", "pycuda.debug"])
    assert (done.returncode, "usage" in done.stdout) == (2, True)
    done = python(["-m", "pycuda.debug", "nowhere.py"])
    assert (done.returncode, "nowhere.py" in done.stdout) == (1, True)
    script.write_text("raise SystemExit(5)")
    assert python(["-m", "pycuda.debug", str(script)]).returncode == 5


def test_debugging_compiles_for_a_debugger(tmp_path):
    done = python(
        """
        import pycuda.autoinit
        import pycuda.driver as drv
        from pycuda import compiler
        drv.set_debugging()
        compiler.SourceModule("__global__ void f() {}")
        drv.set_debugging(False)
        compiler.SourceModule("__global__ void f() {}")
        """,
        environment={"PYCUDA_CACHE_DIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("*** compiler output in ") == 1
    assert len(list(tmp_path.glob("*.cubin"))) == 1


VALUES = [
    ("i", (3,)), ("ii", (3, -4)), ("bd", (1, 2.5)), ("F", (1 + 2j,)),
    ("D", (1 - 2j,)), ("iF2D", (1, 2j, 3j, 4j)), ("3s", (b"abc",)),
    ("P", (2**40,)), ("?", (True,)), ("x2h", (1, 2)), ("", ()),
    ("2x", ()), ("@ i d", (1, 2.0)),
]  # fmt: skip


@pytest.mark.parametrize(("fmt", "values"), VALUES)
def test_packing(fmt, values):
    packed = pvt.pack(fmt, *values)
    assert len(packed) == pvt.calcsize(fmt)
    assert pvt.unpack(fmt, packed) == values
    buffer = bytearray(len(packed) + 8)
    pvt.pack_into(fmt, buffer, 8, *values)
    assert buffer[8:] == packed
    assert pvt.unpack_from(fmt, buffer, 8) == values
    one = pvt.Struct(fmt)
    assert (one.format, one.size) == (fmt, len(packed))
    assert one.pack(*values) == packed
    assert one.unpack(packed) == one.unpack_from(buffer, offset=8) == values
    one.pack_into(buffer, 0, *values)
    assert bytes(buffer[: len(packed)]) == packed


def test_complex_numbers_are_two_floats():
    assert pvt.pack("F", 1 + 2j) == struct.pack("ff", 1, 2)
    assert pvt.pack("D", np.complex128(3)) == struct.pack("dd", 3, 0)
    assert pvt.calcsize("cF") == struct.calcsize("cff")


def test_buffers_are_packed_as_bytes():
    numbers = np.array([1, 2], np.float32)
    assert pvt.pack("8s", numbers) == numbers.tobytes()
    assert pvt.pack("10s", numbers) == numbers.tobytes() + bytes(2)
    assert pvt.pack("2si", memoryview(b"abcd"), 3) == pvt.pack("2si", b"ab", 3)
    for wrong in (3, np.zeros(8, np.int8)[::2]):
        with pytest.raises(pvt.error, match="argument for 's' must be a"):
            pvt.pack("4s", wrong)


@pytest.mark.parametrize(
    "call",
    [
        lambda: pvt.pack("i"),
        lambda: pvt.pack("i", 1, 2),
        lambda: pvt.pack("i", 2**40),
        lambda: pvt.pack("i", "text"),
        lambda: pvt.calcsize("!"),
        lambda: pvt.calcsize("<i"),
        lambda: pvt.calcsize("e"),
        lambda: pvt.unpack("i", b"abc"),
        lambda: pvt.unpack_from("i", b"abcd", 1),
        lambda: pvt.pack_into("i", bytearray(2), 0, 1),
        lambda: pvt.Struct("y"),
    ],
)
def test_bad_packing(call):
    with pytest.raises(pvt.error) as caught:
        call()
    assert isinstance(caught.value, struct.error)


def test_the_macros_of_cluda():
    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    source = (
        CLUDA_PREAMBLE
        + """
        WITHIN_KERNEL int twice(int x) { return 2 * x; }
        KERNEL void REQD_WG_SIZE(4, 2, 1) f(GLOBAL_MEM int *out)
        {
            LOCAL_MEM int shared[8];
            int i = LID_0 + LDIM_0 * LID_1;
            shared[i] = twice(i) + 100 * GID_0 + 1000 * GDIM_0;
            local_barrier();
            out[i + LDIM_0 * LDIM_1 * GID_0] = shared[7 - i];
        }
        #ifndef CUDA
        #error CUDA is not defined
        #endif
        """
    )
    out = np.zeros(16, np.int32)
    kernel = SourceModule(source, no_extern_c=True).get_function("f")
    kernel(drv.Out(out), block=(4, 2, 1), grid=(2, 1))
    row = 2000 + 2 * np.arange(8)[::-1]
    assert out.tolist() == [*row, *(row + 100)]


def test_mako():
    try:
        import mako  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pip install mako"):
            import pycuda._mymako
    else:
        import pycuda._mymako

        assert pycuda._mymako.mako.template.Template("x").render() == "x"
        assert pycuda._mymako.template.Template("x").render() == "x"


def test_version():
    assert pycuda.VERSION == (2026, 1)
    assert pycuda.VERSION_TEXT == "2026.1" + pycuda.VERSION_STATUS


class Layout:
    """The attributes of an array that `compyte.array` reads."""

    def __init__(self, shape, strides, address=1000, dtype="f4"):
        self.shape, self.strides = shape, strides
        self.dtype = np.dtype(dtype)
        self.size = int(np.prod(shape))
        self.gpudata = address


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (4, 1, 2), (0, 3)])
def test_strides_are_numpys(shape):
    for order, strides, is_contiguous in (
        ("C", array.c_contiguous_strides, array.is_c_contiguous_strides),
        ("F", array.f_contiguous_strides, array.is_f_contiguous_strides),
    ):
        expected = np.empty(shape, "f4", order=order).strides
        if 0 not in shape:
            assert strides(4, shape) == expected
        assert is_contiguous(expected, 4, shape)
    assert array.equal_strides((4, 8), (4, 8), (2, 2))
    assert array.equal_strides((4, 99), (4, 8), (2, 1))
    assert not array.equal_strides((4, 9), (4, 8), (2, 2))
    assert not array.equal_strides((4,), (4, 8), (2, 2))


def test_flags():
    flags = array.ArrayFlags(Layout((2, 3), (12, 4)))
    assert (flags.c_contiguous, flags.f_contiguous, flags.forc) == (
        True, False, True,
    )  # fmt: skip
    assert str(flags) == "  C_CONTIGUOUS : True\n  F_CONTIGUOUS : False"
    flags = array.ArrayFlags(Layout((2, 3), (4, 8)))
    assert (flags.c_contiguous, flags.f_contiguous) == (False, True)
    assert not array.ArrayFlags(Layout((2, 3), (24, 4))).forc


def test_common_dtypes():
    single = Layout((1,), (4,))
    double = Layout((1,), (8,), dtype="f8")
    assert array.get_common_dtype(single, double, True) == np.float64
    assert array.get_common_dtype(single, double, False) == np.float32
    assert array.get_common_dtype(single, 2, True) == np.float32
    complexes = Layout((1,), (16,), dtype="c16")
    assert array.get_common_dtype(complexes, single, False) == np.complex64


def test_bounds():
    assert array.bound(Layout((2, 3), (12, 4))) == (1000, 1024)
    assert array.bound(Layout((3,), (-4,), 1008)) == (1000, 1012)
    a, b = Layout((4,), (4,)), Layout((4,), (4,), 1012)
    assert array.may_share_memory(a, a) and array.may_share_memory(a, b)
    assert not array.may_share_memory(a, Layout((4,), (4,), 1016))
    assert not array.may_share_memory(a, Layout((0,), (4,), 1000))
    view = array.as_strided(np.arange(4), (2, 2), (8, 8))
    assert view.tolist() == [[0, 1], [1, 2]]


def test_registries_of_other_languages():
    opencl = dtypes.DTypeRegistry()
    dtypes.fill_registry_with_opencl_c_types(opencl)
    names = ("char", "uchar", "short", "uint", "long", "ulong", "double")
    codes = ["i1", "u1", "i2", "u4", "i8", "u8", "f8"]
    assert [opencl.get_or_register_dtype(n) for n in names] == codes
    c99 = dtypes.DTypeRegistry()
    dtypes.fill_registry_with_c99_stdint_types(c99)
    dtypes.fill_registry_with_c99_complex_types(c99)
    assert c99.get_or_register_dtype("uint16_t") == np.uint16
    assert c99.dtype_to_ctype(np.int8) == "int8_t"
    assert c99.get_or_register_dtype("double complex") == np.complex128
    assert c99.get_or_register_dtype("ptrdiff_t") == np.intp
    plain = dtypes.DTypeRegistry()
    dtypes.fill_registry_with_c_types(plain, True, include_bool=False)
    with pytest.raises(KeyError):
        plain.get_or_register_dtype("bool")
    assert plain.get_or_register_dtype("unsigned long int") == np.uint64


def test_the_tables_are_the_registrys():
    pair = np.dtype([("one_of_tables", "f4"), ("two", "f4")])
    assert dtypes.get_or_register_dtype(["table_pair", "pair2"], pair) == pair
    assert dtypes.NAME_TO_DTYPE["pair2"] == pair
    assert dtypes.DTYPE_TO_NAME[pair] == dtypes.dtype_to_ctype(pair)
    assert issubclass(dtypes.TypeNameNotKnown, RuntimeError)
    with pytest.warns(DeprecationWarning):
        dtypes.register_dtype(pair, "pair3", alias_ok=True)
    assert dtypes.NAME_TO_DTYPE["pair3"] == pair

    def strangers(name):
        raise dtypes.TypeNameNotKnown(name)

    with pytest.raises(ValueError, match="unknown type 'float'"):
        dtypes.parse_c_arg_backend("float x", None, None, strangers)


def test_formats_that_are_known_can_be_forgotten():
    pvt.calcsize("iFd")
    assert pvt._plan.cache_info().currsize > 0
    pvt._clearcache()
    assert pvt._plan.cache_info().currsize == 0
    assert pvt.calcsize("iFd") == 24
