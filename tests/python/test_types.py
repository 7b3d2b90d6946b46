"""Variables of every type of a model file are valid in both versions and act in FMPy."""

import pytest
from fmpy import simulate_fmu
from fmpy.model_description import read_model_description
from fmpy.validation import validate_fmu

TYPED = """
trammel = 1
kind = "equations"
name = "Typed"

[parameters]
f = { type = "float32", value = 0.1, unit = "N", min = 0.1, max = 0.3 }
n = { type = "integer", value = 2, min = 1, max = 5 }
ready = { type = "boolean", value = true, variability = "tunable" }

[inputs]
u = { type = "float32", start = 0.5 }
k = { type = "integer", start = 3 }
on = { type = "boolean", start = true }

[coordinates.x]
unit = "m"
mass = 1.0
force = "f*n*u*k*ready*on"
"""

TYPES = {
    2: {"f": "Real", "n": "Integer", "ready": "Boolean", "u": "Real", "k": "Integer", "on": "Boolean"},
    3: {"f": "Float32", "n": "Int32", "ready": "Boolean", "u": "Float32", "k": "Int32", "on": "Boolean"},
}


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    path = tmp_path_factory.mktemp("typed") / "typed.toml"
    path.write_text(TYPED)
    return path


def test_types_are_declared_and_valid(export, typed, version):
    fmu = export(typed, version)
    assert validate_fmu(str(fmu)) == []
    variables = {v.name: v for v in read_model_description(str(fmu)).modelVariables}
    assert {name: variables[name].type for name in TYPES[version]} == TYPES[version]
    assert variables["f"].start == "0.1" and variables["f"].max == "0.3"
    assert variables["ready"].start == "true" and variables["solver.repeatable"].start == "false"
    assert variables["on"].variability == "discrete" and variables["u"].variability == "continuous"


def test_start_values_of_every_type_act(export, typed, version):
    """x(1) = f n u k/2 under a constant force, and 0 where a Boolean switches it off."""
    fmu = str(export(typed, version))
    settings = {"stop_time": 1.0, "output_interval": 0.1, "output": ["x"]}
    x = simulate_fmu(fmu, start_values={"n": 4, "f": 0.25}, **settings)["x"][-1]
    assert x == pytest.approx(0.25 * 4 * 0.5 * 3 / 2, abs=1e-5)
    assert simulate_fmu(fmu, start_values={"ready": False}, **settings)["x"][-1] == 0
