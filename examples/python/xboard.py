"""A runner of chess: plays games between two engines that speak xboard's protocol. docs/runner.md specifies the lines.

    python3 xboard.py VALUES DEPTH fairymax 16 FILE

Fairy-Max reads the values of its pieces from a file, in lines such as `n:259 ...` for the knight. VALUES is such a file, and
FILE in the engine's command is a copy of it with the values of a player: parameters are named after the letters. Both
games of a pair begin with the same eight random plies, which follow from its seed; the players swap colours.
python-chess (pip install chess) knows the rules.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import chess

PLIES, MOST_PLIES = 8, 300
VALUES, DEPTH, COMMAND = Path(sys.argv[1]).read_text("latin-1"), sys.argv[2], sys.argv[3:]


class Engine:
    def __init__(self, numbers):
        values = VALUES
        for letter, value in numbers.items():
            values = re.sub(rf"(?m)^{letter}:\d+", f"{letter}:{value:.0f}", values)
        self.file = tempfile.NamedTemporaryFile("w", encoding="latin-1", suffix=".ini")
        self.file.write(values)
        self.file.flush()
        command = [word.replace("FILE", self.file.name) for word in COMMAND]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, errors="replace")
        self.tell("xboard", "protover 2")

    def tell(self, *lines):
        print(*lines, sep="\n", file=self.process.stdin, flush=True)

    def begin(self, opening):
        self.tell("new", "easy", "nopost", f"sd {DEPTH}", "force", *map(str, opening), "ping 1")
        # What it still says of the game before is read as well.
        for line in self.process.stdout:
            if line.strip() == "pong 1":
                return
        sys.exit("the engine has ended")

    def move(self):
        """Lets the engine move; None if it resigns."""
        self.tell("go")
        for line in self.process.stdout:
            words = line.split()
            if words[:1] == ["move"]:
                self.tell("force")
                return chess.Move.from_uci(words[1])
            if words and words[0] in ("resign", "1-0", "0-1", "1/2-1/2"):
                return None
        sys.exit("the engine has ended")


def points_of_white(players, opening):
    board = chess.Board()
    for move in opening:
        board.push(move)
    for player in players:
        player.begin(opening)
    while not board.is_game_over(claim_draw=True) and board.ply() < MOST_PLIES:
        move = players[not board.turn].move()
        if move not in board.legal_moves:
            return 1 - int(board.turn)
        players[board.turn].tell(str(move))
        board.push(move)
    return {"1-0": 1, "0-1": 0}.get(board.result(claim_draw=True), 0.5)


def random_opening(seed):
    random, board = Random(seed), chess.Board()
    while board.ply() < PLIES and not board.is_game_over():
        board.push(random.choice(list(board.legal_moves)))
    return board.move_stack


for line in sys.stdin:
    request = json.loads(line)
    candidate, opponent = (Engine(request[side]["numbers"]) for side in ("candidate", "opponent"))
    results = []
    for seed in request["seeds"]:
        opening = random_opening(seed)
        as_white = points_of_white([candidate, opponent], opening)
        results.append([as_white, 1 - points_of_white([opponent, candidate], opening)])
    for engine in (candidate, opponent):
        engine.tell("quit")
        engine.process.wait()
    print(json.dumps({"id": request["id"], "pairs": results}), flush=True)
