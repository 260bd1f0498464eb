"""A greedy agent for a small Kalah, as a runner (docs/runner.md): five pits a side, fifteen stones each.

A position after a move is worth the difference of the stores, `side` times that of the stones in the pits, and `again` if the mover moves
again. All features are whole numbers, so that strength jumps where a weight changes the order of two moves. Of equal moves, the first is made.
"""

import random

from pairs_of_games import serve

PITS, STONES = 5, 15
STORE, THEIR_STORE = PITS, 2 * PITS + 1


def after(board, pit):
    """The board after a move, seen by the same side, and whether it moves again. `board` has its pits and store, then the other side's."""
    board = board[:]
    stones, board[pit] = board[pit], 0
    place = pit
    while stones:
        place = (place + 1) % THEIR_STORE
        board[place] += 1
        stones -= 1
    if place < PITS and board[place] == 1 and board[2 * PITS - place]:
        board[STORE] += 1 + board[2 * PITS - place]
        board[place] = board[2 * PITS - place] = 0
    return board, place == STORE


def value(board, again, weights):
    stores = board[STORE] - board[THEIR_STORE]
    return stores + weights["side"] * (sum(board[:PITS]) - sum(board[PITS + 1:THEIR_STORE])) + weights["again"] * again


def first_scores(players, board):
    """What the first of two players scores in a game from a board."""
    mover = 0
    while any(board[:PITS]) and any(board[PITS + 1:THEIR_STORE]):
        pits = [pit for pit in range(PITS) if board[pit]]
        board, again = after(board, max(pits, key=lambda pit: value(*after(board, pit), players[mover])))
        if not again:
            board, mover = board[PITS + 1:] + board[:PITS + 1], 1 - mover
    ahead = (sum(board[:PITS + 1]) - sum(board[PITS + 1:])) * (-1) ** mover
    return 0.5 + 0.5 * ((ahead > 0) - (ahead < 0))


def pair_of_games(candidate, opponent, seed):
    """The candidate's results from a random board, as the first player and as the second."""
    draws = random.Random(seed)
    side = [0] * PITS
    for _ in range(STONES):
        side[draws.randrange(PITS)] += 1
    board = side + [0] + side + [0]
    return [first_scores([candidate, opponent], board), 1 - first_scores([opponent, candidate], board)]


if __name__ == "__main__":
    serve(pair_of_games)
