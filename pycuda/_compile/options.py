"""Translate the command line of nvcc into that of NVRTC.

Called by `pycuda.compiler` for every compilation; pure functions on lists of
strings.  An option in neither table is handed on as it is, so that the
compiler itself says what it thinks of it.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

# nvcc's spelling -> NVRTC's, for options that stand alone.
_FLAGS = {
    "-G": "--device-debug",
    "--device-debug": "--device-debug",
    "-lineinfo": "--generate-line-info",
    "--generate-line-info": "--generate-line-info",
    "-use_fast_math": "--use_fast_math",
    "--use_fast_math": "--use_fast_math",
    "-dc": "--relocatable-device-code=true",
    "--device-c": "--relocatable-device-code=true",
    "-res-usage": "--ptxas-options=-v",
    "--resource-usage": "--ptxas-options=-v",
    "-w": "--disable-warnings",
    "--disable-warnings": "--disable-warnings",
    "-restrict": "--restrict",
    "--restrict": "--restrict",
    "-default-device": "--device-as-default-execution-space",
    "-dlto": "--dlink-time-opt",
}

# Options with a value, which nvcc takes joined by '=', as the next word or,
# for the single letters, glued on.
_VALUES = {
    "-D": "--define-macro",
    "--define-macro": "--define-macro",
    "-U": "--undefine-macro",
    "--undefine-macro": "--undefine-macro",
    "-I": "--include-path",
    "--include-path": "--include-path",
    "-isystem": "--include-path",
    "--system-include": "--include-path",
    "-include": "--pre-include",
    "--pre-include": "--pre-include",
    "-std": "--std",
    "--std": "--std",
    "-maxrregcount": "--maxrregcount",
    "--maxrregcount": "--maxrregcount",
    "-rdc": "--relocatable-device-code",
    "--relocatable-device-code": "--relocatable-device-code",
    "-ftz": "--ftz",
    "--ftz": "--ftz",
    "-fmad": "--fmad",
    "--fmad": "--fmad",
    "-prec-div": "--prec-div",
    "--prec-div": "--prec-div",
    "-prec-sqrt": "--prec-sqrt",
    "--prec-sqrt": "--prec-sqrt",
    "-Xptxas": "--ptxas-options",
    "--ptxas-options": "--ptxas-options",
    "-diag-suppress": "--diag-suppress",
    "--diag-suppress": "--diag-suppress",
    "-diag-error": "--diag-error",
    "--diag-error": "--diag-error",
    "-diag-warn": "--diag-warn",
    "--diag-warn": "--diag-warn",
    "-arch": "--gpu-architecture",
    "--gpu-architecture": "--gpu-architecture",
    "-code": "--gpu-code",
    "--gpu-code": "--gpu-code",
    "-gencode": "--generate-code",
    "--generate-code": "--generate-code",
}

# Options that concern nvcc's driver, the host compiler or the host's linker:
# nothing in a device compilation depends on them.
_DROPPED_FLAGS = {
    "-g", "--debug", "-O0", "-O1", "-O2", "-O3", "-Os",
    "-m64", "-m32", "-v", "--verbose", "-k", "-keep", "--keep",
    "-save-temps", "--save-temps", "-dryrun", "--dryrun",
    "-c", "--compile", "-cubin", "--cubin", "-ptx", "--ptx", "-fatbin",
    "--fatbin", "-shared", "--shared", "-lib", "--lib", "-pg", "--profile",
    "-dw", "--device-w", "-clean", "--clean-targets",
    "-expt-relaxed-constexpr", "--expt-relaxed-constexpr",
    "-expt-extended-lambda", "--expt-extended-lambda",
    "-extended-lambda", "--extended-lambda",
    "-src-in-ptx", "--source-in-ptx",
    "-allow-unsupported-compiler", "--allow-unsupported-compiler",
    "-noprof", "--no-host-device-initializer-list",
}  # fmt: skip
_DROPPED_VALUES = {
    "-Xcompiler", "--compiler-options", "-Xlinker", "--linker-options",
    "-Xarchive", "--archive-options", "-Xnvlink", "--nvlink-options",
    "-ccbin", "--compiler-bindir", "-keep-dir", "--keep-dir",
    "-cudart", "--cudart", "-cudadevrt", "--cudadevrt", "-t", "--threads",
    "-o", "--output-file", "-odir", "--output-directory", "-x", "--x",
    "-m", "--machine", "-L", "--library-path", "-l", "--library",
    "-O", "--optimize", "-default-stream", "--default-stream",
    "-Werror", "--Werror", "-ldir", "--libdevice-directory",
}  # fmt: skip
_GLUED = ("-D", "-U", "-I", "-L", "-l", "-isystem")


@dataclass
class Translated:
    """NVRTC's options, and what `compile` must know about them."""

    options: list[str] = field(default_factory=list)
    include_dirs: list[str] = field(default_factory=list)
    pre_includes: list[str] = field(default_factory=list)
    arch: str | None = None
    code: str | None = None


def as_list(options: object) -> list[str]:
    """Copy the caller's `options`, which are a list or tuple of strings."""
    if isinstance(options, (str, bytes)) or not hasattr(options, "__iter__"):
        raise TypeError(
            "options must be a list of strings, one an option, not "
            f"{type(options).__name__}"
        )
    return [str(option) for option in options]


def _words(options: list[str]) -> Iterator[tuple[str, str | None]]:
    """Yield (name, value) pairs; value is None for an option alone."""
    pending = iter(options)
    for option in pending:
        name, equals, value = option.partition("=")
        if equals and (name in _VALUES or name in _DROPPED_VALUES):
            yield name, value
        elif option in _DROPPED_FLAGS or option in _FLAGS:
            yield option, None
        elif option in _VALUES or option in _DROPPED_VALUES:
            yield option, next(pending, "")
        else:
            yield _unglue(option)


def _unglue(option: str) -> tuple[str, str | None]:
    for prefix in _GLUED:
        if option.startswith(prefix) and not option.startswith("--"):
            return prefix, option[len(prefix) :].lstrip("=")
    return option, None


def _generate_code(value: str) -> tuple[str, str | None]:
    """Split the value of -gencode, "arch=compute_90,code=[sm_90,...]"."""
    found = {}
    for part in value.replace('"', "").split(",", 1):
        name, _, text = part.partition("=")
        found[name.strip()] = text.strip("[] ")
    return found.get("arch", ""), found.get("code")


def _add_value(out: Translated, name: str, value: str) -> None:
    long = _VALUES[name]
    if long == "--include-path":
        out.include_dirs.extend(value.split(","))
    elif long == "--pre-include":
        out.pre_includes.append(value)
    elif long == "--gpu-architecture":
        out.arch = value
    elif long == "--gpu-code":
        out.code = value
    elif long == "--generate-code":
        out.arch, out.code = _generate_code(value)
    elif long == "--ptxas-options":
        # ptxas wants one option a word; nvcc takes a list with commas.
        out.options.extend(f"{long}={word}" for word in value.split(","))
    else:
        out.options.append(f"{long}={value}")


def translate(options: list[str]) -> Translated:
    """Turn nvcc's `options` into NVRTC's.

    Include folders, pre-included headers and the architecture are taken out
    and returned apart, since their order among ours matters.
    """
    out = Translated()
    for name, value in _words(options):
        if name in _DROPPED_FLAGS or name in _DROPPED_VALUES:
            continue
        if value is None:
            out.options.append(_FLAGS.get(name, name))
        else:
            _add_value(out, name, value)
    return out


def arch_number(arch: str) -> int | None:
    """Number in "sm_90a" or "compute_100", None where there is none."""
    digits = arch.partition("_")[2].rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits.isdigit() else None


def choose_arch(
    arch: str | None, code: str | None, device_arch: str | None
) -> str | None:
    """Architecture to name to NVRTC, which makes one image a program.

    `code` may list several; the device's own is taken if it is among them,
    else the last one.
    """
    if arch in ("native", "all", "all-major"):
        return device_arch
    if code:
        codes = [c.strip(" []") for c in code.split(",")]
        return device_arch if device_arch in codes else codes[-1]
    return arch or device_arch
