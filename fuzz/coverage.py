#!/usr/bin/env python3
"""Which share of the edges of a parser's functions some inputs reach.

    python3 fuzz/coverage.py PROGRAM FOLDER...      (with the variable PARSER, as for the fuzzer)

Prints, of tictune's functions that the inputs enter, how many there are, how many edges they have, and how many of these
are reached. Functions that are inlined belong to those that call them. Needs nm, for x86-64 and ELF.
"""
import bisect
import struct
import subprocess
import sys
import tempfile
from pathlib import Path


def covered(program, folders):
    """The numbers of the edges that the inputs in some folders reach, as libFuzzer notes when it merges them."""
    with tempfile.TemporaryDirectory() as folder:
        notes, merged = Path(folder, "notes"), Path(folder, "merged")
        merged.mkdir()
        options = ["-merge=1", f"-merge_control_file={notes}", "-rss_limit_mb=1024", "-timeout=5"]
        subprocess.run([program, *options, merged, *folders], check=True, stderr=subprocess.DEVNULL)
        lines = (line.split() for line in notes.read_text().splitlines())
        return {int(number) for line in lines if line[:1] == ["COV"] for number in line[2:]}


def edges(program):
    """The address of each edge, by its number: the section __sancov_pcs, whose addresses are in relocations."""
    elf = Path(program).read_bytes()
    offset, size, count, names = struct.unpack_from("<Q10xHHH", elf, 0x28)
    sections = [struct.unpack_from("<IIQQQQ", elf, offset + size * number) for number in range(count)]
    text = sections[names][4]
    named = {elf[text + name : elf.index(b"\0", text + name)].decode(): rest for name, *rest in sections}
    _, _, start, _, length = named["__sancov_pcs"]
    found = [0] * (length // 16)
    _, _, _, at, length = named[".rela.dyn"]
    for place, kind, value in struct.iter_unpack("<QQq", elf[at : at + length]):
        if kind == 8 and start <= place < start + 16 * len(found) and (place - start) % 16 == 0:
            found[(place - start) // 16] = value
    return found


def functions(program):
    """The addresses where functions begin, and their names, in order."""
    output = subprocess.run(["nm", "-nC", "--defined-only", program], check=True, stdout=subprocess.PIPE, text=True)
    rows = [line.split(" ", 2) for line in output.stdout.splitlines() if line.split(" ", 2)[1] in "tTwW"]
    return [int(row[0], 16) for row in rows], [row[2] for row in rows]


def main():
    program, *folders = sys.argv[1:]
    starts, names = functions(program)
    reached = covered(program, folders)
    by_function = {}
    for number, address in enumerate(edges(program)):
        function = bisect.bisect_right(starts, address) - 1
        if "tictune::" in names[function]:
            by_function.setdefault(function, []).append(number in reached)
    entered = [hits for hits in by_function.values() if any(hits)]
    total, hit = sum(map(len, entered)), sum(map(sum, entered))
    print(f"{len(entered)} functions, {total} edges, {hit / max(total, 1):.0%}")


main()
