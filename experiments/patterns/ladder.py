"""What each part of the strongest agent is worth: it plays itself without that part, at equal time, by SPRT.

    python experiments/patterns/ladder.py --tictune target/release/tictune

A part that is finished is not played again: its result is a file in results/ladder beside this script. `--table` prints the
table of what is there.
"""

import argparse
import json
import subprocess
from pathlib import Path

RESULTS = Path(__file__).parent / "results/ladder"
AGENT = "pvs:time=20ms,weights=tictune-patterns"
# What is left out, the seed of its match, and the agent without it. README.md has three parts more, which were dropped.
PARTS = {
    "fitted patterns": (700, "pvs:time=20ms,weights=tictune-extended"),
    "pvs": (701, "iterative:time=20ms,weights=tictune-patterns,table=16"),
    "reductions of late moves": (702, f"{AGENT},reduction=0,reduction_base=0"),
    "narrow first window": (704, f"{AGENT},window=0"),
    "killer moves": (706, f"{AGENT},killer=0"),
    "15 of 16 MiB of the table": (708, f"{AGENT},table=1"),
    "not Monte Carlo tree search": (709, "mcts:time=20ms,playout=ept,judge=sigmoid,threshold=1,boundary=1,c=0.3,solver=true,reuse=true,weights=tictune-patterns"),
}


def path_of(part):
    return RESULTS / (part.replace(" ", "-") + ".json")


def table():
    print("| part | games | won, drew, lost | score | Elo (95 %) | SPRT |\n|---|---|---|---|---|---|")
    for part in PARTS:
        if not path_of(part).exists():
            continue
        found = json.loads(path_of(part).read_text())
        games = found["wins"] + found["draws"] + found["losses"]
        score = 100 * (found["wins"] + found["draws"] / 2) / games
        low, high = found["elo_low"], found["elo_high"]
        decided = {"H0": "not worth 30", "H1": "worth something", None: "undecided"}[found["sprt"]["decision"]]
        print(f"| {part} | {games} | {found['wins']}, {found['draws']}, {found['losses']} | {score:.1f} % | {found['elo']:+.0f} ({low:+.0f} to {high:+.0f}) | {decided} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune", help="the program")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--games", type=int, default=2000, help="the most games of a part")
    parser.add_argument("--table", action="store_true", help="print the table of what is there, and play nothing")
    args = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    for part, (seed, without) in PARTS.items():
        if args.table or path_of(part).exists():
            continue
        command = [args.tictune, "match", AGENT, without, "--sprt", "elo0=0,elo1=30", "--games", str(args.games)]
        command += ["--openings", "random:4:held-out", "--seed", str(seed), "--threads", str(args.threads), "--json"]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        partial = path_of(part).with_suffix(".partial")
        partial.write_text(found)
        partial.rename(path_of(part))
        print(f"{part}: done", flush=True)
    table()


if __name__ == "__main__":
    main()
