/* memcpy_async.h - collective copies of a group, and waiting for them.
 *
 * memcpy_async copies before it returns, and each thread of the group copies a
 * part. wait() is a barrier of the group.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
#include "../cooperative_groups.h"
#include "../cuda/group_copy.h"

namespace cooperative_groups
{

/* True for groups whose threads have access to one block's shared memory. */
template <class Group>
constexpr bool __pycuda_copies = __is_same(Group, thread_block) ||
                                 __is_same(Group, coalesced_group);
template <unsigned int Size, class Parent>
constexpr bool __pycuda_copies<thread_block_tile<Size, Parent>> = true;
#define __PYCUDA_CHECK_COPIES(GROUP)                                          \
    static_assert(__pycuda_copies<GROUP>,                                     \
                  "memcpy_async is for blocks, tiles and coalesced groups")

/* memcpy_async with a size in bytes. `bytes` may have any type that converts
 * to size_t. */
template <class Group, class T, class S, class Bytes>
__device__ inline void
memcpy_async(const Group &group, T *to, const S *from, const Bytes &bytes)
{
    __PYCUDA_CHECK_COPIES(Group);
    __pycuda_copy(group, to, from, (size_t)bytes);
}
/* memcpy_async with the numbers of elements of the target (`room`) and of the
 * source (`count`); copies the smaller number of elements. */
template <class Group, class T, class Count, class Limit>
__device__ inline void
memcpy_async(const Group &group, T *to, const Count &room, const T *from,
             const Limit &count)
{
    __PYCUDA_CHECK_COPIES(Group);
    size_t least = (size_t)room < (size_t)count ? (size_t)room : (size_t)count;
    __pycuda_copy(group, to, from, least * sizeof(T));
}
#undef __PYCUDA_CHECK_COPIES
template <class Group>
__device__ inline void
wait(const Group &group)
{
    group.sync();
}
template <unsigned int Stages, class Group>
__device__ inline void
wait_prior(const Group &group)
{
    group.sync();
}
} // namespace cooperative_groups
}
