"""Evolves the weights of a tictune config with pycma, and has tictune judge them.

    pip install -r examples/python/requirements.txt
    python examples/python/pycma.py experiments/quickstart.toml --generations 20

`tictune fitness` plays the games: a line of JSON candidates in, a line of costs out. The winner and the mean are written as
weight files, and `tictune match` and `tictune validate` say what they are worth.
"""

import argparse
import json
import subprocess
from pathlib import Path

import cma


class Door:
    """A running `tictune fitness`."""

    def __init__(self, tictune, config, stage):
        command = [tictune, "fitness", config, "--stage", str(stage)]
        told = subprocess.run([*command, "--describe"], check=True, capture_output=True, text=True)
        self.about = json.loads(told.stdout)
        self.names = [number["name"] for number in self.about["numbers"]]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self, points, seed, **more):
        """What tictune answers for some points, measured together in the games of a seed."""
        batch = [{"numbers": dict(zip(self.names, point)), "seed": seed, **more} for point in points]
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


def evolve(door, generations, seed):
    """pycma's best candidate and its mean, as points in the units of the weights."""
    about = door.about
    # Coordinates count steps from the initial value, as tictune's own do.
    initial = [number["initial"] for number in about["numbers"]]
    step = [number["step"] for number in about["numbers"]]
    options = {"popsize": about["population"], "seed": seed + 1, "verbose": -9, "tolx": 0, "tolfun": 0}
    optimiser = cma.CMAEvolutionStrategy(len(initial) * [0.0], about["sigma"], options)

    def point(x):
        return [start + size * float(value) for start, size, value in zip(initial, step, x)]

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


def write_weights(path, about, names, point):
    """A weight file, as `tictune` reads it."""
    lines = ["format = 1", f'game = "{about["game"]}"', f'evaluation = "{about["evaluation"]}"', "", "[weights]"]
    lines += [f"{name} = {value!r}" for name, value in zip(names, point)]
    lines += ["", "[provenance]", f'source = "pycma through tictune fitness, config {about["name"]}"']
    Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config")
    parser.add_argument("--stage", type=int, default=1)
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of pycma")
    parser.add_argument("--games", type=int, default=200, help="of the verdict")
    parser.add_argument("--out", type=Path, default=Path("."), help="the folder of the weight files")
    parser.add_argument("--tictune", default="tictune", help="the program")
    args = parser.parse_args()

    door = Door(args.tictune, args.config, args.stage)
    about = door.about
    if about["evaluation"] is None or about["held"] or any(n["kind"] != "weight" for n in about["numbers"]):
        raise SystemExit("this example writes weight files: the config has to evolve all weights, and nothing else")
    best, mean = evolve(door, args.generations, args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    files = [args.out / "pycma-best.toml", args.out / "pycma-mean.toml"]
    for path, point in zip(files, [best, mean]):
        write_weights(path, about, door.names, point)
    print(f"written: {files[0]}, {files[1]}\n\nbest against mean, in games that the evolution never played")
    joint = "," if ":" in about["agent"] else ":"
    agents = [f"{about['agent']}{joint}weights={path}" for path in files]
    rules = ["--game", about["game"], "--rules", about["rules"]]
    games = ["--games", str(args.games), "--openings", "random:4:held-out"]
    subprocess.run([args.tictune, "match", *agents, *rules, *games], check=True)
    print("\nthe mean against published weights")
    searches = ["--depths", str(about["depth"]), "--iterative", "none", "--ept", "none"]
    subprocess.run([args.tictune, "validate", files[1], *rules[2:], *games, *searches], check=True)


main()
