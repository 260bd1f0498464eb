"""What the games in Python have in common: `play` is a function that plays a pair of games by two players and a seed, and gives the first
player's two results."""

import json
import sys


def score(play, answer, judge, seeds):
    """The share of points of an answer against a judge."""
    results = [result for seed in seeds for result in play(answer, judge, seed)]
    return sum(results) / len(results)


def serve(play):
    """Answers the requests of a runner (docs/runner.md)."""
    for line in sys.stdin:
        request = json.loads(line)
        players = [request[side]["numbers"] for side in ("candidate", "opponent")]
        print(json.dumps({"id": request["id"], "pairs": [play(*players, seed) for seed in request["seeds"]]}), flush=True)
