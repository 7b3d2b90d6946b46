"""A wrong model file gives one line `file:line: ...`, exit code 1 and no output file."""

import re

import pytest

# What is wrong -> text of the pendulum that is replaced, its replacement.
MISTAKES = {
    "syntax error": ('name = "Pendulum"', 'name = "Pendulum'),
    "unknown key": ('start = "L"', 'strat = "L"'),
    "missing value": ("m = { value = 1.0, ", "m = { "),
    "negative mass": ("m = { value = 1.0", "m = { value = -1.0"),
}


@pytest.mark.parametrize("command", ["export", "simulate"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_model_is_reported_in_one_line(trammel, pendulum, tmp_path, command, mistake):
    right, wrong = MISTAKES[mistake]
    text = pendulum.read_text()
    assert text.count(right) == 1
    line = text[: text.index(right)].count("\n") + 1
    (tmp_path / "wrong.toml").write_text(text.replace(right, wrong))
    run = trammel(command, "wrong.toml", "-o", "out", cwd=tmp_path)
    assert run.returncode == 1
    assert run.stdout == ""
    assert re.fullmatch(rf"wrong\.toml:{line}: [^\n]+\n", run.stderr), run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.toml"]


DYING = """
trammel = 1
kind = "equations"
name = "Dying"
[coordinates.y]
unit = "m"
mass = 1.0
force = "sqrt(1 - time)"
"""


@pytest.mark.parametrize("how", ["model", "fmi2", "fmi3"])
def test_a_run_that_stops_says_why_and_leaves_the_rows_so_far(trammel, tmp_path, how):
    """The force ceases to be a number at 1 s, which no step can pass."""
    (tmp_path / "dying.toml").write_text(DYING)
    target = "dying.toml"
    if how != "model":
        target = "dying.fmu"
        assert trammel("export", "dying.toml", "--fmi", how[-1], "-o", target, cwd=tmp_path).returncode == 0
    run = trammel("simulate", target, "--stop-time", 2, "-o", "out.csv", cwd=tmp_path)
    assert run.returncode == 2
    assert "simulation stopped at t = 1 s" in run.stderr
    assert "step size below the resolution of time" in run.stderr
    rows = (tmp_path / "out.csv").read_text().splitlines()
    assert rows[0].startswith("time,")
    assert float(rows[-1].split(",")[0]) == pytest.approx(1, abs=1e-9)
