"""Importers of others run the FMUs and get the values that FMPy gets. A clean exit proves nothing: values are compared."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fmpy import read_model_description, simulate_fmu

SCRIPT = Path(__file__).with_name("importer_scripts.py")
TOOLS = Path(sys.executable).parent
STEP, COUNT = 0.01, 50
TIGHT = 1e-9  # the same calls with times that differ by rounding
MODELS = ["pendulum", "slider_crank", "double_pendulum"]


@pytest.fixture(params=MODELS)
def name(request):
    return request.param


@pytest.fixture
def fmu(export, name, version):
    return export(Path(__file__).parents[2] / "models" / "catalogue" / f"{name}.toml", version)


def outputs_of(fmu):
    return [v.name for v in read_model_description(str(fmu)).modelVariables if v.causality == "output"]


def fmpy_values(fmu):
    result = simulate_fmu(str(fmu), fmi_type="CoSimulation", stop_time=COUNT * STEP, output_interval=STEP)
    return {name: result[name][-1] for name in result.dtype.names if name != "time"}


def run_importer(importer, fmu, names):
    """The importer in its own process: it may crash, and Ecos needs the folder of libtbb in the loader's path."""
    environment = dict(os.environ, LD_LIBRARY_PATH=str(TOOLS.parent / "lib"))
    command = [sys.executable, SCRIPT, importer, fmu, str(STEP), str(COUNT), *names]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, timeout=300)
    lines = [line for line in run.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, run.stdout + run.stderr
    return json.loads(lines[-1].removeprefix("RESULT "))


def assert_same(values, expected):
    assert values.keys() == expected.keys()
    for name, value in expected.items():
        assert abs(values[name] - value) <= TIGHT * max(1.0, abs(value)), name


def test_ecos_gets_the_same_values(fmu):
    assert_same(run_importer("ecos", fmu, outputs_of(fmu)), fmpy_values(fmu))


def test_libcosim_gets_the_same_values(fmu, version):
    if version == 3:
        pytest.skip("libcosim reads FMI 2 only")
    assert_same(run_importer("libcosim", fmu, outputs_of(fmu)), fmpy_values(fmu))


def run_tool(tool, *arguments):
    command = [TOOLS / tool, *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)


def test_a_container_of_the_fmu_gives_the_same_values(fmu, version, tmp_path):
    names = outputs_of(fmu)
    (tmp_path / "inner.fmu").write_bytes(fmu.read_bytes())
    description = {
        "name": "container.fmu",
        "fmu": ["inner.fmu"],
        "step_size": STEP,
        "output": [["inner.fmu", name, name] for name in names],
    }
    (tmp_path / "container.json").write_text(json.dumps(description))
    run = run_tool("fmucontainer", "-container", "container.json", "-fmu-directory", tmp_path, "-fmi", version)
    container = tmp_path / "container.fmu"
    assert container.exists(), run.stdout + run.stderr
    values = fmpy_values(container)
    assert_same({name: values[name] for name in names}, fmpy_values(fmu))


def test_fmutool_finds_nothing_wrong(fmu):
    run = run_tool("fmutool", "-input", fmu, "-check")
    report = run.stdout + run.stderr
    assert "ERROR" not in report and "WARNING" not in report and "CRITICAL" not in report, report
    assert "compliant" in report, report
