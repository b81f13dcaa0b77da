"""Every example runs in a separate process and prints `Success`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# The MPI program needs mpirun: see tests/mpi.
PROGRAMS = sorted(
    path.name
    for path in EXAMPLES.glob("*.py")
    if path.name != "tutorial_mpi.py"
)


def run_example(name: str) -> subprocess.CompletedProcess[str]:
    """Run one example as a user would, and require a clean exit."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if "(with libcudadevrt.a)" in done.stderr:
        pytest.skip("no device runtime for kernels that launch kernels")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    lines = done.stdout.split("\n")
    assert lines.count("Success") == 1, done.stdout
    return done


def stderr_without_announcement(text: str) -> str:
    """Return `text` without the warning that names the CPU device."""
    stored = re.sub(
        r"^.*UserWarning: .*CPU device.*\n(  .*\n)?", "", text, flags=re.M
    )
    return stored.strip()


@pytest.mark.parametrize("name", PROGRAMS)
def test_example_succeeds(name):
    done = run_example(name)
    assert stderr_without_announcement(done.stderr) == ""


def test_every_example_is_in_the_list():
    listed = re.findall(r"`(\w+\.py)`", (EXAMPLES / "README.md").read_text())
    assert sorted(listed) == sorted([*PROGRAMS, "tutorial_mpi.py"])


def test_printf_prints_each_thread_once():
    lines = run_example("kernel_printf.py").stdout.split("\n")
    said = sorted(line for line in lines if line.startswith("I am"))
    assert said == [
        f"I am {x}.{y} of 17, and 4.25 is a float"
        for x in range(2)
        for y in range(2)
    ]


def test_compiler_names_the_kernel():
    said = run_example("tutorial_vec_elm_mul.py").stdout
    assert re.search(
        r"ptxas info\s*: Compiling entry function 'vec_elm_mul'", said
    )


def test_printed_numbers_of_doublify():
    said = run_example("tutorial_doublify.py").stdout
    before, after = re.findall(r"\[\[.*?\]\]", said, flags=re.S)

    def numbers(text: str) -> list[float]:
        return [float(word) for word in re.findall(r"[-+.e\d]+", text)]

    assert len(numbers(before)) == 16
    assert numbers(after) == pytest.approx(
        [2 * value for value in numbers(before)], rel=1e-5, abs=1e-6
    )


def test_printed_numbers_of_info_array():
    said = run_example("tutorial_info_array.py").stdout
    printed = re.search(r"result: \[(.*?)\]", said, flags=re.S)[1]
    assert [float(word) for word in printed.split()] == [
        2.0 * i for i in range(128)
    ]
