"""Warp functions and the video instructions on bytes and half words.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry
from survey import ARITHMETIC, INTEGERS, names, product, same, surveys

SHUFFLES = names("__shfl{,_up,_down,_xor}{,_sync}")
VOTES = names("""
__{any,all,ballot,uni}{,_sync} __activemask __match_{any,all}{,_sync}
__reduce_{add,min,max,and,or,xor}_sync __reduce_{fmin,fmax}_sync __syncwarp
__lane_id __lanemask_{lt,le,eq,ge,gt} __nv_lane_id __laneid __warpid __smid
""")
OLD = ("__any", "__all", "__ballot")
VIDEO = names("""
__v{abs,absss,neg,negss,abs_diff}{2,4} __v{abs_diffs,abs_diffu}{2,4}
__v{absdiffs,absdiffu}{2,4} __vadd{,ss,us}{2,4} __vsub{,ss,us}{2,4}
__vavg{s,u}{2,4} __vhaddu{2,4} __vsad{s,u}{2,4}
__v{cmp,set}{eq,ne}{2,4} __v{cmp,set}{ge,gt,le,lt}{s,u}{2,4}
__v{max,min}{s,u}{2,4}
__viadd{max,min}_{s32,u32,s16x2,u16x2}{,_relu}
__vi{max,min}{,3}_{s32,u32,s16x2,u16x2}{,_relu}
__vib{max,min}_{s32,u32,s16x2,u16x2}
__vadd4 vadd4
""")


def entries() -> Iterator[Entry]:
    """Yield all entries."""
    values = (*ARITHMETIC, "float2", "int2", "int *", "void *")
    calls = [
        call
        for t in values
        for call in (
            (t, "int"), (t, "int", "int"), ("unsigned", t, "int"),
            ("unsigned", t, "unsigned", "int"), ("unsigned", t, "int", "int"),
            ("unsigned", t), ("unsigned", t, "int *"), (t, "int *"), (t,),
        )
    ]  # fmt: skip
    # Front ends know the old functions; ptxas refuses them.
    new = [name for name in SHUFFLES + VOTES if name not in OLD]
    yield from surveys("warps", new, [*calls, ()])
    for name in OLD:
        code = f"__global__ void k(int *p) {{ *p = {name}(*p); }}"
        yield Entry("warps", name, code, alone=True)
    four = ("int", "unsigned")
    video = same(four, 1) + product(four, 2) + product(four, 3)
    video += [(t, t, "bool *") for t in (*four, "unsigned short")]
    video += [(t, t, "bool *", "bool *") for t in four]
    video += same(INTEGERS, 2)
    yield from surveys("warps", VIDEO, video)
