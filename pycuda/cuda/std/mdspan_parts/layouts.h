/* layouts.h - layout_right, layout_left and layout_stride of std::mdspan.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "extents.h"

extern "C++" {
namespace std
{

/* Members of a mapping whose strides follow from the extents. */
#define PYCUDA_STD_LAYOUT(NAME, BEGIN, END, STEP)                             \
    struct NAME {                                                             \
        template <class Extents> class mapping                                \
        {                                                                     \
            Extents extents_;                                                 \
                                                                              \
          public:                                                             \
            typedef Extents extents_type;                                     \
            typedef NAME layout_type;                                         \
            typedef typename Extents::index_type index_type;                  \
                                                                              \
            constexpr mapping() = default;                                    \
            __host__ __device__ constexpr mapping(const Extents &e) : extents_(e)   \
            {                                                                 \
            }                                                                 \
            __host__ __device__ constexpr const Extents &extents() const            \
            {                                                                 \
                return extents_;                                              \
            }                                                                 \
            __host__ __device__ constexpr index_type stride(size_t axis) const      \
            {                                                                 \
                index_type step = 1;                                          \
                for (size_t i = BEGIN; i < END; i++) {                        \
                    step *= extents_.extent(i);                               \
                }                                                             \
                return step;                                                  \
            }                                                                 \
            __host__ __device__ constexpr index_type required_span_size() const     \
            {                                                                 \
                index_type total = 1;                                         \
                for (size_t i = 0; i < Extents::rank(); i++) {                \
                    total *= extents_.extent(i);                              \
                }                                                             \
                return total;                                                 \
            }                                                                 \
            template <class... I>                                             \
            __host__ __device__ constexpr index_type operator()(I... indices) const \
            {                                                                 \
                const index_type all[] = {(index_type)indices..., 0};         \
                index_type at = 0;                                            \
                for (size_t n = 0; n < Extents::rank(); n++) {                \
                    size_t i = STEP;                                          \
                    at = at * extents_.extent(i) + all[i];                    \
                }                                                             \
                return at;                                                    \
            }                                                                 \
            static __host__ __device__ constexpr bool is_always_exhaustive()        \
            {                                                                 \
                return true;                                                  \
            }                                                                 \
        };                                                                    \
    };
PYCUDA_STD_LAYOUT(layout_right, axis + 1, Extents::rank(), n)
PYCUDA_STD_LAYOUT(layout_left, 0, axis, Extents::rank() - 1 - n)
#undef PYCUDA_STD_LAYOUT

struct layout_stride {
    template <class Extents> class mapping
    {
        typedef typename Extents::index_type Index;
        Extents extents_;
        Index strides_[Extents::rank() ? Extents::rank() : 1] = {};

      public:
        typedef Extents extents_type;
        typedef layout_stride layout_type;
        typedef Index index_type;

        constexpr mapping() = default;
        template <class S>
        __host__ __device__ constexpr mapping(const Extents &e,
                                        const array<S, Extents::rank()> &steps)
            : extents_(e)
        {
            for (size_t axis = 0; axis < Extents::rank(); axis++) {
                strides_[axis] = (Index)steps[axis];
            }
        }
        __host__ __device__ constexpr const Extents &extents() const
        {
            return extents_;
        }
        __host__ __device__ constexpr Index stride(size_t axis) const
        {
            return strides_[axis];
        }
        __host__ __device__ constexpr Index required_span_size() const
        {
            Index last = 0;
            for (size_t axis = 0; axis < Extents::rank(); axis++) {
                if (extents_.extent(axis) == 0) {
                    return 0;
                }
                last += (extents_.extent(axis) - 1) * strides_[axis];
            }
            return last + 1;
        }
        template <class... I>
        __host__ __device__ constexpr Index operator()(I... indices) const
        {
            const Index all[] = {(Index)indices..., 0};
            Index at = 0;
            for (size_t axis = 0; axis < Extents::rank(); axis++) {
                at += all[axis] * strides_[axis];
            }
            return at;
        }
    };
};

} // namespace std
}
