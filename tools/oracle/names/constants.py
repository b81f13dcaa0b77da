"""Constants of the run time and of the compilers: enumerators and macros.

`constants.txt` has the names: the identifiers in NVRTC's library and in the
CPU device's headers that either compiler knows, as ``python tools/oracle
constants`` finds out.

SPDX-License-Identifier: MIT
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from entries import Entry
from survey import names

NAMES = Path(__file__).resolve().parents[1] / "constants.txt"
HEADERS = ("math_constants.h", "library_types.h", "limits.h", "float.h",
           "stdint.h", "device_launch_parameters.h")  # fmt: skip
OPTIONS = ("--fdevice-syntax-only",)
# Values that depend on the day, the compiler's version or the source position.
VARIABLE = re.compile(r"__(DATE|TIME|TIMESTAMP|LINE|FILE|COUNTER|BASE_FILE)__")
# Macros that compilers define under names that no library holds as a whole.
PREDEFINED = names("""
__{clang,llvm,NVPTX,PTX,GNUC,GNUG,GNUC_MINOR,GNUC_PATCHLEVEL,VERSION}__
__{clang_major,clang_minor,cplusplus,x86_64,x86_64__,linux,linux__,unix,unix__}
__{gnu_linux,ELF,LP64,EXCEPTIONS,GXX_RTTI,STDC,STDC_VERSION,STDC_HOSTED}__
__{DATE,TIME,FILE,LINE,COUNTER,FUNCTION,func,PRETTY_FUNCTION,OPTIMIZE}__
__{FAST_MATH,FINITE_MATH_ONLY,CHAR_BIT,BYTE_ORDER,ORDER_LITTLE_ENDIAN}__
__{SCHAR,SHRT,INT,LONG,LONG_LONG,WCHAR,SIZE,PTRDIFF,INTMAX,UINTMAX}_MAX__
__{SHRT,INT,LONG,LONG_LONG,SIZE,PTRDIFF,INTMAX,WCHAR}_WIDTH__
__SIZEOF_{SHORT,INT,LONG,LONG_LONG,FLOAT,DOUBLE,LONG_DOUBLE,POINTER}__
__SIZEOF_{SIZE_T,PTRDIFF_T,WCHAR_T,WINT_T,INT128}__
__{FLT,DBL,LDBL}_{MAX,MIN,EPSILON,DIG,MANT_DIG,MAX_EXP,MIN_EXP}__
__{FLT,DBL,LDBL}_{MAX_10_EXP,MIN_10_EXP,DENORM_MIN,HAS_INFINITY}__
__{INT,UINT}{8,16,32,64}_{MAX,TYPE,C}__ __{SIZE,PTRDIFF,INTPTR}_TYPE__
_LP64 linux unix _GNU_SOURCE __STDC_UTF_16__ __USER_LABEL_PREFIX__
__LITTLE_ENDIAN__
{FLT,DBL,LDBL}_{MAX,MIN,EPSILON,DIG,MANT_DIG,MAX_EXP,MIN_EXP,MAX_10_EXP}
{FLT,DBL,LDBL}_{MIN_10_EXP,DECIMAL_DIG,TRUE_MIN} FLT_{RADIX,ROUNDS,EVAL_METHOD}
{SCHAR,CHAR,SHRT,INT,LONG,LLONG}_{MAX,MIN} U{CHAR,SHRT,INT,LONG,LLONG}_MAX
CHAR_BIT LONG_LONG_{MAX,MIN} ULONG_LONG_MAX {INT,UINT}{8,16,32,64}_{MAX,MIN}
{SIZE,PTRDIFF,INTPTR,UINTPTR,INTMAX,UINTMAX}_{MAX,MIN} NULL INFINITY NAN
HUGE_VAL{,F,L} M_{PI,E,LOG2E,LOG10E,LN2,LN10,PI_2,PI_4,1_PI,2_PI,2_SQRTPI}
M_SQRT{2,1_2} MATH_ERRNO MATH_ERREXCEPT math_errhandling EOF BUFSIZ RAND_MAX
FP_{NAN,INFINITE,ZERO,SUBNORMAL,NORMAL,ILOGB0,ILOGBNAN,FAST_FMA}
EXIT_{SUCCESS,FAILURE}
{,u}int{,_fast,_least}{8,16,32,64}_t warpSize WARP_SZ true false nullptr
EDOM ERANGE EINVAL CLOCKS_PER_SEC assert offsetof INT{8,16,32,64}_C NDEBUG
""")
HEAD = """
#ifndef ORACLE_CONSTANTS
#define ORACLE_CONSTANTS
/* A number as 62 bits and an exponent, and the type it has. */
struct oracle_constant { long long kind, value, exponent; };
template <class T> struct oracle_is_float { static constexpr int is = 0; };
template <> struct oracle_is_float<float> { static constexpr int is = 1; };
template <> struct oracle_is_float<double> { static constexpr int is = 1; };
template <class T> struct oracle_is_pointer { static constexpr int is = 0; };
template <class T> struct oracle_is_pointer<T *> {
    static constexpr int is = 1;
};
constexpr oracle_constant oracle_float(double value)
{
    if (value != value) return {0, 0, 10000};
    if (value == 0) return {0, 0, 0};
    if (value > 1.7976931348623157e308) return {0, 1, 10001};
    if (value < -1.7976931348623157e308) return {0, -1, 10001};
    long long exponent = 0;
    while (value >= 4503599627370496.0 || value <= -4503599627370496.0) {
        value /= 2;
        exponent++;
    }
    while (value < 2251799813685248.0 && value > -2251799813685248.0) {
        value *= 2;
        exponent--;
    }
    return {0, (long long)value, exponent};
}
constexpr oracle_constant oracle_of() { return {-1, 0, 0}; }
template <class T> constexpr oracle_constant oracle_of(T value)
{
    if constexpr (oracle_is_float<T>::is) {
        oracle_constant made = oracle_float(value);
        made.kind = 1000 + sizeof(T);
        return made;
    } else if constexpr (oracle_is_pointer<T>::is) {
        return {2000, 0, 0};
    } else if constexpr (__is_enum(T)) {
        return {100 + (long long)sizeof(T), (long long)value, 0};
    } else {
        return {(long long)sizeof(T) * 2 + (T(-1) < T(0)), (long long)value,
                0};
    }
}
#endif
"""


def constant(name: str) -> Entry:
    """Return an entry: type and value of a macro or an enumerator."""
    members = ("kind",) if VARIABLE.fullmatch(name) else (
        "kind", "value", "exponent")  # fmt: skip
    value = ", ".join(f"oracle_of({name}).{part}" for part in members)
    return Entry("constants", name, HEAD, HEADERS, value, options=OPTIONS)


def macro(name: str) -> Entry:
    """Return an entry: whether a macro that is no constant is defined."""
    code = (
        f"#ifdef {name}\nconstexpr int defined_$ = 1;\n"
        f"#else\nconstexpr int defined_$ = 0;\n#endif\n"
    )
    return Entry(
        "constants", f"defined {name}", code, HEADERS, "defined_$",
        options=OPTIONS,
    )  # fmt: skip


def entries() -> Iterator[Entry]:
    """Yield a constant per line of the file, or a macro after `#`."""
    for line in NAMES.read_text().split():
        yield macro(line[1:]) if line[0] == "#" else constant(line)


def candidates(library: Path, headers: Iterable[Path]) -> list[str]:
    """Return identifiers of NVRTC and headers that may be constants.

    The private names of <nv/target> are left out.
    """
    builtins = next(library.parent.glob("libnvrtc-builtins.so.13*"))
    text = b"\n".join(path.read_bytes() for path in (builtins, *headers))
    words = re.findall(
        rb"\b(?:cuda[A-Z]\w{2,60}|(?:[A-Z]|__?[A-Z])[A-Z0-9_]{3,60})\b", text
    )
    words += re.findall(
        rb"\b(?:__[A-Z][A-Z0-9_]{3,60}|__cpp_\w{2,60})\b",
        library.read_bytes(),
    )
    found = {word.decode() for word in words}
    return sorted(
        name
        for name in found | set(PREDEFINED)
        if "PYCUDA" not in name and not name.startswith("_NV_")
    )
