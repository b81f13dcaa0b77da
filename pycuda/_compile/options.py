"""Translation of nvcc's command line to NVRTC's.

Called by `pycuda.compiler` for every compilation; pure functions on lists of
strings, except that they read files of options.  `option_rows` has a row for
each option.  An option without a row is passed on unchanged, so that the
compiler itself accepts or rejects it; an option that cannot be followed, or
that has a wrong value, raises `OptionError`.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pycuda._compile import option_rows as rows
from pycuda._compile.option_files import OptionError, OptionFiles, split_line
from pycuda._compile.option_rows import BY_NAME, Row

# Options whose value may follow without a space.
_GLUED = ("-D", "-U", "-I", "-L", "-l", "-O", "-isystem")
_GLUED_NUMBER = re.compile(r"(-[tm])(\d+)")
# Pattern of an item of a list. Commas in quotes or parentheses, or after a
# backslash, do not end an item.
_ITEM = re.compile(r'(?:\\.|"[^"]*"|\([^()]*\)|[^,])+', re.DOTALL)
_MACRO = re.compile(r"\s*[A-Za-z_]\w*\s*(?:[=(]|$)")
_GENCODE = re.compile(
    r"\s*(arch|code)\s*=\s*(\[[^\]]*\]|[^,=\[\]]+(?:,[^,=\[\]]+)*)\s*(?:,|$)"
)
_NUMBER = re.compile(r"[+-]?\d+")
_DEPRECATED = "--diag-error=1215,1444"
_CUDAFE = {
    "--diag_suppress": "--diag-suppress",
    "--diag_error": "--diag-error",
    "--diag_warning": "--diag-warn",
    "--display_error_number": "--display-error-number",
    "--no_display_error_number": "--no-display-error-number",
}


@dataclass
class Translated:
    """NVRTC's options, and further settings for `compile`."""

    options: list[str] = field(default_factory=list)
    include_dirs: list[str] = field(default_factory=list)
    system_dirs: list[str] = field(default_factory=list)
    pre_includes: list[str] = field(default_factory=list)
    arch: str | None = None
    code: str | None = None
    warnings_are_errors: bool = False
    # options for the host compiler, from the values of -Xcompiler
    host_words: list[str] = field(default_factory=list)
    # whether unknown options are passed to the host compiler
    forward: bool = False

    def add(self, option: str) -> None:
        """Append an option of NVRTC unless it is already present."""
        if option not in self.options:
            self.options.append(option)


def as_list(options: object) -> list[str]:
    """Copy the caller's `options`, a list or tuple of strings."""
    if isinstance(options, (str, bytes)) or not hasattr(options, "__iter__"):
        raise TypeError(
            "options must be a list of strings, one per option, not "
            f"{type(options).__name__}"
        )
    return [str(option) for option in options]


def with_environment(options: list[str]) -> list[str]:
    """Return `options` with those that nvcc reads from its environment."""
    before = os.environ.get("NVCC_PREPEND_FLAGS")
    after = os.environ.get("NVCC_APPEND_FLAGS")
    if not before and not after:
        return options
    return [
        *split_line(before or "", "NVCC_PREPEND_FLAGS"),
        *options,
        *split_line(after or "", "NVCC_APPEND_FLAGS"),
    ]


# ---- words ----


def _name_value_pairs(
    options: list[str], opened: OptionFiles
) -> Iterator[tuple[str, str | None]]:
    """Yield (name, value) pairs; value is None for an option without one."""
    pending = iter(options)
    for option in pending:
        if not option.strip():
            continue
        name, value = _split(option.strip())
        row = BY_NAME.get(name)
        if row is None:
            yield name, value
        elif row.value != rows.NONE and row.action != rows.REFUSE:
            value = next(pending, None) if value is None else value
            if not value:
                raise OptionError(f"the option {name} lacks its value")
            _check_value(name, row, value)
            if row.action == rows.FILES:
                with opened.read(_items(value)) as words:
                    yield from _name_value_pairs(words, opened)
            else:
                yield name, value
        elif value is None or value == "true" or row.action == rows.REFUSE:
            yield name, None
        elif value != "false":
            raise OptionError(f"the option {name} has no value ({value!r})")


def _split(option: str) -> tuple[str, str | None]:
    """Split a word into an option's name and its joined value, if any."""
    if option in BY_NAME:
        return option, None
    name, equals, value = option.partition("=")
    if equals and name in BY_NAME:
        return name, value
    glued = _GLUED_NUMBER.fullmatch(option)
    if glued:
        return glued[1], glued[2]
    for prefix in _GLUED:
        if option.startswith(prefix):
            return prefix, option[len(prefix) :].lstrip("= ")
    return option, None


def _items(text: str) -> list[str]:
    """Split a list at commas, as nvcc does."""
    return [item.replace("\\,", ",") for item in _ITEM.findall(text)]


def _check_value(name: str, row: Row, value: str) -> None:
    wanted = ""
    if row.value == rows.BOOL and value not in ("true", "false"):
        wanted = "true or false"
    elif row.value == rows.NUMBER and not _NUMBER.fullmatch(value):
        wanted = "a whole number"
    elif row.allowed:
        given = _items(value) if row.value == rows.LIST else [value]
        if not set(given) <= set(row.allowed):
            wanted = ", ".join(row.allowed)
            wanted = f"one of {wanted}" if len(row.allowed) > 1 else wanted
    if wanted:
        raise OptionError(f"the option {name} must be {wanted}, not {value!r}")


# ---- actions for options: functions of (name, row, value, result) ----


def _hand(name: str, row: Row, value: str, out: Translated) -> None:
    if row.value == rows.NONE:
        out.add(row.text)
    else:
        out.options.append(f"{row.text}={value}")


def _drop(name: str, row: Row, value: str, out: Translated) -> None:
    """Ignore an option on which the image does not depend."""


def _refuse(name: str, row: Row, value: str, out: Translated) -> None:
    raise OptionError(f"the option {name} {row.text}")


def _define(name: str, row: Row, value: str, out: Translated) -> None:
    """Define macros; in -DA=1,2 the item 2 continues the macro A."""
    macros: list[str] = []
    for item in _items(value):
        if macros and not _MACRO.match(item):
            macros[-1] += f",{item}"
        else:
            macros.append(item)
    out.options += [f"--define-macro={_unescaped(m)}" for m in macros]


def _unescaped(macro: str) -> str:
    r"""Return a macro as nvcc passes it to the preprocessor, by a shell."""
    return macro.replace('\\"', '"')


def _undefine(name: str, row: Row, value: str, out: Translated) -> None:
    out.options += [f"--undefine-macro={m}" for m in _items(value)]


def _include(name: str, row: Row, value: str, out: Translated) -> None:
    out.include_dirs += _items(value)


def _system(name: str, row: Row, value: str, out: Translated) -> None:
    out.system_dirs += _items(value)


def _before(name: str, row: Row, value: str, out: Translated) -> None:
    out.pre_includes += _items(value)


def _arch(name: str, row: Row, value: str, out: Translated) -> None:
    out.arch = _without_lto(name, value)


def _code(name: str, row: Row, value: str, out: Translated) -> None:
    value = _without_lto(name, value.strip("[]\" '"))
    out.code = ",".join(c for c in (out.code, value) if c)


def _gencode(name: str, row: Row, value: str, out: Translated) -> None:
    """Read "arch=compute_90,code=[sm_90,compute_90]"."""
    text = value.replace('"', "").replace("\\", "")
    found = dict(_GENCODE.findall(text))
    if "arch" not in found or _GENCODE.sub("", text).strip():
        raise OptionError(
            f"the option {name} must be like arch=compute_90,code=sm_90, not "
            f"{value!r}"
        )
    arch = found["arch"].strip("[] ")
    _code(name, row, found.get("code", arch), out)
    out.arch = arch if not arch.startswith("lto_") else out.arch


def _without_lto(name: str, value: str) -> str:
    """Return the architectures in `value` for which an image can be made."""
    codes = [code.strip() for code in value.split(",")]
    made = [code for code in codes if code and not code.startswith("lto_")]
    if not made:
        raise OptionError(f"the option {name} {value} {BY_NAME['-lto'].text}")
    return ",".join(made)


def _entries(name: str, row: Row, value: str, out: Translated) -> None:
    kernels = ",".join(_items(value))
    out.options.append(f"--ptxas-options=-e={kernels}")


def _ptxas(name: str, row: Row, value: str, out: Translated) -> None:
    """Pass options to ptxas: one per word; nvcc takes a list."""
    out.options += [
        f"--ptxas-options={word}"
        for item in _items(value)
        for word in item.split()
    ]


def _host(name: str, row: Row, value: str, out: Translated) -> None:
    """Collect options of the host preprocessor, which reads kernels, too.

    `_finish_host` follows them.
    """
    out.host_words += [w for item in _items(value) for w in item.split()]


def _cudafe(name: str, row: Row, value: str, out: Translated) -> None:
    """Follow options about diagnostics by number; ignore others."""
    for word in value.replace('"', "").split():
        key, equals, numbers = word.partition("=")
        option = _CUDAFE.get(key)
        if option and not equals:
            out.add(option)
        elif option and numbers.replace(",", "").isdigit():
            out.options.append(f"{option}={numbers}")


def _errors(name: str, row: Row, value: str, out: Translated) -> None:
    kinds = _items(value)
    out.warnings_are_errors |= "all-warnings" in kinds
    if "deprecated-declarations" in kinds:
        out.add(_DEPRECATED)


def _stream(name: str, row: Row, value: str, out: Translated) -> None:
    if value == "per-thread":
        out.add("--define-macro=CUDA_API_PER_THREAD_DEFAULT_STREAM=1")


def _trace(name: str, row: Row, value: str, out: Translated) -> None:
    """Pass on the file name; ignore "-", with which nvcc keeps no file."""
    if value != "-":
        out.options.append(f"--fdevice-time-trace={value}")


def _language(name: str, row: Row, value: str, out: Translated) -> None:
    if value != "cu":
        raise OptionError(f"the option {name} must be cu, not {value!r}")


def _forward(name: str, row: Row, value: str, out: Translated) -> None:
    out.forward = True


_ACTIONS: dict[str, Callable[[str, Row, str, Translated], None]] = {
    rows.HAND: _hand,
    rows.HINT: _hand,
    rows.DROP: _drop,
    rows.REFUSE: _refuse,
    rows.DEFINE: _define,
    rows.UNDEFINE: _undefine,
    rows.INCLUDE: _include,
    rows.SYSTEM: _system,
    rows.BEFORE: _before,
    rows.ARCH: _arch,
    rows.CODE: _code,
    rows.GENCODE: _gencode,
    rows.ENTRIES: _entries,
    rows.PTXAS: _ptxas,
    rows.HOST: _host,
    rows.CUDAFE: _cudafe,
    rows.ERRORS: _errors,
    rows.STREAM: _stream,
    rows.TRACE: _trace,
    rows.LANGUAGE: _language,
    rows.FORWARD: _forward,
}


def translate(options: list[str]) -> Translated:
    """Translate nvcc's `options` to NVRTC's.

    Include folders, pre-included headers and the architecture are returned
    separately, because their order relative to this package's own matters.
    """
    out = Translated()
    unknown = []
    for name, value in _name_value_pairs(options, OptionFiles()):
        row = BY_NAME.get(name)
        if row is not None:
            _ACTIONS[row.action](name, row, value or "", out)
        elif not name.startswith(("-Wno-", "--Wno-")):
            unknown.append(name)
            out.options.append(name)
    if out.forward:
        out.options = [
            word
            for word in out.options
            if word not in unknown or not word.startswith("-")
        ]
    _finish_host(out)
    out.include_dirs += out.system_dirs
    return out


def _finish_host(out: Translated) -> None:
    """Follow the -Xcompiler options that the host preprocessor would follow.

    Their macros and folders come before those of nvcc's own options, also
    if they follow these on the command line.
    """
    macros: list[str] = []
    before: dict[str, list[str]] = {"-I": [], "-isystem": [], "-include": []}
    pending = iter(out.host_words)
    for word in pending:
        for name in ("-D", "-U", *before):
            if word.startswith(name):
                value = word[len(name) :] or next(pending, "")
                if name == "-D":
                    macros.append(f"--define-macro={_unescaped(value)}")
                elif name == "-U":
                    macros.append(f"--undefine-macro={value}")
                else:
                    before[name].append(value)
                break
    out.options[:0] = macros
    out.include_dirs[:0] = before["-I"]
    out.system_dirs[:0] = before["-isystem"]
    out.pre_includes[:0] = before["-include"]
