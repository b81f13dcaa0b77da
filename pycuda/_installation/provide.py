"""Metadata by which packages that require `pycuda` find it installed.

`write` makes a distribution `pycuda` that has no files except metadata, and
requires this one. pip, uv, `importlib.metadata` and `pkg_resources` read it;
``pip uninstall pycuda`` removes it, as `remove` does.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import site
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

from pycuda._installation import distributions

_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?")


# pip can do without this file. uv calls a distribution without it broken.
_WHEEL = f"""\
Wheel-Version: 1.0
Generator: {distributions.MARK}
Root-Is-Purelib: true
Tag: py3-none-any
"""


class ProvideError(Exception):
    """The metadata cannot be written or removed; the text says why."""


def _metadata_text(version: str, own: metadata.Distribution | None) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {distributions.ORIGINAL}",
        f"Version: {version}",
        f"Summary: Provided by {distributions.OWN}, whose package has the "
        "same import name",
    ]
    # Require pycuda-c only if it has metadata: pip would report a requirement
    # without metadata as missing.
    if own is not None:
        lines.append(f"Requires-Dist: {distributions.OWN}")
    return "\n".join(lines) + "\n"


def _record(folder: Path, name: str) -> str:
    """Return the RECORD of a metadata folder, so that pip can remove it.

    Parameters
    ----------
    folder
        The folder with the other files.
    name
        Name that the folder will have.
    """
    lines = []
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
        text = digest.rstrip(b"=").decode()
        lines.append(f"{name}/{path.name},sha256={text},{len(content)}\n")
    return "".join([*lines, f"{name}/RECORD,,\n"])


def _sites() -> list[Path]:
    """Return folders for the metadata, the best one first.

    It is the folder of the package. If this user may not write there, for
    example to the system's folder from a virtual environment that uses the
    system's packages, it is the folder into which pip installs. So it is for
    an editable installation, whose package is in a clone that is not on
    `sys.path`.
    """
    package = distributions.package_folder().parent
    on_path = {os.path.realpath(folder) for folder in sys.path if folder}
    folders = [str(package)] if str(package) in on_path else []
    folders.append(sysconfig.get_path("purelib"))
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return list(dict.fromkeys(Path(folder).resolve() for folder in folders))


def _refuse_original() -> None:
    """Refuse if the original is installed over this package."""
    package = distributions.package_folder().parent
    for original in distributions.find_originals():
        location = distributions.folder(original)
        if location.resolve() != package:
            continue  # Python does not find its files.
        raise ProvideError(
            "the original distribution 'pycuda' "
            f"{distributions.version(original)} is "
            f"installed in {location}; remove it first: python -m pip "
            "uninstall pycuda (then reinstall this package, whose files it "
            "may have replaced: python -m pip install --force-reinstall "
            "--no-deps pycuda-c)"
        )


def write(default_version: str, version: str | None = None) -> Path:
    """Write the metadata next to the package; return their folder.

    If that folder is read-only, write to the one into which pip installs.
    Former metadata are removed once the new ones are complete.

    Parameters
    ----------
    default_version
        Version of this package.
    version
        Version of PyCUDA to claim, for packages that require a certain one.

    Raises
    ------
    ProvideError
        If the original is installed over this package, or no folder can be
        written.
    """
    claimed = version or default_version
    if not _VERSION.fullmatch(claimed):
        raise ProvideError(
            f"{claimed!r} is not a version; expected numbers such as 2025.1"
        )
    _refuse_original()
    first_error: OSError | None = None
    for target in (sites := _sites()):
        try:
            return _write_to(target, claimed)
        except OSError as error:
            first_error = first_error or error
    assert first_error is not None
    raise ProvideError(
        f"cannot write to {sites[0]} ({first_error.strerror}); run this as "
        "the user who installed the package"
    )


def _write_to(target: Path, version: str) -> Path:
    """Write the metadata to a folder; return their own folder."""
    folder = target / f"{distributions.ORIGINAL}-{version}.dist-info"
    fresh = target / f".{folder.name}.{os.getpid()}"
    try:
        _fill(fresh, folder.name, version)
        _remove_from(target)
        fresh.rename(folder)
    finally:
        # After a failure, remove the incomplete folder. After a success the
        # folder has another name, and this call does nothing.
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def _fill(fresh: Path, name: str, version: str) -> None:
    """Make a folder with metadata that will be called `name`."""
    own = distributions.find(distributions.OWN)
    fresh.mkdir(parents=True)  # a new user has no folder for packages
    (fresh / "METADATA").write_text(_metadata_text(version, own))
    (fresh / "INSTALLER").write_text(distributions.MARK + "\n")
    (fresh / "WHEEL").write_text(_WHEEL)
    (fresh / "RECORD").write_text(_record(fresh, name))


def remove() -> list[Path]:
    """Remove metadata that `write` made; return their former folders.

    Raises
    ------
    ProvideError
        If a folder cannot be removed.
    """
    removed = []
    for target in _sites():
        try:
            removed += _remove_from(target)
        except OSError as error:
            raise ProvideError(
                f"cannot remove {error.filename} ({error.strerror})"
            ) from None
    return removed


def _remove_from(target: Path) -> list[Path]:
    """Remove metadata that `write` made in a folder; return what they were."""
    removed = []
    for folder in target.glob(f"{distributions.ORIGINAL}-*.dist-info"):
        if distributions.is_provided(metadata.PathDistribution(folder)):
            shutil.rmtree(folder)
            removed.append(folder)
    return removed
