"""Each modifier of an instruction has an effect, or is an error.

The forms are those of isa_forms.txt. A modifier that a form does not have must
be refused. One that it has must change the code, apart from those of
WITHOUT_EFFECT and .cc, which sets a flag that no register shows.
"""

# SPDX-License-Identifier: MIT

import random
import subprocess
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from isa_forms import TYPE, Form, module_of, read_forms
from test_isa_forms import translate_all
from test_mutations import JIT

pytestmark = pytest.mark.skipif(not Path(JIT).exists(), reason="no pycuda-jit")

# Sections of isa_forms.txt whose modifiers change numbers.
SECTIONS = {
    "integer arithmetic",
    "floats",
    "floats of 16 bits",
    "comparisons",
    "logic and shifts",
    "moves",
    "conversions",
    "warps",
    "video",
}
WORDS = [
    "rn",
    "rz",
    "rm",
    "rp",
    "rna",
    "rni",
    "rzi",
    "rmi",
    "rpi",
    "approx",
    "full",
    "ftz",
    "sat",
    "satfinite",
    "relu",
    "NaN",
    "abs",
    "xorsign",
    "cc",
    "hi",
    "lo",
    "wide",
    "wrap",
    "clamp",
    "shiftamt",
    "l",
    "r",
    "f4e",
    "rc16",
    "sync",
    "noftz",
    "trans",
    "row",
    "popc",
    "xor",
    "and",
    "add",
    "max",
    "pack",
    "uni",
    "finite",
    "normal",
    "po",
    "shr7",
    "L1::evict_last",
    "L2::cache_hint",
]
# Numbers are rounded to nearest without a modifier too; conversions of floats
# to integers always saturate, as on GPUs; addresses of all spaces but shared
# memory are generic ones, and a cluster has one block.
WITHOUT_EFFECT = {
    ("add", "rn"),
    ("sub", "rn"),
    ("mul", "rn"),
    ("mma", "rn"),
    ("cvt", "rn"),
    ("cvt", "sat"),
    ("cvta", "to"),
    ("mapa", "shared::cluster"),
    ("getctarank", "shared::cluster"),
}
STORES = """
    ld.param.u64 d30, [parameter];
    st.global.v4.u32 [d30], {r0, r1, r2, r3};
    st.global.v2.u64 [d30+16], {d0, d2};
    st.global.u16 [d30+32], h0;
    selp.u32 r31, 1, 0, p0;
    st.global.u32 [d30+36], r31;
end:
"""


def split(text: str) -> tuple[str, list[str], str]:
    """Return the operation, its modifiers and its operands."""
    head, _, operands = text.partition(" ")
    operation, *modifiers = head.split(".")
    return operation, modifiers, operands


def key_of(text: str) -> tuple[str, frozenset[str], str]:
    operation, modifiers, operands = split(text)
    return operation, frozenset(modifiers), operands


def forms_with_a_modifier_more() -> list[str]:
    rng = random.Random(37)
    forms = [x for x in read_forms() if x.section in SECTIONS and not x.mark]
    known = {key_of(x.text) for x in read_forms()}
    rows = defaultdict(list)
    for row in forms:
        rows[row.instruction].append(row.text)
    texts = []
    for own in rows.values():
        for text in rng.sample(own, min(len(own), 6)):
            operation, modifiers, operands = split(text)
            for word in WORDS:
                more = ".".join([operation, word, *modifiers])
                changed = f"{more} {operands}"
                if key_of(changed) not in known and word not in modifiers:
                    texts.append(changed)
    return texts


def test_other_modifiers_are_refused() -> None:
    texts = forms_with_a_modifier_more()
    assert len(texts) > 10000
    failed = translate_all([Form("", x, "") for x in texts], 20)
    taken = [x for x in texts if x not in failed]
    # ptxas takes these, which isa_forms.txt does not list.
    taken = [x for x in taken if not (x[0] == "v" and ".add." in x)]
    assert taken == []


def code_of(text: str) -> bytes:
    module, _ = module_of([text])
    done = subprocess.run(
        [JIT, "--kind=bitcode"],
        input=module.replace("end:\n", STORES).encode(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_modifiers_have_an_effect() -> None:
    forms = {
        key_of(x.text): x.text
        for x in read_forms()
        if x.section in SECTIONS - {"warps", "video"} and not x.mark
    }
    pairs = [
        (operation, word, text, forms[operation, words - {word}, operands])
        for (operation, words, operands), text in forms.items()
        for word in words
        if (operation, words - {word}, operands) in forms
        and "cc" not in words
        and not TYPE.fullmatch(word)
        and (operation, word) not in WITHOUT_EFFECT
    ]
    assert len(pairs) > 400
    texts = sorted({x for pair in pairs for x in pair[2:]})
    with ThreadPoolExecutor(2) as pool:
        codes = dict(zip(texts, pool.map(code_of, texts), strict=True))
    same = [a for _, _, a, b in pairs if codes[a] == codes[b]]
    assert same == []


@pytest.mark.parametrize(
    "text, moved",
    [
        ("min.relu.s32 r0, r1, r2", "min.s32.relu r0, r1, r2"),
        ("add.rn.ftz.sat.f32 r0, r1, r2", "add.f32.sat.rn.ftz r0, r1, r2"),
        (
            "fma.rn.relu.f16x2 r0, r1, r2, r3",
            "fma.f16x2.relu.rn r0, r1, r2, r3",
        ),
        ("cvt.rn.relu.tf32.f32 r0, r1", "cvt.tf32.f32.relu.rn r0, r1"),
        ("cvt.rz.ftz.f32.f64 r0, d1", "cvt.f32.rz.f64.ftz r0, d1"),
        ("div.rp.f64 d0, d1, d2", "div.f64.rp d0, d1, d2"),
        ("ex2.approx.ftz.f32 r0, r1", "ex2.f32.approx.ftz r0, r1"),
        ("cvt.rzi.sat.s32.f32 r0, r1", "cvt.s32.rzi.f32.sat r0, r1"),
    ],
)
def test_modifiers_may_follow_the_type(text: str, moved: str) -> None:
    assert code_of(text) == code_of(moved)
