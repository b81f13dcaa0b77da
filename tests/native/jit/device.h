/* device.h - the CUDA C declarations that the tests of pycuda-jit need.
 *
 * The product's own headers are not used, so that pycuda-jit can be tested
 * alone.
 *
 * SPDX-License-Identifier: MIT */
#define __host__     __attribute__((host))
#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define PURE         __attribute__((const, nothrow))
#define INLINE       static __device__ __inline__ __attribute__((always_inline))

typedef __SIZE_TYPE__ size_t;

extern "C" {
__device__ PURE unsigned __pycuda_tid(int), __pycuda_ctaid(int),
    __pycuda_ntid(int), __pycuda_nctaid(int);
__device__ int __pycuda_barrier(int, int) __attribute__((convergent, nothrow));
__device__ void __pycuda_trap();
__device__ float sinf(float) PURE;
}

#define GEOMETRY(name, call)                                                  \
    struct name {                                                             \
        __declspec(property(get = gx)) unsigned x;                            \
        __declspec(property(get = gy)) unsigned y;                            \
        __declspec(property(get = gz)) unsigned z;                            \
        INLINE unsigned                                                       \
        gx()                                                                  \
        {                                                                     \
            return call(0);                                                   \
        }                                                                     \
        INLINE unsigned                                                       \
        gy()                                                                  \
        {                                                                     \
            return call(1);                                                   \
        }                                                                     \
        INLINE unsigned                                                       \
        gz()                                                                  \
        {                                                                     \
            return call(2);                                                   \
        }                                                                     \
    };
GEOMETRY(tid_t, __pycuda_tid)
GEOMETRY(ctaid_t, __pycuda_ctaid)
GEOMETRY(ntid_t, __pycuda_ntid)
GEOMETRY(nctaid_t, __pycuda_nctaid)
extern const __device__ __attribute__((weak)) tid_t threadIdx;
extern const __device__ __attribute__((weak)) ctaid_t blockIdx;
extern const __device__ __attribute__((weak)) ntid_t blockDim;
extern const __device__ __attribute__((weak)) nctaid_t gridDim;

#define __syncthreads() __pycuda_barrier(0, 0)

INLINE int
atomicAdd(int *p, int v)
{
    return __atomic_fetch_add(p, v, 0);
}

INLINE int
atomicCAS(int *p, int c, int v)
{
    __atomic_compare_exchange_n(p, &c, v, false, 0, 0);
    return c;
}

INLINE int
atomicExch(int *p, int v)
{
    return __atomic_exchange_n(p, v, 0);
}
