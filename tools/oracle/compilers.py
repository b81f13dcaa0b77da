"""The two compilers that the oracle compares, behind one interface.

Both libraries export the NVRTC API, so one class drives NVIDIA's and the CPU
device's.  Neither needs a GPU.

SPDX-License-Identifier: MIT
"""

import contextlib
import ctypes
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHEELS_DIR = ROOT / "build" / "oracle" / "wheels"
WHEELS = (
    "nvidia-cuda-nvrtc==13.0.*",
    "nvidia-cuda-runtime==13.0.*",
    "nvidia-cuda-crt==13.0.*",
    "nvidia-cuda-cccl==13.0.*",
    "nvidia-curand==10.4.0.*",
)


def install() -> None:
    """Download NVRTC 13.0 and the headers that it reads into `build/`."""
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--target"]
        + [str(WHEELS_DIR), *WHEELS],
        check=True,
    )


def nvrtc_places() -> Iterator[tuple[Path, Path]]:
    """Yield pairs of an NVRTC 13 library and the folder with its headers."""
    given = os.environ.get("PYCUDA_ORACLE_NVRTC")
    if given:
        library = Path(given)
        for folder in (library.parents[1], library.parents[0]):
            yield library, folder / "include"
        return
    for entry in [str(WHEELS_DIR), *sys.path]:
        folder = Path(entry) / "nvidia" / "cu13"
        yield folder / "lib" / "libnvrtc.so.13", folder / "include"
    toolkit = Path("/usr/local/cuda")
    yield toolkit / "lib64" / "libnvrtc.so.13", toolkit / "include"


def compile_with(
    library: ctypes.CDLL, source: str, words: Sequence[str]
) -> tuple[bool, str]:
    """Return whether a library accepts `source`, and its log."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), b"all.cu", 0, None, None
    )
    array = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    result = library.nvrtcCompileProgram(program, len(words), array)
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value + 1)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return result == 0, log.value.decode(errors="replace")


def serve(path: str, requests: Connection) -> None:
    """Compile requests from a pipe, until it is closed.

    `SCRATCH` in an option is replaced by a folder of this process.
    """
    library = ctypes.CDLL(path)
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.suppress(EOFError),
    ):
        while True:
            source, options = requests.recv()
            words = [word.replace("SCRATCH", folder) for word in options]
            requests.send(compile_with(library, source, words))


class Compiler:
    """A library with the NVRTC API and the options for every compilation.

    Each thread that compiles has a separate process, so that a crash of the
    compiler is an answer, too.

    Parameters
    ----------
    path
        The shared library.
    options
        Options put before those of each compilation.
    remedies
        Options with which pycuda compiles a source again that failed without
        them.
    precompile
        Options for sources whose includes will recur: a process of NVRTC
        reads precompiled headers four times as fast.
    """

    def __init__(
        self,
        path: Path,
        options: Sequence[str],
        remedies: Sequence[str] = (),
        precompile: Sequence[str] = (),
    ) -> None:
        self.path = str(path)
        self.options = list(options)
        self.remedies = list(remedies)
        self.precompile = list(precompile)
        self.local = threading.local()

    def server(self) -> Connection:
        """The pipe to this thread's process."""
        if getattr(self.local, "pipe", None) is None:
            context = multiprocessing.get_context("spawn")
            self.local.pipe, theirs = context.Pipe()
            context.Process(
                target=serve, args=(self.path, theirs), daemon=True
            ).start()
            theirs.close()
        return self.local.pipe

    def compile(
        self,
        source: str,
        options: Sequence[str] = (),
        remedies: Sequence[str] = (),
    ) -> tuple[bool, str]:
        """Return whether `source` was accepted, and the compiler's log."""
        words = [*remedies, *self.options, *options]
        pipe = self.server()
        try:
            pipe.send((source, words))
            return pipe.recv()
        except (EOFError, OSError):
            self.local.pipe = None
            return False, "error: the compiler crashed\n"


def headers_dir() -> Path:
    """Return `pycuda/cuda` of the installed package."""
    import pycuda

    return Path(pycuda.__file__).parent / "cuda"


def nvidia() -> Compiler | None:
    """Return NVRTC 13.0 with the options that pycuda passes, or None."""
    for library, include in nvrtc_places():
        if library.is_file() and (include / "cuda_fp16.h").is_file():
            break
    else:
        return None
    from pycuda._compile.nvrtc import _REMEDIES

    headers = headers_dir()
    folders = (headers / "nvrtc", headers / "std", headers)
    return Compiler(
        library,
        [
            "--gpu-architecture=sm_90",
            f"--pre-include={headers / 'prelude.h'}",
            *(f"--include-path={folder}" for folder in folders),
            f"--include-path={include}",
            f"--include-path={include / 'cccl'}",
        ],
        [option for _, option in _REMEDIES],
        ["--pch", "--pch-dir=SCRATCH", "--pch-messages=false"],
    )


def cpu() -> Compiler:
    """Return the CPU device's compiler with the options that pycuda passes."""
    headers = headers_dir()
    return Compiler(
        headers.parent / "lib" / "libpycuda_cpu.so",
        [
            "--gpu-architecture=sm_90",
            f"--pre-include={headers / 'prelude.h'}",
            f"--include-path={headers}",
        ],
    )


# NVRTC: "name(1): error: text"; clang: "name:1:2: error: text".
ERROR = re.compile(
    r"^(?:(?P<file>[^\s():]+)(?:\((\d+)\)|:\d+(?::\d+)?): )?"
    r"(?:catastrophic |fatal )?error\b[^:]*: (?P<text>.*)$",
    re.MULTILINE,
)


def errors(log: str) -> list[tuple[str, str, str]]:
    """Return (file, message, whole text) of each error in a log."""
    found = list(ERROR.finditer(log))
    ends = [match.start() for match in found[1:]] + [len(log)] * bool(found)
    return [
        (match["file"] or "", match["text"], log[match.start() : end])
        for match, end in zip(found, ends, strict=True)
    ]
