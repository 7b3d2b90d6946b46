"""Numbers of elements: constants in FMI 2, structural parameters in FMI 3, set in Configuration Mode."""

import csv
import io
import json

import pytest
from fmpy import extract, simulate_fmu
from fmpy.fmi3 import FMU3Slave
from fmpy.model_description import read_model_description
from fmpy.validation import validate_fmu

from conftest import ROOT

ARRAYS = ["x", "der(x)", "der(x,2)", "y", "der(y)", "der(y,2)", "link.lambda", "link.g", "tension"]
STEPS, STEP = 40, 0.025


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """The chain of docs/model_format.md, with 8 links."""
    blocks = (ROOT / "docs" / "model_format.md").read_text().split("```toml\n")
    path = tmp_path_factory.mktemp("chain") / "repeated_links.toml"
    path.write_text(next(b for b in blocks if 'name = "Chain"' in b).split("```")[0])
    return path


def test_both_versions_are_valid(export, trammel, chain, version):
    fmu = export(chain, version)
    assert validate_fmu(str(fmu)) == []
    check = trammel("check", fmu)
    assert check.returncode == 0, check.stdout + check.stderr
    variables = {v.name: v for v in read_model_description(str(fmu)).modelVariables}
    number = variables["n"]
    if version == 2:
        assert (number.type, number.causality, number.variability) == ("Integer", "local", "constant")
        assert "x[8]" in variables and "der(x[8])" in variables and "x[9]" not in variables
    else:
        assert (number.type, number.causality) == ("UInt64", "structuralParameter")
        for name in ARRAYS:
            (dimension,) = variables[name].dimensions
            assert dimension.variable is number and dimension.start is None
        assert len(variables["x"].start.split()) == 8
        assert variables["der(x)"].derivative is variables["x"]


class Chain:
    """An FMU of FMI 3, stepped by hand."""

    def __init__(self, fmu, folder, links=None):
        description = read_model_description(str(fmu))
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.fmu = FMU3Slave(
            guid=description.guid,
            unzipDirectory=extract(str(fmu), str(folder)),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="chain",
        )
        self.fmu.instantiate()
        if links is not None:
            self.fmu.enterConfigurationMode()
            self.fmu.setUInt64([self.references["n"]], [links])
            self.fmu.exitConfigurationMode()
        self.links = self.fmu.getUInt64([self.references["n"]])[0]

    def run(self):
        self.fmu.enterInitializationMode(tolerance=1e-6, startTime=0)
        self.fmu.exitInitializationMode()
        rows = []
        for i in range(STEPS):
            self.fmu.doStep(currentCommunicationPoint=i * STEP, communicationStepSize=STEP)
            rows.append([list(self.fmu.getFloat64([self.references[a]], nValues=self.links)) for a in ARRAYS])
            rows.append(list(self.fmu.getFloat64([self.references["height"]])))
        self.fmu.terminate()
        self.fmu.freeInstance()
        return rows


@pytest.mark.parametrize("links", [1, 3, 8, 15])
def test_the_number_set_is_that_of_a_model_written_so(export, trammel, chain, links, tmp_path):
    written = tmp_path / "written.fmu"
    baked = trammel("export", chain, "--fmi", 3, "--set", f"n={links}", "-o", written)
    assert baked.returncode == 0, baked.stderr
    configured = Chain(export(chain, 3), tmp_path / "set", links)
    assert configured.links == links
    assert configured.run() == Chain(written, tmp_path / "written").run()


def test_fmpy_runs_it_as_it_is(export, trammel, chain, version):
    fmu = str(export(chain, version))
    result = simulate_fmu(fmu, stop_time=1.0, output_interval=STEP, relative_tolerance=1e-6, output=["height"])
    assert len(result) == STEPS + 1
    run = trammel("simulate", chain, "--stop-time", 1, "--output-interval", STEP, "--tolerance", 1e-6, "--outputs", "height")
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    assert [float(row["height"]) for row in rows] == pytest.approx(list(result["height"]), abs=1e-12)


def test_the_program_takes_another_number(trammel, chain, tmp_path):
    settings = ["--stop-time", 1, "--output-interval", STEP, "--outputs", "height", "tension*"]
    run = trammel("simulate", chain, "--set", "n=3", *settings)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[0] == "time,height,tension[1],tension[2],tension[3]"
    other = tmp_path / "three.toml"
    other.write_text(chain.read_text().replace("value = 8", "value = 3"))
    assert trammel("simulate", other, *settings).stdout == run.stdout
    for wrong, message in {
        "n=51": "--set n=51: expected a whole number from 1 to 50",
        "n=0": "--set n=0: expected a whole number from 1 to 50",
        "n=2.5": "--set n=2.5: expected a whole number",
    }.items():
        refused = trammel("simulate", chain, "--set", wrong)
        assert refused.returncode == 1 and message in refused.stderr and refused.stdout == ""


def test_the_program_leaves_the_number_of_an_fmu(export, trammel, chain):
    refused = trammel("simulate", export(chain, 3), "--set", "n=5")
    assert refused.returncode == 1 and "is a structural parameter" in refused.stderr


def test_the_program_shows_the_number(trammel, chain):
    (number,) = json.loads(trammel("inspect", "--json", chain).stdout)["structural_parameters"]
    assert (number["name"], number["start"], number["min"], number["max"]) == ("n", 8, 1, 50)
    assert "Structural parameters" in trammel("inspect", chain).stdout
