"""The FMU of a mechanism with ports: arrays in FMI 3, terminals, event mode; through FMPy."""

import subprocess
import sys
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from lxml import etree

TERMINALS = "terminalsAndIcons/terminalsAndIcons.xml"
SCHEMA = Path(fmpy.__file__).parent / "schema/fmi3/fmi3TerminalsAndIcons.xsd"

# A rod that falls from the horizontal about a pin onto a stop at -1 rad.
ROD = """
trammel = 1
kind = "mechanism"
name = "Rod with a stop"
gravity = [0.0, -9.81, 0.0]

[bodies.rod]
mass = 2.0
inertia = [0.01, 0.2, 0.19]
centre = [0.5, 0.0, 0.0]

[frames.end]
body = "rod"
position = [1.0, 0.0, 0.0]

[joints.pin]
type = "revolute"
b = "rod"

[forces.floor]
type = "stop"
joint = "pin"
lower = -1.0
stiffness = 2000.0
damping = 0.5

[ports.tip]
type = "point"
frame = "end"

[ports.drive]
type = "flange"
joint = "pin"

[ports.hand]
type = "frame"
frame = "end"

[outputs.angle]
expression = "pin.phi"

[experiment]
stop_time = 1.0
"""


@pytest.fixture(scope="module")
def rod(tmp_path_factory):
    path = tmp_path_factory.mktemp("rod") / "rod.toml"
    path.write_text(ROD)
    return path


@pytest.fixture
def fmu(export, rod, version):
    return export(rod, version)


def test_fmpy_validate_reports_no_problem(fmu):
    run = subprocess.run([sys.executable, "-m", "fmpy", "validate", str(fmu)], capture_output=True, text=True)
    assert run.stdout.strip() == "No problems found."


def terminals_of(fmu):
    with zipfile.ZipFile(fmu) as archive:
        return etree.fromstring(archive.read(TERMINALS))


def test_ports_are_terminals_whose_members_are_variables(fmu, version):
    root = terminals_of(fmu)
    assert root.get("fmiVersion") == f"{version}.0"
    names = {v.name for v in read_model_description(str(fmu)).modelVariables}
    kinds = {terminal.get("name"): terminal.get("terminalKind") for terminal in root.iter("Terminal")}
    assert kinds == {"tip": "trammel.point", "drive": "trammel.flange", "hand": "trammel.frame"}
    members = [member.get("variableName") for member in root.iter("TerminalMemberVariable")]
    assert set(members) <= names
    tip_force = ["tip.F"] if version == 3 else ["tip.F[1]", "tip.F[2]", "tip.F[3]"]
    assert set(tip_force + ["drive.tau", "drive.phi", "drive.w", "drive.z"]) <= set(members)


def test_terminals_conform_to_the_schema(export, rod):
    """FMI 2.0.4 has taken the file over with its own version number; the only schema there is is that of FMI 3."""
    schema = etree.XMLSchema(etree.parse(str(SCHEMA)))
    for version in (2, 3):
        root = terminals_of(export(rod, version))
        root.set("fmiVersion", "3.0")
        schema.assertValid(root)


def test_vectors_are_arrays_in_fmi_3_and_scalars_in_fmi_2(export, rod):
    arrays = {v.name: v.dimensions for v in read_model_description(str(export(rod, 3))).modelVariables}
    assert len(arrays["tip.r"]) == 1 and int(arrays["tip.r"][0].start) == 3
    scalars = {v.name for v in read_model_description(str(export(rod, 2))).modelVariables}
    assert {"tip.r[1]", "tip.r[2]", "tip.r[3]"} <= scalars


def test_event_mode_and_early_return_give_the_same_motion(export, rod):
    fmu = str(export(rod, 3))
    settings = {"fmi_type": "CoSimulation", "stop_time": 1, "output_interval": 0.05, "output": ["angle"]}
    inside = simulate_fmu(fmu, **settings)
    outside = simulate_fmu(fmu, early_return_allowed=True, use_event_mode=True, **settings)
    assert len(outside) > len(inside), "no event was reported"
    assert abs(outside["angle"][-1] - inside["angle"][-1]) <= 1e-4  # tolerance 1e-6, bounced
    assert np.min(inside["angle"]) < -1, "the rod did not reach the stop"
