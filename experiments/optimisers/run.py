"""Runs each optimiser on the games of fitness.toml, with the same budget of games, and plays its winner on held-out games.

    pip install cmaes optuna numpy
    python experiments/optimisers/run.py --seeds 8
    python experiments/optimisers/run.py --seeds 8 --budget 25000

A run that is finished is not played again: its result is a file RUNS/BUDGET/METHOD-SEED.json. A run that was stopped starts anew.
`--collect results.csv` writes all results into one file, which report.py beside this file reads.
"""

import argparse
import csv
import json
import math
import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

# Threads of linear algebra only get into each other's way here.
for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]:
    os.environ.setdefault(variable, "1")

import numpy as np

HERE = Path(__file__).parent
CONFIG = HERE / "fitness.toml"
START, SIGMA, BATCH = 0.5, 0.3, 20
OPPONENTS = ["liang_default", "liang_optimized", "liang_comprehensive"]
# Games of a candidate, and of the last choice among the best ones of optimisers that have no mean.
GAMES, CHOICE = 60, 0.2


class Games:
    """The games of a config by `tictune fitness`, and a budget of them."""

    def __init__(self, tictune, seed, budget, threads):
        command = [tictune, "fitness", str(CONFIG), "--seed", str(seed), "--threads", str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        described = subprocess.run([tictune, "fitness", str(CONFIG), "--describe"], capture_output=True, text=True, check=True)
        self.names = [number["name"] for number in json.loads(described.stdout)["numbers"]]
        self.left, self.batches = budget, 0

    def costs(self, points, games=GAMES):
        """The share of points that each lost, in new games, the same ones for all; None when the budget is spent."""
        if self.left < games * len(points):
            return None
        self.left -= games * len(points)
        self.batches += 1
        line = [
            {"numbers": dict(zip(self.names, map(float, point))), "seed": self.batches, "games": games} for point in points
        ]
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return [answer["cost"] / games for answer in json.loads(self.process.stdout.readline())]

    def best_of(self, points):
        """Successive halving with what is left of the budget."""
        while len(points) > 1:
            games = self.left // (len(points) * math.ceil(math.log2(len(points)))) // 6 * 6
            costs = self.costs(points, games) if games >= 6 else None
            if costs is None:
                break
            points = [points[index] for index in np.argsort(costs, kind="stable")[: (len(points) + 1) // 2]]
        return points[0]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def random_search(games, rng):
    """Normal draws around the start; the best twentieth is measured again."""
    points, costs, reserve = [], [], CHOICE * games.left
    while games.left > reserve:
        batch = [START + 2 * SIGMA * rng.standard_normal(len(games.names)) for _ in range(BATCH)]
        costs += games.costs(batch)
        points += batch
    order = np.argsort(costs, kind="stable")
    return games.best_of([points[index] for index in order[: max(2, len(points) // 20)]])


def lra_cma(games, rng):
    """CMA-ES with learning-rate adaptation (Nomura, Akimoto, Ono, GECCO 2023)."""
    import cmaes

    seed = int(rng.integers(1 << 31))
    optimiser = cmaes.CMA(mean=np.full(len(games.names), START), sigma=SIGMA, population_size=BATCH, seed=seed, lr_adapt=True)
    while True:
        points = [optimiser.ask() for _ in range(BATCH)]
        costs = games.costs(points)
        if costs is None:
            return optimiser.mean
        optimiser.tell(list(zip(points, costs)))


def spsa(games, rng):
    """SPSA as fishtest runs it: Spall's gains, with A a tenth of the iterations, and r_end and c_end of the last one.

    A pair of vectors is measured in the same games, as fishtest's two engines meet the same openings.
    """
    iterations = games.left // (2 * GAMES)
    point = np.full(len(games.names), START)
    c_end, r_end, a_offset = SIGMA / 3, 0.02, 0.1 * iterations
    for step in range(1, iterations + 1):
        c = c_end * iterations**0.101 / step**0.101
        a = r_end * c_end**2 * (a_offset + iterations) ** 0.602 / (a_offset + step) ** 0.602
        flip = rng.choice([-1.0, 1.0], len(point))
        plus, minus = games.costs([point + c * flip, point - c * flip])
        # fishtest moves by a / c times wins minus losses of the games of a step.
        point = point + a / c * flip * (minus - plus) * 2 * GAMES
    return point


def tpe(games, rng):
    """Optuna's tree-structured Parzen estimator, asked for batches; the best are measured again."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=int(rng.integers(1 << 31)), multivariate=True, constant_liar=True)
    study, reserve = optuna.create_study(sampler=sampler), CHOICE * games.left
    points, costs = [], []
    while games.left > reserve:
        trials = [study.ask() for _ in range(BATCH)]
        batch = [[trial.suggest_float(name, START - 2, START + 2) for name in games.names] for trial in trials]
        found = games.costs(batch)
        for trial, cost in zip(trials, found):
            study.tell(trial, cost)
        points, costs = points + batch, costs + found
    return games.best_of([points[index] for index in np.argsort(costs, kind="stable")[: max(2, len(points) // 20)]])


def clop(games, rng):
    """After CLOP (Coulom 2011): batches from a normal distribution over the candidates that a quadratic logistic model does not
    hold to be worse than the mean; the answer is their weighted mean, as its author advises."""
    n = len(games.names)
    points = START + 2 * SIGMA * rng.standard_normal((5 * BATCH, n))
    costs = np.array(games.costs(list(points)))
    weights = np.ones(len(points))
    while True:
        mean = np.average(points, axis=0, weights=weights)
        spread = np.cov(points.T, aweights=weights) + 1e-9 * np.eye(n)
        batch = rng.multivariate_normal(mean, spread, BATCH, method="cholesky")
        found = games.costs(list(batch))
        if found is None:
            return mean
        points, costs = np.vstack([points, batch]), np.concatenate([costs, found])
        weights = localised(points, 1 - costs)


def localised(points, scores):
    """CLOP's weights of points, by a quadratic model of scores in logits and rounds of min(1, exp((q - m) / 3s))."""
    n = points.shape[1]
    white = (points - points.mean(axis=0)) / points.std(axis=0)
    low, high = np.tril_indices(n)
    quadratic = white[:, low] * white[:, high]
    terms = np.hstack([np.ones((len(points), 1)), white, quadratic])
    if len(points) < terms.shape[1]:
        terms = np.hstack([np.ones((len(points), 1)), white, white**2])
    ridge = np.full(terms.shape[1], 100.0)
    ridge[0] = 1e-6
    weights, fit = np.ones(len(points)), np.zeros(terms.shape[1])
    for _ in range(10):
        games = GAMES * weights
        for _ in range(8):
            share = 1 / (1 + np.exp(-np.clip(terms @ fit, -30, 30)))
            slope = terms.T @ (games * (scores - share)) - ridge * fit
            bend = (terms * (games * share * (1 - share))[:, None]).T @ terms + np.diag(ridge)
            fit = fit + np.linalg.solve(bend, slope)
        share = np.clip(np.average(scores, weights=weights), 1e-3, 1 - 1e-3)
        mean, error = math.log(share / (1 - share)), 1 / math.sqrt(games.sum() * share * (1 - share))
        before = weights.sum()
        weights = np.minimum(weights, np.exp(np.minimum(0, (terms @ fit - mean) / (3 * error))))
        if weights.sum() > 0.99 * before:
            break
    return weights


OUTSIDE = {"random": random_search, "lra-cma": lra_cma, "spsa": spsa, "tpe": tpe, "clop": clop}

FINALISTS = """
[finalists]
games = {games}
rounds = 2
best = 2
means = 2
openings = "random:4:train"
{more}
"""

# tictune's own runs: changes of the config, tables more, and which vector is taken. Games beside those of candidates count:
# 49,140 of 50,000 without finalists; with them 33 generations leave 8,400 for at most 6 or 7 finalists in two rounds.
OWN = {
    "cma": ({}, "", "mean"),
    "cma-best": ({}, "", "best"),
    "cma-sigma-0.15": ({"sigma = 0.3": "sigma = 0.15"}, "", "mean"),
    "cma-cm": ({"sigma = 0.3": "sigma = 0.3\ncm = 0.5"}, "", "mean"),
    "cma-180-games": ({"games = 60": "games = 180", "max_generations = 39": "max_generations = 13"}, "", "mean"),
    "cma-finalists": ({"max_generations = 39": "max_generations = 33"}, FINALISTS.format(games=480, more=""), "winner"),
    "cma-model": ({"max_generations = 39": "max_generations = 33"}, FINALISTS.format(games=480, more="model = true"), "winner"),
    "cma-halving": (
        {"games = 60": "games = 30", "max_generations = 39": "max_generations = 45"},
        '\n[reevaluation]\ngames = 30\nrounds = 2\n',
        "mean",
    ),
    "cma-bipop": (
        {"sigma = 0.3": 'sigma = 0.3\nrestarts = "bipop"\nrestart_start = "mean"', "max_generations = 39": "max_evaluations = 780\nstagnation = 8"},
        "",
        "mean",
    ),
}


def own(name, tictune, seed, threads, budget, folder):
    """A run of tictune; gives the weight file of its answer, and its games."""
    changes, more, taken = OWN[name]
    text = CONFIG.read_text()
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new, 1)
    # The numbers above are for 50,000 games: others have as many more generations, and games of finalists.
    scaled = lambda match: f"{match[1]}{int(match[2]) * budget // 50_000}"
    text = re.sub(r"^(max_\w+ = )(\d+)", scaled, text, flags=re.M)
    more = re.sub(r"(games = )(\d+)", scaled, more) if "finalists" in more else more
    config = folder / "config.toml"
    config.write_text(text + more)
    out = folder / "run"
    command = [tictune, "evolve", str(config), "--out", str(out), "--seed", str(seed), "--threads", str(threads)]
    subprocess.run(command, check=True, capture_output=True)
    rows = [line.split(",") for line in (out / "stage-1-depth-3/generations.csv").read_text().splitlines()]
    games = sum(int(row[rows[0].index("games")]) for row in rows[1:])
    mean_games = int(re.search(r"^games = (\d+)", text, re.M)[1]) * (len(rows) - 1)
    finalists = out / "stage-1-depth-3/finalists.json"
    if finalists.exists():
        games += sum(row["games"] for row in json.loads(finalists.read_text())["rows"])
    return out / f"{taken}.toml", games + mean_games


def outside(name, tictune, seed, threads, budget, folder):
    games = Games(tictune, seed, budget, threads)
    point = OUTSIDE[name](games, np.random.default_rng([seed, 7]))
    games.close()
    values = "\n".join(f"{name} = {float(value)!r}" for name, value in zip(games.names, point))
    path = folder / "answer.toml"
    path.write_text(f'format = 1\ngame = "uttt"\nevaluation = "comprehensive"\n\n[weights]\n{values}\n\n[provenance]\nsource = "{name}"\n')
    return path, budget - games.left


def gauntlet(tictune, weights, seed, threads):
    """The score in 3,000 games from held-out openings against the published vectors, on a seed that no search uses."""
    command = [
        *(tictune, "validate", str(weights), "--depths", "3", "--iterative", "none", "--ept", "none", "--games", "1000"),
        *("--openings", "random:4:held-out", "--seed", str(900_000 + seed), "--threads", str(threads), "--json"),
    ]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"]
    return [(row["wins"] + row["draws"] / 2) / row["games"] for row in rows]


def collect(runs, path):
    """Writes a row for each result."""
    results = [json.loads(result.read_text()) for result in sorted(runs.glob("*/*.json"))]
    results.sort(key=lambda result: (result["method"], result["budget"], result["seed"]))
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["method", "budget", "seed", "games", *OPPONENTS])
        for result in results:
            writer.writerow([result["method"], result["budget"], result["seed"], result["games"], *result["scores"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune", help="the program")
    parser.add_argument("--runs", type=Path, default=Path("runs/optimisers"), help="the folder of the results")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--budget", type=int, default=50_000, help="games of a run")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--methods", nargs="*", default=[*OWN, *OUTSIDE], choices=[*OWN, *OUTSIDE])
    parser.add_argument("--collect", type=Path, help="write what is there into this file, and run nothing")
    args = parser.parse_args()
    if args.collect:
        return collect(args.runs, args.collect)
    folder = args.runs / str(args.budget)
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(1, args.seeds + 1):
        for method in args.methods:
            path = folder / f"{method}-{seed}.json"
            if path.exists():
                continue
            with tempfile.TemporaryDirectory() as work:
                run = own if method in OWN else outside
                weights, games = run(method, args.tictune, seed, args.threads, args.budget, Path(work))
                scores = gauntlet(args.tictune, weights, seed, args.threads)
            result = {"method": method, "budget": args.budget, "seed": seed, "games": games, "scores": scores}
            partial = path.with_suffix(".partial")
            partial.write_text(json.dumps(result) + "\n")
            partial.rename(path)
            print(f"{method}, seed {seed}: {100 * statistics.mean(scores):.1f} % after {games} games", flush=True)


if __name__ == "__main__":
    main()
