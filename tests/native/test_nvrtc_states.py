"""The functions of NVRTC in each state of a program.

The expected codes and sizes are those of NVRTC 13.0, of which all functions
were called in these states.
"""

# SPDX-License-Identifier: MIT

import ctypes

import pytest

from pycuda import cpu

OK, BAD_INPUT, BAD_PROGRAM, BAD_OPTION, NOT_COMPILED = 0, 3, 4, 5, 6
NO_EXPRESSIONS_AFTER, NO_NAMES_BEFORE, BAD_EXPRESSION = 8, 9, 10
NO_PCH, CANCELLED = 13, 16
SOURCE = b"""
template <class T> __global__ void t(T *p) { *p = 1; }
__global__ void k(int *p) { *p = 1; }
__device__ int g; __constant__ int c; __device__ int table[4];
__managed__ int m; __device__ int fn(int) { return 1; }
static __global__ void hidden() {} static __device__ int secret;
namespace inner { static __global__ void hidden() {} }
"""
OUTPUTS = ("CUBIN", "PTX", "LTOIR", "OptiXIR")
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

pytestmark = pytest.mark.cpu


@pytest.fixture(scope="module")
def nvrtc():
    return ctypes.CDLL(str(cpu.library()))


class Program:
    """One nvrtcProgram and the calls of the tests."""

    def __init__(self, nvrtc, source=SOURCE, names=()):
        self.nvrtc, self.handle = nvrtc, ctypes.c_void_p()
        nvrtc.nvrtcCreateProgram(
            ctypes.byref(self.handle), source, b"a.cu", 0, None, None
        )
        for name in names:
            assert self.add(name) == OK

    def add(self, name):
        return self.nvrtc.nvrtcAddNameExpression(self.handle, name)

    def compile(self, *words):
        options = (ctypes.c_char_p * len(words))(*words)
        return self.nvrtc.nvrtcCompileProgram(self.handle, len(words), options)

    def sizes(self):
        """Return 0, 1 or 2 (for more) bytes of each kind of output."""
        found = []
        for kind in OUTPUTS:
            n = ctypes.c_size_t(77)
            size = getattr(self.nvrtc, f"nvrtcGet{kind}Size")
            assert size(self.handle, ctypes.byref(n)) == OK
            data = ctypes.create_string_buffer(b"\x55" * n.value, n.value + 1)
            get = getattr(self.nvrtc, f"nvrtcGet{kind}")
            assert get(self.handle, data) == OK
            assert n.value == 0 or data.raw[0] != 0x55
            found.append(min(n.value, 2))
        return tuple(found)

    def lowered(self, name):
        found = ctypes.c_char_p()
        code = self.nvrtc.nvrtcGetLoweredName(
            self.handle, name, ctypes.byref(found)
        )
        return code, found.value


# Options: sizes of the outputs, by OUTPUTS; 2 is more than 1.
SIZES = {
    (): (0, 2, 0, 0),
    (b"-arch=sm_90",): (2, 2, 0, 0),
    (b"-arch=compute_90",): (0, 2, 0, 0),
    (b"-arch=sm_90", b"-rdc=true"): (2, 2, 0, 0),
    (b"-dlto",): (0, 1, 2, 0),
    (b"-dlto", b"-arch=sm_90"): (0, 1, 2, 0),
    (b"--optix-ir", b"-arch=compute_90"): (0, 1, 0, 2),
    (b"-optix-ir", b"-arch=sm_90"): (0, 1, 0, 2),
}


@pytest.mark.parametrize("options", SIZES, ids=str)
def test_outputs(nvrtc, options):
    program = Program(nvrtc, names=[b"t<int>"])
    assert program.sizes() == (0, 1, 0, 0)
    assert program.lowered(b"t<int>") == (NO_NAMES_BEFORE, None)
    assert program.compile(*options) == OK
    assert program.sizes() == SIZES[options]
    assert program.lowered(b"t<int>") == (OK, b"_Z1tIiEvPT_")
    assert program.lowered(b"k") == (BAD_EXPRESSION, None)
    assert program.add(b"k") == NO_EXPRESSIONS_AFTER


def test_failed_compilations(nvrtc):
    program = Program(nvrtc, b"#ifdef X\nbad\n#endif\n" + SOURCE, [b"k"])
    assert program.compile(b"-nonsense") == BAD_OPTION
    assert program.add(b"t<int>") == OK
    assert program.compile(b"-DX") == NOT_COMPILED
    assert program.sizes() == (0, 1, 0, 0)
    assert program.add(b"t<int>") == NO_EXPRESSIONS_AFTER
    assert program.lowered(b"k") == (NO_NAMES_BEFORE, None)
    assert program.compile(b"-arch=sm_90") == OK
    for options, code in ((b"-DX", NOT_COMPILED), (b"-nonsense", BAD_OPTION)):
        assert program.compile(options) == code
        assert program.sizes() == (2, 1, 0, 0)
        assert program.lowered(b"k") == (OK, b"_Z1kPi")


def test_names_change_together(nvrtc):
    """One name that is refused leaves the others as they were."""
    source = b"""
    #ifdef X
    namespace n { __global__ void k(int *) {} } using n::k;
    __device__ void f() {}
    #else
    __global__ void k(int *) {} __global__ void f() {}
    #endif
    """
    program = Program(nvrtc, source, [b"k", b"f"])
    assert program.compile() == OK
    assert program.compile(b"-DX") == NOT_COMPILED
    assert program.lowered(b"k") == (OK, b"_Z1kPi")
    assert program.lowered(b"f") == (OK, b"_Z1fv")


@pytest.mark.parametrize("kind", [*OUTPUTS, "ProgramLog"])
def test_null_arguments(nvrtc, kind):
    size = getattr(nvrtc, f"nvrtcGet{kind}Size")
    get = getattr(nvrtc, f"nvrtcGet{kind}")
    program = Program(nvrtc)
    assert size(program.handle, None) == get(program.handle, None) == BAD_INPUT
    n = ctypes.c_size_t()
    assert size(None, None) == size(None, ctypes.byref(n)) == BAD_PROGRAM
    assert get(None, None) == BAD_PROGRAM


def test_wrong_arguments(nvrtc):
    handle = ctypes.c_void_p()
    one = (ctypes.c_char_p * 2)(b"h", b"h")
    create = nvrtc.nvrtcCreateProgram
    assert create(None, b"", b"a", 0, None, None) == BAD_PROGRAM
    place = ctypes.byref(handle)
    assert create(place, None, b"a", 0, None, None) == BAD_INPUT
    assert create(place, b"", b"a", -1, None, None) == BAD_INPUT
    assert create(place, b"", b"a", 1, None, one) == BAD_INPUT
    assert create(place, b"", b"a", 1, one, None) == BAD_INPUT
    assert create(place, b"", b"a", 2, one, one) == BAD_INPUT
    program = Program(nvrtc)
    compile_ = nvrtc.nvrtcCompileProgram
    assert compile_(program.handle, -1, None) == BAD_INPUT
    assert compile_(program.handle, 1, None) == BAD_OPTION
    assert compile_(None, 0, None) == BAD_PROGRAM
    required, n = nvrtc.nvrtcGetPCHHeapSizeRequired, ctypes.c_size_t(7)
    assert required(None, None) == BAD_PROGRAM
    assert required(program.handle, None) == BAD_INPUT
    assert required(program.handle, ctypes.byref(n)) == OK and n.value == 0
    assert nvrtc.nvrtcGetPCHCreateStatus(program.handle) == NO_PCH


def test_cancelled_by_a_callback(nvrtc):
    calls = []

    def answer(payload, reserved):
        calls.append((payload, reserved))
        return len(calls) > limit

    limit, callback = 0, CALLBACK(answer)
    program = Program(nvrtc)
    flow = nvrtc.nvrtcSetFlowCallback
    assert flow(None, callback, None) == BAD_PROGRAM
    assert flow(program.handle, None, None) == BAD_INPUT
    assert flow(program.handle, callback, ctypes.c_void_p(123)) == OK
    assert program.compile() == CANCELLED
    assert calls == [(123, None)] and program.sizes() == (0, 1, 0, 0)
    limit = 3
    assert program.compile() == CANCELLED and len(calls) == 4
    limit = 10**9
    assert program.compile(b"-arch=sm_90") == OK
    assert program.sizes() == (2, 2, 0, 0)


# Name expressions: what NVRTC makes of them; None: it refuses them.
NAMES = {
    b"k": b"_Z1kPi",
    b"&k": b"_Z1kPi",
    b" (k) // a comment": b"_Z1kPi",
    b"t<decltype(1)>": b"_Z1tIiEvPT_",
    b"&g": b"g",
    b"&c": b"c",
    b"table": b"table",
    b"&table[0]": b"table",
    b"hidden": b"_Z6hiddenv",
    b"inner::hidden": b"_ZN5inner6hiddenEv",
    b"&secret": b"secret",
    b"g": None,
    b"c": None,
    b"&table[1]": None,
    b"fn": None,
    b"&fn": None,
    b"&m": None,
    b"k, k": None,
    b'"k"': None,
    b"nullptr": None,
    b"nothing": None,
    b"": None,
}


@pytest.mark.parametrize("name", NAMES)
def test_name_expressions(nvrtc, name):
    program = Program(nvrtc, names=[name] if name else [])
    if not name:
        assert program.add(None) == BAD_INPUT
        assert program.add(b"") == OK
    code = program.compile(b"-arch=sm_90")
    if NAMES[name] is None:
        assert code == NOT_COMPILED
        assert program.lowered(name) == (NO_NAMES_BEFORE, None)
    else:
        assert code == OK
        assert program.lowered(name) == (OK, NAMES[name])


def test_automatic_precompiled_headers(nvrtc):
    """The first program of a process creates one, others use it."""
    states = []
    for _ in range(2):
        program = Program(nvrtc)
        assert program.compile(b"--pch") == OK
        n = ctypes.c_size_t(7)
        required = nvrtc.nvrtcGetPCHHeapSizeRequired
        assert required(program.handle, ctypes.byref(n)) == OK
        assert n.value % 4096 == 0
        states.append(
            (nvrtc.nvrtcGetPCHCreateStatus(program.handle), n.value > 0)
        )
    assert states[1] == (NO_PCH, False)
    assert states[0] in ((OK, True), (NO_PCH, False))
