// Kernels of a generator of pycuda.curandom. State t generates
// elements t, t + T, ... where T is the number of states.
#include <pycuda-random/generators.h>

typedef $state State;
#define THREAD ((size_t)blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS ((size_t)gridDim.x * blockDim.x)

#if $in_turn
// A thread takes a block of states, and first stores some elements of each
// state in private memory: their final positions are so far apart that writes
// there would not stay in the thread's cache.
#define ROWS 32

template <class T, class Make>
__device__ inline void fill(State *states, T *out, size_t n, Make make)
{
    const size_t first = (size_t)blockIdx.x * $block, all = $threads;
    T made[ROWS][$block];
    for (size_t begin = first; begin < n; begin += ROWS * all) {
        const size_t rows = min((size_t)ROWS, (n - begin + all - 1) / all);
        const size_t last = begin + (rows - 1) * all;
        const size_t wide = min((size_t)$block, n - begin);
        const size_t end = min((size_t)$block, n - last);
        for (size_t t = 0; t < wide; t++) {
            const size_t count = t < end ? rows : rows - 1;
#if $copied
            State state = states[first + t], *const s = &state;
#else
            State *const s = states + first + t;
#endif
            for (size_t row = 0; row < count; row++) {
                made[row][t] = make(s, begin + row * all + t);
            }
#if $copied
            states[first + t] = state;
#endif
        }
        for (size_t row = 0; row < rows; row++) {
            const size_t width = row < rows - 1 ? wide : end;
            for (size_t t = 0; t < width; t++) {
                out[begin + row * all + t] = made[row][t];
            }
        }
    }
}
#else
template <class T, class Make>
__device__ inline void fill(State *states, T *out, size_t n, Make make)
{
    State state = states[THREAD];
    for (size_t i = THREAD; i < n; i += THREADS) {
        out[i] = make(&state, i);
    }
    states[THREAD] = state;
}
#endif

#define FILL(NAME, T, MAKE)                                                   \
    extern "C" __global__ void NAME(State *states, T *out, size_t n)          \
    {                                                                         \
        fill(states, out, n, [=](State *s, size_t) { return MAKE; });         \
    }
#define FILL_LOG(NAME, T, REAL, MAKE)                                         \
    extern "C" __global__ void NAME(State *states, T *out, size_t n,          \
                                    REAL mean, REAL stddev)                   \
    {                                                                         \
        fill(states, out, n, [=](State *s, size_t) { return MAKE; });         \
    }
#define FILL_POISSON(NAME, T, LAMBDA)                                         \
    extern "C" __global__ void NAME(State *states, T *out, size_t n,          \
                                    double lambda)                            \
    {                                                                         \
        fill(states, out, n, [=](State *s, size_t i) {                        \
            return (T)curand_poisson(s, LAMBDA);                              \
        });                                                                   \
    }

FILL(uniform_int, unsigned int, (unsigned int)(curand(s) >> $shift))
FILL(uniform_float, float, curand_uniform(s))
FILL(uniform_double, double, curand_uniform_double(s))
FILL(normal_float, float, curand_normal(s))
FILL(normal_double, double, curand_normal_double(s))
FILL_LOG(normal_log_float, float, float, curand_log_normal(s, mean, stddev))
FILL_LOG(normal_log_double, double, double,
         curand_log_normal_double(s, mean, stddev))
FILL_POISSON(poisson_int, unsigned int, lambda)
FILL_POISSON(poisson_inplace_int, unsigned int, (double)out[i])
FILL_POISSON(poisson_inplace_float, float, (double)out[i])
FILL_POISSON(poisson_inplace_double, double, out[i])
#if $bits == 64
FILL(uniform_long, unsigned long long, curand(s))
#endif
#if $pairs
FILL(normal_float2, float2, curand_normal2(s))
FILL(normal_double2, double2, curand_normal2_double(s))
FILL_LOG(normal_log_float2, float2, float,
         curand_log_normal2(s, mean, stddev))
FILL_LOG(normal_log_double2, double2, double,
         curand_log_normal2_double(s, mean, stddev))
#endif

extern "C" __global__ void prepare(State *states, const $seed *seeds,
                                   const $scramble *scrambles,
                                   unsigned long long offset)
{
    const size_t t = THREAD;
    $prepare
}

#define SKIP(NAME, FUNCTION)                                                  \
    extern "C" __global__ void NAME(State *states, unsigned long long steps)  \
    {                                                                         \
        FUNCTION(($word)steps, states + THREAD);                              \
    }                                                                         \
    extern "C" __global__ void NAME##_array(State *states,                    \
                                            const $word *steps)               \
    {                                                                         \
        FUNCTION(steps[THREAD], states + THREAD);                             \
    }
$skips
