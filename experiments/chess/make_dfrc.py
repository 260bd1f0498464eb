"""Writes dfrc.epd: 100 start positions of double Chess960, as Shredder-FEN without counters.

    python3 make_dfrc.py > dfrc.epd

Needs python-chess (pip install chess).
"""

from random import Random

import chess

random = Random(960)
for _ in range(100):
    white, black = (chess.Board.from_chess960_pos(random.randrange(960)) for _ in range(2))
    board = chess.Board(None, chess960=True)
    for square in chess.SQUARES:
        board.set_piece_at(square, (white if square < 32 else black).piece_at(square))
    board.castling_rights = (white.castling_rights & chess.BB_RANK_1) | (black.castling_rights & chess.BB_RANK_8)
    print(board.epd(shredder=True))
