"""`python -m pycuda provide`: packages that require `pycuda` find it."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from copies import add_metadata, add_own_metadata, copy_package, make_wheel
from copies import run as run_python

from pycuda._installation import provide as provide_module

pytestmark = pytest.mark.no_sanitizer


@pytest.fixture
def venv(tmp_path):
    """Return the site folder of an environment with a copy of pycuda-c."""
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", tmp_path / "v"],
        check=True,
    )
    site = next((tmp_path / "v" / "lib").glob("python*/site-packages"))
    copy_package(site)
    add_own_metadata(site)
    return site


# Without a PYTHONPATH that leads to the package under test.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}


def python(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [site.parents[2] / "bin" / "python", "-P", *words],
        capture_output=True,
        text=True,
        cwd="/",
        env=ENVIRONMENT,
    )


def pip(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python"]
        + [str(site.parents[2] / "bin" / "python"), *words]
        + ["--disable-pip-version-check"],
        capture_output=True,
        text=True,
        cwd="/",
        env=ENVIRONMENT,
    )
    return done


def provide(site: Path, *words: str) -> str:
    done = python(site, "-m", "pycuda", "provide", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pip_installs_a_package_that_requires_it(venv, tmp_path):
    wheel = str(make_wheel(tmp_path, "pycuda>=2019.1"))
    refused = pip(venv, "install", "--no-index", wheel)
    assert "No matching distribution found for pycuda" in refused.stderr
    provide(venv)
    done = pip(venv, "install", "--no-index", wheel)
    assert done.returncode == 0, done.stderr
    assert pip(venv, "check").stdout.count("needs-it") == 0
    code = "import warnings; warnings.simplefilter('error'); import needs_it"
    done = python(venv, "-c", code)
    assert done.returncode == 0, done.stderr


def test_importlib_metadata_finds_it_and_its_owner(venv):
    provide(venv)
    code = (
        "from importlib.metadata import distribution as d; "
        "print(d('pycuda').version, d('pycuda').requires)"
    )
    done = python(venv, "-c", code)
    assert done.stdout == "2026.1 ['pycuda-c']\n", done.stderr


def test_pkg_resources_finds_it(tmp_path):
    pytest.importorskip("pkg_resources")
    copy_package(tmp_path)
    add_own_metadata(tmp_path)
    code = (
        "import pkg_resources; "
        "print(*pkg_resources.require('pycuda>=2019.1'), sep=';')"
    )
    before = run_python(["-W", "ignore", "-c", code], tmp_path)
    assert "DistributionNotFound" in before.stderr
    done = run_python(["-m", "pycuda", "provide"], tmp_path)
    assert done.returncode == 0, done.stderr
    after = run_python(["-W", "ignore", "-c", code], tmp_path)
    assert after.stdout == "pycuda 2026.1;pycuda-c 2026.1\n", after.stderr


@pytest.mark.parametrize("way", ["provide --remove", "pip uninstall"])
def test_removal_leaves_the_package(venv, way):
    before = sorted(p for p in venv.rglob("*") if p.suffix != ".pyc")
    provide(venv)
    if way == "pip uninstall":
        done = pip(venv, "uninstall", "-y", "pycuda")
        assert "Successfully uninstalled pycuda" in done.stdout, done.stderr
    else:
        assert "removed" in provide(venv, "--remove")
    after = sorted(p for p in venv.rglob("*") if p.suffix != ".pyc")
    assert [p for p in after if p.name != "__pycache__"] == [
        p for p in before if p.name != "__pycache__"
    ]
    assert "nothing to remove" in provide(venv, "--remove")


def test_another_version_replaces_the_first(venv):
    provide(venv)
    provide(venv, "--version", "2022.2.2")
    (folder,) = venv.glob("pycuda-*.dist-info")
    assert folder.name == "pycuda-2022.2.2.dist-info"


@pytest.mark.parametrize("version", ["new", "1.0/../..", "1 0", ""])
def test_a_wrong_version_is_refused(venv, version):
    done = python(venv, "-m", "pycuda", "provide", "--version", version)
    if version:
        assert done.returncode == 1
        assert repr(version) in done.stderr and "2025.1" in done.stderr
        assert not list(venv.glob("pycuda-*.dist-info"))
    else:  # the default
        assert done.returncode == 0


def test_the_original_is_not_hidden(venv):
    add_metadata(venv, "pycuda", "2025.1", [])
    done = python(venv, "-m", "pycuda", "provide")
    assert done.returncode == 1
    assert "pip uninstall pycuda" in done.stderr
    done = python(venv, "-c", "import pycuda")
    assert "'pycuda' is installed in" in done.stderr


def test_the_original_in_another_folder_is_not_used(venv, tmp_path):
    """As in an environment that sees the system's packages."""
    other = tmp_path / "other"
    other.mkdir()
    (venv / "other.pth").write_text(f"{other}\n")
    add_metadata(other, "pycuda", "2025.1", [])
    done = python(venv, "-W", "error", "-c", "import pycuda")
    assert done.returncode == 0, done.stderr
    provide(venv, "--version", "2026.2")
    code = "from importlib.metadata import version as v; print(v('pycuda'))"
    assert python(venv, "-c", code).stdout == "2026.2\n"


def test_a_second_folder_if_the_first_is_read_only(monkeypatch, tmp_path):
    """An environment with the packages of a system that root installed."""
    package, own = tmp_path / "system" / "pycuda", tmp_path / "own"
    package.mkdir(parents=True)
    monkeypatch.setattr(
        provide_module.distributions, "package_folder", lambda: package
    )
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setattr(provide_module.site, "ENABLE_USER_SITE", False)
    monkeypatch.setattr(
        provide_module.sysconfig, "get_path", lambda name: str(own)
    )
    mkdir = Path.mkdir

    def refuse(path, *args, **kwargs):
        if path.parent == package.parent:
            raise OSError(30, "Read-only file system", str(path))
        mkdir(path, *args, **kwargs)

    monkeypatch.setattr(Path, "mkdir", refuse)
    folder = provide_module.write("2025.1")
    assert folder == own / "pycuda-2025.1.dist-info" and folder.is_dir()
    assert provide_module.remove() == [folder]
    assert list(own.iterdir()) == []


def test_an_editable_installation(monkeypatch, tmp_path):
    """The package is in a clone, which is not on the path."""
    clone, own = tmp_path / "clone", tmp_path / "own"
    (clone / "pycuda").mkdir(parents=True)
    monkeypatch.setattr(
        provide_module.distributions,
        "package_folder",
        lambda: clone / "pycuda",
    )
    monkeypatch.setattr(provide_module.site, "ENABLE_USER_SITE", False)
    monkeypatch.setattr(
        provide_module.sysconfig, "get_path", lambda name: str(own)
    )
    assert provide_module.write("2025.1").parent == own
    assert [path.name for path in clone.iterdir()] == ["pycuda"]


@pytest.mark.parametrize(
    "name, content",
    [
        ("METADATA", b""),
        ("METADATA", None),
        ("RECORD", b"\xff\xfe\0"),
        ("direct_url.json", b"\xff\xfe\0"),
    ],
)
def test_damaged_metadata_of_this_package(venv, name, content):
    path = next(venv.glob("pycuda_c-*.dist-info")) / name
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_bytes(content)
    assert provide(venv).startswith("wrote ")
    done = python(venv, "-m", "pycuda", "doctor", "--json")
    assert not done.stderr
    checks = {c["name"]: c for c in json.loads(done.stdout)["checks"]}
    is_damaged = name == "METADATA"
    assert (checks["distributions"]["status"] == "error") == is_damaged


@pytest.mark.parametrize("kind", ["bytes", "folder", "pipe"])
def test_a_damaged_mark_does_not_stop_imports(venv, kind):
    folder = venv / "pycuda-2025.1.dist-info"
    folder.mkdir()
    if kind == "bytes":
        (folder / "INSTALLER").write_bytes(b"\xff\xfe")
    elif kind == "folder":
        (folder / "INSTALLER").mkdir()
    else:
        os.mkfifo(folder / "INSTALLER")
    done = python(venv, "-c", "import pycuda; print(pycuda.VERSION)")
    assert done.stdout == "(2026, 1)\n"
    assert "'pycuda' is installed in" in done.stderr


@pytest.mark.parametrize("call", ["mkdir", "write_text"])
def test_a_folder_that_cannot_be_written(monkeypatch, tmp_path, call):
    """The former metadata stay; root may write anywhere, hence the patch."""
    monkeypatch.setattr(
        provide_module.distributions,
        "package_folder",
        lambda: tmp_path / "pycuda",
    )
    monkeypatch.syspath_prepend(tmp_path)
    former = provide_module.write("2025.1")
    files = sorted(p.name for p in former.iterdir())
    assert files == ["INSTALLER", "METADATA", "RECORD", "WHEEL"]

    for name in ("purelib", "user"):  # read-only as well
        (tmp_path / name).touch()
    monkeypatch.setattr(
        provide_module.sysconfig, "get_path", lambda name: tmp_path / name
    )
    monkeypatch.setattr(
        provide_module.site, "getusersitepackages", lambda: tmp_path / "user"
    )

    def refuse(path, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, call, refuse)
        with pytest.raises(provide_module.ProvideError) as caught:
            provide_module.write("2026.1")
    text = f"cannot write to {tmp_path} (Permission denied)"
    assert text in str(caught.value)
    assert [p for p in tmp_path.iterdir() if p.is_dir()] == [former]
    assert sorted(p.name for p in former.iterdir()) == files


def test_the_record_names_the_files(venv):
    provide(venv)
    (folder,) = venv.glob("pycuda-*.dist-info")
    lines = (folder / "RECORD").read_text().splitlines()
    names = [line.partition(",")[0] for line in lines]
    assert names == [
        f"{folder.name}/{name}"
        for name in ("INSTALLER", "METADATA", "WHEEL", "RECORD")
    ]


def test_a_build_without_metadata_requires_nothing(tmp_path):
    copy_package(tmp_path)
    done = run_python(
        ["-S", "-m", "pycuda", "provide"], tmp_path, PYTHONNOUSERSITE="1"
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "pycuda-2026.1.dist-info" / "METADATA").read_text()
    assert "Requires-Dist" not in text
