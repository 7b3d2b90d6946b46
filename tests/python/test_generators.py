"""The generator scripts of the catalogue write its models and models of any size."""

import subprocess
import sys

import pytest

from conftest import ROOT

FOLDER = ROOT / "models" / "catalogue"


def generate(script, *arguments):
    return subprocess.run([sys.executable, FOLDER / script, *map(str, arguments)], capture_output=True, text=True)


@pytest.mark.parametrize("script, size, model", [("generate_chain.py", 10, "chain"),
                                                 ("generate_four_bars.py", 2, "n_four_bar")])
def test_the_model_of_the_catalogue_is_that_of_the_generator(script, size, model):
    assert generate(script, size).stdout == (FOLDER / f"{model}.toml").read_text()


@pytest.mark.parametrize("script, arguments, freedom", [("generate_chain.py", [25, "--hard"], 25),
                                                        ("generate_four_bars.py", [7], 1)])
def test_other_sizes_have_their_degrees_of_freedom(trammel, tmp_path, script, arguments, freedom):
    path = tmp_path / "model.toml"
    path.write_text(generate(script, *arguments).stdout)
    run = trammel("inspect", path)
    assert run.returncode == 0, run.stderr
    assert f"degrees of freedom: {freedom}, Grübler count: {freedom}\n" in run.stdout


@pytest.mark.parametrize("script", ["generate_chain.py", "generate_four_bars.py"])
def test_a_wrong_size_is_refused(script):
    run = generate(script, "many")
    assert run.returncode == 1
    assert run.stderr.startswith("usage: ")
