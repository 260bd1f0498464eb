#!/usr/bin/env python3
"""Shows that a change of the program changes no result: runs two tictune binaries with the same configs and
seeds, and compares every byte of what they write.

    cargo build --release
    tests/same_bytes.py OLD target/release/tictune
    tests/same_bytes.py OLD NEW outputs --only killed  # some cases only, kept in a new folder, outputs

Prints a line a case. The exit status is 1 if results differ: files, standard output, exit codes. What is said
on standard error, and help, may become better: differences there are shown, and count with --strict only.
Times, speeds, and hashes of plans and agents are blanked before results are compared: see `blanked`.

The cases are in tests/same_bytes/*.txt. Each starts with a line "== NAME" and runs its commands in a fresh
folder, in which `tictune` is the binary and `experiments` and `tests` are those of the repository:

    $ ARGUMENTS                       a command of both binaries
    $ ARGUMENTS : TEXT => OTHER       the same with a copy of its .toml file in which TEXT is OTHER
    $ ARGUMENTS <<< LINE;LINE         the same with lines on standard input
    A vs B [OPTIONS]                  short for $ match A B --games 6 --json, with CSV files of moves and games
    old$ ARGUMENTS                    on the side of OLD only; new$ likewise
    new$ killed ARGUMENTS             killed in mid-run; what it says is not compared
    new$ by-old killed ARGUMENTS      by OLD, though on the side of NEW

All other lines change base.toml: they replace or add keys of its tables ("key =" takes a key away), and
[[tables]] take the place of those of the same name (none, if there is nothing in the first one). Without
commands, the case is an evolution by that config.
"""

import argparse
import concurrent.futures
import csv
import json
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "same_bytes"

# What is blanked: values of JSON keys, columns of CSV files, and numbers in words that are times or speeds.
TIME = r"\w*second\w*|ms_per_move|slowest_\w"
JSON_TIME = re.compile(rf'("(?:{TIME})": )(?:\[[^\]]*\]|-?[\d.][\d.e+-]*)')
TEXT_TIME = re.compile(r"\b(?:\d+ h \d+ min|\d+ min(?: \d+ s)?|\d+(?:\.\d+)? (?:s|ms|games/s))\b")
TABLE_TIME = re.compile(r"  +\d+\.\d{3}\b")  # the column "ms per move" of a tournament's table
HASH = re.compile(r"\b(?:[0-9a-f]{24}|[0-9a-f]{16})\b")  # of a config, of a row's agents, of a tournament's game


def blanked(name, text):
    """The text of a file or of standard output without times and hashes."""
    if name.endswith("log.txt"):
        return "(a log, with times)\n"
    if name.endswith("manifest.json"):
        return "(the plan, in a form that may change)\n"
    text = HASH.sub("HASH", text)
    if name.endswith(".csv"):
        return blanked_csv(text)
    if name.endswith(".json") or text.startswith("{"):
        return JSON_TIME.sub(r"\1TIME", text)
    if "ms per move" in text:
        text = TABLE_TIME.sub("  TIME", text)
    return TEXT_TIME.sub("TIME", text)


def blanked_csv(text):
    """A CSV file without the columns of times. One that has none keeps its quotes."""
    heads, *rows = csv.reader(text.splitlines())
    times = {number for number, head in enumerate(heads) if re.fullmatch(TIME, head)}
    blank = [["TIME" if number in times else cell for number, cell in enumerate(row)] for row in rows]
    return json.dumps([heads, *blank], indent=0) if times else text


def read_cases(path):
    """The cases of a file: (name, lines of the config, commands)."""
    cases = []
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            cases.append((line[3:], [], []))
        elif re.match(r"(old|new)?\$ ", line):
            cases[-1][2].append(line)
        elif " vs " in line and not line.startswith("#"):
            a, b = line.split(" vs ", 1)
            b, _, options = b.partition(" ")
            number = len(cases[-1][2])
            files = f"--moves moves-{number}.csv --games-csv games-{number}.csv"
            games = "" if "--games" in options else "--games 6"
            command = f"$ match {shlex.quote(a)} {shlex.quote(b)} {games} --json {files} {options}"
            cases[-1][2].append(command)
        elif cases and line:
            cases[-1][1].append(line)
    default = ["$ evolve base.toml --out run"]
    return [(name, config, commands or default) for name, config, commands in cases]


def tables(lines):
    """The tables of a config, each with its lines by key; those of a list follow one another under its header."""
    table = {}
    found = {"": [table]}
    for line in lines:
        if line.startswith("["):
            known = found.setdefault(line, [])
            if not known or line.startswith("[["):
                known.append({})
            table = known[-1]
        elif line and not line.startswith("#"):
            table[line.split("=")[0].strip()] = line
    return found


def changed_config(changes):
    """base.toml with the changes of a case."""
    result = tables((DATA / "base.toml").read_text().splitlines())
    for header, found in tables(changes).items():
        if header.startswith("[["):
            result[header] = [table for table in found if table]
        elif found[0]:
            result.setdefault(header, [{}])[0].update(found[0])
    rows = []
    for header, found in result.items():
        for table in found:
            rows += [header, *(line for line in table.values() if not line.endswith(" ="))]
    return "".join(row + "\n" for row in rows if row)


def run_case(case, side, binaries, folder):
    """Runs the commands of a case on a side: (results by name, messages by name)."""
    _, config, commands = case
    folder.mkdir(parents=True)
    for name in ("experiments", "tests"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "tictune").symlink_to(binaries[side])
    (folder / "base.toml").write_text(changed_config(config))
    results, messages, number = {}, {}, 0
    for line in commands:
        sides, command = re.match(r"(old|new)?\$ (.*)", line).groups()
        if sides not in (None, side):
            continue
        binary = binaries["old"] if command.startswith("by-old ") else binaries[side]
        command = command.removeprefix("by-old ")
        if command.startswith("killed "):
            if not kill_in_mid_run(binary, shlex.split(command)[1:], folder):
                results[f"{command}: it ended before it could be killed"] = ""
            continue
        number += 1
        label = f"command {number}" + ("" if sides else f": {command}")
        output = run(binary, command, folder)
        out, err = output.stdout.decode(), blanked("", output.stderr.decode())
        if command.startswith("help"):
            out, err = "", out + err
        results[f"standard output of {label}"] = f"exit code {output.returncode}\n{blanked('', out)}"
        if sides is None:
            messages[f"what is said by {label}"] = err
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            name = str(path.relative_to(folder))
            results[name] = blanked(name, path.read_bytes().decode(errors="backslashreplace"))
    return results, messages


def run(binary, command, folder):
    """Runs a command line as the cases have it."""
    command, *edits = command.split(" : ")
    command, _, typed = command.partition(" <<< ")
    args = shlex.split(command)
    if edits:
        path = next(arg for arg in args if arg.endswith(".toml"))
        text = (folder / path).read_text()
        for edit in edits:
            old, new = edit.split(" => ")
            if old not in text:
                sys.exit(f'"{old}" is not in {path}: {command}')
            text = text.replace(old, new.replace("\\n", "\n"), 1)
        copy = f"edited-{pathlib.Path(path).name}"
        (folder / copy).write_text(text)
        args[args.index(path)] = copy
    typed = typed.replace(";", "\n").encode()
    return subprocess.run(["tictune", *args], executable=binary, cwd=folder, input=typed, capture_output=True)


def kill_in_mid_run(binary, args, folder):
    """Runs a command until it has written two generations, and kills it; false if it ended before."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen([binary, *args], cwd=folder, stdout=nowhere, stderr=nowhere)
    while process.poll() is None:
        logs = folder.glob("run/stage-*/generations.csv")
        if any(len(log.read_text().splitlines()) > 2 for log in logs):
            process.send_signal(signal.SIGKILL)
            process.wait()
        time.sleep(0.002)
    return process.returncode == -signal.SIGKILL


def differences(old, new):
    """What differs, each as lines to print."""
    found = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            found.append([f"{name}: only on the side of {'OLD' if name in old else 'NEW'}"])
        elif old[name] != new[name]:
            a, b = old[name].splitlines() + ["(end)"], new[name].splitlines() + ["(end)"]
            pairs = [(n, x, y) for n, (x, y) in enumerate(zip(a, b), 1) if x != y]
            n, x, y = pairs[0] if pairs else (min(len(a), len(b)), "(other ends of lines)", "")
            found.append([f"{name}, line {n}:", f"  OLD {x[:300]}", f"  NEW {y[:300]}"])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help="keeps what is written; default: nothing is kept")
    parser.add_argument("--only", default="", help="cases whose names have this in them")
    parser.add_argument("--strict", action="store_true", help="other messages are differences, too")
    options = parser.parse_intermixed_args()
    binaries = {"old": options.old.resolve(strict=True), "new": options.new.resolve(strict=True)}
    cases = [case for path in sorted(DATA.glob("*.txt")) for case in read_cases(path) if options.only in case[0]]
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="same-bytes-"))
    folder.mkdir(parents=True, exist_ok=options.folder is None)
    begin, different, reworded = time.monotonic(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case in cases:
            place = folder / re.sub(r"\W+", "-", case[0])
            both = pool.map(lambda side: run_case(case, side, binaries, place / side), binaries)
            (old, old_said), (new, new_said) = both
            results, messages = differences(old, new), differences(old_said, new_said)
            verdict = "DIFFERENT" if results else "same"
            refused = sum(text.startswith("exit code") and text[10] != "0" for text in old.values())
            counts = [(len(old), "results"), (refused, "commands refused"), (len(messages), "messages differ")]
            counts = ", ".join(f"{count} {what}" for count, what in counts if count)
            print(f"{verdict:9}  {case[0]}: {counts}", flush=True)
            for line in (line for found in results[:5] + messages for line in found):
                print(f"           {line}")
            different += bool(results)
            reworded += len(messages)
    if options.folder is None:
        shutil.rmtree(folder)
    print(f"{len(cases)} cases in {time.monotonic() - begin:.0f} s: {different} different; {reworded} messages differ")
    return 1 if different or (options.strict and reworded) or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
