"""The NVRTC API of libpycuda_cpu, called as from a C program."""

import ctypes
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF

import pytest

import pycuda
from pycuda import cpu

SAXPY = """
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += a * x[i];
    }
}
"""
OK, BAD_INPUT, BAD_PROGRAM, BAD_OPTION, NOT_COMPILED = 0, 3, 4, 5, 6
ZIG = Path(sysconfig.get_path("platlib")) / "ziglang" / "zig"
NO_EXPRESSIONS_AFTER, NO_NAMES_BEFORE, BAD_EXPRESSION = 8, 9, 10


pytestmark = pytest.mark.cpu  # the tests call the CPU device's NVRTC


@pytest.fixture(scope="module")
def nvrtc():
    library = ctypes.CDLL(str(cpu.library()))
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


class Program:
    """One nvrtcProgram."""

    def __init__(self, nvrtc, source, headers=None, name=b"kernel.cu"):
        headers = headers or {}
        texts, names = (
            (ctypes.c_char_p * len(headers))(*(t.encode() for t in part))
            for part in (headers.values(), headers)
        )
        self.nvrtc = nvrtc
        self.handle = ctypes.c_void_p()
        self.created = nvrtc.nvrtcCreateProgram(
            ctypes.byref(self.handle),
            source.encode(),
            name,
            len(headers),
            texts,
            names,
        )

    def expect(self, *expressions):
        for expression in expressions:
            assert (
                self.nvrtc.nvrtcAddNameExpression(
                    self.handle, expression.encode()
                )
                == OK
            )
        return self

    def compile(self, *options):
        words = (ctypes.c_char_p * len(options))(
            *(option.encode() for option in options)
        )
        return self.nvrtc.nvrtcCompileProgram(self.handle, len(words), words)

    def _text(self, what):
        size = ctypes.c_size_t()
        call = getattr(self.nvrtc, f"nvrtcGet{what}Size")
        assert call(self.handle, ctypes.byref(size)) == OK
        buffer = ctypes.create_string_buffer(size.value)
        assert (
            getattr(self.nvrtc, f"nvrtcGet{what}")(self.handle, buffer) == OK
        )
        return buffer.raw

    @property
    def log(self):
        return self._text("ProgramLog").rstrip(b"\0").decode()

    @property
    def cubin(self):
        return self._text("CUBIN")

    @property
    def ptx(self):
        return self._text("PTX")

    @property
    def ltoir(self):
        return self._text("LTOIR")

    def lowered(self, expression):
        name = ctypes.c_char_p()
        code = self.nvrtc.nvrtcGetLoweredName(
            self.handle, expression.encode(), ctypes.byref(name)
        )
        return code, name.value


def kind(image):
    """Return the field `kind` of an image's header; the magic comes first."""
    assert image[:8] == b"\x0cYCUIMG\0"
    return int.from_bytes(image[12:16], "little")


def test_version_and_architectures(nvrtc):
    major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    assert nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == OK
    assert (major.value, minor.value) == (13, 0)
    assert nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count)) == OK
    archs = (ctypes.c_int * count.value)()
    assert nvrtc.nvrtcGetSupportedArchs(archs) == OK
    assert sorted(archs) == list(archs) and {70, 90, 120} <= set(archs)
    assert nvrtc.nvrtcVersion(None, None) == BAD_INPUT


def test_error_strings(nvrtc):
    assert nvrtc.nvrtcGetErrorString(6) == b"NVRTC_ERROR_COMPILATION"
    assert b"unknown" in nvrtc.nvrtcGetErrorString(12345)


def test_images(nvrtc):
    program = Program(nvrtc, SAXPY)
    assert program.compile("-arch=sm_75") == OK, program.log
    assert kind(program.cubin) == 1
    assert program.ptx.isascii() and program.ptx.endswith(b"\n\0")
    assert b".visible .entry saxpy" in program.ptx
    assert b".target sm_75\n" in program.ptx
    assert program.log == ""
    assert program.compile("-arch=sm_90", "-rdc=true") == OK
    assert b".target sm_90\n" in program.ptx


def test_relocatable_code_is_linkable(nvrtc):
    program = Program(nvrtc, SAXPY)
    assert (
        program.compile("-arch=sm_90", "--relocatable-device-code=true") == OK
    )
    assert kind(program.cubin) == 2


OPTIONS = [
    "-I/nowhere",
    "--include-path=/nowhere",
    "-DN=3",
    "-D N=3",
    "--define-macro=N=3",
    "-UN",
    "-std=c++11",
    "--std=c++20",
    "--gpu-architecture=sm_120",
    "-arch=compute_50",
    "--use_fast_math",
    "-fmad=false",
    "-G",
    "-lineinfo",
    "--maxrregcount=32",
    "--restrict",
    "-O2",
    "-w",
    "--device-as-default-execution-space",
    "-default-device",
    "-rdc=true",
    "--extra-device-vectorization",
    "--ftz=true",
    "-Xptxas=-O3",
]


@pytest.mark.parametrize("option", OPTIONS)
def test_option_is_taken(nvrtc, option):
    program = Program(nvrtc, SAXPY)
    assert program.compile(option) == OK, program.log


@pytest.mark.parametrize(
    "option",
    [
        "--foo",
        "-std=c++98",
        "-fmad=perhaps",
        "--maxrregcount=many",
        "-O9",
        "-I",
        "kernel.cu",
    ],
)
def test_option_is_refused(nvrtc, option):
    program = Program(nvrtc, SAXPY)
    assert program.compile(option) == BAD_OPTION
    assert option in program.log or option.partition("=")[2] in program.log


# NVRTC 13.0's messages for wrong values, and its result.
WRONG_VALUES = {
    "--unheard-of": "unrecognized option --unheard-of found",
    "--std c++17": "unrecognized option --std c++17 found",
    "-isystem=/x": "unrecognized option -isystem=/x found",
    "-G=true": "--device-debug (-G) does not accept any argument",
    "--ftz=1": "--ftz (-ftz) expects true or false",
    "-rdc=yes": "--relocatable-device-code (-rdc) expects true or false",
    "-maxrregcount=x": "--maxrregcount (-maxrregcount) expects an integer",
    "-jtd=102": "Argument for --jump-table-density must be between [0-101]",
    "--split-compile=-1": "Argument for -split-compile must be non-negative",
    "-diag-error=a": "--diag-error expects a non-zero positive integer value",
    "-diag-warn=1,0": "--diag-warn expects a non-zero positive integer value",
    "--std=c++98": "invalid value for --std(-std)",
    "-std=gnu++17": "invalid value for --std(-std)",
    "-arch=native": "invalid value for --gpu-architecture (-arch)",
    "-arch=sm_": "invalid value for --gpu-architecture (-arch)",
    "-dopt=off": "invalid argument for option --dopt (-dopt): off",
    "-Ofc=1": "invalid argument for option --Ofast-compile (-Ofc): 1",
    "-opt-info=x": "invalid optimization tag for option --optimization-info",
    "-frandom-seed=": "must specify seed value with -frandom-seed flag",
    "-create-pch=": "must specify file name with -create-pch flag",
    "-device-float128": "option --device-float128 is not supported",
    "-dQ=x": "--version-ident (-dQ) expects true or false",
}


@pytest.mark.parametrize("option", WRONG_VALUES)
def test_wrong_values(nvrtc, option):
    program = Program(nvrtc, SAXPY)
    assert program.compile(option) == BAD_OPTION
    assert program.log.startswith("nvrtc: error: ")
    assert WRONG_VALUES[option] in program.log


def test_each_spelling_of_a_value(nvrtc):
    """Spellings as in NVRTC; blanks around an option are ignored."""
    for words in (
        ("-arch", "sm_90"), ("--ftz", "true"), ("-rdc", "false"),
        ("-Ofc", "max"), ("-dopt", "on"), ("-jtd", "5"), ("-jtd",),
        ("--diag-suppress", "177,550"), ("--version-ident", "true"),
        ("-dQ=false",), (" -G ",), ("-I /nowhere",), ("-D N",), ("-DN=1 ",),
        ("--frandom-seed=abc",), ("--optimization-info=inline",),
        ("-opt-info=inline",), ("--gen-opt-lto",), ("--no-cache=true",),
        ("-device-float128", "-arch=sm_100"), ("--pch", "--pch-dir=/tmp"),
        ("-builtin-move-forward=false",), ("-split-compile=0",),
        ("-instantiate-templates-in-pch=true",), ("-no-source-include",),
        ("-Xptxas", "-v"), ("-Xptxas=--opt-level=1",), ("-minimal",),
        ("--ptxas-options=-e=saxpy",), ("-Xptxas=-e", "-Xptxas=saxpy"),
    ):  # fmt: skip
        program = Program(nvrtc, SAXPY)
        assert program.compile(*words) == OK, (words, program.log)


def test_ptxas_refuses_what_it_does_not_know(nvrtc):
    for option, said in (
        ("-v,-O2", "ptxas fatal   : Unknown option 'v,-O2'"),
        ("file", "ptxas fatal   : Input file 'file' could not be opened"),
        ("-e=saxpy,absent", "ptxas fatal   : Unknown function absent"),
    ):
        program = Program(nvrtc, SAXPY)
        assert program.compile(f"--ptxas-options={option}") == NOT_COMPILED
        assert said in program.log


def test_macros_of_options(nvrtc):
    for option, macro in (
        ("-G", "__CUDACC_DEBUG__"),
        ("-dc", "__CUDACC_RDC__"),
        ("-rdc=true", "__CUDACC_RDC__"),
        ("-ewp", "__CUDACC_EWP__"),
        ("-device-int128", "__CUDACC_RTC_INT128__"),
        ("-minimal", "__CUDACC_RTC_MINIMAL__"),
    ):
        source = f"#ifdef {macro}\n#error it is there\n#endif\n"
        assert Program(nvrtc, source).compile() == OK
        program = Program(nvrtc, source)
        assert program.compile(option) == NOT_COMPILED, option
        assert "it is there" in program.log


@pytest.mark.parametrize("option", ["-dlto", "--dlink-time-opt"])
def test_link_time_optimization_makes_only_its_own_code(nvrtc, option):
    caller = (
        "#ifndef __CUDACC_RDC__\n#error not relocatable\n#endif\n"
        "__device__ int other(int);\n"
        'extern "C" __global__ void k(int *x) { *x = other(3); }'
    )
    program = Program(nvrtc, caller)
    assert program.compile(option) == OK, program.log
    assert kind(program.ltoir) == 2
    assert program.ptx == b"\0" and program.cubin == b""
    assert program.compile("-rdc=true", "-arch=sm_90") == OK, program.log
    assert program.ltoir == b"" and kind(program.cubin) == 2
    assert program.compile("-rdc=false", option) == BAD_OPTION
    assert "-dlto is not compatible with -rdc=false" in program.log
    assert program.compile("-rdc=false", "-rdc=true", option) == OK


def test_syntax_alone(nvrtc):
    program = Program(nvrtc, SAXPY)
    assert program.compile("--fdevice-syntax-only") == OK
    assert program.cubin == b""
    program = Program(nvrtc, SAXPY + "int f() { return }")
    assert program.compile("-fdevice-syntax-only") == NOT_COMPILED


def test_diagnostics_by_number(nvrtc):
    source = """
    [[deprecated]] __device__ int old() { return 1; }
    __global__ void k(int *p) { *p = old(); }
    """
    program = Program(nvrtc, source)
    assert program.compile() == OK and "deprecated" in program.log
    program = Program(nvrtc, source)
    assert program.compile("--diag-suppress=177,1215") == OK
    assert program.log == ""
    program = Program(nvrtc, source)
    assert program.compile("--diag-error=1215") == NOT_COMPILED


def test_precompiled_headers_by_name(nvrtc, tmp_path):
    path = tmp_path / "made.pch"
    program = Program(nvrtc, SAXPY)
    status = nvrtc.nvrtcGetPCHCreateStatus
    assert program.compile(f"--use-pch={path}") == NOT_COMPILED
    assert "cannot open precompiled header file" in program.log
    assert status(program.handle) == 13
    assert program.compile(f"--create-pch={path}") == OK
    assert f'creating precompiled header file "{path}"' in program.log
    assert status(program.handle) == OK
    assert program.compile(f"-use-pch={path}") == OK, program.log
    assert program.compile("-create-pch=/nowhere/x") == NOT_COMPILED
    assert status(program.handle) == 15
    assert program.compile("-pch", "-pch-dir=/nowhere") == NOT_COMPILED
    assert "invalid PCH directory" in program.log
    assert status(None) == BAD_PROGRAM


def test_files_of_times(nvrtc, tmp_path):
    program = Program(nvrtc, SAXPY)
    assert program.compile("--time=-") == OK
    assert program.log.startswith("File name, phase name, metric, unit\n")
    assert program.compile("--time=/nowhere/t") == 12
    assert "failed to open file /nowhere/t for writing" in program.log
    assert program.compile("--fdevice-time-trace=/nowhere/t") == 17


def test_optimised_code_with_debug_information(nvrtc):
    sizes = []
    for options in ((), ("-G",), ("-G", "-dopt=on"), ("-lineinfo",)):
        program = Program(nvrtc, SAXPY)
        assert program.compile("-arch=sm_90", *options) == OK
        sizes.append(len(program.cubin))
    assert sizes[2] == sizes[3] != sizes[1]


def test_value_as_the_next_word(nvrtc):
    program = Program(nvrtc, "int a[N == 4 ? 1 : -1];")
    assert program.compile("-D", "N=4", "-I", "/nowhere") == OK, program.log


def test_verbose_assembler(nvrtc):
    program = Program(nvrtc, SAXPY)
    assert program.compile("--ptxas-options=-v") == OK
    assert "Compiling entry function 'saxpy'" in program.log


def test_errors_carry_name_and_line(nvrtc):
    source = "__global__ void k(int *p) {\n\n  *p = no_such_thing;\n}"
    program = Program(nvrtc, source, name=b'a "quoted" name.cu')
    assert program.compile() == NOT_COMPILED
    assert 'a "quoted" name.cu:3:8: error:' in program.log
    assert "no_such_thing" in program.log


def test_default_name(nvrtc):
    program = Program(nvrtc, "oops", name=None)
    assert program.compile() == NOT_COMPILED
    assert program.log.startswith("default_program:1:1: error:")


def test_warnings_are_kept_and_can_be_silenced(nvrtc):
    source = "#warning look here\n" + SAXPY
    for options, expected in (((), True), (("-w",), False)):
        program = Program(nvrtc, source)
        assert program.compile(*options) == OK
        assert ("look here" in program.log) is expected


def test_inline_ptx_is_named(nvrtc):
    program = Program(
        nvrtc,
        '__global__ void k(int *p) {\n  asm("wgmma.fence.sync.aligned;");\n}',
    )
    assert program.compile() == NOT_COMPILED
    assert "kernel.cu:2" in program.log and "PTX" in program.log


def test_headers_in_memory(nvrtc, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    headers = {"size.h": "#define N 4\n", "deep/er.h": '#include "../size.h"'}
    program = Program(
        nvrtc, "#include <deep/er.h>\nint a[N == 4 ? 1 : -1];", headers
    )
    assert program.compile() == OK, program.log
    assert list(tmp_path.iterdir()) == [], "nothing is left of them"


@pytest.mark.parametrize("name", ["../up.h", "/tmp/absolute.h", "a/../../b.h"])
def test_headers_stay_in_their_folder(nvrtc, name, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    program = Program(nvrtc, SAXPY, {"right.h": "", name: ""})
    assert program.compile() == BAD_INPUT
    assert name in program.log
    assert list(tmp_path.iterdir()) == []


NAMES = """
template <class T> __global__ void fill(T *p) { *p = T(); }
namespace inner {
__constant__ int table[4];
__global__ void plain(float *p) { *p = table[1]; }
}
__device__ float value;
"""


def test_lowered_names(nvrtc):
    expressions = {
        "fill<int>": b"_Z4fillIiEvPT_",
        "fill<unsigned char>": b"_Z4fillIhEvPT_",
        "inner::plain": b"_ZN5inner5plainEPf",
        "&inner::table": b"_ZN5inner5tableE",
        "&value": b"value",
    }
    program = Program(nvrtc, NAMES).expect(*expressions)
    assert program.lowered("fill<int>")[0] == NO_NAMES_BEFORE
    assert program.compile("-arch=sm_90") == OK, program.log
    for expression, symbol in expressions.items():
        assert program.lowered(expression) == (OK, symbol)
        if b"Z4fill" in symbol:
            assert symbol in program.cubin
    assert program.lowered("fill<char>")[0] == BAD_EXPRESSION
    assert (
        nvrtc.nvrtcAddNameExpression(program.handle, b"fill<char>")
        == NO_EXPRESSIONS_AFTER
    )


def test_wrong_name_expression(nvrtc):
    program = Program(nvrtc, NAMES).expect("no_kernel<int>")
    assert program.compile() == NOT_COMPILED
    assert "name expression 1" in program.log


def test_program_can_be_compiled_again(nvrtc):
    program = Program(nvrtc, "int a[N];")
    assert program.compile() == NOT_COMPILED
    assert program.compile("-DN=2") == OK
    assert program.log == ""


def test_handles_are_checked(nvrtc):
    program = Program(nvrtc, SAXPY)
    stale = ctypes.c_void_p(program.handle.value)
    assert nvrtc.nvrtcDestroyProgram(ctypes.byref(program.handle)) == OK
    assert program.handle.value is None
    assert nvrtc.nvrtcDestroyProgram(ctypes.byref(stale)) == BAD_PROGRAM
    for handle in (stale, None):
        assert nvrtc.nvrtcCompileProgram(handle, 0, None) == BAD_PROGRAM
        assert nvrtc.nvrtcGetCUBIN(handle, None) == BAD_PROGRAM
    created = nvrtc.nvrtcCreateProgram(None, b"", None, 0, None, None)
    assert created == BAD_PROGRAM


def test_many_threads(nvrtc):
    failed = []

    def work(number):
        source = SAXPY.replace("saxpy", f"saxpy{number}")
        program = Program(nvrtc, source)
        if (
            program.compile("-arch=sm_90") != OK
            or (b"saxpy%d" % number) not in program.cubin
        ):
            failed.append(program.log)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


# ---- a broken environment: each test in a separate process ----

CHILD = """
import sys
sys.path[:0] = [{folder!r}]
import ctypes, test_nvrtc_api as t
from pycuda import cpu
program = t.Program(ctypes.CDLL(str(cpu.library())), t.SAXPY)
print(program.compile())
print(program.log)
"""


def compile_elsewhere(**variables):
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(folder=folder)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stderr
    code, _, log = done.stdout.partition("\n")
    return int(code), log


def test_missing_clang_says_what_to_install(tmp_path):
    code, log = compile_elsewhere(PYCUDA_CLANG=str(tmp_path / "clang"))
    assert code == NOT_COMPILED
    for word in ("ziglang==0.14", "clang-19", "PYCUDA_CLANG"):
        assert word in log


def test_other_program_for_clang(tmp_path):
    code, log = compile_elsewhere(
        PYCUDA_CLANG="/bin/ls", PYCUDA_CACHE_DIR=str(tmp_path)
    )
    assert code == NOT_COMPILED and "is not clang 19" in log


@pytest.mark.skipif(not ZIG.exists(), reason="no ziglang")
def test_a_name_is_looked_for_along_the_path(tmp_path):
    (tmp_path / "zig-here").write_text(f'#!/bin/sh\nexec {ZIG} "$@"\n')
    (tmp_path / "zig-here").chmod(0o755)
    path = f"/nowhere:{tmp_path}:{os.environ['PATH']}"
    code, log = compile_elsewhere(
        PYCUDA_CLANG="zig-here", PATH=path, PYCUDA_CACHE_DIR=str(tmp_path)
    )
    assert code == OK, log


@pytest.mark.parametrize(
    "script, words",
    [
        ("echo broken >&2; kill -SEGV $$", "signal 11"),
        ("echo broken >&2; exit 3", "status 3"),
    ],
)
def test_dying_compiler_leaves_its_last_words(tmp_path, script, words):
    jit = tmp_path / "jit"
    jit.write_text(f"#!/bin/sh\n{script}\n")
    jit.chmod(0o755)
    code, log = compile_elsewhere(PYCUDA_JIT=str(jit))
    assert code == NOT_COMPILED
    assert words in log and "broken" in log


def test_the_compiler_reads_its_own_variables():
    code, log = compile_elsewhere(PYCUDA_CPU_TARGET="z80")
    assert code == NOT_COMPILED and "is 'z80'; it must be " in log


def test_missing_jit(tmp_path):
    code, log = compile_elsewhere(PYCUDA_JIT=str(tmp_path / "jit"))
    assert code == 7 and "PYCUDA_JIT" in log


def test_cache_that_cannot_be_written():
    assert compile_elsewhere(PYCUDA_CACHE_DIR="/proc/none")[0] == OK


def test_damaged_precompiled_header(tmp_path):
    cache = {"PYCUDA_CACHE_DIR": str(tmp_path)}
    assert compile_elsewhere(**cache)[0] == OK
    (pch,) = (tmp_path / "front").glob("*.pch")
    whole = pch.stat().st_size
    pch.write_bytes(pch.read_bytes()[:1000])
    assert compile_elsewhere(**cache) == (OK, "\n")
    assert compile_elsewhere(**cache) == (OK, "\n")
    assert pch.stat().st_size == whole, "it is made anew"


def test_headers_of_ours_are_precompiled_too(nvrtc, tmp_path, monkeypatch):
    """Our headers, included by their path or through include folders."""
    headers = Path(pycuda.__file__).parent / "cuda"
    (tmp_path / "mine.h").write_text("#define MINE\n")
    made = []
    for number, options in enumerate(
        (
            [],
            [f"--pre-include={headers / 'prelude.h'}"],
            [f"-I{headers}", "--pre-include=prelude.h"],
            [f"-I{tmp_path}", "--pre-include=mine.h"],
        )
    ):
        folder = tmp_path / str(number)
        monkeypatch.setenv("PYCUDA_CACHE_DIR", str(folder))
        assert Program(nvrtc, SAXPY).compile(*options) == OK
        (pch,) = (folder / "front").glob("*.pch")
        made.append((pch.name, pch.stat().st_size))
    plain, by_path, along, foreign = made
    assert foreign == plain, "a header of the user's is not"
    assert by_path[1] > plain[1]
    assert along == by_path


def test_changed_headers_are_precompiled_anew(tmp_path):
    headers, cache = tmp_path / "cuda", tmp_path / "cache"
    shutil.copytree(Path(pycuda.__file__).parent / "cuda", headers)
    places = {
        "PYCUDA_CUDA_HEADERS": str(headers),
        "PYCUDA_CACHE_DIR": str(cache),
    }
    for count in (1, 2):
        assert compile_elsewhere(**places) == (OK, "\n")
        assert len(list((cache / "front").glob("*.pch"))) == count
        with open(headers / "cpu" / "device.h", "a") as header:
            header.write("#define CHANGED\n")


def test_precompiled_headers_that_nobody_uses_go(tmp_path):
    front = tmp_path / "front"
    front.mkdir()
    day = 24 * 3600
    ages = {
        f"{'a' * 32}.pch": 40 * day,
        f"{'b' * 32}.pch": 20 * day,
        f"{'c' * 32}.pch.123.0x1": 2 * 3600,
        f"{'d' * 32}.pch.123.0x1": 60,
        "the user's.pch": 400 * day,
    }
    for name, age in ages.items():
        (front / name).write_text("")
        os.utime(front / name, (time.time() - age,) * 2)
    cache = {"PYCUDA_CACHE_DIR": str(tmp_path)}
    assert compile_elsewhere(**cache)[0] == OK
    left = {path.name[0] for path in front.iterdir()} - {"t"}
    (made,) = (p for p in front.glob("*.pch") if p.stat().st_size)
    assert left == {"b", "d", made.name[0]}
    os.utime(made, (time.time() - 2 * day,) * 2)
    number = made.stat().st_ino
    assert compile_elsewhere(**cache)[0] == OK
    assert time.time() - made.stat().st_mtime < day, "it was used"
    assert made.stat().st_ino == number, "and not made again"


def test_a_large_folder_of_precompiled_headers_is_trimmed(tmp_path):
    """The longest unused go, until 1 GiB is left; none of the last 2 days."""
    front = tmp_path / "front"
    front.mkdir()
    sizes = {"a": (0.4, 20), "b": (0.4, 10), "c": (0.5, 3), "d": (0.4, 1.9)}
    for name, (size, days) in sizes.items():
        path = front / f"{name * 32}.pch"
        path.touch()
        os.truncate(path, int(size * 2**30))  # takes no space
        os.utime(path, (time.time() - days * 24 * 3600,) * 2)
    cache = {"PYCUDA_CACHE_DIR": str(tmp_path)}
    assert compile_elsewhere(**cache)[0] == OK
    left = [name for name in sizes if (front / f"{name * 32}.pch").exists()]
    assert left == ["c", "d"]


def test_preloaded_libraries_do_not_reach_the_children():
    code, log = compile_elsewhere(LD_BIND_NOW="1", LD_LIBRARY_PATH="/nowhere")
    assert code == OK, log


def processor_time():
    """Return CPU seconds of this process and of children that have ended."""
    each = map(resource.getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in each)


@pytest.mark.no_sanitizer
def test_small_kernel_compiles_quickly(nvrtc):
    """The goal is 50 ms; CPU time does not depend on other processes."""
    times = []
    for _ in range(7):
        program = Program(nvrtc, SAXPY)
        start = processor_time()
        assert program.compile() == OK
        times.append(processor_time() - start)
    print(f"{min(times) * 1e3:.1f} ms")
    assert min(times) < 0.25


def test_program_that_cannot_be_started_leaves_no_files_open(tmp_path):
    jit = tmp_path / "jit"
    jit.write_bytes(b"no program")
    jit.chmod(0o755)
    code = CHILD.format(folder=os.path.dirname(os.path.abspath(__file__)))
    code += """
import os
before = len(os.listdir("/proc/self/fd"))
for turn in range(5):
    assert program.compile() != t.OK
print(len(os.listdir("/proc/self/fd")) - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
        env={**os.environ, "PYCUDA_JIT": str(jit)},
    )
    assert done.returncode == 0, done.stderr
    assert str(jit) in done.stdout
    assert done.stdout.splitlines()[-1] == "0"


def test_room_for_precompiled_headers_is_what_was_set(nvrtc):
    bytes_set, room = 12345678, ctypes.c_size_t(7)
    assert nvrtc.nvrtcGetPCHHeapSize(None) == BAD_INPUT
    assert nvrtc.nvrtcSetPCHHeapSize(ctypes.c_size_t(bytes_set)) == OK
    assert nvrtc.nvrtcGetPCHHeapSize(ctypes.byref(room)) == OK
    assert room.value == (bytes_set + 4095) // 4096 * 4096


def test_what_the_package_is_told_of_the_compiler(nvrtc, context):
    from pycuda import _driver

    library, major, minor, archs = _driver._nvrtc_info()
    assert Path(library).samefile(cpu.library())
    told = ctypes.c_int(), ctypes.c_int()
    assert nvrtc.nvrtcVersion(*map(ctypes.byref, told)) == OK
    assert (major, minor) == tuple(number.value for number in told)
    assert archs == sorted(archs) and {70, 90, 120} <= set(archs)


def resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def growth(nvrtc, use, rounds, *what):
    """Return the bytes by which a process grows as programs come and go."""
    for turn in range(rounds + 1):
        program = Program(nvrtc, *what)
        use(program)
        assert nvrtc.nvrtcDestroyProgram(ctypes.byref(program.handle)) == OK
        if turn == 0:
            before = resident_bytes()
    return resident_bytes() - before


@pytest.mark.no_sanitizer  # sanitizers delay the reuse of freed memory
def test_what_a_program_held_goes_with_it(nvrtc):
    long = "/" * (8 << 20)
    grown = growth(nvrtc, lambda p: p.expect(long), 10, long, {"x.h": long})
    assert grown < 64 << 20  # of 240 MiB


@pytest.mark.no_sanitizer
def test_what_was_compiled_goes_with_the_program(nvrtc):
    # The image contains the table.
    source = "__constant__ int table[1 << 21] = {1}; " + SAXPY
    grown = growth(nvrtc, Program.compile, 8, source)
    assert grown < 24 << 20  # of 64 MiB
