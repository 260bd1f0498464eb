"""Does the strength last? Runs of the default at depth 3, whose answers play at depths 3, 5 and 7 and in iterative deepening.

    python experiments/tuners/depths.py --tictune tictune
    python experiments/tuners/depths.py --tasks extended --trained 3 5 --alone

Prints a table: the mean score over eight seeds, with its 95 % interval, against the published vectors and against the learned start of the
run; 200 held-out games against each.
"""

import argparse
import json
import subprocess
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from report import mean_and_error
from run import TASKS, config

DEPTHS, NODES = [3, 5, 7], 20_000


def played(args, task, seed):
    """The scores of a run's answer, by search, against the published vectors and against its start."""
    opponents = [agent.split("=")[-1].strip('"') for agent in TASKS[task]["opponents"]]
    with tempfile.TemporaryDirectory() as work:
        path, out = Path(work) / "config.toml", Path(work) / "run"
        sections = {"budget": {"games": args.budget}, "stage": {"depths": args.trained}}
        path.write_text(config(task, sections, seed, with_initial=False, with_opponents=not args.alone))
        subprocess.run([args.tictune, "evolve", str(path), "--seed", str(seed), "--threads", "1", "--out", str(out)], check=True, capture_output=True)
        start = str(out / "learn" / "learned.toml")
        command = [args.tictune, "validate", str(out / "mean.toml"), "--opponents", ",".join([*opponents, start]), "--depths", ",".join(map(str, DEPTHS))]
        command += ["--iterative", f"nodes={NODES}", "--ept", "none", "--games", "200", "--openings", "random:4:held-out", "--seed", str(700_000 + seed)]
        rows = json.loads(subprocess.run([*command, "--threads", "1", "--json"], check=True, capture_output=True, text=True).stdout)["rows"]
    scores = defaultdict(list)
    for row in rows:
        search = f"depth {row['depth']}" if row["depth"] else f"{NODES:,} nodes"
        against = "published" if row["opponent"] in opponents else "start"
        scores[search, against].append(100 * (row["wins"] + row["draws"] / 2) / row["games"])
    return {key: sum(found) / len(found) for key, found in scores.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--budget", type=int, default=12_500)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tasks", nargs="*", default=["extended", "comprehensive"])
    parser.add_argument("--trained", type=int, nargs="*", default=[3], help="the depths of training, mixed")
    parser.add_argument("--alone", action="store_true", help="without opponents: candidates play each other only")
    args = parser.parse_args()
    searches = [*(f"depth {depth}" for depth in DEPTHS), f"{NODES:,} nodes"]
    print("| task | against | " + " | ".join(searches) + " |\n|---|---|" + "---|" * len(searches))
    for task in args.tasks:
        with ThreadPoolExecutor(args.jobs) as pool:
            runs = list(pool.map(lambda seed: played(args, task, seed), range(1, args.seeds + 1)))
        for against in ["published", "start"]:
            cells = ["{:.1f} +- {:.1f} %".format(*mean_and_error(run[search, against] for run in runs)) for search in searches]
            print(f"| `{task}` | {against} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
