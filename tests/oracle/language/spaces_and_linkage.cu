//: p1
struct P { int a; } __constant__ c; __global__ void k(int*o){ *o=c.a; }
//: p2
struct P { int a; } __device__ c[3], d; __global__ void k(int*o){ c[1].a=*o; d.a=1;}
//: p3
__global__ void k(int*o){ struct P { int a; } __shared__ c; c.a=*o; __syncthreads(); *o=c.a; }
//: p4
union { int a; float b; } __device__ c; __global__ void k(int*o){ *o=c.a; }
//: p5
enum E { A, B } __device__ c; __global__ void k(int*o){ *o=c; }
//: p6
struct P { int a; } static __constant__ c; __global__ void k(int*o){ *o=c.a; }
//: p7
struct P { int a; } const __constant__ c={3}; __global__ void k(int*o){ *o=c.a; }
//: p8
typedef __shared__ int t; __global__ void k(int*o){ }
//: p9
typedef __shared__ int t; __global__ void k(int*o){ t x; x=o[0]; __syncthreads(); o[1]=x; }
//: p10
typedef __device__ int t; t v; __global__ void k(int*o){ v=1; }
//: p11
typedef __constant__ int t; __global__ void k(int*o){ }
//: p12
using t = __shared__ int; __global__ void k(int*o){ }
//: p13
typedef int __shared__ t; __global__ void k(int*o){ }
//: p14
typedef __device__ void (*f)(int); __device__ void g(int){} __global__ void k(int*o){ f p=g; p(1); }
//: p15
__managed__ struct P { int a; } c; __global__ void k(int*o){ *o=c.a; }
//: p16
struct P { int a; } __managed__ c; __global__ void k(int*o){ *o=c.a; }
//: p17
struct P { static __device__ int a; }; __device__ int P::a; __global__ void k(int*o){ P::a=1; }
//: p18
struct P { static __constant__ int a; }; __constant__ int P::a; __global__ void k(int*o){ o[0]=P::a; }
//: p19
__global__ void k(int*o){ __device__ int a; }
//: p20
__global__ void k(int*o){ __constant__ int a; o[0]=a; }
//: p21
__global__ void k(int*o){ static __constant__ int a; o[0]=a; }
//: p22
__global__ void k(int*o){ static __device__ int a; o[0]=a++; }
//: p23
__global__ void k(int*o){ __managed__ int a; o[0]=a++; }
//: p24
__shared__ int a; __global__ void k(int*o){ a = 1; }
//: p25
extern __shared__ int a[]; __global__ void k(int*o){ a[0] = 1; }
//: p26
__shared__ int a[4] = {1}; __global__ void k(int*o){ a[0] = 1; }
//: p27
__constant__ __device__ int a; __global__ void k(int*o){ o[0]=a; }
//: p28
__constant__ __shared__ int a; __global__ void k(int*o){ o[0]=a; }
//: p29
__device__ __managed__ int a; __global__ void k(int*o){ o[0]=a; }
//: p30
__constant__ __managed__ int a; __global__ void k(int*o){ o[0]=a; }
//: p31
__device__ __shared__ int a; __global__ void k(int*o){ o[0]=a; }
//: p32
template <class T> struct P { T a; } ; template<class T> __device__ int f(T t) { return 1; } __device__ P<int> v; __global__ void k(int*o){ *o=v.a; }
//: p33
typedef struct { int a; } T; struct Q { int b; } __align__(16) __device__ q; __device__ T t; struct R f(); struct R { int c; }; __device__ struct R f() { return R(); } __device__ int w; __global__ void k(int*o){ *o=t.a+q.b+w+f().c; }
//: p34
__global__ void k(int*o){ typedef int __shared__ t; struct Z { t m; } __shared__ z; z.m = 1; int x = 3; { struct Y {} y; } __shared__ int s; s = x; *o = s; }
//: p35
struct P { static __shared__ int a; }; __global__ void k(int*o){ }
//: p36
struct P { static __managed__ int a; }; __global__ void k(int*o){ }
//: p37
struct P { static __constant__ const int a = 3; }; __global__ void k(int*o){ *o=P::a; }
//: p38
struct P { static __device__ const int a = 3; }; __global__ void k(int*o){ *o=P::a; }
//: p39
struct P { static constexpr __device__ int a = 3; }; __global__ void k(int*o){ *o=P::a; }
//: p40
struct P { __device__ static constexpr int a[2] = {3,4}; }; __global__ void k(int*o){ *o=P::a[*o]; }
//: p41
struct P { inline static __device__ int a = 3; }; __global__ void k(int*o){ *o=P::a; }
//: p42
template<class T> struct P { static __device__ T a; }; __global__ void k(int*o){ }
//: p43
template<class T> struct P { static __device__ T a; }; template<class T> __device__ T P<T>::a; __global__ void k(int*o){ *o=P<int>::a; }
//: p44
__managed__ __shared__ int x; __global__ void k(int*o){ *o=x; }
//: p45
struct P { static __device__ int operator+(int) = delete; static __device__ int f(int), g(); }; __global__ void k(int*o){ }
//: after_classes_run
struct P { int a; } __constant__ c; struct Q { int a, b; } __device__ q = {3, 4}, r[2] = {{5, 6}, {7, 8}};
__global__ void run(unsigned *out) { struct S { int v[32]; } __shared__ s; s.v[threadIdx.x] = threadIdx.x * 3; __syncthreads(); out[threadIdx.x] = s.v[31 - threadIdx.x] + c.a + q.b + r[1].a; }
//: typedefs_run
typedef __device__ unsigned word; typedef struct { word a; } __constant__ pair;
__global__ void run(unsigned *out) { word x = threadIdx.x; pair p = {x + 1}; out[x] = p.a * 2; }
//: c_block_noexcept
extern "C" { __global__ void k(int *o) noexcept { } }
//: c_block_constexpr
extern "C" { struct S { int a; }; constexpr __global__ void k(int *o) { } }
//: c_block_member
extern "C" { struct S { static __global__ void k(int *o) { } }; }
//: c_block_rvalue
extern "C" { namespace n { __global__ void k(int &&o) { } } }
//: c_block_auto
extern "C" { __device__ int f() { return 1; } __global__ auto k(int *o) { } }
//: c_block_bounds
extern "C" { __global__ void __launch_bounds__(64) __maxnreg__(32) k(int *o) { } }
//: c_block_well
extern "C" { struct S { int a; __device__ int f() noexcept { return a; } }; __device__ constexpr int g() noexcept { return 2; } __global__ void __launch_bounds__(64) k(int *o, const __grid_constant__ S s) { S t = s; *o = t.f() + g(); } }
//: c_block_kernels_run
extern "C" { namespace n { __global__ void run(unsigned *out) { out[threadIdx.x] = threadIdx.x + 5; } } }
//: static_assert_alone_11 -std=c++11
static_assert(sizeof(int) == 4); __global__ void k(float *o) { }
//: static_assert_alone_14 -std=c++14
static_assert(sizeof(int) == 4); __global__ void k(float *o) { }
