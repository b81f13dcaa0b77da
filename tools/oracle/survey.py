"""Overloads of a function: accepted arguments, and types of the results.

A survey is an entry with one number for each tuple of argument types: 0 if the
call is refused, otherwise the number of the result's type.  This compares
overload resolution, and not only the name.

SPDX-License-Identifier: MIT
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from entries import Entry

INTEGERS = (
    "bool", "char", "signed char", "unsigned char", "short",
    "unsigned short", "int", "unsigned", "long", "unsigned long",
    "long long", "unsigned long long",
)  # fmt: skip
ARITHMETIC = (*INTEGERS, "float", "double")
MAIN = ("int", "unsigned", "long long", "unsigned long long", "float")
MAIN = (*MAIN, "double")
SCALARS = ("char", "uchar", "short", "ushort", "int", "uint", "long")
SCALARS = (*SCALARS, "ulong", "longlong", "ulonglong", "float", "double")
VECTORS = tuple(f"{scalar}{n}" for scalar in SCALARS for n in (1, 2, 3, 4))
HALF = ("__half", "__half2", "__half_raw", "__half2_raw")
BFLOAT = ("__nv_bfloat16", "__nv_bfloat162")
BFLOAT = (*BFLOAT, "__nv_bfloat16_raw", "__nv_bfloat162_raw")
FP8 = tuple(
    f"__nv_fp8{n}_{kind}"
    for kind in ("e4m3", "e5m2", "e8m0")
    for n in ("", "x2", "x4")
)
FP_SMALL = tuple(
    f"__nv_fp{n}_{kind}"
    for kind in ("e2m3", "e3m2", "e2m1")
    for n in (("4", "4x2", "4x4") if kind == "e2m1" else ("6", "6x2", "6x4"))
)
COMPLEX = ("pycuda::complex<float>", "pycuda::complex<double>")

OF_HEADER = {
    "cuda_fp16.h": HALF,
    "cuda_bf16.h": (*HALF, *BFLOAT),
    "cuda_fp8.h": (*HALF, *BFLOAT, *FP8),
    "cuda_fp6.h": (*HALF, *BFLOAT, *FP8, *FP_SMALL[:6]),
    "cuda_fp4.h": (*HALF, *BFLOAT, *FP8, *FP_SMALL),
}
ALL_TYPES = ("void", *ARITHMETIC, *VECTORS, *HALF, *BFLOAT, *FP8, *FP_SMALL)
NUMBER = {name: 10 * n + 10 for n, name in enumerate(ALL_TYPES)}


def expand(pattern: str) -> list[str]:
    """Expand a pattern with alternatives: `a{b,c{,d}}` is `ab ac acd`."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if match is None:
        return [pattern]
    head, tail = pattern[: match.start()], pattern[match.end() :]
    return [
        word
        for part in match[1].split(",")
        for word in expand(head + part + tail)
    ]


def names(text: str) -> list[str]:
    """Return all words of the patterns in a text, each once, in order."""
    words = [word for pattern in text.split() for word in expand(pattern)]
    return list(dict.fromkeys(words))


def head(headers: Sequence[str]) -> str:
    """Return declarations that a survey needs, with the headers' types."""
    types = [*ALL_TYPES[: 1 + len(ARITHMETIC)], *VECTORS]
    for header in headers:
        types += OF_HEADER.get(header, ())
    lines = [
        "template <class T> struct oracle_number {"
        " static constexpr int value = 9990; };",
        "template <class T> struct oracle_number<T *> {"
        " static constexpr int value = oracle_number<T>::value + 2; };",
        "template <class T> struct oracle_number<const T> {"
        " static constexpr int value = oracle_number<T>::value + 4; };",
        "template <class T> struct oracle_number<T &> {"
        " static constexpr int value = oracle_number<T>::value + 1; };",
        "template <class T> __device__ T oracle_value();",
        "template <class T> __device__ T oracle_implicit(T);",
        "template <class T, class A> __device__ auto oracle_cast(A a) ->"
        " decltype(static_cast<T>(a));",
        "struct oracle_refused {};",
        "template <> struct oracle_number<oracle_type<oracle_refused>> {"
        " static constexpr int value = 0; };",
        "template <class T> struct oracle_number<oracle_type<T>> {"
        " static constexpr int value = oracle_number<T>::value; };",
        "template <class P, class... A> constexpr int oracle_call ="
        " oracle_number<decltype(P::template f<A...>(0))>::value;",
    ]
    for name in dict.fromkeys(types):
        lines.append(
            f"template <> struct oracle_number<{name}> {{"
            f" static constexpr int value = {NUMBER[name]}; }};"
        )
    guard = "ORACLE_" + "_".join(re.sub(r"\W", "_", h) for h in headers)
    body = "\n".join(lines)
    return f"#ifndef {guard}\n#define {guard}\n{body}\n#endif\n"


def survey(
    feed: str,
    name: str,
    calls: Sequence[Sequence[str]],
    headers: tuple[str, ...] = (),
    label: str = "",
    define: str = "",
) -> Entry:
    """Return an entry that tries each of `calls`, tuples of argument types.

    `define` is a macro's head and body, for instance if `name` is an operator.
    """
    code = (f"#define {define}\n" if define else "") + (
        f"struct probe_$ {{\n"
        f"template <class... A> static __device__ auto f(int) ->"
        f" oracle_type<decltype({name}(oracle_value<A>()...))>;\n"
        f"template <class... A> static __device__"
        f" oracle_type<oracle_refused> f(...); }};"
    )
    parts = [", ".join(["probe_$", *call]) for call in calls]
    value = ", ".join(f"oracle_call<{part}>" for part in parts)
    return Entry(
        feed,
        label or name,
        head(headers) + code,
        headers,
        value,
        calls=tuple(tuple(call) for call in calls),
        function=name,
    )


def product(types: Sequence[str], arity: int) -> list[tuple[str, ...]]:
    """Return all tuples of `arity` types."""
    return list(itertools.product(types, repeat=arity))


def same(types: Sequence[str], arity: int) -> list[tuple[str, ...]]:
    """Return tuples of one type, repeated `arity` times."""
    return [(name,) * arity for name in types]


def operators(
    feed: str, calls: Sequence[Sequence[str]], headers: tuple[str, ...]
) -> Iterator[Entry]:
    """Yield a survey of each operator; `calls` have one or two operands."""
    one = [call for call in calls if len(call) == 1]
    two = [call for call in calls if len(call) == 2]
    for n, sign in enumerate(("-", "+", "!", "~", "++", "--")):
        name = f"oracle_unary_{n}"
        define = f"{name}(a) {sign}(a)"
        label = f"operator {sign}x"
        yield survey(feed, name, one, headers, label, define)
    signs = "+ - * / % == != < > <= >= && || & | ^ << >> += -= *= /= ="
    for n, sign in enumerate(signs.split()):
        name = f"oracle_binary_{n}"
        define = f"{name}(a, b) (a) {sign} (b)"
        label = f"operator {sign}"
        yield survey(feed, name, two, headers, label, define)


def surveys(
    feed: str,
    words: Iterable[str],
    calls: Sequence[Sequence[str]],
    headers: tuple[str, ...] = (),
) -> Iterator[Entry]:
    """Yield a survey of each name with the same calls."""
    for word in words:
        yield survey(feed, word, calls, headers)


def type_name(number: int) -> str:
    """Return the type for a number of a survey."""
    if number == 0:
        return "refused: no such overload"
    base, kind = divmod(number, 10)
    name = ALL_TYPES[base - 1] if base <= len(ALL_TYPES) else "another type"
    marks = {1: " &", 2: " *", 3: " *&", 4: " const", 5: " const &"}
    return f"returns {name}{marks.get(kind, '')}"


def rows(entry: Entry, theirs: str, ours: str) -> list[tuple[str, str, str]]:
    """Return rows (key, NVRTC's answer, ours).

    There is one row for a survey's name if both know no call of it or agree,
    else one for each call on which they differ.
    """
    if not entry.calls or theirs == ours or "refused" in theirs + ours:
        if entry.calls:
            theirs, ours = no_call(theirs), no_call(ours)
        return [(entry.key, theirs, ours)]
    numbers = [
        map(int, x.removeprefix("= ").split(",")) for x in (theirs, ours)
    ]
    return [
        (f"{entry.key}({', '.join(call)})", type_name(a), type_name(b))
        for call, a, b in zip(entry.calls, *numbers, strict=True)
        if a != b
    ]


def no_call(answer: str) -> str:
    """Return the answer, or a refusal if all of its numbers are 0."""
    if answer.startswith("=") and set(answer) <= set("= 0,"):
        return "refused: no call of it is taken"
    return answer
