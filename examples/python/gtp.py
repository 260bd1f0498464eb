"""A runner of Go: plays 7x7 games between two engines that speak GTP. docs/runner.md specifies the lines.

    python3 gtp.py gnugo --mode gtp --level 1 --depth "%(depth)d"

The arguments are the engine's command. `%(NAME)d` is a parameter as a whole number, `%(NAME)f` as a fraction. Both games
of a pair begin with the same four stones, which follow from its seed; the players swap colours.
"""

import json
import subprocess
import sys
from random import Random

SIZE, KOMI, MOST_MOVES = 7, 4.5, 100
COLUMNS = "ABCDEFGHJ"


class Engine:
    def __init__(self, numbers):
        command = [word % numbers for word in sys.argv[1:]]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command):
        print(command, file=self.process.stdin, flush=True)
        answer = ""
        # An answer begins with = or ?, and an empty line ends it.
        for line in self.process.stdout:
            answer = answer or line.strip()
            if answer and not line.strip():
                break
        if not answer.startswith("="):
            sys.exit(f"{command}: {answer or 'the engine has ended'}")
        return answer.lstrip("= ")


def winner(players, stones, seed):
    """The colour that wins, 0 for black."""
    for player in players:
        for command in [f"boardsize {SIZE}", "clear_board", f"komi {KOMI}"]:
            player.ask(command)
        if player.ask("known_command set_random_seed") == "true":
            player.ask(f"set_random_seed {seed % 1000}")
        for number, stone in enumerate(stones):
            player.ask(f"play {'bw'[number % 2]} {stone}")
    passes = 0
    for number in range(len(stones), MOST_MOVES):
        colour = number % 2
        move = players[colour].ask(f"genmove {'bw'[colour]}")
        if move.lower() == "resign":
            return 1 - colour
        players[1 - colour].ask(f"play {'bw'[colour]} {move}")
        passes = passes + 1 if move.lower() == "pass" else 0
        if passes == 2:
            break
    return 0 if players[0].ask("final_score").startswith("B") else 1


for line in sys.stdin:
    request = json.loads(line)
    candidate, opponent = (Engine(request[side]["numbers"]) for side in ("candidate", "opponent"))
    results = []
    for seed in request["seeds"]:
        points = [column + str(row) for column in COLUMNS[1:6] for row in range(2, 7)]
        stones = Random(seed).sample(points, 4)
        as_black = winner([candidate, opponent], stones, seed) == 0
        as_white = winner([opponent, candidate], stones, seed) == 1
        results.append([int(as_black), int(as_white)])
    for engine in (candidate, opponent):
        engine.ask("quit")
    print(json.dumps({"id": request["id"], "pairs": results}), flush=True)
