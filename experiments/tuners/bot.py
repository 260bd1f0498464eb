"""A bot with two numbers, as a runner (docs/runner.md): Ultimate Tic-Tac-Toe, one move ahead.

A small board that is won is worth 1, a line of two marks that can still become three `pair`, and it costs `sent` to send the opponent where they
have such a line. Equal moves are drawn by the seed. Where nobody has a line of boards, whoever has more boards wins.
"""

import random

from pairs_of_games import serve

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
DRAWN = 2


def has_line(marks, player):
    return any(marks[a] == marks[b] == marks[c] == player for a, b, c in LINES)


def pairs(marks, player):
    """Lines with two marks of a player and a free cell."""
    return sum(marks[a] + marks[b] + marks[c] == 2 * player and 0 in (marks[a], marks[b], marks[c]) for a, b, c in LINES)


class Game:
    """Marks are 1 and -1, 0 is free."""

    def __init__(self):
        self.cells, self.boards, self.sent_to = [[0] * 9 for _ in range(9)], [0] * 9, None

    def moves(self):
        boards = [self.sent_to] if self.sent_to is not None and self.boards[self.sent_to] == 0 else [b for b in range(9) if self.boards[b] == 0]
        return [(board, cell) for board in boards for cell in range(9) if self.cells[board][cell] == 0]

    def play(self, move, player):
        board, cell = move
        marks = self.cells[board]
        marks[cell] = player
        self.boards[board] = player if has_line(marks, player) else DRAWN if 0 not in marks else 0
        self.sent_to = cell

    def value(self, move, player, numbers):
        """What a move is worth."""
        (board, cell), marks = move, self.cells[move[0]]
        before, sent_to = pairs(marks, -player), self.sent_to
        self.play(move, player)
        if self.boards[board] == player and has_line(self.boards, player):
            worth = float("inf")
        else:
            targets = [cell] if self.boards[cell] == 0 else [b for b in range(9) if self.boards[b] == 0]
            sent = max((pairs(self.cells[target], -player) for target in targets), default=0)
            gained = pairs(marks, player) + before - pairs(marks, -player)
            worth = (self.boards[board] == player) + numbers["pair"] * gained - numbers["sent"] * sent
        marks[cell] = self.boards[board] = 0
        self.sent_to = sent_to
        return worth


def first_scores(players, draws):
    """What the first of two players scores in a game."""
    game, player = Game(), 1
    while moves := game.moves():
        values = [game.value(move, player, players[player == -1]) for move in moves]
        most = max(values)
        game.play(draws.choice([move for move, value in zip(moves, values) if value == most]), player)
        if has_line(game.boards, player):
            return (1 + player) / 2
        player = -player
    ahead = game.boards.count(1) - game.boards.count(-1)
    return 0.5 + 0.5 * ((ahead > 0) - (ahead < 0))


def pair_of_games(candidate, opponent, seed):
    """The candidate's results, as the first player and as the second."""
    return [first_scores([candidate, opponent], random.Random(seed)), 1 - first_scores([opponent, candidate], random.Random(seed))]


if __name__ == "__main__":
    serve(pair_of_games)
