"""The device functions of cuRAND.

SPDX-License-Identifier: MIT
"""

import re
from collections.abc import Iterator

from entries import Entry
from survey import names, survey

HEADERS = ("curand_kernel.h",)
STATES = [
    f"curandState{name}{ending}"
    for name in ("", "XORWOW", "Philox4_32_10", "MRG32k3a", "Sobol32",
                 "Sobol64", "ScrambledSobol32", "ScrambledSobol64", "Mtgp32")
    for ending in ("", "_t")
]  # fmt: skip
FUNCTIONS = names("""
curand{,4} curand_uniform{,2,4}{,_double} curand_uniform2_double
curand_uniform4_double curand_normal{,2,4}{,_double}
curand_log_normal{,2,4}{,_double} curand_poisson{,4} curand_discrete{,4}
curand_mtgp32_{single,specific,single_specific} curand_mtgp32_specific
curand_Philox4x32_10 _curand_uniform skipahead{,_sequence,_subsequence}
curand_init curand_precalc_init curand_mtgp32_single curand_binomial
curand_gamma curand_exponential curand_uniform_float curand_MRG32k3a
curand_normal4_double __curand_uniform
_curand_uniform{4,_double,_double_hq,_double_excluding_one}
_curand_normal_icdf{,_double} _curand_box_muller{,_double}
curand_box_muller{,_double} _curand_poisson _curand_discrete
_curand_{M2,binary_search}_double curand_{M2,binary_search}_double
curand_M2_double4 curand_poisson_knuth Philox_State_Incr{,_hi} mulhilo32
_philox4x32round para_rec temper temper_single
""")
# Helpers of the headers that no page documents.
INTERNAL = names("""
curand_box_muller{4,2_double,4_double,_mrg,_mrg_double} curand__discrete{,4}
_curand_poisson_{ITR_double,from_normal} curand_poisson_from_normal{,4}
curand_poisson_{knuth4,gammainc,gammainc4} curand_MRGmod{,Mul}
__curand_find_trailing_zero __cr_{rsqrt,exp,log,rcp,lgamma_integer}
__cr_pgammainc{,inv}
""")
WORDS = [
    (word, *more)
    for word in ("unsigned", "unsigned long long", "uint4")
    for more in (
        (),
        ("double",),
        ("unsigned",),
        ("unsigned", "unsigned", "unsigned"),
        ("curandDiscreteDistribution_t",),
        ("curandDistributionM2Shift_t",),
        ("curandDistributionShift_t",),
    )
]
MORE = names("""
curandStatus curandStatus_t curandRngType curandRngType_t curandOrdering_t
curandMethod_t curandDirectionVectors32_t curandDirectionVectors64_t
curandDirectionVectorSet curandGenerator_t curandDistribution_t
curandDiscreteDistribution_t curandHistogramM2_t curandDirectionVectorSet_t
curandDistributionShift_t mtgp32_kernel_params_t mtgp32_params_fast_t
curand{DistributionShift,HistogramM2,DistributionM2Shift}_st
curand{DiscreteDistribution,Distribution,HistogramM2K,HistogramM2V}_st
curand{DistributionM2Shift,HistogramM2K,HistogramM2V}_t
""")
VALUES = names("""
CURAND_STATUS_{SUCCESS,VERSION_MISMATCH,NOT_INITIALIZED,ALLOCATION_FAILED}
CURAND_STATUS_{TYPE_ERROR,OUT_OF_RANGE,LENGTH_NOT_MULTIPLE,LAUNCH_FAILURE}
CURAND_STATUS_{DOUBLE_PRECISION_REQUIRED,PREEXISTING_FAILURE}
CURAND_STATUS_{INITIALIZATION_FAILED,ARCH_MISMATCH,INTERNAL_ERROR}
CURAND_RNG_{TEST,PSEUDO_DEFAULT,PSEUDO_XORWOW,PSEUDO_MRG32K3A,PSEUDO_MTGP32}
CURAND_RNG_{PSEUDO_MT19937,PSEUDO_PHILOX4_32_10,QUASI_DEFAULT,QUASI_SOBOL32}
CURAND_RNG_QUASI_{SCRAMBLED_SOBOL32,SOBOL64,SCRAMBLED_SOBOL64}
CURAND_ORDERING_{PSEUDO_BEST,PSEUDO_DEFAULT,PSEUDO_SEEDED,PSEUDO_LEGACY}
CURAND_ORDERING_{PSEUDO_DYNAMIC,QUASI_DEFAULT} CURAND_VERSION CURAND_VER_MAJOR
CURAND_DIRECTION_VECTORS_{32,64}_JOEKUO6
CURAND_SCRAMBLED_DIRECTION_VECTORS_{32,64}_JOEKUO6
CURAND_{CHOOSE_BEST,ITR,KNUTH,HITR,M1,M2,BINARY_SEARCH,DISCRETE_GAUSS}
CURAND_{REJECTION,DEVICE_API,FAST_REJECTION,3RD,DEFINITION,POISSON}
CURAND_{PI,2POW32_INV,2POW32_INV_DOUBLE,2POW53_INV_DOUBLE,SQRT2}
CURAND_{2POW32,2POW32_DOUBLE,2POW32_INV_2PI,2PI,SQRT2_DOUBLE}
MTGP32_{STATE_SIZE,STATE_MASK} MRG32K3A_{MOD1,MOD2,MOD1_D,NORM,DEFAULT}
XORWOW_{SEQUENCE_SPACING,JUMP_MATRICES} PHILOX_{W32_0,W32_1,M4x32_0,M4x32_1}
CURAND_XORWOW_{PRECALC_MATRIX_N} PRECALC_NUM_MATRICES_HOST
CURAND_{PI_DOUBLE,2PI_DOUBLE,2POW53_INV_2PI_DOUBLE} CURAND_VER_{MINOR,PATCH}
EXTRA_FLAG_{NORMAL,LOG_NORMAL} MRG32K3A_{A12,A13N,A21,A23N,BITS_NORM}
MTGPDC_{MEXP,N,FLOOR_2P,CEIL_2P} MEXP THREAD_NUM LARGE_SIZE TBL_SIZE
CURAND_NUM_MTGP32_PARAMS
""")
# Constants that tune the headers' implementation, and tables.
INTERNAL_VALUES = names("""
MAX_XOR_N SKIPAHEAD_{BLOCKSIZE,MASK} PRECALC_{NUM_MATRICES,BLOCK_SIZE}
PRECALC_BLOCK_MASK {KNUTH_FLOAT,MAGIC_DOUBLE}_CONST MAX_LAMBDA
MIN_GAUSS_LAMBDA {SOBOL64_ITR,SOBOL_M2,MTGP32_M2}_BINARY_DIVIDE
CR_CUDART_{PI,TWO_TO_52} precalc_xorwow_{matrix,offset_matrix}[0][0]
mrg32k3aM{1,2}{,SubSeq,Seq}[0][0][0]
""")
INTERNAL_TYPES = names("normal_args{,_double}_t")

# Constants that are no integers, and tables.
REAL = r"INV|PI|SQRT|MRG32K3A|_CONST|TWO_TO_52|\["


def entries() -> Iterator[Entry]:
    """Surveys of all functions with all states."""
    calls = [
        (f"{state} *", *more)
        for state in STATES[::2]
        if "Mtgp" not in state
        for more in (
            (),
            ("float", "float"),
            ("double", "double"),
            ("double",),
            ("curandDiscreteDistribution_t",),
            ("curandDistributionM2Shift_t",),
            ("curandDistributionShift_t",),
        )
    ]
    inits = [
        (*first, *rest, f"{state} *")
        for state in STATES[::2]
        if "Mtgp" not in state
        for first in (
            ("unsigned long long",) * 2,
            ("unsigned *",),
            ("unsigned long long *",),
        )
        for rest in (
            ("unsigned long long",),
            ("unsigned",),
            ("unsigned", "unsigned"),
            ("unsigned long long", "unsigned long long"),
        )
    ]
    skips = [
        (kind, f"{state} *")
        for state in STATES[::2]
        if "Mtgp" not in state
        for kind in ("unsigned", "unsigned long long")
    ]
    skips += [("uint4", "uint2")]
    mtgp = [
        ("curandStateMtgp32 *", *more)
        for more in (
            (),
            ("float", "float"),
            ("double",),
            ("unsigned char", "unsigned char"),
            ("curandDiscreteDistribution_t",),
        )
    ]
    for name in FUNCTIONS:
        yield survey("random", name, calls + inits + skips, HEADERS)
        yield survey("random", name, WORDS, HEADERS, f"{name} of words")
        yield survey("random", name, mtgp, HEADERS, f"{name} of Mtgp32")
    for name in INTERNAL:
        label = f"internal {name}"
        yield survey("random", name, calls + WORDS, HEADERS, label)
    for name in (*STATES, *MORE, *INTERNAL_TYPES):
        label = "internal " if name in INTERNAL_TYPES else ""
        yield Entry(
            "random",
            f"{label}sizeof({name})",
            "",
            HEADERS,
            f"sizeof({name}), alignof({name})",
        )
    for name in (*VALUES, *INTERNAL_VALUES):
        label = f"internal {name}" if name in INTERNAL_VALUES else name
        if re.search(REAL, name):
            code = f"__global__ void k$(double *x) {{ *x = {name}; }}"
            yield Entry("random", label, code, HEADERS)
        else:
            yield Entry("random", label, "", HEADERS, f"(long long)({name})")
