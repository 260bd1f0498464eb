"""Which depths of training make strength that lasts, at equal time?

    python experiments/tuners/mixed.py --tictune tictune --out runs/mixed

The 39 weights of `extended` without opponents, 45 seconds per run: at depth 3, 5 or 7, or with depths mixed within one fitness. The answers play the
learned start of the run at depth 3, and tictune-extended, at depths 3, 5 and 7 and in iterative deepening: 400 held-out games each. Nothing else
should run beside it, since time is what the runs have in common. A run that is finished is not played again.
"""

import argparse
import json
import subprocess
from pathlib import Path

from report import mean_and_error

ARMS = {"3": "depth = 3", "5": "depth = 5", "7": "depth = 7", "3 and 5": "depths = [3, 5]", "3, 5 and 7": "depths = [3, 5, 7]"}
CONFIG = """name = "mixed"
evaluation = "extended"
budget = {{ time = "{time}" }}
[[stages]]
{depths}
[comparison]
games = 2
[validation]
depths = []
"""


def played(args, arm, seed):
    """The scores of an answer, by opponent and search, and the games of its run."""
    path, out = args.out / f"{arm}-{seed}.json", args.out / f"{arm}-{seed}"
    if path.exists():
        return json.loads(path.read_text())
    config = args.out / f"{arm}-{seed}.toml"
    config.write_text(CONFIG.format(time=args.time, depths=ARMS[arm]))
    subprocess.run([args.tictune, "evolve", str(config), "--out", str(out), "--seed", str(seed), "--resume"], check=True, capture_output=True)
    start = args.out / f"3-{seed}" / "learn" / "learned.toml"
    command = [args.tictune, "validate", str(out / "mean.toml"), "--opponents", f"{start},tictune-extended", "--depths", "3,5,7", "--iterative", "nodes=20000"]
    command += ["--ept", "none", "--games", "400", "--openings", "random:4:held-out", "--seed", str(700 + seed), "--json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"]
    games = json.loads((out / "manifest.json").read_text())["plan"]["timed"]["games"]
    found = {"games": games, "scores": [100 * (row["wins"] + row["draws"] / 2) / row["games"] for row in rows]}
    path.write_text(json.dumps(found))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--time", default="45s")
    parser.add_argument("--out", type=Path, default=Path("runs/mixed"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    searches = ["depth 3", "depth 5", "depth 7", "20,000 nodes"]
    print("| trained at depth | games | " + " | ".join(f"{against}, {search}" for against in ["start", "tictune-extended"] for search in searches) + " | mean of all |")
    print("|---" * (3 + 2 * len(searches)) + "|")
    runs = {arm: [] for arm in ARMS}
    for seed in range(1, args.seeds + 1):
        for arm in ARMS:
            runs[arm].append(played(args, arm, seed))
    for arm, found in runs.items():
        scores = [sum(column) / len(column) for column in zip(*(run["scores"] for run in found))]
        all_scores = mean_and_error(sum(run["scores"]) / len(run["scores"]) for run in found)
        games = f"{min(run['games'] for run in found):,} to {max(run['games'] for run in found):,}"
        print(f"| {arm} | {games} | " + " | ".join(f"{score:.1f} %" for score in scores) + " | {:.1f} +- {:.1f} % |".format(*all_scores))


if __name__ == "__main__":
    main()
