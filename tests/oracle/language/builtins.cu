// What CUDA adds to C++: thread indices, vectors, intrinsics, printf.

//: indices
__global__ void run(unsigned *out) { out[threadIdx.x] = threadIdx.x + threadIdx.y * 10 + blockIdx.x * 100 + blockDim.x * 1000 + gridDim.x * 100000 + warpSize * 1000000; }
//: copy_of_an_index
__global__ void run(unsigned *out) { auto t = threadIdx; t.x += 1; t.y = 7; auto d = blockDim; d.x *= 2; out[threadIdx.x] = t.x + t.y * 100 + t.z + d.x * 1000; }
//: structured_binding_of_an_index
__global__ void run(unsigned *out) { auto [x, y, z] = threadIdx; const auto &[bx, by, bz] = blockDim; x += 5; out[threadIdx.x] = x + y + z + bx * 100 + by + bz; }
//: index_types
template <class A, class B> struct same { static const int v = 0; }; template <class A> struct same<A, A> { static const int v = 1; };
__global__ void run(unsigned *out) { auto t = threadIdx; auto d = gridDim; out[threadIdx.x] = same<decltype(t), uint3>::v + 2 * same<decltype(d), dim3>::v + 4 * same<decltype(threadIdx.x), unsigned>::v + 8 * same<decltype(warpSize), const int>::v + 16 * same<decltype(blockIdx), const uint3>::v; }
//: overloads_on_index_types
__device__ int f(uint3) { return 1; } __device__ int f(dim3) { return 2; } __device__ int f(int3) { return 3; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(threadIdx) + 10 * f(blockDim) + 100 * f(blockIdx) + 1000 * f(gridDim); }
//: index_by_value_and_reference
__device__ unsigned linear(uint3 t, dim3 d) { return t.x + d.x * (t.y + d.y * t.z); } __device__ unsigned first(const uint3 &t) { return t.x; } __device__ unsigned same(const unsigned &v) { return v; } template <class T> __device__ unsigned any_x(const T &v) { return v.x; }
__global__ void run(unsigned *out) { out[threadIdx.x] = linear(threadIdx, blockDim) + first(threadIdx) * 100 + same(threadIdx.x) + any_x(blockDim) * 10000; }
//: index_conversions
__global__ void run(unsigned *out) { uint3 a = threadIdx; dim3 b = threadIdx; dim3 c = blockDim; uint3 d = blockDim; b = blockIdx; a = d; c = dim3(a); dim3 e(a.x, 2), f; int g = threadIdx.x; out[threadIdx.x] = a.x + b.x + c.y * 10 + d.z * 100 + e.y * 1000 + f.z * 10000 + g; }
//: index_assigned
__global__ void run(unsigned *out) { threadIdx.x = 3; }
//: index_by_address
__global__ void run(unsigned *out) { const unsigned *p = &threadIdx.x; out[0] = *p; }
//: index_object_by_address
__global__ void run(unsigned *out) { const uint3 *p = &threadIdx; out[0] = p->x; }
//: index_masked
__global__ void run(unsigned *out) { unsigned lane = threadIdx.x &31, odd = 1 &threadIdx.x; out[threadIdx.x] = (lane &threadIdx.x) + odd; }
//: index_by_reference_to_non_const
__global__ void run(unsigned *out) { unsigned &x = threadIdx.x; out[0] = x; }
//: index_in_a_lambda
__global__ void run(unsigned *out) { auto i = [] { return blockIdx.x * blockDim.x + threadIdx.x; }; auto j = [t = threadIdx] { return t.x * 2; }; auto k = [=] { return threadIdx.x; }; out[i()] = j() + k(); }
//: index_in_a_default_argument
__device__ unsigned f(unsigned t = threadIdx.x) { return t * 3; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(); }
//: index_in_a_constant_expression
__global__ void run(unsigned *out) { constexpr unsigned v = threadIdx.x; out[0] = v; }
//: index_named_locally
__global__ void run(unsigned *out) { unsigned t = threadIdx.x; { struct { unsigned x; } threadIdx = {5}; t += threadIdx.x; } out[threadIdx.x] = t; }
//: members_named_as_indices
struct launch { dim3 gridDim, blockDim; int threadIdx; };
__global__ void run(unsigned *out) { launch l{dim3(2, 3), dim3(4), 5}; out[threadIdx.x] = l.gridDim.y + l.blockDim.x * 10 + l.threadIdx * 100; }
//: vector_types
__global__ void run(unsigned *out) { float2 a = make_float2(1, 2); float3 b = {3, 4, 5}; float4 c = make_float4(a.x, a.y, b.z, 6); int4 d = {1, 2, 3}; uchar4 e = make_uchar4(255, 256 & 255, 3, 4); char3 f = {-1, 2, 3}; double2 g = {.5, 1.5}; longlong2 h = {1, 2}; short2 i{7, 8}; ushort1 j = {9}; out[threadIdx.x] = c.x + c.w * 10 + b.z + d.w + e.x + (f.x + 2) * 1000 + (int)(g.y * 2) + h.y + i.y + j.x; }
//: vector_sizes
__global__ void run(unsigned *out) { out[0] = sizeof(float3) + 100 * alignof(float3) + 1000 * sizeof(float4) + 100000 * alignof(float4); out[1] = sizeof(double3) + 100 * alignof(double2) + 1000 * alignof(char4) + 10000 * alignof(short2) + 100000 * sizeof(char3); out[2] = sizeof(dim3) + 100 * alignof(long2) + 10000 * alignof(longlong4); struct { char a; float2 b; } s; out[3] = sizeof(s); }
//: vector_of_negative_bytes
__global__ void run(unsigned *out) { char4 c = make_char4(-1, -128, 127, (signed char)threadIdx.x); schar_check: out[threadIdx.x] = (unsigned)(c.x + c.y + c.z + c.w + 1000); }
//: vector_reinterpreted
__global__ void run(unsigned *out) { __shared__ float4 s[8]; float *f = (float *)s; f[threadIdx.x] = threadIdx.x; __syncthreads(); float4 v = s[threadIdx.x % 8]; float2 *h = reinterpret_cast<float2 *>(&v); out[threadIdx.x] = h[1].x * 100 + h[0].y; }
//: vector_equality
__global__ void run(unsigned *out) { float2 a = {1, 2}, b = {1, 2}; out[0] = a == b; }
//: vector_arithmetic
__global__ void run(unsigned *out) { float3 a = {1, 2, 3}; a = a + a; out[0] = a.x; }
//: vector_index
__global__ void run(unsigned *out) { float3 a = {1, 2, 3}; out[0] = a[1]; }
//: own_vector_functions
__device__ float length(float3 v) { return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z); } inline __device__ float3 operator-(const float3 &a, const float3 &b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); } __device__ float3 make_float3(float v) { return make_float3(v, v, v); } inline __device__ float lerp(float a, float b, float t) { return a + t * (b - a); }
__global__ void run(unsigned *out) { out[threadIdx.x] = length(make_float3(3) - make_float3(1, 1, 2)) + lerp(1, 3, .5f) * 100; }
//: own_min_and_clamp
__device__ float clamp(float v, float a, float b) { return fmaxf(a, fminf(v, b)); } template <class T> __device__ T mymin(T a, T b) { return a < b ? a : b; } __device__ float3 min(float3 a, float3 b) { return make_float3(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)); }
__global__ void run(unsigned *out) { float3 m = min(make_float3(1, 5, 3), make_float3(4, 2, 6)); out[threadIdx.x] = m.x * 100 + m.y * 10 + m.z + clamp(threadIdx.x, 2, 6) * 1000; }
//: min_and_max_types
__global__ void run(unsigned *out) { int a = -3; unsigned b = 2; out[0] = min(a, 5) + 10; out[1] = max(b, 7u); out[2] = min(1LL << 33, 1LL << 34) >> 30; out[3] = max(1.5f, 2.5f) * 2; out[4] = min(2.5, 1.5f) * 2; out[5] = sizeof(min(1, 2u)) + sizeof(max(1, 2LL)) * 10 + sizeof(min(1.f, 2.f)) * 100 + sizeof(max(1.f, 2.)) * 1000; out[6] = max(-1, 1u) == 0xffffffffu ? 1 : 2; out[7] = fminf(NAN, 3.f) + fmaxf(2, NAN) * 10; }
//: abs_types
__global__ void run(unsigned *out) { out[0] = abs(-3) + (unsigned)abs(-2.5f) * 10 + (unsigned)abs(-7.0) * 100 + (unsigned)labs(-4L) * 1000 + (unsigned)llabs(-5LL) * 10000; out[1] = sizeof(abs(-1)) + 10 * sizeof(abs(-1.f)) + 100 * sizeof(abs(-1.)) + 1000 * sizeof(abs(-1LL)) + 10000 * sizeof(fabs(-1.f)) + 100000 * sizeof(fabsf(1)); out[2] = sizeof(abs((short)1)); }
//: math_overload_types
__global__ void run(unsigned *out) { float f = 2; out[0] = sizeof(sqrt(f)) + 10 * sizeof(sin(f)) + 100 * sizeof(pow(f, f)) + 1000 * sizeof(pow(f, 2.0)) + 10000 * sizeof(fmod(f, f)) + 100000 * sizeof(floor(f)); out[1] = sizeof(exp(1.0)) + 10 * sizeof(atan2(f, f)) + 100 * sizeof(fma(f, f, f)) + 1000 * sizeof(hypot(f, f)) + 10000 * sizeof(round(f)); out[2] = sizeof(ceil(2.5f)) + 10 * sizeof(isnan(f)) + 100 * sizeof(ldexp(f, 1)) + 1000 * sizeof(max(f, 1.f)); }
//: pow_of_float_and_int
static_assert(sizeof(pow(2.f, 3)) == 4 || sizeof(pow(2.f, 3)) == 8, ""); 
__global__ void run(unsigned *out) { float f = 3; int n = 2; out[0] = sizeof(pow(f, n)); out[1] = sizeof(pow(2.0, n)); out[2] = pow(f, n); out[3] = pow(2.0, 10); }
//: std_math
__global__ void run(unsigned *out) { float f = 2.25f; out[0] = sizeof(std::sqrt(f)) + 10 * sizeof(std::pow(f, f)) + 100 * sizeof(std::abs(f)) + 1000 * sizeof(std::max(1.f, 2.f)); out[1] = std::sqrt(f) * 2 + std::fabs(-3.0) + std::floor(f); }
//: bit_intrinsics
__global__ void run(unsigned *out) { unsigned v = threadIdx.x * 0x01010101u + 0x80; out[threadIdx.x] = __popc(v) + __clz(v) * 100 + __ffs(v) * 10000 + __brev(v) % 1000 * 1000000 + __popcll(~0ull) + __clzll(1) + __ffsll(1ll << 40); }
//: byte_intrinsics
__global__ void run(unsigned *out) { out[threadIdx.x] = __byte_perm(0x03020100, 0x07060504, 0x7531 + threadIdx.x) ^ __funnelshift_l(0x12345678, 0x9abcdef0, threadIdx.x) ^ __funnelshift_r(1, 2, threadIdx.x); }
//: multiply_intrinsics
__global__ void run(unsigned *out) { int a = 123456 + threadIdx.x, b = -7654; out[threadIdx.x] = __mulhi(a, b) + __umulhi(1u << 31, 6) + __mul24(a, b) + __umul24(a, 5) + __mul64hi(1ll << 40, 1ll << 40) + __sad(a, b, 3u) + __usad(9, 4, 1) + __hadd(3, 6) + __rhadd(3, 6); }
//: reinterpretations
__global__ void run(unsigned *out) { out[0] = __float_as_uint(1.5f); out[1] = __float_as_int(-2.f); out[2] = __uint_as_float(0x40400000) * 10; out[3] = __double_as_longlong(1.0) >> 32; out[4] = __double2hiint(2.0); out[5] = __double2loint(0.1); out[6] = __hiloint2double(0x40080000, 0) * 2; out[7] = __longlong_as_double(0x4010000000000000) * 3; }
//: conversions_with_rounding
__global__ void run(unsigned *out) { float f = 2.5f + threadIdx.x * 0.25f; out[threadIdx.x] = __float2int_rn(f) + 100 * __float2int_rz(f) + 10000 * __float2int_ru(f) + 1000000 * __float2uint_rd(f) + __double2int_rn(-f) + __int2float_rn(3); }
//: saturate_and_fast_math
__global__ void run(unsigned *out) { out[threadIdx.x] = __saturatef(threadIdx.x * 0.1f) * 100 + (unsigned)(__fdividef(8.f, 2.f) + __fmul_rn(3.f, 2.f) + __fadd_rn(1, 2) + __fmaf_rn(2, 3, 4)) * 1000; }
//: atomics
__device__ unsigned c[8];
__global__ void run(unsigned *out) { atomicAdd(&c[0], threadIdx.x); atomicMax(&c[1], threadIdx.x * 7 % 32); atomicMin(&c[2], threadIdx.x); atomicOr(&c[3], 1u << threadIdx.x); atomicInc(&c[4], 5); atomicXor(&c[5], threadIdx.x); atomicSub(&c[6], 1); atomicExch(&c[7], 9); __syncthreads(); if (threadIdx.x < 8) out[threadIdx.x] = c[threadIdx.x] + 1; }
//: atomic_cas_loop
__device__ float total;
__device__ float add(float *p, float v) { int *i = (int *)p, old = *i, seen; do { seen = old; old = atomicCAS(i, seen, __float_as_int(v + __int_as_float(seen))); } while (seen != old); return __int_as_float(old); }
__global__ void run(unsigned *out) { add(&total, threadIdx.x); __syncthreads(); out[threadIdx.x] = total; }
//: atomic_of_types
__device__ float f; __device__ double d; __device__ unsigned long long u; __device__ int i = 100;
__global__ void run(unsigned *out) { atomicAdd(&f, 0.5f); atomicAdd(&d, 0.25); atomicAdd(&u, 3ull); atomicSub(&i, 2); __syncthreads(); out[threadIdx.x] = f + d * 10 + u * 100 + i * 10000; }
//: shuffles
__global__ void run(unsigned *out) { unsigned v = threadIdx.x * 3; out[threadIdx.x] = __shfl_sync(0xffffffff, v, 5) + __shfl_up_sync(0xffffffff, v, 1) * 100 + __shfl_xor_sync(0xffffffff, v, 16) * 10000 + __shfl_down_sync(0xffffffff, v, 2, 8) * 1000000; }
//: votes
__global__ void run(unsigned *out) { unsigned full = 0xffffffff; out[threadIdx.x] = __ballot_sync(full, threadIdx.x % 3 == 0) ^ (__all_sync(full, 1) ? 1 : 0) ^ (__any_sync(full, threadIdx.x == 7) ? 2 : 0) ^ __activemask() ^ __match_any_sync(full, threadIdx.x / 4); }
//: shuffle_without_a_mask
__global__ void run(unsigned *out) { out[0] = __shfl_down(out[0], 1); }
//: vote_without_a_mask
__global__ void run(unsigned *out) { out[0] = __any(1) + __all(1) + __ballot(1); }
//: warp_names_of_old
__device__ unsigned all_of_them = 3;
__global__ void run(unsigned *out) { unsigned any = 2, all = all_of_them; out[threadIdx.x] = any + all; }
//: file_scope_name_any
__device__ unsigned any = 3;
__global__ void run(unsigned *out) { out[threadIdx.x] = any; }
//: printf_formats
__global__ void run(unsigned *out) { if (threadIdx.x == 40) printf("%d %s %5.2f %c %llu %p %%\n", 1, "a", 2.0, 'c', 3ull, (void *)out); out[threadIdx.x] = 1; }
//: printf_result
__global__ void run(unsigned *out) { int n = printf(""); out[threadIdx.x] = n + 1; }
//: assert_true
#include <assert.h>
__global__ void run(unsigned *out) { assert(threadIdx.x < 32); assert(out && "message"); out[threadIdx.x] = 1; }
//: assert_without_header
__global__ void run(unsigned *out) { assert(threadIdx.x < 32); out[threadIdx.x] = 1; }
//: memcpy_and_memset
__global__ void run(unsigned *out) { int a[4] = {1, 2, 3, (int)threadIdx.x}, b[4]; memcpy(b, a, sizeof(a)); memset(a, 0, 8); char c[5]; memset(c, 'x', 4); c[4] = 0; out[threadIdx.x] = b[3] + b[1] * 100 + a[0] + a[2] * 1000 + c[3] * 10000; }
//: memmove
__global__ void run(unsigned *out) { memmove(out, out + 1, 4); }
//: malloc_and_free
__global__ void run(unsigned *out) { unsigned *p = (unsigned *)malloc(64); p[3] = threadIdx.x; out[threadIdx.x] = p[3] + 1; free(p); free(nullptr); }
//: alloca
__global__ void run(unsigned *out) { int *p = (int *)alloca(16); p[0] = 1; out[0] = p[0]; }
//: calloc
__global__ void run(unsigned *out) { int *p = (int *)calloc(4, 4); out[0] = p[0]; }
//: ldg
__global__ void run(unsigned *out) { const float4 *p = (const float4 *)(out + 256); float4 v = __ldg(p); out[threadIdx.x] = __ldg(out + 100) + __float_as_uint(v.x) + 4; }
//: ldg_of_three
__global__ void run(unsigned *out) { float3 v = __ldg((const float3 *)out); out[0] = v.x; }
//: restrict_and_const
__device__ unsigned sum(const unsigned *__restrict__ p, unsigned *__restrict q, int n) { unsigned s = 0; for (int i = 0; i < n; i++) { s += p[i]; q[0] = s; } return s; }
__global__ void run(unsigned *out) { unsigned a[4] = {1, 2, 3, threadIdx.x}, b; out[threadIdx.x] = sum(a, &b, 4) + b; }
//: grid_constant
__global__ void use(const __grid_constant__ float4 v, float *o) { o[0] = v.x; }
__global__ void run(unsigned *out) { out[threadIdx.x] = 1; }
//: launch_bounds
__global__ void __launch_bounds__(32) run(unsigned *out) { out[threadIdx.x] = 1; }
//: kernel_named_as_a_function
extern "C" __global__ void exp(float *x) { x[0] = 1; }
//: kernel_named_as_a_function_of_cpp
__global__ void exp(float *x) { x[0] = 1; }
__global__ void run(unsigned *out) { out[threadIdx.x] = expf(0.f); }
//: device_function_named_as_a_function
extern "C" __device__ float3 fabs(float3 v) { return v; }
//: kernels_named_as_c_functions
extern "C" { __global__ void read(float *x) { } __global__ void write(float *x) { } __global__ void index(float *x) { } __global__ void random(float *x) { } __global__ void time(float *x) { } __global__ void div(float *x) { } __global__ void qsort(float *x) { } __global__ void strlen(float *x) { } __global__ void memcpy(float *x) { } __global__ void exit(float *x) { } __global__ void clock(float *x) { } }
__global__ void run(unsigned *out) { out[threadIdx.x] = 1; }
//: variables_named_as_functions
__global__ void run(unsigned *out) { int min = 1, max = 2, exp = 3, y0 = 4, j1 = 5, index = 6, clock = 7, round = 8; out[threadIdx.x] = min + max + exp + y0 + j1 + index + clock + round; }
//: file_scope_names
__device__ int y0(int v) { return v; } __constant__ int gamma = 3; __device__ int index = 4, time = 5, left, right; struct pair { int a; }; struct vector { int x; }; enum { sum, prod };
__global__ void run(unsigned *out) { out[threadIdx.x] = y0(2) + gamma + index + time + sum + prod; }
//: clock_and_nanosleep
__global__ void run(unsigned *out) { clock_t a = clock(); long long b = clock64(); __nanosleep(1); out[threadIdx.x] = clock64() >= b; }
//: fences
__global__ void run(unsigned *out) { __threadfence(); __threadfence_block(); __threadfence_system(); __syncwarp(); out[threadIdx.x] = 1; }
//: variadic_function
#include <stdarg.h>
__device__ int sum(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); int s = 0; for (int i = 0; i < n; i++) s += va_arg(a, int); if (n) s += 100 * va_arg(b, int); va_end(a); va_end(b); return s; }
__global__ void run(unsigned *out) { out[threadIdx.x] = sum(3, 1, 2, threadIdx.x) + sum(0); }
//: variadic_types
struct p { float x; double y; char c; };
__device__ double pick(const char *w, ...) { va_list a; va_start(a, w); double r = 0; for (; *w; w++) { if (*w == 'i') r += va_arg(a, int); else if (*w == 'l') r += va_arg(a, long long); else if (*w == 'd') r += va_arg(a, double); else if (*w == 'p') { p v = va_arg(a, p); r += v.x + v.y + v.c; } else r += *va_arg(a, int *); } va_end(a); return r; }
__global__ void run(unsigned *out) { p v{1, 2, 3}; int n = 50; out[threadIdx.x] = pick("ilpd*i", 'a', 7ll, v, 2.5f, &n, (short)threadIdx.x); }
//: cooperative_groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void run(unsigned *out) { cg::thread_block b = cg::this_thread_block(); auto t = cg::tiled_partition<8>(b); unsigned v = t.thread_rank(); for (int d = 4; d; d /= 2) v += t.shfl_down(v, d); b.sync(); out[b.thread_rank()] = v + t.meta_group_rank() * 100 + b.size() * 1000; }
//: half_precision
#include <cuda_fp16.h>
__global__ void run(unsigned *out) { __half a = __float2half(1.5f), b = __int2half_rn(threadIdx.x); __half2 c = __halves2half2(a, b); a = __hadd(a, b); out[threadIdx.x] = __half2float(a * b) * 2 + __high2float(c); }
