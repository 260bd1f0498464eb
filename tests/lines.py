#!/usr/bin/env python3
"""Counts the lines of Rust by crate: code, comments, its own tests (all lines of them), blank lines; and those of other tests."""
import pathlib
import re

COLUMNS = ("code", "comments", "tests", "blank", "all")


def count(file, counts):
    in_tests = "tests" in file.parts[1:-1] or file.stem == "tests"
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line == "#[cfg(test)]" and re.match(r"(pub(\(.*\))? )?mod \w+ \{", (lines + [""])[number + 1]):
            in_tests = True
        if in_tests:
            kind = "tests"
        elif not line.strip():
            kind = "blank"
        else:
            kind = "comments" if line.lstrip().startswith("//") else "code"
        counts[kind] += 1
        counts["all"] += 1


def main():
    crates = {path.name: path for path in sorted(pathlib.Path("crates").iterdir())} | {"tictune": pathlib.Path("src")}
    print(f"{'crate':<10}" + "".join(f"{column:>10}" for column in COLUMNS))
    total = dict.fromkeys(COLUMNS, 0)
    for name, folder in crates.items():
        counts = dict.fromkeys(COLUMNS, 0)
        for file in folder.rglob("*.rs"):
            count(file, counts)
        print(f"{name:<10}" + "".join(f"{counts[column]:>10}" for column in COLUMNS))
        total = {column: total[column] + counts[column] for column in COLUMNS}
    print(f"{'all':<10}" + "".join(f"{total[column]:>10}" for column in COLUMNS))
    tests = [file for ending in ("rs", "py", "sh") for folder in ("tests", "benches/tests")
             for file in pathlib.Path(folder).rglob(f"*.{ending}")]
    print(f"\ntests/, benches/tests/: {sum(len(file.read_text(encoding='utf-8').splitlines()) for file in tests)} lines of Rust, Python and shell")


main()
