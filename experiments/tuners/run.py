"""Runs tuners on tasks, with the same number of games each, and plays their answers on held-out games.

    pip install cmaes optuna numpy
    python experiments/tuners/run.py --tasks extended --methods default spsa --budget 12500
    python experiments/tuners/run.py --tasks extended --methods mine.py

A method is a name of this file, or a file of Python with a function `tune(games, rng)` that gives its answer, a list of numbers: see
README.md beside this file. A run that is finished is not played again: its result is a file RUNS/TASK/BUDGET/METHOD-SEED.json. A run that
was stopped starts anew. `--collect results.csv` writes all results into one file, which report.py beside this file reads.
"""

import argparse
import csv
import importlib.util
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Threads of linear algebra only get into each other's way here.
for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]:
    os.environ.setdefault(variable, "1")

import bot
import kalah
import landscape
import numpy as np
import pairs_of_games

HERE = Path(__file__).parent
TASKS = tomllib.loads((HERE / "tasks.toml").read_text())
BATCH = 20
# Games of a candidate, and of the last choice among the best ones of optimisers that have no mean.
GAMES, CHOICE = 60, 0.2


def config(name, sections, seed, with_initial=True, with_opponents=True):
    """The text of a config of a task: sections of keys, such as {"cmaes": {"sigma": 0.3}}; those of "stage" are the stage's."""
    task = TASKS[name]
    sections = {name: dict(keys) for name, keys in sections.items()}
    stage = task.get("stage", {}) | sections.pop("stage", {})
    if "depths" in stage:
        stage.pop("depth", None)
    if with_initial and "initial" in task:
        sections.setdefault("cmaes", {}).setdefault("initial", task["initial"])
    # Nothing is played at the end of a run but what cannot be left out.
    sections |= {"comparison": {"games": 2}, "validation": {"games": 2} if "numbers" in task else {"depths": []}}
    lines = [task["keys"].replace("{seed}", str(seed)).replace("{python}", sys.executable).replace("{here}", str(HERE.resolve())).strip()]
    for section, keys in sections.items():
        lines += [f"{section}.{key} = {json.dumps(value)}" for key, value in keys.items()]
    for number in numbers(task):
        lines += ["[[parameters]]", *(f"{key} = {json.dumps(value)}" for key, value in number.items())]
    if with_opponents:
        for agent in task.get("opponents", []):
            lines += ["[[opponents]]", agent]
    lines += ["[[stages]]", *(f"{key} = {json.dumps(value)}" for key, value in stage.items())]
    return "\n".join([*lines, ""])


def numbers(task):
    """The parameters of a task: its list, or so many alike ones."""
    found = task.get("numbers", [])
    return found if isinstance(found, list) else [{"key": f"x{place + 1}"} | task["number"] for place in range(found)]


class Scale:
    """A number as methods see it: a weight as it is, a parameter as its place in its range."""

    def __init__(self, number):
        self.name, self.number = number["name"], number
        self.is_log = number.get("scale") == "log"
        self.start = self.place(number["initial"])

    def place(self, value):
        if self.number["kind"] == "weight":
            return value
        ends = [self.number["low"], self.number["high"], value]
        low, high, value = map(math.log, ends) if self.is_log else ends
        return (value - low) / (high - low)

    def value(self, place):
        if self.number["kind"] == "weight":
            return float(place)
        low, high = self.number["low"], self.number["high"]
        place = min(max(float(place), 0.0), 1.0)
        value = low * (high / low) ** place if self.is_log else low + (high - low) * place
        return round(value) if self.number["whole"] else min(max(value, low), high)


class Games:
    """The games of a task by `tictune fitness`, and a budget of them."""

    def __init__(self, tictune, task, seed, budget, folder):
        self.tictune, self.task, self.seed, self.folder = tictune, task, seed, folder
        path = folder / "fitness.toml"
        path.write_text(config(task, {"cmaes": {"sigma": TASKS[task]["sigma"]}, "fitness": {"games": GAMES}}, seed))
        described = subprocess.run([tictune, "fitness", str(path), "--describe"], capture_output=True, text=True, check=True)
        self.scales = [Scale(number) for number in json.loads(described.stdout)["numbers"]]
        self.names = [scale.name for scale in self.scales]
        self.start = np.array([scale.start for scale in self.scales])
        self.opponents, self.sigma = len(TASKS[task]["opponents"]), TASKS[task]["sigma"]
        command = [tictune, "fitness", str(path), "--seed", str(seed), "--threads", "1"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.left, self.batches = budget, 0

    def costs(self, points, games=GAMES, against=None):
        """The share of points that each lost, in new games, the same ones for all; None when the budget is spent. With `against`, each
        plays a point of its own in place of the opponents."""
        if self.left < games * len(points):
            return None
        self.left -= games * len(points)
        self.batches += 1
        line = [{"numbers": self.named(point), "seed": self.batches, "games": games} for point in points]
        for candidate, other in zip(line, against or []):
            candidate["against"] = self.named(other)
        return [answer["cost"] / games for answer in self.ask(line)]

    def named(self, point):
        return {scale.name: scale.value(place) for scale, place in zip(self.scales, point)}

    def ask(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def agent_of(self, point):
        """The agent with these numbers, as text."""
        return self.ask([{"numbers": self.named(point), "games": 2 * self.opponents}])[0]["agent"]

    def best_of(self, points):
        """Successive halving with what is left of the budget."""
        unit = 2 * self.opponents
        while len(points) > 1:
            games = self.left // (len(points) * math.ceil(math.log2(len(points)))) // unit * unit
            costs = self.costs(points, games) if games >= unit else None
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
    start, sigma = games.start, games.sigma
    while games.left > reserve:
        batch = [start + 2 * sigma * rng.standard_normal(len(games.names)) for _ in range(BATCH)]
        costs += games.costs(batch)
        points += batch
    order = np.argsort(costs, kind="stable")
    return games.best_of([points[index] for index in order[: max(2, len(points) // 20)]])


def lra_cma(games, rng):
    """CMA-ES with learning-rate adaptation (Nomura, Akimoto, Ono, GECCO 2023)."""
    import cmaes

    seed = int(rng.integers(1 << 31))
    optimiser = cmaes.CMA(mean=games.start, sigma=games.sigma, population_size=BATCH, seed=seed, lr_adapt=True)
    while True:
        points = [optimiser.ask() for _ in range(BATCH)]
        costs = games.costs(points)
        if costs is None:
            return optimiser.mean
        optimiser.tell(list(zip(points, costs)))


def plain_cma(games, rng):
    """CMA-ES of 60 candidates and 12 games each, as `cma-60x12`."""
    import cmaes

    optimiser = cmaes.CMA(mean=games.start, sigma=games.sigma, population_size=60, seed=int(rng.integers(1 << 31)))
    while True:
        points = [optimiser.ask() for _ in range(60)]
        costs = games.costs(points, 12)
        if costs is None:
            return optimiser.mean
        optimiser.tell(list(zip(points, costs)))


def spsa(wide=1, fast=1, mirrored=False):
    """SPSA as fishtest runs it: Spall's gains, with A a tenth of the iterations, and r_end and c_end of the last one, here so many times wider and faster.

    A pair of vectors is measured in the same games, as fishtest's two engines meet the same openings; or `mirrored` plays the two against
    each other, 20 games a step.
    """

    def tune(games, rng):
        of_step = 20 if mirrored else 2 * GAMES
        iterations = games.left // of_step
        point, c_end, r_end, a_offset = games.start, wide * games.sigma / 3, fast * (0.002 if mirrored else 0.02), 0.1 * iterations
        for step in range(1, iterations + 1):
            c = c_end * iterations**0.101 / step**0.101
            a = r_end * c_end**2 * (a_offset + iterations) ** 0.602 / (a_offset + step) ** 0.602
            flip = rng.choice([-1.0, 1.0], len(point))
            if mirrored:
                won = 1 - 2 * games.costs([point + c * flip], of_step, [point - c * flip])[0]
            else:
                plus, minus = games.costs([point + c * flip, point - c * flip])
                won = minus - plus
            # fishtest moves by a / c times wins minus losses of the games of a step.
            point = point + a / c * flip * won * of_step
        return point

    return tune


def tpe(games, rng):
    """Optuna's tree-structured Parzen estimator, asked for batches; the best are measured again."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=int(rng.integers(1 << 31)), multivariate=True, constant_liar=True)
    study, reserve = optuna.create_study(sampler=sampler), CHOICE * games.left
    points, costs, reach = [], [], 7 * games.sigma
    while games.left > reserve:
        trials = [study.ask() for _ in range(BATCH)]
        batch = [[trial.suggest_float(name, start - reach, start + reach) for name, start in zip(games.names, games.start)] for trial in trials]
        found = games.costs(batch)
        for trial, cost in zip(trials, found):
            study.tell(trial, cost)
        points, costs = points + batch, costs + found
    return games.best_of([points[index] for index in np.argsort(costs, kind="stable")[: max(2, len(points) // 20)]])


def clop(games, rng):
    """After CLOP (Coulom 2011): batches from a normal distribution over the candidates that a quadratic logistic model does not
    hold to be worse than the mean; the answer is their weighted mean, as its author advises."""
    n = len(games.names)
    first = min(5 * BATCH, games.left // (2 * GAMES))
    points = games.start + 2 * games.sigma * rng.standard_normal((first, n))
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


class Directed:
    """The games of a task of weights for a method that looks in tictune's directions: a number is a step along one of them, as long as the start is large.

    Positions of games with the start tell the directions, and these games count.
    """

    def __init__(self, games, start):
        learned = start / "learn"
        summary = json.loads((learned / "summary.json").read_text())
        played = summary["rounds"][0]
        games.left -= played["wins"] + played["draws"] + played["losses"]
        information = np.array(json.loads((learned / "information.json").read_text()))
        # As tictune does it: each weight counts in what it usually adds to a value, and directions of little effect are moved no farther than others.
        sizes = np.sqrt(np.diag(information))
        sizes[sizes < 1e-3 * sizes.max()] = sizes.max()
        lengths, directions = np.linalg.eigh(information / np.outer(sizes, sizes) + 0.1 * np.eye(len(sizes)))
        size = math.sqrt(games.start @ information @ games.start)
        self.axes = size * directions / np.sqrt(np.maximum(lengths, 0.1)) / sizes[:, None]
        self.games, self.origin = games, games.start
        self.start, self.sigma, self.names = np.zeros(len(sizes)), 1 / math.sqrt(len(sizes)), games.names

    @property
    def left(self):
        return self.games.left

    def point(self, place):
        return self.origin + self.axes @ place

    def costs(self, places, games=GAMES, against=None):
        others = None if against is None else [self.point(place) for place in against]
        return self.games.costs([self.point(place) for place in places], games, others)


def directed(tune):
    """A method in the directions that positions tell."""

    def tune_in_directions(games, rng):
        start = games.folder / "start"
        stage = {"max_generations": 1}
        path = games.folder / "start.toml"
        path.write_text(config(games.task, {"budget": {"games": games.left}, "stage": stage}, games.seed))
        command = [games.tictune, "evolve", str(path), "--out", str(start), "--seed", str(games.seed), "--threads", "1"]
        subprocess.run(command, check=True, capture_output=True)
        within = Directed(games, start)
        return within.point(tune(within, rng))

    return tune_in_directions


OUTSIDE = {"random": random_search, "lra-cma": lra_cma, "spsa": spsa(), "tpe": tpe, "clop": clop}
OUTSIDE |= {f"spsa-{wide}-{fast}": spsa(wide, fast, True) for wide in (1, 3, 6) for fast in (1, 5, 25)}
OUTSIDE |= {f"{name}-directed": directed(OUTSIDE[name]) for name in list(OUTSIDE) if name == "lra-cma" or name.startswith("spsa")} | {"cma-directed": directed(plain_cma)}


def cma(population, games, taken="mean", smaller=1):
    """A run of CMA-ES."""

    def text(task, budget, seed):
        unit = 2 * len(TASKS[task]["opponents"])
        task_games = games // unit * unit
        generations = budget // ((population + 1) * task_games)
        cmaes = {"population": population, "sigma": TASKS[task]["sigma"] / smaller, "max_evaluations": generations * population}
        return config(task, {"cmaes": cmaes, "fitness": {"games": task_games}}, seed)

    return text, taken


def within_budget(with_initial, **keys):
    """The default. Where the numbers are those of an agent, nobody names opponents."""
    of_numbers = lambda task: "numbers" in TASKS[task]
    return lambda task, budget, seed: config(task, {"budget": {"games": budget} | keys}, seed, with_initial, not of_numbers(task)), "mean"


# tictune's own runs: their configs, and which vector is the answer.
OWN = {
    "default": within_budget(False),
    "pairs": within_budget(True),
    "cma": cma(20, 60),
    "cma-best": cma(20, 60, taken="best"),
    "cma-40x30": cma(40, 30),
    "cma-60x12": cma(60, 12),
    "cma-180-games": cma(20, 180),
    "cma-sigma-0.15": cma(20, 60, smaller=2),
}


def own(name, tictune, task, seed, budget, folder):
    """A run of tictune; gives the weight file of its answer, and its games."""
    text, taken = OWN[name]
    path, out = folder / "config.toml", folder / "run"
    path.write_text(text(task, budget, seed))
    command = [tictune, "evolve", str(path), "--out", str(out), "--seed", str(seed), "--threads", "1"]
    subprocess.run(command, check=True, capture_output=True)
    plan = json.loads((out / "manifest.json").read_text())["plan"]
    learned = plan.get("learn", {}).get("regression", {"rounds": 0, "games": 0})
    games = learned["rounds"] * learned["games"]
    for stage, folder in zip(plan["stages"], sorted(out.glob("stage-*"))):
        # What two candidates play each other counts for both, and is played once.
        of_two = sum(plan["games"] for plan in stage["fitness"].get("self_play", []))
        of_mean, twice = stage["fitness"]["games"] - of_two, stage["population"] // 2 * of_two
        games += sum(int(row["games"]) + of_mean - twice for row in rows(folder / "generations.csv"))
        games += sum(int(row[key]) for row in rows(folder / "start.csv") for key in ["wins", "draws", "losses"])
    return out / (f"{taken}-agent.txt" if "numbers" in TASKS[task] else f"{taken}.toml"), games


def rows(path):
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def outside(name, tictune, task, seed, budget, folder):
    games = Games(tictune, task, seed, budget, folder)
    tune = OUTSIDE[name] if name in OUTSIDE else function_of(name)
    point = tune(games, np.random.default_rng([seed, 7]))
    path, spent = folder / "answer.toml", budget - games.left
    if "numbers" in TASKS[task]:
        path.write_text(games.agent_of(point))
    games.close()
    if "numbers" in TASKS[task]:
        return path, spent
    values = "\n".join(f"{name} = {float(value)!r}" for name, value in zip(games.names, point))
    keys = TASKS[task]["keys"].strip()
    game = "" if "game =" in keys else 'game = "uttt"\n'
    path.write_text(f'format = 1\n{game}{keys}\n\n[weights]\n{values}\n\n[provenance]\nsource = "{Path(name).stem}"\n')
    return path, spent


def function_of(file):
    spec = importlib.util.spec_from_file_location("method", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.tune


def score(tictune, task, answer, seed):
    """The score of an answer in percent, in games that no search has seen; on a landscape that against the optimum, which is known."""
    task = TASKS[task]
    if "landscape" in task:
        found = {name: float(value) for name, value in re.findall(r"(x\d+) = ([-+.e\d]+)", answer.read_text())}
        lost = -landscape.of_words([str(seed), *task["landscape"].split()]).strength(found)
        return 100 / (1 + math.exp(lost))
    for program in (bot, kalah):
        if judge := task.get(program.__name__):
            found = {key: float(value) for key, value in re.findall(r"(\w+) = ([-+.e\d]+)", answer.read_text())}
            return 100 * pairs_of_games.score(program.pair_of_games, found, judge, range(first := 10**6 * seed, first + task.get("games", 1000) // 2))
    if "judge" in task:
        command = [tictune, "match", f"@{answer}", task["judge"], "--games", str(task.get("games", 1000)), *task["match"]]
    else:
        against = ",".join(re.search("weights=([^\"]*)", agent)[1] for agent in task["opponents"])
        command = [tictune, "validate", str(answer), "--depths", str(task["stage"]["depth"]), "--iterative", "none", "--ept", "none"]
        command += ["--games", "1000", "--opponents", against, "--openings", "random:4:held-out"]
    command += ["--seed", str(900_000 + seed), "--threads", "1", "--json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return 100 * statistics.mean((row["wins"] + row["draws"] / 2) / row["games"] for row in found.get("rows", [found]))


def collect(runs, path):
    """Writes a row for each result; rows of runs that are not here stay."""
    keys = ["task", "method", "budget", "seed", "games", "score"]
    rows = {}
    if path.exists():
        with open(path, newline="") as file:
            rows = {tuple(row[key] for key in keys[:4]): row for row in csv.DictReader(file)}
    for result in runs.glob("*/*/*.json"):
        row = {key: str(value) for key, value in json.loads(result.read_text()).items()}
        rows[tuple(row[key] for key in keys[:4])] = row
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, keys, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows.values(), key=lambda row: (row["task"], row["method"], int(row["budget"]), int(row["seed"]))))


def play(args, task, method, seed):
    """Plays one run, unless it was played before."""
    path = args.runs / task / str(args.budget) / f"{Path(method).stem}-{seed}.json"
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        run = own if method in OWN else outside
        weights, games = run(method, args.tictune, task, seed, args.budget, Path(work))
        found = score(args.tictune, task, weights, seed)
    result = {"task": task, "method": Path(method).stem, "budget": args.budget, "seed": seed, "games": games, "score": round(found, 3)}
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(result) + "\n")
    partial.rename(path)
    print(f"{task}, {method}, seed {seed}: {found:.1f} % after {games} games", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tictune", default="tictune", help="the program")
    parser.add_argument("--runs", type=Path, default=Path("runs/tuners"), help="the folder of the results")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--budget", type=int, default=12_500, help="games of a run")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, each with one thread")
    parser.add_argument("--tasks", nargs="*", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--methods", nargs="*", default=[*OWN, *OUTSIDE], metavar="METHOD", help=f"{', '.join([*OWN, *OUTSIDE])}, or a file of Python")
    parser.add_argument("--collect", type=Path, help="write what is there into this file, and run nothing")
    args = parser.parse_args()
    if args.collect:
        return collect(args.runs, args.collect)
    unknown = [name for name in args.methods if name not in OWN and name not in OUTSIDE and not Path(name).is_file()]
    if unknown:
        parser.error(f"unknown method {unknown[0]}: no method of this script, and no file")
    wanted = [(task, method, seed) for seed in range(1, args.seeds + 1) for task in args.tasks for method in args.methods]
    with ThreadPoolExecutor(args.jobs) as pool:
        for run in [pool.submit(play, args, *one) for one in wanted]:
            run.result()


if __name__ == "__main__":
    main()
