"""Is a good start spent? Learned starts, given as `initial` of a run with few games, and what the run makes of them.

    python experiments/tuners/good_starts.py --tictune tictune --seeds 32 --budget 3000

For each seed: 1,500 games of learning give a start of the 39 weights of `extended`; a run with that start and a `[budget]` gives an answer. Both
play 1,000 held-out games against each published vector, and each other, at depth 3. Rows that are there are not played again; the table is printed at
the end.
"""

import argparse
import csv
import json
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from report import holm, mean_and_error
from run import TASKS, config, score

TASK = "extended"
KEYS = ["budget", "seed", "start", "answer", "wins", "draws", "losses", "p"]


def played(args, seed):
    """A row of the results."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)

        def evolve(name, text):
            path = folder / f"{name}.toml"
            path.write_text(text)
            subprocess.run([args.tictune, "evolve", str(path), "--seed", str(seed), "--threads", "1", "--out", str(folder / name)], check=True, capture_output=True)

        # Twelve thousand games have all the learning that there is; one generation is enough to have it written.
        evolve("learned", config(TASK, {"budget": {"games": 12_000}, "stage": {"max_generations": 1}}, seed, with_initial=False))
        start = folder / "learned" / "learn" / "learned.toml"
        evolve("run", config(TASK, {"budget": {"games": args.budget}, "cmaes": {"initial": str(start)}}, seed))
        answer = folder / "run" / "mean.toml"
        command = [args.tictune, "match", *(f"minimax:depth={TASKS[TASK]['stage']['depth']},weights={weights}" for weights in (answer, start))]
        command += ["--games", "1000", "--openings", "random:4:held-out", "--seed", str(800_000 + seed), "--threads", "1", "--json"]
        match = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        scores = [f"{score(args.tictune, TASK, weights, seed):.3f}" for weights in (start, answer)]
    row = [str(args.budget), str(seed), *scores, *(str(match[key]) for key in KEYS[4:])]
    print(*row, flush=True)
    return dict(zip(KEYS, row))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune")
    parser.add_argument("--seeds", type=int, default=32)
    parser.add_argument("--budget", type=int, default=3000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "good_starts.csv")
    args = parser.parse_args()
    rows = []
    if args.results.exists():
        with open(args.results, newline="") as file:
            rows = list(csv.DictReader(file))
    there = {(row["budget"], row["seed"]) for row in rows}
    left = [seed for seed in range(1, args.seeds + 1) if (str(args.budget), str(seed)) not in there]
    with ThreadPoolExecutor(args.jobs) as pool:
        for row in pool.map(lambda seed: played(args, seed), left):
            rows.append(row)
            with open(args.results, "w", newline="") as file:
                writer = csv.DictWriter(file, KEYS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(sorted(rows, key=lambda row: (int(row["budget"]), int(row["seed"]))))
    print("\n| games | runs | score of the starts | of the answers | gain | against their starts | shown ahead | shown behind |\n|---|---|---|---|---|---|---|---|")
    for budget in sorted({int(row["budget"]) for row in rows}):
        of_budget = [row for row in rows if int(row["budget"]) == budget]
        starts, answers = ([float(row[key]) for row in of_budget] for key in ("start", "answer"))
        gain = mean_and_error([b - a for a, b in zip(starts, answers)])
        ahead = [100 * (int(row["wins"]) + int(row["draws"]) / 2) / 1000 for row in of_budget]
        corrected = holm({row["seed"]: float(row["p"]) for row in of_budget})
        shown = [share > 50 for row, share in zip(of_budget, ahead) if corrected[row["seed"]] < 0.05]
        print(
            f"| {budget:,} | {len(of_budget)} | {statistics.mean(starts):.1f} % | {statistics.mean(answers):.1f} % | {gain[0]:+.1f} +- {gain[1]:.1f} |"
            f" {statistics.mean(ahead):.1f} +- {mean_and_error(ahead)[1]:.1f} %, least {min(ahead):.1f} | {sum(shown)} | {len(shown) - sum(shown)} |"
        )


if __name__ == "__main__":
    main()
