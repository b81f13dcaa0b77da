/* iterator_adaptors.h - reverse, move and insert iterators of <iterator>.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <type_traits>

extern "C++" {
namespace std
{

template <class Category, class T, class Difference = ptrdiff_t,
          class Pointer = T *, class Reference = T &>
struct iterator {
    using iterator_category = Category;
    using value_type = T;
    using difference_type = Difference;
    using pointer = Pointer;
    using reference = Reference;
};

/* Constructors of an iterator that holds another one, `at`. */
#define __PYCUDA_HOLDS(SELF)                                                  \
    __host__ __device__ constexpr SELF() : at()                               \
    {                                                                         \
    }                                                                         \
    __host__ __device__ constexpr explicit SELF(Iterator other) : at(other)   \
    {                                                                         \
    }                                                                         \
    template <class U,                                                        \
              class = enable_if_t<!is_same<U, Iterator>::value &&             \
                                  is_convertible<U, Iterator>::value>>        \
    __host__ __device__ constexpr SELF(const SELF<U> &other)                  \
        : at(other.base())                                                    \
    {                                                                         \
    }                                                                         \
    __host__ __device__ constexpr Iterator base() const                       \
    {                                                                         \
        return at;                                                            \
    }
/* Operators that move an iterator that holds another one, `at`. The arguments
 * are the operators that move `at` when this iterator is moved by ++, --, +
 * and -. */
#define __PYCUDA_MOVES(SELF, FORWARD, BACK, PLUS, MINUS)                      \
    __PYCUDA_STD SELF &operator++()                                           \
    {                                                                         \
        FORWARD at;                                                           \
        return *this;                                                         \
    }                                                                         \
    __PYCUDA_STD SELF &operator--()                                           \
    {                                                                         \
        BACK at;                                                              \
        return *this;                                                         \
    }                                                                         \
    __PYCUDA_STD SELF operator++(int)                                         \
    {                                                                         \
        SELF old = *this;                                                     \
        FORWARD at;                                                           \
        return old;                                                           \
    }                                                                         \
    __PYCUDA_STD SELF operator--(int)                                         \
    {                                                                         \
        SELF old = *this;                                                     \
        BACK at;                                                              \
        return old;                                                           \
    }                                                                         \
    __host__ __device__ constexpr SELF operator+(difference_type n) const     \
    {                                                                         \
        return SELF(at PLUS n);                                               \
    }                                                                         \
    __host__ __device__ constexpr SELF operator-(difference_type n) const     \
    {                                                                         \
        return SELF(at MINUS n);                                              \
    }                                                                         \
    __PYCUDA_STD SELF &operator+=(difference_type n)                          \
    {                                                                         \
        at PLUS## = n;                                                        \
        return *this;                                                         \
    }                                                                         \
    __PYCUDA_STD SELF &operator-=(difference_type n)                          \
    {                                                                         \
        at MINUS## = n;                                                       \
        return *this;                                                         \
    }
/* One comparison operator of two iterators, which compares the iterators that
 * they hold. */
#define __PYCUDA_COMPARE(SELF, OPERATOR, LEFT, RIGHT)                         \
    template <class A, class B>                                               \
    __host__ __device__ constexpr bool operator OPERATOR(const SELF<A> &a,    \
                                                         const SELF<B> &b)    \
    {                                                                         \
        return LEFT.base() OPERATOR RIGHT.base();                             \
    }
/* The operator n + iterator, and the function MAKE that returns an iterator of
 * class SELF. */
#define __PYCUDA_MAKES(SELF, MAKE)                                            \
    template <class Iterator>                                                 \
    __host__ __device__ constexpr SELF<Iterator> operator+(                   \
        typename SELF<Iterator>::difference_type n, const SELF<Iterator> &it) \
    {                                                                         \
        return it + n;                                                        \
    }                                                                         \
    template <class Iterator>                                                 \
    __host__ __device__ constexpr SELF<Iterator> MAKE(Iterator it)            \
    {                                                                         \
        return SELF<Iterator>(it);                                            \
    }

template <class Iterator> class reverse_iterator
{
  protected:
    Iterator at;

  public:
    using current = Iterator;
    using iterator_type = Iterator;
    using iterator_category =
        typename iterator_traits<Iterator>::iterator_category;
    using value_type = typename iterator_traits<Iterator>::value_type;
    using difference_type =
        typename iterator_traits<Iterator>::difference_type;
    using pointer = typename iterator_traits<Iterator>::pointer;
    using reference = typename iterator_traits<Iterator>::reference;

    __PYCUDA_HOLDS(reverse_iterator)
    __PYCUDA_STD reference
    operator*() const
    {
        Iterator previous = at;
        return *--previous;
    }
    __PYCUDA_STD auto
    operator->() const -> decltype(std::addressof(*declval<Iterator &>()))
    {
        return std::addressof(**this);
    }
    __PYCUDA_STD reference
    operator[](difference_type n) const
    {
        return at[-n - 1];
    }
    __PYCUDA_MOVES(reverse_iterator, --, ++, -, +)
};
__PYCUDA_COMPARE(reverse_iterator, ==, a, b)
__PYCUDA_COMPARE(reverse_iterator, !=, a, b)
__PYCUDA_COMPARE(reverse_iterator, <, b, a)
__PYCUDA_COMPARE(reverse_iterator, >, b, a)
__PYCUDA_COMPARE(reverse_iterator, <=, b, a)
__PYCUDA_COMPARE(reverse_iterator, >=, b, a)
template <class A, class B>
__host__ __device__ constexpr auto
operator-(const reverse_iterator<A> &a, const reverse_iterator<B> &b)
    -> decltype(b.base() - a.base())
{
    return b.base() - a.base();
}
__PYCUDA_MAKES(reverse_iterator, make_reverse_iterator)

/* An iterator whose elements are moved from. */
template <class Iterator> class move_iterator
{
    Iterator at;

  public:
    using iterator_type = Iterator;
    using iterator_category =
        typename iterator_traits<Iterator>::iterator_category;
    using value_type = typename iterator_traits<Iterator>::value_type;
    using difference_type =
        typename iterator_traits<Iterator>::difference_type;
    using pointer = Iterator;
    using reference = conditional_t<
        is_reference<typename iterator_traits<Iterator>::reference>::value,
        remove_reference_t<typename iterator_traits<Iterator>::reference> &&,
        typename iterator_traits<Iterator>::reference>;

    __PYCUDA_HOLDS(move_iterator)
    __host__ __device__ constexpr reference
    operator*() const
    {
        return static_cast<reference>(*at);
    }
    __host__ __device__ constexpr pointer
    operator->() const
    {
        return at;
    }
    __host__ __device__ constexpr reference
    operator[](difference_type n) const
    {
        return static_cast<reference>(at[n]);
    }
    __PYCUDA_MOVES(move_iterator, ++, --, +, -)
};
__PYCUDA_COMPARE(move_iterator, ==, a, b)
__PYCUDA_COMPARE(move_iterator, !=, a, b)
__PYCUDA_COMPARE(move_iterator, <, a, b)
__PYCUDA_COMPARE(move_iterator, >, a, b)
__PYCUDA_COMPARE(move_iterator, <=, a, b)
__PYCUDA_COMPARE(move_iterator, >=, a, b)
template <class A, class B>
__host__ __device__ constexpr auto
operator-(const move_iterator<A> &a, const move_iterator<B> &b)
    -> decltype(a.base() - b.base())
{
    return a.base() - b.base();
}
__PYCUDA_MAKES(move_iterator, make_move_iterator)
#undef __PYCUDA_HOLDS
#undef __PYCUDA_MAKES
#undef __PYCUDA_MOVES
#undef __PYCUDA_COMPARE

/* Output iterators that add each assigned value to a container. */
#define __PYCUDA_INSERTER(NAME, CALL)                                         \
    template <class Container> class NAME                                     \
    {                                                                         \
      protected:                                                              \
        Container *container;                                                 \
                                                                              \
      public:                                                                 \
        using iterator_category = output_iterator_tag;                        \
        using value_type = void;                                              \
        using difference_type = ptrdiff_t;                                    \
        using pointer = void;                                                 \
        using reference = void;                                               \
        using container_type = Container;                                     \
        __host__ __device__ constexpr explicit NAME(Container &c)             \
            : container(std::addressof(c))                                    \
        {                                                                     \
        }                                                                     \
        __PYCUDA_STD NAME &                                                   \
        operator=(const typename Container::value_type &value)                \
        {                                                                     \
            container->CALL(value);                                           \
            return *this;                                                     \
        }                                                                     \
        __PYCUDA_STD NAME &operator=(typename Container::value_type &&value)  \
        {                                                                     \
            container->CALL(                                                  \
                static_cast<typename Container::value_type &&>(value));       \
            return *this;                                                     \
        }                                                                     \
        __PYCUDA_STD NAME &operator*()                                        \
        {                                                                     \
            return *this;                                                     \
        }                                                                     \
        __PYCUDA_STD NAME &operator++()                                       \
        {                                                                     \
            return *this;                                                     \
        }                                                                     \
        __PYCUDA_STD NAME operator++(int)                                     \
        {                                                                     \
            return *this;                                                     \
        }                                                                     \
    };
__PYCUDA_INSERTER(back_insert_iterator, push_back)
__PYCUDA_INSERTER(front_insert_iterator, push_front)
#undef __PYCUDA_INSERTER
template <class Container>
__host__ __device__ constexpr back_insert_iterator<Container>
back_inserter(Container &container)
{
    return back_insert_iterator<Container>(container);
}
template <class Container>
__host__ __device__ constexpr front_insert_iterator<Container>
front_inserter(Container &container)
{
    return front_insert_iterator<Container>(container);
}
template <class Container> class insert_iterator
{
  protected:
    Container *container;
    typename Container::iterator iter;

  public:
    using iterator_category = output_iterator_tag;
    using value_type = void;
    using difference_type = ptrdiff_t;
    using pointer = void;
    using reference = void;
    using container_type = Container;
    __host__ __device__ constexpr insert_iterator(
        Container &c, typename Container::iterator at)
        : container(std::addressof(c)), iter(at)
    {
    }
    __PYCUDA_STD insert_iterator &
    operator=(const typename Container::value_type &value)
    {
        iter = container->insert(iter, value);
        ++iter;
        return *this;
    }
    __PYCUDA_STD insert_iterator &
    operator*()
    {
        return *this;
    }
    __PYCUDA_STD insert_iterator &
    operator++()
    {
        return *this;
    }
    __PYCUDA_STD insert_iterator &
    operator++(int)
    {
        return *this;
    }
};
template <class Container>
__host__ __device__ constexpr insert_iterator<Container>
inserter(Container &container, typename Container::iterator at)
{
    return insert_iterator<Container>(container, at);
}
} // namespace std
}
