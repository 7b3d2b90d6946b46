"""The arithmetic of the comparison with other solvers, and its programs where they are built."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "peers")]

import problems  # noqa: E402
import report  # noqa: E402
import report_text  # noqa: E402
import work_precision  # noqa: E402
from work_precision import Reference, Run, compare, cost_at, four_bar_angle, front  # noqa: E402


def run(solver, error, cpu, failure=""):
    return Run(solver, 1e-6, cpu=cpu, error=error, failure=failure)


def test_cost_is_a_straight_line_between_runs_in_log_log():
    points = [(1e-2, 1.0), (1e-4, 100.0)]
    assert cost_at(1e-3, points) == pytest.approx(10.0)  # half way in the logarithm
    assert cost_at(0.1, points) == 1.0  # coarser than the cheapest run: costs as much as that
    assert cost_at(1e-5, points) is None  # never reached


def test_runs_that_another_one_beats_do_not_count():
    runs = [run("a x", 1e-2, 1.0), run("a x", 1e-3, 5.0), run("a x", 1e-4, 4.0), run("a x", 1e-5, 0.1, "failed"),
            run("a x", 0.9, 0.1)]
    assert front(runs, 1e-12) == [(1e-2, 1.0), (1e-4, 4.0)]


def test_the_best_rival_is_the_cheapest_at_each_error():
    runs = [run("trammel follow", 1e-2, 1.0), run("trammel follow", 1e-4, 2.0),
            run("trammel fmu", 1e-4, 0.01),  # not part of the comparison
            run("ida ggl", 1e-2, 4.0), run("ida ggl", 1e-4, 40.0), run("simbody rkm", 1e-2, 8.0), run("simbody rkm", 1e-4, 10.0)]
    rows = compare(None, runs, Reference(None, 1.0, agreement=1e-6))
    by_error = {round(-math.log10(row["error"])): row for row in rows}
    assert by_error[2]["best"] == "ida" and by_error[2]["ratio"] == pytest.approx(0.25)
    assert by_error[4]["best"] == "simbody" and by_error[4]["ratio"] == pytest.approx(0.2)
    assert 6 not in by_error  # below three times the difference of the solvers that gave the reference


def test_there_is_no_ratio_at_errors_coarser_than_all_runs():
    runs = [run("trammel follow", 1e-4, 1.0), run("ida ggl", 1e-3, 4.0), run("ida ggl", 1e-4, 8.0)]
    ratios = {round(-math.log10(row["error"])): row["ratio"] for row in compare(None, runs, Reference(None, 1.0))}
    assert ratios[2] is None  # 1e-4 against 1e-3
    assert ratios[3] == pytest.approx(0.25)  # ours is charged a run that is better than asked for
    assert ratios[4] == pytest.approx(0.125)
    stiff = next(some for some in problems.problems(True) if some.measure == "slow")
    assert compare(stiff, runs, Reference(None, 1.0))[0]["ratio"] == pytest.approx(0.25)


def test_at_equal_tolerance_only_runs_within_it_count():
    runs = [run("trammel damp", 1e-9, 1.0), run("ida a", 1e-3, 0.1), run("ida b", 1e-7, 5.0)]  # all at 1e-6
    [row] = work_precision.at_equal_tolerance(runs)
    assert row["best"] == "ida b" and row["ratio"] == pytest.approx(0.2)


def test_four_bars_follow_the_exact_parallelogram():
    # IFToMM A02, N = 2, t = 10 s: place of B0 from the exact equation of the one angle.
    angle = four_bar_angle(2, 10.0, 10)[-1][0]
    assert (math.cos(angle), math.sin(angle)) == pytest.approx((0.32845811154, 0.94451853818), abs=1e-9)


def test_other_values_of_parameters_reach_the_model_text():
    assert "eps = { value = 1e-08, min" in problems.catalogue("yen_petzold_spring", eps=1e-8)
    with pytest.raises(ValueError, match="no parameter stiffness"):
        problems.catalogue("yen_petzold_spring", stiffness=1.0)


def test_a_target_is_met_only_if_the_worst_ratio_is():
    def item(least, mean, most):
        return {"group": "small mechanisms", "problem": "p", "summary": {"least": least, "mean": mean, "most": most}}

    def word(*items):
        return {target[0]: target[3] for target in report_text.ratio_targets(items)}[report_text.TARGETS["small mechanisms"][0]]

    assert word(item(0.1, 0.2, 0.5)) == "met"
    assert word(item(0.1, 0.2, 0.6)) == "**met on average only**"
    assert word(item(0.1, 0.6, 0.7)) == "**not met**"


BUILD = Path(os.environ.get("TRAMMEL_BUILD", ROOT / "build"))
PEERS = BUILD / "bench" / "peers"
IDA = PEERS / "run_ida"


@pytest.mark.skipif(not IDA.exists(), reason="SUNDIALS is not installed")
@pytest.mark.parametrize("problem", ["chain_long", "chain_space", "four_bars", "cantilever", "andrews", "car_axis",
                                     "double_pendulum", "yen_petzold_point_mass", "yen_petzold_spring", "yen_petzold_bushing"])
@pytest.mark.parametrize("form", ["ggl", "index2"])
def test_the_jacobian_given_to_ida_is_that_of_its_residual(problem, form):
    command = [IDA, problem, "--variant", f"{form}-check", "--size", "5", "--eps", "0.1", "--bodies", "0"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    # Central differences with a step of 1e-6; a beam has stiffnesses that differ by 1e6.
    assert answer["outputs"][0] < (5e-6 if problem == "cantilever" else 1e-7)


@pytest.mark.skipif(not IDA.exists(), reason="SUNDIALS is not installed")
@pytest.mark.parametrize("model, output", [("spatial_slider_crank", "slider.r[1]"), ("car_axis", "xl")])
def test_the_jacobian_of_a_compiled_model_given_to_ida_is_that_of_its_residual(model, output):
    file = ROOT / "models" / "catalogue" / f"{model}.toml"
    command = [IDA, file, "--variant", "model-index2-check", "--outputs", output]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert answer["outputs"][0] < 1e-7  # central differences with a step of 1e-6


def test_the_interface_is_compared_with_the_same_mode_in_process():
    runs = [run("trammel damp", 1e-3, 2.0), run("trammel fmu", 1e-3, 2.5), run("ida ggl", 1e-3, 9.0)]
    assert work_precision.interface_ratio(runs, "damp") == pytest.approx(1.25)
    assert work_precision.interface_ratio(runs, "follow") is None


def test_a_profile_is_split_into_its_parts(monkeypatch, tmp_path):
    lines = """
1,000 (100.0%)  PROGRAM TOTALS
  500 (50.0%)  ???:trammel::KktSolver::solve(Eigen::Ref<x>) [run]
  100 (10.0%)  ???:trammel::KktSolver::factorise(trammel::Linearisation const&) [run]
   90 ( 9.0%)  ???:trammel::KktSolver::factoriseSparse() [run]
  150 (15.0%)  ???:trammel::MechanismSystem::forceBalance(double) [run]
   50 ( 5.0%)  ???:trammel::EquationsSystem::constraint(double) [run]
   40 ( 4.0%)  ???:trammel::MechanismSystem::linearise(double) [run]
"""
    monkeypatch.setattr(report.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0, stdout=lines))
    profile = report.callgrind(["program"], str(tmp_path), 1)
    assert profile["instructions"] == 1000 and profile["share"] == pytest.approx(0.6)
    assert profile["shares"] == pytest.approx({"solves": 0.5, "factorisation": 0.1, "residuals": 0.2, "linearisation": 0.04})
    assert profile["control"] == pytest.approx(0.16)


@pytest.mark.skipif(not (PEERS / "run_trammel").exists(), reason="the benchmark is not built")
def test_ours_agrees_with_the_rivals_on_the_chain_in_space(tmp_path):
    programs = work_precision.Programs(BUILD, str(tmp_path), sys.executable)
    problem = next(some for some in problems.problems(True) if some.name == "chain_space" and some.size == 10)
    ours = programs.run(problem, "trammel follow", 1e-7, 60)
    assert ours.failure == ""
    for solver in ("ida ggl", "simbody rkm"):
        if programs.available(solver.split()[0]):
            theirs = programs.run(problem, solver, 1e-7, 60)
            assert theirs.failure == ""
            # [m], a hundred times the tolerance on a chain of 10 m
            assert abs(ours.outputs - theirs.outputs).max() < 1e-4


@pytest.mark.skipif(not (PEERS / "run_trammel_clocked").exists(), reason="the benchmark is not built")
def test_clocks_around_the_solver_see_a_part_of_the_run(tmp_path):
    programs = work_precision.Programs(BUILD, str(tmp_path), sys.executable)
    problem = next(some for some in problems.problems(True) if some.name == "chain_long" and some.size == 100)
    problem.stop, problem.points = 0.05, 1
    clocked = programs.run(problem, f"{work_precision.CLOCKED} follow", 1e-6, 60)
    assert 0.1 * clocked.cpu < clocked.counts["inside"] < 0.9 * clocked.cpu
    plain = programs.run(problem, "trammel follow", 1e-6, 60)
    assert "inside" not in plain.counts  # a program without clocks reports no share, not one of 0
    for count in ("steps", "residuals", "factorisations"):
        assert clocked.counts[count] == plain.counts[count]


def test_a_share_inside_is_given_only_if_every_run_has_counted(monkeypatch, tmp_path):
    programs = work_precision.Programs(BUILD, str(tmp_path), sys.executable)
    monkeypatch.setattr(programs, "available", lambda _: True)
    answers = [Run("x y", 1e-6, cpu=2.0, counts={"inside": inside}) for inside in (1.0, 1.2, 1.6)]
    monkeypatch.setattr(programs, "run", lambda *_: answers.pop())
    assert report.share_inside(programs, None, 1e-6) == pytest.approx(0.6)
    answers[:] = [Run("x y", 1e-6, cpu=2.0, counts={"inside": 1.0}) for _ in range(2)] + [Run("x y", 1e-6, cpu=2.0, counts={})]
    assert report.share_inside(programs, None, 1e-6) is None
    monkeypatch.setattr(programs, "available", lambda _: False)
    assert report.share_inside(programs, None, 1e-6) is None


def test_shares_of_the_solver_stand_beside_each_other():
    row = {"size": 10000, "steps": 80, "step": 1e-3, "heap": 1e8, "floor": 0.52, "inside": 0.55, "profile": None}
    found = [words for words in report_text.targets({"comparisons": [], "scaling": [row], "tables": {}, "interface": {}})
             if words[0].startswith("Factorisations")]
    assert found[0][2] == "in the run 55 %, floor 52 %" and found[0][3] == "**not met**"
    assert "| 55 % | 52 % |" in report_text.scaling_text([row])
    assert "| – | 52 % |" in report_text.scaling_text([{**row, "inside": None}])
