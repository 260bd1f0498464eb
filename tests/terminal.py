#!/usr/bin/env python3
"""Tests `tictune play` at a pseudo-terminal, as a person uses it:

    python3 tests/terminal.py target/release/tictune

Lines are edited, a game is played and left. However the program ends, the terminal has its modes back.
"""
import io
import os
import signal
import sys
import termios

import pexpect

THINKS = ["--second", "--agent", "mcts:time=600s"]


class Program(pexpect.spawn):
    """`tictune play`, and the terminal that it is at."""
    def __init__(self, *arguments, term="xterm-256color"):
        super().__init__(BINARY, ["play", *arguments], env={**os.environ, "TERM": term}, dimensions=(24, 80), echo=True, timeout=30)
        self.modes = termios.tcgetattr(self.child_fd)

    def wait_for(self, *texts):
        """Waits until the texts have come, one after the other, since the last that was waited for."""
        for text in texts:
            self.expect_exact(text)

    def ends_with(self, status, *texts):
        """Waits for the program's last words and its end, and looks at what it leaves."""
        self.wait_for(*texts)
        self.expect(pexpect.EOF, timeout=60)
        assert self.wait() == status, f"{self.exitstatus} instead of {status}: {self.before}"
        assert termios.tcgetattr(self.child_fd) == self.modes, "the terminal has other modes than before"


def test_a_conversation():
    program = Program("--agent", "minimax:depth=3,weights=liang-default", "--seed", "1")
    program.wait_for("you are x, the computer is o", "help lists the commands", "your move: ")
    program.send("9,9\r")
    program.wait_for("is not a square", "your move: ")
    # Backspace takes the wrong digit away.
    program.send("4,5\x7f4\r")
    program.wait_for("thinks ...", "computer played ", "your move: ")
    program.send("hint\r")
    program.wait_for("hint: ", "the values of the best moves", "your move: ")
    program.send("undo\r")
    program.wait_for("taken back: 4,4 and ", "your move: ")
    # The arrow goes back to the earliest of the four lines.
    program.send("\x1b[A" * 4 + "\r")
    program.wait_for("\"9,9\" is not a square", "your move: ")
    program.send("quit\r")
    program.ends_with(0, "left at ply 1; to continue:", " play --seed 1 --agent 'minimax:depth=3", " --from ")


def test_a_terminal_that_only_prints():
    program = Program("--agent", "random", term="dumb")
    program.logfile_read = output = io.BytesIO()
    program.wait_for("your move: ")
    program.send("quit\r")
    program.ends_with(0)
    assert b"\x1b" not in output.getvalue()


def test_the_ways_to_end():
    """At the prompt, and while the agent thinks."""
    def sends(*numbers):
        return lambda program: [program.kill(number) for number in numbers]

    def types(key):
        return lambda program: program.send(key)

    at_the_prompt = [(types("\x04"), 0), (types("\x03"), 130), (sends(signal.SIGTERM), 130), (sends(signal.SIGHUP), 130)]
    while_it_thinks = [(types("\x03"), 130), (sends(signal.SIGTERM, signal.SIGTERM), 130), (sends(signal.SIGHUP), 130)]
    for arguments, text, ends in [([], "your move: ", at_the_prompt), (THINKS, "thinks ...", while_it_thinks)]:
        for end, status in ends:
            program = Program(*arguments)
            program.wait_for(text)
            end(program)
            program.ends_with(status)


def test_a_terminal_that_is_gone():
    """A signal says so, but not under nohup."""
    for handler, statuses in [(signal.SIG_IGN, [1]), (signal.SIG_DFL, [1, 130])]:
        before = signal.signal(signal.SIGHUP, handler)
        program = Program("--agent", "random")
        signal.signal(signal.SIGHUP, before)
        program.wait_for("your move: ")
        program.ptyproc.fileobj.close()
        assert program.wait() in statuses, program.exitstatus


def test_a_program_that_does_not_start():
    program = Program("--agent", 'external:cmd="/nowhere/bot",protocol=theaigames,time=1s')
    program.wait_for("your move: ")
    program.send("4,4\r")
    program.ends_with(1, "agent external:", "could not be started")


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv[1])
    # Programs that are started under nohup ignore it, and those of the tests are to end by it.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    tests = [value for name, value in list(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} passed, 0 failed")
