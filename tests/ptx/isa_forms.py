"""Expands the families of instructions in isa_forms.txt, and builds modules.

The forms say which instructions the PTX ISA has; what they compute is tested
elsewhere.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).with_name("isa_forms.txt")

LETTERS = {"8": "h", "16": "h", "32": "r", "64": "d", "128": "q"}
TYPE = re.compile(r"(?:[bus]|f|bf)(8|16|32|64|128)(x2)?")
# {r0, r1} and {r0-3} are vectors of registers; other braces are alternatives.
VECTOR = re.compile(r"[rdhbq]\d+(-\d+|(, ([rdhbq]\d+|_))*)")
RANGE = re.compile(r"\{([rdhq])(\d+)-(\d+)\}")

HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
# name in a form: its declaration
DECLARATIONS = {
    "global_variable": ".global .align 16 .b8 global_variable[256];",
    "const_variable": ".const .align 16 .b8 const_variable[256];",
    "shared_variable": ".shared .align 16 .b8 shared_variable[256];",
    "texture": ".global .texref texture;",
    "surface": ".global .surfref surface;",
    "function": ".func (.reg .b32 y) function(.reg .b32 x) "
    "{ mov.b32 y, x; ret; }",
}
LABELS = {
    r"q\d": ".reg .b128 q<4>;",
    "prototype": "prototype: .callprototype (.reg .b32 _) _ (.reg .b32 _);",
    "targets": "targets: .branchtargets end, start;",
}
REGISTERS = (
    "    .reg .b8 b<8>;\n    .reg .b16 h<32>;\n    .reg .b32 r<32>;\n"
    "    .reg .b64 d<32>;\n    .reg .pred p<8>;\n"
)


class Form(NamedTuple):
    """A form: its section and text, and "refused", "missing" or ""."""

    section: str
    text: str
    mark: str

    @property
    def instruction(self) -> str:
        """Return the name of the instruction, such as add."""
        words = re.sub(r"@!?\w+ ", "", self.text)
        return re.split(r"[. ]", words)[0]


def _alternatives(body: str) -> list[str]:
    """Split at commas outside of braces that no blank follows."""
    parts, depth = [""], 0
    for i, letter in enumerate(body):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth and body[i + 1 : i + 2] != " ":
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _expand(text: str, start: int = 0) -> Iterator[str]:
    """Yield the text with each choice of its alternatives."""
    at = text.find("{", start)
    if at < 0:
        yield text
        return
    end, depth = at, 0
    while True:
        depth += (text[end] == "{") - (text[end] == "}")
        end += 1
        if not depth:
            break
    body = text[at + 1 : end - 1]
    if VECTOR.fullmatch(body) or "$" in body:
        yield from _expand(text, end)
        return
    for part in _alternatives(body):
        yield from _expand(text[:at] + part + text[end:], at)


def _registers(text: str) -> str:
    """Replace $1, &1 and ranges by names of registers."""
    operation = text.split(" ")[0] if text[0] != "@" else text
    widths = [
        "32" if match[2] else match[1]
        for word in operation.split(".")
        if (match := TYPE.fullmatch(word))
    ]
    vector = re.search(r"\.v(\d)(\.|$)", operation)
    size = int(vector[1]) if vector else 1

    def named(match: re.Match[str]) -> str:
        letter = LETTERS[widths[-1 if match[1] == "$" else -2]]
        first = int(match[2]) * size
        names = [f"{letter}{first + i}" for i in range(size)]
        return f"{{{', '.join(names)}}}" if vector else names[0]

    def spread(match: re.Match[str]) -> str:
        letter, low, high = match[1], int(match[2]), int(match[3])
        names = [f"{letter}{i}" for i in range(low, high + 1)]
        return f"{{{', '.join(names)}}}"

    text = re.sub(r"([$&])(\d+)", named, text)
    text = RANGE.sub(spread, text)
    if text.endswith("@"):
        text = text[:-1] + (", d5" if "cache_hint" in text else "")
    return text


def read_forms() -> list[Form]:
    """Return all forms of isa_forms.txt, without duplicates."""
    section, family = "", list[Form]()
    forms: dict[str, Form] = {}

    def finish() -> None:
        forms.update((row.text, row) for row in family)
        family.clear()

    for line in DATA.read_text().splitlines():
        if line.startswith("=="):
            finish()
            section = line[2:].strip()
        elif line.startswith("- "):
            wrong = re.compile(line[2:])
            family[:] = [x for x in family if not wrong.search(x.text)]
        elif line.strip() and line[0] != "#":
            finish()
            match = re.match(r"(refused |missing |)(.*)", line)
            assert match
            for text in _expand(match[2]):
                family.append(
                    Form(section, _registers(text), match[1].strip())
                )
    finish()
    return list(forms.values())


def module_of(texts: list[str]) -> tuple[str, dict[int, str]]:
    """Return a module with a kernel of the statements, and the line of each.

    The registers of addresses have values that the compiler does not know.
    """
    body = "\n".join(texts)
    before = [
        code
        for name, code in DECLARATIONS.items()
        if re.search(rf"\b{name}\b", body)
    ]
    labels = [
        code
        for name, code in LABELS.items()
        if re.search(rf"\b{name}\b", body)
    ]
    text = HEAD + "".join(line + "\n" for line in before)
    text += ".visible .entry k(.param .u64 parameter)\n{\n" + REGISTERS
    text += "".join(f"    {line}\n" for line in labels)
    text += "    ld.param.u64 d1, [parameter];\n"
    text += "    ld.global.v4.u32 {r0, r1, r2, r3}, [d1];\n"
    text += "    ld.global.v2.u64 {d2, d3}, [d1+16];\n"
    text += "    ld.global.v4.u16 {h0, h1, h2, h3}, [d1+32];\nstart:\n"
    lines = {}
    for row in texts:
        lines[text.count("\n") + 1] = row
        text += f"    {row};\n"
    return text + "end:\n    ret;\n}\n", lines
