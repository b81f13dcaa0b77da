"""The text of a module in PTX as functions and instructions.

Each statement is on a line of its own.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

TYPE = re.compile(r"[busf]\d+|pred")
REGION = 1 << 40  # distance of the addresses of two variables


class Operand(NamedTuple):
    """`kind` r: slot of a register, i: an integer, f: bits of a float,
    s: special register, v: operands in braces, m: (base, offset),
    n: another name, !: negated predicate, |: two predicates.
    """

    kind: str
    value: Any


class Instruction(NamedTuple):
    operation: str
    modifiers: tuple[str, ...]
    types: tuple[str, ...]
    operands: tuple[Operand, ...]
    predicate: Operand | None


class Variable(NamedTuple):
    space: str
    address: int
    bytes: bytes


class Function(NamedTuple):
    parameters: list[tuple[str, str, str]]  # kind, type, name
    results: list[tuple[str, str, str]]
    code: list[Instruction]
    labels: dict[str, int]
    tables: dict[str, list[str]]


def split(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += letter in "{[(" and 1 or letter in "}])" and -1
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


class Program:
    """A parsed module."""

    def __init__(self, text: str):
        self.variables: dict[str, Variable] = {}
        self.functions: dict[str, Function] = {}
        self.scopes: list[dict[str, str]] = []
        self.slots = 0
        lines = iter(text.splitlines())
        for line in lines:
            line = line.strip()
            if re.match(r"\.(global|const|shared)", line):
                self.declare(line)
            elif re.match(r"\.visible \.entry|\.func", line):
                self.read_function(line, lines)

    def declare(self, line: str) -> None:
        """Add a variable, such as `.const .align 4 .b32 t[2] = {1, 2};`."""
        match = re.fullmatch(
            r"\.(\w+) (?:\.align \d+ )?\.(\w)(\d+) (\S+)\[(\d+)\]"
            r"(?: = \{(.*)\})?;",
            line,
        )
        assert match, line
        space, _, bits, name, count, values = match.groups()
        size = int(bits) // 8
        data = b"".join(
            (int(value, 0) & ((1 << int(bits)) - 1)).to_bytes(size, "little")
            for value in split(values or "")
        )
        self.variables[name] = Variable(
            space,
            (len(self.variables) + 16) * REGION,
            data.ljust(size * int(count), b"\0"),
        )

    def declare_registers(self, line: str) -> None:
        for name in split(line.rstrip(";").split(None, 2)[2]):
            many = re.fullmatch(r"(\S+)<(\d+)>", name)
            names = (
                [f"{many[1]}{i}" for i in range(int(many[2]))]
                if many
                else [name]
            )
            for one in names:
                self.slots += 1
                self.scopes[-1][one] = f"{one}#{self.slots}"

    def operand(self, text: str) -> Operand:
        if text.startswith("{"):
            return Operand("v", tuple(map(self.operand, split(text[1:-1]))))
        if text.startswith("["):
            base, _, offset = text[1:-1].partition("+")
            return Operand("m", (self.operand(base.strip()), int(offset or 0)))
        if text.startswith("!"):
            return Operand("!", self.operand(text[1:]))
        if "|" in text:
            return Operand("|", tuple(map(self.operand, text.split("|"))))
        if re.match(r"-?\d", text) and text[:2] not in ("0f", "0d"):
            return Operand("i", int(text, 0))
        if text[:2] in ("0f", "0d"):
            return Operand("f", int(text[2:], 16))
        for scope in reversed(self.scopes):
            if text in scope:
                return Operand("r", scope[text])
        return Operand("s" if text[0] == "%" else "n", text)

    def instruction(self, line: str) -> Instruction:
        line = line.rstrip(";")
        predicate = None
        if line.startswith("@"):
            name, _, line = line[1:].partition(" ")
            predicate = self.operand(name)
        words, _, rest = line.partition(" ")
        operation, *modifiers = words.split(".")
        if operation == "call":
            operands = tuple(Operand("n", part) for part in split(rest))
            operands = tuple(
                Operand("v", tuple(map(self.operand, split(o.value[1:-1]))))
                if o.value[0] == "("
                else o
                for o in operands
            )
        else:
            operands = tuple(map(self.operand, split(rest)))
        return Instruction(
            operation,
            tuple(modifiers),
            tuple(m for m in modifiers if TYPE.fullmatch(m)),
            operands,
            predicate,
        )

    def parameters(self, text: str) -> list[tuple[str, str, str]]:
        """Return the kind, type and slot or name of each parameter."""
        found = []
        for part in split(text):
            kind, kind_type, name = part.split()
            if kind == ".reg":
                self.declare_registers(f".reg {kind_type} {name};")
                name = self.scopes[-1][name]
            found.append((kind[1:], kind_type[1:], name))
        return found

    def read_function(self, head: str, lines: Iterator[str]) -> None:
        match = re.fullmatch(
            r"(?:\.visible \.entry|\.func)(?: \(([^)]*)\))? (\w+)\(([^)]*)\)",
            head,
        )
        assert match, head
        self.scopes = [{}]
        results = self.parameters(match[1] or "")
        own = Function(self.parameters(match[3]), results, [], {}, {})
        self.functions[match[2]] = own
        for line in lines:
            line = line.strip()
            if line == "{":
                self.scopes.append({})
            elif line == "}":
                self.scopes.pop()
                if len(self.scopes) == 1:
                    return
            elif line.startswith(".reg"):
                self.declare_registers(line)
            elif re.match(r"\.(local|shared)", line):
                self.declare(line)
            elif line.startswith(".param"):
                own.code.append(
                    Instruction(
                        ".param",
                        (),
                        (line.split()[1][1:],),
                        (Operand("n", line.rstrip(";").split()[2]),),
                        None,
                    )
                )
            elif ": .branchtargets" in line:
                name, _, targets = line.partition(": .branchtargets ")
                own.tables[name] = split(targets.rstrip(";"))
            elif line.endswith(":"):
                own.labels[line[:-1]] = len(own.code)
            elif line:
                own.code.append(self.instruction(line))
