// Extensions of GNU's and C's, and what NVRTC has of them.

//: b_alloca
__global__ void run(unsigned *out) { int *p = (int *)__builtin_alloca(16); p[0] = 2; out[0] = p[0]; }
//: b_memmove
__global__ void run(unsigned *out) { int a[4] = {1,2,3,4}; __builtin_memmove(a, a + 1, 8); out[0] = a[0]; }
//: b_memcpy
__global__ void run(unsigned *out) { int a[4] = {1,2,3,4}; __builtin_memcpy(a, a + 1, 4); out[0] = a[0]; }
//: memcmp
__global__ void run(unsigned *out) { int a[4] = {1,2,3,4}; out[0] = 1 + memcmp(a, a + 1, 4); }
//: strlen
__global__ void run(unsigned *out) { out[0] = strlen("abc"); }
//: memset
__global__ void run(unsigned *out) { memset(out, 1, 4); }
//: abs
__global__ void run(unsigned *out) { out[0] = abs(-3) + labs(-3L) + llabs(-3LL) + min(3, 4) + max(3u, 4u); }
//: clz
__global__ void run(unsigned *out) { out[0] = __builtin_clz(4) + __builtin_ctz(4) + __builtin_popcount(7); }
//: expect
__global__ void run(unsigned *out) { if (threadIdx.x) return; if (__builtin_expect(out[0] == 0, 1)) out[0] = 3; }
//: bassume
__global__ void run(unsigned *out) { if (threadIdx.x) return; __builtin_assume(out[0] == 0); out[0] = 3; float *p = (float *)__builtin_assume_aligned(out, 16); p[1] = 2; }
//: unreach
__global__ void run(unsigned *out) { if (threadIdx.x) return; if (out[0] == 99) __builtin_unreachable(); out[0] = 3; }
//: trap
__global__ void run(unsigned *out) { if (out[0] == 99) __builtin_trap(); out[0] = 3; }
//: binf
__global__ void run(unsigned *out) { float o[32] = {}; o[0] = __builtin_inff(); o[1] = __builtin_nanf("");  o[2] = __builtin_huge_valf(); o[3] = __builtin_huge_val(); out[threadIdx.x] = (unsigned)(o[0] * 8) + (unsigned)(o[1] * 4); }
//: bfabs
__global__ void run(unsigned *out) { float o[32] = {}; o[0] = __builtin_fabsf(-2.f); o[1] = __builtin_sqrtf(4.f); out[threadIdx.x] = (unsigned)(o[0] * 8) + (unsigned)(o[1] * 4); }
//: bconstp
__global__ void run(unsigned *out) { out[0] = 1 + __builtin_constant_p(3); }
//: bbitcast
__global__ void run(unsigned *out) { out[0] = __builtin_bit_cast(int, 1.0f); }
//: btypes
__global__ void run(unsigned *out) { out[0] = 1 + __builtin_types_compatible_p(int, int); }
//: boffset
struct S { int a; float b; };
__global__ void run(unsigned *out) { out[0] = __builtin_offsetof(S, b); }
//: offsetof_nohdr
struct S { int a; float b; };
__global__ void run(unsigned *out) { out[0] = offsetof(S, b); }
//: vla
__global__ void run(unsigned *out) { int n = out[0] + 3; int a[n]; a[0] = 1; out[0] = a[0]; }
//: stmtexpr
__global__ void run(unsigned *out) { out[0] = ({ int a = 3; a + 1; }); }
//: typeof
__global__ void run(unsigned *out) { __typeof__(out[0]) a = 3; out[0] = a; }
//: typeof2
__global__ void run(unsigned *out) { typeof(out[0]) a = 3; out[0] = a; }
//: elvis
__global__ void run(unsigned *out) { out[0] = out[1] ?: 3; }
//: caserange
__global__ void run(unsigned *out) { switch (out[0]) { case 0 ... 5: out[0] = 3; break; default: out[0] = 1; } }
//: labels_as_values
__global__ void run(unsigned *out) { void *p = &&l; goto *p; l: out[0] = 1; }
//: desig
struct S { int a, b, c; };
__global__ void run(unsigned *out) { S s = { .a = 1, .b = 2, .c = 3 }; out[0] = s.a + s.b + s.c; }
//: desig2
struct S { int a, b, c; };
__global__ void run(unsigned *out) { S s = { .c = 1, .a = 2 }; out[0] = s.a + s.b + s.c; }
//: desig3
__global__ void run(unsigned *out) { int a[4] = { [2] = 5 }; out[0] = a[2]; }
//: desig4
struct S { int a[3]; }; 
__global__ void run(unsigned *out) { S s = { .a[1] = 5 }; out[0] = s.a[1]; }
//: desigold
struct S { int a, b; };
__global__ void run(unsigned *out) { S s = { a: 5, b: 3 }; out[0] = s.a; }
//: complit
struct S { int a, b; };
__global__ void run(unsigned *out) { S s = (S){5, 3}; out[0] = s.a; }
//: complit2
__global__ void run(unsigned *out) { float4 f = (float4){1, 2, 3, 4}; int *p = (int[]){1, 2}; out[0] = p[0] + f.y; }
//: zeroarr
struct S { int n; int a[0]; };
__global__ void run(unsigned *out) { out[0] = sizeof(S); }
//: flexarr
struct S { int n; int a[]; };
__global__ void run(unsigned *out) { out[0] = sizeof(S); }
//: emptystruct
struct S { };
__global__ void run(unsigned *out) { out[0] = sizeof(S); }
//: complex
__global__ void run(unsigned *out) { float o[32] = {}; _Complex float c = 1; o[0] = __real__ c; out[threadIdx.x] = (unsigned)(o[0] * 8) + (unsigned)(o[1] * 4); }
//: int128 --device-int128
__global__ void run(unsigned *out) { __int128 a = 3; unsigned __int128 b = 4; out[0] = a * b; }
//: int128b
__global__ void run(unsigned *out) { __int128 a = out[threadIdx.x] + 3; out[threadIdx.x] = a; }
//: vector_ext
typedef float v4 __attribute__((vector_size(16)));
__global__ void run(unsigned *out) { float o[32] = {}; v4 a = {1, 2, 3, 4}; o[0] = a[1]; out[threadIdx.x] = (unsigned)(o[0] * 8) + (unsigned)(o[1] * 4); }
//: float128
__global__ void run(unsigned *out) { float o[32] = {}; __float128 a = 3; o[0] = a; out[threadIdx.x] = (unsigned)(o[0] * 8) + (unsigned)(o[1] * 4); }
//: longdouble
__global__ void run(unsigned *out) { float o[32] = {}; long double a = 3; o[0] = a; o[1] = 1; out[threadIdx.x] = (unsigned)(o[0] * 8) + (unsigned)(o[1] * 4); }
//: half_kw
__global__ void run(unsigned *out) { float o[32] = {}; _Float16 a = 3; o[0] = a; out[threadIdx.x] = (unsigned)(o[0] * 8) + (unsigned)(o[1] * 4); }
//: fp16
__global__ void run(unsigned *out) { float o[32] = {}; __fp16 a = 3; o[0] = a; out[threadIdx.x] = (unsigned)(o[0] * 8) + (unsigned)(o[1] * 4); }
//: binlit
__global__ void run(unsigned *out) { out[0] = 0b101 + 1'000 + 0x1p3; }
//: dollar
__global__ void run(unsigned *out) { int a$b = 3; out[0] = a$b; }
//: unicode
__global__ void run(unsigned *out) { int ä = 3; out[0] = ä; }
//: pragma_once
#pragma once
#pragma unroll_foo
#pragma GCC ivdep
#pragma omp parallel for
__global__ void run(unsigned *out) { out[0] = 1; }
//: nested_fn
__global__ void run(unsigned *out) { int f(int a) { return a; } out[0] = f(3); }
//: asm_label
__device__ int f(int) asm("foo"); __device__ int f(int a) { return a; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: attribute_misc
__device__ __attribute__((const)) int f1(int a) { return a; } __device__ __attribute__((pure)) int f2(int a) { return a; } __device__ __attribute__((unused)) int f3(int a) { return a; } __device__ __attribute__((noinline)) int f4(int a) { return a; }
__device__ __attribute__((always_inline)) inline int f5(int a) { return a; } __attribute__((device)) int f6(int a) { return a; } __device__ __attribute__((deprecated)) int f7(int a) { return a; } __device__ __attribute__((hot)) int f8(int a) { return a; }
extern "C" __attribute__((global)) void k(int *o) { int u __attribute__((unused)) = 2; o[0] = f1(3) + f2(3) + f3(3) + f4(3) + f5(3) + f6(3); }
//: attributes_after_the_class
struct S { char a; int b; } __attribute__((packed)); struct A { int a; } __align__(16);
static_assert(sizeof(S) == 5 && sizeof(A) == 16, "as nvcc has it");
__global__ void run(unsigned *out) { out[0] = sizeof(S); out[1] = sizeof(A); }
//: attr_packed
struct __attribute__((packed)) S { char a; int b; }; struct __attribute__((aligned(8))) U { char a; }; struct V { char a; int b __attribute__((packed)); };
__global__ void run(unsigned *out) { out[0] = sizeof(S); out[2] = sizeof(U); out[3] = sizeof(V); }
//: pragma_pack
#pragma pack(push, 1)
struct S { char a; int b; double c; };
#pragma pack(pop)
#pragma pack(2)
struct T { char a; int b; };
#pragma pack()
__global__ void run(unsigned *out) { out[0] = sizeof(S); out[1] = sizeof(T); }
//: declspec
struct __declspec(align(16)) S { int a; };
__global__ void run(unsigned *out) { out[0] = sizeof(S); }
//: may_alias
typedef int __attribute__((may_alias)) ai;
__global__ void run(unsigned *out) { ai *p = (ai *)out; *p = 3; }
//: counter
__global__ void run(unsigned *out) { out[0] = __COUNTER__ + __COUNTER__ + 1; out[1] = __LINE__; }
//: func
__global__ void run(unsigned *out) { out[0] = __func__[0]; out[1] = sizeof(__FUNCTION__); out[2] = __PRETTY_FUNCTION__[0]; }
//: file
__global__ void run(unsigned *out) { out[0] = __FILE__[0]; out[1] = __DATE__[0]; out[2] = __TIME__[2]; }
//: va_macro
#define P(fmt, args...) (0, ##args)
#define Q(fmt, ...) (0, ##__VA_ARGS__)
__global__ void run(unsigned *out) { out[0] = P(1, 2); out[1] = Q(1, 2) + Q(1); }
//: vaopt -std=c++20
#define Q(fmt, ...) (1 __VA_OPT__(, ) __VA_ARGS__)
__global__ void run(unsigned *out) { out[0] = Q(1, 2) + Q(1); }
//: vaopt17
#define Q(fmt, ...) (1 __VA_OPT__(, ) __VA_ARGS__)
__global__ void run(unsigned *out) { out[0] = Q(1, 2) + Q(1); }
//: restrict
extern "C" __global__ void k(int *o) { int *__restrict__ p = o; int *__restrict q = o; p[0] = 1; q[1] = 2; }
//: restrict_c99
__global__ void run(unsigned *out) { int *restrict p = out; p[0] = 1; }
//: inline_kw
__inline __device__ int f() { return 1; } __inline__ __device__ int g() { return 1; } extern inline __device__ int h() { return 2; }
__global__ void run(unsigned *out) { __volatile__ int a = 1; __const__ int b = 2; __signed__ int c = 3; out[0] = a + b + c + f() + g() + h(); }
//: ext
__global__ void run(unsigned *out) { __extension__ long long a = 3; __alignof__(int); __alignof(int); out[0] = a + alignof(double) + __alignof__(double); }
//: auto_type
__global__ void run(unsigned *out) { __auto_type a = 3; out[0] = a; }
//: static_local
__device__ int f() { static int a = 3; return a++; }
__global__ void run(unsigned *out) { if (threadIdx.x == 0) { out[0] = f(); out[1] = f(); } }
//: static_local_dyn
__device__ int f(int b) { static int a = b; return a; }
__global__ void run(unsigned *out) { if (threadIdx.x == 0) { out[0] = f(3); } }
//: thread_local
__device__ int f() { thread_local int a = 3; return a++; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: trycatch
__global__ void run(unsigned *out) { try { out[0] = 1; } catch (...) { } }
//: throw
__global__ void run(unsigned *out) { if (out[0] == 5) throw 1; out[0] = 1; }
//: typeid
__global__ void run(unsigned *out) { out[0] = typeid(int) == typeid(int); }
//: dyncast
struct A { __device__ virtual int f() { return 1; } }; struct B : A { };
__global__ void run(unsigned *out) { B b; A *a = &b; out[0] = dynamic_cast<B *>(a) != 0; }
//: register
__global__ void run(unsigned *out) { register int a = 3; out[0] = a; }
//: register14 -std=c++14
__global__ void run(unsigned *out) { register int a = 3; out[0] = a; }
//: implicit_int
__global__ void run(unsigned *out) { const a = 3; out[0] = a; }
//: goto_in
__global__ void run(unsigned *out) { int i = 0; again: i++; if (i < 5) goto again; out[0] = i; }
