"""Is a profile right? On landscapes, where strength is known.

    python experiments/tuners/profiles.py --tictune tictune --seeds 12 --jobs 2

Each run of a budget is followed by `tictune profile`: every number of its answer at up to four other values, against the answer. Printed is how often the
intervals hold the truth, which numbers are shown to matter, and how many of those that change nothing are.
"""

import argparse
import json
import math
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import landscape
from run import TASKS, config
from won import ELO, LANDSCAPES

# By how much the worst value that was tried changes strength, in Elo.
CLASSES = {"nothing": (0, 1e-9), "less than 20 Elo": (1e-9, 20), "20 to 100 Elo": (20, 100), "more": (100, math.inf)}


def profiled(args, task, seed):
    """For each number: the truth of each value, and its row."""
    words = [*TASKS[task]["landscape"].split(), f"lost={args.lost}"]
    text = config(task, {"budget": {"games": args.budget}}, seed, with_opponents=False)
    text = text.replace(TASKS[task]["landscape"], " ".join(words))
    with tempfile.TemporaryDirectory() as work:
        path, out = Path(work) / "config.toml", Path(work) / "run"
        path.write_text(text)
        subprocess.run([args.tictune, "evolve", str(path), "--out", str(out), "--seed", str(seed), "--threads", "1"], check=True, capture_output=True)
        ask = lambda *words: json.loads(subprocess.run([args.tictune, *words, "--json"], check=True, capture_output=True, text=True).stdout)
        rows = ask("profile", str(out), "--games", str(args.games), "--threads", "1")["rows"]
        winner = ask("show", str(out))["parameters"]
    known = landscape.of_words([str(seed), *words])
    strength = known.strength(winner)
    numbers = {}
    for row in rows:
        truth = ELO * (known.strength({**winner, row["number"]: row["value"]}) - strength)
        numbers.setdefault(row["number"], []).append((truth, row))
    return list(numbers.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune")
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=int, default=3000)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--lost", type=float, default=200, help="by how many Elo the start is below the optimum")
    parser.add_argument("--tasks", nargs="*", default=LANDSCAPES, choices=LANDSCAPES)
    args = parser.parse_args()
    runs = [(task, seed) for task in args.tasks for seed in range(1, args.seeds + 1)]
    with ThreadPoolExecutor(args.jobs) as pool:
        numbers = [number for run in pool.map(lambda run: profiled(args, *run), runs) for number in run]
    values = [value for number in numbers for value in number]
    ends = [(truth, row["elo_low"] if row["elo_low"] is not None else -math.inf, row["elo_high"] if row["elo_high"] is not None else math.inf) for truth, row in values]
    above, below = sum(truth > high for truth, _, high in ends), sum(truth < low for truth, low, _ in ends)
    print(f"{len(values)} values of {len(numbers)} numbers in {len(runs)} runs: {100 - 100 * (above + below) / len(values):.1f} % of the intervals hold the truth; {above} are below it, {below} above")
    print("\n| the value that changes most changes | numbers | shown to matter |\n|---|---|---|")
    for name, (low, high) in CLASSES.items():
        of_class = [number for number in numbers if low <= max(abs(truth) for truth, _ in number) < high]
        shown = sum(any(row["p_value_holm"] is not None and row["p_value_holm"] < 0.05 for _, row in number) for number in of_class)
        print(f"| {name} | {len(of_class)} | {shown} |")


if __name__ == "__main__":
    main()
