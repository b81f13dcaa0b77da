"""`python -m pycuda doctor`: each problem is found, with what mends it."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import shutil

import pytest
from copies import add_metadata, add_own_metadata, copy_package, run

import pycuda.driver as drv

pytestmark = pytest.mark.no_sanitizer


def examine(site=None, **environment):
    """Return exit status and checks by name."""
    done = run(["-m", "pycuda", "doctor", "--json"], site, **environment)
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert report["ok"] == (done.returncode == 0)
    return done.returncode, {c["name"]: c for c in report["checks"]}


@pytest.fixture
def site(tmp_path):
    """Return a folder with a copy of the package and its metadata."""
    copy_package(tmp_path)
    add_own_metadata(tmp_path)
    return tmp_path


def test_this_installation_works():
    code, checks = examine(PYCUDA_CPU_DEVICES="2")
    assert code == 0, checks
    (kind,) = {"cpu"} & {os.environ.get("PYCUDA_DEVICE", "cpu")} or {"gpu"}
    name = {"cpu": "CPU device", "gpu": "GPU"}[kind]
    devices = checks[name]["data"]["devices"]
    if checks["GPU"]["status"] == "note":
        assert len(checks["CPU device"]["data"]["devices"]) == 2
    assert all(d["kernel"]["compile_seconds"] > 0 for d in devices)
    assert checks["package"]["data"]["numpy"]
    assert "compiler-cache" in checks["cache"]["text"] or os.environ.get(
        "PYCUDA_CACHE_DIR"
    )


def test_one_page_of_text():
    done = run(["-m", "pycuda", "doctor"])
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert lines[-1] == "This installation works."
    assert len(lines) < 60
    names = [line.split("  ")[0] for line in lines if line[:1].strip()]
    assert names[:3] == ["package", "distributions", "GPU"]


def test_the_command_line_explains_itself():
    done = run(["-m", "pycuda"])
    assert done.returncode == 2
    assert "doctor" in done.stderr and "provide" in done.stderr


def test_files_that_the_original_replaced(site):
    """The state after `pip install pycuda` over this package."""
    for name in ("driver.py", "compiler.py", "__init__.py"):
        (site / "pycuda" / name).write_text("VERSION = (2025, 1)\n")
    add_metadata(site, "pycuda", "2025.1", [])
    code, checks = examine(site)
    found = checks["distributions"]
    assert code == 1 and found["status"] == "error"
    assert sorted(found["data"]["replaced_files"]) == [
        "pycuda/__init__.py",
        "pycuda/compiler.py",
        "pycuda/driver.py",
    ]
    assert "'pycuda' 2025.1" in found["text"]
    assert "--force-reinstall --no-deps pycuda-c" in found["fix"]
    assert "CPU device" not in checks  # nothing of it is loaded


def test_files_that_the_original_took_with_it(site):
    """The state after `pip uninstall pycuda` of one installed over us."""
    for name in ("driver.py", "compiler.py", "__init__.py"):
        (site / "pycuda" / name).unlink()
    code, checks = examine(site)
    assert code == 1
    assert len(checks["distributions"]["data"]["replaced_files"]) == 3


def test_the_original_in_another_folder(site, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    add_metadata(other, "pycuda", "2024.1.2", [])
    path = os.pathsep.join([str(site), str(other)])
    done = run(["-m", "pycuda", "doctor", "--json"], None, PYTHONPATH=path)
    checks = {c["name"]: c for c in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1
    assert str(other) in checks["distributions"]["text"]
    assert "pip uninstall" in checks["distributions"]["fix"]


def test_the_metadata_of_provide_are_no_problem(site):
    _, before = examine(site)
    assert before["distributions"]["fix"] == "python -m pycuda provide"
    run(["-m", "pycuda", "provide"], site)
    code, after = examine(site)
    assert code == 0
    assert after["distributions"]["status"] == "ok"
    assert after["distributions"]["data"]["provided"] == "2026.1"


def test_two_versions_of_the_distributions(site):
    add_metadata(site, "pycuda-c-cpu", "2025.9", [])
    code, checks = examine(site)
    assert code == 1
    assert "pycuda-c-cpu==2026.1" in checks["distributions"]["fix"]


@pytest.mark.cpu
def test_no_cpu_device(site):
    (site / "pycuda" / "lib").unlink()
    code, checks = examine(site)
    assert code == 1
    assert checks["CPU device"]["status"] == "error"
    assert "is not installed" in checks["CPU device"]["text"]
    assert checks["CPU device"]["fix"] == (
        "python -m pip install 'pycuda-c[cpu]'"
    )


@pytest.mark.cpu
def test_no_clang():
    code, checks = examine(PYCUDA_CLANG="/nowhere/clang-19")
    assert code == 1
    assert checks["clang"]["status"] == "error"
    assert "/nowhere/clang-19" in checks["clang"]["text"]
    assert "ziglang" in checks["clang"]["fix"]
    assert "ziglang" in checks["CPU device"]["fix"]


@pytest.mark.cpu
def test_another_clang():
    code, checks = examine(PYCUDA_CLANG=shutil.which("true"))
    assert code == 1
    assert "is not clang 19" in checks["clang"]["text"]


@pytest.mark.cpu
def test_a_device_that_crashes(site):
    """A driver that ends the process is an error of the report."""
    path = site / "pycuda" / "_installation" / "probes.py"
    text = path.read_text()
    kill = "    os.kill(os.getpid(), 11)\n    from pycuda import _driver\n"
    path.write_text(text.replace("    from pycuda import _driver\n", kill, 1))
    (site / "pycuda_c-2026.1.dist-info" / "RECORD").write_text("")
    code, checks = examine(site)
    assert code == 1
    assert "SIGSEGV" in checks["CPU device"]["text"]


@pytest.mark.cpu
def test_a_device_that_computes_wrongly(site):
    path = site / "pycuda" / "_installation" / "probes.py"
    path.write_text(path.read_text().replace("np.uint32(0x5A5A)", "1"))
    (site / "pycuda_c-2026.1.dist-info" / "RECORD").write_text("")
    code, checks = examine(site)
    assert code == 1
    assert "the kernel wrote" in checks["CPU device"]["text"]


def test_the_cache(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    (folder / "entry.cubin").write_bytes(b"x" * 5000)
    _, checks = examine(PYCUDA_CACHE_DIR=str(folder))
    data = checks["cache"]["data"]
    assert (data["files"], data["bytes"]) == (1, 5000)
    assert data["mode"] == "0o700" and checks["cache"]["status"] == "ok"
    folder.chmod(0o777)
    code, checks = examine(PYCUDA_CACHE_DIR=str(folder))
    assert code == 0 and checks["cache"]["status"] == "warning"
    assert str(folder) in checks["cache"]["fix"]
    _, checks = examine(PYCUDA_DISABLE_CACHE="1")
    assert "PYCUDA_DISABLE_CACHE" in checks["cache"]["text"]


@pytest.mark.gpu
def test_the_nvrtc_of_a_gpu():
    _, checks = examine()
    found = checks["NVRTC"]["data"]
    assert found["extra"] in ("cu12", "cu13")
    assert os.path.exists(found["found"][0]["path"])


def test_the_driver_still_works_here():
    """The examination of other copies has not touched this process."""
    drv.init()
    assert drv.Device.count() >= 1
