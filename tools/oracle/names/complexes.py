"""cuComplex.h.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry
from survey import names, survey

HEADERS = ("cuComplex.h",)
NAMES = names("""
make_cu{,Float,Double}Complex cuC{real,imag,onj,abs,add,sub,mul,div,fma}{,f}
cuComplex{FloatToDouble,DoubleToFloat} make_float2 make_double2 cuCneg{,f}
""")


def entries() -> Iterator[Entry]:
    """Yield surveys of all names."""
    kinds = ("cuFloatComplex", "cuDoubleComplex")
    calls = [
        (kind,) * n
        for kind in (*kinds, "float", "double", "int")
        for n in (1, 2, 3)
    ]
    for name in NAMES:
        yield survey("complexes", name, calls, HEADERS)
    for kind in (*kinds, "cuComplex"):
        yield Entry(
            "complexes",
            f"sizeof({kind})",
            "",
            HEADERS,
            f"sizeof({kind}), alignof({kind}), sizeof({kind}::y)",
        )
