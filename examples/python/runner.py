"""A runner: plays a game that tictune does not know. docs/runner.md specifies the lines.

The game is the Showcase Showdown of The Price Is Right. A wheel stops anywhere from 0 to 1. Each player spins once or twice,
and whoever has the higher sum, not above 1, wins. The second player knows what to beat. The first one has to choose: stay
with the first spin, or spin again? The best is to stay above 2 cos(2 pi / 9) - 1 = 0.532 (Coe and Butterworth 1995).
"""

import json
import sys
from random import Random


def first_wins(stay, wheel):
    """Whether the first player wins, who stays with a first spin above `stay`."""
    to_beat = wheel.random()
    if to_beat <= stay:
        to_beat += wheel.random()
    if to_beat > 1:
        return False
    total = wheel.random()
    if total < to_beat:
        total += wheel.random()
    return total < to_beat or total > 1


def pair(candidate, opponent, seed):
    """The candidate's results of two games, in which it spins first and second."""
    wheel = Random(seed)
    return [int(first_wins(candidate, wheel)), int(not first_wins(opponent, wheel))]


for line in sys.stdin:
    request = json.loads(line)
    players = [request[side]["numbers"]["stay"] for side in ("candidate", "opponent")]
    results = [pair(*players, seed) for seed in request["seeds"]]
    print(json.dumps({"id": request["id"], "pairs": results}), flush=True)
