// alignas between specifiers, macros around shared variables, variadics.

//: al1
__global__ void run(unsigned *out) { volatile __shared__ alignas(16) float v[3]; v[0] = 2; out[0] = 1; }
//: al2
__global__ void run(unsigned *out) { __shared__ volatile alignas(16) float v[3]; v[0] = 2; out[0] = 1; }
//: al3
__global__ void run(unsigned *out) { __shared__ const alignas(16) float v[3]; out[0] = 1; }
//: al4
__global__ void run(unsigned *out) { __shared__ float alignas(16) v[3]; out[0] = 1; }
//: al5
static __device__ alignas(16) float v[3];
__global__ void run(unsigned *out) {  out[0] = 1; }
//: al6
__device__ static alignas(16) float v[3];
__global__ void run(unsigned *out) {  out[0] = 1; }
//: al7
static alignas(16) __device__ float v[3];
__global__ void run(unsigned *out) {  out[0] = 1; }
//: al8
static __align__(16) __device__ float v[3]; extern __shared__ __align__(16) char u[]; __constant__ const alignas(8) int q = 3;
__global__ void run(unsigned *out) {  out[0] = 1; }
//: al9
const alignas(16) __device__ float v[3] = {}; __constant__ constexpr alignas(8) int q = 3;
__global__ void run(unsigned *out) {  out[0] = 1; }
//: al10
__global__ void run(unsigned *out) { const alignas(8) int a = 3; int alignas(16) b = 2; alignas(16) int c = 3; static alignas(16) int d; out[0] = a + b + c; }
//: al11
__global__ void run(unsigned *out) { unsigned alignas(8) int a = 3; out[0] = a; }
//: al12
struct A { const alignas(8) int a = 3; int alignas(16) b = 2; static constexpr alignas(16) int d = 3; mutable alignas(4) char c; };
__global__ void run(unsigned *out) { A a; out[0] = sizeof(A); }
//: al13
#define ALIGN16 alignas(16)
__global__ void run(unsigned *out) { __shared__ ALIGN16 float v[3]; v[0] = 2; out[0] = 1; }
//: al14
template <int N> __device__ int f() { __shared__ alignas(N) float v[3]; v[0] = 2; return v[0]; }
__global__ void run(unsigned *out) { if (threadIdx.x == 0) out[0] = f<16>(); }
//: m1
struct A { int x; __device__ A() : x(3) {} };
#define SHARED __shared__
__global__ void run(unsigned *out) { SHARED A a; SHARED A b[4]; __syncthreads(); if (threadIdx.x) return; a.x = 2; b[1].x = 4; out[0] = a.x + b[1].x; }
//: m2
struct A { int x; __device__ A() : x(3) {} };
#define BUF(name) __shared__ A name[8]; __shared__ A name##2
__global__ void run(unsigned *out) { BUF(p); BUF(q); p[1].x = 2; q[1].x = 4; p2.x = 8; q2.x = 16; __syncthreads(); out[0] = p[1].x + q[1].x + p2.x + q2.x; }
//: m3
struct A { int x; __device__ A() : x(3) {} };
#define TWO(a, b) \
  __shared__ A a; \
  __shared__ A b
__global__ void run(unsigned *out) { TWO(p, q); p.x = 2; q.x = 4; __syncthreads(); out[0] = p.x + q.x; }
//: m4
struct A { int x; __device__ A() : x(3) {} };
template <class T> struct tile { T v[4]; __device__ tile() {} };
#define TILE(T, name) __shared__ tile<T> name;
__global__ void run(unsigned *out) { TILE(float, p) TILE(float, q) p.v[0] = 2; q.v[0] = 4; __syncthreads(); out[0] = p.v[0] + q.v[0]; }
//: old1 -arch=compute_75
#if __CUDA_ARCH__ != 750
#error arch
#endif
__global__ void run(unsigned *out) { out[0] = __CUDA_ARCH__; }
//: dup
__global__ void run(unsigned *out) { const const int a = 3; out[0] = a; }
//: pr1
#include <cstdarg>
__device__ double avg(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); double s = 0; for (int i = 0; i < n; i++) s += va_arg(a, double); s += va_arg(b, double); va_end(a); va_end(b); return s / n; }
__global__ void run(unsigned *out) { double o[32] = {}; o[0] = avg(3, 1.0, 2.f, 6.0) + avg(1, (double)threadIdx.x); out[threadIdx.x] = (unsigned)(o[0] * 8) + (unsigned)(o[1] * 4); }
//: pr2
struct P { float x; double y; char c; };
__device__ int pick(const char *what, ...) { va_list a; va_start(a, what); int r = 0; for (; *what; what++) { if (*what == 'i') r += va_arg(a, int); else if (*what == 'l') r += va_arg(a, long long); else if (*what == 'p') { P p = va_arg(a, P); r += p.x + p.y + p.c; } else if (*what == '*') r += *va_arg(a, int *); } va_end(a); return r; }
__global__ void run(unsigned *out) { P p = {1.f, 2.0, 3}; int v = 100; out[threadIdx.x] = pick("ilp*i", 5, 7ll, p, &v, threadIdx.x); }
//: pr3
__device__ int vsum(int n, va_list a) { int s = 0; while (n--) s += va_arg(a, int); return s; }
__device__ int sum(int n, ...) { va_list a; va_start(a, n); int s = vsum(n, a); va_end(a); return s; }
__global__ void run(unsigned *out) { int (*f)(int, ...) = sum; out[threadIdx.x] = sum(2, 3, 4) + f(3, 1, 2, 3) + sum(0); }
//: pr4
template <class... T> __device__ int count(int n, T... t) { return sizeof...(t) + n; }
__global__ void run(unsigned *out) { out[threadIdx.x] = count(2, 3, 4.0) ; }
