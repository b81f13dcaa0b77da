/* optional_storage.h - the value of an optional, and copies and moves of it.
 *
 * An optional of a trivially copyable type is trivially copyable.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "host_headers.h"

extern "C++" {
namespace std
{

/* Selects the constructor that makes the value from arguments. */
struct __pycuda_in_place {
};

/* Storage of an optional: a value, or nothing. This form is for types that are
 * not trivial, and destroys the value. */
template <class T, bool Trivial> struct __pycuda_optional_value {
    union {
        char none;
        remove_const_t<T> held;
    };
    bool some;

    __host__ __device__ constexpr __pycuda_optional_value()
        : none(), some(false)
    {
    }
    template <class... A>
    __host__ __device__ constexpr explicit __pycuda_optional_value(
        __pycuda_in_place, A &&...arguments)
        : held(static_cast<A &&>(arguments)...), some(true)
    {
    }
    __host__ __device__ ~__pycuda_optional_value()
    {
        if (some) {
            held.~T();
        }
    }
};
template <class T> struct __pycuda_optional_value<T, true> {
    union {
        char none;
        remove_const_t<T> held;
    };
    bool some;

    __host__ __device__ constexpr __pycuda_optional_value()
        : none(), some(false)
    {
    }
    template <class... A>
    __host__ __device__ constexpr explicit __pycuda_optional_value(
        __pycuda_in_place, A &&...arguments)
        : held(static_cast<A &&>(arguments)...), some(true)
    {
    }
};

template <class T>
struct __pycuda_optional_base
    : __pycuda_optional_value<T, is_trivially_destructible<T>::value> {
    using __pycuda_optional_value<
        T, is_trivially_destructible<T>::value>::__pycuda_optional_value;

    template <class... A>
    __host__ __device__ void
    make(A &&...arguments)
    {
        ::new ((void *)std::addressof(this->held))
            T(static_cast<A &&>(arguments)...);
        this->some = true;
    }
    __host__ __device__ constexpr void
    clear()
    {
        if (this->some) {
            this->some = false;
            this->held.~T();
        }
    }
    /* Takes over the state of another optional; `Other` is its base class,
     * const for a copy. */
    template <class U, class Other>
    __host__ __device__ void
    assign(Other &&other)
    {
        if (this->some && other.some) {
            this->held = static_cast<U>(other.held);
        } else if (other.some) {
            make(static_cast<U>(other.held));
        } else {
            clear();
        }
    }
};

template <class T, bool Trivial>
struct __pycuda_optional_copies : __pycuda_optional_base<T> {
    using base = __pycuda_optional_base<T>;
    using base::base;

    constexpr __pycuda_optional_copies() = default;
    __host__ __device__
    __pycuda_optional_copies(const __pycuda_optional_copies &other)
        : base()
    {
        if (other.some) {
            this->make(static_cast<const T &>(other.held));
        }
    }
    __host__ __device__
    __pycuda_optional_copies(__pycuda_optional_copies &&other) noexcept(
        is_nothrow_move_constructible<T>::value)
        : base()
    {
        if (other.some) {
            this->make(static_cast<T &&>(other.held));
        }
    }
    __host__ __device__ __pycuda_optional_copies &
    operator=(const __pycuda_optional_copies &other)
    {
        this->template assign<const T &>(other);
        return *this;
    }
    __host__ __device__ __pycuda_optional_copies &
    operator=(__pycuda_optional_copies &&other) noexcept(
        is_nothrow_move_constructible<T>::value
            &&is_nothrow_move_assignable<T>::value)
    {
        this->template assign<T &&>(other);
        return *this;
    }
};
template <class T>
struct __pycuda_optional_copies<T, true> : __pycuda_optional_base<T> {
    using __pycuda_optional_base<T>::__pycuda_optional_base;
};

/* Deletes the constructors that the type of the value does not have. */
template <bool Copies, bool Moves> struct __pycuda_optional_constructs {
};
template <> struct __pycuda_optional_constructs<false, true> {
    __pycuda_optional_constructs() = default;
    __pycuda_optional_constructs(const __pycuda_optional_constructs &) =
        delete;
    __pycuda_optional_constructs(__pycuda_optional_constructs &&) = default;
    __pycuda_optional_constructs &
    operator=(const __pycuda_optional_constructs &) = default;
    __pycuda_optional_constructs &
    operator=(__pycuda_optional_constructs &&) = default;
};
template <> struct __pycuda_optional_constructs<false, false> {
    __pycuda_optional_constructs() = default;
    __pycuda_optional_constructs(const __pycuda_optional_constructs &) =
        delete;
    __pycuda_optional_constructs &
    operator=(const __pycuda_optional_constructs &) = default;
};
template <bool Copies, bool Moves> struct __pycuda_optional_assigns {
};
template <> struct __pycuda_optional_assigns<false, true> {
    __pycuda_optional_assigns() = default;
    __pycuda_optional_assigns(const __pycuda_optional_assigns &) = default;
    __pycuda_optional_assigns(__pycuda_optional_assigns &&) = default;
    __pycuda_optional_assigns &
    operator=(const __pycuda_optional_assigns &) = delete;
    __pycuda_optional_assigns &
    operator=(__pycuda_optional_assigns &&) = default;
};
template <> struct __pycuda_optional_assigns<false, false> {
    __pycuda_optional_assigns() = default;
    __pycuda_optional_assigns(const __pycuda_optional_assigns &) = default;
    __pycuda_optional_assigns &
    operator=(const __pycuda_optional_assigns &) = delete;
};

} // namespace std
}
