"""Evolves weights against several pools of opponents, with several seeds each, and writes a row a run to results.csv.

    python experiments/pools/run.py --tictune target/release/tictune --seeds 8

A run that is finished is not played again: it is a folder RUNS/POOL-SEED, and a run that was stopped goes on where it was.
"""

import argparse
import csv
import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
OPPONENT = '[[opponents]]\nagent = "minimax:weights=liang-default"\n'
VECTORS = ["liang-default", "liang-optimized", "liang-comprehensive"]


def against(*agents):
    return "".join(f'[[opponents]]\nagent = "{agent}"\n' for agent in agents)


# What takes the place of the opponents, and of the openings.
POOLS = {
    "default": (OPPONENT, "random:4:train"),
    "default, from the centre": (OPPONENT, "centre"),
    "optimized": (against("minimax:weights=liang-optimized"), "random:4:train"),
    "all three": (against(*(f"minimax:weights={vector}" for vector in VECTORS)), "random:4:train"),
}


def run(tictune, pool, seed, threads, runs):
    """The row of a run."""
    opponents, openings = POOLS[pool]
    folder = runs / f"{pool.replace(', ', '-').replace(' ', '-')}-{seed}"
    config = runs / f"{folder.name}.toml"
    text = (HERE / "pools.toml").read_text()
    assert OPPONENT in text
    config.write_text(text.replace(OPPONENT, opponents).replace('games = 60\nopenings = "random:4:train"', f'games = 60\nopenings = "{openings}"'))
    command = [tictune, "evolve", str(config), "--out", str(folder), "--seed", str(seed), "--threads", str(threads)]
    if (folder / "manifest.json").exists():
        command.append("--resume")
    subprocess.run(command, check=True, capture_output=True)
    comparison = json.loads((folder / "comparison.json").read_text())
    row = {"pool": pool, "seed": seed, "winner": comparison["winner"]}
    row |= {f"best_{key}": comparison[key] for key in ("wins", "draws", "losses")}
    for match in json.loads((folder / "validation.json").read_text()):
        name = next((vector for vector in VECTORS if vector in match["opponent"]), None)
        if name:
            row[name.replace("-", "_")] = (match["wins"] + match["draws"] / 2) / match["games"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune", help="the program")
    parser.add_argument("--runs", type=Path, default=Path("runs/pools"), help="the folder of the runs")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    args.runs.mkdir(parents=True, exist_ok=True)
    rows = []
    for seed in range(1, args.seeds + 1):
        for pool in POOLS:
            rows.append(run(args.tictune, pool, seed, args.threads, args.runs))
            print(rows[-1], flush=True)
    rows.sort(key=lambda row: (list(POOLS).index(row["pool"]), row["seed"]))
    with open(HERE / "results.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
