"""PTX that was damaged at random: pycuda-jit reports errors, and ends."""

import os
import random
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
from ptx_modules import MODULES

SEEDS = 12
ROUNDS = 25
TOKEN = re.compile(r"[\w$%]+|\s+|.", re.DOTALL)
WORDS = [
    *"{};,:@!()[]=+-.",
    *("0", "-1", "4294967296", "0f7F800000", "1e400", "%r1", "%d1", "%p1"),
    *(".reg", ".param", ".shared", ".b8", ".u64", ".pred", ".align", "bra"),
    *("call", "ret", "mov", "ld", "st", "_", "out", "k", ".func", ".entry"),
]


def find_jit() -> str:
    """Return the path of pycuda-jit."""
    installed = Path(sysconfig.get_path("platlib")) / "pycuda/bin/pycuda-jit"
    return os.environ.get("PYCUDA_JIT") or str(installed)


JIT = find_jit()
pytestmark = pytest.mark.skipif(not Path(JIT).exists(), reason="no pycuda-jit")


def mutate(text: str, draw: random.Random) -> str:
    """Return the text with some tokens removed, copied or replaced."""
    tokens = TOKEN.findall(text)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(tokens))
        match draw.randrange(5):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[draw.randrange(len(tokens))])
            case 2:
                tokens[at] = tokens[draw.randrange(len(tokens))]
            case 3:
                tokens[at] = draw.choice(WORDS)
            case _:
                tokens = tokens[: max(at, 40)]
    return "".join(tokens)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_mutations(seed):
    draw = random.Random(seed)
    names = list(MODULES)
    for _ in range(ROUNDS):
        text = mutate(MODULES[draw.choice(names)].text, draw)
        done = subprocess.run(
            [JIT], input=text.encode(), capture_output=True, timeout=60
        )
        assert done.returncode in (0, 1), (text, done.stderr.decode())
        assert done.returncode == 0 or b"error: " in done.stderr
