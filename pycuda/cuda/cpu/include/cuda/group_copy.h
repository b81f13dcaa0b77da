/* group_copy.h - a copy that the threads of a group divide among themselves.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
template <class T, class Group>
__device__ inline void
__pycuda_copy_units(const Group &group, T *to, const T *from, size_t count)
{
    for (size_t i = group.thread_rank(); i < count; i += group.size()) {
        to[i] = from[i];
    }
}
/* Copies words if both addresses and the length allow it, otherwise bytes. */
template <class Group>
__device__ inline void
__pycuda_copy(const Group &group, void *to, const void *from, size_t bytes)
{
    if (((size_t)to | (size_t)from | bytes) % sizeof(int) == 0) {
        __pycuda_copy_units(group, (int *)to, (const int *)from,
                            bytes / sizeof(int));
    } else {
        __pycuda_copy_units(group, (char *)to, (const char *)from, bytes);
    }
}
}
