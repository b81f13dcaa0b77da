/* memory_allocator.h - std::allocator, which uses the device heap, and
 * allocator_traits.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "memory_storage.h"
#include "pointer_traits.h"

extern "C++" {
namespace std
{

template <class T> struct allocator {
    using value_type = T;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    using propagate_on_container_move_assignment = true_type;
    using is_always_equal = true_type;

    constexpr allocator() noexcept = default;
    template <class U>
    __host__ __device__ constexpr allocator(const allocator<U> &) noexcept
    {
    }
    __host__ __device__ T *
    allocate(size_t count)
    {
        return static_cast<T *>(::operator new(count * sizeof(T)));
    }
    __host__ __device__ void
    deallocate(T *first, size_t)
    {
        ::operator delete((void *)first);
    }
};
template <class T, class S>
__host__ __device__ constexpr bool
operator==(const allocator<T> &, const allocator<S> &) noexcept
{
    return true;
}
template <class T, class S>
__host__ __device__ constexpr bool
operator!=(const allocator<T> &, const allocator<S> &) noexcept
{
    return false;
}

/* A member type of an allocator or, if the allocator lacks it, its default. */
#define __PYCUDA_MEMBER(NAME)                                                 \
    template <class A, class Default, class = void>                           \
    struct __pycuda_##NAME : type_identity<Default> {                         \
    };                                                                        \
    template <class A, class Default>                                         \
    struct __pycuda_##NAME<A, Default, void_t<typename A::NAME>>              \
        : type_identity<typename A::NAME> {                                   \
    };
__PYCUDA_MEMBER(pointer)
__PYCUDA_MEMBER(const_pointer)
__PYCUDA_MEMBER(void_pointer)
__PYCUDA_MEMBER(const_void_pointer)
__PYCUDA_MEMBER(difference_type)
__PYCUDA_MEMBER(size_type)
__PYCUDA_MEMBER(propagate_on_container_copy_assignment)
__PYCUDA_MEMBER(propagate_on_container_move_assignment)
__PYCUDA_MEMBER(propagate_on_container_swap)
__PYCUDA_MEMBER(is_always_equal)
#undef __PYCUDA_MEMBER
template <class A, class T, class = void> struct __pycuda_rebind_alloc {
    using type = typename __pycuda_first_argument<A>::template with<T>;
};
template <class A, class T>
struct __pycuda_rebind_alloc<
    A, T, void_t<typename A::template rebind<T>::other>> {
    using type = typename A::template rebind<T>::other;
};

template <class A> struct allocator_traits {
    using allocator_type = A;
    using value_type = typename A::value_type;
    using pointer = typename __pycuda_pointer<A, value_type *>::type;
    using const_pointer = typename __pycuda_const_pointer<
        A, typename pointer_traits<pointer>::template rebind<
               const value_type>>::type;
    using void_pointer = typename __pycuda_void_pointer<
        A, typename pointer_traits<pointer>::template rebind<void>>::type;
    using const_void_pointer = typename __pycuda_const_void_pointer<
        A,
        typename pointer_traits<pointer>::template rebind<const void>>::type;
    using difference_type = typename __pycuda_difference_type<
        A, typename pointer_traits<pointer>::difference_type>::type;
    using size_type = typename __pycuda_size_type<
        A, typename make_unsigned<difference_type>::type>::type;
    using propagate_on_container_copy_assignment =
        typename __pycuda_propagate_on_container_copy_assignment<
            A, false_type>::type;
    using propagate_on_container_move_assignment =
        typename __pycuda_propagate_on_container_move_assignment<
            A, false_type>::type;
    using propagate_on_container_swap =
        typename __pycuda_propagate_on_container_swap<A, false_type>::type;
    using is_always_equal =
        typename __pycuda_is_always_equal<A, is_empty<A>>::type;
    template <class T>
    using rebind_alloc = typename __pycuda_rebind_alloc<A, T>::type;
    template <class T>
    using rebind_traits = allocator_traits<rebind_alloc<T>>;

  private:
    template <class B, class T, class... V>
    __host__ __device__ static auto
    build(int, B &a, T *at, V &&...values)
        -> decltype(a.construct(at, static_cast<V &&>(values)...))
    {
        return a.construct(at, static_cast<V &&>(values)...);
    }
    template <class B, class T, class... V>
    __host__ __device__ static void
    build(long, B &, T *at, V &&...values)
    {
        std::__pycuda_construct(at, static_cast<V &&>(values)...);
    }
    template <class B, class T>
    __host__ __device__ static auto
    unbuild(int, B &a, T *at) -> decltype(a.destroy(at))
    {
        return a.destroy(at);
    }
    template <class B, class T>
    __host__ __device__ static void
    unbuild(long, B &, T *at)
    {
        at->~T();
    }
    template <class B>
    __host__ __device__ static auto
    limit(int, const B &a) -> decltype((size_type)a.max_size())
    {
        return a.max_size();
    }
    template <class B>
    __host__ __device__ static size_type
    limit(long, const B &)
    {
        return (size_type)-1 / 2 / sizeof(value_type);
    }
    template <class B>
    __host__ __device__ static auto
    selected(int, const B &a)
        -> decltype(a.select_on_container_copy_construction())
    {
        return a.select_on_container_copy_construction();
    }
    template <class B>
    __host__ __device__ static B
    selected(long, const B &a)
    {
        return a;
    }

  public:
    __host__ __device__ static pointer
    allocate(A &a, size_type count)
    {
        return a.allocate(count);
    }
    __host__ __device__ static void
    deallocate(A &a, pointer at, size_type count)
    {
        a.deallocate(at, count);
    }
    template <class T, class... V>
    __host__ __device__ static void
    construct(A &a, T *at, V &&...values)
    {
        build(0, a, at, static_cast<V &&>(values)...);
    }
    template <class T>
    __host__ __device__ static void
    destroy(A &a, T *at)
    {
        unbuild(0, a, at);
    }
    __host__ __device__ static size_type
    max_size(const A &a) noexcept
    {
        return limit(0, a);
    }
    __host__ __device__ static A
    select_on_container_copy_construction(const A &a)
    {
        return selected(0, a);
    }
};
} // namespace std
}
