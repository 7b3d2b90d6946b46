"""What FMPy computes with the FMUs: right answers, the same ones as the program's own."""

import subprocess
import sys

import numpy as np
import pytest
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

TIGHT = 1e-12  # runs that differ only in who calls doStep


def read_csv(path):
    return np.genfromtxt(path, delimiter=",", names=True, deletechars="", encoding="utf-8")


def simulate(fmu, **settings):
    return simulate_fmu(str(fmu), fmi_type="CoSimulation", **settings)


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
    stop = start + min(float(experiment.stopTime) - start, 2.0)
    interval = (stop - start) / 50
    by_fmpy = simulate(fmu, start_time=start, stop_time=stop, output_interval=interval)
    for source in (fmu, model):
        result_file = tmp_path / "result.csv"
        settings = ["--stop-time", repr(stop), "--output-interval", repr(interval)]
        run = trammel("simulate", source, *settings, "-o", result_file)
        assert run.returncode == 0, run.stderr
        by_program = read_csv(result_file)
        assert by_program.dtype.names == by_fmpy.dtype.names
        assert len(by_program) == len(by_fmpy)
        for name in by_fmpy.dtype.names:
            scale = max(1.0, np.max(abs(by_fmpy[name])))
            assert np.max(abs(by_program[name] - by_fmpy[name])) <= TIGHT * scale, name


class Slave:
    """One instance through FMPy's layer over the C interface, the same for both versions."""

    def __init__(self, description, folder, name):
        self.fmi3 = description.fmiVersion.startswith("3")
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.fmu = (FMU3Slave if self.fmi3 else FMU2Slave)(
            guid=description.guid,
            unzipDirectory=folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=name,
        )
        self.fmu.instantiate()

    def start(self, tolerance):
        if self.fmi3:
            self.fmu.enterInitializationMode(tolerance=tolerance, startTime=0)
        else:
            self.fmu.setupExperiment(tolerance=tolerance, startTime=0)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def set(self, name, value):
        setter = self.fmu.setFloat64 if self.fmi3 else self.fmu.setReal
        setter([self.references[name]], [value])

    def get(self, *names):
        getter = self.fmu.getFloat64 if self.fmi3 else self.fmu.getReal
        return list(getter([self.references[name] for name in names]))

    def step(self, time, size):
        self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=size)

    def end(self):
        self.fmu.terminate()
        self.fmu.freeInstance()


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
