"""Our kernels compiled by NVIDIA's compiler, which needs no GPU.

Skipped if libnvrtc is not installed. Kernels are generated as for a GPU,
whatever the current device, and compiled for sm_90. They must have no spills
and no local memory, and must use 16-byte words where adjacent elements are
copied.
"""

# SPDX-License-Identifier: MIT

import ctypes
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import pycuda.gpuarray
from pycuda._compile import options
from pycuda._kernels import axes, building, maps, reductions
from pycuda._random import philox

sys.path.insert(0, str(Path(__file__).parent))
from test_nvidia_nvrtc import HEADERS_DIR, TOOLKITS, nvrtc

assert pycuda.gpuarray  # imported before its submodules
pytestmark = pytest.mark.usefixtures("context")

DTYPES = ["?", "i1", "u2", "i4", "i8", "f4", "f8", "c8", "c16"]
WORD = re.compile(r"\b(ld|st)\.global\.(?:v4\.[bufs]32|v2\.[bufs]64)")
OPTIONS = [
    "--gpu-architecture=sm_90",
    "--fmad=false",
    "-w",
    "--ptxas-options=--warn-on-local-memory-usage",
    "--ptxas-options=--warn-on-spills",
    f"--pre-include={HEADERS_DIR / 'prelude.h'}",
    f"--include-path={HEADERS_DIR / 'nvrtc'}",
    f"--include-path={HEADERS_DIR / 'std'}",
    f"--include-path={HEADERS_DIR}",
    *(f"--include-path={folder}" for folder in TOOLKITS),
]


class Seen(Exception):
    """Replaces a module and records its source."""


@pytest.fixture
def source_of(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Callable[[], Any]], str]:
    """Return the source that a call would compile for a GPU."""

    def module(source: str, **options: Any) -> NoReturn:
        raise Seen(source)

    def source_of(make: Callable[[], Any]) -> str:
        with pytest.raises(Seen) as seen:
            make()
        return str(seen.value)

    monkeypatch.setattr("pycuda.compiler.SourceModule", module)
    monkeypatch.setattr(philox, "SourceModule", module)
    monkeypatch.setattr(building, "runs_threads_in_turn", lambda: False)
    return source_of


def words_of(source: str, more: Sequence[str] = ()) -> set[str]:
    """Return whether a kernel loads ("ld") and stores ("st") 16-byte words.

    NVIDIA's compilers must not print any warning.
    """
    library, program = nvrtc(), ctypes.c_void_p()
    size = ctypes.c_size_t()
    library.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None
    )
    words = [option.encode() for option in (*OPTIONS, *more)]
    result = library.nvrtcCompileProgram(
        program, len(words), (ctypes.c_char_p * len(words))(*words)
    )
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    assert (result, log.value) == (0, b"")
    library.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    library.nvrtcGetPTX(program, ptx)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return {found[1] for found in WORD.finditer(ptx.value.decode())}


@pytest.mark.parametrize("option", ["-restrict", "--restrict"])
def test_what_is_compiled_later_may_have_aliases(source_of, option):
    """NVRTC would keep the option: loads would use another cache."""
    t = np.dtype("f4")
    add = maps.Map("add", (t, t), (t, t), t, t, "aligned", 1, (1, 1, 1), False)
    words_of(source_of(add.make), options.translate([option]).options)
    assert words_of(source_of(add.make)) == {"ld", "st"}


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_neighbours_are_words(source_of, dtype):
    t = np.dtype(dtype)
    kernel = maps.Map(
        "add", (t, t), (t, t), t, t, "aligned", 1, (1, 1, 1), False
    )
    assert words_of(source_of(kernel.make)) == {"ld", "st"}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "any"])
def test_whole_arrays_are_read_in_words(source_of, name, dtype):
    t = np.dtype(dtype)
    out = np.dtype(bool) if name == "any" or t.kind == "b" else t
    make = lambda: reductions.make_reduction(name, 1, (t,), out)  # noqa: E731
    assert "ld" in words_of(source_of(make))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["words_rows", "words_columns"])
def test_rows_are_read_in_words(source_of, layout, dtype):
    t = np.dtype(dtype)
    out = np.dtype(np.int64) if t.kind in "biu" else t
    value = axes.value_type("sum", t, out)
    kernel = axes.Reduction(
        "sum", t, out, value, 0, layout, 1, 1, True, lanes=8, threads=256
    )
    assert "ld" in words_of(source_of(lambda: axes.make(kernel)))


@pytest.mark.sweep(most=8)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", sorted(philox.KINDS))
def test_random_numbers(source_of, kind, dtype):
    whole = kind[:4] in ("bits", "with")
    t = np.dtype(dtype.replace("f", "u") if whole else dtype)
    make = philox.kernel.__wrapped__  # another test may have compiled it
    words = words_of(source_of(lambda: make(kind, t)))
    wide = philox.KINDS[kind].elements(t) * t.itemsize >= 16
    assert words == ({"st"} if wide else set())
