"""Random values for all data that Python passes to the package's parsers.

Each row of `PARSERS` has seeds, a mutation and a call. A mutated value with a
new outcome (it reaches a new line of the package, or raises another error) is
kept and mutated further. The call may raise the errors for wrong input, and
nothing else: no SystemError, no crash, no inconsistent value.

    python tests/fuzz/values.py [SECONDS] [SEED]
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import collections
import copy
import ctypes
import io
import random
import re
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda import _pvt_struct, tools
from pycuda._compile import options
from pycuda.compyte import dtypes

ALLOWED = (
    TypeError,
    ValueError,
    OverflowError,
    BufferError,
    MemoryError,
    EOFError,
    struct.error,
    drv.Error,
    dtypes.TypeNameNotKnown,
    SyntaxError,  # raised by NumPy for a damaged .npy header
)
NUMBERS = [0, 1, -1, 2, 3, 7, 8, 31, 32, 33, 64, 127, 128, 255, 256, 65535]
NUMBERS += [65536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40]
NUMBERS += [(1 << 63) - 1, 1 << 63, -(1 << 31), -(1 << 63), (1 << 64) - 1]
MAX_SECONDS = 5.0  # for one call


# ---- mutations ------------------------------------------------------------


def mutate_text(text: str, words: list[str], rng: random.Random) -> str:
    """Insert, drop, repeat or replace a substring."""
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.choice([0, 1, 1, 2, 5]))
    piece = rng.choice(
        [
            rng.choice(words),
            rng.choice(words) * rng.randrange(4),
            str(rng.choice(NUMBERS)),
            chr(rng.choice([0, 9, 32, 44, 64, 0xE9, 0x4E2D, 0x1F600, 0xD800])),
            text[at:end] * 3,
            "",
        ]
    )
    return (text[:at] + piece + text[end:])[:4096]


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Change bytes, cut, repeat or insert a number."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(5)
        if kind == 0 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(out):
            out[at] = rng.randrange(256)
        elif kind == 2:
            del out[at : at + rng.choice([1, 2, 8, 64])]
        elif kind == 3:
            out[at:at] = out[at : at + rng.choice([1, 8])]
        else:
            number = str(rng.choice(NUMBERS)).encode()
            out[at : at + rng.choice([0, len(number)])] = number
    return bytes(out[:4096])


def strange(rng: random.Random) -> Any:
    """Return a value that is invalid almost everywhere."""
    return rng.choice(
        [
            *[None, True, "", "a\0b", b"x", (), [], {}, 1.5, float("nan")],
            *[(1,), (1, 2, 3), ((1, 2),), {"a": 1}, object(), np.float32(2)],
            *[rng.choice(NUMBERS), np.int64(rng.choice(NUMBERS) % (1 << 62))],
        ]
    )


def mutate_fields(row: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Replace, drop or vary an entry of a dictionary."""
    out = copy.copy(row)
    key = rng.choice(list(out) or ["data"])
    value = out.get(key)
    kind = rng.randrange(4)
    if kind == 0:
        out.pop(key, None)
    elif kind == 1:
        out[key] = strange(rng)
    elif isinstance(value, tuple | list) and value:
        parts = list(value)
        parts[rng.randrange(len(parts))] = (
            rng.choice(NUMBERS) if kind == 2 else strange(rng)
        )
        if rng.randrange(4) == 0:
            parts = parts * rng.choice([0, 2, 40])
        out[key] = tuple(parts) if rng.randrange(4) else parts
    elif isinstance(value, str):
        out[key] = mutate_text(value, ["<f4", ">i8", "|V7", "O", "c16"], rng)
    else:
        out[key] = rng.choice(NUMBERS)
    return out


# ---- array interface ------------------------------------------------------

memory = gpuarray.zeros(256, np.float32)


class Described:
    """An object with a CUDA array interface."""

    def __init__(self, interface: Any) -> None:
        self.__cuda_array_interface__ = interface


INTERFACES = [
    {
        "shape": (8, 4),
        "strides": (16, 4),
        "typestr": "<f4",
        "data": (memory.ptr, False),
        "version": 3,
        "stream": None,
    },
    {
        "shape": (4,),
        "strides": None,
        "typestr": "|V8",
        "descr": [("a", "<f4"), ("b", "<i4")],
        "data": (memory.ptr, False),
        "version": 2,
        "mask": None,
    },
    {
        "shape": ((1 << 63) - 1, 2),
        "strides": (8, 4),
        "typestr": "<f4",
        "data": (memory.ptr, False),
        "version": 3,
    },
    {"shape": (0,), "typestr": "<i8", "data": (0, True), "version": 3},
]


def interface_call(row: dict[str, Any]) -> None:
    stream = row.get("stream")
    if isinstance(stream, int) and stream > 2:
        return  # any other number is the address of a stream
    array = gpuarray.asarray(Described(row), copy=False)
    shape = tuple(int(n) for n in row["shape"])
    assert array.shape == shape, (array.shape, shape)
    assert array.size == int(np.prod([1, *map(int, shape)], dtype=object))
    assert array.dtype.itemsize >= 0 and array.nbytes >= 0


# ---- DLPack ---------------------------------------------------------------


class Tensor(ctypes.Structure):
    """DLPack's DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class Versioned(ctypes.Structure):
    """DLPack's DLManagedTensorVersioned."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        *Tensor._fields_[:-2],
    ]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
Here = memory.__dlpack_device__()

CAPSULES = [
    {
        "versioned": versioned,
        "name": b"dltensor_versioned" if versioned else b"dltensor",
        "major": 1,
        "flags": 0,
        "device": tuple(Here),
        "ndim": 2,
        "code": 2,
        "bits": 32,
        "lanes": 1,
        "shape": (8, 4),
        "strides": strides,
        "byte_offset": 0,
    }
    for versioned in (False, True)
    for strides in ((4, 1), None)
]


def as_integer(value: Any, bits: int) -> int:
    number = value if isinstance(value, int) else 0
    return number & ((1 << bits) - 1)


def dims(value: Any, ndim: int) -> Any:
    """Return `ndim` 64-bit numbers, or None."""
    if not isinstance(value, tuple | list):
        return None
    numbers = [as_integer(n, 64) for n in value] or [1]
    count = min(max(ndim, 1), 4096)
    return (ctypes.c_uint64 * count)(
        *[numbers[i % len(numbers)] for i in range(count)]
    )


# Objects named by capsules must outlive their last consumer.
stored: collections.deque[Any] = collections.deque(maxlen=256)


class Producer:
    """An object with a capsule that a dictionary describes."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row

    def __dlpack_device__(self) -> tuple[int, int]:
        return Here

    def __dlpack__(self, **_: Any) -> Any:
        row = self.row
        ndim = ctypes.c_int32(as_integer(row.get("ndim"), 32)).value
        kind = Versioned if row.get("versioned") is True else Tensor
        shape = dims(row.get("shape"), ndim)
        strides = dims(row.get("strides"), ndim)
        tensor = kind(
            data=memory.ptr,
            device_type=Here[0],
            ndim=ndim,
            code=as_integer(row.get("code"), 8),
            bits=as_integer(row.get("bits"), 8),
            lanes=as_integer(row.get("lanes"), 16),
            shape=ctypes.addressof(shape) if shape else None,
            strides=ctypes.addressof(strides) if strides else None,
            byte_offset=as_integer(row.get("byte_offset"), 64),
        )
        if kind is Versioned:
            tensor.major = as_integer(row.get("major"), 32)
            tensor.flags = as_integer(row.get("flags"), 64)
        # A capsule's name must match its contents.
        name = b"dltensor_versioned" if kind is Versioned else b"dltensor"
        if row.get("name") not in (b"dltensor", b"dltensor_versioned"):
            name = b"another"
        stored.append((tensor, shape, strides, name))
        return new_capsule(ctypes.addressof(tensor), name, None)


def capsule_call(row: dict[str, Any]) -> None:
    producer = Producer(row)
    array = gpuarray.from_dlpack(producer)
    assert 0 <= array.ndim <= 32 and all(n >= 0 for n in array.shape)
    assert array.size == int(np.prod([1, *array.shape], dtype=object))
    repeated = gpuarray.from_dlpack(array)
    assert (repeated.shape, repeated.dtype) == (array.shape, array.dtype)
    array.__dlpack__()  # the unversioned form, which has no consumer here


def argument_call(row: dict[str, Any]) -> None:
    """Pass the objects as a device address."""
    has_capsule = "code" in row
    if not has_capsule and isinstance(row.get("stream"), int):
        return
    thing = Producer(row) if has_capsule else Described(row)
    drv.memcpy_dtoh(np.empty(1, np.uint8), thing)


# ---- texts ----------------------------------------------------------------

SOURCE = """
struct block { char c[4]; };
__global__ void k(int *p, double x, char c) {}
__global__ void numbers(long long a, short b, unsigned char c, bool d) {}
__global__ void others(float2 z, double2 w, block b, float f, int *p) {}
"""
KERNELS: list[Any] = []


def kernel(number: int = 0) -> Any:
    if not KERNELS:
        from pycuda.compiler import SourceModule

        module = SourceModule(SOURCE)
        names = "k", "numbers", "others"
        KERNELS.extend(map(module.get_function, names))
    return KERNELS[number % len(KERNELS)]


VALUES = [3, -1, 1.5, 2 + 1j, b"x", b"four", b"", True, None, "text", 1 << 70]
VALUES += [np.float32(1), np.int8(-3), np.uint64(1 << 63), np.complex64(1j)]
VALUES += [memory, memory.gpudata, np.zeros(1, "i2,i2")[0], Fraction(1, 2)]


def format_call(text: str) -> None:
    """Prepare a kernel and call it, with values that may match."""
    rng = random.Random(text)
    function = kernel(rng.randrange(3))
    function.prepare(text)
    if "x" in text or len(text) > 40:
        return
    function.prepared_call(
        (1, 1), (1, 1, 1), *[rng.choice(VALUES) for _ in range(len(text))]
    )


def struct_call(text: str) -> None:
    size = _pvt_struct.calcsize(text)
    if size < 1 << 20:
        try:
            values = _pvt_struct.unpack(text, bytes(size))
        except UnicodeDecodeError:
            return
        assert len(_pvt_struct.pack(text, *values)) == size


def argument_text_call(text: str) -> None:
    found = tools.parse_c_arg(text)
    assert found.name and isinstance(found.dtype, np.dtype)
    assert np.dtype(found.struct_char if found.struct_char != "P" else "P")


def dtype_call(text: str) -> None:
    dtype = np.dtype(text)
    if dtype.itemsize < 4096:
        array = gpuarray.zeros(2, text)
        assert array.dtype == dtype
    tools.dtype_to_ctype(text)


def options_call(text: str) -> None:
    """Parse a file of nvcc's options, and the same options as a list."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.encode(errors="surrogatepass"))
        file.flush()
        translated = []
        for given in (["--options-file", file.name], text.split()):
            try:
                translated.append(options.translate(given))
            except options.OptionError as error:
                said = error
    if not translated:
        raise said
    for out in translated:
        assert all(isinstance(word, str) and word for word in out.options)


def npy(array: np.ndarray, many: bool = False) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, a=array, b=array) if many else np.save(stream, array)
    return stream.getvalue()


def npy_call(data: bytes) -> None:
    found = gpuarray.load(io.BytesIO(data))
    rows = found.values() if hasattr(found, "values") else [found]
    for array in rows:
        assert isinstance(array, gpuarray.GPUArray)


FORMATS = [
    "PdB",
    "P",
    "@iP",
    "lhB?",
    "FD4sfP",
    "qqqq",
    "2i4s",
    "ffdd",
    "?cbBhHiIlLqQnN",
    "e3xED",
]
ARGUMENTS = [
    "float *x",
    "const unsigned long long int n",
    "double3 *__restrict__ out",
]
ARGUMENTS += ["pycuda::complex<float> z", "int x[]", "volatile signed char *c"]
DTYPES = [
    "<f4",
    ">i8",
    "complex64",
    "f4,i4",
    "(2,3)f8",
    "S7",
    "V8",
    "?",
    "bfloat16",
]

OPTIONS = ["-arch=sm_90 -O3\n-D X=1 -I '/a b'", "-Xcompiler -Wall,-DY -G"]
OPTIONS += ["-gencode arch=compute_80,code=sm_80 --ptxas-options=-v,-O2"]
OPTIONS += ["-optf /nowhere", "-std=c++17 -include x.h -maxrregcount 32"]

Parser = tuple[list[Any], Callable[..., Any], Callable[[Any], None]]

PARSERS: dict[str, Parser] = {
    "array interface": (INTERFACES, mutate_fields, interface_call),
    "DLPack": (CAPSULES, mutate_fields, capsule_call),
    "addresses": (INTERFACES + CAPSULES, mutate_fields, argument_call),
    "prepared formats": (
        FORMATS,
        lambda text, rng: mutate_text(text, list("PiqfdFDesx?@=0"), rng),
        format_call,
    ),
    "packed structs": (
        FORMATS,
        lambda text, rng: mutate_text(text, list("PiqfdFDesx?@=0"), rng),
        struct_call,
    ),
    "arguments in C": (
        ARGUMENTS,
        lambda text, rng: mutate_text(
            text, [*" *&[]<>:,", "const ", "unsigned ", "int ", "x"], rng
        ),
        argument_text_call,
    ),
    "dtypes": (
        DTYPES,
        lambda text, rng: mutate_text(text, [*"<>|=fiucSV,()?", "f4"], rng),
        dtype_call,
    ),
    "option files": (
        OPTIONS,
        lambda text, rng: mutate_text(
            text, [*options.BY_NAME, *" =,'\"\\-\n", "true", "sm_90"], rng
        ),
        options_call,
    ),
    ".npy files": (
        [npy(np.arange(6.0)), npy(np.ones((2, 3), "<i4"), True)],
        mutate_bytes,
        npy_call,
    ),
}


# ---- the loop -------------------------------------------------------------


class Lines:
    """The set of the package's lines that were reached."""

    def __init__(self) -> None:
        self.found: set[tuple[str, int]] = set()

    def __call__(self, frame: Any, event: str, _: Any) -> Any:
        name = frame.f_code.co_filename
        if "/pycuda/" not in name:
            return None
        self.found.add((name, frame.f_lineno))
        return self


def outcome(error: BaseException | None) -> str:
    """Return an error's type and message, without numbers and quoted parts."""
    if error is None:
        return "right"
    words = re.sub(r"-?\d+|0x\w+", "#", str(error)).split()[:2]
    return f"{type(error).__name__}: {' '.join(words)[:30]}"


def timed(call: Callable[[Any], None], value: Any) -> tuple[str, float]:
    """Call with one value; return (outcome, processor seconds).

    An error that is not allowed propagates.
    """
    start = time.process_time()
    try:
        call(value)
        said = outcome(None)
    except ALLOWED as error:
        said = outcome(error)
    return said, time.process_time() - start


def attempt(call: Callable[[Any], None], value: Any) -> str:
    """Call with one value, and again if it is slow; return the outcome.

    The processor time of the process contains that of other threads and of
    the garbage collector. Only a value that is slow twice is an error.
    """
    said, took = timed(call, value)
    if took >= MAX_SECONDS:
        said, took = timed(call, value)
    assert took < MAX_SECONDS, f"{took:.1f} s"
    return said


def fuzz(name: str, seconds: float, seed: int) -> tuple[int, int]:
    """Try random values for a while; return (count, distinct outcomes).

    Raises
    ------
    AssertionError
        With the value and the seed, if a call ends in a way that is not
        allowed.
    """
    seeds, mutate, call = PARSERS[name]
    rng = random.Random(f"{name} {seed}")
    pool, outcomes, lines = list(seeds), set(), Lines()
    count, end = 0, time.process_time() + seconds
    while time.process_time() < end or count < len(seeds):
        value = pool[count] if count < len(seeds) else rng.choice(pool)
        if count >= len(seeds):
            for _ in range(rng.choice([1, 1, 2, 4])):
                value = mutate(value, rng)
        count += 1
        before = len(lines.found)
        sys.settrace(lines)
        try:
            said = attempt(call, value)
        except Exception as error:
            raise AssertionError(
                f"{name}, seed {seed}, value {count}: {value!r} ended with "
                f"{type(error).__name__}: {error}"
            ) from error
        finally:
            sys.settrace(None)
        if said not in outcomes or len(lines.found) > before:
            outcomes.add(said)
            pool.append(value)
    return count, len(outcomes)


def main() -> int:
    """Run every parser for its share of the time."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    failed = 0
    for name in PARSERS:
        try:
            count, outcomes = fuzz(name, seconds / len(PARSERS), seed)
            print(f"{name:17} {count:9,} values {outcomes:5} outcomes")
        except AssertionError as error:
            print(f"{name:17} {error}")
            failed = 1
    pycuda.autoinit.context.synchronize()
    return failed


if __name__ == "__main__":
    sys.exit(main())
