# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that the notebooks run, that their stored outputs equal the outputs of a run, and that their numbers equal the numbers of the command line.

A line of output such as "weft route ring:n=4 -R nue --json: quality.ebb = 0.5" states a number of the command line.
UPDATE_GOLDEN=1 stores the outputs.
"""
import json
import os
import pathlib
import re
import subprocess

import nbclient
import nbformat
import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
STATED = re.compile(r"^(weft [^\n]* --json): ([\w.]+) = (.+)$", re.MULTILINE)


def outputs(notebook):
    """The output of each cell: text, which is joined from pieces, and pictures."""
    shown = []
    for cell in notebook.cells:
        data = [output.get("data", {}) for output in cell.get("outputs", [])]
        shown.append("".join(output.get("text", "") for output in cell.get("outputs", [])))
        shown += [one.get("image/svg+xml") or one["text/plain"] for one in data if one]
    return [text for text in shown if text]


def store(run, path):
    """Writes the notebook without times and execution numbers, and with the text of a cell in one piece."""
    for cell in run.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.execution_count = None
            text = "".join(output.get("text", "") for output in cell.outputs)
            cell.outputs = [output for output in cell.outputs if "text" not in output]
            if text:
                cell.outputs.insert(0, nbformat.v4.new_output("stream", text=text))
            for output in cell.outputs:
                output.pop("execution_count", None)
                if output.output_type == "execute_result":
                    output.output_type = "display_data"
    run.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    nbformat.write(run, path)


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request, tmp_path, monkeypatch):
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    path = request.param
    run = nbformat.read(path, as_version=4)
    work = tmp_path / "work"
    work.mkdir()
    nbclient.NotebookClient(run, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(work)}}).execute()
    return path, run, work


def test_outputs_are_reproduced_and_numbers_match_the_command_line(notebook):
    path, run, work = notebook
    if os.environ.get("UPDATE_GOLDEN") == "1":
        store(run, path)
    stored = outputs(nbformat.read(path, as_version=4))
    assert outputs(run) == stored, "UPDATE_GOLDEN=1 stores the outputs of a run"
    assert any(text.startswith("<svg") for text in stored), "no picture"
    stated = STATED.findall("\n".join(stored))
    assert len(stated) >= 5, stated
    reports = {}
    for command, key, value in stated:
        if command not in reports:
            done = subprocess.run([os.environ["WEFT"], *command.split()[1:]], cwd=work, capture_output=True, text=True)
            assert done.returncode in (0, 1), done.stderr
            reports[command] = json.loads(done.stdout)
        found = reports[command]
        for part in key.split("."):
            found = found[int(part)] if part.isdigit() else found[part]
        assert json.loads(value) == found, f"{command}: {key} is {found!r}, the notebook states {value}"


def test_at_least_three_notebooks_exist():
    assert len(NOTEBOOKS) >= 3
