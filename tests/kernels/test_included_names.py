"""Names that headers of the C++ library bring besides their own.

The lists are names that the same headers bring with nvcc, which reads those of
the host's compiler.
"""

# SPDX-License-Identifier: MIT

import pytest

from pycuda.compiler import compile

BASE = (
    "std::uint32_t ::uint64_t std::size_t std::ptrdiff_t std::nullptr_t "
    "std::numeric_limits std::is_same std::enable_if std::move std::swap "
    "std::pair std::less std::plus std::hash std::begin std::distance "
    "std::reverse_iterator std::malloc std::div"
)
NAMES = {
    "complex": BASE,
    "vector": BASE,
    "string": BASE,
    "iostream": BASE,
    "random": BASE + " std::accumulate std::iota",
    "streambuf": BASE,
    "memory": BASE,
    "optional": "std::numeric_limits std::hash std::move std::begin",
    "iterator": "std::uint32_t std::numeric_limits std::move std::pair",
    "functional": "std::tuple std::pair std::move std::hash std::nullptr_t",
    "cmath": "std::numeric_limits",
}
MACROS = "INT32_MAX UINT64_MAX SIZE_MAX offsetof"


@pytest.mark.parametrize("header", NAMES)
def test_names_of_a_header(context, header):
    lines = [
        f"namespace n{i} {{ using {name}; }}"
        for i, name in enumerate(NAMES[header].split())
    ]
    if NAMES[header].startswith(BASE):
        lines += [
            f"#ifndef {name}\n#error {name}\n#endif" for name in MACROS.split()
        ]
    source = f"#include <{header}>\n" + "\n".join(lines)
    compile(source + "\n__global__ void k() {}\n", no_extern_c=True)
