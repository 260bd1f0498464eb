"""Is a run right about what it has won? On landscapes, where that is known.

    python experiments/tuners/won.py --tictune tictune --seeds 40 --jobs 2

Each run says how far its mean is ahead of its start, in Elo with a 95 % interval (`tictune show`). Printed is how often the interval holds the
truth, by budget and by how much there is to be won: 200 Elo as the landscapes have it, 20, and nothing at all.
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

# Where who moves first wins most games, fewer Elo are won in play than the landscape says.
LANDSCAPES = [name for name, task in TASKS.items() if "landscape" in task and "level=" not in task["landscape"]]
ELO = 400 / math.log(10)


def played(args, task, seed, budget, lost):
    """The truth and what the run says: Elo, and the ends of its interval."""
    words = [*TASKS[task]["landscape"].split(), f"lost={lost}"]
    text = config(task, {"budget": {"games": budget}}, seed, with_opponents=False)
    text = text.replace(TASKS[task]["landscape"], " ".join(words))
    with tempfile.TemporaryDirectory() as work:
        path, out = Path(work) / "config.toml", Path(work) / "run"
        path.write_text(text)
        subprocess.run([args.tictune, "evolve", str(path), "--out", str(out), "--seed", str(seed), "--threads", "1"], check=True, capture_output=True)
        shown = json.loads(subprocess.run([args.tictune, "show", str(out), "--json"], check=True, capture_output=True, text=True).stdout)
    known = landscape.of_words([str(seed), *words])
    number, count = TASKS[task]["number"], TASKS[task]["numbers"]
    start = {f"x{place + 1}": number["initial"] for place in range(count)}
    truth = ELO * (known.strength(shown["parameters"]) - known.strength(start))
    lead = shown["over_start"]
    return truth, *(lead[key] for key in ["elo", "elo_low", "elo_high"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budgets", type=int, nargs="*", default=[1000, 3000, 12_500])
    parser.add_argument("--tasks", nargs="*", default=LANDSCAPES, choices=LANDSCAPES)
    args = parser.parse_args()
    print("| to be won | games | runs | interval holds the truth | truth above it | below it | won | said | half the interval | shown ahead |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for lost in [200, 20, 0]:
        for budget in args.budgets:
            runs = [(task, seed) for task in args.tasks for seed in range(1, args.seeds + 1)]
            with ThreadPoolExecutor(args.jobs) as pool:
                found = list(pool.map(lambda run: played(args, *run, budget, lost), runs))
            # What is infinite is null.
            found = [(truth, elo, -math.inf if low is None else low, math.inf if high is None else high) for truth, elo, low, high in found]
            above, below = (sum(test(one) for one in found) for test in [lambda one: one[0] > one[3], lambda one: one[0] < one[2]])
            mean = lambda values: sum(values) / len(values)
            finite = [one for one in found if one[1] is not None and math.isfinite(one[2]) and math.isfinite(one[3])]
            cells = [lost, budget, len(found), f"{100 - 100 * (above + below) / len(found):.1f} %", above, below]
            cells += [f"{mean([one[0] for one in found]):.0f}", f"{mean([one[1] for one in finite]):.0f}"]
            cells += [f"{mean([(one[3] - one[2]) / 2 for one in finite]):.0f}", sum(one[2] > 0 for one in found)]
            print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
