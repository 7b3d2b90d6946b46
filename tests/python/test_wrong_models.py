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
