"""Distributions that contain the package `pycuda`, and who owns its files."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import base64
import csv
import hashlib
import os
from importlib import metadata
from pathlib import Path

OWN = "pycuda-c"
CPU = "pycuda-c-cpu"
#: Name of the original PyCUDA's distribution, which other packages require.
ORIGINAL = "pycuda"
# The hashes of a RECORD that the specification of wheels names.
_HASHES = ("sha256", "sha384", "sha512")
#: Content of the file INSTALLER in metadata that `provide` has written.
MARK = "pycuda-c provide"


def package_folder() -> Path:
    """Return the folder of the package `pycuda` that contains this file."""
    return Path(__file__).resolve().parents[1]


def find(name: str) -> metadata.Distribution | None:
    """Return the first distribution `name` on `sys.path`, or None."""
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def read_text(distribution: metadata.Distribution, name: str) -> str | None:
    """Return a file of the metadata; None if it is no regular file."""
    folder = getattr(distribution, "_path", None)
    try:
        if isinstance(folder, Path) and not (folder / name).is_file():
            return None  # a named pipe, for example, would block the read
        return distribution.read_text(name)
    except (OSError, UnicodeDecodeError):
        return None


def version(distribution: metadata.Distribution) -> str:
    """Return the version; "unknown" without readable metadata."""
    if read_text(distribution, "METADATA") is None:
        return "unknown"
    # `metadata["Version"]` of a file without this line raises an exception in
    # future versions of Python.
    return distribution.metadata.get("Version") or "unknown"


def folder(distribution: metadata.Distribution) -> Path:
    """Return the folder that contains the packages of a distribution."""
    return Path(os.fspath(distribution.locate_file("")))


def is_provided(distribution: metadata.Distribution) -> bool:
    """Return whether `provide` wrote the metadata of a distribution."""
    return (read_text(distribution, "INSTALLER") or "").strip() == MARK


def find_originals() -> list[metadata.Distribution]:
    """Return the distributions `pycuda` that `provide` did not write."""
    return [
        distribution
        for distribution in metadata.distributions(name=ORIGINAL)
        if not is_provided(distribution)
    ]


def _differs(path: Path, mode: str, digest: str) -> bool:
    """Return whether a file has another hash, or cannot be read."""
    try:
        content = path.read_bytes()
    except OSError:
        return True
    found = hashlib.new(mode, content).digest()
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode() != digest


def changed_files(distribution: metadata.Distribution) -> list[str]:
    """Return the files of the package that differ from the record.

    Parameters
    ----------
    distribution
        One with a file RECORD, which names the hash of each file.

    Returns
    -------
    list of str
        Paths relative to the folder that contains the package.
    """
    changed = []
    # From Python 3.12 on, `distribution.files` omits missing files.
    record = (read_text(distribution, "RECORD") or "").splitlines()
    for line in record:
        try:
            name, digest, *_ = next(csv.reader([line]))
        except (csv.Error, StopIteration, ValueError):
            continue  # a damaged line
        mode, _, value = digest.partition("=")
        if name.startswith("pycuda/") and mode in _HASHES:
            path = Path(os.fspath(distribution.locate_file(name)))
            if _differs(path, mode, value):
                changed.append(name)
    return changed
