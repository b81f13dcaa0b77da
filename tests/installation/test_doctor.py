"""`python -m pycuda doctor`: each problem is found, with what mends it."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import shlex
import shutil
import tomllib
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest
from copies import add_metadata, add_own_metadata, copy_package, run

import pycuda.driver as drv
from pycuda._installation import checks as checks_module
from pycuda._installation import children, doctor

PROJECT = Path(__file__).parents[2] / "pyproject.toml"

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


def test_a_fix_of_an_optional_feature():
    found = [
        checks_module.Check("a", checks_module.NOTE, "none", "get a"),
        checks_module.Check("b", checks_module.WARNING, "old", "get b"),
        checks_module.Check("c", checks_module.NOTE, "off"),
    ]
    text = doctor.as_text(found)
    assert text.count("no action is needed") == 1
    after_fix = text.split("fix: get a\n")[1].splitlines()[0]
    assert after_fix.strip() == doctor._OPTIONAL


def test_a_misspelt_variable_is_reported(monkeypatch):
    monkeypatch.setenv("PYCUDA_CPU_CHECKS", "memory")
    found = checks_module.check_environment(checks_module.State("1"))
    assert found.status == checks_module.WARNING
    assert "did you mean PYCUDA_CPU_CHECK?" in found.text
    assert "PYCUDA_CPU_CHECKS" in found.fix


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
    assert done.returncode == 0
    assert checks["distributions"]["status"] == "warning"
    assert str(other) in checks["distributions"]["text"]


def test_the_original_in_the_same_folder(site):
    add_metadata(site, "pycuda", "2024.1.2", [])
    code, checks = examine(site)
    assert code == 1
    assert "pip uninstall" in checks["distributions"]["fix"]


def test_a_damaged_file(site):
    """No other distribution is there: only this one is installed again."""
    (site / "pycuda" / "scan.py").write_text("")
    code, checks = examine(site)
    found = checks["distributions"]
    assert code == 1 and "pycuda/scan.py" in found["text"]
    assert "original" not in found["text"]
    assert "uninstall" not in found["fix"]


@pytest.mark.parametrize("chosen", ["gpu", "GPU", "none"])
@pytest.mark.cpu
def test_a_device_that_programs_do_not_get(chosen):
    """The doctor fails where each program of this user fails."""
    if chosen == "gpu" and os.path.exists("/dev/nvidia0"):
        pytest.skip("there is a GPU")
    code, checks = examine(PYCUDA_DEVICE=chosen)
    assert code == 1 and checks["CPU device"]["status"] == "ok"
    assert checks["selection"]["status"] == "error"
    assert checks["selection"]["fix"] == "unset PYCUDA_DEVICE"


@pytest.mark.cpu
def test_a_compiler_without_permissions(site):
    """pycuda-jit cannot be run: the CPU device has to be installed again."""
    link = site / "pycuda" / "bin"
    programs = link.resolve()
    link.unlink()
    shutil.copytree(programs, link)
    (link / "pycuda-jit").chmod(0o644)
    code, checks = examine(site, PYCUDA_JIT=str(link / "pycuda-jit"))
    assert code == 1
    assert "Permission denied" in checks["CPU device"]["text"]
    assert "--force-reinstall" in checks["CPU device"]["fix"]


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
        "  # with --find-links and the folder of the wheels"
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
    assert "so the cache is not used" in checks["cache"]["text"]
    outer = tmp_path / "outer"
    outer.mkdir()
    inner = outer / "cache"
    inner.mkdir(mode=0o700)
    outer.chmod(0o775)  # a project's folder: the cache accepts it
    _, checks = examine(PYCUDA_CACHE_DIR=str(inner))
    assert checks["cache"]["status"] == "ok"
    outer.chmod(0o777)
    _, checks = examine(PYCUDA_CACHE_DIR=str(inner))
    assert checks["cache"]["status"] == "warning"
    assert repr(str(outer)) in checks["cache"]["text"]
    code, checks = examine(PYCUDA_CACHE_DIR="/proc/cache")
    assert code == 0 and checks["cache"]["status"] == "warning"
    assert "cannot be written" in checks["cache"]["text"]
    assert "PYCUDA_CACHE_DIR=" in checks["cache"]["fix"]
    if os.geteuid() == 0:
        os.chown(folder, 65534, -1)
        folder.chmod(0o755)
        _, checks = examine(PYCUDA_CACHE_DIR=str(folder))
        assert "belongs to user 65534" in checks["cache"]["text"]
        assert "PYCUDA_CACHE_DIR=" in checks["cache"]["fix"]
    _, checks = examine(PYCUDA_DISABLE_CACHE="1")
    assert "PYCUDA_DISABLE_CACHE" in checks["cache"]["text"]


def test_a_cache_below_a_folder_that_may_not_be_searched(monkeypatch):
    """As with XDG_CACHE_HOME in root's folder; root may search any folder."""
    stat = os.stat

    def refuse(path, *args, **kwargs):
        if str(path).startswith("/closed/"):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, *args, **kwargs)

    monkeypatch.setenv("PYCUDA_CACHE_DIR", "/closed/cache")
    monkeypatch.setattr(os, "stat", refuse)
    found = checks_module.check_cache(checks_module.State("2026.1"))
    assert found.status in ("ok", "warning")
    assert found.data["folder"] == "/closed/cache"


def test_a_check_that_fails_itself(monkeypatch):
    def check_something(state):
        raise ZeroDivisionError("for a test")

    monkeypatch.setattr(checks_module, "FIRST", (check_something,))
    monkeypatch.setattr(checks_module, "LATER", ())
    found = doctor.examine("2026.1")
    assert doctor.has_errors(found)
    assert found[0].name == "something" and "for a test" in found[0].text


@pytest.mark.parametrize("way", ["build", "clone", "wheel"])
@pytest.mark.parametrize("extra", ["cccl", "cpu", "cu12", "cu13", "mpi"])
def test_what_an_extra_requires(monkeypatch, tmp_path, way, extra):
    """Wheels have extras; a clone has only their requirements."""
    own = None
    if way != "build":
        folder = add_metadata(tmp_path, "pycuda-c", "2026.1", [])
        if way == "clone":
            (folder / "direct_url.json").write_text(
                '{"dir_info": {}, "url": "file:///somewhere"}'
            )
        own = PathDistribution(folder)
    monkeypatch.setattr(checks_module.distributions, "find", lambda name: own)
    command = checks_module._install(extra)
    if way == "wheel":
        assert f"'pycuda-c[{extra}]'" in command
        assert "--find-links" in command
        return
    words = shlex.split(command.removeprefix("python -m pip install "))
    with open(PROJECT, "rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    assert words == [x for x in extras[extra] if x != "pycuda-c-cpu"]


@pytest.mark.parametrize("chosen", ["cpu", "auto", None])
def test_a_gpu_that_programs_do_not_use(monkeypatch, chosen):
    """A GPU that fails is no error where PYCUDA_DEVICE is cpu."""
    if chosen is None:
        monkeypatch.delenv("PYCUDA_DEVICE", raising=False)
    else:
        monkeypatch.setenv("PYCUDA_DEVICE", chosen)
    expected = "note" if chosen == "cpu" else "error"

    def fail(*_, **__):
        raise children.ChildError("no device")

    monkeypatch.setattr(checks_module.children, "call", fail)
    monkeypatch.setattr(checks_module, "_has_nvidia_hardware", lambda: True)
    state = checks_module.State("2026.1")
    assert checks_module.check_gpus(state).status == expected

    device = {
        "ordinal": 0, "name": "card", "compute_capability": [9, 0],
        "memory_bytes": 1 << 30, "error": "no NVRTC",
    }  # fmt: skip
    found = {"driver_version": 13000, "devices": [device]}
    monkeypatch.setattr(checks_module.children, "call", lambda *_, **__: found)
    assert checks_module.check_gpus(state).status == expected
    assert checks_module.check_nvrtc(state).status == expected


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
