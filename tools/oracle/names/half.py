"""Functions, types and conversions of cuda_fp16.h and cuda_bf16.h.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry
from survey import (
    ARITHMETIC,
    BFLOAT,
    HALF,
    MAIN,
    names,
    operators,
    product,
    same,
    survey,
    surveys,
)

BOTH = """
__h{add,sub,mul,fma,div,neg,abs,max,min}{,2}{,_rn,_sat,_relu,_nan,_nan_relu}
__h2div __hcmadd __h{,b}{eq,ne,lt,le,gt,ge}{,u}{,2}{,_mask} __his{nan,inf}{,2}
h{,2}{sqrt,rsqrt,rcp,exp,exp2,exp10,log,log2,log10,sin,cos,tanh,tanh_approx}
h{,2}{trunc,ceil,floor,rint,tan,sinh,cosh,expm1,log1p,pow,erf,fabs,round}
__ld{g,cg,ca,cs,lu,cv} __st{wb,cg,cs,wt} __shfl{,_up,_down,_xor}_sync
__lowhigh2highlow atomicAdd unsafeAtomicAdd atomicMax atomicMin atomicExch
atomicCAS fma max min abs fabs isnan isinf sqrt exp
{make,__make}_{half,bfloat16}{,2} hcos hpow __hpow __hsqrt __hrcp __hexp
"""
OF_HALF = """
__{double,float,int,uint,short,ushort,ll,ull,char,uchar}2half{,_rn,_rz,_ru,_rd}
__half2{float,double,int,uint,short,ushort,ll,ull,char,uchar}
__half2{float,int,uint,short,ushort,ll,ull,char,uchar}_{rn,rz,ru,rd}
__float22half2_rn __float2half2_rn __floats2half2_rn __half22float2
__{low,high}2{float,half,half2} __{lows,highs}2half2 __halves2half2
__half2half2 __half_as_{short,ushort} __{short,ushort}_as_half
__half22{int2,half} __half2_as_{uint,int} __internal_float2half
"""
OF_BFLOAT = """
__{double,float,int,uint,short,ushort,ll,ull,char,uchar}2bfloat16{,_rn,_rz}
__{double,float,int,uint,short,ushort,ll,ull,char,uchar}2bfloat16_{ru,rd}
__bfloat162{float,double,int,uint,short,ushort,ll,ull,char,uchar}
__bfloat162{float,int,uint,short,ushort,ll,ull,char,uchar}_{rn,rz,ru,rd}
__float22bfloat162_rn __float2bfloat162_rn __floats2bfloat162_rn
__bfloat1622float2 __{low,high}2{float,bfloat16,bfloat162}
__{lows,highs}2bfloat162 __halves2bfloat162 __bfloat162bfloat162
__bfloat16_as_{short,ushort} __{short,ushort}_as_bfloat16
"""
TYPES = {
    "cuda_fp16.h": ("__half", "__half2"),
    "cuda_bf16.h": ("__nv_bfloat16", "__nv_bfloat162"),
}
ALIASES = {
    "cuda_fp16.h": "half half2 __half __half2 nv_half nv_half2 __nv_half"
    " __nv_half2 __half_raw __half2_raw __nv_half_raw __nv_half2_raw",
    "cuda_bf16.h": "nv_bfloat16 nv_bfloat162 __nv_bfloat16 __nv_bfloat162"
    " __nv_bfloat16_raw __nv_bfloat162_raw bfloat16 bfloat162",
}
CONSTANTS = {
    "cuda_fp16.h": "CUDART_{INF,NAN,MIN_DENORM,MAX_NORMAL,NEG_ZERO,ZERO,ONE}"
    "_FP16",
    "cuda_bf16.h": "CUDART_{INF,NAN,MIN_DENORM,MAX_NORMAL,NEG_ZERO,ZERO,ONE}"
    "_BF16",
}


def calls(scalar: str, pair: str, raws: tuple[str, ...]) -> list:
    """Return tuples of arguments for the functions of one header."""
    short = (scalar, pair, "float", "double", "int")
    others = ("float2", "double2", "int2", "short2", "unsigned short")
    unary = same((scalar, pair, *raws, *ARITHMETIC, *others), 1)
    binary = product(short, 2) + [
        (f"{const}{t} *", *more)
        for t in (scalar, pair)
        for const in ("", "const ")
        for more in ((), (t,), (t, t))
    ]
    ternary = same((*short, "unsigned"), 3) + [(scalar, scalar, pair)]
    shuffles = [("unsigned", t, "int", *more) for t in (scalar, pair)
                for more in ((), ("int",))]  # fmt: skip
    return unary + binary + ternary + shuffles


def of_header(header: str, more: str) -> Iterator[Entry]:
    """Yield all entries of one of the two headers."""
    scalar, pair = TYPES[header]
    raws = (BFLOAT if header == "cuda_bf16.h" else HALF)[2:]
    feed, headers = header[:-2].replace("cuda_", ""), (header,)
    every = calls(scalar, pair, raws)
    yield from surveys(feed, names(BOTH + more), every, headers)
    for name in (scalar, pair):
        yield survey(feed, name, every, headers)
    numbers = (*MAIN, "bool", "short", "unsigned short", "char", "long")
    numbers = (*numbers, "unsigned char", "signed char", "unsigned long")
    for target in (*numbers, scalar, pair, *raws, "float2"):
        source = same((scalar, pair, *raws, *numbers, "float2"), 1)
        for cast in ("static_cast", "oracle_implicit"):
            yield survey(feed, f"{cast}<{target}>", source, headers)
    mixed = (scalar, pair, "int", "float", "double", "bool")
    operands = product(mixed, 2) + same(mixed, 1)
    operands += [(f"{t} &",) for t in (scalar, pair)]
    operands += [(f"{t} &", u) for t in (scalar, pair) for u in mixed]
    yield from operators(feed, operands, headers)
    for name in ALIASES[header].split():
        value = f"sizeof({name}), alignof({name})"
        yield Entry(feed, f"sizeof({name})", "", headers, value)
    for name in names(CONSTANTS[header]):
        code = f"__global__ void k$({scalar} *x) {{ *x = {name}; }}"
        yield Entry(feed, name, code, headers)


def entries() -> Iterator[Entry]:
    """Yield surveys of all names."""
    yield from of_header("cuda_fp16.h", OF_HALF)
    yield from of_header("cuda_bf16.h", OF_BFLOAT + OF_HALF)
