"""The examples run as their READMEs say."""

import ctypes.util
import math
import os
import shutil
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT
from coupled_mechanisms import Statistics, read_csv

EXAMPLES = ROOT / "examples"


def run_couple(folder, *options, environment=None):
    run = subprocess.run([PROGRAM, "couple", "system.toml", "-o", "out.csv", *map(str, options)], cwd=folder,
                         capture_output=True, text=True, env={**os.environ, **(environment or {})})
    assert run.returncode == 0, run.stderr
    return run.stderr, read_csv(folder / "out.csv")


@pytest.fixture
def example(tmp_path):
    """Copies an example, so that nothing is written into the repository."""
    return lambda name: shutil.copytree(EXAMPLES / name, tmp_path / name)


def largest_difference(coupled, whole, names):
    return max(abs(a - b) for ours, theirs in names.items()
               for a, b in zip(coupled[ours], whole[theirs], strict=True))


# The bounds are those of the READMEs.
@pytest.mark.parametrize("name, stop, names, bound", [
    ("coupled_double_pendulum", 1,
     {f"{part}.{body}.r[{i}]": f"{body}.r[{i}]" for part, body in (("upper", "arm"), ("lower", "rod")) for i in (1, 3)},
     1e-7),
    ("coupled_four_bar", 2, {"crank.crank.phi": "crank.phi", "crank.coupler.phi": "coupler.phi",
                             "rocker.rocker.phi": "rocker.phi"}, 1e-6),
    ("quarter_car", 3, {"car.body_height": "body_height", "wheel.wheel_height": "wheel_height"}, 1e-6),
])
def test_coupled_and_whole_mechanism_agree(example, trammel, name, stop, names, bound):
    folder = example(name)
    _, coupled = run_couple(folder)
    run = trammel("simulate", "whole.toml", "--stop-time", stop, "--output-interval", 0.005, "--tolerance", 1e-10,
                  "-o", "whole.csv", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert largest_difference(coupled, read_csv(folder / "whole.csv"), names) < bound


def test_the_chain_of_ten_fmus_keeps_its_energy(example):
    folder = example("coupled_chain")
    written = subprocess.run([sys.executable, "make_system.py"], cwd=folder, capture_output=True, text=True, check=True)
    assert written.stdout == (folder / "system.toml").read_text()
    report, coupled = run_couple(folder, "--stop-time", 0.3)
    statistics = Statistics(report)
    assert statistics.mean <= 2.6  # design, acceptance lines 3
    energy = [sum(parts) for parts in zip(*(c for n, c in coupled.items() if n.endswith("energy")))]
    assert max(abs(e - energy[0]) for e in energy) < 1e-5


@pytest.fixture(scope="module")
def cylinders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cylinders")
    subprocess.run([sys.executable, EXAMPLES / "crane_with_cylinder" / "make_cylinders.py", folder], check=True)
    return folder


def static_pressure(boom_angle):
    """Virtual work: force times change of stroke is the change of the potential energy; numbers of crane.toml."""

    def stroke(phi):
        return math.hypot(1.5 * math.cos(phi) - 1.0, 1.5 * math.sin(phi) + 0.5)

    def energy(phi):
        up = (1.5 * math.sin(phi) + 0.5) / stroke(phi)
        return 9.81 * ((300 * 2 + 500 * 4) * math.sin(phi) + 30 * (0.4 * up) + 15 * (1.5 * math.sin(phi) - 0.4 * up))

    d = 1e-6
    force = (energy(boom_angle + d) - energy(boom_angle - d)) / (stroke(boom_angle + d) - stroke(boom_angle - d))
    return force / 0.01


def test_a_cylinder_that_offers_nothing_lifts_the_load(example, cylinders):
    folder = example("crane_with_cylinder")
    shutil.copy(cylinders / "CylinderC.fmu", folder)
    report, coupled = run_couple(folder)
    assert "scheme: explicit, held" in report
    assert Statistics(report).gap < 1e-5
    # Own run: 0.657 m. The pump gives 2e-3 m3, 0.2 m of stroke, less what the oil is compressed by.
    assert coupled["crane.height"][-1] - coupled["crane.height"][0] == pytest.approx(0.66, abs=0.01)
    # It hangs still at the end but for a swing that the damping of the piston has not ended.
    mean = sum(coupled["cylinder.p"][-300:]) / 300
    assert mean == pytest.approx(static_pressure(coupled["crane.boom_angle"][-1]), rel=0.03)


@pytest.mark.parametrize("cylinder", ["CylinderFmi2", "CylinderFmi3"])
def test_cylinders_of_pythonfmu_are_iterated(example, cylinders, cylinder):
    folder = example("crane_with_cylinder")
    shutil.copy(cylinders / f"{cylinder}.fmu", folder)
    shutil.copy(cylinders / "CylinderC.fmu", folder)
    system = folder / "system.toml"
    text = system.read_text()
    # FMUs of pythonfmu expect Python in the process that loads them.
    library = ctypes.util.find_library(f"python{sys.version_info.major}.{sys.version_info.minor}")
    assert library, "Debian package libpython3.11 is missing"
    _, plain = run_couple(folder, "--stop-time", 0.3)
    system.write_text(text.replace("CylinderC.fmu", f"{cylinder}.fmu"))
    report, coupled = run_couple(folder, "--stop-time", 0.3, environment={"LD_PRELOAD": library})
    assert "scheme: PC2" in report
    statistics = Statistics(report)
    assert statistics.gap < 1e-9
    assert statistics.mean <= 2.5
    # The same equations in Python and in C; the difference is that of the schemes, own run 1e-5 m.
    assert largest_difference(coupled, plain, {"crane.height": "crane.height"}) < 1e-4


@pytest.mark.parametrize("ending", ["html", "svg"])
def test_a_coupled_run_is_plotted(example, ending):
    folder = example("quarter_car")
    run_couple(folder, "--stop-time", 0.1, "--plot", f"plot.{ending}")
    text = (folder / f"plot.{ending}").read_text()
    assert "Quarter car with separate wheel" in text
    assert "body_height" in text
    run = subprocess.run([PROGRAM, "couple", "system.toml", "--plot", "plot.pdf"], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr == "--plot plot.pdf: expected a name that ends with .html or .svg\n"
