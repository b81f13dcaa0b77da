"""Which of the instructions of the PTX ISA the CPU device translates.

isa_forms.txt lists the forms. Each is supported, or refused with an error that
names its line and the instruction. The share of supported forms, which
docs/cpu-device.md states, is printed with -s. With ptxas of a CUDA toolkit,
the list itself is checked.
"""

# SPDX-License-Identifier: MIT

import os
import re
import shutil
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from isa_forms import Form, module_of, read_forms
from test_mutations import JIT

DOCS = Path(__file__).parents[2] / "docs/cpu-device.md"
PTXAS = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
FORMS = read_forms()
ERROR = re.compile(r"ptx:(\d+): error: (.*)")


def translate(texts: list[str]) -> dict[str, str]:
    """Return the forms that are not translated, with the reasons.

    pycuda-jit reports at most 20 errors, so that texts are at most 20 and the
    rest is tried again.
    """
    failed: dict[str, str] = {}
    while rest := [text for text in texts if text not in failed]:
        module, lines = module_of(rest)
        done = subprocess.run(
            [JIT, "--kind=bitcode"],
            input=module.encode(),
            capture_output=True,
            timeout=120,
        )
        if done.returncode == 0:
            return failed
        message = done.stderr.decode()
        errors = [
            (lines[int(match[1])], match[2])
            for line in message.splitlines()
            if (match := ERROR.match(line)) and int(match[1]) in lines
        ]
        assert done.returncode == 1 and errors, (rest, message)
        failed.update(errors)
    return failed


def translate_all(forms: list[Form], size: int) -> dict[str, str]:
    texts = [form.text for form in forms]
    parts = [texts[i : i + size] for i in range(0, len(texts), size)]
    failed: dict[str, str] = {}
    with ThreadPoolExecutor(2) as pool:
        for part in pool.map(translate, parts):
            failed.update(part)
    return failed


@pytest.mark.skipif(not Path(JIT).exists(), reason="no pycuda-jit")
def test_supported_forms() -> None:
    supported = [form for form in FORMS if not form.mark]
    assert translate_all(supported, 20) == {}


@pytest.mark.skipif(not Path(JIT).exists(), reason="no pycuda-jit")
def test_other_forms_are_refused_by_name() -> None:
    others = [form for form in FORMS if form.mark]
    failed = translate_all(others, 1)
    for form in others:
        reason = failed.get(form.text)
        assert reason, f"{form.text} is translated, but marked {form.mark}"
        assert form.instruction in reason


def test_the_documented_share() -> None:
    instructions = {form.instruction for form in FORMS}
    whole = {form.instruction for form in FORMS if not form.mark}
    count = Counter(form.mark for form in FORMS)
    share = 100 * count[""] / len(FORMS)
    text = (
        f"{count['']:,} of {len(FORMS):,} forms ({share:.1f} %) of "
        f"{len(instructions)} instructions"
    )
    print(
        f"\n{text}; {count['refused']} are refused by intention, "
        f"{count['missing']} are missing; no form of "
        f"{', '.join(sorted(instructions - whole))}"
    )
    assert share >= 90
    assert text in " ".join(DOCS.read_text().split())


def refused_by_ptxas(texts: list[str], folder: Path) -> dict[str, str]:
    """Return the forms that ptxas does not assemble for sm_90a."""
    module, lines = module_of(texts)
    path = folder / f"{os.getpid()}-{abs(hash(texts[0]))}.ptx"
    path.write_text(module)
    done = subprocess.run(
        [PTXAS, "-arch=sm_90a", "-O0", "-o", os.devnull, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode == 0:
        return {}
    if len(texts) == 1:
        return {texts[0]: done.stderr}
    half = len(texts) // 2
    return {
        **refused_by_ptxas(texts[:half], folder),
        **refused_by_ptxas(texts[half:], folder),
    }


@pytest.mark.skipif(not Path(PTXAS).exists(), reason="no ptxas")
def test_ptxas_takes_every_form(tmp_path: Path) -> None:
    texts = [form.text for form in FORMS]
    size = 600
    for i in range(0, len(texts), size):
        assert refused_by_ptxas(texts[i : i + size], tmp_path) == {}
