"""Container FMUs: coupled systems exported as one FMU, against the flat run of `trammel couple`."""

import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from lxml import etree

from conftest import ROOT
from coupled_mechanisms import Chain, Run, double_pendulum, read_csv, write_chain, write_spatial_four_bar
from slave import Slave

SCHEMAS = Path(fmpy.__file__).parent / "schema"
CONTINUE = Path(__file__).with_name("continue_state.py")
# Between container and flat run: the same steps in the same order, only the times of communication points may differ
# in the last digit.
AGREEMENT = 1e-12


@pytest.fixture(scope="session")
def container(trammel):
    """Exports a system file of a folder as a container, once."""

    def exported(folder, version, name="Coupled", system="system.toml"):
        fmu = folder / f"{name}_{version}.fmu"
        if not fmu.exists():
            run = trammel("couple", system, "--export", fmu, "--fmi", version, cwd=folder)
            assert run.returncode == 0, run.stderr
        return fmu

    return exported


@pytest.fixture(scope="session")
def flat(trammel):
    def columns(folder, *options):
        run = trammel("couple", "system.toml", "-o", "flat.csv", *options, cwd=folder)
        assert run.returncode == 0, run.stderr
        return read_csv(folder / "flat.csv")

    return columns


def simulated(fmu, stop, step):
    """Columns by name at the communication points."""
    result = simulate_fmu(str(fmu), stop_time=stop, step_size=step, output_interval=step)
    return {name: result[name] for name in result.dtype.names}


def largest_difference(columns, others, names):
    return max(np.abs(np.array(columns[name]) - np.array(others[name])).max() for name in names)


def open_slave(fmu, folder, name="container"):
    return Slave(read_model_description(str(fmu)), extract(str(fmu), str(folder)), name)


@pytest.fixture(scope="session")
def pendulum(tmp_path_factory):
    """Folder with a double pendulum cut in two, members of both versions."""
    folder = tmp_path_factory.mktemp("pendulum")
    write_chain(folder, double_pendulum(), Run(0.01, 0.5))
    return folder


def test_container_and_flat_run_agree(container, flat, pendulum, version):
    columns, expected = simulated(container(pendulum, version), 0.5, 0.01), flat(pendulum)
    assert set(expected) <= set(columns)  # multipliers too
    assert largest_difference(columns, expected, expected) <= AGREEMENT


def test_steps_are_divided_by_their_error_inside_the_container(container, flat, tmp_path, version):
    write_chain(tmp_path, double_pendulum(), Run(0.1, 0.5))
    system = (tmp_path / "system.toml").read_text()
    (tmp_path / "system.toml").write_text(system.replace("step = 0.1\n", "step = 0.1\nerror_tolerance = 1e-7\n"))
    columns, expected = simulated(container(tmp_path, version), 0.5, 0.1), flat(tmp_path)
    assert largest_difference(columns, expected, expected) <= AGREEMENT
    (tmp_path / "system.toml").write_text(system)
    assert largest_difference(columns, flat(tmp_path), ANGLES) > 1e-6  # as many steps as rows would not do


def test_container_of_a_spatial_four_bar_agrees(container, flat, tmp_path):
    write_spatial_four_bar(tmp_path, Run(0.005, 0.1))
    columns, expected = simulated(container(tmp_path, 3), 0.1, 0.005), flat(tmp_path)
    assert largest_difference(columns, expected, expected) <= AGREEMENT


ANGLES = ["piece0.rod0.phi", "piece1.rod1.phi"]


def test_longer_communication_steps_are_divided(container, flat, pendulum, version):
    columns, expected = simulated(container(pendulum, version), 0.5, 0.05), flat(pendulum)
    thinned = {name: values[::5] for name, values in expected.items()}
    # Times inside a communication step are rounded differently, which members with error control (tolerance 1e-8) see.
    assert largest_difference(columns, thinned, ANGLES) <= 1e-10


def test_steps_that_are_no_multiple_are_divided_evenly(container, flat, pendulum, version):
    # 4 steps of 8.75 ms in each communication step of 35 ms.
    columns = simulated(container(pendulum, version), 0.35, 0.035)
    expected = flat(pendulum, "--stop-time", 0.35, "--step", 0.00875)
    thinned = {name: values[::4] for name, values in expected.items()}
    assert largest_difference(columns, thinned, ANGLES) <= 1e-10


def test_containers_are_valid(container, pendulum, version):
    fmu = container(pendulum, version)
    assert validate_fmu(str(fmu)) == []
    with zipfile.ZipFile(fmu) as archive:
        description = etree.fromstring(archive.read("modelDescription.xml"))
        names = archive.namelist()
    schema = etree.XMLSchema(etree.parse(str(SCHEMAS / f"fmi{version}" / f"fmi{version}ModelDescription.xsd")))
    schema.validate(description)
    assert [error.message for error in schema.error_log] == []
    assert "resources/members/piece0/modelDescription.xml" in names
    units = {unit.get("name") for unit in description.iter("Unit")}
    assert {"rad", "J"} <= units  # carried over from the members


def test_containers_pass_the_check(trammel, container, pendulum, version):
    run = trammel("check", container(pendulum, version))
    assert run.returncode == 0, run.stdout + run.stderr


def test_equal_systems_give_equal_bytes(container, pendulum, version):
    again = container(pendulum, version, "Again")
    assert container(pendulum, version).read_bytes() == again.read_bytes()


def test_a_saved_state_continues_bit_for_bit(container, pendulum, version, tmp_path):
    slave = open_slave(container(pendulum, version), tmp_path / "here")
    slave.start(1e-6)
    for i in range(20):
        slave.step(i * 0.01, 0.01)
    fmi3 = slave.fmi3
    state = slave.fmu.getFMUState() if fmi3 else slave.fmu.getFMUstate()
    ends = []
    for _ in range(2):
        for i in range(20, 40):
            slave.step(i * 0.01, 0.01)
        ends.append(slave.bytes())
        slave.fmu.setFMUState(state) if fmi3 else slave.fmu.setFMUstate(state)
    assert ends[0] == ends[1]
    slave.end()


def test_a_fresh_process_continues_bit_for_bit(container, pendulum, version, tmp_path):
    fmu, file = container(pendulum, version), tmp_path / "state"
    slave = open_slave(fmu, tmp_path / "here")
    slave.start(1e-6)
    for i in range(20):
        slave.step(i * 0.01, 0.01)
    file.write_bytes(slave.bytes())
    for i in range(20, 40):
        slave.step(i * 0.01, 0.01)
    command = [sys.executable, CONTINUE, fmu, tmp_path / "there", file, 20, 20, 0.01]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert file.read_bytes() == slave.bytes()
    slave.end()


def test_damaged_states_are_refused(container, pendulum, version, tmp_path):
    slave = open_slave(container(pendulum, version), tmp_path / "here")
    slave.start(1e-6)
    slave.step(0.0, 0.01)
    good = slave.bytes()
    for place in (0, 8, 40, len(good) // 2, len(good) - 1):
        bad = bytearray(good)
        bad[place] ^= 1
        with pytest.raises(FMICallException):
            slave.take(bytes(bad))
    slave.take(good)
    slave.step(0.01, 0.01)
    slave.end()


def test_reset_starts_the_same_run_again(container, pendulum, version, tmp_path):
    slave = open_slave(container(pendulum, version), tmp_path / "here")
    ends = []
    for _ in range(2):
        slave.start(1e-6)
        for i in range(10):
            slave.step(i * 0.01, 0.01)
        ends.append(slave.bytes())
        slave.fmu.reset()
    assert ends[0] == ends[1]
    slave.fmu.freeInstance()


def test_instances_in_threads_give_the_bits_of_one(container, pendulum, version, tmp_path):
    folder = extract(str(container(pendulum, version)), str(tmp_path / "here"))
    description = read_model_description(folder)
    states = [None] * 4

    def run(k):
        slave = Slave(description, folder, f"instance{k}")
        slave.start(1e-6)
        for i in range(20):
            slave.step(i * 0.01, 0.01)
        states[k] = slave.bytes()
        slave.end()

    run(0)
    threads = [threading.Thread(target=run, args=[k]) for k in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert states[1] is not None and all(state == states[0] for state in states)


def test_parameters_of_members_can_be_set(container, flat, pendulum, version, tmp_path):
    """The recorded outputs follow a parameter of the container as they follow one of the system file."""
    options = {"stop_time": 0.1, "step_size": 0.01, "output_interval": 0.01}
    fmu, angle = str(container(pendulum, version)), ANGLES[1]
    set_to_two = simulate_fmu(fmu, start_values={"piece1.solver.max_order": 2}, **options)
    as_it_is = simulate_fmu(fmu, **options)
    for file in pendulum.glob("*.toml"):
        text = file.read_text()
        entry = '[components.piece1]\nparameters = { "solver.max_order" = 2 }'
        (tmp_path / file.name).write_text(text.replace("[components.piece1]", entry))
    expected = flat(tmp_path, "--stop-time", 0.1)
    assert np.abs(set_to_two[angle] - expected[angle]).max() <= AGREEMENT
    assert np.abs(as_it_is[angle] - expected[angle]).max() > 1e-10  # the parameter does something


# --- containers in containers ----------------------------------------------------------------------------------------

def nest(folder, trammel, names, end):
    """Couples `names[0]` and `names[1]` into a container, that with `names[2]` into the next, and so on; returns the
    name of the last system file. Ports of members are those of containers, one level deeper in the name."""
    before, port = f"{names[0]}.toml", "end"
    for level, piece in enumerate(names[1:]):
        last = level == len(names) - 2
        text = f'trammel_system = 1\n[experiment]\nstop_time = {end}\nstep = 0.005\n[coupling]\ntolerance = 1e-9\n'
        text += f'[components.head]\nfile = "{before}"\ntolerance = 1e-9\n'
        text += f'[components.{piece}]\nfile = "{piece}.toml"\ntolerance = 1e-9\n'
        text += f'[joints.cut]\ntype = "spherical"\na = "head.{port}"\nb = "{piece}.begin"\n'
        system = folder / f"system{level}.toml"
        system.write_text(text)
        if last:
            return system.name
        before, port = f"Level{level}.fmu", f"{piece}.end"
        run = trammel("couple", system.name, "--export", before, "--fmi", 2 + level % 2, cwd=folder)
        assert run.returncode == 0, run.stderr


def test_a_container_nested_twice_swings_like_one_chain(trammel, container, flat, tmp_path):
    """The innermost is one of FMI 2, the others of FMI 3."""
    chain = Chain([1, 1, 1, 1], 0.5, [1.0, 0.8, 0.6, 0.4], [0.5, 0.4, 0.3, 0.2])
    end = 0.05
    write_chain(tmp_path, chain, Run(0.005, end, tolerance=1e-9, coupling={"tolerance": 1e-9}))
    expected = flat(tmp_path)
    outermost = nest(tmp_path, trammel, [f"piece{p}" for p in range(4)], end)
    columns = simulated(container(tmp_path, 3, "Outermost", outermost), end, 0.005)
    for p in range(4):
        inside = next(column for column in columns if column.endswith(f".rod{p}.phi"))
        assert inside.count(".") == (5 - max(p, 1))  # two levels of containers inside the outermost
        # Multipliers of inner joints run along lines inside the same steps as those of outer ones: the schemes are the
        # same to the tolerance of the coupling.
        assert np.abs(columns[inside] - np.array(expected[f"piece{p}.rod{p}.phi"])).max() <= 1e-7, inside


# --- members that fail -----------------------------------------------------------------------------------------------

@pytest.fixture(scope="session")
def faulty(tmp_path_factory):
    """An FMU of FMI 2 that fails as its parameter `fault` says."""
    folder = tmp_path_factory.mktemp("faulty")
    headers = Path(fmpy.__file__).parent / "c-code"
    binary = folder / "Faulty.so"
    source = ROOT / "tests" / "python" / "faulty_fmu.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-I{headers}", source, "-lm", "-o", binary], check=True)
    kinds = ["F:input:continuous:0", "x:output:continuous:", "v:output:continuous:", "a:output:continuous:",
             "fault:parameter:tunable:0", "fault_time:parameter:tunable:0"]
    variables, outputs = "", ""
    for i, kind in enumerate(kinds):
        name, causality, variability, start = kind.split(":")
        attribute = f'start="{start}"' if start else ""
        variables += (f'<ScalarVariable name="{name}" valueReference="{i}" causality="{causality}" '
                      f'variability="{variability}"><Real {attribute}/></ScalarVariable>')
        outputs += f'<Unknown index="{i + 1}"/>' if causality == "output" else ""
    xml = ('<?xml version="1.0"?><fmiModelDescription fmiVersion="2.0" modelName="Faulty" guid="f">'
           '<CoSimulation modelIdentifier="Faulty" canHandleVariableCommunicationStepSize="true" '
           'canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>'
           f'<ModelVariables>{variables}</ModelVariables><ModelStructure><Outputs>{outputs}</Outputs>'
           f'<InitialUnknowns>{outputs}</InitialUnknowns></ModelStructure></fmiModelDescription>')
    poor = xml.replace('canGetAndSetFMUstate="true" canSerializeFMUstate="true"', "")
    for name, text in (("Faulty", xml), ("Poor", poor)):  # the poor one cannot go back
        with zipfile.ZipFile(folder / f"{name}.fmu", "w") as archive:
            archive.writestr("modelDescription.xml", text)
            archive.write(binary, "binaries/linux64/Faulty.so")
    return folder / "Faulty.fmu"


@pytest.fixture(scope="session")
def faulty_system(faulty):
    """Folder of a system file: two of these masses tied together."""
    folder = faulty.parent
    ports = 'force = "F"\nposition = "x"\nvelocity = "v"\nacceleration = "a"\n'
    text = 'trammel_system = 1\nname = "Two masses"\n[experiment]\nstop_time = 1.0\nstep = 0.01\n'
    for name in ("good", "bad"):
        text += f'[components.{name}]\nfile = "{faulty.name}"\n[components.{name}.ports.end]\n{ports}'
    (folder / "system.toml").write_text(text + '[joints.tie]\ntype = "shaft"\na = "good.end"\nb = "bad.end"\n')
    return folder


def log_everything(slave):
    """FMPy prints what the FMU logs."""
    if slave.fmi3:
        slave.fmu.fmi3SetDebugLogging(slave.fmu.component, True, 0, None)
    else:
        slave.fmu.fmi2SetDebugLogging(slave.fmu.component, 1, 0, None)


@pytest.mark.parametrize("fault, said", [(1, "discard"), (2, "error"), (3, "finite"), (4, "fatal")])
def test_a_member_that_fails_is_named(container, faulty_system, version, tmp_path, capfd, fault, said):
    slave = open_slave(container(faulty_system, version), tmp_path / "here")
    log_everything(slave)
    slave.set("bad.fault", float(fault))
    slave.set("bad.fault_time", 0.055)
    slave.start(1e-6)
    for i in range(5):
        slave.step(i * 0.01, 0.01)
    with pytest.raises(FMICallException):
        slave.step(0.05, 0.01)
    sys.stdout.flush()
    text = "".join(capfd.readouterr())
    assert '"bad"' in text and said in text and "t = 0.05" in text
    slave.fmu.freeInstance()


@pytest.mark.parametrize("fault", [1, 2, 3])
def test_a_discarded_step_leaves_the_container_as_it_was(container, faulty_system, version, tmp_path, fault):
    slave = open_slave(container(faulty_system, version), tmp_path / "here")
    slave.start(1e-6)
    slave.step(0.0, 0.01)
    before = slave.bytes()
    slave.set("bad.fault", float(fault))
    with pytest.raises(FMICallException):
        slave.step(0.01, 0.01)
    slave.set("bad.fault", 0.0)
    assert slave.bytes() == before
    slave.step(0.01, 0.01)
    assert slave.get("bad.x")[0] == pytest.approx(1.0)  # no force acts
    slave.end()


def test_a_container_can_do_what_all_members_can(trammel, container, faulty_system, version, tmp_path):
    text = (faulty_system / "system.toml").read_text().replace("Faulty.fmu", "Poor.fmu", 1)
    (faulty_system / "poor.toml").write_text(text)
    fmu = container(faulty_system, version, "Poor", "poor.toml")
    assert validate_fmu(str(fmu)) == []
    with zipfile.ZipFile(fmu) as archive:
        flags = etree.fromstring(archive.read("modelDescription.xml")).find("CoSimulation").attrib
    assert not [flag for flag in flags if "FMU" in flag] and flags["canHandleVariableCommunicationStepSize"] == "true"
    slave = open_slave(fmu, tmp_path / "here")
    slave.start(1e-6)
    slave.step(0.0, 0.01)  # explicit, one pass
    with pytest.raises(FMICallException):
        slave.bytes()
    slave.fmu.reset()
    slave.start(1e-6)
    slave.set("bad.fault", 2.0)
    with pytest.raises(FMICallException, match="error"):  # not discard: there is no way back
        slave.step(0.0, 0.01)
    slave.fmu.freeInstance()


# --- what is exposed -------------------------------------------------------------------------------------------------

def names_of(fmu):
    return [v.name for v in read_model_description(str(fmu)).modelVariables]


def with_expose(folder, pendulum, words):
    for file in pendulum.glob("*.toml"):
        (folder / file.name).write_text(file.read_text())
    system = folder / "system.toml"
    system.write_text(system.read_text() + f"[container]\nexpose = {words}\n")
    return len(system.read_text().splitlines())


def test_the_system_file_chooses_what_is_exposed(container, pendulum, tmp_path):
    with_expose(tmp_path, pendulum, ["piece1.rod1.phi", "piece0.solver"])
    names = names_of(container(tmp_path, 3))
    assert "piece1.rod1.phi" in names and "piece0.solver.tolerance" in names
    assert [name for name in names if name.startswith("piece1.")] == ["piece1.rod1.phi"]


@pytest.mark.parametrize("word, said", [("piece1.nothing", "no variable"), ("other.x", "unknown component"),
                                        ("piece1.begin.F", "set by a connection or a joint")])
def test_what_cannot_be_exposed_is_named(trammel, pendulum, tmp_path, word, said):
    line = with_expose(tmp_path, pendulum, [word])
    run = trammel("couple", "system.toml", "--export", "Coupled.fmu", cwd=tmp_path)
    assert run.returncode == 1
    assert f"system.toml:{line}: " in run.stderr and said in run.stderr
    assert not (tmp_path / "Coupled.fmu").exists()
