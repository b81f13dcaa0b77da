"""Contracts: each function that a header declares says what it does.

The contract is the comment directly above the declaration. A comment above
several declarations covers those that it names, and all of them if it begins
with a plural, such as "Return", "Methods" or "Both".
"""

import re
from typing import NamedTuple

KEYWORDS = {"if", "for", "while", "return", "sizeof", "switch", "defined"}
MIN_WORDS = 3
# A verb in the third person (Returns, ends, has) or one that stands for it.
VERB = re.compile(
    r"\b(?:[a-z]+s|has|is|are|does|do|was|were|may|must|can|[Rr]eturn)\b", re.I
)
# What a contract says of a result.
RESULT = re.compile(
    r"return|result|whether|\btrue\b|\bfalse\b|NULL|\b0\b|-1|\berror|"
    r"exception|fail|raise|\btests?\b|stores|[A-Z]{2,}_[A-Z]{2,}|\bid\b",
    re.I,
)
# Opening comments that say what results mean in the whole header.
CONVENTION = re.compile(r"\bresult\b|\breturns?\b|\bresults\b", re.I)
PLURAL = re.compile(
    r"(?:[\w/]+\.c(?:, [\w/]+\.c)*: )?"  # the files that define them
    r"(?:Methods|Setters|Slots|Functions|Helpers|[A-Za-z][a-z]*[^\Ws])[ ,]"
)


class Declaration(NamedTuple):
    """A function that a header declares, and the comment above it."""

    name: str
    comment: str
    is_first: bool
    is_void: bool


def comment_text(comment: str) -> str:
    """Return the text of a C comment without its marks and line breaks."""
    inner = re.sub(r"^/\*+|\*+/$", "", comment.strip())
    return " ".join(re.sub(r"^ *\* ?", "", inner, flags=re.M).split())


def read_statement(lines: list[str], start: int) -> tuple[str, int]:
    """Return the declaration that begins at a line, and the line after it."""
    number, depth, text = start, 0, ""
    while number < len(lines):
        line = re.sub(r"/\*.*?\*/", " ", lines[number])
        text += line + "\n"
        depth += line.count("{") - line.count("}")
        number += 1
        ends = line.rstrip().endswith((";", "}")) and depth == 0
        if "/*" in line:  # a comment over several lines inside a struct
            while "*/" not in lines[number - 1]:
                number += 1
        if ends:
            break
    return text, number


def function_of(statement: str) -> tuple[str, bool] | None:
    """Return name and void-ness of a declared or inline function, or None."""
    head = statement.split("{")[0]
    head = re.sub(r"__attribute__\s*\(\(.*?\)\)+", " ", head, flags=re.S)
    if head.lstrip().startswith(("typedef", "extern")):
        return None
    match = re.match(r"\s*([\w\s*]*?[\s*])(\w+)\s*\(", head)
    if not match or match[2] in KEYWORDS or "=" in head:
        return None
    kind = match[1].replace("static", "").replace("inline", "").split()
    is_void = "".join(kind).replace("_Noreturn", "") == "void"
    return match[2], is_void


def read_declarations(text: str) -> list[Declaration]:
    """Return the functions of a header with the comments above them."""
    lines = text.splitlines()
    found: list[Declaration] = []
    comment, is_first, number = "", False, 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("/*"):
            start = number
            while "*/" not in lines[number]:
                number += 1
            comment = "\n".join(lines[start : number + 1])
            comment = comment if line.startswith("/* ") else ""
            is_first, number = True, number + 1
        elif not line.strip():
            comment, number = "", number + 1
        elif line.startswith("#"):
            while lines[number].endswith("\\"):
                number += 1
            number += 1
        else:
            statement, number = read_statement(lines, number)
            function = function_of(statement)
            if function:
                found.append(
                    Declaration(
                        function[0],
                        comment_text(comment),
                        is_first,
                        function[1],
                    )
                )
            is_first = False
    return found


def contract_faults(text: str) -> list[str]:
    """Return the functions of a header without contract, and what it lacks."""
    opening = comment_text(text.split("*/")[0])
    wrong = []
    for name, comment, is_first, is_void in read_declarations(text):
        named = re.search(rf"\b{name}\b", comment)
        if not comment or not (
            is_first or named or PLURAL.match(comment + " ")
        ):
            wrong.append(f"{name} has no comment")
        elif len(comment.split()) < MIN_WORDS or not VERB.search(comment):
            wrong.append(f"{name}: '{comment}' is not a sentence")
        elif not (
            is_void or RESULT.search(comment) or CONVENTION.search(opening)
        ):
            wrong.append(f"{name}: its comment does not name the result")
    return wrong
