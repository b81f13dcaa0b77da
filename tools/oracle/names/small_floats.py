"""Types and conversions of cuda_fp8.h, cuda_fp6.h and cuda_fp4.h.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry
from survey import (
    MAIN,
    NUMBER,
    OF_HEADER,
    names,
    product,
    same,
    survey,
    surveys,
)

STORAGE = names("__nv_fp{8,6,4}{,x2,x4}_storage_t")
HEADERS = {
    "cuda_fp8.h": ("fp8", "fp8x2", "e8m0", "e8m0x2"),
    "cuda_fp6.h": ("fp6", "fp6x2"),
    "cuda_fp4.h": ("fp4", "fp4x2"),
}
FORMATS = {
    "cuda_fp8.h": ("__NV_E4M3", "__NV_E5M2", "__NV_E8M0"),
    "cuda_fp6.h": ("__NV_E2M3", "__NV_E3M2"),
    "cuda_fp4.h": ("__NV_E2M1",),
}
SOURCES = names("{float,double,halfraw,bfloat16raw}{,2}")
ARGUMENTS = (
    "float", "double", "float2", "double2", "__half_raw", "__half2_raw",
    "__nv_bfloat16_raw", "__nv_bfloat162_raw",
)  # fmt: skip
NUMBERS = (*MAIN, "bool", "short", "unsigned short", "char", "long")
NUMBERS = (*NUMBERS, "unsigned char", "signed char", "unsigned long")


def conversions(header: str, kinds: tuple[str, ...]) -> Iterator[Entry]:
    """Return the functions `__nv_cvt_..._to_...` of one header."""
    number = header[7]
    formats = f"__nv_fp{number}_interpretation_t"
    modes = (
        ("__nv_saturation_t", formats),
        (formats, "cudaRoundMode"),
        ("__nv_saturation_t", "cudaRoundMode"),
    )
    calls = [(a, *mode) for a in ARGUMENTS for mode in modes]
    words = [f"__nv_cvt_{a}_to_{kind}" for a in SOURCES for kind in kinds]
    back = [
        f"__nv_cvt_{kind}_to_{target}"
        for kind in kinds
        for target in ("halfraw", "halfraw2", "bf16raw", "bf162raw", "float")
    ]
    back_calls = [
        (storage, *more)
        for storage in ("unsigned char", "unsigned short", "unsigned")
        for more in ((), (formats,))
    ]
    feed = header[5:-2]
    yield from surveys(feed, words, calls, (header,))
    yield from surveys(feed, back, back_calls, (header,))


def types(header: str) -> Iterator[Entry]:
    """Yield the classes of one header: constructors, conversions, sizes."""
    feed, headers = header[5:-2], (header,)
    known = OF_HEADER[header]
    number = header[7]
    own = [t for t in known if t.startswith(f"__nv_fp{number}")]
    sources = (*NUMBERS, "float2", "float4", "double2", "double4", *known)
    sources += ("double4_16a", "double4_32a")
    made = same(sources, 1) + product(("__half2", "__nv_bfloat162"), 2)[::3]
    for name in own:
        yield survey(feed, name, made, headers)
        value = f"sizeof({name}), alignof({name}), sizeof({name}{{}}.__x)"
        yield Entry(feed, f"sizeof({name})", "", headers, value)
    for target in (*NUMBERS, "float2", "float4", "double2", *known[:8]):
        if target in NUMBER or target in NUMBERS:
            source = same(own, 1)
            for cast in ("oracle_cast", "oracle_implicit"):
                yield survey(feed, f"{cast}<{target}>", source, headers)
    for name in STORAGE:
        value = f"sizeof({name}), alignof({name})"
        yield Entry(feed, f"sizeof({name})", "", headers, value)
    values = ("__NV_NOSAT", "__NV_SATFINITE", *FORMATS[header])
    for name in (*values, "cudaRoundNearest", "cudaRoundZero",
                 "cudaRoundPosInf", "cudaRoundMinInf"):  # fmt: skip
        yield Entry(feed, name, "", headers, f"(int){name}")


def macros() -> Iterator[Entry]:
    """Yield macros that tell whether a header was included."""
    for name in ("FP16", "BF16", "FP8", "FP6", "FP4"):
        header = (f"cuda_{name.lower()}.h",)
        for macro in (f"__CUDA_{name}_H__", f"__CUDA_{name}_TYPES_EXIST__"):
            code = f"#ifndef {macro}\n#error none\n#endif"
            yield Entry(name.lower(), macro, code, header)


def entries() -> Iterator[Entry]:
    """Yield all entries of the three headers, and macros of five."""
    yield from macros()
    for header, kinds in HEADERS.items():
        yield from conversions(header, kinds)
        yield from types(header)
