// Qualifiers where they do not belong.

//: anyall
__global__ void run(unsigned *out) { out[0] = any(true) + all(out[1] == 0) + 1; }
//: extsh
__global__ void run(unsigned *out) { extern __shared__ int s; s = 3; __syncthreads(); out[0] = s; }
//: alignstruct
__align__(16) struct S { int a; };
__global__ void run(unsigned *out) { out[0] = sizeof(S); }
//: alignstruct2
struct S { int a; }; __align__(16) typedef S T;
__global__ void run(unsigned *out) { out[0] = sizeof(T) + alignof(T); }
//: hostvar
__host__ int v;
__global__ void run(unsigned *out) { out[0] = 1; }
//: devtype
struct __device__ S { int a; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: devmember
struct S { __device__ int a; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: constmember
struct S { __constant__ int a; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: bounds_on_device
__device__ __launch_bounds__(32) int f() { return 1; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: noinline_var
__global__ void run(unsigned *out) { __noinline__ int a = 1; out[0] = a; }
//: forceinline_var
__global__ void run(unsigned *out) { __forceinline__ int a = 1; out[0] = a; }
//: global_in_class
struct S { __global__ void f(int *o) {} };
//: global_in_class2
struct S { static __global__ void f(int *o) {} };
//: global_ret
__global__ int f(int *o) { return 1; }
//: global_va
__global__ void f(int *o, ...) { }
//: global_ref
__global__ void f(int &o) { o = 1; }
//: global_rref
__global__ void f(int &&o) { o = 1; }
//: unknown_attr
__device__ __attribute__((foo)) int f() { return 1; } [[foo::bar]] __device__ int g() { return 2; }
__global__ void run(unsigned *out) { [[maybe_unused]] int a; out[0] = f(); }
