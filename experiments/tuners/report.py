"""Prints the tables of results.csv as docs/tuners.md has them, and draws docs/tuners.svg.

    pip install matplotlib scipy
    python experiments/tuners/report.py
"""

import csv
import math
import statistics
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from scipy.stats import t, ttest_rel

HERE = Path(__file__).parent
FIGURE = HERE.parent.parent / "docs/tuners.svg"
TASKS = ["extended", "comprehensive", "advanced", "lines", "search", "bot", "kalah", "toga"]
LANDSCAPES = ["bowl", "valley", "ridge", "crowd", "whole", "steep", "narrow", "lopsided"]
# Panels of the figure.
PANELS = ["extended", "comprehensive", "advanced", "lines", "valley", "ridge", "crowd", "narrow"]
# Options of CMA-ES that are gone: each beside the run without it.
OPTIONS = ["cma-cm", "cma-halving", "cma-bipop", "cma-held-out", "cma-finalists", "cma-model", "cma-screening", "cma-ring", "cma-hall"]
# Methods in the directions that positions tell, and the same without. Pairs without directions ran at commit bc03c7d2.
DIRECTED = {"pairs": "pairs-plain"} | {f"spsa-{wide}-{fast}-directed": f"spsa-{wide}-{fast}" for wide in (1, 3, 6) for fast in (1, 5)}
DIRECTED |= {"cma-directed": "cma-60x12", "lra-cma-directed": "lra-cma"}
DRAWN = ["default", "pairs", "cma-60x12", "cma-40x30", "cma", "spsa", "spsa-3-1", "spsa-6-1"]
COLOURS = ["#0072b2", "#b34a00", "#00785a", "#a8487e", "#8a6400", "#6a51c7", "#1c2126", "#6b6b6b"]  # those of the pages


def read():
    """By task and budget, by method: the score of each seed."""
    scores = defaultdict(lambda: defaultdict(dict))
    with open(HERE / "results.csv", newline="") as file:
        for row in csv.DictReader(file):
            runs = scores[row["task"], int(row["budget"])][row["method"]]
            runs[int(row["seed"])] = float(row["score"])
    return scores


def mean_and_error(values):
    """The mean, and half of its 95 % interval by Student's t."""
    values = list(values)
    return statistics.mean(values), t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


def holm(p_values):
    """Holm's corrected p-values, by method."""
    corrected, least = {}, 0.0
    for rank, (method, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (len(p_values) - rank)))
        corrected[method] = least
    return corrected


def print_table(task, budget, methods):
    """The methods from best to worst, and how far the default is ahead of each, paired by seed."""
    own = methods["default"]
    apart = {*OPTIONS, *DIRECTED, "pairs-plain"} - {"pairs"}
    methods = {method: {seed: score for seed, score in runs.items() if seed in own} for method, runs in methods.items() if method not in apart}
    found = {method: mean_and_error(runs.values()) for method, runs in methods.items() if len(runs) > 1}
    order = sorted(found, key=lambda method: -found[method][0])
    paired = lambda method: [own[seed] - score for seed, score in methods[method].items()]
    others = [method for method in order if method != "default"]
    p_values = holm({method: ttest_rel([own[seed] for seed in methods[method]], list(methods[method].values())).pvalue for method in others})
    print(f"\n**`{task}`, {budget:,} games, {len(own)} seeds**\n")
    print("| method | score | worst seed | `default` is ahead by | p (Holm) |\n|---|---|---|---|---|")
    for method in order:
        mean, error = found[method]
        ahead = p = ""
        if method != "default":
            ahead = "{:.1f} +- {:.1f}".format(*mean_and_error(paired(method)))
            p = f"{p_values[method]:.2g}"
        few = f", {len(methods[method])} seeds" if len(methods[method]) < len(own) else ""
        print(f"| `{method}`{few} | {mean:.1f} +- {error:.1f} % | {min(methods[method].values()):.1f} | {ahead} | {p} |")


def print_landscapes(scores, budget):
    """A row a landscape: the default, the best and the worst setting of SPSA, and others."""
    others = ["spsa-3-1", "cma-60x12", "cma", "lra-cma"]
    print(f"\n**Landscapes, {budget:,} games**: score against the optimum, of which 50 % is the best\n")
    print("| task | `default` | its worst seed | best SPSA | ahead of it by | p (Holm) | " + " | ".join(f"`{method}`" for method in others) + " |")
    print("|---" * (6 + len(others)) + "|")
    shown = lambda runs: "{:.1f} +- {:.1f}".format(*mean_and_error(runs.values()))
    rows, p_values = {}, {}
    for task in LANDSCAPES:
        methods = {method: runs for method, runs in scores[task, budget].items() if len(runs) > 1}
        own = methods["default"]
        methods = {method: runs for method, runs in methods.items() if runs.keys() == own.keys()}
        best = max((method for method in methods if method.startswith("spsa")), key=lambda method: statistics.mean(methods[method].values()))
        ahead = [own[seed] - methods[best][seed] for seed in own]
        p_values[task] = ttest_rel(list(own.values()), [methods[best][seed] for seed in own]).pvalue
        cells = [shown(own), f"{min(own.values()):.1f}", f"{shown(methods[best])} (`{best}`)", "{:+.2f} +- {:.2f}".format(*mean_and_error(ahead))]
        rows[task] = cells, [shown(methods[method]) if method in methods else "" for method in others]
    for task, p in holm(p_values).items():
        rows[task][0].append(f"{p:.2g}")
    for task, (first, last) in rows.items():
        print(f"| `{task}` | " + " | ".join([*first, *last]) + " |")


def print_options(scores):
    """How far each option is ahead of the same optimiser without it, paired by seed, and the p-value by Holm of the table."""
    tables = [(task, budget) for task in TASKS for budget in (12_500, 50_000) if "cma-hall" in scores[task, budget]]
    leads, p_values = {}, {}
    for option in OPTIONS:
        for table in tables:
            runs, plain = scores[table][option], scores[table]["cma"]
            differences = [score - plain[seed] for seed, score in runs.items()]
            if any(differences):
                leads[option, table] = mean_and_error(differences)
                p_values[option, table] = ttest_rel([runs[seed] for seed in runs], [plain[seed] for seed in runs]).pvalue
    corrected = holm(p_values)
    print("\n| option | " + " | ".join(f"`{task}`, {budget:,}" for task, budget in tables) + " |\n|---" + "|---" * len(tables) + "|")
    for option in OPTIONS:
        cells = []
        for table in tables:
            if (option, table) not in leads:
                cells.append("0, never used")
                continue
            lead, error = leads[option, table]
            cells.append(f"{lead:+.1f} +- {error:.1f}" + (" *" if corrected[option, table] < 0.05 else ""))
        print(f"| `{option}` | " + " | ".join(cells) + " |")
    print(f"\nleast p by Holm of an option that is ahead: {min(p for key, p in corrected.items() if leads[key][0] > 0):.2f}")


def print_directed(scores):
    """What directions bring to each method, and how far the default is ahead of it then, paired by seed."""
    tasks = ["extended", "lines", "comprehensive"]
    print("\n**In directions, 12,500 games**\n")
    print("| method | " + " | ".join(f"`{task}` | `default` is ahead by" for task in tasks) + " |\n|---" + "|---" * 2 * len(tasks) + "|")
    for method, plain in DIRECTED.items():
        cells = []
        for task in tasks:
            found = scores[task, 12_500]
            if len(found.get(method, {})) < 2:
                cells += ["", ""]
                continue
            before = f"{statistics.mean(found[plain].values()):.1f} -> " if plain in found else ""
            ahead = [found["default"][seed] - score for seed, score in found[method].items()]
            cells += [before + "{:.1f} +- {:.1f}".format(*mean_and_error(found[method].values())), "{:+.1f} +- {:.1f}".format(*mean_and_error(ahead))]
        name = f"`{method.removesuffix('-directed')}`"
        seeds = sorted({len(scores[task, 12_500].get(method, {})) for task in tasks} - {0, 1})
        print(f"| {name}, {' or '.join(map(str, seeds))} seeds | " + " | ".join(cells) + " |")


def draw(scores):
    """A panel a task: scores by budget."""
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "tictune", "font.family": "sans-serif", "font.size": 10})
    figure, panels = plt.subplots(2, 4, figsize=(14, 8), facecolor="white")
    for task, panel in zip(PANELS, panels.flat):
        budgets = sorted(budget for name, budget in scores if name == task)
        for place, (method, colour) in enumerate(zip(DRAWN, COLOURS)):
            points = [(budget, *mean_and_error(scores[task, budget][method].values())) for budget in budgets if len(scores[task, budget].get(method, {})) > 1]
            if points:
                games = [budget * 1.03 ** (place - len(DRAWN) / 2) for budget, *_ in points]
                panel.errorbar(games, [p[1] for p in points], yerr=[p[2] for p in points], marker="o", markersize=4, linewidth=1.5, elinewidth=0.8, color=colour, label=method)
        panel.set_xscale("log")
        panel.set_xticks(budgets, [f"{budget / 1000:g}k" for budget in budgets])
        panel.minorticks_off()
        panel.set_title(task, loc="left", fontsize=10)
        panel.set_xlabel("games of a run")
        panel.grid(color="#dddddd")
    panels[0][0].set_ylabel("score on held-out games, %")
    panels[1][0].set_ylabel("expected score against the optimum, %")
    named = dict(pair[::-1] for panel in panels.flat for pair in zip(*panel.get_legend_handles_labels()))
    figure.legend(named.values(), named.keys(), frameon=False, fontsize=9, loc="upper center", ncols=len(named))
    figure.tight_layout(rect=(0, 0, 1, 0.96))
    figure.savefig(FIGURE, metadata={"Date": None})


def main():
    scores = read()
    for task in TASKS:
        for (name, budget), methods in sorted(scores.items()):
            if name == task and "default" in methods:
                print_table(task, budget, methods)
    for budget in (3000, 12_500):
        print_landscapes(scores, budget)
    print_directed(scores)
    print_options(scores)
    draw(scores)


if __name__ == "__main__":
    main()
