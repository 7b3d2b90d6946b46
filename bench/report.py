"""Compares ours with SUNDIALS IDA, Simbody and Exudyn and writes results/bench.md and results/bench.json.

    bench/report.py               all problems, runs of up to a minute: 40 minutes to an hour
    bench/report.py --quick       the smaller sizes: a quarter of an hour
    bench/report.py --full        runs of up to a quarter of an hour, all variants: many hours
    bench/report.py --only chain  the problems whose titles match, "chain long, N = 100$"

Times are CPU times of the solve alone on this machine in this run; ratios are read off at equal achieved error.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "peers"))

from problems import problems  # noqa: E402
from report_text import write_report  # noqa: E402
from work_precision import (CLOCKED, OURS, THROUGH_FMU, Programs, at_equal_tolerance, compare, interface_ratio, measure,  # noqa: E402
                            progress_line, reference_of, summary)


@dataclass
class Settings:
    name: str
    limit: float  # [s] of CPU time for a run
    repeats: int
    repeat_below: float  # [s]: longer runs are not repeated
    radii: tuple  # spectral radii of Exudyn
    exudyn_levels: int  # of 100, 400, 1600 … steps
    tolerances: tuple
    count_below: float  # [s]: longer runs are not counted in instructions

    progress = staticmethod(progress_line)


TOLERANCES = tuple(10.0**-k for k in range(3, 11))
QUICK = Settings("quick", 10, 2, 0.2, ("0.9",), 3, TOLERANCES, 0.05)
STANDARD = Settings("standard", 60, 2, 0.5, ("0.9",), 4, TOLERANCES, 0.1)
FULL = Settings("full", 900, 5, 2.0, ("0.7", "0.9", "1.0"), 5, TOLERANCES, 0.5)


# Parts of a run by the functions that do them; what is left is prediction, norms, error test and step control.
PARTS = {
    "factorisation": r"KktSolver::factorise",
    "solves": r"KktSolver::solve(Constraints)?",
    "residuals": r"\w*System::(forceBalance|constraint|constraintRate)",
    "linearisation": r"\w*System::(linearise|massAndGradient)",
}


def callgrind(command, folder, limit):
    """Instructions inside the timed solve, and the share of factorisations and solves in them; None without valgrind."""
    profile = os.path.join(folder, "callgrind.out")
    try:
        subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=timedSolve", "--collect-atstart=no",
                        f"--callgrind-out-file={profile}", *command, "--repeats", "1"], capture_output=True, check=True, timeout=limit)
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile],
                              capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    total = re.search(r"^\s*([\d,]+)(?: \(100\.0%\))?\s+PROGRAM TOTALS", text, re.M)
    if not total:
        return None
    instructions = int(total[1].replace(",", ""))
    inside = {}
    for number, name in re.findall(r"^\s*([\d,]+) \([\d. ]+%\)\s+\S*?:trammel::(\w+::\w+)\(", text, re.M):
        for part, pattern in PARTS.items():
            if re.fullmatch(pattern, name):
                inside[part] = inside.get(part, 0) + int(number.replace(",", ""))
    shares = {part: count / instructions for part, count in inside.items()}
    return {"instructions": instructions, "shares": shares, "control": 1 - sum(shares.values()),
            "share": shares["factorisation"] + shares["solves"] if "solves" in shares else None}


def pair_at_equal_error(runs, rows):
    """Our and the rival's cheapest run that reach the error in the middle of the common range: for instructions."""
    common = [row["error"] for row in rows if row["ratio"]]
    if not common:
        return None
    error = common[len(common) // 2]
    reached = [run for run in runs if not run.failure and run.error <= error and run.solver != THROUGH_FMU]
    mine = [run for run in reached if run.program == OURS]
    theirs = [run for run in reached if run.program in ("ida", "simbody")]
    if not mine or not theirs:
        return None
    return min(mine, key=lambda run: run.cpu), min(theirs, key=lambda run: run.cpu)


def instruction_counts(programs, problem, runs, rows, settings):
    pair = pair_at_equal_error(runs, rows)
    if not pair or max(run.cpu for run in pair) > settings.count_below:
        return None
    counted = []
    for run in pair:
        settings.progress(f"{problem.title}: instructions of {run.solver}")
        counts = callgrind(programs.command(problem, run.solver, run.tolerance), programs.folder, settings.limit * 10)
        if counts is None:
            return None
        counted.append({"solver": run.solver, "tolerance": run.tolerance, "error": run.error, "cpu": run.cpu,
                        "instructions": counts["instructions"]})
    return counted


def compared(programs, problem, settings):
    reference = reference_of(programs, problem, 10 * settings.limit)
    runs = measure(programs, problem, reference, settings.tolerances, settings)
    rows = compare(problem, runs, reference)
    return {"problem": problem.title, "name": problem.name, "group": problem.group, "size": problem.size,
            "reference": reference.source if reference else "none", "agreement": reference.agreement if reference else None,
            "rows": rows, "tolerances": at_equal_tolerance(runs) if problem.measure == "slow" else [], "summary": summary(rows), "interface": interface_ratio(runs, problem.modes[0]),
            "instructions": instruction_counts(programs, problem, runs, rows, settings),
            "runs": [{key: value for key, value in asdict(run).items() if key != "outputs"} for run in runs]}


def share_inside(programs, problem, tolerance):
    """Share of the CPU time of a run that it spends inside factorisations and solves, by clocks around them: the median of
    three runs; None where the clocks are not built in or have missed calls."""
    if not programs.available(CLOCKED):
        return None
    runs = [programs.run(problem, f"{CLOCKED} follow", tolerance, 600) for _ in range(3)]
    if any(run.failure or "inside" not in run.counts for run in runs):
        return None
    return statistics.median(run.counts["inside"] / run.cpu for run in runs)


def scaling(programs, settings):
    """Chains of 100, 1000, 10000 rods over a short time: time for a step and memory, and where the time goes."""
    rows = []
    for problem in problems(False):
        if problem.name != "chain_long" or problem.size < 100:
            continue
        problem.stop, problem.points = 0.2, 1
        settings.progress(f"scaling, N = {problem.size}")
        runs = [programs.run(problem, f"{OURS} follow", 1e-6, 600, ["--floor"]) for _ in range(3)]
        best = min(runs, key=lambda run: run.cpu)
        if best.failure:
            rows.append({"size": problem.size, "failure": best.failure})
            continue
        row = {"size": problem.size, "steps": best.counts["steps"], "step": best.cpu / best.counts["steps"],
               "heap": best.heap, "floor": min(run.counts["floor"] for run in runs) / best.cpu,
               "inside": share_inside(programs, problem, 1e-6), "profile": None}
        if problem.size >= 1000:
            problem.stop = 0.2 if problem.size == 1000 else 0.02
            command = programs.command(problem, f"{OURS} follow", 1e-6)
            settings.progress(f"profile, N = {problem.size}")
            row["profile"] = callgrind(command, programs.folder, 1800)
        rows.append(row)
    return rows


def program_tables(build, settings):
    """What the programs of bench/programs print, by name."""
    tables = {}
    for program in sorted((Path(build) / "bench" / "programs").glob("*")):
        settings.progress(program.name)
        try:
            tables[program.name] = subprocess.run([program], capture_output=True, text=True, check=True, timeout=600).stdout
        except (OSError, subprocess.SubprocessError) as error:
            tables[program.name] = f"not run: {error}\n"
    return tables


def interface_runs(build, settings):
    """Ratios of runs through the FMU to runs in process by model, of several processes: where code and data lie in memory
    differs from one to the next and changes each by 1 to 2 %."""
    ratios = {}
    for turn in range(5):
        settings.progress(f"fmu_costs, turn {turn + 1}")
        try:
            text = subprocess.run([Path(build) / "bench" / "programs" / "fmu_costs", "--runs"], capture_output=True, text=True,
                                  check=True, timeout=600).stdout
        except (OSError, subprocess.SubprocessError):
            return ratios
        for name, ratio in re.findall(r"^([a-z_]+)\s+([\d.]+)$", text, re.M):
            ratios.setdefault(name, []).append(float(ratio))
    return ratios


def binary_sizes(build):
    """[bytes] of the runtime binaries of the FMUs by platform."""
    return {path.parent.name: path.stat().st_size for path in sorted((Path(build) / "platforms").glob("*/trammel.*"))
            if path.suffix in (".so", ".dll")}


def save(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("bench.json", json.dumps(results, indent=1)), ("bench.md", write_report(results))):
        path = folder / name
        path.with_suffix(".new").write_text(text)
        path.with_suffix(".new").replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="the smaller sizes, short runs")
    length.add_argument("--full", action="store_true", help="long runs, more repeats and variants")
    parser.add_argument("--only", default="", metavar="PATTERN", help="problems whose titles match PATTERN")
    parser.add_argument("--build", default=str(ROOT / "build"), help="build folder with the programs")
    parser.add_argument("--results", default=str(ROOT / "results"), help="folder for bench.md and bench.json")
    parser.add_argument("--no-scaling", action="store_true", help="leave out scaling, profile and the tables of the programs")
    options = parser.parse_args()
    settings = FULL if options.full else QUICK if options.quick else STANDARD
    available = problems(options.quick)
    chosen = [problem for problem in available if re.search(options.only, problem.title)]
    if not chosen:
        parser.error(f'no title matches "{options.only}"; they are: ' + "; ".join(problem.title for problem in available))
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(options.build, folder, sys.executable)
        if not programs.available(OURS):
            sys.exit(f"{programs.path(OURS)} is not built: run make bench")
        results = {"length": settings.name, "comparisons": [], "scaling": [], "tables": {}, "interface": {},
                   "binaries": binary_sizes(options.build),
                   "missing": [name for name in ("ida", "simbody", "exudyn") if not programs.available(name)]}
        for problem in chosen:
            results["comparisons"].append(compared(programs, problem, settings))
            save(results, Path(options.results))  # a run that is stopped leaves what it has
        if not options.no_scaling:
            results["scaling"] = scaling(programs, settings)
            results["tables"] = program_tables(options.build, settings)
            results["interface"] = interface_runs(options.build, settings)
    settings.progress("")
    save(results, Path(options.results))
    print(f"{Path(options.results) / 'bench.md'}: {len(chosen)} problems")


if __name__ == "__main__":
    main()
