"""``python -m pycuda.compiler``: inspect, export, trim or clear the cache.

    python -m pycuda.compiler info   [--cache FOLDER]
    python -m pycuda.compiler export [--cache FOLDER] DESTINATION
    python -m pycuda.compiler trim   [--cache FOLDER] [--size MIB]
    python -m pycuda.compiler clear  [--cache FOLDER]

If PYCUDA_CACHE_READONLY names the exported folder, programs find their kernels
there and need no compiler for them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import os
import sys

from pycuda._compile import cache, cache_trim


def _info(folder: str, options: argparse.Namespace) -> int:
    found = cache_trim.entries(folder)
    size = sum(entry.size for entry in found)
    most = cache_trim.limit()
    print(f"folder: {folder}")
    print(f"entries: {len(found)}")
    print(f"size: {size / 2**20:.1f} MiB")
    print(f"limit: {'none' if most is None else f'{most / 2**20:g} MiB'}")
    return 0


def _export(folder: str, options: argparse.Namespace) -> int:
    """Copy every intact entry; report the others."""
    os.makedirs(options.destination, exist_ok=True)
    copied = damaged = 0
    for entry in cache_trim.entries(folder):
        content = cache.read(folder, entry.name)
        if content is None:
            damaged += 1
            continue
        cache.write(options.destination, entry.name, content)
        copied += 1
    print(f"{copied} kernels copied to {options.destination}")
    if damaged:
        print(f"{damaged} damaged entries left out", file=sys.stderr)
    if not copied:
        print(f"{folder} holds no kernels", file=sys.stderr)
    return 0 if copied else 1


def _trim(folder: str, options: argparse.Namespace) -> int:
    most = (
        cache_trim.limit()
        if options.size is None
        else int(options.size * 2**20)
    )
    print(f"{cache_trim.run(folder, most)} files removed")
    return 0


def _clear(folder: str, options: argparse.Namespace) -> int:
    print(f"{cache_trim.run(folder, 0)} files removed")
    return 0


_COMMANDS = {
    "info": (_info, "folder, number and size of the cached kernels"),
    "export": (_export, "copy the kernels to a folder to ship"),
    "trim": (_trim, "remove the longest unused kernels beyond a size"),
    "clear": (_clear, "remove all kernels"),
}


def _size(text: str) -> float:
    size = float(text)
    if not 0 <= size < 2**40:
        raise ValueError
    return size


def main(arguments: list[str]) -> int:
    """Run one command and return the process's exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m pycuda.compiler",
        description="Look after the folder of compiled kernels.",
    )
    subparsers = parser.add_subparsers(dest="command", required=True)
    for name, (_, text) in _COMMANDS.items():
        one = subparsers.add_parser(name, help=text)
        one.add_argument(
            "--cache", metavar="FOLDER", help="default: the one in use"
        )
        if name == "export":
            one.add_argument("destination", metavar="DESTINATION")
        if name == "trim":
            one.add_argument("--size", type=_size, metavar="MIB")
    options = parser.parse_args(arguments)
    folder = cache.directory(options.cache)
    if folder is None:
        print("the cache is off: PYCUDA_DISABLE_CACHE is set", file=sys.stderr)
        return 1
    try:
        return _COMMANDS[options.command][0](folder, options)
    except OSError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
