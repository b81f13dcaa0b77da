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


def translate(text: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run pycuda-jit; it must give an image or errors, in time."""
    done = subprocess.run([JIT], input=text, capture_output=True, timeout=60)
    assert done.returncode in (0, 1), (text[:2000], done.stderr.decode())
    assert done.returncode == 0 or b"error: " in done.stderr
    return done


@pytest.mark.parametrize(
    ("name", "step"), [("index", 1), ("call", 7), ("global_list", 7)]
)
def test_a_text_that_ends_early(name, step):
    """Of one module every cut is tried, of others some."""
    text = MODULES[name].text.encode()
    for end in range(0, len(text), step):
        translate(text[:end])


@pytest.mark.parametrize("byte", [0, 1, 10, 34, 127, 128, 255])
def test_a_foreign_byte(byte):
    text = MODULES["index"].text.encode()
    for at in range(0, len(text), 23):
        translate(text[:at] + bytes([byte]) + text[at + 1 :])


HEAD = b".version 7.0\n.target sm_70\n.address_size 64\n"


def body(statements: str) -> bytes:
    registers = ".reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p;"
    return HEAD + f".entry k() {{ {registers} {statements} ret; }}".encode()


LARGE = {
    "braces": lambda n: body("{" * n + "}" * n),
    "open braces": lambda n: body("{" * n),
    "parentheses": lambda n: body(f"mov.b32 %r1, {'(' * n}1{')' * n};"),
    "signs": lambda n: body(f"mov.b32 %r1, {'-' * n}1;"),
    "sums": lambda n: body(f"mov.b32 %r1, 1{'+1' * n};"),
    "brackets": lambda n: body(f"ld.b32 %r1, {'[' * n}%d1{']' * n};"),
    "predicates": lambda n: body("@" * n + "ret;"),
    "suffixes": lambda n: body(f"mov{'.b32' * n} %r1, 1;"),
    "vector": lambda n: body(f"mov.b64 {{{'%r1,' * n}%r1}}, %d1;"),
    "digits": lambda n: body(f"mov.b32 %r1, {'9' * n};"),
    "registers": lambda n: body(f".reg .b32 %q<{n}{n}>;"),
    "register lists": lambda n: body(".reg .b32 %q<9999999>;" * (n // 1000)),
    "dimensions": lambda n: HEAD + b".global .b32 a" + b"[1]" * n + b";",
    "initialiser": lambda n: HEAD + b".global .b32 a = " + b"{" * n + b";",
    "variable": lambda n: HEAD + f".global .b32 a[{n}{n}];".encode(),
    "parameters": lambda n: (
        HEAD + b".entry k(" + b".param .b64 a," * n + b".param .b8 b) { ret; }"
    ),
    "name": lambda n: HEAD + b".entry " + b"k" * n + b"() { ret; }",
    "labels": lambda n: body("".join(f"L{i}:" for i in range(n // 100))),
    "comment": lambda n: HEAD + b"/*" + b"x" * n,
    "string": lambda n: HEAD + b'.file 1 "' + b"x" * n,
    "statements": lambda n: body(";" * n),
    "white space": lambda n: body(" " * 20 * n),
    "lines after an error": lambda n: HEAD + b".nothing" + b"\n" * n,
    "comments after an error": lambda n: HEAD + b".nothing" + b"\n//" * n,
}


@pytest.mark.parametrize("name", LARGE)
def test_large_texts(name):
    """Megabytes of one thing take seconds, and no deep stack."""
    translate(LARGE[name](1_000_000))
