"""Prints the lines of requirements.txt that this Python does not satisfy.

``./run`` asks before it calls pip, so that it needs no network if everything
is installed.
"""

import fnmatch
import re
import sys
from importlib import metadata
from pathlib import Path


def is_satisfied(line: str) -> bool:
    """Return whether `name`, `name==pattern` or `name>=X.Y` is satisfied."""
    name, _, least = line.partition(">=")
    name, _, pattern = name.partition("==")
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    if least:
        return numbers(version) >= numbers(least)
    return fnmatch.fnmatch(version, pattern or "*")


def numbers(version: str) -> list[int]:
    """Return the numbers at the start of a version."""
    return [int(n) for n in re.findall(r"\d+", version)[:2]]


def main() -> None:
    """Print the missing requirements, one per line."""
    text = Path(__file__).with_name("requirements.txt").read_text()
    lines = [line.strip() for line in text.splitlines()]
    for line in lines:
        if line and not line.startswith("#") and not is_satisfied(line):
            print(line)


if __name__ == "__main__":
    sys.exit(main())
