"""A program at a pseudo-terminal, and the screen that it draws: as much of a terminal as the tests need."""
import fcntl
import glob
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

SEQUENCE = re.compile(rb"\x1b\[([?>]?)([0-9;]*)([A-Za-z])")
KEYS = {"up": b"\x1b[A", "down": b"\x1b[B", "right": b"\x1b[C", "left": b"\x1b[D", "enter": b"\r", "tab": b"\t", "escape": b"\x1b"}


class Screen:
    """What stands on a screen after some output."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.is_alternate = False
        self.shows_cursor = True
        self.colours = set()
        self.rest = b""
        self.clear()

    def clear(self):
        self.cells = [[" "] * self.columns for _ in range(self.rows)]
        self.column = self.row = 0

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def feed(self, output):
        """Obeys some output of the program. What it does not know is an error."""
        self.rest += output
        while self.rest:
            if self.rest.startswith(b"\x1b"):
                match = SEQUENCE.match(self.rest)
                if not match:
                    assert len(self.rest) < 20, f"unknown sequence {self.rest[:20]!r}"
                    return
                self.rest = self.rest[match.end():]
                self.obey(match[1].decode(), match[2].decode(), match[3].decode())
                continue
            text = self.rest.split(b"\x1b")[0]
            try:
                text = text.decode()
            except UnicodeDecodeError as error:
                text = text[:error.start].decode()
                if not text:
                    return
            self.rest = self.rest[len(text.encode()):]
            for character in text:
                self.put(character)

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.feed_line()
        else:
            assert character.isprintable(), f"{character!r} is printed"
            if self.column >= self.columns:
                self.column = 0
                self.feed_line()
            if self.row < self.rows:
                self.cells[self.row][self.column] = character
            self.column += 1

    def feed_line(self):
        self.row += 1
        if self.row == self.rows:
            self.row -= 1
            self.cells = self.cells[1:] + [[" "] * self.columns]

    def obey(self, private, numbers, final):
        if private == "?" and final in "hl":
            if numbers == "1049":
                self.is_alternate = final == "h"
                self.clear()
            elif numbers == "25":
                self.shows_cursor = final == "h"
        elif final == "H":
            row, column = (numbers or "1;1").split(";")
            self.row, self.column = int(row) - 1, int(column) - 1
        elif final == "J":
            if numbers == "2":
                self.clear()
        elif final in "CD":
            self.column = max(0, self.column + int(numbers or 1) * (1 if final == "C" else -1))
        elif final == "K":
            for column in range(self.column, self.columns):
                self.cells[self.row][column] = " "
        elif final == "m":
            if numbers.startswith("38;"):
                self.colours.add(numbers)
        else:
            raise AssertionError(f"unknown sequence {private}{numbers}{final}")


class Program:
    """A program whose terminal this is."""

    def __init__(self, command, columns=80, rows=24, environment=()):
        self.screen = Screen(columns, rows)
        self.terminal, other = os.openpty()
        self.set_size(columns, rows)
        self.modes = termios.tcgetattr(other)
        environment = {**os.environ, "TERM": "xterm-256color", **dict(environment)}
        if "NO_COLOR" not in dict(environment) or not environment["NO_COLOR"]:
            environment.pop("NO_COLOR", None)

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            command, stdin=other, stdout=other, stderr=other, env=environment, preexec_fn=own_terminal)
        # It stays open, so that modes can be asked for when the program has ended.
        self.other = other

    def set_size(self, columns, rows):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self.set_size(columns, rows)
        self.screen.columns, self.screen.rows = columns, rows
        self.screen.clear()
        self.process.send_signal(signal.SIGWINCH)

    def press(self, *keys):
        for key in keys:
            os.write(self.terminal, KEYS.get(key, key.encode()))

    def read(self, seconds):
        """Reads for a moment, and says whether there was anything."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        self.screen.feed(os.read(self.terminal, 65536))
        return True

    def wait_for(self, *texts, seconds=30):
        """Waits until all texts are on the screen."""
        end = time.monotonic() + seconds
        while True:
            shown = "\n".join(self.screen.lines())
            if all(text in shown for text in texts):
                return shown
            assert time.monotonic() < end, f"{texts} is not on the screen:\n{shown}"
            self.read(0.1)

    def end(self, seconds=60):
        """Waits for the end of the program, and returns its exit status."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, "the program does not end:\n" + self.state()
            self.read(0.1)
        while self.read(0.1):
            pass
        return self.process.returncode

    def state(self):
        """What is on the screen, and what each thread does, where the system says so."""
        threads = []
        for status in glob.glob(f"/proc/{self.process.pid}/task/*/status"):
            with open(status) as lines:
                threads.append(", ".join(line.strip() for line in lines if line.startswith(("Name", "State"))))
        return "\n".join([*self.screen.lines(), *threads])

    def assert_restored(self):
        """The modes of the terminal are those from before the program."""
        assert termios.tcgetattr(self.other) == self.modes, "the terminal has other modes than before"
        assert not self.screen.is_alternate and self.screen.shows_cursor, "the screen is not put back"
