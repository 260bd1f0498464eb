"""How long threads or workers wait for the games of a generation to end, simulated with games as long as measured ones.

    python experiments/tuners/idle.py --tictune target/release/tictune

Measures how long games of self-play take at depths 3, 5 and 7. Then workers take one game after the other, generation after generation. A
generation begins when the one before is over or, where two overlap as those of pairs do, the one before that. Prints the share of time in which
workers have nothing to play.
"""

import argparse
import collections
import csv
import heapq
import random
import subprocess
import tempfile
from pathlib import Path

WORKERS, GENERATIONS = [2, 16, 64], 300
# Games of a generation: of pairs in budgets of 12,500, 50,000 and 125,000 games; of CMA-ES, 20 candidates and the mean with 12 games each.
SHAPES = {"10 pairs": (22, 1), "10 pairs, generations apart": (22, 0), "40 pairs": (84, 1), "100 pairs": (210, 1), "CMA-ES, 20 candidates x 12 games": (252, 0)}


def times(tictune, depth, games):
    """Milliseconds of each game, on one thread."""
    agent = f"minimax:depth={depth},weights=tictune-extended"
    with tempfile.TemporaryDirectory() as folder:
        moves = Path(folder) / "moves.csv"
        command = [tictune, "match", agent, agent, "--games", str(games), "--seed", "1", "--openings", "random:4", "--threads", "1", "--moves", str(moves)]
        subprocess.run(command, check=True, capture_output=True)
        took = collections.Counter()
        with open(moves, newline="") as file:
            for move in csv.DictReader(file):
                took[move["game"]] += float(move["milliseconds"])
    return list(took.values())


def idle(took, games, ahead, workers, draws):
    """The share of time without work, if a generation begins when all but `ahead` generations before it are over."""
    free, over, played = [0.0] * workers, [], 0.0
    for generation in range(GENERATIONS):
        before = generation - 1 - ahead
        begins, ends = over[before] if before >= 0 else 0.0, over[-1] if over else 0.0
        for _ in range(games):
            took_now = draws.choice(took)
            end = max(heapq.heappop(free), begins) + took_now
            heapq.heappush(free, end)
            played, ends = played + took_now, max(ends, end)
        over.append(ends)
    return 1 - played / (workers * over[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune", help="the program")
    args = parser.parse_args()
    draws = random.Random(1)
    print("| depth | a game | generation |", " | ".join(f"{workers} workers" for workers in WORKERS), "|")
    print("|---|---|---|" + "---|" * len(WORKERS))
    for depth, games in [(3, 1000), (5, 300), (7, 60)]:
        took = times(args.tictune, depth, games)
        for name, (of_generation, ahead) in SHAPES.items():
            shares = [f"{100 * idle(took, of_generation, ahead, workers, draws):.1f} %" for workers in WORKERS]
            print(f"| {depth} | {sum(took) / len(took):.1f} ms | {name} |", " | ".join(shares), "|")


if __name__ == "__main__":
    main()
