"""Translate the command line of nvcc into that of NVRTC.

Called by `pycuda.compiler` for every compilation; pure functions on lists of
strings.  An option in no table is handed on as it is, so that the compiler
itself says what it thinks of it; one that asks nvcc for something else than
an image, or lacks its value, is an `OptionError`.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

# nvcc's spelling -> NVRTC's ("": left out), for options that stand alone.
_FLAGS = {
    "-G": "--device-debug",
    "--device-debug": "--device-debug",
    "-lineinfo": "--generate-line-info",
    "--generate-line-info": "--generate-line-info",
    "-use_fast_math": "--use_fast_math",
    "--use_fast_math": "--use_fast_math",
    "-dc": "--relocatable-device-code=true",
    "--device-c": "--relocatable-device-code=true",
    "-dw": "--device-w",
    "--device-w": "--device-w",
    "-res-usage": "--ptxas-options=-v",
    "--resource-usage": "--ptxas-options=-v",
    "-w": "--disable-warnings",
    "--disable-warnings": "--disable-warnings",
    # A hint that NVRTC holds on to for whatever the process compiles later,
    # which then reads wrong values where pointers do alias.
    "-restrict": "",
    "--restrict": "",
    "-default-device": "--device-as-default-execution-space",
    # NVRTC takes constexpr functions for the host's; this is what it has.
    "-expt-relaxed-constexpr": "--device-as-default-execution-space",
    "--expt-relaxed-constexpr": "--device-as-default-execution-space",
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
    "-save-temps", "--save-temps",
    "-c", "--compile", "-cubin", "--cubin", "-ptx", "--ptx", "-fatbin",
    "--fatbin", "-shared", "--shared", "-pg", "--profile",
    "-clean", "--clean-targets",
    "-expt-extended-lambda", "--expt-extended-lambda",
    "-extended-lambda", "--extended-lambda",
    "-src-in-ptx", "--source-in-ptx",
    "-allow-unsupported-compiler", "--allow-unsupported-compiler",
    "-forward-unknown-to-host-compiler",
    "--forward-unknown-to-host-compiler",
    "-forward-unknown-opts", "--forward-unknown-opts",
    "--no-host-device-initializer-list",
}  # fmt: skip
_DROPPED_VALUES = {
    "-Xcompiler", "--compiler-options", "-Xlinker", "--linker-options",
    "-Xarchive", "--archive-options", "-Xnvlink", "--nvlink-options",
    "-ccbin", "--compiler-bindir", "-keep-dir", "--keep-dir",
    "-cudart", "--cudart", "-cudadevrt", "--cudadevrt", "-t", "--threads",
    "-o", "--output-file", "-odir", "--output-directory", "-x", "--x",
    "-m", "--machine", "-L", "--library-path", "-l", "--library",
    "-O", "--optimize", "-default-stream", "--default-stream",
    "-ldir", "--libdevice-directory", "-time", "--time",
}  # fmt: skip
_HOST_WARNINGS = ("-Wno-", "--Wno-")
_WERROR = {"-Werror", "--Werror"}
_FILES = {"-optf", "--options-file"}
# What makes something else than an image, and what to say of it.
_REFUSED = dict.fromkeys(
    (
        "-E", "--preprocess", "-M", "--generate-dependencies", "-MM",
        "--generate-nonsystem-dependencies", "-run", "--run", "-link",
        "--link", "-dlink", "--device-link", "-lib", "--lib", "-dryrun",
        "--dryrun", "-h", "--help", "-V", "--version", "-list-gpu-arch",
        "--list-gpu-arch", "-list-gpu-code", "--list-gpu-code",
    ),
    "asks nvcc for something else than a compiled image",
) | dict.fromkeys(
    ("-dlto", "--dlink-time-opt"),
    "makes code that only NVIDIA's link-time optimiser can finish; compile "
    "with -rdc=true and link with DynamicModule",
)  # fmt: skip
_WITH_VALUE = {*_VALUES, *_DROPPED_VALUES, *_WERROR, *_FILES}
_GLUED = ("-D", "-U", "-I", "-L", "-l", "-isystem")


class OptionError(ValueError):
    """An option that no compiler here can follow."""


@dataclass
class Translated:
    """NVRTC's options, and what `compile` must know about them."""

    options: list[str] = field(default_factory=list)
    include_dirs: list[str] = field(default_factory=list)
    pre_includes: list[str] = field(default_factory=list)
    arch: str | None = None
    code: str | None = None
    warnings_are_errors: bool = False


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
        name, value = _split(option)
        if name in _REFUSED:
            raise OptionError(f"the option {name} {_REFUSED[name]}")
        if name in _WITH_VALUE:
            value = next(pending, None) if value is None else value
            if not value:
                raise OptionError(f"the option {name} lacks its value")
        if name in _FILES:
            yield from _words(_read_options(str(value)))
        elif name in _WITH_VALUE or value is None:
            yield name, value
        elif value == "true":
            yield name, None


def _split(option: str) -> tuple[str, str | None]:
    """One word: an option's name, and its value where that is joined."""
    name, equals, value = option.partition("=")
    flag = name in _FLAGS and value in ("true", "false")
    if equals and (name in _WITH_VALUE or flag):
        return name, value
    alone = (_WITH_VALUE, _DROPPED_FLAGS, _FLAGS, _REFUSED)
    return (
        (option, None) if any(option in t for t in alone) else _unglue(option)
    )


def _read_options(path: str) -> list[str]:
    """The options in a file, as nvcc's --options-file has them."""
    import shlex

    try:
        with open(path) as stream:
            return shlex.split(stream.read())
    except (OSError, ValueError) as error:
        raise OptionError(f"the options file {path!r}: {error}") from None


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
        arch, codes = _generate_code(value)
        out.arch = arch
        out.code = ",".join(c for c in (out.code, codes or arch) if c)
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
        if name.startswith(_HOST_WARNINGS):
            continue
        if name in _WERROR:
            kinds = str(value).split(",")
            out.warnings_are_errors |= "all-warnings" in kinds
        elif value is None:
            option = _FLAGS.get(name, name)
            if option and option not in out.options:
                out.options.append(option)
        else:
            _add_value(out, name, value)
    return out


def arch_number(arch: str) -> int | None:
    """Number in "sm_90a" or "compute_100", None where there is none."""
    if not isinstance(arch, str):
        return None  # `compile` says so
    digits = arch.partition("_")[2].rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits.isdigit() else None


def choose_arch(
    arch: str | None, code: str | None, device_arch: str | None
) -> str | None:
    """Architecture to name to NVRTC, which makes one image a program.

    `code` may list several, as nvcc's fat binaries do: what the driver would
    choose of them is taken, else the last.
    """
    if arch in ("native", "all", "all-major"):
        return device_arch
    if code:
        codes = [c.strip(" []") for c in code.split(",")]
        return _best_code(codes, device_arch) or codes[-1]
    return arch or device_arch


def _best_code(codes: list[str], device_arch: str | None) -> str | None:
    """The code that runs best on the device, None if none is known to."""
    if device_arch in codes:
        return device_arch
    device = arch_number(device_arch or "") or 0
    numbers = [(arch_number(code) or 0, code) for code in codes]
    fitting = [(n, code) for n, code in numbers if 0 < n <= device]
    real = [
        (n, code)
        for n, code in fitting
        if code.startswith("sm_") and n // 10 == device // 10
    ]
    virtual = [(n, c) for n, c in fitting if c.startswith("compute_")]
    found = real or virtual
    return max(found)[1] if found else None
