"""printf in kernels: every conversion, against C's printf."""

import ctypes
import math

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

#: format and its arguments in C, and as ctypes objects
CASES = [
    ("%d|%i|%5d|%-5d|%05d|%+d|% d", "-7, 8, 9, 10, -11, 12, 13"),
    ("%u|%o|%x|%X|%#x|%#o", "4000000000u, 8u, 255u, 255u, 255u, 8u"),
    ("%hd|%hhd|%hu", "70000, 300, 70000"),
    ("%ld|%lu|%lx", "-5000000000l, 5000000000ul, 5000000000ul"),
    ("%lld|%llu|%llx", "-5000000000ll, 5000000000ull, 255ull"),
    ("%zu|%zd|%td", "(size_t)9, (size_t)8, (long)7"),
    ("%f|%.2f|%8.3f|%-9.1f|%+f|%.0f", "1.5, 2.345, -3.25, 4.0, 5.5, 2.5"),
    ("%e|%.3E|%g|%G|%.10g", "12345.678, 0.00012, 1e-10, 1e20, 0.1"),
    ("%a|%A|%.2a", "1.0, 0.3, 3.14159"),
    ("%f|%f|%g", "1.0/0.0, -1.0/0.0, 1.5f"),
    ("%c|%5c|%-3c|", "'x', 'y', 'z'"),
    ("%s|%8s|%-8s|%.3s|%.*s|", '"one", "two", "three", "fourth", 2, "five"'),
    ("%*d|%-*d|%.*f|%*.*f|", "6, 42, 6, 43, 3, 2.0, 9, 2, 2.71828"),
    ("%.*f|%.*d|%0*d|", "-1, 2.5, -3, 7, 5, 42"),
    ("%%|%d%%|100%%", "50"),
    ("no arguments", ""),
    ("%d %s %f %c %lld %u", "1, \"mixed\", 2.5, 'c', 3ll, 4u"),
]


def c_values(text):
    """Return the C arguments for ctypes."""
    values = []
    for part in (p.strip() for p in text.split(", ") if p):
        if part.startswith('"'):
            values.append(ctypes.c_char_p(part[1:-1].encode()))
        elif part.startswith("'"):
            values.append(ctypes.c_int(ord(part[1])))
        elif part.startswith("("):
            values.append(ctypes.c_long(int(part.split(")")[1])))
        elif "/" in part:
            sign = -1 if part.startswith("-") else 1
            values.append(ctypes.c_double(sign * math.inf))
        elif "." in part or ("e" in part and not part.startswith("0x")):
            values.append(ctypes.c_double(float(part.rstrip("f"))))
        elif part.rstrip("ul") != part:
            kind = ctypes.c_ulong if "u" in part else ctypes.c_long
            number = int(part.rstrip("ul"))
            values.append(
                ctypes.c_uint(number) if part.endswith("u") else kind(number)
            )
        else:
            values.append(ctypes.c_int(int(part)))
    return values


#: Length modifiers and precisions that CUDA's printf does not support.
MORE = ("%hhd", "%zu", ".*")


@pytest.mark.parametrize(
    ("form", "arguments"),
    [
        pytest.param(
            *case,
            id=str(number),
            marks=[pytest.mark.cpu] if any(m in case[0] for m in MORE) else [],
        )
        for number, case in enumerate(CASES)
    ],
)
def test_conversion(form, arguments, capfd):
    buffer = ctypes.create_string_buffer(4096)
    libc = ctypes.CDLL(None)
    libc.snprintf(buffer, 4096, form.encode(), *c_values(arguments))
    call = f'printf("{form}\\n"{", " if arguments else ""}{arguments})'
    function = SourceModule(f"__global__ void k() {{ {call}; }}").get_function(
        "k"
    )
    capfd.readouterr()
    function(block=(1, 1, 1))
    cuda.Context.synchronize()
    assert capfd.readouterr().out == buffer.value.decode() + "\n"


def test_pointers_vectors_and_the_result(capfd):
    source = """
    __device__ int word = 3;
    __global__ void k(float4 v, const char *none)
    {
        int n = printf("%d %p\\n", word, (void *)0x1234abcd);
        printf("%f %f %d\\n", v.x, v.w, n);
    }
    """
    function = SourceModule(source).get_function("k")
    capfd.readouterr()
    v = np.array([1, 2, 3, 4], np.float32)
    function(v, np.uint64(0), block=(1, 1, 1))
    cuda.Context.synchronize()
    first, second = capfd.readouterr().out.splitlines()
    assert first == "3 0x1234abcd"
    assert second == "1.000000 4.000000 2", "the number of arguments"


def test_lines_of_many_threads_stay_whole(capfd):
    function = SourceModule(
        'extern "C" __global__ void k()'
        '{ printf("block %d thread %d end\\n", blockIdx.x, threadIdx.x); }',
        no_extern_c=True,
    ).get_function("k")
    capfd.readouterr()
    function(block=(64, 1, 1), grid=(20, 1))
    cuda.Context.synchronize()
    lines = capfd.readouterr().out.splitlines()
    assert sorted(lines) == sorted(
        f"block {b} thread {t} end" for b in range(20) for t in range(64)
    )


FLOOD = r"""
__global__ void flood(int launch, int lines)
{
    for (int i = 0; i < lines; i++) {
        printf("%d %d %90d\n", launch, i, threadIdx.x);
    }
}
"""


@pytest.mark.cpu
@pytest.mark.parametrize("buffer", [1 << 14, 1 << 17, 1 << 20])
def test_text_of_earlier_launches_is_kept(buffer, capfd):
    lines = buffer // 128  # about 100 bytes each
    # refused after the context's first kernel with printf
    context = cuda.Device(0).make_context()
    try:
        cuda.Context.set_limit(cuda.limit.PRINTF_FIFO_SIZE, buffer)
        flood = SourceModule(FLOOD).get_function("flood")
        for launch in range(20):
            flood(np.int32(launch), np.int32(lines), block=(1, 1, 1))
        cuda.Context.synchronize()
    finally:
        context.pop()
        context.detach()
    found = [line.split()[:2] for line in capfd.readouterr().out.splitlines()]
    assert found == [[str(a), str(b)] for a in range(20) for b in range(lines)]


@pytest.mark.cpu
def test_one_launch_keeps_its_latest_lines(capfd):
    flood = SourceModule(FLOOD).get_function("flood")
    flood(np.int32(0), np.int32(100), block=(1, 1, 1))
    flood(np.int32(1), np.int32(30000), block=(1, 1, 1))  # about 3 MB
    cuda.Context.synchronize()
    found = capfd.readouterr().out.splitlines()
    numbers = [line.split()[1] for line in found if line.startswith("1 ")]
    assert numbers == [str(i) for i in range(30000 - len(numbers), 30000)]
    assert 8000 < len(numbers) < 11000
    assert len(found) - len(numbers) == 100
