#!/usr/bin/env python3
"""Tests `tictune play` at a pseudo-terminal, as a person uses it:

    python3 tests/terminal/play.py target/release/tictune

Games are played with keys, hints are shown, moves are taken back, levels change. However the program ends, the terminal
has its modes back.
"""
import os
import signal
import sys

from terminal import Program

HINTS = ["play", "--agent", "minimax:depth=3,weights=liang-default", "--seed", "1"]


def test_a_game_of_uttt(binary):
    program = Program([binary, *HINTS])
    program.wait_for("you are x, the computer o", "Your move, as x: 81 legal", "cursor: 4,4")
    program.press("right", "down", "left", "up", "enter")
    program.wait_for("1. 4,4", "(o)", "computer: ", "expects ", "Your move, as x")
    program.press("h")
    shown = program.wait_for("hint: ", "the squares show what moves are worth", "cursor: ")
    assert ": value " in shown.split("cursor: ")[1], shown
    program.press("u")
    program.wait_for("taken back", "Your move, as x: 81 legal")
    program.press("l")
    program.wait_for("the opponent is now beginner", "level: beginner")
    # A move in notation.
    program.press("0,0", "enter")
    program.wait_for("1. 0,0", "Your move, as x")
    program.press("0,0", "enter")
    program.wait_for("0,0 is not a legal move here")
    program.press("?")
    program.wait_for("What the keys do", "takes back your last move")
    program.press("escape")
    program.wait_for("cursor: ")
    program.press("n")
    program.wait_for("a new game", "Your move, as x: 81 legal")
    program.resize(60, 20)
    program.wait_for("The board needs 80 columns and 24 rows.")
    program.resize(100, 30)
    program.wait_for("Your move, as x: 81 legal")
    assert program.screen.colours
    program.press("q")
    assert program.end() == 0
    program.assert_restored()
    program.wait_for("left after 0 moves; to go on:", " play ", " --agent random ", "--from")


def test_a_game_to_its_end(binary):
    program = Program([binary, "play", "--game", "qubic", "--agent", "random"], environment={"NO_COLOR": "1"})
    program.wait_for("layer 4", "Your move, as x: 64 legal")
    for turn in range(1, 33):
        program.press("tab", "enter")
        shown = program.wait_for(f" {turn}. ")
        while "Your move" not in shown and "won" not in shown and "drawn" not in shown:
            program.read(0.1)
            shown = "\n".join(program.screen.lines())
        if "Your move" not in shown:
            break
    assert "won" in shown or "drawn" in shown, shown
    assert not program.screen.colours, program.screen.colours
    program.press("escape")
    assert program.end() == 0
    program.assert_restored()
    program.wait_for("won." if "won" in shown else "drawn.")


def test_the_ways_to_end(binary):
    """While the agent thinks."""
    thinking = [binary, "play", "--second", "--agent", "mcts:time=600s"]
    ends = [
        (lambda program: program.press("q"), 0),
        (lambda program: program.press("\x03"), 130),
        (lambda program: program.process.send_signal(signal.SIGTERM), 130),
        (lambda program: program.process.send_signal(signal.SIGHUP), 130),
        (lambda program: [program.process.send_signal(signal.SIGTERM) for _ in range(2)], 130),
    ]
    for end, status in ends:
        program = Program(thinking)
        program.wait_for("The computer thinks ...")
        program.press("?")
        program.wait_for("What the keys do")
        program.press("x")
        program.wait_for("The computer thinks ...")
        end(program)
        found = program.end()
        assert found == status, f"{found} instead of {status}"
        program.assert_restored()


def test_a_terminal_that_is_gone(binary):
    """A signal says so, but not under nohup."""
    for handler, statuses in [(signal.SIG_IGN, [1]), (signal.SIG_DFL, [1, 130])]:
        before = signal.signal(signal.SIGHUP, handler)
        program = Program([binary, "play", "--agent", "random"])
        signal.signal(signal.SIGHUP, before)
        program.wait_for("Your move")
        os.close(program.other)
        os.close(program.terminal)
        assert program.process.wait(timeout=60) in statuses


def test_a_program_that_does_not_start(binary):
    program = Program([binary, "play", "--agent", 'external:cmd="/nowhere/bot",protocol=theaigames,time=1s'])
    program.wait_for("Your move")
    program.press("enter")
    assert program.end() == 1
    program.assert_restored()
    program.wait_for("error: agent external:", "could not be started")


def test_lines(binary):
    for arguments, environment in [(["--lines"], {}), ([], {"TERM": "dumb"})]:
        program = Program([binary, "play", "--agent", "random", *arguments], environment=environment)
        shown = program.wait_for("help lists the commands", "your move:")
        assert not program.screen.is_alternate and "┬" not in shown
        program.press("quit", "enter")
        assert program.end() == 0
        program.assert_restored()
    for end in [signal.SIGTERM, signal.SIGHUP]:
        program = Program([binary, "play", "--lines"])
        program.wait_for("your move:")
        program.process.send_signal(end)
        found = program.end()
        assert found == 130, found
        program.assert_restored()


def main():
    binary = os.path.abspath(sys.argv[1])
    # Programs that are started under nohup ignore it, and those of the tests are to end by it.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    tests = [
        test_a_game_of_uttt,
        test_a_game_to_its_end,
        test_the_ways_to_end,
        test_a_terminal_that_is_gone,
        test_a_program_that_does_not_start,
        test_lines,
    ]
    for test in tests:
        test(binary)
    print(f"{len(tests)} passed, 0 failed")


if __name__ == "__main__":
    main()
