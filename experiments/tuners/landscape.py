"""Landscapes whose optimum is known: a runner (docs/runner.md) whose games are coins. Strength falls off as a quadratic around the optimum.

    python landscape.py SEED [numbers=6] [condition=100] [rotated=1] [idle=2] [steps=8] [within=0.3] [draws=0.3] [lost=200] [lopsided=1] [level=0.75]

The numbers are x1, x2 and so on, from 0 to 1, or whole ones from 0 to `steps`. The start is in the middle, and `lost` Elo below the optimum,
whose place depends on the seed. `condition` is the ratio of the greatest curvature to the least, `rotated` whether its axes are not
those of the numbers, `idle` how many numbers change nothing, `within` how far the optimum lies from the start in the number that is farthest, `draws` the share of draws among equals.
With `lopsided`, strength falls off as the square of the logarithm of a number over its optimum; the start is 0.1, and optima are from about 0.04 to 0.25.
`level` is the share of games that are won by who moves first, whatever the players are.
"""

import hashlib
import json
import math
import sys

import numpy as np


class Landscape:
    def __init__(self, seed, numbers=6, condition=1.0, rotated=0, idle=0, steps=1, within=0.3, draws=0.0, lost=200, lopsided=0, level=0.0):
        rng = np.random.default_rng([int(seed), 36])
        count, self.steps, self.draws = int(numbers), int(steps), float(draws)
        active = count - int(idle)
        curvature = np.geomspace(1.0, float(condition), active)
        axes = np.linalg.qr(rng.standard_normal((active, active)))[0] if int(rotated) else np.eye(active)
        shape = np.zeros((count, count))
        shape[:active, :active] = axes @ np.diag(curvature) @ axes.T
        order = rng.permutation(count)
        shape = shape[np.ix_(order, order)]
        away = rng.standard_normal(count)
        away *= float(within) / np.abs(away).max()
        if self.steps > 1:
            away = np.round(away * self.steps) / self.steps
        self.level, self.is_lopsided = float(level), int(lopsided)
        if self.is_lopsided:
            away = 0.4 * rng.standard_normal(count)
            shape = np.eye(count)
        self.optimum = 0.1 * np.exp(away) if self.is_lopsided else 0.5 + away
        self.shape = shape * float(lost) * math.log(10) / 400 / (away @ shape @ away)
        self.names = [f"x{number + 1}" for number in range(count)]

    def strength(self, numbers):
        """By name; in logits, at most 0."""
        place = np.array([numbers[name] for name in self.names]) / self.steps
        away = np.log((place + 0.001) / self.optimum) if self.is_lopsided else place - self.optimum
        return -float(away @ self.shape @ away)

    def pair(self, players, seed):
        """The results of the first player in two games."""
        gap = self.strength(players[0]) - self.strength(players[1])
        expected = 1 / (1 + math.exp(-gap))
        drawn = self.draws * 4 * expected * (1 - expected)
        coins_of = json.dumps([players, seed]).encode()
        coins = hashlib.blake2b(coins_of, digest_size=16).digest()
        coins = [int.from_bytes(half, "big") / (1 << 64) for half in (coins[:8], coins[8:])]
        found = [1 if coin < expected - drawn / 2 else 0.5 if coin < expected + drawn / 2 else 0 for coin in coins]
        ruled = hashlib.blake2b(coins_of, key=b"level", digest_size=16).digest() if self.level else b""
        is_ruled = [int.from_bytes(half, "big") / (1 << 64) < self.level for half in (ruled[:8], ruled[8:])]
        return [first if ruled else result for result, ruled, first in zip(found, is_ruled, (1, 0))]


def of_words(words):
    return Landscape(words[0], **dict(word.split("=") for word in words[1:]))


if __name__ == "__main__":
    landscape = of_words(sys.argv[1:])
    for line in sys.stdin:
        request = json.loads(line)
        players = [request[side]["numbers"] for side in ("candidate", "opponent")]
        answer = {"id": request["id"], "pairs": [landscape.pair(players, seed) for seed in request["seeds"]]}
        print(json.dumps(answer), flush=True)
