"""Names in std from <cstring>, <cstddef>, <cstdint>, <cstdlib> and <cmath>."""

# SPDX-License-Identifier: MIT

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

SOURCE = r"""
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

__global__ void k(int *out, const char *text, unsigned char *bytes)
{
    int same = 7;
    float f = 2.25f;
    std::memcpy(out, &same, sizeof(int));
    std::memmove(bytes + 1, bytes, 6);
    out[1] = (int)std::strlen(text);
    out[2] = std::memcmp(text, text + 4, 3);
    out[3] = std::memcmp(text, text + 1, 3);
    out[4] = std::memcmp(text + 1, text, 3);
    out[5] = (int)((const char *)std::memchr(text, 'z', 8) - text);
    out[6] = std::memchr(text, 'q', 8) == nullptr;
    out[7] = std::strcmp(text, text + 4) +
             10 * std::strncmp(text, text + 4, 3);
    std::byte flags = std::byte(0x3c) & ~std::byte(0x0c);
    flags |= std::byte(1);
    out[8] = std::to_integer<int>(flags << 1);
    std::nullptr_t none = nullptr;
    out[9] = none == nullptr && sizeof(std::max_align_t) >= 16;
    out[10] = (int)(100 * std::sqrtf(f) + std::powf(2.f, 3.f) +
                    std::fabsf(-f));
    out[11] = sizeof(std::int_fast8_t) + sizeof(std::uint_least16_t) +
              sizeof(std::intmax_t);
    int *made = (int *)std::malloc(sizeof(int));
    out[12] = made != nullptr;
    std::free(made);
    std::memset(out + 13, 0xff, sizeof(int));
    std::memmove(bytes + 8, bytes + 9, 5);
}
"""


def test_functions_and_types_in_std():
    out = np.zeros(14, np.int32)
    text = np.frombuffer(b"abcxabcz\0", np.uint8)
    data = np.arange(16, dtype=np.uint8)
    SourceModule(SOURCE).get_function("k")(
        drv.InOut(out), drv.In(text), drv.InOut(data), block=(1, 1, 1)
    )
    expected = [7, 8, 0, -1, 1, 7, 1, -1, 0x62, 1, 160, 11, 1, -1]
    assert list(out) == expected
    moved = np.arange(16, dtype=np.uint8)
    moved[1:7] = np.arange(6)
    moved[8:13] = np.arange(9, 14)
    assert np.array_equal(data, moved)
