#!/usr/bin/env python3
"""Checks that the notebooks were saved after they ran from top to bottom, with all that they show:

    python3 tests/notebooks.py
"""
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "notebooks"


def faults(notebook):
    """What is wrong with a notebook, one line for each thing."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        if cell["execution_count"] != number:
            yield f"code cell {number} has the execution count {cell['execution_count']}: it did not run from the top"
        if any(output["output_type"] == "error" for output in cell["outputs"]):
            yield f"code cell {number} ended with an error"
        if any("nan" in "".join(output.get("data", {}).get("text/plain", "")).lower() for output in cell["outputs"]):
            yield f"code cell {number} shows NaN"
    if not any(cell["outputs"] for cell in cells):
        yield "no outputs are saved"


def main():
    notebooks = sorted(FOLDER.glob("*.ipynb"))
    found = [f"{path.name}: {fault}" for path in notebooks for fault in faults(json.loads(path.read_text()))]
    print("\n".join(found) or f"{len(notebooks)} notebooks ran from the top, with their outputs saved")
    sys.exit(bool(found) or not notebooks)


main()
