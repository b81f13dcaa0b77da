"""Prints the lines of requirements.txt that this Python does not satisfy.

``./run`` asks before it calls pip, so that nothing needs the network once
everything is there.
"""

import fnmatch
import sys
from importlib import metadata
from pathlib import Path


def is_satisfied(line: str) -> bool:
    """Whether a distribution that fits `name` or `name==pattern` is here."""
    name, _, pattern = line.partition("==")
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return fnmatch.fnmatch(version, pattern or "*")


def main() -> None:
    """Print what is missing, one requirement a line."""
    text = Path(__file__).with_name("requirements.txt").read_text()
    lines = [line.strip() for line in text.splitlines()]
    for line in lines:
        if line and not line.startswith("#") and not is_satisfied(line):
            print(line)


if __name__ == "__main__":
    sys.exit(main())
