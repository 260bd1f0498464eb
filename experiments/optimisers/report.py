"""Prints the tables of results.csv, and draws docs/optimisers.svg.

    pip install matplotlib scipy
    python experiments/optimisers/report.py
"""

import csv
import math
import statistics
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from scipy.stats import t

HERE = Path(__file__).parent
FIGURE = HERE.parent.parent / "docs/optimisers.svg"
BUDGET = 50_000
# What the right half of the figure shows: the others are variants of these.
DRAWN = ["spsa", "cma-halving", "cma", "clop", "lra-cma", "cma-best", "tpe", "random"]


def read():
    """By method and budget: by seed, the mean score against the three vectors in percent."""
    scores = defaultdict(lambda: defaultdict(dict))
    with open(HERE / "results.csv", newline="") as file:
        for row in csv.DictReader(file):
            against = [float(value) for name, value in row.items() if name.startswith("liang_")]
            scores[row["method"]][int(row["budget"])][int(row["seed"])] = 100 * statistics.mean(against)
    return scores


def mean_and_error(values):
    """The mean, and half of its 95 % interval by Student's t."""
    values = list(values)
    if len(values) < 2:
        return values[0], math.nan
    return statistics.mean(values), t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


def games_to_reach(score, by_budget):
    """The games after which the mean over seeds is the score: log-linear between budgets."""
    means = sorted((budget, statistics.mean(runs.values())) for budget, runs in by_budget.items())
    if means[0][1] >= score:
        return f"below {means[0][0]:,}"
    for (games, low), (more, high) in zip(means, means[1:]):
        if low < score <= high:
            share = (score - low) / (high - low)
            return f"{round(games * (more / games) ** share, -3):,.0f}"
    return "not within {:,}".format(means[-1][0])


def main():
    scores = read()
    at_budget = {method: mean_and_error(budgets[BUDGET].values()) for method, budgets in scores.items()}
    order = sorted(at_budget, key=lambda method: -at_budget[method][0])
    best = scores[order[0]][BUDGET]
    print(f"| method | seeds | mean score | 95 % | worst, best | {order[0]} is ahead by |\n|---|---|---|---|---|---|")
    for method in order:
        runs, (mean, error) = scores[method][BUDGET], at_budget[method]
        ahead, about = mean_and_error(best[seed] - runs[seed] for seed in runs)
        by = "" if method == order[0] else f"{ahead:.1f} +- {about:.1f}"
        print(f"| {method} | {len(runs)} | {mean:.1f} % | +- {error:.1f} | {min(runs.values()):.1f}, {max(runs.values()):.1f} | {by} |")

    several = [method for method in order if len(scores[method]) > 1]
    budgets = sorted({budget for method in several for budget in scores[method]})
    heads = [f"{budget:,} games" for budget in budgets] + ["games to 60 %", "to 64 %"]
    print("\n| method | " + " | ".join(heads) + " |\n|" + "---|" * (len(heads) + 1))
    for method in several:
        cells = [
            "{:.1f} +- {:.1f}".format(*mean_and_error(scores[method][budget].values())) if budget in scores[method] else ""
            for budget in budgets
        ]
        cells += [games_to_reach(score, scores[method]) for score in (60, 64)]
        print(f"| {method} | " + " | ".join(cells) + " |")

    draw(scores, at_budget, order, budgets)


def draw(scores, at_budget, order, budgets):
    """All methods at one budget on the left, some of them by budget on the right."""
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "tictune", "font.family": "sans-serif", "font.size": 10})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), facecolor="white")
    places = range(len(order))
    left.errorbar([at_budget[m][0] for m in order], places, xerr=[at_budget[m][1] for m in order], fmt="o", color="#1f4e79", capsize=3)
    left.set_yticks(places, order)
    left.invert_yaxis()
    left.set_xlabel("score against the three vectors, %")
    left.set_title(f"{BUDGET:,} games a run, eight seeds", loc="left", fontsize=10)
    left.grid(axis="x", color="#dddddd")
    for place, (method, colour) in enumerate(zip(DRAWN, plt.get_cmap("Dark2").colors)):
        means = sorted((budget, *mean_and_error(runs.values())) for budget, runs in scores[method].items())
        # Side by side, so that intervals can be told apart.
        games = [budget * 1.02 ** (place - len(DRAWN) / 2) for budget, *_ in means]
        values, errors = [mean for _, mean, _ in means], [error for *_, error in means]
        right.errorbar(games, values, yerr=errors, marker="o", markersize=5, linewidth=1.5, elinewidth=0.8, color=colour, label=method)
    right.set_xscale("log")
    right.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
    right.minorticks_off()
    right.set_xlabel("games of a run")
    right.set_ylabel("score, %")
    right.set_title("by budget", loc="left", fontsize=10)
    right.grid(color="#dddddd")
    right.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(FIGURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
