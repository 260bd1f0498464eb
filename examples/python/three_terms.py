"""A bot for Ultimate Tic-Tac-Toe over CodinGame's protocol. It looks one move ahead.

    python3 three_terms.py BOARD PAIR SENT [SEED]

BOARD is what a small board is worth, PAIR a line of two marks that can still become three, and SENT what it costs to
send the opponent where they have such a line. Equal moves are drawn by SEED.
"""

import random, sys

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
ME, THEM, DRAWN = 1, -1, 2
BOARD, PAIR, SENT = map(float, sys.argv[1:4])
generator = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 0)
cells = [[0] * 9 for _ in range(9)]  # by small board
boards = [0] * 9  # who has won them


def wins(marks, player):
    return any(marks[a] == marks[b] == marks[c] == player for a, b, c in LINES)


def pairs(marks, player):
    return sum(sorted((marks[a], marks[b], marks[c])) == sorted((0, player, player)) for a, b, c in LINES)


def play(move, player):
    board, cell = move[0] // 3 * 3 + move[1] // 3, move[0] % 3 * 3 + move[1] % 3
    cells[board][cell] = player
    if wins(cells[board], player):
        boards[board] = player
    elif 0 not in cells[board]:
        boards[board] = DRAWN
    return board, cell


def value(move):
    """What a move of mine is worth."""
    before = pairs(cells[move[0] // 3 * 3 + move[1] // 3], THEM)
    board, cell = play(move, ME)
    if wins(boards, ME):
        score = float("inf")
    else:
        targets = [cell] if boards[cell] == 0 else [b for b in range(9) if boards[b] == 0]
        sent = max((pairs(cells[b], THEM) for b in targets), default=0)
        gained = pairs(cells[board], ME) + before - pairs(cells[board], THEM)
        score = BOARD * (boards[board] == ME) + PAIR * gained - SENT * sent
    cells[board][cell] = boards[board] = 0
    return score


for line in sys.stdin:
    last = tuple(map(int, line.split()))
    if last[0] >= 0:
        play(last, THEM)
    moves = [tuple(map(int, input().split())) for _ in range(int(input()))]
    values = [value(move) for move in moves]
    best = generator.choice([m for m, v in zip(moves, values) if v == max(values)])
    play(best, ME)
    print(*best, flush=True)
