"""Writes openings.epd: positions after eight random plies that an engine finds near equal.

    python3 make_openings.py /usr/games/toga2 > openings.epd

Needs a UCI engine and `tictune`, whose rules draw the random plies. The engine searches nine plies deep, without its book.
"""

import csv
import subprocess
import sys
import tempfile

GAMES, WANTED, DEPTH, MOST = 1600, 500, 9, 60  # centipawns
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


def squares(board):
    """The board as a table of squares by name."""
    found = {}
    for rank, row in zip("87654321", board.split("/")):
        file = 0
        for symbol in row:
            if symbol.isdigit():
                file += int(symbol)
            else:
                found["abcdefgh"[file] + rank] = symbol
                file += 1
    return found


def epd(moves):
    """The first four fields of the FEN after legal moves from the start."""
    board, castling, passant = squares(START), "KQkq", "-"
    for move in moves:
        source, target, promotion = move[:2], move[2:4], move[4:]
        piece = board.pop(source)
        if piece in "Pp" and source[0] != target[0] and target not in board:
            del board[target[0] + source[1]]  # en passant
        if piece in "Kk" and source[0] == "e" and target[0] in "cg":
            rook = {"c": ("a", "d"), "g": ("h", "f")}[target[0]]
            board[rook[1] + source[1]] = board.pop(rook[0] + source[1])
        board[target] = (promotion.upper() if piece == "P" else promotion) or piece
        lost = {"e1": "KQ", "h1": "K", "a1": "Q", "e8": "kq", "h8": "k", "a8": "q"}
        gone = lost.get(source, "") + lost.get(target, "")
        castling = "".join(right for right in castling if right not in gone)
        passant = "-"
        if piece in "Pp" and abs(int(source[1]) - int(target[1])) == 2:
            passant = source[0] + ("3" if piece == "P" else "6")
            pawn, own = ("p", target[1]) if piece == "P" else ("P", target[1])
            beside = [chr(ord(source[0]) + step) + own for step in (-1, 1)]
            if not any(board.get(square) == pawn for square in beside):
                passant = "-"
    rows = []
    for rank in "87654321":
        row, empty = "", 0
        for file in "abcdefgh":
            symbol = board.get(file + rank)
            if symbol is None:
                empty += 1
                continue
            row += (str(empty) if empty else "") + symbol
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    side = "wb"[len(moves) % 2]
    return f"{'/'.join(rows)} {side} {castling or '-'} {passant}"


def random_openings():
    """The moves of random openings, drawn by tictune."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        subprocess.run(
            ["tictune", "match", "--game", "chess", "--rules", "max_plies=9", "random", "random"]
            + ["--openings", "random:8", "--schedule", "first", "--games", str(GAMES)]
            + ["--seed", "2026", "--games-csv", file.name],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with open(file.name, newline="") as rows:
            for row in csv.DictReader(rows):
                yield row["moves"].split()[: int(row["opening_plies"])]


def main():
    engine = subprocess.Popen(
        [sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )

    def ask(text, last):
        engine.stdin.write(text + "\n")
        engine.stdin.flush()
        lines = []
        while not lines or not lines[-1].startswith(last):
            lines.append(engine.stdout.readline())
        return lines

    ask("uci", "uciok")
    ask("setoption name OwnBook value false\nisready", "readyok")
    found = set()
    print("# After eight random plies, near equal by Toga II at depth 9: see make_openings.py.")
    for moves in random_openings():
        position = epd(moves)
        if position in found:
            continue
        ask("ucinewgame\nisready", "readyok")
        lines = ask(f"position startpos moves {' '.join(moves)}\ngo depth {DEPTH}", "bestmove")
        values = [line.split(" score cp ")[1].split()[0] for line in lines if " score cp " in line]
        if values and abs(int(values[-1])) <= MOST:
            found.add(position)
            print(position)
        if len(found) == WANTED:
            break
    engine.terminate()


if __name__ == "__main__":
    main()
