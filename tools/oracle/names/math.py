"""CUDA's mathematical functions and intrinsics for numbers of 32 and 64 bits.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry
from survey import ARITHMETIC, INTEGERS, MAIN, names, product, same, surveys

FUNCTIONS = names("""
{a,}{cos,sin,tan}{,h}{,f} atan2{,f} {sin,cos,tan}pi{,f} sincos{,pi}{,f}
cbrt{,f} rcbrt{,f} ceil{,f} floor{,f} trunc{,f} round{,f} rint{,f}
nearbyint{,f} {l,ll}{rint,round}{,f} copysign{,f} cyl_bessel_i{0,1}{,f}
erf{,c,cinv,cx,inv}{,f} exp{,2,10,m1}{,f} log{,2,10,1p,b}{,f} fabs{,f} abs
{l,ll}abs fdim{,f} fdivide{,f} fma{,f} f{max,min,mod}{,f} frexp{,f}
hypot{,f} rhypot{,f} ilogb{,f} is{finite,inf,nan} {j,y}{0,1,n}{,f}
ldexp{,f} scalb{n,ln}{,f} lgamma{,f} tgamma{,f} {,u,ll,ull}{max,min}
modf{,f} nan{,f} nextafter{,f} nexttoward{,f} {r,}norm{,3d,4d}{,f}
normcdf{,inv}{,f} pow{,i}{,f} remainder{,f} remquo{,f} {r,}sqrt{,f}
signbit __is{inf,nan}{,f,l} __finite{,f,l} __signbit{,f,l}
is{greater,greaterequal,less,lessequal,lessgreater,unordered,normal}
fpclassify gamma{,f} drem{,f} significand{,f} lgamma{,f}_r pow10{,f} finite
isinf{f,l} isnan{f,l} isfinite{f,l} exp2i clamp saturate rcp recip fdividef
""")
ROUNDED = names("""
__f{add,sub,mul,div,rcp,sqrt,maf,maf_ieee}_{rn,rz,ru,rd} __frsqrt_{rn,rz}
__d{add,sub,mul,div,rcp,sqrt}_{rn,rz,ru,rd} __fma_{rn,rz,ru,rd}
__drsqrt_rn __drcp64h __f{add,mul}2_{rn,rz,ru,rd} __ffma2_{rn,rz,ru,rd}
""")
FAST = names("""
__{sin,cos,tan,exp,exp10,log,log2,log10,tanh,exp2,rsqrt,sqrt}f __powf
__sincosf __saturatef __fdividef __fdivide __rcpf __frcp __fsqrt __dsqrt
__fabsf __fdim __hypotf
""")
INTEGER = names("""
__brev{,ll} __byte_perm __clz{,ll} __ffs{,ll} __fns __popc{,ll}
__funnelshift_{l,lc,r,rc} __{,u,r,ur}hadd __{,u}mul24 __{,u}mulhi
__{,u}mul64hi __{,u}sad __{,u}bfe __bfi __dp{2a,4a} __dp2a_{lo,hi}
__nv_bswap{16,32,64} mulhi umulhi mul64hi umul64hi mul24 umul24 usad sad
popc clz ffs brev byte_perm
""")
CASTS = names("""
__double2{int,uint,ll,ull,float}{,_rn,_rz,_ru,_rd}
__float2{int,uint,ll,ull,double}{,_rn,_rz,_ru,_rd}
__{int,uint,ll,ull}2{float,double}{,_rn,_rz,_ru,_rd}
__double2{hi,lo}int __hiloint2double
__double_as_{longlong,ulonglong} __{,u}longlong_as_double
__float_as_{int,uint} __{int,uint}_as_float
float2int double2int int2float uint2float int2double float_as_int
int_as_float double_as_longlong longlong_as_double float2uint float2ll
float2ull __internal_float2uint
""")
LIMITED = ("int", "float", "double")
UNARY = same(ARITHMETIC, 1)
POINTERS = [
    (number, f"{target} *")
    for number in ("int", "float", "double")
    for target in ("int", "long", "float", "double")
]
TWO = product(MAIN, 2) + POINTERS
THREE = (
    product(LIMITED, 3)
    + same(INTEGERS, 3)
    + [(a, a, "int *") for a in ("float", "double")]
    + [(a, f"{a} *", f"{a} *") for a in ("float", "double")]
    + [(a, "int", "unsigned") for a in ("int", "unsigned")]
    + [("int", f"const {a} *", "int") for a in ("float", "double")]
)
STRINGS = [("const char *",), ("int", "const float *")]
STRINGS += [("int", "const double *")]
PACKED = [
    (f"{a}{n}", f"{b}{m}", c)
    for a in ("short", "ushort", "char", "uchar", "float")
    for b, c in (("char", "int"), ("uchar", "unsigned"))
    for n in (2, 4)
    for m in (2, 4)
] + [("float2",) * 2, ("float2",) * 3]
FOUR = same(MAIN, 4) + [("int", "float", "double", "int")]
CALLS = UNARY + TWO + THREE + STRINGS + FOUR


def entries() -> Iterator[Entry]:
    """Yield surveys of all names."""
    words = FUNCTIONS + FAST + ROUNDED + INTEGER + CASTS
    yield from surveys("math", dict.fromkeys(words), CALLS + PACKED)
    # <cmath> adds these functions to std.
    yield from surveys(
        "math",
        [f"std::{word}" for word in FUNCTIONS if not word.startswith("_")],
        UNARY + TWO + THREE,
        ("cmath",),
    )
