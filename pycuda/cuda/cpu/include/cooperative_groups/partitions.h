/* partitions.h - partitions of groups into smaller groups.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "thread_group.h"

extern "C++" {
namespace cooperative_groups
{

/* ---- partitions of a size that the compiler knows ---- */

template <unsigned int Size>
__device__ inline thread_block_tile<Size, thread_block>
tiled_partition(const thread_block &)
{
    return thread_block_tile<Size, thread_block>(__pycuda_made());
}
template <unsigned int Size, unsigned int ParentSize, class Parent>
__device__ inline thread_block_tile<Size,
                                    thread_block_tile<ParentSize, Parent>>
tiled_partition(const thread_block_tile<ParentSize, Parent> &)
{
    static_assert(Size < ParentSize, "a tile is a part of its parent");
    return thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>(
        __pycuda_made());
}

/* ---- partitions of a size that is known at run time ---- */

/* Stops the kernel, as a GPU does, unless `size` is a valid tile size of a
 * warp. */
__device__ inline void
__pycuda_check_tile_size(unsigned int size)
{
    if (size == 0 || size > 32 || (size & (size - 1)) != 0) {
        __trap();
    }
}
/* Divides the `count` lanes of `mask`, in the order of their ranks, into
 * groups of `size`, and returns the group that contains rank `rank`. */
__device__ inline coalesced_group
__pycuda_rows(unsigned int mask, unsigned int rank, unsigned int count,
              unsigned int size)
{
    unsigned int members = 0;
    __pycuda_check_tile_size(size);
    for (unsigned int i = rank / size * size, end = i + size;
         i < end && i < count; i++) {
        members |= 1u << __fns(mask, 0, (int)i + 1);
    }
    return coalesced_group(__pycuda_made(), members, rank / size,
                           (count + size - 1) / size);
}
__device__ inline coalesced_group
tiled_partition(const coalesced_group &parent, unsigned int size)
{
    return __pycuda_rows(parent.__mask(), parent.thread_rank(), parent.size(),
                         size);
}
__device__ inline thread_group
tiled_partition(const thread_block &, unsigned int size)
{
    __pycuda_check_tile_size(size);
    unsigned int first = __pycuda_linear() / size * size % 32;
    return coalesced_group(__pycuda_made(),
                           (unsigned int)(((1ul << size) - 1) << first));
}
/* Partitions of a grid or a cluster are tiles of the block, as on a GPU. */
__device__ inline thread_group
tiled_partition(const thread_group &parent, unsigned int size)
{
    if (parent.get_type() == __PYCUDA_GROUP_COALESCED) {
        return tiled_partition(
            coalesced_group(__pycuda_made(), parent.__mask()), size);
    }
    return tiled_partition(this_thread_block(), size);
}

/* ---- groups of the threads that give the same value ---- */

/* Groups lanes of `mask` that have the same label; groups are numbered in the
 * order of their first lanes. */
template <class Label>
__device__ inline coalesced_group
__pycuda_labeled(unsigned int mask, Label label)
{
    static_assert(__is_integral(Label) || __is_pointer(Label),
                  "a label of labeled_partition is an integer or a pointer");
    unsigned int mine = __match_any_sync(mask, (long long)label);
    bool first = __ffs((int)mine) - 1 == (int)(__pycuda_linear() % 32);
    unsigned int leaders = __ballot_sync(mask, first);
    unsigned int before = leaders & ((mine & (0u - mine)) - 1);
    return coalesced_group(__pycuda_made(), mine, (unsigned int)__popc(before),
                           (unsigned int)__popc(leaders));
}
__device__ inline coalesced_group
__pycuda_binary(unsigned int mask, bool predicate)
{
    unsigned int yes = __ballot_sync(mask, predicate);
    unsigned int no = __ballot_sync(mask, !predicate);
    return coalesced_group(__pycuda_made(), predicate ? yes : no,
                           predicate ? 0u : 1u, 2u);
}
template <class Label>
__device__ inline coalesced_group
labeled_partition(const coalesced_group &parent, Label label)
{
    return __pycuda_labeled(parent.__mask(), label);
}
template <unsigned int Size, class Parent, class Label>
__device__ inline coalesced_group
labeled_partition(const thread_block_tile<Size, Parent> &parent, Label label)
{
    return __pycuda_labeled(parent.__mask(), label);
}
__device__ inline coalesced_group
binary_partition(const coalesced_group &parent, bool predicate)
{
    return __pycuda_binary(parent.__mask(), predicate);
}
template <unsigned int Size, class Parent>
__device__ inline coalesced_group
binary_partition(const thread_block_tile<Size, Parent> &parent, bool predicate)
{
    return __pycuda_binary(parent.__mask(), predicate);
}

} // namespace cooperative_groups
}
