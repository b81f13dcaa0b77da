/* memory_unique_ptr.h - std::unique_ptr of objects and of arrays.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "hash.h"
#include <cstddef>
#include <type_traits>
#include <utility>

extern "C++" {
namespace std
{

template <class T> struct default_delete {
    constexpr default_delete() noexcept = default;
    template <class U, class = enable_if_t<is_convertible<U *, T *>::value>>
    __host__ __device__ constexpr default_delete(
        const default_delete<U> &) noexcept
    {
    }
    __host__ __device__ void
    operator()(T *object) const
    {
        static_assert(sizeof(T) > 0, "default_delete: an incomplete type");
        delete object;
    }
};
template <class T> struct default_delete<T[]> {
    constexpr default_delete() noexcept = default;
    template <class U>
    __host__ __device__ enable_if_t<is_convertible<U (*)[], T (*)[]>::value>
    operator()(U *objects) const
    {
        delete[] objects;
    }
};

template <class T, class D, class = void>
struct __pycuda_owned : type_identity<T *> {
};
template <class T, class D>
struct __pycuda_owned<T, D,
                      void_t<typename remove_reference<D>::type::pointer>>
    : type_identity<typename remove_reference<D>::type::pointer> {
};
/* The parts that unique_ptr of an object and of an array have in common. */
template <class T, class D> class __pycuda_owner_of
{
  public:
    using element_type = T;
    using deleter_type = D;
    using pointer = typename __pycuda_owned<T, D>::type;

  protected:
    pointer owned;
    D deleter;

  public:
    __host__ __device__ constexpr __pycuda_owner_of() : owned(), deleter()
    {
    }
    __host__ __device__ explicit __pycuda_owner_of(pointer p)
        : owned(p), deleter()
    {
    }
    template <class E>
    __host__ __device__ __pycuda_owner_of(pointer p, E &&d)
        : owned(p), deleter(static_cast<E &&>(d))
    {
    }
    __host__ __device__ ~__pycuda_owner_of()
    {
        reset();
    }
    __pycuda_owner_of(const __pycuda_owner_of &) = delete;
    __pycuda_owner_of &operator=(const __pycuda_owner_of &) = delete;
    __host__ __device__ __pycuda_owner_of(__pycuda_owner_of &&other) noexcept
        : owned(other.release()), deleter(static_cast<D &&>(other.deleter))
    {
    }
    __host__ __device__ __pycuda_owner_of &
    operator=(__pycuda_owner_of &&other) noexcept
    {
        reset(other.release());
        deleter = static_cast<D &&>(other.deleter);
        return *this;
    }
    __host__ __device__ void
    swap(__pycuda_owner_of &other) noexcept
    {
        std::swap(owned, other.owned);
        std::swap(deleter, other.deleter);
    }

    __host__ __device__ pointer
    release() noexcept
    {
        pointer old = owned;
        owned = pointer();
        return old;
    }
    __host__ __device__ void
    reset(pointer p = pointer()) noexcept
    {
        pointer old = owned;
        owned = p;
        if (old != pointer()) {
            deleter(old);
        }
    }
    __host__ __device__ pointer
    get() const noexcept
    {
        return owned;
    }
    __host__ __device__ D &
    get_deleter() noexcept
    {
        return deleter;
    }
    __host__ __device__ const D &
    get_deleter() const noexcept
    {
        return deleter;
    }
    __host__ __device__ explicit
    operator bool() const noexcept
    {
        return owned != pointer();
    }
};

template <class T, class D = default_delete<T>>
class unique_ptr : public __pycuda_owner_of<T, D>
{
    using base = __pycuda_owner_of<T, D>;

  public:
    using typename base::pointer;
    using base::base;
    constexpr unique_ptr() = default;
    __host__ __device__ constexpr unique_ptr(nullptr_t) noexcept
    {
    }
    unique_ptr(unique_ptr &&) = default;
    template <class U, class E,
              class = enable_if_t<
                  !is_array<U>::value &&
                  is_convertible<typename unique_ptr<U, E>::pointer,
                                 pointer>::value &&
                  is_convertible<E, D>::value>>
    __host__ __device__ unique_ptr(unique_ptr<U, E> &&other) noexcept
        : base(other.release(), static_cast<E &&>(other.get_deleter()))
    {
    }
    unique_ptr &operator=(unique_ptr &&) = default;
    template <class U, class E,
              class = enable_if_t<
                  !is_array<U>::value &&
                  is_convertible<typename unique_ptr<U, E>::pointer,
                                 pointer>::value>>
    __host__ __device__ unique_ptr &
    operator=(unique_ptr<U, E> &&other) noexcept
    {
        this->reset(other.release());
        this->deleter = static_cast<E &&>(other.get_deleter());
        return *this;
    }
    __host__ __device__ unique_ptr &
    operator=(nullptr_t) noexcept
    {
        this->reset();
        return *this;
    }
    __host__ __device__ typename add_lvalue_reference<T>::type
    operator*() const
    {
        return *this->owned;
    }
    __host__ __device__ pointer
    operator->() const noexcept
    {
        return this->owned;
    }
};
template <class T, class D>
class unique_ptr<T[], D> : public __pycuda_owner_of<T, D>
{
    using base = __pycuda_owner_of<T, D>;

  public:
    using typename base::pointer;
    using base::base;
    constexpr unique_ptr() = default;
    __host__ __device__ constexpr unique_ptr(nullptr_t) noexcept
    {
    }
    unique_ptr(unique_ptr &&) = default;
    unique_ptr &operator=(unique_ptr &&) = default;
    __host__ __device__ unique_ptr &
    operator=(nullptr_t) noexcept
    {
        this->reset();
        return *this;
    }
    __host__ __device__ T &
    operator[](size_t i) const
    {
        return this->owned[i];
    }
};
template <class T, class D>
__host__ __device__ void
swap(unique_ptr<T, D> &a, unique_ptr<T, D> &b) noexcept
{
    a.swap(b);
}
#define __PYCUDA_COMPARE(OPERATOR)                                            \
    template <class T, class D, class U, class E>                             \
    __host__ __device__ bool operator OPERATOR(const unique_ptr<T, D> &a,     \
                                               const unique_ptr<U, E> &b)     \
    {                                                                         \
        return a.get() OPERATOR b.get();                                      \
    }
__PYCUDA_COMPARE(==)
__PYCUDA_COMPARE(!=)
__PYCUDA_COMPARE(<)
__PYCUDA_COMPARE(>)
__PYCUDA_COMPARE(<=)
__PYCUDA_COMPARE(>=)
#undef __PYCUDA_COMPARE
#define __PYCUDA_COMPARE(OPERATOR, RESULT)                                    \
    template <class T, class D>                                               \
    __host__ __device__ bool operator OPERATOR(const unique_ptr<T, D> &a,     \
                                               nullptr_t) noexcept            \
    {                                                                         \
        return RESULT;                                                        \
    }                                                                         \
    template <class T, class D>                                               \
    __host__ __device__ bool operator OPERATOR(                               \
        nullptr_t, const unique_ptr<T, D> &a) noexcept                        \
    {                                                                         \
        return RESULT;                                                        \
    }
__PYCUDA_COMPARE(==, !a)
__PYCUDA_COMPARE(!=, (bool)a)
#undef __PYCUDA_COMPARE
template <class T, class D>
struct hash<unique_ptr<T, D>> : hash<typename unique_ptr<T, D>::pointer> {
    __host__ __device__ size_t
    operator()(const unique_ptr<T, D> &value) const
    {
        return hash<typename unique_ptr<T, D>::pointer>::operator()(
            value.get());
    }
};

#if __cplusplus >= 201402L
template <class T, class... A>
__host__ __device__ enable_if_t<!is_array<T>::value, unique_ptr<T>>
make_unique(A &&...arguments)
{
    return unique_ptr<T>(new T(static_cast<A &&>(arguments)...));
}
template <class T>
__host__ __device__
    enable_if_t<is_array<T>::value && extent<T>::value == 0, unique_ptr<T>>
    make_unique(size_t count)
{
    return unique_ptr<T>(new remove_extent_t<T>[count]());
}
#endif
} // namespace std
}
