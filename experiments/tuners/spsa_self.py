"""SPSA as fishtest plays it: the two points of a step play each other."""

import numpy as np


def tune(games, rng, each=20):
    """`games` has start, sigma, left, names and costs(points, games, against); the answer is a list of numbers."""
    steps = games.left // each
    point, c_end, r_end, offset = games.start, games.sigma / 3, 0.002, 0.1 * steps
    for step in range(1, steps + 1):
        c = c_end * steps**0.101 / step**0.101
        a = r_end * c_end**2 * (offset + steps) ** 0.602 / (offset + step) ** 0.602
        flip = rng.choice([-1.0, 1.0], len(point))
        lost = games.costs([point + c * flip], each, against=[point - c * flip])[0]
        point = point + a / c * flip * (1 - 2 * lost) * each
    return point
