"""What FMPy computes with the FMUs: right answers, the same ones as the program's own."""

import re
import subprocess
import sys

import numpy as np
import pytest
from fmpy import extract, read_model_description, simulate_fmu

from conftest import CATALOGUE, ROOT
from slave import Slave

TIGHT = 1e-12  # runs that differ only in who calls doStep


def read_csv(path):
    return np.genfromtxt(path, delimiter=",", names=True, deletechars="", encoding="utf-8")


def simulate(fmu, **settings):
    """Columns by name; those of a vector r of FMI 3 are r[1], r[2], …, as in FMI 2 and in CSV files."""
    result = simulate_fmu(str(fmu), fmi_type="CoSimulation", **settings)
    columns = {}
    for name in result.dtype.names:
        if result[name].ndim == 1:
            columns[name] = result[name]
        else:
            columns.update({f"{name}[{i + 1}]": column for i, column in enumerate(result[name].T)})
    return columns


def test_fmpy_simulates_the_pendulum_back_to_its_start(export, pendulum, version, tmp_path):
    """g = 13.7503716373294544 m/s2 makes the period of the unit pendulum, swung from 90 degrees, 2 s (Eich 1993)."""
    result_file = tmp_path / "pendulum.csv"
    command = [sys.executable, "-m", "fmpy", "simulate", "--interface-type", "CoSimulation", "--stop-time", "10"]
    command += ["--output-interval", "0.01", "--relative-tolerance", "1e-6", "--output-file", str(result_file)]
    subprocess.run([*command, str(export(pendulum, version))], check=True, capture_output=True)
    result = read_csv(result_file)
    assert len(result["time"]) == 1001
    for period in (2, 4, 6, 8, 10):
        i = np.argmin(abs(result["time"] - period))
        assert abs(result["time"][i] - period) < 1e-9
        assert abs(result["x"][i] - 1) <= 1e-4
        assert abs(result["y"][i]) <= 1e-4
    assert np.max(abs(result["x"] ** 2 + result["y"] ** 2 - 1)) <= 1e-8
    assert np.min(result["y"]) < -0.999, "the pendulum did not swing"


def test_fmpy_agrees_with_the_program(export, trammel, model, version, tmp_path):
    """The same steps of the same FMU in FMPy, in `trammel simulate FMU` and in process."""
    fmu = export(model, version)
    experiment = read_model_description(fmu).defaultExperiment
    start = float(experiment.startTime)
    stop = float(experiment.stopTime)
    interval = (stop - start) / 50
    by_fmpy = simulate(fmu, start_time=start, stop_time=stop, output_interval=interval)
    for source in (fmu, model):
        result_file = tmp_path / "result.csv"
        settings = ["--stop-time", repr(stop), "--output-interval", repr(interval)]
        run = trammel("simulate", source, *settings, "-o", result_file)
        assert run.returncode == 0, run.stderr
        by_program = read_csv(result_file)
        assert list(by_program.dtype.names) == list(by_fmpy)
        assert len(by_program) == 51
        for name, column in by_fmpy.items():
            scale = max(1.0, np.max(abs(column)))
            assert np.max(abs(by_program[name] - column)) <= TIGHT * scale, name


def allowed_deviations():
    """Limits of tests/models/test_catalogue_references.cpp, where they are justified: the FMU gets no others."""
    text = (ROOT / "tests" / "models" / "test_catalogue_references.cpp").read_text()
    table = text.split("> allowed{")[1].split("};")[0]
    return {name: float(limit) for name, limit in re.findall(r'\{"(\w+)", ([0-9.e-]+)\}', table)}


def test_every_model_has_a_limit_of_its_deviation_from_the_reference():
    assert allowed_deviations().keys() == {model.stem for model in CATALOGUE}


def test_fmpy_agrees_with_the_reference(export, model, version, tmp_path):
    """From row to row of the reference; deviations relative to the largest value of a column."""
    reference = np.atleast_1d(read_csv(model.parent / "reference" / f"{model.stem}.csv"))
    names = reference.dtype.names[1:]
    fmu = str(export(model, version))
    description = read_model_description(fmu)
    slave = Slave(description, extract(fmu, str(tmp_path)), "reference")
    slave.start(float(description.defaultExperiment.tolerance))
    time, rows = 0.0, []
    for row in reference:
        if row["time"] > time:
            slave.step(time, row["time"] - time)
            time = row["time"]
        rows.append([slave.value(name) for name in names])
    slave.end()
    for name, values in zip(names, np.transpose(rows)):
        deviation = np.max(abs(values - reference[name])) / np.max(abs(reference[name]))
        assert deviation <= allowed_deviations()[model.stem], name


@pytest.fixture
def unpacked(export, pendulum, version, tmp_path):
    fmu = export(pendulum, version)
    return read_model_description(str(fmu)), extract(str(fmu), str(tmp_path))


def run_alone(unpacked, tolerance, length):
    slave = Slave(*unpacked, "alone")
    slave.set("L", length)
    slave.start(tolerance)
    rows = [slave.get("x", "y", "der(x)", "rod.lambda")]
    for i in range(100):
        slave.step(i * 0.01, 0.01)
        rows.append(slave.get("x", "y", "der(x)", "rod.lambda"))
    slave.end()
    return rows


def test_two_instances_in_one_process_do_not_disturb_each_other(unpacked):
    settings = {"first": (1e-6, 1.0), "second": (1e-8, 2.5)}
    alone = {name: run_alone(unpacked, *setting) for name, setting in settings.items()}
    slaves = {name: Slave(*unpacked, name) for name in settings}
    together = {}
    for name, (tolerance, length) in settings.items():
        slaves[name].set("L", length)
        slaves[name].start(tolerance)
        together[name] = [slaves[name].get("x", "y", "der(x)", "rod.lambda")]
    for i in range(100):
        for name, slave in slaves.items():
            slave.step(i * 0.01, 0.01)
            together[name].append(slave.get("x", "y", "der(x)", "rod.lambda"))
    slaves["first"].end()
    slaves["second"].step(1.0, 0.01)  # goes on after the other one has ended
    slaves["second"].end()
    assert together == alone
    assert alone["first"] != alone["second"]
