"""Functions evaluated on fixed operands, on the available device.

`signatures.txt` has a line for each function and tuple of argument types that
both compilers accept; ``python tools/oracle signatures`` writes it.  ``python
tools/oracle evaluate FILE`` computes each on special and random operands and
writes the results' bytes into a .npz file.  With ``--compare`` it prints the
differences from the results in the file, in units in the last place for
floating-point numbers, and whether they exceed CUDA's bounds.  ``--pack
SHORT`` shortens a file for the tests.

SPDX-License-Identifier: MIT
"""

import base64
import hashlib
import lzma
import sys
from pathlib import Path

import bounds
import numpy as np
from entries import Entry
from survey import ALL_TYPES

HERE = Path(__file__).resolve().parent
SIGNATURES = HERE / "signatures.txt"
COUNT = 192  # tuples of operands
SHORT = 64  # of them in a shortened file
BATCH = 60  # functions per module
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
DTYPES = {
    "bool": "u1", "char": "i1", "signed char": "i1", "unsigned char": "u1",
    "short": "i2", "unsigned short": "u2", "int": "i4", "unsigned": "u4",
    "long": "i8", "unsigned long": "u8", "long long": "i8",
    "unsigned long long": "u8", "float": "f4", "double": "f8",
    "__half": "u2", "__half2": "u4", "__nv_bfloat16": "u2",
    "__nv_bfloat162": "u4",
}  # fmt: skip
FLOATS = ("float", "double")
SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 3.5, -2.5, 2.0, 3.0, -7.25,
    0.1, 1e-5, -1e-5, 100.5, 88.7, -87.3, 709.7, -745.1, 1e10, -1e10, 1e-30,
    1e-40, 1e30, 16777217.0, 2147483648.0, -2147483649.0, 4294967296.0,
    9.3e18, -9.3e18, 1.9e19, 3.14159265, 1.57079633, 0.7853981, 0.99999994,
    1.0000001, np.inf, -np.inf, np.nan,
]  # fmt: skip


def operands(kind: str, mixed: bool, rng: np.random.Generator) -> np.ndarray:
    """Return fixed operands of a type; small integers in mixed calls."""
    dtype = np.dtype(DTYPES[kind])
    if kind == "bool":
        return rng.integers(0, 2, COUNT).astype(dtype)
    if dtype.kind in "iu" and mixed and kind not in ("__half", "__half2"):
        return rng.integers(-4, 9, COUNT).astype(dtype)
    if kind in FLOATS:
        x = np.ldexp(rng.normal(size=COUNT), rng.integers(-12, 13, COUNT))
        x[::4] = np.array(SPECIAL)[rng.integers(0, len(SPECIAL), COUNT // 4)]
        with np.errstate(over="ignore"):
            return x.astype(dtype)
    bits = rng.integers(0, 256, (COUNT, dtype.itemsize)).astype(np.uint8)
    x = bits.view(dtype).ravel().copy()
    if "half" not in kind and "bfloat" not in kind:
        info = np.iinfo(dtype)
        few = [0, 1, 2, 3, 31, 32, 33, info.max, info.min, info.max - 1]
        x[::4] = np.array(few, dtype)[rng.integers(0, len(few), COUNT // 4)]
    return x


HINTS = {
    "__double": "double", "__float": "float", "__half2": "__half",
    "__uint2": "unsigned", "__int2": "int", "__ull2": "unsigned long long",
    "__ll2": "long long", "__short": "short", "__ushort": "unsigned short",
    "__uchar2": "unsigned char", "__char2": "signed char", "__v": "unsigned",
    "__bfloat16": "__nv_bfloat16", "__u": "unsigned", "__brevll": "long long",
    "__mul64hi": "long long", "__popcll": "long long", "__clzll": "long long",
    "__ffsll": "long long", "__d": "double", "__longlong": "long long",
    "hypot": "double", "ll": "double", "__fma_": "double",
}  # fmt: skip
PLAIN = (
    "float", "double", "int", "unsigned", "long long", "unsigned long long",
    "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162",
)  # fmt: skip


def choose(entry: Entry, answer: str) -> list[tuple[str, ...]]:
    """Return the calls of a survey that are likely to be separate overloads.

    There is one for each arity and type of the result: arguments of that type,
    otherwise of the type that the name suggests, otherwise of the first
    accepted type.  If nothing suggests a type, both `float` and `double` are
    kept.
    """
    numbers = [int(x) for x in answer.removeprefix("= ").split(",")]
    groups: dict[tuple[int, int], list[tuple[str, ...]]] = {}
    for call, number in zip(entry.calls, numbers, strict=True):
        known = all(kind in DTYPES for kind in call)
        if call and known and number and number % 10 == 0:
            groups.setdefault((len(call), number), []).append(call)
    chosen = []
    half = any("16" in header for header in entry.headers)
    for (arity, number), calls in groups.items():
        if half:  # ambiguous if both headers are included
            calls = [call for call in calls if not set(call) <= set(FLOATS)]
        result = ALL_TYPES[number // 10 - 1]
        hint = next((v for k, v in HINTS.items()
                     if entry.function.startswith(k)), "")  # fmt: skip
        every = [(kind,) * arity for kind in PLAIN]
        best = [(hint,) * arity, (result,) * arity]
        first = [call for call in best if call in calls][:1]
        both = []
        if result in ("int", "bool"):
            reals = (*FLOATS, "__half", "__nv_bfloat16")
            both = [c for c in every if c in calls and c[0] in reals]
        if hint or not both:
            both = first or [c for c in every if c in calls][:1]
        chosen += both or calls[:1]
    return chosen


def read() -> list[tuple[str, str, tuple[str, ...]]]:
    """Return (function, result type, argument types) of the file's lines."""
    lines = SIGNATURES.read_text().splitlines()
    rows = [line.split("|") for line in lines if line[:1] != "#"]
    return [(row[0], row[1], tuple(row[2].split(","))) for row in rows]


def source_of(rows: list) -> str:
    """Return the source with a kernel for each function."""
    text = HEADERS
    for i, (name, result, call) in enumerate(rows):
        parameters = "".join(
            f"const {kind} *a{n}, " for n, kind in enumerate(call)
        )
        values = ", ".join(f"a{n}[i]" for n in range(len(call)))
        text += (
            f'extern "C" __global__ void f{i}({parameters}{result} *out)\n'
            f"{{ int i = blockIdx.x * 64 + threadIdx.x;"
            f" out[i] = {name}({values}); }}\n"
        )
    return text


def key_of(row: tuple) -> str:
    """Return the name of a function with its arguments."""
    return f"{row[0]}({', '.join(row[2])})"


def given_to(row: tuple) -> list[np.ndarray]:
    """Return the operands of a function."""
    name, _, call = row
    rng = np.random.default_rng(sum(f"{name}{call}".encode()) * 7919)
    mixed = any(kind in FLOATS for kind in call)
    return [operands(kind, mixed, rng) for kind in call]


def run(rows: list) -> dict[str, np.ndarray]:
    """Return the results' bytes, by the function and its arguments."""
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    found = {}
    module = SourceModule(source_of(rows), no_extern_c=True)
    for i, row in enumerate(rows):
        given = [drv.In(x) for x in given_to(row)]
        out = np.zeros(COUNT, DTYPES[row[1]])
        kernel = module.get_function(f"f{i}")
        kernel(*given, drv.Out(out), block=(64, 1, 1), grid=(COUNT // 64, 1))
        found[key_of(row)] = out.view(np.uint8)
    return found


def as_floats(data: np.ndarray, kind: str) -> np.ndarray | None:
    """Return the results as float64, if they are floating-point numbers."""
    if kind in FLOATS:
        return data.view(DTYPES[kind]).astype("f8")
    if kind in ("__half", "__half2"):
        return data.view(np.float16).astype("f8")
    if "bfloat" in kind:
        wide = data.view("u2").astype("u4") << 16
        with np.errstate(invalid="ignore"):
            return wide.view("f4").astype("f8")
    return None


def places(kind: str) -> tuple[int, float]:
    """Return the bits of a significand, and the least normal number."""
    return {
        "float": (24, 2.0**-126), "double": (53, 2.0**-1022),
        "__half": (11, 2.0**-14), "__half2": (11, 2.0**-14),
    }.get(kind, (8, 2.0**-126))  # fmt: skip


def distances(
    a: np.ndarray, b: np.ndarray, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return differences in units in the last place, and absolute ones.

    A difference is 0 if both are equal or both are NaN.  It is infinite if
    they differ and are no floating-point numbers, or differ in their sign
    alone.
    """
    x, y = as_floats(a, kind), as_floats(b, kind)
    if x is None or y is None:
        width = np.dtype(DTYPES[kind]).itemsize
        differ = (a.reshape(-1, width) != b.reshape(-1, width)).any(1)
        return np.where(differ, np.inf, 0), np.where(differ, np.inf, 0)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    same &= np.isnan(x) | (np.signbit(x) == np.signbit(y))
    digits, least = places(kind)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(y), least)
        unit = np.ldexp(1.0, np.frexp(size)[1] - digits)
        absolute = np.where(same, 0, np.abs(x - y))
        absolute[np.isnan(absolute) | (~same & (absolute == 0))] = np.inf
        return np.where(same, 0, absolute / unit), absolute


def beyond(row: tuple, units: np.ndarray, absolute: np.ndarray) -> int:
    """Return how many of a function's results exceed the tolerance."""
    count = len(units)
    allowed = bounds.tolerance(row[0], row[1], given_to(row))
    if allowed is None:
        return int((units > 0).sum())
    ulp, most = (np.broadcast_to(x, COUNT) for x in allowed)
    lanes = count // COUNT if count > COUNT else 1
    ulp, most = (np.repeat(x, lanes)[:count] for x in (ulp, most))
    return int(((units > ulp) & ~(absolute <= most)).sum())


def compare(found: dict, expected: dict, rows: list) -> int:
    """Print the functions whose results differ; return how many are wrong."""
    differ = wrong = 0
    for row in sorted(rows, key=key_of):
        key = key_of(row)
        if key not in found or key not in expected:
            continue
        units, absolute = distances(found[key], expected[key], row[1])
        count, bad = int((units > 0).sum()), beyond(row, units, absolute)
        if count:
            print(f"{key}: {count} of {COUNT} differ, {units.max():.3g} ulp"
                  + (f": {bad} BEYOND THE BOUNDS" if bad else ""))  # fmt: skip
        differ += count > 0
        wrong += bad > 0
    print(
        f"{len(found)} functions compared, {differ} differ, {wrong} of them "
        "by more than they may"
    )
    return wrong


def digest(data: np.ndarray, kind: str) -> str:
    """Return a digest of a function's results; all NaNs are equal."""
    floats = as_floats(data, kind)
    if floats is not None:
        width = data.size // floats.size
        data = data.reshape(-1, width).copy()
        data[np.isnan(floats)] = 255
    return hashlib.sha256(data.tobytes()).hexdigest()[:16]


def pack(results: dict, rows: list, path: Path) -> None:
    """Write a digest of each exact function, and a few results of others."""
    lines = []
    for row in rows:
        data = results[key_of(row)]
        if bounds.tolerance(row[0], row[1], given_to(row)) is None:
            lines.append(f"{key_of(row)}|{digest(data, row[1])}")
        else:
            few = data[: SHORT * (data.size // COUNT)].tobytes()
            lines.append(f"{key_of(row)}|={base64.b64encode(few).decode()}")
    with lzma.open(path, "wt") as file:
        file.write("\n".join(lines) + "\n")


def unpack(path: Path) -> dict[str, str]:
    """Return the lines of a shortened file, by function."""
    with lzma.open(path, "rt") as file:
        rows = [line.rstrip("\n").split("|") for line in file]
    return dict(rows)


def wrong(row: tuple, data: np.ndarray, short: str) -> int:
    """Return how many results differ too much from a shortened file's line."""
    if short[0] != "=":
        return int(digest(data, row[1]) != short)
    few = np.frombuffer(base64.b64decode(short[1:]), np.uint8)
    return beyond(row, *distances(data[: few.size], few, row[1]))


def main(path: Path, against: bool) -> int:
    """Evaluate all functions, then write or compare."""
    import pycuda.autoinit

    rows = read()
    found: dict[str, np.ndarray] = {}
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        try:
            found |= run(batch)
        except Exception as error:  # one function must not hide the others
            print(f"in {batch[0][0]}...: {str(error)[:400]}", file=sys.stderr)
            for row in batch:
                try:
                    found |= run([row])
                except Exception as one:
                    print(f"{row[0]}{row[2]}: {str(one)[:200]}")
    print(f"{len(found)} functions on {pycuda.autoinit.device.name()}")
    if not against:
        np.savez_compressed(path, **found)
        return 0
    with np.load(path) as expected:
        return int(compare(found, dict(expected), rows) > 0)
