"""The page of errors equals the output of tools/accuracy.py."""

# SPDX-License-Identifier: MIT

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool():
    pytest.importorskip("mpmath")
    path = ROOT / "tools" / "accuracy.py"
    spec = importlib.util.spec_from_file_location("accuracy_page", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["accuracy_page"] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(tool):
    assert (ROOT / "docs" / "accuracy.md").read_text() == tool.page(
        ROOT / "docs"
    )


def test_every_function_is_measured_on_the_cpu_device(tool):
    text = (ROOT / "docs" / "accuracy-cpu.json").read_text()
    rows = {
        (row["name"], row["type"]) for row in json.loads(text)["functions"]
    }
    assert rows == {(name, kind) for name in tool.ROWS for kind in tool.TYPES}


def test_rows_that_miss_are_bold(tool, tmp_path):
    rows = [
        {"name": "sin", "type": "float", "error": 1.5, "kept": True},
        {"name": "sin", "type": "double", "error": 9.25, "kept": False},
    ]
    gpu = tmp_path / "accuracy-gpu.json"
    gpu.write_text(json.dumps({"device": "a GPU", "functions": rows}))
    page = tool.page(tmp_path)
    assert "CPU device: not measured yet. GPU: a GPU." in page
    assert "| `sin` | 1.50 | 2 | **9.25** | 2 |" in page
    assert "`cos`" not in page


def test_records_of_other_functions_stay(tool, tmp_path):
    path = tmp_path / "record.json"

    def record(name, error):
        row = {"name": name, "type": "float", "error": error, "kept": True}
        return {"device": "some", "functions": [row]}

    for name, error in (("exp", 1.0), ("sin", 2.0), ("exp", 0.5)):
        tool.write_record(path, record(name, error))
    rows = json.loads(path.read_text())["functions"]
    assert [(row["name"], row["error"]) for row in rows] == [
        ("sin", 2.0), ("exp", 0.5)
    ]  # fmt: skip
