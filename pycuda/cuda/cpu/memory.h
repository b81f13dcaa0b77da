/* memory.h - device malloc, memcpy, cached loads and stores, address spaces.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#pragma clang system_header

extern "C" {
__host__ __device__ void *memcpy(void *to, const void *from, size_t bytes);
__host__ __device__ void *memset(void *to, int byte, size_t bytes);
}

__pycuda_fn void *
malloc(size_t bytes)
{
    return __pycuda_malloc(bytes);
}
__pycuda_fn void
free(void *pointer)
{
    __pycuda_free(pointer);
}
__pycuda_fn void *
__nv_aligned_device_malloc(size_t bytes, size_t alignment)
{
    return __pycuda_malloc_aligned(bytes, alignment);
}
/* Functions that `new` and `delete` call. */
__device__ inline void *
operator new(size_t bytes)
{
    return __pycuda_malloc(bytes);
}
__device__ inline void *
operator new[](size_t bytes)
{
    return __pycuda_malloc(bytes);
}
__device__ inline void *
operator new(size_t, void *at_address) noexcept
{
    return at_address;
}
__device__ inline void *
operator new[](size_t, void *at_address) noexcept
{
    return at_address;
}
__device__ inline void
operator delete(void *pointer) noexcept
{
    __pycuda_free(pointer);
}
__device__ inline void
operator delete[](void *pointer) noexcept
{
    __pycuda_free(pointer);
}
__device__ inline void
operator delete(void *pointer, size_t) noexcept
{
    __pycuda_free(pointer);
}
__device__ inline void
operator delete[](void *pointer, size_t) noexcept
{
    __pycuda_free(pointer);
}

/* operator new and delete for types with an alignment above 16 bytes. */
namespace std
{
enum class align_val_t : size_t {};
}
__device__ inline void *
operator new(size_t bytes, std::align_val_t alignment)
{
    return __pycuda_malloc_aligned(bytes, (size_t)alignment);
}
__device__ inline void *
operator new[](size_t bytes, std::align_val_t alignment)
{
    return __pycuda_malloc_aligned(bytes, (size_t)alignment);
}
__device__ inline void
operator delete(void *pointer, std::align_val_t) noexcept
{
    __pycuda_free(pointer);
}
__device__ inline void
operator delete[](void *pointer, std::align_val_t) noexcept
{
    __pycuda_free(pointer);
}
__device__ inline void
operator delete(void *pointer, size_t, std::align_val_t) noexcept
{
    __pycuda_free(pointer);
}
__device__ inline void
operator delete[](void *pointer, size_t, std::align_val_t) noexcept
{
    __pycuda_free(pointer);
}

/* Variadic arguments are stored in a buffer (src/jit/retarget/variadic.c),
 * each at its natural alignment. */
typedef char *va_list;
extern "C" __device__ va_list __pycuda_variadic(void);
#define va_start(list, last) ((void)((list) = __pycuda_variadic()))
#define va_copy(to, from)    ((void)((to) = (from)))
#define va_end(list)         ((void)(list))
#define va_arg(list, ...)    __pycuda_next_argument<__VA_ARGS__>(list)
template <class T>
__pycuda_template_fn T
__pycuda_next_argument(va_list &list)
{
    size_t step = alignof(T);
    size_t at_address = ((size_t)list + step - 1) / step * step;

    list = (va_list)(at_address + sizeof(T));
    return *(T *)at_address;
}

/* Loads with a GPU's cache hints, which the CPU device ignores. CUDA has them
 * for vectors of 2 and 4 elements, but not of 1 and 3. */
#define __PYCUDA_LOAD(NAME)                                                   \
    template <class T>                                                        \
    __pycuda_template_fn T NAME(const T *address)                             \
    {                                                                         \
        static_assert(__pycuda_vector<T>::channels != 3,                      \
                      #NAME " has no vectors of three");                      \
        return *address;                                                      \
    }
__PYCUDA_LOAD(__ldg)
__PYCUDA_LOAD(__ldca)
__PYCUDA_LOAD(__ldcg)
__PYCUDA_LOAD(__ldcs)
__PYCUDA_LOAD(__ldlu)
__PYCUDA_LOAD(__ldcv)
#undef __PYCUDA_LOAD

/* A parameter of type __pycuda_same<T>::type takes no part in the deduction of
 * T: in a store, the type of the pointer alone determines T. */
template <class T> struct __pycuda_same {
    typedef T type;
};
#define __PYCUDA_NO_STORE(NAME)                                               \
    template <class T>                                                        \
    __pycuda_template_fn void NAME(                                           \
        const T *address, typename __pycuda_same<T>::type value) = delete;
#define __PYCUDA_STORE(NAME)                                                  \
    __PYCUDA_NO_STORE(NAME)                                                   \
    template <class T>                                                        \
    __pycuda_template_fn void NAME(                                           \
        T *address, typename __pycuda_same<T>::type value)                    \
    {                                                                         \
        *address = value;                                                     \
    }
__PYCUDA_STORE(__stwb)
__PYCUDA_STORE(__stcg)
__PYCUDA_STORE(__stwt)
#undef __PYCUDA_STORE

__PYCUDA_NO_STORE(__stcs)
#undef __PYCUDA_NO_STORE
/* Vectors of 16 bytes bypass the caches. */
template <class T>
__pycuda_template_fn void
__stcs(T *address, typename __pycuda_same<T>::type value)
{
    typedef unsigned int words
        __attribute__((ext_vector_type(4), may_alias));

    if (sizeof(T) == sizeof(words) && __alignof__(T) == sizeof(words)) {
        words bits = {};
        __builtin_memcpy(&bits, &value, sizeof value);
        __builtin_nontemporal_store(bits, (words *)address);
    } else {
        *address = value;
    }
}

/* An address in the shared state space is an offset in the memory of the
 * block's shared variables; all others equal generic addresses. */
#define __PYCUDA_CVTA(SPACE)                                                  \
    __pycuda_fn size_t __cvta_generic_to_##SPACE(const void *pointer)         \
    {                                                                         \
        return (size_t)pointer;                                               \
    }                                                                         \
    __pycuda_fn void *__cvta_##SPACE##_to_generic(size_t address)             \
    {                                                                         \
        return (void *)address;                                               \
    }
__PYCUDA_CVTA(global)
__PYCUDA_CVTA(constant)
__PYCUDA_CVTA(local)
__PYCUDA_CVTA(grid_constant)
#undef __PYCUDA_CVTA
__pycuda_fn size_t
__cvta_generic_to_shared(const void *pointer)
{
    return (size_t)((const char *)pointer - __pycuda_shared_window());
}
__pycuda_fn void *
__cvta_shared_to_generic(size_t address)
{
    return (void *)(__pycuda_shared_window() + address);
}

#define __PYCUDA_IS(NAME, SPACE)                                              \
    __pycuda_fn unsigned int NAME(const void *pointer)                        \
    {                                                                         \
        return __pycuda_space(pointer) == __PYCUDA_SPACE_##SPACE;             \
    }
__PYCUDA_IS(__isShared, SHARED)
__PYCUDA_IS(__isCtaShared, SHARED)
__PYCUDA_IS(__isClusterShared, SHARED)
__PYCUDA_IS(__isConstant, CONSTANT)
__PYCUDA_IS(__isLocal, LOCAL)
__PYCUDA_IS(__isGridConstant, PARAMETER)
#undef __PYCUDA_IS
/* The address of a kernel parameter counts as global, as in PTX. */
__pycuda_fn unsigned int
__isGlobal(const void *pointer)
{
    int space = __pycuda_space(pointer);
    return space == __PYCUDA_SPACE_GLOBAL || space == __PYCUDA_SPACE_PARAMETER;
}

/* Shared memory for a type with a nontrivial constructor, which is not run;
 * src/cpu/nvrtc/rewrite.c writes this union in place of `__shared__`. `align`
 * is the alignment that the variable's declaration requests. */
template <class T> union __pycuda_raw {
    T value;
    __device__ __pycuda_raw() {}
    __device__ ~__pycuda_raw() {}
};
template <class Place, size_t align> struct __pycuda_shared_place {
    template <class T> __device__ __forceinline__ operator T &() const
    {
        alignas(align > alignof(T) ? align : alignof(T)) static __shared__
            __pycuda_raw<T> raw;
        return raw.value;
    }
};

/* Types that the front end (src/cpu/nvrtc) writes into a source.
 * __pycuda_dynamic_place replaces an `extern __shared__` variable that the
 * source declares twice, with different linkage. __pycuda_null replaces a
 * literal 0 in a comparison with a pointer. */
struct __pycuda_dynamic_place {
    template <class T> __device__ __forceinline__ operator T &() const
    {
        extern __shared__ double2 __pycuda_dynamic[];
        return reinterpret_cast<T &>(__pycuda_dynamic);
    }
};
struct __pycuda_null {
    template <class T> __host__ __device__ operator T *() const
    {
        return nullptr;
    }
};

/* If a jump bypasses an initialisation, the initialisation is rewritten as an
 * assignment. __pycuda_is_assigned tells whether the assignment has the same
 * effect. __pycuda_value takes one value, so that an initialiser list with
 * several elements is refused. */
template <class T> __device__ T __pycuda_value(const T &value);
template <class T, class Value>
constexpr bool __pycuda_is_assigned =
    __is_scalar(T) ? __is_scalar(Value) : false;
template <class T>
constexpr bool __pycuda_is_assigned<T, T> = __is_trivially_copyable(T);
