"""Compilation through the NVRTC API, in process, on either device.

Called by `pycuda.compiler` on a cache miss.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pycuda import _driver
from pycuda._compile import cccl, fast_headers, identity, includes
from pycuda._compile.arch import arch_number
from pycuda._compile.option_rows import HINTS
from pycuda._compile.source import FILE_NAME

# The patterns are searched in logs of failed compilations. They are strings,
# and are compiled to regular expressions only after a failure.
_MISSING_HEADER = (
    r"cannot open source file \"([^\"]+)\"|'([^'\n]+)' file not found"
)
_HOST_CODE = (
    r"host (?:functions|variables) are not allowed in JIT mode"
    r"|calling a __host__ function"
    r"|__device__ annotation on lambda"
)
_UNKNOWN_OPTION = r"unrecognized option (\S+) found"
# (pattern of the log, option with which NVRTC accepts the source). nvcc
# accepts such sources without an option. The sources have calls such as
# sqrt(2), generic lambdas, host functions or variables (the option compiles
# them for the device), or the type __int128.
_REMEDIES = (
    (
        "more than one instance of overloaded function",
        f"--pre-include={includes.ours('nvrtc/mixed_math.h')}",
    ),
    (
        "host (?:functions|variables) are not allowed in JIT mode"
        "|lambda closure class members was inferred to be __host__",
        "--device-as-default-execution-space",
    ),
    ("128-bit integer type is only", "--device-int128"),
    ("requires -builtin-initializer-list", "--builtin-initializer-list=true"),
)

# Pattern of a message about a name of CUB or Thrust, and the advice to give if
# NVIDIA's headers are absent (_ABSENT) or present (_PRESENT).
_ABSENT_NAME = r"in namespace '(?:cub|thrust)'|'(?:cub|thrust)::"
_ABSENT = (
    f"CUB, Thrust and libcu++ are NVIDIA's headers: `{cccl.INSTALL}` brings "
    f"them; {cccl.VARIABLE} can name their folder."
)
_PRESENT = (
    "CUB's block, warp and thread primitives work in kernels; its device-wide "
    "algorithms, and Thrust's, run from host code, which is not compiled: "
    "from Python use pycuda.reduction, pycuda.scan, and sort() and other "
    "functions of pycuda.gpuarray."
)
# Names of headers that only NVIDIA ships.
_NVIDIA_HEADER = (
    r"(?:cooperative_groups|crt|nv|nvtx3)/|cuda/[\w/]+$"
    r"|(?:cublas|cudnn|cufft|cupti|cusolver|cusparse|npp)\w*(?:\.h)?$"
    r"|cuda(?:EGL|GL|Profiler|Typedefs|VDPAU|_profiler_api|_\w+_interop)\.h$"
    r"|(?:nccl|nvJitLink|nvToolsExt|nvfunctional|nvml|nvrtc|nvvm)(?:\.h)?$"
)
# (pattern of a message of the compiler, advice). The first match applies.
_ADVICE = (
    (
        r"required runtime APIs are not declared|"
        r"requires separate compilation mode",
        "Kernels that launch kernels are linked with CUDA's device runtime: "
        "use DynamicSourceModule in place of SourceModule.",
    ),
    (
        r"identifier ['\"]cuda(?:Device|Stream|Event)Synchronize",
        "Since CUDA 12 a kernel cannot wait for the kernels that it launches: "
        "work that needs their results is launched after them, in the same "
        "stream or in cudaStreamTailLaunch.",
    ),
    (
        r"may not have extern \"C\" linkage|templates must have C\+\+",
        'Templates cannot stand inside extern "C": use no_extern_c=True and '
        'write extern "C" before the kernels to be looked up, or list them '
        "in name_expressions=.",
    ),
    (
        r"identifier ['\"]cuda(?:Malloc|Memcpy|Free|Memset|Device)",
        "Code for the host does not belong in the source: memory is made, "
        "copied and kernels are launched from Python.",
    ),
    (
        r"annotation on lambda",
        "Leave __device__ out before the lambda's body.",
    ),
    (
        r"call to __host__ function",
        "A function without __device__ is the host's: write __device__ "
        "before those that kernels call.",
    ),
    (
        _HOST_CODE,
        "The source holds host code, which only nvcc takes: put it outside, "
        "mark it __device__, or install nvcc.",
    ),
    (
        r"identifier ['\"]__(?:any|all|ballot|shfl(?:_up|_down|_xor)?)\b",
        "Since sm_70 functions of a warp name their threads: "
        "__shfl_down_sync(0xffffffff, v, n) in place of __shfl_down(v, n), "
        "and so __shfl_sync, __shfl_up_sync, __shfl_xor_sync, __any_sync, "
        "__all_sync and __ballot_sync.",
    ),
    (
        r"(?:no instance of overloaded function \"|no matching function for "
        r"call to ')atomic",
        "The first argument of an atomic function is the address of a "
        "variable in global or shared memory, as in atomicAdd(&x[i], value), "
        "and the value has the variable's type. The CUDA C++ Programming "
        "Guide lists the types of each function; atomicCAS can make others.",
    ),
    (
        r"cannot use variable-length arrays",
        "The lengths of arrays are fixed when the source is compiled: "
        "extern __shared__ float s[]; has the bytes that the launch gives "
        "as shared=.",
    ),
    (
        r"initialization is not supported for __shared__",
        "Declare each shared variable of a class with a constructor in a "
        "separate statement; the constructor is not run.",
    ),
    (
        r"(?m)^NVRTC_ERROR_OUT_OF_MEMORY|\bout of memory\b|bad_alloc",
        "The process or the system has no memory left for the compiler: free "
        "some, or raise the limit (ulimit -v, the cgroup's memory.max).",
    ),
)


_OUT_OF_MEMORY = 1  # NVRTC_ERROR_OUT_OF_MEMORY
# Architectures for programs that name none and have not called init(). Turing
# and later GPUs can load PTX for compute_75.
_ANY_GPU, _ANY_CPU = "compute_75", "sm_75"


@dataclass
class Result:
    """Output of the compiler; `image` is None if it failed."""

    image: bytes | None
    log: str
    command: list[str]
    names: dict[str, str]  # name expression -> symbol in the image


def needs_ptx(arch: str | None, on_gpu: bool) -> str | None:
    """Return NVRTC's newest architecture if `arch` is newer, else None.

    The driver then compiles the PTX of that architecture for the device.
    """
    number = arch_number(arch) if arch else None
    if not on_gpu or number is None:
        return None
    newest = max((int(a) for a in _driver._nvrtc_info()[3]), default=number)
    return f"compute_{newest}" if number > newest else None


def without_own_cache(on_gpu: bool) -> list[str]:
    """Return the option that disables NVRTC's own cache.

    On a hit of that cache NVRTC returns the image without the compiler's
    messages, and `pycuda._compile.cache` already keeps images.
    """
    if not on_gpu:
        return []
    return ["--no-cache"] if _driver._nvrtc_info()[1] >= 13 else []


def run(
    source: str,
    options: list[str],
    arch: str | None,
    target: str,
    on_gpu: bool,
    names: Sequence[str] = (),
) -> Result:
    """Run the wrapped `source` through NVRTC for `arch`."""
    # without an architecture, NVRTC would return an empty image
    if arch is None:
        arch = _ANY_GPU if on_gpu else _ANY_CPU
    arch = needs_ptx(arch, on_gpu) or arch
    virtual = arch.startswith("compute_")
    kind = "ptx" if target == "ptx" or virtual else "cubin"
    options = [
        *without_own_cache(on_gpu),
        f"--gpu-architecture={arch}",
        *options,
    ]
    if on_gpu:
        source = _with_moved_attributes(source)
    else:
        identity.tell_zig_folder()
        cccl.tell_folder()
    result = last = _run_with_remedies(source, options, kind, names, on_gpu)
    asked = options
    while last.image is None:
        other = _other_form(source, options, last.log)
        if other is None:
            return result
        source, options = other
        last = _run_with_remedies(source, options, kind, names, on_gpu)
    from pycuda._compile import standards

    note = standards.note(asked, options) if options is not asked else ""
    last.log = "\n".join(filter(None, [last.log, note]))
    return last


def _other_form(
    source: str, options: list[str], log: str
) -> tuple[str, list[str]] | None:
    """Return another form of a source that failed, and its options, or None.

    Each form has fewer GNU extensions or a later C++ standard than the
    previous one, so the number of retries is limited.
    """
    try:
        # Imported here, because few programs need these modules.
        from pycuda._compile import gnu, standards
    except OSError:  # too many open files, for example; `log` has the error
        return None

    other = gnu.remedy(source, options, log)
    if other is not None and other != (source, options):
        return other
    later = standards.remedy(options, log)
    return None if later is None else (source, later)


def _run_with_remedies(
    source: str,
    options: list[str],
    kind: str,
    names: Sequence[str],
    on_gpu: bool,
) -> Result:
    """Run the compiler; for a GPU, retry with the remedies of the log."""
    if not on_gpu:
        return _run_once(source, options, kind, names)
    result = _run_quickly(source, options, kind, names)
    return _retry_with_remedies(result, source, options, kind, names)


def _with_moved_attributes(source: str) -> str:
    """Move the attributes of classes to where NVRTC applies them.

    The module is imported only for a source that may need it.
    """
    if "__attribute" not in source and "__align__" not in source:
        return source
    from pycuda._compile import class_attributes

    return class_attributes.moved(source)


def _retry_with_remedies(
    result: Result,
    source: str,
    options: list[str],
    kind: str,
    names: Sequence[str],
) -> Result:
    """Retry a failed compilation with the remedies that its log suggests."""
    last, tried = result, []
    for _ in _REMEDIES:
        more = [
            option
            for pattern, option in _REMEDIES
            if option not in tried and re.search(pattern, last.log)
        ]
        if last.image is not None or not more:
            break
        tried += more
        last = _run_once(source, [*tried, *options], kind, names)
    return result if last.image is None else last


def _run_quickly(
    source: str, options: list[str], kind: str, names: Sequence[str]
) -> Result:
    """Run `_run_once`, faster if `fast_headers` supports the source."""
    fewer = fast_headers.minimal(source, options)
    if fewer:
        result = _run_once(source, fewer, kind, names)
        if result.image is not None:
            return result
    with fast_headers.headers.options(source, options) as more:
        return _run_once(source, [*more, *options], kind, names)


def _run_once(
    source: str, options: list[str], kind: str, names: Sequence[str]
) -> Result:
    status, image, log, symbols = _driver._compile(
        source, FILE_NAME, options, {}, kind, list(names)
    )
    if status == _OUT_OF_MEMORY:
        text = log.strip("\0\n ")
        raise MemoryError(f"nvrtc: {text}\n{advice(text, False)}".rstrip())
    fewer = _without_unknown_hints(options, log) if status else options
    if fewer != options:
        return _run_once(source, fewer, kind, names)
    words = ["nvrtc", *options, FILE_NAME]
    image = image if status == 0 else None
    return Result(image, log.strip("\0\n "), words, symbols)


def _without_unknown_hints(options: list[str], log: str) -> list[str]:
    """Return `options` without optional hints that an older NVRTC lacks."""
    unknown = set(re.findall(_UNKNOWN_OPTION, log))
    return [
        option
        for option in options
        if option not in unknown or option.partition("=")[0] not in HINTS
    ]


def missing_header(log: str) -> str | None:
    """Return the header that is missing according to the log, or None."""
    found = re.search(_MISSING_HEADER, log)
    return (found.group(1) or found.group(2)) if found else None


def is_host_trouble(log: str) -> bool:
    """Return whether NVRTC failed on host code, which nvcc would accept."""
    return bool(re.search(_HOST_CODE, log) or missing_header(log))


def _cccl_advice() -> str:
    """Return advice about a name or a header that CCCL may have."""
    return _ABSENT if cccl.folder() is None else _PRESENT


def _header_advice(header: str, on_gpu: bool) -> str:
    """Return advice about a header that was not found."""
    if not on_gpu and header.startswith(("cub/", "cuda/", "nv/", "thrust/")):
        return _cccl_advice()
    if not on_gpu and re.match(_NVIDIA_HEADER, header):
        return (
            f"The CPU device does not have NVIDIA's header {header!r}; leave "
            "the include out if no kernel needs it, or use PYCUDA_DEVICE=gpu."
        )
    if not on_gpu:
        return (
            f"The header {header!r} was not found; the CPU device has its own "
            "headers only. Name the folder of your own headers in "
            "include_dirs=."
        )
    package = includes.package_for(header, _driver._nvrtc_info()[1])
    if package:
        return (
            f"The header {header!r} was not found; "
            f"`pip install {package}` or a CUDA toolkit brings it."
        )
    return (
        f"The header {header!r} was not found. Name its folder in "
        "include_dirs=; headers of the host's C or C++ library need nvcc "
        "on PATH."
    )


def advice(log: str, on_gpu: bool) -> str:
    """Return a sentence of advice about a failure, or ""."""
    header = missing_header(log)
    if header:
        return _header_advice(header, on_gpu)
    absent = None if on_gpu else re.search(_ABSENT_NAME, log)
    if absent:
        return _cccl_advice()
    for pattern, text in _ADVICE:
        if re.search(pattern, log):
            return text
    return ""
