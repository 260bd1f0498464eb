#!/usr/bin/env python3
"""Tests `tictune play` at a pseudo-terminal, as a person uses it:

    python3 tests/terminal.py target/release/tictune

Lines are edited, a game is played and left. However the program ends, the terminal has its modes back.
"""
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

SEQUENCE = re.compile(r"\x1b\[[?>]?[0-9;]*[A-Za-z]")
THINKS = ["--second", "--agent", "mcts:time=600s"]


class Program:
    """`tictune play`, and the terminal that it is at."""

    def __init__(self, *arguments, term="xterm-256color"):
        self.terminal, self.other = os.openpty()
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes = termios.tcgetattr(self.other)
        self.output = b""
        self.read_to = 0

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        # This process keeps its side open, so that modes can be asked for when the program has ended.
        self.process = subprocess.Popen(
            [BINARY, "play", *arguments], stdin=self.other, stdout=self.other, stderr=self.other,
            env={**os.environ, "TERM": term}, preexec_fn=own_terminal)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read(self, seconds):
        """Reads for a moment, and says whether there was anything."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        self.output += os.read(self.terminal, 65536)
        return True

    def text(self):
        return SEQUENCE.sub("", self.output.decode(errors="ignore"))

    def wait_for(self, *texts):
        """Waits until the texts have come, one after the other, since the last that was waited for."""
        end = time.monotonic() + 30
        for text in texts:
            while (found := self.text().find(text, self.read_to)) < 0:
                assert time.monotonic() < end, f"{text!r} does not come:\n{self.text()[self.read_to:]}"
                self.read(0.1)
            self.read_to = found + len(text)

    def ends_with(self, status):
        """Waits for the end of the program, and looks at what it leaves."""
        end = time.monotonic() + 60
        while self.process.poll() is None:
            assert time.monotonic() < end, f"the program does not end:\n{self.text()}"
            self.read(0.1)
        while self.read(0.1):
            pass
        found = self.process.returncode
        assert found == status, f"{found} instead of {status}:\n{self.text()}"
        assert termios.tcgetattr(self.other) == self.modes, "the terminal has other modes than before"


def test_a_conversation():
    program = Program("--agent", "minimax:depth=3,weights=liang-default", "--seed", "1")
    program.wait_for("you are x, the computer is o", "help lists the commands", "your move: ")
    program.type("9,9\r")
    program.wait_for("is not a square", "your move: ")
    # Backspace takes the wrong digit away.
    program.type("4,5\x7f4\r")
    program.wait_for("thinks ...", "computer played ", "your move: ")
    program.type("hint\r")
    program.wait_for("hint: ", "the values of the best moves", "your move: ")
    program.type("undo\r")
    program.wait_for("taken back: 4,4 and ", "your move: ")
    # The arrow goes back to the earliest of the four lines.
    program.type("\x1b[A" * 4 + "\r")
    program.wait_for("\"9,9\" is not a square", "your move: ")
    program.type("quit\r")
    program.ends_with(0)
    program.wait_for("left after 0 plies; to continue:", " play --seed 1 --agent 'minimax:depth=3", " --from ")


def test_a_terminal_that_only_prints():
    program = Program("--agent", "random", term="dumb")
    program.wait_for("your move: ")
    program.type("quit\r")
    program.ends_with(0)
    assert "\x1b" not in program.output.decode()


def test_the_ways_to_end():
    """At the prompt, and while the agent thinks."""
    def sends(*numbers):
        return lambda program: [program.process.send_signal(number) for number in numbers]

    def types(key):
        return lambda program: program.type(key)

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
        os.close(program.other)
        os.close(program.terminal)
        assert program.process.wait(timeout=60) in statuses, program.process.returncode


def test_a_program_that_does_not_start():
    program = Program("--agent", 'external:cmd="/nowhere/bot",protocol=theaigames,time=1s')
    program.wait_for("your move: ")
    program.type("4,4\r")
    program.ends_with(1)
    program.wait_for("error: agent external:", "could not be started")


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv[1])
    # Programs that are started under nohup ignore it, and those of the tests are to end by it.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    tests = [value for name, value in list(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} passed, 0 failed")
