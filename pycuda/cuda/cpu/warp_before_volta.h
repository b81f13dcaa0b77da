/* warp_before_volta.h - shuffles and votes without a mask.
 *
 * Included after device.h if the architecture is below sm_70. The threads of
 * the warp that execute the call take part.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
#define __PYCUDA_UNMASKED(T)                                                  \
    __pycuda_fn T __shfl(T value, int lane, int width = 32)                   \
    {                                                                         \
        return __shfl_sync(__activemask(), value, lane, width);               \
    }                                                                         \
    __pycuda_fn T __shfl_up(T value, unsigned int delta, int width = 32)      \
    {                                                                         \
        return __shfl_up_sync(__activemask(), value, delta, width);           \
    }                                                                         \
    __pycuda_fn T __shfl_down(T value, unsigned int delta, int width = 32)    \
    {                                                                         \
        return __shfl_down_sync(__activemask(), value, delta, width);         \
    }                                                                         \
    __pycuda_fn T __shfl_xor(T value, int lanes, int width = 32)              \
    {                                                                         \
        return __shfl_xor_sync(__activemask(), value, lanes, width);          \
    }
__PYCUDA_UNMASKED(int)
__PYCUDA_UNMASKED(unsigned int)
__PYCUDA_UNMASKED(long)
__PYCUDA_UNMASKED(unsigned long)
__PYCUDA_UNMASKED(long long)
__PYCUDA_UNMASKED(unsigned long long)
__PYCUDA_UNMASKED(float)
__PYCUDA_UNMASKED(double)
#undef __PYCUDA_UNMASKED

__pycuda_fn int
__any(int predicate)
{
    return __any_sync(__activemask(), predicate);
}
__pycuda_fn int
__all(int predicate)
{
    return __all_sync(__activemask(), predicate);
}
__pycuda_fn unsigned int
__ballot(int predicate)
{
    return __ballot_sync(__activemask(), predicate);
}
}
