// CUDA's spaces as attributes of GNU and C++, in lists and in every place.

//: constant_a1
__attribute__((constant, used)) int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a2
__attribute__((used, constant)) int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a3
__attribute__((__constant__)) int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a4
__attribute((constant)) int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a5
int __attribute__((constant)) c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a6
int c __attribute__((constant));
__global__ void run(unsigned *out) { c = 1; }
//: constant_a7
__attribute__((used)) __constant__ int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a8
int __constant__ c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a9
__constant__ __device__ int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a10
__device__ __constant__ int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a11
__attribute__((device)) __attribute__((constant)) int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a12
#define C __attribute__((constant))
C int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a13
#define D(x) __constant__ int x
D(c);
__global__ void run(unsigned *out) { c = 1; }
//: constant_a14
#define A __constant__
#define B A
B int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a15
[[gnu::constant]] int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a16
[[maybe_unused]] __constant__ int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a17
__constant__ [[maybe_unused]] int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a19
namespace n { __constant__ int c; }
__global__ void run(unsigned *out) { n::c = 1; }
//: constant_a20
struct S { static __constant__ int c; };
__constant__ int S::c;
__global__ void run(unsigned *out) { S::c = 1; }
//: constant_a21
static __constant__ int a, c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a22
__constant__ static int a, c;
__global__ void run(unsigned *out) { a = 1; }
//: constant_a23
extern __constant__ int c;
__constant__ int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a24
int __constant__ a, c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a25
const int __constant__ c = 2;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a26
auto __constant__ c = 2;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a29
__attribute__((aligned(16), constant)) int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_a30
__attribute__((constant)) __attribute__((aligned(16))) int c;
__global__ void run(unsigned *out) { c = 1; }
//: shared_s1
__global__ void run(unsigned *out) { __attribute__((device)) __attribute__((shared)) int s; if (!(threadIdx.x + blockIdx.x)) { s = 1; out[0] = s; } }
//: shared_s2
__global__ void run(unsigned *out) { __device__ __shared__ int s; if (!(threadIdx.x + blockIdx.x)) { s = 1; out[0] = s; } }
//: shared_s3
__global__ void run(unsigned *out) { __attribute__((device, shared)) int s; if (!(threadIdx.x + blockIdx.x)) { s = 1; out[0] = s; } }
//: shared_s4
__global__ void run(unsigned *out) { __attribute__((shared)) int s; if (!(threadIdx.x + blockIdx.x)) { s = 1; out[0] = s; } }
//: shared_s5
__global__ void run(unsigned *out) { int s __attribute__((shared)); if (!(threadIdx.x + blockIdx.x)) { s = 1; out[0] = s; } }
//: shared_s6
#define SH __device__ __shared__
__global__ void run(unsigned *out) { SH int s[3]; if (!(threadIdx.x + blockIdx.x)) { s[0] = 1; out[0] = s[0]; } }
//: shared_s7
__global__ void run(unsigned *out) { int __shared__ s; if (!(threadIdx.x + blockIdx.x)) { s = 1; out[0] = s; } }
//: shared_s8
__global__ void run(unsigned *out) { [[gnu::shared]] int s; s = 1; out[0] = s; }
//: shared_s9
struct A { int v; __device__ A() : v(3) {} };
__global__ void run(unsigned *out) { __attribute__((shared)) A s; if (!(threadIdx.x + blockIdx.x)) { s.v = 1; out[0] = s.v; } }
//: shared_s10
struct A { int v; __device__ A() : v(3) {} };
__global__ void run(unsigned *out) { A __shared__ s; if (!(threadIdx.x + blockIdx.x)) { s.v = 1; out[0] = s.v; } }
//: shared_s11
struct A { int v; __device__ A() : v(3) {} };
__global__ void run(unsigned *out) { __device__ __shared__ A s[2]; if (!(threadIdx.x + blockIdx.x)) { s[0].v = 1; out[0] = s[0].v; } }
//: shared_s13
__global__ void run(unsigned *out) { static __shared__ int s; if (!(threadIdx.x + blockIdx.x)) { s = 1; out[0] = s; } }
//: shared_s14
__global__ void run(unsigned *out) { static __attribute__((device)) int s; if (!(threadIdx.x + blockIdx.x)) { s = 1; out[0] = s; } }
//: shared_s15
__global__ void run(unsigned *out) { __constant__ int s; out[0] = s; }
//: shared_s16
__device__ void f(__shared__ int *s) { }
__global__ void run(unsigned *out) { out[0] = 1; }
//: shared_s17
__device__ void f(__constant__ int *s) { }
__global__ void run(unsigned *out) { out[0] = 1; }
//: shared_s18
__device__ void f(__device__ int *s) { }
__global__ void run(unsigned *out) { out[0] = 1; }
//: shared_s19
struct S { __shared__ int v; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: shared_s20
struct S { __device__ int v; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: shared_s23
__global__ void run(unsigned *out) { for (__shared__ int i = 0; i < 3; i++) out[0] = 1; }
//: function_f1
__attribute__((device)) int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f2
int __attribute__((device)) f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f3
int f() __attribute__((device));
int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f4
__attribute__((device, noinline)) int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f5
__attribute__((global)) void run(unsigned *out) { out[0] = 1; }
//: function_f6
void __attribute__((global)) run(unsigned *out) { out[0] = 1; }
//: function_f7
void __global__ run(unsigned *out) { out[0] = 1; }
//: function_f8
extern "C" void __global__ run(unsigned *out) { out[0] = 1; }
//: function_f9
[[gnu::always_inline]] __device__ int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f11
#define K(name) __global__ void name
K(run)(unsigned *out) { out[0] = 1; }
//: function_f12
#define DEV __attribute__((host)) __attribute__((device))
DEV int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f13
__host__ __device__ int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f14
__attribute__((host, device)) int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f15
__device__ int f();
__attribute__((device)) int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f16
template <class T> void __global__ __launch_bounds__(32) other(T *a);
template <class T> void __global__ __launch_bounds__(32) other(T *a) { a[0] = 1; }
template void __global__ other<int>(int *);
__global__ void run(unsigned *out) { out[0] = 1; }
//: function_f17
__attribute__((launch_bounds(32))) __attribute__((global)) void run(unsigned *out) { out[0] = 1; }
//: function_f18
__attribute__((global, launch_bounds(32))) void run(unsigned *out) { out[0] = 1; }
//: function_f19
inline __attribute__((always_inline)) __device__ int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f20
__device__ __attribute__((noinline, noclone)) int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f21
__device__ __attribute__((pure)) int f() { return 1; } __device__ __attribute__((const)) int g() { return 1; }
__global__ void run(unsigned *out) { out[0] = f() + g(); }
//: function_f22
__device__ __attribute__((optimize("O3"))) int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f23
__device__ __attribute__((hot)) int f() { return 1; } __device__ __attribute__((cold, unused)) int g() { return 1; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: function_f24
struct __attribute__((packed)) P { char a; int b; };
__global__ void run(unsigned *out) { out[0] = sizeof(P); }
//: function_f25
struct P { char a; int b; } __attribute__((packed));
__global__ void run(unsigned *out) { out[0] = sizeof(P); }
//: function_f26
struct P { char a; int b __attribute__((aligned(16))); };
__global__ void run(unsigned *out) { out[0] = sizeof(P); }
//: function_f27
__managed__ int m; __device__ __managed__ int q; __attribute__((managed)) int r; __attribute__((device)) __attribute__((managed)) int t;
__global__ void run(unsigned *out) { if (!(threadIdx.x + blockIdx.x)) { m = 1; out[0] = m + q + r + t; } }
//: constant_b1
__constant__ __attribute__((aligned(16))) int c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_b2
__constant__ int __attribute__((aligned(16))) c;
__global__ void run(unsigned *out) { c = 1; }
//: constant_b3
__constant__ int c __attribute__((aligned(16)));
__global__ void run(unsigned *out) { c = 1; }
//: constant_b4
__constant__ int c __attribute__((aligned(16))) = 3, d;
__global__ void run(unsigned *out) { d = 1; }
//: constant_b5
int c __attribute__((constant)) = 2;
__global__ void run(unsigned *out) { c++; }
//: constant_b6
int *c __attribute__((constant));
__global__ void run(unsigned *out) { c = 0; }
//: constant_b7
int *c __attribute__((constant));
__global__ void single(unsigned *out) { *c = 0; }
//: constant_b8
__constant__ [[maybe_unused]] __attribute__((aligned(16))) int *c;
__global__ void single(unsigned *out) { *c = 0; }
//: constant_b10
__constant__ __align__(16) int c;
__global__ void run(unsigned *out) { c = 0; }
//: constant_b11
__constant__ alignas(16) int c;
__global__ void run(unsigned *out) { c = 0; }
//: constant_b12
alignas(16) __constant__ int c;
__global__ void run(unsigned *out) { out[0] = c; }
//: own_definitions
#undef __device__
#undef __shared__
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
__device__ int f() { return 5; }
__global__ void run(unsigned *out) { __shared__ int s; if (!(threadIdx.x + blockIdx.x)) { s = f(); out[0] = s; } }
//: own_definition_of_a_kernel
#undef __global__
#define __global__ __attribute__((global))
__attribute__((device)) int f() { return 6; }
__global__ void run(unsigned *out) { out[0] = f(); }
