"""Command line of the package: ``python -m pycuda doctor`` and ``provide``.

It also works if another distribution has replaced files of the package.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import sys

from pycuda._command_line import run
from pycuda._installation import distributions, doctor, provide


def _version() -> str:
    """Return the version of this package, from its metadata if possible."""
    own = distributions.find(distributions.OWN)
    version = distributions.version(own) if own else "unknown"
    if version != "unknown":
        return version
    import pycuda

    return getattr(pycuda, "VERSION_TEXT", "unknown")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pycuda",
        description="Examine this installation, or make packages that "
        "require 'pycuda' find it.",
    )
    actions = parser.add_subparsers(
        dest="action", metavar="doctor|provide", required=True
    )
    examine = actions.add_parser(
        "doctor",
        help="report on versions, devices, compilers and the cache",
        description="Run a kernel on each device and report what is "
        "installed. The exit status is 1 if something does not work.",
    )
    examine.add_argument("--json", action="store_true", help="for programs")
    claim = actions.add_parser(
        "provide",
        help="satisfy packages that require 'pycuda'",
        description="Write metadata of a distribution 'pycuda' that requires "
        "pycuda-c, so that pip does not install the original.",
    )
    claim.add_argument(
        "--remove", action="store_true", help="remove the metadata"
    )
    claim.add_argument(
        "--version",
        help="version of PyCUDA to claim, for packages that require a "
        "certain one (default: this package's)",
    )
    return parser


def _provide(given: argparse.Namespace) -> int:
    try:
        if given.remove:
            removed = provide.remove()
            for folder in removed:
                print(f"removed {folder}")
            if not removed:
                print("nothing to remove: 'pycuda' was not provided")
        else:
            print(f"wrote {provide.write(_version(), given.version)}")
    except provide.ProvideError as error:
        print(f"pycuda: {error}", file=sys.stderr)
        return 1
    return 0


def main(words: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = _parser().parse_args(words)
    if given.action == "provide":
        return _provide(given)
    found = doctor.examine(_version())
    print(doctor.as_json(found) if given.json else doctor.as_text(found))
    return 1 if doctor.has_errors(found) else 0


if __name__ == "__main__":
    sys.exit(run("pycuda", main))
