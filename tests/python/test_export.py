"""What `trammel export` leaves on the disk: whole files only, equal bytes, baked values that importers see."""

import csv
import hashlib
import io
import random
import subprocess
import time
import zipfile

import fmpy
import numpy as np
import pytest
from conftest import PROGRAM

REFERENCES = "extra/org.fmi-standard.fmi-ls-ref/"


def test_killing_the_export_200_times_never_leaves_a_broken_fmu(trammel, tmp_path):
    """SIGKILL at random moments between nothing and a little more than a whole run; seed and count are fixed."""
    fmu = tmp_path / "Pendulum.fmu"
    command = [PROGRAM, "export", "pendulum", "-o", fmu]
    begin = time.monotonic()
    assert subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
    duration = time.monotonic() - begin
    whole = hashlib.sha256(fmu.read_bytes()).hexdigest()
    chance = random.Random(7)
    found, killed = set(), 0
    for attempt in range(200):
        if attempt % 2 == 0:
            fmu.unlink(missing_ok=True)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 1.2 * duration))
        process.kill()
        killed += process.wait() != 0
        if fmu.exists():
            assert hashlib.sha256(fmu.read_bytes()).hexdigest() == whole
        found.add(fmu.exists())
    assert killed > 50 and found == {True, False}, "the kills must hit runs before and after their end"


def test_two_exports_have_equal_bytes(trammel, model, version, tmp_path):
    digests = set()
    for name in ("a.fmu", "b.fmu"):
        run = trammel("export", model, "--fmi", version, "-o", tmp_path / name)
        assert run.returncode == 0, run.stderr
        digests.add(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert len(digests) == 1


def reference_of(fmu):
    """The reference results in an FMU as a structured array."""
    with zipfile.ZipFile(fmu) as archive:
        name = next(n for n in archive.namelist() if n.startswith(REFERENCES) and n.endswith("_ref.csv"))
        rows = list(csv.reader(io.TextIOWrapper(archive.open(name), encoding="utf-8")))
    return rows[0], np.array(rows[1:], dtype=float)


@pytest.mark.parametrize("name", ["pendulum", "slider_crank", "car_axis"])
def test_fmpy_reproduces_the_reference_results(trammel, name, version, tmp_path):
    """FMPy runs the default experiment; its times differ from ours in the last bit, hence not equality."""
    fmu = tmp_path / "a.fmu"
    assert trammel("export", name, "--fmi", version, "-o", fmu).returncode == 0
    names, expected = reference_of(fmu)
    result = fmpy.simulate_fmu(str(fmu), output=names[1:], set_stop_time=True)
    for column, key in enumerate(names[1:], start=1):
        values = np.interp(expected[:, 0], result["time"], result[key])
        scale = np.abs(expected[:, column]).max() + 1e-12
        # Chosen with a margin over the default relative tolerance 1e-6 of the models.
        assert np.abs(values - expected[:, column]).max() <= 1e-4 * scale, key


def test_baked_values_hold_in_an_importer(trammel, version, tmp_path):
    """T = 2 pi sqrt(L/g) of small swings is not needed: the exact start x = L shows the parameter."""
    fmu = tmp_path / "short.fmu"
    run = trammel("export", "pendulum", "--fmi", version, "-o", fmu, "--set", "L=25 cm", "--set", "solver.tolerance=1e-9")
    assert run.returncode == 0, run.stderr
    description = fmpy.read_model_description(str(fmu))
    starts = {variable.name: variable.start for variable in description.modelVariables}
    assert float(starts["L"]) == 0.25
    assert float(starts["solver.tolerance"]) == 1e-9
    result = fmpy.simulate_fmu(str(fmu), output=["x", "y"], stop_time=0.5)
    length = np.hypot(result["x"], result["y"])
    assert np.abs(length - 0.25).max() < 1e-9
