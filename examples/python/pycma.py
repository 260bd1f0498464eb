"""Evolves what a tictune config evolves with pycma, and has tictune judge it.

    pip install -r examples/python/requirements.txt
    python examples/python/pycma.py experiments/staged/advanced.toml --generations 20
    python examples/python/pycma.py experiments/parameters/uct-c.toml --generations 10

`tictune fitness` plays the games: a line of JSON candidates in, a line of costs out. Weights, parameters of an agent and those of
a program are evolved alike. The best and the mean are written as agents in one line (and weights as weight files), and
`tictune compare`, `match` and `validate` measure their strength.
"""

import argparse
import json
import math
import subprocess
from pathlib import Path

import cma


class Door:
    """A running `tictune fitness`."""

    def __init__(self, tictune, config, stage):
        command = [tictune, "fitness", config, "--stage", str(stage)]
        told = subprocess.run([*command, "--describe"], check=True, capture_output=True, text=True)
        self.about = json.loads(told.stdout)
        self.numbers = self.about["numbers"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self, points, seed):
        """What tictune answers for some points, measured together in the games of a seed."""
        names = [number["name"] for number in self.numbers]
        batch = [{"numbers": dict(zip(names, point)), "seed": seed} for point in points]
        self.process.stdin.write(json.dumps(batch) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("tictune ended; its message is above")
        answers = json.loads(line)
        for answer in answers:
            if "error" in answer:
                raise SystemExit(answer["error"])
        return answers


def mirrored(x, low, high):
    """A coordinate folded into a range by mirrors at both ends."""
    folded = (x - low) % (2 * (high - low))
    return low + min(folded, 2 * (high - low) - folded)


def value(number, x):
    """The number that a coordinate stands for: it counts steps from the initial value, as tictune's own do."""
    initial, moved = number["initial"], number["step"] * float(x)
    if number["kind"] == "weight":
        return initial + moved
    low, high, margin = number["low"], number["high"], 0.5 if number["whole"] else 0.0
    if number["scale"] == "log":
        ends = [math.log((low - margin) / initial), math.log((high + margin) / initial)]
        found = initial * math.exp(mirrored(moved, *ends))
    else:
        found = initial + mirrored(moved, low - margin - initial, high + margin - initial)
    return min(max(math.floor(found + 0.5) if number["whole"] else found, low), high)


def evolve(door, generations, seed):
    """pycma's best candidate and its mean."""
    about = door.about
    options = {"popsize": about["population"], "seed": seed + 1, "verbose": -9, "tolx": 0, "tolfun": 0}
    # pycma needs two dimensions: a number that stands alone has an idle one beside it.
    dimensions = max(2, len(door.numbers))
    optimiser = cma.CMAEvolutionStrategy(dimensions * [0.0], about["sigma"], options)

    def point(x):
        return [value(number, coordinate) for number, coordinate in zip(door.numbers, x)]

    best = (float("inf"), point(optimiser.mean))
    for generation in range(1, generations + 1):
        candidates = optimiser.ask()
        # Fixed games have seed 0; with fresh ones, every generation has its own.
        games = generation if about["seeds"] == "fresh" else 0
        answers = door.measure([point(x) for x in candidates], games)
        costs = [answer["cost"] for answer in answers]
        optimiser.tell(candidates, costs)
        best = min(best, *zip(costs, map(point, candidates)), key=lambda pair: pair[0])
        error = sum(answer["standard_error"] for answer in answers) / len(answers)
        print(f"generation {generation:3}  lowest {min(costs):6.1f}  error {error:.1f}  sigma {optimiser.sigma:.4f}")
    return best[1], point(optimiser.mean)


def write_weights(path, door, point):
    """A weight file, as `tictune` reads it."""
    about = door.about
    lines = ["format = 1", f'game = "{about["game"]}"', f'evaluation = "{about["evaluation"]}"', "", "[weights]"]
    pairs = zip(door.numbers, point)
    lines += [f"{number['name']} = {value!r}" for number, value in pairs if number["kind"] == "weight"]
    lines += ["", "[provenance]", f'source = "pycma through tictune fitness, config {about["name"]}"']
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config")
    parser.add_argument("--stage", type=int, default=1)
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of pycma")
    parser.add_argument("--games", type=int, default=200, help="of the verdict")
    parser.add_argument("--out", type=Path, default=Path("."), help="the folder of what is written")
    parser.add_argument("--tictune", default="tictune", help="the program")
    args = parser.parse_args()

    door = Door(args.tictune, args.config, args.stage)
    about = door.about
    has_weights = about["evaluation"] is not None
    if about["held"]:
        raise SystemExit("this example writes whole weight files: the config has to evolve all weights")
    points = evolve(door, args.generations, args.seed)
    points = {"best": points[0], "mean": points[1], "start": [number["initial"] for number in door.numbers]}
    args.out.mkdir(parents=True, exist_ok=True)
    agents = {}
    # Measured once more, tictune says who they are as agents.
    for (name, point), answer in zip(points.items(), door.measure(points.values(), args.generations + 1)):
        agent = answer["agent"]
        if has_weights:
            file = f"pycma-{name}.toml"
            write_weights(args.out / file, door, point)
            agent += f"{',' if ':' in agent else ':'}weights={file}"
        path = args.out / f"pycma-{name}-agent.txt"
        path.write_text(agent + "\n")
        agents[name] = f"@{path}"
    print(f"written: {args.out / 'pycma-best-agent.txt'} and the like")
    print("\nbest against mean, in games that the evolution never played", flush=True)
    compare = ["compare", args.config, agents["best"], agents["mean"]]
    subprocess.run([args.tictune, *compare, "--games", str(args.games)], check=True)
    openings = "none" if about["openings"] == "none" else "random:4:held-out"
    rules = ["--rules", about["rules"]] if about["rules"] else []
    games = ["--games", str(args.games), "--openings", openings, "--seed", "1"]
    print("\nmean against start, in games that the evolution never played", flush=True)
    command = [args.tictune, "match", agents["mean"], agents["start"], "--game", about["game"], *rules, *games]
    subprocess.run(command, check=True)
    if all(number["kind"] == "weight" for number in door.numbers):
        print("\nthe mean against published weights", flush=True)
        searches = ["--depths", str(about["depth"]), "--iterative", "none", "--ept", "none"]
        command = [args.tictune, "validate", args.out / "pycma-mean.toml", *rules, *games, *searches]
        subprocess.run(command, check=True)


main()
