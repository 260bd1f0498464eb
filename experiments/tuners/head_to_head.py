"""Whose answers are stronger in games against each other? Scores against the opponents of a task hide that, where methods trained against them.

    python experiments/tuners/head_to_head.py --tictune tictune --budget 12500 --seeds 8 --jobs 2 --out runs/head-to-head

For each task and seed, the answer of `default` plays those of the other methods with the same budget and seed, at several depths, in games
that no search has seen. Answers that are there are kept. Printed are mean scores of `default` over seeds with 95 % intervals, and Elo.
"""

import argparse
import json
import math
import shutil
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import run
from scipy.stats import t as student

# Games by depth; those of Qubic take longer.
DEPTHS = {"uttt": {3: 1000, 5: 1000, 7: 400}, "qubic": {2: 1000, 3: 400}}
# Of each task the setting of SPSA with the highest score in results.csv, the same along directions estimated from positions, and CMA-ES with
# few games for each candidate.
RIVALS = {
    "extended": ["spsa-3-5", "spsa-3-5-directed", "cma-60x12"],
    "comprehensive": ["spsa", "cma-60x12"],
    "advanced": ["spsa", "cma-60x12"],
    "lines": ["spsa", "spsa-3-5-directed", "cma-60x12"],
}


def answer(args, task, method, seed):
    """The weight file of a method's answer."""
    path = args.out / task / str(args.budget) / f"{method}-{seed}.toml"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as work:
            tune = run.own if method in run.OWN else run.outside
            found, _ = tune(method, args.tictune, task, seed, args.budget, Path(work))
            shutil.copy(found, path)
    return path


def game(task):
    return "qubic" if "qubic" in run.TASKS[task]["keys"] else "uttt"


def score(args, task, rival, seed, depth):
    """The share of the points of `default` against a rival, in percent."""
    players = [f"minimax:depth={depth},weights={answer(args, task, method, seed)}" for method in ("default", rival)]
    command = [args.tictune, "match", *players, "--game", game(task), "--games", str(DEPTHS[game(task)][depth])]
    command += ["--openings", "random:4:held-out", "--seed", str(800_000 + seed), "--threads", "1", "--json"]
    return 100 * json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["score"]


def in_words(scores):
    mean = statistics.mean(scores)
    half = student.ppf(0.975, len(scores) - 1) * statistics.stdev(scores) / math.sqrt(len(scores))
    return f"{mean:.1f} +- {half:.1f} % | {400 * math.log10(mean / (100 - mean)):+.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tictune", default="tictune")
    parser.add_argument("--budget", type=int, default=12_500)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tasks", nargs="*", default=list(RIVALS))
    parser.add_argument("--out", type=Path, default=Path("runs/head-to-head"))
    args = parser.parse_args()
    rows = [(task, rival) for task in args.tasks for rival in RIVALS[task]]
    with ThreadPoolExecutor(args.jobs) as pool:
        needed = [(task, method, seed) for task in args.tasks for seed in range(1, args.seeds + 1) for method in ["default", *RIVALS[task]]]
        list(pool.map(lambda one: answer(args, *one), needed))
        matches = [(*row, seed, depth) for row in rows for depth in DEPTHS[game(row[0])] for seed in range(1, args.seeds + 1)]
        scores = dict(zip(matches, pool.map(lambda one: score(args, *one), matches)))
    print("| task | games | against | depth | `default` has | Elo |\n|---|---|---|---|---|---|")
    for task, rival in rows:
        for depth in DEPTHS[game(task)]:
            found = in_words([scores[task, rival, seed, depth] for seed in range(1, args.seeds + 1)])
            print(f"| `{task}` | {args.budget:,} | `{rival}` | {depth} | {found} |")


if __name__ == "__main__":
    main()
