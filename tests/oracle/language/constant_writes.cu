// Assignments to __constant__ variables: by name refused, else taken.
//: body_1
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    c=1;
}
//: body_2
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    c+=1;
}
//: body_3
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    ++c;
}
//: body_4
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    c--;
}
//: body_5
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    if(0) c=1;
}
//: body_6
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    return; c=1;
}
//: body_7
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    sizeof(c=1);
}
//: body_8
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    decltype(c=1) x=c;
}
//: body_9
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    int y=0?(c=1):2;
}
//: body_10
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    if constexpr(false) c=1;
}
//: body_11
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    *(&c)=3;
}
//: body_12
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    ((c))=1;
}
//: body_13
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    int&r=c;r=1;
}
//: body_14
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    auto*q=&c;*q=1;
}
//: body_15
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    byref(c);
}
//: body_16
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    tassign(c);
}
//: body_17
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    arr[1]++;
}
//: body_18
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    *arr=1;
}
//: body_19
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    s.a=1;
}
//: body_20
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    s.set();
}
//: body_21
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    s=S();
}
//: body_22
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    p=0;
}
//: body_23
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    p++;
}
//: body_24
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    *p=1;
}
//: body_25
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    v.x=1;
}
//: body_26
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    bo=true;
}
//: body_27
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    en=A;
}
//: body_28
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    ns::nc=1;
}
//: body_29
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    using namespace ns; nc=1;
}
//: body_30
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    tc<int> =1;
}
//: body_31
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    (int&)c=1;
}
//: body_32
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    (c,f)=1;
}
//: body_33
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    (1?c:st)=1;
}
//: body_34
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    auto l=[]{c=1;};
}
//: body_35
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    auto l=[](int&x){x=1;};l(c);
}
//: body_36
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    goto e; c=1; e:;
}
//: body_37
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    asm("mov.u32 %0,1;":"=r"(c));
}
//: body_38
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    if(0){struct L{__device__ void g(){c=1;}};}
}
//: body_39
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    (&c)[0]=1;
}
//: body_40
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    ++*&c;
}
//: body_41
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    int c=1;c=2;
}
//: body_42
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    c==1;
}
//: body_43
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__global__ void kern(int *o)
{
    int n=c;n=1;
}
//: source_1
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(int*o){int c=1;c=2;++c;o[0]=c;}
//: source_2
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(S*o){o->c=1;o->f++;}
//: source_3
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(S o){o.c=1;++o.f;}
//: source_4
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(int c){c=1;}
//: source_5
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){for(int c=0;c<3;++c);}
//: source_6
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
struct Q{int c;__device__ void u(){c=1;this->c=2;}};
//: source_7
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
namespace n{__device__ int c;} __global__ void k(){n::c=1;++n::c;}
//: source_8
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){auto l=[](int c){c=1;};l(c);}
//: source_9
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(int*a){a[c]=1;a[c]++;++a[c];}
//: source_10
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(int*a){int x=c;x=c;bool b=c==1;b=c<=1;b=c>=2;b=f!=1;}
//: source_11
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(int*a){a[0]=c=c;}
//: source_12
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
template<int c> __device__ void t(){} __global__ void k(){t<1>();}
//: source_13
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(int x=3){int y; y=(c)+1; y+=c;}
//: source_14
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){*p=1;*p++;}
//: source_15
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){(*p)++;}
//: source_16
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){p[c]=1;}
//: source_17
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
#define c 3
__global__ void k(){int x=c;}
//: source_18
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
#define SET(x) x=1
__global__ void k(){SET(c);}
//: source_19
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
#define SET(x) x=1
__global__ void k(){int c;SET(c);}
//: source_20
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
#define SET(x) (x)++
__global__ void k(){SET(f);}
//: source_21
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
#define W(s) s.c=1
__global__ void k(){S s;W(s);}
//: source_22
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
template<class T> __global__ void k(T*a){c=1;} template __global__ void k<int>(int*);
//: source_23
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
template<class T> __device__ void k(T*a){c=1;} __global__ void m(){k((int*)0);}
//: source_24
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
template<class T> __device__ void k(T*a){c=1;}
//: source_25
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){int c[3];c[0]=1;}
//: source_26
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){S c={1,2};c.c=3;}
//: source_27
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
extern "C" __global__ void k(){int f; f=1;}
//: source_28
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){ enum {c}; }
//: source_29
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){ using T=decltype(c); T c; c=1; }
//: source_30
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__device__ int q; __global__ void k(){ q = c ? f : g; q=(c,1); }
//: source_31
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(int*c){*c=1;c++;c[0]=1;}
//: source_32
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__global__ void k(){ int2 v; v.x=c; v = make_int2(c,c);}
//: source_34
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ S cs; __global__ void k(){ cs.c=1; cs.f+=2; }
//: source_35
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ S cs[2]; __constant__ int m[2][2]; __global__ void k(){ cs[0].c=1; m[1][0]++; ++m[0][1];}
//: source_36
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int (*fp)(int); __global__ void k(){ fp=0; }
//: source_37
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int *const *pp; __global__ void k(){ pp++; }
//: source_38
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int x1, x2[3], x3; __global__ void k(){ x2[0]=1; }
//: source_39
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int x1, x2[3], x3; __global__ void k(){ x3=1; }
//: source_40
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int x1=(1,2), x3; __global__ void k(){ x3=1; }
//: source_41
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int x1{2}, x3; __global__ void k(){ x3=1; }
//: source_42
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
int __constant__ z; __global__ void k(){ z=1; }
//: source_43
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ long long int z; __global__ void k(){ z--; }
//: source_44
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
typedef struct{int a;} A; __constant__ A z; __global__ void k(){ z.a=1; }
//: source_45
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ enum EE{u,w} z; __global__ void k(){ z=u; }
//: source_46
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ struct{int a;} z; __global__ void k(){ z.a=1;}
//: source_47
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ float3 z; __global__ void k(){ z.x=1; z=make_float3(1,2,3);}
//: source_48
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ void*z; __global__ void k(){ z=0; }
//: source_49
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ auto z=3; __global__ void k(){ z=0; }
//: source_50
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ decltype(1) z; __global__ void k(){ z+=1; }
//: source_51
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
#define K __constant__
K int z; __global__ void k(){ z=1; }
//: source_52
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
#define K __constant__
K int z; __global__ void k(){ *&z=1; }
//: source_53
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ __align__(8) int z; __global__ void k(){ z=1;}
//: source_54
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int alignas(8) z; __global__ void k(){ z=1;}
//: source_55
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int z __attribute__((aligned(8))); __global__ void k(){ z=1;}
//: source_56
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__attribute__((constant)) int z; __global__ void k(){ z=1;}
//: source_57
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ bool z; __global__ void k(){ z|=true; }
//: source_58
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ unsigned z; __global__ void k(){ if(z--) ; }
//: source_59
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ volatile int z; __global__ void k(){ z=1; }
//: source_60
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int z; __global__ void k(){ ::z=1; }
//: source_61
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int z; __global__ void k(){ (::z)++; }
//: source_62
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int z; __global__ void k(){ z
=
1; }
//: source_63
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int z; __global__ void k(){ z/*a*/=/*b*/1; }
//: source_64
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int z; __global__ void k(){ z ++ ; }
//: source_65
__constant__ int c; __constant__ float f=1, g; __constant__ int *p; struct S{int c;float f;};
__constant__ int z; __global__ void k(){ ++ ( z ) ; }
//: declared_1
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ void u(){c=1;}
//: declared_2
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
static __device__ void u(){c=1;}
//: declared_3
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ inline void u(){c=1;}
//: declared_4
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
template<class X> __device__ void u(){c=1;}
//: declared_5
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
template<class X> __device__ void u(){c=X();}
//: declared_6
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ __forceinline__ void u(){arr[0]=1;}
//: declared_7
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
struct Q{__device__ void u(){c=1;}};
//: declared_8
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
template<class X> struct Q{__device__ void u(){c=1;}};
//: declared_9
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__host__ __device__ void u(){c=1;}
//: declared_10
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
#define W c=1
__device__ void u(){W;}
//: declared_11
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ int&u(){return c;}
//: declared_12
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ int*u(){return &c;}
//: declared_13
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ void u(int x=(c=1)){}
//: declared_14
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
constexpr __device__ int u(){return c=1;}
//: declared_15
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
namespace{__device__ void u(){c=1;}}
//: declared_16
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ int g=(c=1);
//: declared_17
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ int*g=&c;
//: declared_18
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ int&g=c;
//: declared_19
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
template<int*P> __device__ void u(){*P=1;} __device__ void w(){u<&c>();}
//: declared_20
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
template<int&P> __device__ void u(){P=1;} __device__ void w(){u<c>();}
//: declared_21
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
struct X1{__device__ X1(){c=1;} __device__ ~X1(){c=2;}};
//: declared_22
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
struct X1{int z=c=1;};
//: declared_23
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
__device__ auto u()->decltype(c=1){return c;}
//: declared_24
__constant__ int c; __constant__ float f; __constant__ int arr[4];
__constant__ int *p; __constant__ bool bo; enum E { A }; __constant__ E en;
struct S { int a; int b[2]; __device__ void set() { a = 1; } };
__constant__ S s; __constant__ int2 v; __constant__ int st;
template <class X> __constant__ X tc; namespace ns { __constant__ int nc; }
__device__ void byref(int &x) { x = 1; }
template <class X> __device__ void tassign(X &x) { x = 1; }
struct A1{__device__ operator int&(){return c;}};
//: macro_element
#define SET(x) (x) = 1
__constant__ int *p;
struct S { int a; };
__constant__ S s;
__global__ void k() { SET(p[0]); SET(s.a); SET(*p); }
//: comparison_in_an_initializer
__constant__ int flag = 3 > 2; __global__ void run(unsigned *out) { unsigned *p = out; *p++ = flag; *p++ = threadIdx.x < 64; }
//: shift_in_an_initializer
__constant__ unsigned m = 1u << 4, n = 64 >> 2; __global__ void run(unsigned *out) { unsigned k = 1; k += m; out[0] = k + n; }
//: write_after_a_shift
__constant__ unsigned m = 1u << 4; __constant__ int c; __global__ void k() { c = m; }
//: write_after_a_comparison
__constant__ bool m = 1 < 4; __constant__ int c; __global__ void k() { c = m; }
//: declarators_of_a_template
template <int A, int B> struct P { int v; }; __constant__ P<1, 2> p = {3}, q = {4}; __global__ void run(unsigned *out) { out[0] = p.v * 16 + q.v; }
//: member_of_an_array
struct S { int x; }; __constant__ S s[1]; __global__ void k() { s->x = 1; }
