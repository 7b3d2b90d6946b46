"""Acceptance numbers of the coupling with FMUs of both versions of FMI in place of the design's steppers."""

import math

import pytest

from conftest import ROOT
from coupled_mechanisms import (Run, Statistics, double_pendulum, read_csv, ten_rods, write_chain,
                                write_spatial_four_bar, write_spatial_pendulum)


@pytest.fixture
def couple(trammel, tmp_path):
    """Runs system.toml, returns statistics and columns of the results."""

    def coupled(*options):
        run = trammel("couple", "system.toml", "-o", "out.csv", *options, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        return Statistics(run.stderr), read_csv(tmp_path / "out.csv")

    return coupled


@pytest.fixture
def whole(trammel, tmp_path):
    """Runs whole.toml with the tolerance 1e-10."""

    def simulated(stop, interval):
        run = trammel("simulate", "whole.toml", "--stop-time", stop, "--output-interval", interval,
                      "--tolerance", 1e-10, "-o", "whole.csv", cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        return read_csv(tmp_path / "whole.csv")

    return simulated


def energy_error(columns):
    energy = [sum(parts) for parts in zip(*(c for n, c in columns.items() if n.endswith("energy")))]
    return max(abs(e - energy[0]) for e in energy)


# Bounds of mean and most evaluations: design, acceptance lines 3.
@pytest.mark.parametrize("chain, step, stop, mean, most, versions", [
    pytest.param(double_pendulum(), 0.01, 5, 3.6, 5, (2,), id="double pendulum, 10 ms, FMI 2"),
    pytest.param(double_pendulum(), 0.01, 5, 3.6, 5, (3,), id="double pendulum, 10 ms, FMI 3"),
    pytest.param(double_pendulum(), 0.002, 2, 2.3, 5, (3, 2), id="double pendulum, 2 ms"),
    pytest.param(ten_rods([5, 5]), 0.002, 0.5, 2.6, 5, (3, 2), id="chain of five and five rods, 2 ms"),
    pytest.param(ten_rods([1] * 10), 0.002, 0.2, 2.6, 4, (3, 2), id="ten rods as ten FMUs, 2 ms"),
])
def test_chains_take_the_promised_evaluations(couple, tmp_path, chain, step, stop, mean, most, versions):
    write_chain(tmp_path, chain, Run(step, stop, tolerance=1e-10, versions=versions))
    statistics, columns = couple()
    assert statistics.mean <= mean
    assert statistics.most <= most
    assert statistics.repeated == 0
    assert energy_error(columns) < 1e-5


def test_the_coupled_double_pendulum_converges_with_order_four(couple, whole, tmp_path):
    errors = []
    for step in (0.02, 0.01):
        names = write_chain(tmp_path, double_pendulum(),
                            Run(step, 1, tolerance=1e-10, coupling={"tolerance": 1e-9}))
        if not errors:
            exact = whole(1, 1)
        _, columns = couple()
        errors.append(max(abs(columns[f"piece{i}.{name}"][-1] - exact[name][-1]) for i, name in enumerate(names)))
    assert errors[1] <= 2e-7  # design, acceptance lines 4
    assert math.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)  # errors of the members are in it


def test_scheme_b2_sends_parabolas_and_stays_within_its_gap(couple, tmp_path):
    """Design, acceptance lines 3 and 5: 2.5e-5 m over 100 s with a = 20/s, own run; here 5 s."""
    write_chain(tmp_path, double_pendulum(), Run(0.01, 5, tolerance=1e-10, coupling={"scheme": "B2"}))
    statistics, _ = couple()
    assert statistics.gap <= 2.5e-5
    assert statistics.mean <= 2.8
    assert statistics.most <= 4


@pytest.mark.parametrize("write", [write_spatial_pendulum, write_spatial_four_bar])
def test_mechanisms_in_space_agree_with_those_in_one_piece(couple, whole, tmp_path, write):
    names = write(tmp_path, Run(0.005, 1, tolerance=1e-10))
    exact = whole(1, 0.005)
    statistics, columns = couple()
    for name in names:
        column = columns[f"{name.split('.')[0]}.{name}"]
        assert max(abs(a - b) for a, b in zip(column, exact[name], strict=True)) <= 1e-6
    assert statistics.repeated == 0


def test_joints_stay_closed_to_a_tenth_of_a_nanometre(couple, tmp_path):
    """The same holds over 100 s: own run, largest gap 1.9e-11 m; here 5 s."""
    write_spatial_pendulum(tmp_path, Run(0.005, 5, tolerance=1e-10, coupling={"tolerance": 1e-8}))
    statistics, _ = couple()
    assert statistics.gap <= 1e-10
    assert statistics.repeated == 0


@pytest.mark.parametrize("write", [
    pytest.param(lambda folder, run: write_chain(folder, double_pendulum(), run), id="points"),
    pytest.param(write_spatial_four_bar, id="frames"),
])
def test_models_in_the_process_of_the_master_give_the_numbers_of_their_fmus(couple, tmp_path, write):
    results = []
    for versions in ((2,), (3,), (None,)):
        write(tmp_path, Run(0.01, 0.5, versions=versions))
        results.append(couple()[1])
    assert results[0] == results[1] == results[2]


def test_the_error_falls_with_the_tolerance_of_the_step(couple, whole, tmp_path):
    names = write_chain(tmp_path, double_pendulum(), Run(0.1, 1, tolerance=1e-10, coupling={"tolerance": 1e-8}))
    exact = whole(1, 1)
    errors, steps = [], []
    for tolerance in (1e-5, 1e-7):
        statistics, columns = couple("--error-tolerance", tolerance)
        assert len(columns["time"]) == 11  # rows are where they were
        errors.append(max(abs(columns[f"piece{i}.{name}"][-1] - exact[name][-1]) for i, name in enumerate(names)))
        steps.append(statistics.steps)
        assert statistics.repeated == 0
    assert errors[1] < errors[0] / 10
    assert errors[1] < 1e-5
    assert steps[0] < steps[1] < 200  # 10 ms steps of fixed size give 1.7e-7 with 100


@pytest.mark.parametrize("lines, said", [
    ("error_tolerance = -1.0", "system.toml:6: experiment: error_tolerance must be > 0"),
    ("min_step = 1e-4", "system.toml:6: experiment: min_step needs error_tolerance"),
    ("error_tolerance = 1e-6\nmax_step = 0.2", "system.toml:7: experiment: max_step must not be larger than step, 0.1 s"),
    ("error_tolerance = 1e-6\nmax_step = 0.01\nmin_step = 0.02", "min_step must not be larger than 0.01 s, is 0.02"),
])
def test_a_wrong_control_of_the_step_ends_with_one_line(trammel, tmp_path, lines, said):
    write_chain(tmp_path, double_pendulum(), Run(0.1, 1))
    system = tmp_path / "system.toml"
    system.write_text(system.read_text().replace("step = 0.1\n", f"step = 0.1\n{lines}\n"))
    run = trammel("couple", "system.toml", cwd=tmp_path)
    assert run.returncode == 1
    assert said in run.stderr
    assert run.stderr.count("\n") == 1


def test_steps_end_at_the_events_of_the_members(couple, whole, tmp_path):
    """A hinge that meets a stop: the force of the joint has a kink there, which no step may pass over."""
    stop = '[forces.buffer]\ntype = "stop"\njoint = "pin0"\nlower = -1.9\nstiffness = 2000.0\n'
    names = write_chain(tmp_path, double_pendulum(), Run(0.005, 1, tolerance=1e-10, coupling={"tolerance": 1e-8}))
    for file in ("piece0.toml", "whole.toml"):
        (tmp_path / file).write_text((tmp_path / file).read_text() + stop)
    exact = whole(1, 0.005)
    statistics, columns = couple()
    errors = [max(abs(a - b) for a, b in zip(columns[f"piece{i}.{n}"], exact[n], strict=True)) for i, n in enumerate(names)]
    assert statistics.events >= 2  # it meets the stop and leaves it
    assert min(exact[names[0]]) < -1.9
    assert max(errors) < 1e-6
    assert statistics.repeated == 0


MASS = """trammel = 1
kind = "equations"
name = "Mass"
[parameters]
m = { value = 1.0, unit = "kg" }
k = { value = 10.0, unit = "N/m" }
[inputs]
F = { start = 0.0, unit = "N" }
[coordinates.x]
unit = "m"
start = 1.0
mass = "m"
force = "F - k*x"
[outputs.a]
expression = "(F - k*x)/m"
unit = "m/s2"
"""


def write_two_masses(folder, m, k, run):
    (folder / "left.toml").write_text(MASS)
    (folder / "right.toml").write_text(MASS)
    port = '[components.{0}.ports.end]\nforce = "F"\nposition = "x"\nvelocity = "der(x)"\nacceleration = "a"\n'
    joints = "".join(f"[components.{n}.parameters]\nm = {m[n]!r}\nk = {k[n]!r}\n" + port.format(n) for n in m)
    joints += '[joints.tie]\ntype = "shaft"\na = "left.end"\nb = "right.end"\n'
    (folder / "system.toml").write_text(run.system(["left", "right"], joints, ["left.x", "right.x"]))


@pytest.mark.parametrize("ratio", [1e-3, 0.1, 1.0, 10.0, 1e3])
def test_masses_of_any_ratio_take_two_evaluations(couple, tmp_path, ratio):
    write_two_masses(tmp_path, {"left": ratio, "right": 1.0}, {"left": 30 * ratio, "right": 10.0},
                     Run(0.01, 2, tolerance=1e-10))
    statistics, columns = couple()
    assert statistics.mean <= 2.05  # design, acceptance lines 2
    assert statistics.most <= 3
    omega = math.sqrt((30 * ratio + 10) / (ratio + 1))
    assert columns["left.x"][-1] == pytest.approx(math.cos(2 * omega), abs=1e-7)


def test_a_stiff_spring_at_the_interface_costs_no_more(couple, tmp_path):
    """omega H = 10 for the left mass alone. Own run 2.01, with members of tolerance 1e-8 2.06."""
    write_two_masses(tmp_path, {"left": 1.0, "right": 1.0}, {"left": 1e6, "right": 10.0}, Run(0.01, 2, tolerance=1e-10))
    system = tmp_path / "system.toml"
    # Planned steps are for members that are smooth over a communication step.
    system.write_text(system.read_text().replace("m = 1.0\n", 'm = 1.0\n"solver.repeatable" = false\n'))
    statistics, columns = couple()
    assert statistics.mean <= 2.05  # design, acceptance lines 6
    assert statistics.repeated == 0
    assert max(abs(a - b) for a, b in zip(columns["left.x"], columns["right.x"])) < 1e-5


def test_the_model_of_wang_hou_and_modnak_as_two_fmus(couple, trammel, tmp_path):
    # The catalogue's second subsystem with a force on y1 in place of their multiplier, which acts twice on it.
    model = (ROOT / "models" / "catalogue" / "wang_hou_y.toml").read_text()
    assert "H = [[2.0], [0.0]]" in model and "2*der(y1,2)" in model
    (tmp_path / "wang_hou_y.toml").write_text(
        model.replace("H = [[2.0], [0.0]]", "H = [[1.0], [0.0]]").replace("2*der(y1,2)", "der(y1,2)"))
    (tmp_path / "system.toml").write_text("""trammel_system = 1
record = ["x.x1", "x.x2", "y.y1", "y.y2"]
[experiment]
stop_time = 2.0
step = 0.1
[components.x]
file = "wang_hou_x"
fmi = 2
tolerance = 1e-10
[components.x.ports.joint]
force = "lambda"
force_sign = -1
position = "x2"
velocity = "der(x2)"
acceleration = "joint_acceleration"
[components.y]
file = "wang_hou_y.toml"
tolerance = 1e-10
[components.y.ports.joint]
force = "lambda"
position = "y1"
velocity = "der(y1)"
acceleration = "joint_acceleration"
[joints.constraint]
type = "linear"
ports = ["x.joint", "y.joint"]
coefficients = [1.0, -2.0]
""")
    statistics, columns = couple()
    assert statistics.most <= 3  # design, acceptance lines 2
    assert statistics.gap < 1e-8
    run = trammel("simulate", "wang_hou", "--stop-time", 2, "--output-interval", 2, "--tolerance", 1e-10,
                  "-o", "whole.csv", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    exact = read_csv(tmp_path / "whole.csv")
    for name in ("x1", "x2", "y1", "y2"):
        assert columns[f"{name[0]}.{name}"][-1] == pytest.approx(exact[name][-1], rel=1e-6)
