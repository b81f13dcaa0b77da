"""Every option of nvcc and NVRTC: its row, its spellings, its effect."""

# SPDX-License-Identifier: MIT

import ctypes
import json
import os
import re
import shutil
import subprocess
import warnings

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import compiler
from pycuda._compile import option_rows as rows
from pycuda._compile.options import OptionError, translate

NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
NVRTC = "/usr/local/cuda/lib64/libnvrtc.so.13"
ALL = (*rows.NVCC, *rows.UNLISTED, *rows.NVRTC)
# Valid values of options for which the value of their kind is not valid.
EXAMPLES = {
    "--pre-include": "stdint.h",
    "--define-macro": "N=3",
    "--undefine-macro": "N",
    "--include-path": "/nowhere",
    "--system-include": "/nowhere",
    "--gpu-architecture": "native",
    "--gpu-code": "sm_75,sm_90",
    "--generate-code": "arch=compute_75,code=[sm_75,compute_75]",
    "--ptxas-options": "-v,-O2",
    "--compiler-options": "-fPIC,-O2",
    "--entries": "k",
    "--cudafe-options": "--diag_suppress=177",
    "--diag-error": "20012",
    "--diag-suppress": "177",
    "--diag-warn": "177,550",
    "--x": "cu",
    "--split-compile": "2",
    "--jump-table-density": "50",
    "--maxrregcount": "32",
}
KINDS = {
    rows.TEXT: "text", rows.LIST: "a,b", rows.BOOL: "true", rows.NUMBER: "4",
}  # fmt: skip
KERNEL = 'extern "C" __global__ void k(int *out) { *out = 7; }\n'


def example(row, folder="."):
    """Return a valid value."""
    name = row.names[0]
    if name in EXAMPLES:
        return EXAMPLES[name]
    if name in ("--time", "--fdevice-time-trace", "--create-pch"):
        return os.path.join(folder, "written")
    if name == "--use-pch":
        return os.path.join(folder, "given")
    if name == "--pch-dir":
        return str(folder)
    if name == "--options-file":
        return os.path.join(folder, "options")
    return row.allowed[-1] if row.allowed else KINDS[row.value]


def spellings(row, folder="."):
    """Return argument lists: each spelling, with its value everywhere."""
    for name in row.names:
        if row.value == rows.NONE:
            yield [name]
        else:
            value = example(row, folder)
            yield [name, value]
            yield [f"{name}={value}"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "options").write_text("-DOF_A_FILE=1 -w\n")
    (tmp_path / "given").write_text("")
    return tmp_path


@pytest.mark.skipif(not os.path.exists(NVCC), reason="no nvcc")
def test_every_option_of_nvcc_has_a_row():
    done = subprocess.run([NVCC, "--help"], capture_output=True, text=True)
    listed = re.findall(r"^(--\S+).*?\(?(-[^\s()]+)\)? *$", done.stdout, re.M)
    assert len(listed) > 100
    known = {row.names[0]: row.names for row in rows.NVCC}
    missing = [
        names
        for names in listed
        if not set(names) <= set(known.get(names[0], ()))
    ]
    assert missing == []


def test_rows_are_complete():
    assert len(rows.BY_NAME) == sum(len(row.names) for row in ALL)
    for row in ALL:
        if row.action in (rows.HAND, rows.HINT, rows.DROP, rows.REFUSE):
            assert row.text, row
        if row.action in (rows.HAND, rows.HINT):
            assert row.text.startswith("--"), row


@pytest.mark.parametrize(
    "row", [r for r in ALL if r.action == rows.REFUSE], ids=lambda r: r[0][0]
)
def test_refused_options_say_why(row):
    for name in row.names:
        with pytest.raises(OptionError) as caught:
            translate(["-w", name])
        assert str(caught.value) == f"the option {name} {row.text}"


def test_all_spellings_mean_the_same(folder):
    for row in ALL:
        if row.action == rows.REFUSE:
            continue
        found = [vars(translate(s)) for s in spellings(row, folder)]
        assert found.count(found[0]) == len(found), row


def test_dropped_options_leave_nothing():
    nothing = vars(translate([]))
    for row in ALL:
        if row.action == rows.DROP:
            for words in spellings(row):
                assert vars(translate(words)) == nothing, words


def test_values_are_checked():
    for row in ALL:
        wrong = {
            rows.BOOL: "maybe", rows.NUMBER: "many",
        }.get(row.value, "neither" if row.allowed else None)  # fmt: skip
        if row.value == rows.NONE and row.action != rows.REFUSE:
            wrong = "something"
        if wrong and row.action != rows.REFUSE:
            for name in row.names:
                with pytest.raises(OptionError, match=wrong) as caught:
                    translate([f"{name}={wrong}"])
                assert name in str(caught.value)
        if row.value != rows.NONE and row.action != rows.REFUSE:
            with pytest.raises(OptionError, match="lacks its value"):
                translate([row.names[0]])


# ---- effects of the options on a compilation for the current device ----


def build(options, source=KERNEL):
    """Compile and load; return None, or the error's message."""
    with warnings.catch_warnings():
        # Warnings of the assembler and the timer.
        warnings.simplefilter("ignore")
        try:
            compiler.SourceModule(
                source, options=options, no_extern_c=True, cache_dir=False
            ).get_function("k")
        except drv.CompileError as error:
            return str(error)
    return None


# Their value would have to suit the device and the compiler.
SPECIAL = {"--device-float128", "--use-pch", "--create-pch", "--pch-dir"}


@pytest.mark.usefixtures("context")
def test_every_option_compiles(folder):
    handed = (rows.HAND, rows.HINT)
    together = []
    for row in ALL:
        if row.action == rows.REFUSE or row.names[0] in SPECIAL:
            continue
        *_, words = spellings(row, folder)
        if row.action not in handed:
            together += words
        elif "--relocatable-device-code" not in row.text:
            assert build(words) is None, words
    assert build(together) is None


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-DN=1", "-D", "M=2"], (1, 2)),
        (["-DN=3,M=4"], (3, 4)),
        (["--define-macro=N=F(5,6),M=7", "-DF(a,b)=a+b"], (11, 7)),
        (["-D=N=8", "-DM=F", "-DF=9"], (8, 9)),
        (["-DN=A", "-DM=1", r"-DA=(4\,5)"], (5, 1)),
        (['-DN=sizeof("a,b")', r"-DM=sizeof(\"abc\")"], (4, 4)),
        (["-Xcompiler", "-DN=10,-fopenmp", "-Xcompiler=-D M=11"], (10, 11)),
        (["-Xcompiler=-DN=12 -O2", "-U", "N", "-DN=13,M=1"], (13, 1)),
        (["-DN=14", "-DM=1", "-DX,Y", "-UX,Y"], (14, 1)),
        (["-DM=1", "-DN=defined_by_stream"], None),
    ],
)
def test_macros_in_every_form(options, expected):
    if expected is None:
        options = [*options, "-default-stream", "per-thread"]
        expected = (1, 1)
    source = """
    #ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
    #define defined_by_stream 1
    #endif
    extern "C" __global__ void k(int *out) { out[0] = N; out[1] = M; }
    """
    out = np.zeros(2, np.int32)
    kernel = compiler.SourceModule(
        source, options=options, no_extern_c=True, cache_dir=False
    ).get_function("k")
    kernel(drv.Out(out), block=(1, 1, 1))
    assert tuple(out) == expected


TWO = KERNEL + 'extern "C" __global__ void other(int *out) { *out = 8; }\n'


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize(
    "words",
    [["-e", "k"], ["-e=k"], ["--entries=k,other"], ["--entries", "other,k"],
     ["-Xptxas=-e=k"], ["-Xptxas", "-e,k"]],
    ids=" ".join,
)  # fmt: skip
def test_entries(words):
    assert build(words, TWO) is None
    words = [word.replace("k", "absent") for word in words]
    assert "Unknown function absent" in build(words, TWO)


@pytest.mark.usefixtures("context")
def test_unknown_options_go_to_the_host_after_forward():
    for forward in (
        "-forward-unknown-to-host-compiler",
        "--forward-unknown-to-host-linker",
        "--forward-unknown-opts",
    ):
        assert build([forward, "-fopenmp", "--march=native", "-Wall"]) is None
        assert build(["-fopenmp", forward]) is None
        # Known options keep their meaning; arguments that are not options
        # fail.
        assert "Unknown function gone" in build([forward, "-x9", "-e", "gone"])
        assert "value.cu" in build([forward, "-unheard-of", "value.cu"])
    assert "-fopenmp" in build(["-fopenmp"])


@pytest.mark.usefixtures("context")
def test_options_of_the_environment(monkeypatch):
    monkeypatch.setenv("NVCC_PREPEND_FLAGS", '-DN=1 -ccbin "a b"')
    source = KERNEL + 'static_assert(N == 1, "N");\n'
    assert build([], source) is None
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-UN -DN=2")
    assert "N" in build([], source)
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-dlto")
    assert "link-time" in build([], source)
    monkeypatch.setenv("NVCC_APPEND_FLAGS", '-DX="')
    assert "NVCC_APPEND_FLAGS" in build([], source)


@pytest.mark.usefixtures("context")
def test_wrong_values_reach_the_user():
    for words, said in (
        (["-ftz=1"], "-ftz must be true or false"),
        (["-maxrregcount", "few"], "-maxrregcount must be a whole number"),
        (["-std=gnu++17"], "c++03, c++11"),
        (["-sanitize", "memcheck"], "PYCUDA_CPU_CHECK"),
        (["-Xptxas=--unheard-of"], "unheard-of"),
        (["-arch=sm_what"], "invalid value for --gpu-architecture"),
        (["-arch=lto_90"], "link-time optimiser"),
        (["-gencode", "arch=compute_90,cod=sm_90"], "must be like arch="),
        (["-m32"], "64-bit"),
    ):
        assert said in build(words), words


def test_generate_code_in_every_form():
    for value, code in (
        ("arch=compute_80,code=sm_80", "sm_80"),
        ("arch=compute_80,code=[sm_80,compute_80]", "sm_80,compute_80"),
        ('arch=compute_80,code=\\"sm_80,compute_80\\"', "sm_80,compute_80"),
        ("arch=compute_80,code=sm_80,sm_86", "sm_80,sm_86"),
        ("code=[sm_80,sm_86],arch=compute_80", "sm_80,sm_86"),
        ("arch=compute_80", "compute_80"),
        ("arch=compute_80,code=[lto_80,sm_80]", "sm_80"),
    ):
        out = translate(["-gencode", value])
        assert (out.arch, out.code) == ("compute_80", code), value


def test_options_of_the_host_compiler_about_headers():
    out = translate(
        ["-Xcompiler", "-I/a,-isystem,/c", "-I/b", "-Xcompiler=-include x.h"]
    )
    assert out.include_dirs == ["/a", "/b", "/c"]
    assert out.pre_includes == ["x.h"]


def test_a_file_of_options_that_names_itself(tmp_path):
    (tmp_path / "o").write_text(f"-optf {tmp_path / 'o'}")
    with pytest.raises(OptionError, match="includes itself"):
        translate(["-optf", str(tmp_path / "o")])
    (tmp_path / "a").write_text(f"-DA -optf {tmp_path / 'b'}")
    (tmp_path / "b").write_text(f"-optf {tmp_path}/../{tmp_path.name}/a")
    with pytest.raises(OptionError, match="includes itself"):
        translate(["-optf", str(tmp_path / "a")])


def test_files_of_options_may_share_a_file(tmp_path):
    shared = tmp_path / "shared"
    shared.write_text("-DS")
    for name in "ab":
        (tmp_path / name).write_text(f"-D{name} -optf {shared}")
    words = ["-optf", f"{tmp_path}/a,{tmp_path}/b", "-optf", str(shared)]
    assert translate(words).options == [
        f"--define-macro={name}" for name in "aSbSS"
    ]


@pytest.mark.parametrize("times", [2, 10, 40])
def test_files_of_options_that_multiply(tmp_path, times):
    """A dozen files that name the next one several times each."""
    for level in range(12):
        word = f"-optf {tmp_path / str(level + 1)}\n"
        (tmp_path / str(level)).write_text(word * times)
    (tmp_path / "12").write_text("-DA")
    with pytest.raises(OptionError, match="at most .* bytes in 1000 files"):
        translate(["-optf", str(tmp_path / "0")])


def test_files_of_options_are_bounded(tmp_path):
    for level in range(20):
        (tmp_path / str(level)).write_text(
            f"-optf {tmp_path / str(level + 1)}"
        )
    with pytest.raises(OptionError, match="16 deep"):
        translate(["-optf", str(tmp_path / "0")])
    (tmp_path / "large").write_text("-DA " * 200_000)
    with pytest.raises(OptionError, match="1048576 bytes in 1000 files"):
        translate(["-optf", f"{tmp_path / 'large'},{tmp_path / 'large'}"])
    with open(tmp_path / "larger", "wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(OptionError, match="larger than 1048576 bytes"):
        translate(["-optf", str(tmp_path / "larger")])


# ---- the same options with NVIDIA's NVRTC, which needs no GPU ----


@pytest.fixture(scope="module")
def nvidia():
    """Return ``compile(words) -> (result, log)`` of NVIDIA's library."""
    if not os.path.exists(NVRTC):
        pytest.skip("no NVRTC 13")
    library = ctypes.CDLL(NVRTC)

    def compile(words):
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        library.nvrtcCreateProgram(
            ctypes.byref(program), KERNEL.encode(), b"k.cu", 0, None, None
        )
        options = (ctypes.c_char_p * len(words))(*(w.encode() for w in words))
        result = library.nvrtcCompileProgram(program, len(words), options)
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        library.nvrtcDestroyProgram(ctypes.byref(program))
        return result, log.value.decode()

    return compile


def test_handed_options_are_nvrtcs(nvidia, folder):
    for row in ALL:
        if row.action not in (rows.HAND, rows.HINT) or row.names[0] in SPECIAL:
            continue
        words = translate(next(spellings(row, folder))).options
        result, log = nvidia(words)
        assert result == 0, f"{words}: {log}"


def test_dropped_options_are_not_nvrtcs(nvidia):
    """An option that NVRTC accepts would have to be passed on."""
    # ptxas 13.0 rejects NVRTC 13.0's output for the last one.
    stored = {"--gen-opt-lto", "--restrict", "--version-ident"}
    for row in ALL:
        if row.action == rows.DROP and row.names[0] not in stored:
            result, log = nvidia(next(spellings(row)))
            assert result == 5 and "unrecognized option" in log, row


@pytest.mark.cpu  # on GPUs NVRTC and ptxas use their own formats
@pytest.mark.usefixtures("context")
def test_times_are_written(tmp_path):
    table, trace = tmp_path / "times.csv", tmp_path / "trace"
    options = [f"--time={table}", f"--fdevice-time-trace={trace}"]
    assert build(options) is None
    assert build(options) is None
    lines = table.read_text().splitlines()
    assert lines[0] == "File name, phase name, metric, unit"
    assert lines[1].startswith("kernel.cu, CUDA C++ Frontend, ")
    assert lines.count(lines[0]) == 1 and len(lines) >= 5
    parts = json.loads((tmp_path / "trace.json").read_text())
    assert parts["traceEvents"] if isinstance(parts, dict) else parts
