"""What `trammel simulate` shows on a terminal: a bar that stays on one line; in a pipe it is quiet."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

import pytest
from conftest import PROGRAM

COLUMNS = 60
LONG = ["simulate", "pendulum", "--stop-time", "1e6", "--output-interval", "1e-3"]


class Terminal:
    """The program on a terminal of its own, its standard error and, unless told otherwise, its standard output."""

    def __init__(self, *arguments, stdout=None, kind="xterm"):
        def connect():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C reaches it
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # which a shell in the background ignores

        self.screen, behind = pty.openpty()
        fcntl.ioctl(behind, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            stdin=behind,
            stdout=behind if stdout is None else stdout,
            stderr=behind,
            env={**os.environ, "TERM": kind},
            start_new_session=True,
            preexec_fn=connect,
        )
        os.close(behind)

    def read(self, until=None, patience=60):
        """All that appears, up to a text or to the end."""
        text, end = "", time.monotonic() + patience
        while until is None or until not in text:
            assert time.monotonic() < end, text[-1000:]
            try:
                text += os.read(self.screen, 65536).decode()
            except OSError:  # the program has ended
                break
        return text

    def press_ctrl_c(self):
        os.write(self.screen, b"\x03")

    def end(self):
        return self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.screen)


def test_a_long_run_shows_a_bar_on_one_line_and_ctrl_c_leaves_whole_rows(tmp_path):
    with Terminal(*LONG, "-o", tmp_path / "a.csv") as terminal:
        shown = terminal.read(until="times real time")
        terminal.press_ctrl_c()
        shown += terminal.read()
        assert terminal.end() == -signal.SIGINT
    drawn = re.findall(r"\r([^\r\n\x1b]+)\x1b\[K", shown)
    assert drawn
    for bar in drawn:
        assert len(bar) < COLUMNS
        assert re.fullmatch(r"\[#*\.*\] +\d+ %  t = \S+ s, \S+ times real time", bar), bar
    assert "\r\x1b[K" in shown, "the bar is removed at the end"
    assert re.search(r"Pendulum: interrupted, \d+ communication steps, \d+ solver steps, end time", shown)
    header, *rows = (tmp_path / "a.csv").read_text().splitlines()
    assert len(rows) > 100
    assert {row.count(",") for row in rows} == {header.count(",")}
    assert (tmp_path / "a.csv").read_text().endswith("\n")
    assert os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("where", ["rows on the screen", "terminal that cannot go back"])
def test_no_bar_where_it_would_be_in_the_way(tmp_path, where):
    screen = where == "rows on the screen"
    options = ["simulate", "pendulum", "--stop-time", "300", "--output-interval", "1e-2", "--outputs", "x"]
    output = [] if screen else ["-o", tmp_path / "a.csv"]
    with Terminal(*options, *output, kind="xterm" if screen else "dumb") as terminal:
        shown = terminal.read()
        assert terminal.end() == 0
    assert "%" not in shown and "\x1b" not in shown
    assert shown.count("\n") == (30003 if screen else 1)  # header, rows and the line of statistics, or that alone


def test_in_a_pipe_there_is_only_the_line_of_statistics(tmp_path):
    run = subprocess.run([PROGRAM, *LONG[:3], "500", "-o", tmp_path / "a.csv"], capture_output=True, text=True)
    assert run.returncode == 0
    assert run.stdout == ""
    assert re.fullmatch(r"Pendulum: 50000 communication steps, \d+ solver steps, end time 500 s, "
                        r"\S+ s of computing, \S+ times real time\n", run.stderr)
