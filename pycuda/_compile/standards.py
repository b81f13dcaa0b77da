"""Features of later C++ standards, which nvcc accepts in earlier ones.

Called by `pycuda._compile.nvrtc` after a compilation has failed.  nvcc accepts
``if constexpr``, structured bindings and most other features of C++17 under
``-std=c++14``, at most with a warning; NVRTC and the CPU device's compiler do
not.  NVIDIA's headers, too, need C++17 with NVRTC alone.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re

_OPTION = re.compile(r"--?std=c\+\+(\d+)$")
# Messages about features of C++20 that nvcc accepts in C++17.
_CPP20 = re.compile(
    r"is a C\+\+20 (?:feature|extension)"
    r"|C\+\+20-style initializer"
    r"|\"auto\" is not allowed here|'auto' not allowed in function prototype"
    r"|data member initializer is not allowed"
    r"|are a C\+\+20 (?:feature|extension)"
)
_DEFAULT = 17


def standard(options: list[str]) -> int:
    """Return the year of the C++ standard in the compiler's options."""
    years = [int(m[1]) for m in map(_OPTION.match, options) if m]
    return years[-1] if years else _DEFAULT


def remedy(options: list[str], log: str) -> list[str] | None:
    """Return options with a later standard to try, or None.

    `log` is that of the compilation with `options` that failed.
    """
    year = standard(options)
    if year < 17:
        later = 17
    elif year == 17 and _CPP20.search(log):
        later = 20
    else:
        return None
    others = [option for option in options if not _OPTION.match(option)]
    return [f"--std=c++{later}", *others]


def note(asked: list[str], used: list[str]) -> str:
    """Return a line for the log if the standard is not the requested one."""
    is_requested = any(map(_OPTION.match, asked))
    if not is_requested or standard(asked) == standard(used):
        return ""
    return (
        f"compiled as C++{standard(used)}: the source or a header needs "
        f"features that C++{standard(asked):02} does not have"
    )
