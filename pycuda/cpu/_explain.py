"""Report how the CPU device runs a source's kernels: ``explain``, ``code``."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pycuda.driver as drv
from pycuda import _driver, compiler, cpu
from pycuda._compile import files, habits, nvrtc
from pycuda._compile import source as _source
from pycuda._compile.job import Job, Request

# The start of a module in PTX: comments, then its version.
_PTX = re.compile(rb"(?:\s|//[^\n]*\n|(?>/\*.*?\*/))*\.version\b", re.DOTALL)
_JIT_OPTIONS = {
    "-G": ["-O0"],
    "--device-debug": ["-O0"],
    "-use_fast_math": ["--fast-math"],
    "--use_fast_math": ["--fast-math"],
    "-fmad=false": ["--fmad=0"],
    "--fmad=false": ["--fmad=0"],
}


# The directive before a wrapped source, whose first line it numbers.
_LINE = re.compile(rf'^#line (\d+) "{re.escape(_source.FILE_NAME)}"', re.M)
# Start of the C++ that a Python file has as a text.
_KERNEL = re.compile(r"\b__global__\b")


class CompileError(Exception):
    """Error of a source that does not compile, with the compiler's text."""


def _sources(path: Path) -> list[tuple[bytes, int]]:
    """Return the sources in a file: its text, or the texts of a Python file.

    The number of each is that of its first line in the file.

    Raises
    ------
    CompileError
        If a Python file is invalid or has no text with a kernel.
    """
    content = path.read_bytes()
    if path.suffix != ".py":
        return [(content, 1)]
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError) as error:
        raise CompileError(f"{path}: {error}") from None
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    sources = [
        (node.value.encode(), node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in parts
        and _KERNEL.search(_source.without_comments(node.value))
    ]
    if not sources:
        raise CompileError(
            f"{path} has no text with a __global__ function. A kernel that is "
            "put together when the program runs is explained from a file: "
            "with keep=True, SourceModule, ElementwiseKernel and others "
            "print the name of a folder; run `python -m pycuda.cpu explain "
            "FOLDER/kernel.cu`"
        )
    return sources


def _jit_inputs(path: Path, words: list[str]) -> list[bytes]:
    """Return the inputs of pycuda-jit for a file: PTX, or images of C++.

    Raises
    ------
    CompileError
        With the compiler's messages.
    """
    return [
        text if _PTX.match(text) else _bitcode(path, text, line, words)
        for text, line in _sources(path)
    ]


def _bitcode(path: Path, text: bytes, line: int, words: list[str]) -> bytes:
    """Compile the text to an image that pycuda-jit reads.

    The text is compiled as `SourceModule` compiles it: after the package's
    prelude and in ``extern "C"``.  A text that this makes invalid, such as
    one with templates, is compiled as with ``no_extern_c``.

    Raises
    ------
    CompileError
        With the compiler's messages.
    """
    if _driver._device_kind() != "cpu":
        raise CompileError("explain needs the CPU device: PYCUDA_DEVICE=cpu")
    first = _compiled(path, text, line, words, no_extern_c=False)
    if first.image is not None:
        return first.image
    second = _compiled(path, text, line, words, no_extern_c=True)
    if second.image is not None:
        return second.image
    # Errors that the extern "C" causes are not those of the text.
    log = second.log if "C++ linkage" in first.log else first.log
    hint = habits.hint(log, files.decode(text))
    said = filter(None, [log, hint, nvrtc.advice(log, False)])
    raise CompileError("\n".join(said))


def _compiled(
    path: Path, text: bytes, line: int, words: list[str], no_extern_c: bool
) -> nvrtc.Result:
    """Compile the text, of which line 1 is the file's line `line`."""
    # The compiler makes an image only for a real architecture (sm_...).
    words = [word.replace("=compute_", "=sm_") for word in words]
    request = Request(
        files.decode(text),
        words or compiler.DEFAULT_NVCC_FLAGS,
        no_extern_c=no_extern_c,
        include_dirs=[str(path.parent)],
    )
    try:
        job = Job(request)
    except drv.CompileError as error:
        raise CompileError(str(error)) from None
    return nvrtc.run(
        _with_lines(job.text, path.name, line),
        [*job.words, "-rdc=true", *(f"-I{d}" for d in job.folders.all)],
        job.arch,
        "cubin",
        on_gpu=False,
    )


def _with_lines(text: str, name: str, line: int) -> str:
    """Give the lines of a wrapped source the numbers of the file `name`."""
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')

    def numbered(first: int) -> str:
        return f'#line {line + first - 1} "{quoted}"'

    text = _LINE.sub(lambda m: numbered(int(m[1])), text, count=1)
    return f"{numbered(1)}\n{text}"


def explain(source: str | Path, options: list[str] | None = None) -> Any:
    """Compile a file of CUDA C++ or PTX; describe how its kernels are run.

    Parameters
    ----------
    source
        Path of the file.  Of a Python file, all texts with a kernel are
        compiled, each as a source of its own.
    options
        Compiler options, as SourceModule takes them; by default
        `pycuda.compiler.DEFAULT_NVCC_FLAGS`. PTX has none of them.

    Returns
    -------
    dict
        ``target``, the instruction set; ``kernels``, a dict each: ``name``,
        ``file``, ``line``, ``level`` (loop, packs, regions, warps or
        fibers), ``rows`` (the axis of threadIdx along which neighbouring
        threads run together), ``reason`` (why fibers), ``regions`` (the
        thread loops: line, whether each begins at the kernel's start, at a
        barrier or at a warp operation, and whether ``packs`` of several
        neighbouring threads run at a time), ``loops`` (those that several
        threads run together although each may leave at another iteration:
        line, and how many threads), ``registers``, ``static_shared``,
        ``local_bytes``,
        ``frame_bytes``, ``parameter_bytes``, ``constant_bytes`` (bytes),
        ``max_threads``; ``remarks``, LLVM's remarks about loops: ``file``,
        ``line``, ``column``, ``text``.

    Raises
    ------
    CompileError
        If the source does not compile.
    FileNotFoundError
        If there is no such file, or no CPU device.
    """
    parts = [json.loads(text) for text in _shown("explain", source, options)]
    return {
        **parts[0],
        "kernels": [k for part in parts for k in part["kernels"]],
        "remarks": [r for part in parts for r in part["remarks"]],
    }


def code(
    source: str | Path, form: str = "ir", options: list[str] | None = None
) -> str:
    """Return the code that the CPU device runs for a file, as text.

    Parameters
    ----------
    source
        Path of the file, in CUDA C++ or PTX.
    form
        ``"ir"``, LLVM's intermediate representation after all passes, or
        ``"asm"``, the processor's instructions.
    options
        Compiler options, as SourceModule takes them.

    Raises
    ------
    ValueError
        If `form` is something else.
    CompileError
        If the source does not compile.
    FileNotFoundError
        If there is no such file, or no CPU device.
    """
    if form not in ("ir", "asm"):
        raise ValueError(f"form is {form!r}; it must be 'ir' or 'asm'")
    texts = _shown(form, source, options)
    return b"\n".join(texts).decode(errors="replace")


def _shown(
    what: str, source: str | Path, options: list[str] | None
) -> list[bytes]:
    """Return pycuda-jit's output for each source of a file."""
    given = list(options or [])
    words = [word for name in given for word in _JIT_OPTIONS.get(name, [])]
    jit = os.environ.get("PYCUDA_JIT") or str(
        cpu.library().parents[1] / "bin" / "pycuda-jit"
    )
    texts = []
    for image in _jit_inputs(Path(source), given):
        done = subprocess.run(
            [jit, f"--show={what}", *words],
            input=image,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise CompileError(done.stderr.decode(errors="replace").rstrip())
        texts.append(done.stdout)
    return texts


_LEVELS = {
    "loop": "one loop over the threads of each block",
    "packs": "several neighbouring threads at a time in vector registers, "
    "since loops inside the threads access memory or indices are clamped",
    "regions": "loops over the threads between barriers",
    "warps": "loops over each warp's lanes between warp operations; blocks "
    "whose blockDim.x is no multiple of 32 have a fiber for each thread",
    "fibers": "a fiber for each thread",
}


def _region_lines(kernel: dict[str, Any]) -> list[str]:
    lines = []
    for region in kernel["regions"]:
        start = (
            "the kernel's start"
            if region["from"] == "start"
            else f"the {region['from']}"
        )
        packs = ", several threads at a time" if region["packs"] else ""
        lines.append(
            f"    threads loop from {start}, line {region['line']}{packs}"
        )
    return lines


def _outlined_loops(kernel: dict[str, Any]) -> list[str]:
    return [
        f"    loop with a trip count per thread, line {row['line']}: "
        f"run for {row['threads']} threads at once"
        for row in kernel["loops"]
    ]


def text(told: Any) -> str:
    """Return the result of `explain` as readable text."""
    lines = [f"instructions: {told['target']}"]
    for kernel in told["kernels"]:
        lines += [
            "",
            f"{kernel['file']}:{kernel['line']}: {kernel['name']}",
            f"  {kernel['level']}: {_LEVELS[kernel['level']]}",
        ]
        if kernel["rows"] != "x":
            lines.append(
                "    neighbours in threadIdx.{rows} run together, since they "
                "access neighbouring memory".format(**kernel)
            )
        if kernel["reason"]:
            lines.append(f"    because {kernel['reason']}")
        if kernel["level"] in ("regions", "warps"):
            lines += _region_lines(kernel)
        lines += _outlined_loops(kernel)
        lines.append(
            "  {static_shared} bytes of static shared memory, {local_bytes} "
            "of local memory, {registers} registers (nominal), frame of "
            "{frame_bytes} bytes".format(**kernel)
        )
    if told["remarks"]:
        lines += ["", "LLVM on loops (a kernel's own line: over threads):"]
    seen = set()
    for row in told["remarks"]:
        line = f"  {row['file']}:{row['line']}:{row['column']}: {row['text']}"
        if line not in seen:
            seen.add(line)
            lines.append(line)
    return "\n".join(lines)
