"""The site's tools: pages and links are complete, faults are found."""

# SPDX-License-Identifier: MIT

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools/site"


def run(code, *arguments):
    """Run code with the tools importable, on the device of the tests."""
    paths = [str(TOOLS), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", code, *arguments],
        cwd="/",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    """Return the folder with the pages that Sphinx would read."""
    folder = tmp_path_factory.mktemp("site")
    code = "import stage; stage.main()"
    pytest.importorskip("mpi4py.MPI")
    run(code, str(folder))
    return folder


def entries(folder):
    """Return the pages of all tables of contents."""
    found = []
    for path in folder.rglob("*.md"):
        for block in re.findall(
            r"```\{toctree\}\n:hidden:\n\n(.*?)```", path.read_text(), re.S
        ):
            found += [
                os.path.normpath(path.parent.relative_to(folder) / line)
                for line in block.split()
            ]
    return found


def test_each_page_is_in_the_menu_once(staged):
    pages = {
        path.relative_to(staged).with_suffix("").as_posix()
        for path in staged.rglob("*")
        if path.suffix in {".md", ".rst"}
    }
    found = entries(staged)
    assert len(found) == len(set(found))
    # The gallery's pages are made by sphinx-gallery.
    assert set(found) - {"gallery/index"} == pages - {"index"}
    assert len(found) > 100


def test_links_follow_the_pages(staged):
    readme = (staged / "project/readme.md").read_text()
    assert "](../start/index.md)" in readme
    assert "](../docs/" not in readme
    for path in staged.rglob("*.md"):
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
        for link in re.findall(r"\]\(([^)#:\s]+\.md)", text):
            assert (path.parent / link).exists(), (path, link)


def test_lessons_have_exercise_and_solution(staged):
    lesson = (staged / "course/04-reverse.md").read_text()
    assert "## Exercise" in lesson
    assert lesson.count("__global__ void reverse") == 2


def test_a_second_run_keeps_the_times_of_files(staged):
    page = staged / "start/threads.md"
    before = page.stat().st_mtime_ns
    (staged / "start/gone.md").write_text("old")
    run("import stage; stage.main()", str(staged))
    assert page.stat().st_mtime_ns == before
    assert not (staged / "start/gone.md").exists()


def test_faults_of_a_built_site_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="b.html#there">x</a><a href="gone.html">y</a>'
        '<a href="#here">z</a><script src="https://example.org/s.js"></script>'
    )
    (tmp_path / "b.html").write_text("<p>no anchor</p>")
    said = run(
        "import sys, pathlib, check_site as c\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "print('\\n'.join(c.broken(c.read_pages(folder), folder)))",
        str(tmp_path),
    )
    assert said.splitlines() == [
        "a.html: no anchor b.html#there",
        "a.html: no file gone.html",
        "a.html: loads https://example.org/s.js",
    ]
