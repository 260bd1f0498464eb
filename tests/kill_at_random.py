"""Kills a small run with every log at random moments, resumes it, and compares its bytes with those of a run that nothing
happened to. `docs/reliability.md` has what it measured.

    python3 tests/kill_at_random.py target/debug/tictune [KILLS [SEED]]
"""

import csv
import io
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIG = """name = "rich"
evaluation = "connecting"
seed = 3
[cmaes]
population = 5
sigma = 0.5
initial = 0.1
restarts = "ipop"
[fitness]
games = 24
combine = "mean-and-worst"
[[opponents]]
agent = "minimax:weights=liang-default"
[[opponents]]
agent = "random"
[hall_of_fame]
every = 1
games = 8
share = 0.5
[reevaluation]
rounds = 1
[held_out]
every = 1
games = 8
[finalists]
games = 40
rounds = 2
[[stages]]
depth = 1
max_generations = 3
[[stages]]
depth = 2
start = "winner"
max_generations = 3
[comparison]
games = 20
[validation]
games = 20
depths = [1, 2]
opponents = ["initial"]
openings = ["random:4:held-out"]
"""

TIMES = ["seconds", "games_per_second"]


def contents(folder):
    """Every file by name, without the log and without times."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir() or name in ("log.txt", "forfeits.json"):
            continue
        text = path.read_text()
        if name.endswith("generations.csv"):
            rows = csv.DictReader(io.StringIO(text))
            text = str([{key: row[key] for key in row if key not in TIMES} for row in rows])
        files[name] = text
    return files


def main(binary, kills=100, seed=1):
    moments = random.Random(int(seed))
    with tempfile.TemporaryDirectory() as root:
        root = Path(root)
        config = root / "rich.toml"
        config.write_text(CONFIG)

        def start(out):
            command = [binary, "evolve", config, "--out", out, "--threads", "2", "--resume"]
            return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        begun = time.monotonic()
        whole = start(root / "whole")
        _, said = whole.communicate()
        assert whole.returncode == 0, said.decode()
        takes = time.monotonic() - begun
        expected = contents(root / "whole")
        print(f"a run takes {takes:.1f} s and leaves {len(expected)} files")
        killed = runs = 0
        while killed < int(kills):
            out = root / f"run-{runs}"
            while True:
                child = start(out)
                try:
                    _, said = child.communicate(timeout=moments.uniform(0, takes / 3))
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.communicate()
                    killed += 1
                    continue
                assert child.returncode == 0, said.decode()
                break
            found = contents(out)
            different = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
            assert not different, f"after {killed} kills: {different} differ"
            runs += 1
    print(f"{killed} kills, {runs} runs to their end, all with the same bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
